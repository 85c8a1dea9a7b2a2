import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import ActionLogTool
import CounterData
import Foundation
import JSONCoding
import TestSupport
import Testing

@Suite struct DemoTests {
  private func demo(_ arguments: String..., on disk: MemoryFileSystem) async throws -> CommandLineRun {
    try await demo(arguments, on: disk)
  }

  private func demo(_ arguments: [String], on disk: MemoryFileSystem) async throws -> CommandLineRun {
    try disk.createDirectory("tmp")
    return await ActionLogTool.withStories.run(["demo"] + arguments) { environment in
      environment.fileSystem = disk
      environment.temporaryDirectory = "tmp"
    }
  }

  @Test func outputMatchesGoldenFile() async throws {
    let run = try await demo(on: MemoryFileSystem())
    #expect(run.status == 0)
    #expect(run.messages == "")
    try Golden.expect(run.output, is: "demo.txt")
  }

  @Test func theTourIsShortAndEndsAtThePage() async throws {
    let lines = try await demo("--keep", "kept", on: MemoryFileSystem()).output.split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 41)
    #expect(lines.dropLast().last == "   action-log inspect kept --open")
  }

  @Test func withoutACommandEachIsNamedOnOneScreen() async throws {
    let run = await ActionLogTool.withStories.run([String]())
    let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(run.status == 0 && lines.count <= 27)
    let words = Set(run.output.split { character in character.isWhitespace })
    let names = try await ActionLogTool.withStories.run(["help", "--json"]).output.split(separator: "\n").map { line in
      try #require(try JSONValue(parsing: line.utf8)["name"]?.text)
    }
    #expect(names.allSatisfy { name in words.contains(Substring(name)) } && names.count > 40)
  }

  @Test func jsonOutputIsTheResultOnly() async throws {
    let run = try await demo("--json", on: MemoryFileSystem())
    let result = try JSONValue(parsing: Array(run.output.utf8))
    #expect(result[JSONPointer(["actions"])] == 23)
    #expect(result[JSONPointer(["fromRevision"])] == 20)
    #expect(result[JSONPointer(["actionsFolded"])] == 3, "the snapshot is used")
    #expect(try await demo("--quiet", on: MemoryFileSystem()).output == "")
  }

  @Test func toolWithoutStoriesHasNoDemo() async throws {
    let tool = ActionLogTool(models: [.model(CounterModel.self)])
    #expect(await !tool.run("help").output.contains("demo"))
    #expect(await tool.run("demo").status == 2)
  }

  @Test func temporaryLogIsRemoved() async throws {
    let disk = MemoryFileSystem()
    _ = try await demo(on: disk)
    #expect(disk.filePaths.isEmpty)
    #expect(try disk.names(in: "tmp").isEmpty)
  }

  @Test func keptLogIsReproducible() async throws {
    let first = MemoryFileSystem()
    let second = MemoryFileSystem()
    #expect(try await demo("--keep", "kept", on: first).status == 0)
    #expect(try await demo("--keep", "kept", on: second).status == 0)
    #expect(first.filePaths.count == 4, "a segment, HEAD, two snapshots: \(first.filePaths)")
    #expect(first.filePaths == second.filePaths)
    for path in first.filePaths {
      #expect(try first.contents(of: path) == second.contents(of: path), "\(path)")
    }
    #expect(try LogVerifier.verify(at: "kept", fileSystem: first).verdict == .clean)
  }

  /// The commands in `logs/README.md` that created the committed logs.
  @Test(arguments: [
    ["animals"], ["foodtruck"], ["foodtruck", "--story", "rush"], ["foodtruck-mirror"], ["quakes"],
  ])
  func committedLogIsReproduced(story: [String]) async throws {
    let disk = MemoryFileSystem()
    #expect(try await demo(["--model"] + story + ["--keep", "kept"], on: disk).status == 0)
    let folder = PackageFolder.root
      .appending(path: "logs/\(story.filter { word in word != "--story" }.joined(separator: "-"))")
    for path in disk.filePaths {
      let committed = try Data(contentsOf: folder.appending(path: path.dropFirst("kept/".count)))
      #expect(try disk.contents(of: path) == Array(committed), "\(path)")
    }
  }

  @Test func existingDirectoryIsRejected() async throws {
    let disk = MemoryFileSystem()
    try disk.createDirectory("kept")
    let run = try await demo("--keep", "kept", on: disk)
    #expect(run.status == 2)
    #expect(run.messages.contains("the path already exists: kept"))
    #expect(try disk.names(in: "kept").isEmpty)
  }

  @Test func modelWithoutStoryIsRejected() async throws {
    let run = try await demo("--model", "counter", on: MemoryFileSystem())
    #expect(run.status == 2)
    #expect(run.messages.contains("the model 'counter' has no story to tell"))
    #expect(run.messages.contains("animals"))
  }

  @Test func unknownStoryIsRejected() async throws {
    let disk = MemoryFileSystem()
    let run = try await demo("--model", "foodtruck", "--story", "lunch", "--keep", "kept", on: disk)
    #expect(run.status == 2 && disk.filePaths.isEmpty)
    #expect(run.messages.contains("the model 'foodtruck' has no story 'lunch'"))
    let other = try await demo("--story", "rush", on: MemoryFileSystem())
    #expect(other.status == 0, "the first model with a story of that name")
    let none = try await demo("--model", "animals", "--story", "rush", on: MemoryFileSystem())
    #expect(none.status == 2 && none.messages.contains("These have: foodtruck."))
  }
}
