import Foundation
import TestSupport
import Testing

/// Files written by concurrent processes, or until a signal arrives.
@Suite("Output files")
struct OutputFileTests {
  /// Runs the same command line several times at once.
  private static func together(_ words: [String]) async throws -> [ToolRun] {
    try await withThrowingTaskGroup(of: ToolRun.self) { group in
      for _ in 0..<4 { group.addTask { try await ToolRun(words) } }
      var runs: [ToolRun] = []
      for try await run in group { runs.append(run) }
      return runs
    }
  }

  @Test("one of several concurrent exports creates the file, and the others report that it exists")
  func exportsAtOnce() async throws {
    let log = try await LogOnDisk(increments: 500)
    let place = try TemporaryDirectory()
    let path = place.path("out.json")
    let printed = try await ToolRun("export", log.path).output
    let runs = try await Self.together(["export", log.path, "--output", path])
    let failed = runs.filter { run in run.ending != .status(0) }
    #expect(failed.count == runs.count - 1)
    for run in failed {
      #expect(run.ending == .status(2) && run.output.isEmpty)
      #expect(run.messages.contains("the path already exists: \(path)\n"), "\(run.messages)")
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == printed)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["out.json"])
  }

  @Test("each of several concurrent reports writes a complete page")
  func reportsAtOnce() async throws {
    let log = try await LogOnDisk(increments: 500)
    let place = try TemporaryDirectory()
    let path = place.path("page.html")
    let printed = try await ToolRun("report", log.path, "--output", "-").output
    let runs = try await Self.together(["report", log.path, "--output", path])
    for run in runs { #expect(run.ending == .status(0), "\(run.messages)") }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == printed)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["page.html"])
  }

  @Test("a signal leaves nothing of an unfinished file", arguments: [SIGINT, SIGTERM, SIGHUP])
  func signal(number: Int32) async throws {
    let log = try LogOnDisk()
    let run = try await ToolRun("record", "counter", log.path, "--workload", "100000", "--durability", "written")
    try #require(run.ending == .status(0), "\(run.messages)")
    let place = try TemporaryDirectory()
    let path = place.path("out")
    // A process that ends before the signal proves nothing, so at least one has to be interrupted.
    for _ in 0..<100 {
      let process = try ToolProcess(["export", log.path, "--output", path])
      _ = try await eventually {
        try !FileManager.default.contentsOfDirectory(atPath: place.path).isEmpty
      }
      process.kill(number)
      let ending = try await process.wait()
      let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
      #expect(names.isEmpty || names == ["out"], "\(names)")
      if names.isEmpty {
        #expect(ending == .signal(number))
        return
      }
      try FileManager.default.removeItem(atPath: path)
    }
    Issue.record("no export was interrupted")
  }
}
