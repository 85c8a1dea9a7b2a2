import ActionLogTool
import AnimalsData
import CounterData
import Foundation
import Platform
import TestSupport
import Testing

/// The README is short, and what it shows is true. ``PageCodeTests`` compares its code.
@Suite struct ReadmeTests {
  private static let root = PackageFolder.root
  private let readme: String

  init() throws {
    readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
  }

  @Test func errorsAreTrue() async throws {
    let tool = ActionLogTool(models: [.model(AnimalsModel.self), .model(CounterModel.self)])
    let page = "Sources/Tool/ActionLogTool/ActionLogTool.docc/ActionLogTool.md"
    let lines = try block(named: "errors", of: String(contentsOf: Self.root.appending(path: page), encoding: .utf8))
    var expected: [String] = []
    for command in lines where command.hasPrefix("$ action-log ") {
      let arguments = command.dropFirst("$ action-log ".count).split(separator: " ").map { word in
        word.trimmingCharacters(in: CharacterSet(charactersIn: "'"))
      }
      let run = await tool.run(arguments, variables: ["COLUMNS": "110"]) { environment in
        environment.currentDirectory = Self.root.path
      }
      let text = (run.output + run.messages).replacingOccurrences(of: Self.root.path + "/", with: "")
      expected.append(command)
      expected += text.split(separator: "\n").map(String.init)
    }
    #expect(lines.filter { line in !line.isEmpty } == expected)
    #expect(expected.count > 3)
  }

  @Test func theStoryIsTrue() async throws {
    let session = try await StorySession.shared.value
    let block = (["```console"] + (try block(named: "story", of: readme)) + ["```"]).joined(separator: "\n")
    let page = TranscriptPage(block)
    let told = try await page.renewed { command in try session.run(typed: command.text) }
    try Golden.expect(
      readme.replacingOccurrences(of: block, with: told), isAt: Self.root.appending(path: "README.md"))
    #expect(Set(try await page.commands()).isSubset(of: session.suggestions))
    #expect(told.contains("action-log minimize ") && told.contains("PlatypusTests.swift: "))
  }

  @Test(arguments: [
    "action-log", "animals", "animals-client", "animals-server", "counter", "foodtruck", "quakes", "quakes-client",
  ])
  func everyProgramHasAStart(name: String) throws {
    let samples = try String(contentsOf: Self.root.appending(path: "Sources/Samples/README.md"), encoding: .utf8)
    #expect((readme + samples).replacing("run -c release ", with: "run ").contains("\nswift run \(name) "))
  }

  /// `.ci/picture` draws it, and notes of which sources.
  @Test func thePictureShowsThePage() throws {
    let page = Self.root.appending(path: "Sources/Tool/ActionLogTool/Inspector/Page")
    let names = try FileManager.default.contentsOfDirectory(atPath: page.path).sorted()
    let sources = try names.reduce(into: Data()) { sources, name in
      sources += try Data(contentsOf: page.appending(path: name))
    }
    let note = "Sources/Tool/ActionLogTool/ActionLogTool.docc/Resources/inspector.sources"
    let drawn = try String(contentsOf: Self.root.appending(path: note), encoding: .utf8)
    #expect(
      drawn == SHA256.hexadecimal(sources) + "\n", "run .ci/picture, and look at it: the page has changed")
  }

  /// A reader decides in some minutes.
  @Test func theFirstPageIsShort() {
    #expect(readme.split { character in character.isWhitespace }.count <= 1_200)
  }

  @Test(arguments: ["README.md", "CONTRIBUTING.md", "Benchmarks/README.md"])
  func linksLeadToFiles(page: String) throws {
    let file = Self.root.appending(path: page)
    let targets = try String(contentsOf: file, encoding: .utf8).matches(of: /\]\(([^()#\s]+)(#[^()\s]*)?\)/)
      .map { match in String(match.1) }.filter { target in !target.contains("://") }
    #expect(!targets.isEmpty)
    for target in targets {
      let path = file.deletingLastPathComponent().appending(path: target).path
      #expect(FileManager.default.fileExists(atPath: path), "\(page) links to \(target)")
    }
  }

  /// The lines of the fenced block that follows the mark `<!-- name -->`.
  private func block(named name: String, of page: String) throws -> [String] {
    let all = page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let mark = try #require(all.firstIndex(of: "<!-- \(name) -->"), "there is no mark '\(name)'")
    let begin = try #require(all[mark...].firstIndex { line in line.hasPrefix("```") })
    let end = try #require(all[(begin + 1)...].firstIndex(of: "```"))
    return Array(all[(begin + 1)..<end])
  }
}
