import ActionLog
import ActionLogTool
import Testing

/// A log of a hundred thousand actions in which a value goes wrong once: who did it is found, what it takes is found, and a test
/// is written that fails until it is mended.
@Suite("The story of a bug") struct StoryTests {
  @Test func everyCommandSaysWhatThePageSays() async throws {
    let session = try await StorySession.shared.value
    try Golden.expect(session.transcript, is: "story.txt")
  }

  @Test func bisectFindsTheRevisionWithFewStates() async throws {
    let run = try await StorySession.shared.value.run("bisect")
    #expect(run.output.hasPrefix("\(StoryLog.wrong)  "))
    // Twice the log: from the snapshots to the end and to the middle, and from one state that was kept to the next.
    #expect(try run.count(of: "actions folded") <= 2 * StoryLog.length)
    #expect(try run.count(of: "states looked at") <= 64)
    #expect(try run.count(of: "snapshots") <= 4)
  }

  @Test func blameNamesTheActionAndReadsBackToTheSnapshotBeforeIt() async throws {
    let run = try await StorySession.shared.value.run("blame")
    #expect(run.output.hasPrefix(#""Platypus (young)" → "Platypus ""#))
    #expect(run.output.contains("\n\(StoryLog.wrong)  "))
    #expect(try run.count(of: "actions folded") <= StoryLog.length - StoryLog.snapshots[1])
    #expect(try run.count(of: "snapshot") == 1)
  }

  @Test func minimiseLeavesTheActionsThatMatter() async throws {
    let run = try await StorySession.shared.value.run("minimise")
    let revisions = run.output.split(separator: "\n").map { line in line.prefix { character in character != " " } }
    #expect(revisions == ["\(StoryLog.birth)", "\(StoryLog.wrong)"])
    #expect(try run.count(of: "trials") <= 200)
  }

  @Test func theMendedModelDiffersInThatValueAlone() async throws {
    let run = try await StorySession.shared.value.run("what-if")
    #expect(run.output.contains("/animals/data/Platypus\n  ~ name: \"Platypus \" → \"Platypus (young)\"\n"))
    #expect(run.output.split(separator: "\n").count == 3)
    #expect(run.messages.contains("the states differ first at revision \(StoryLog.wrong)"))
    #expect(try run.count(of: "actions folded") == 2 * StoryLog.wrong)
  }

  /// What the page does in a browser is tested where `report` is.
  @Test func theReportHasTheActionAndTheValues() async throws {
    let session = try await StorySession.shared.value
    #expect(try session.run("report").status == 0)
    #expect(session.page.contains("Platypus (young)") && session.page.contains("\(StoryLog.wrong)"))
  }

  @Test(.enabled(if: WrittenTest.isPossible, "there is no swiftc with Swift Testing, or the build has left no modules"))
  func theTestFailsWithTheBugAndPassesWithoutIt() async throws {
    let source = try await StorySession.shared.value.test
    let failed = try await WrittenTest.outcome(of: ["PlatypusTests.swift": source])
    #expect(!failed.isPassed && failed.output.contains("\"name\": \"Platypus \""), "\(failed.output)")
    let passed = try await WrittenTest.outcome(of: ["PlatypusTests.swift": source], isMended: true)
    #expect(passed.isPassed, "\(passed.output)")
  }
}
