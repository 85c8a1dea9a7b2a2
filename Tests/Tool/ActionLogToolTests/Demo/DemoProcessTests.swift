import ActionLog
import Foundation
import JSONCoding
import TestSupport
import Testing

/// The demo as in the README: a child process records and is killed.
@Suite("Demo with child processes", .timeLimit(.minutes(60)))
struct DemoProcessTests {
  @Test func demoKillsTheProcessThatRecords() async throws {
    let directory = try TemporaryDirectory()
    let run = try await ToolRun("demo", "--keep", directory.path("kept"), "--no-color")
    #expect(run.ending == .status(0))
    let output = run.lines.joined(separator: "\n")
    #expect(output.contains("Signal 9 (SIGKILL) has ended it, with its log still open."), "\(output)")
    #expect(output.contains("✓ All 23 actions that were acknowledged are in the log."))
    // The log equals the committed one: a kill after the last acknowledgement changes no byte.
    let segment = "0000000000000001.jsonl"
    let committed = try Data(contentsOf: URL(fileURLWithPath: "\(ReadersTests.root)/logs/animals/\(segment)"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: directory.path("kept/" + segment))) == committed)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["kept"])
  }

  /// Kills the demo's child process: every acknowledged action is in the log, which was not closed.
  @Test(arguments: [1, 7, 23])
  func acknowledgedActionsSurviveTheKill(count: Int) async throws {
    let directory = try TemporaryDirectory()
    let process = try ToolProcess(["demo", "--act", directory.path("log"), "--model", "animals", "--json"])
    var revisions: [Int] = []
    while revisions.count < count, let line = try await process.nextLine() {
      revisions.append(try #require(try JSONValue(parsing: Array(line.utf8))["revision"]?.integer))
    }
    process.kill(SIGKILL)
    #expect(try await process.wait() == .signal(SIGKILL))
    #expect(revisions == Array(1...count))
    let extent = try LogReader.open(at: directory.path("log")).extent()
    #expect(extent.lastRevision >= count)
    if case .closed = extent.ending { Issue.record("the log was closed") }
  }

  @Test func recordingEndsWithItsInput() async throws {
    let directory = try TemporaryDirectory()
    let process = try ToolProcess(["demo", "--act", directory.path("log"), "--model", "animals", "--json"])
    process.endInput()
    #expect(try await process.wait() == .status(0))
    #expect(try LogReader.open(at: directory.path("log")).extent().lastRevision == 23)
    let again = try await ToolRun("demo", "--act", directory.path("log"), "--model", "animals")
    #expect(again.ending == .status(2))
  }
}
