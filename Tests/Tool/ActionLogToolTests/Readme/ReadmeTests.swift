import ActionLogTool
import AnimalsData
import CounterData
import Foundation
import TestSupport
import Testing

/// The README shows transcripts that are true. ``PageCodeTests`` compares its code.
@Suite struct ReadmeTests {
  private static let root = PackageFolder.root
  private let readme: String

  init() throws {
    readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
  }

  @Test(arguments: ["transcript", "errors"])
  func transcriptsAreTrue(name: String) async throws {
    let tool = ActionLogTool(models: [.model(AnimalsModel.self), .model(CounterModel.self)])
    let lines = try block(named: name)
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
    let block = (["```console"] + (try block(named: "story")) + ["```"]).joined(separator: "\n")
    let page = TranscriptPage(block)
    let told = try await page.renewed { command in try session.run(typed: command.text) }
    try Golden.expect(
      readme.replacingOccurrences(of: block, with: told), isAt: Self.root.appending(path: "README.md"))
    #expect(try await page.commands() == [StorySession.opening] + session.suggestions)
  }

  @Test(arguments: [
    "action-log", "animals", "animals-client", "animals-server", "counter", "foodtruck", "quakes", "quakes-client",
  ])
  func everyProgramHasAStart(name: String) throws {
    let samples = try String(contentsOf: Self.root.appending(path: "Sources/Samples/README.md"), encoding: .utf8)
    #expect((readme + samples).contains("\nswift run \(name) "))
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
  private func block(named name: String) throws -> [String] {
    let all = readme.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let mark = try #require(all.firstIndex(of: "<!-- \(name) -->"), "README.md has no mark '\(name)'")
    let begin = try #require(all[mark...].firstIndex { line in line.hasPrefix("```") })
    let end = try #require(all[(begin + 1)...].firstIndex(of: "```"))
    return Array(all[(begin + 1)..<end])
  }
}
