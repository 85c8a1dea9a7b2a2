import ActionLog
import ActionLogTool
import PlantedBug
import Testing

/// In a log of a hundred thousand actions a value goes wrong once. The commands find the action and its causes, and
/// write a test that fails until the bug is fixed.
@Suite("The story of a bug") struct StoryTests {
  @Test func commandsMatchTheTranscript() async throws {
    let session = try await StorySession.shared.value
    try Golden.expect(session.transcript, is: "story.txt")
  }

  @Test func bisectFoldsOneGapBetweenSnapshots() async throws {
    let run = try await StorySession.shared.value.run("find")
    #expect(run.output.hasPrefix("\(PlatypusStory.wrong)  "))
    // From the snapshot at 60 000 to the answer.
    #expect(try run.count(of: "actions folded") == PlatypusStory.wrong - 60_000)
    #expect(try run.count(of: "states read") <= PlatypusStory.wrong - 60_000 + 5)
    #expect(try run.count(of: "snapshots") <= 4)
  }

  @Test func demoWritesTheLogAndSuggestsCommands() async throws {
    let session = try await StorySession.shared.value
    let run = try session.run(typed: StorySession.opening)
    #expect(run.status == 0 && run.messages.isEmpty, "\(run.messages)")
    #expect(run.output.contains("100 000 actions of 'animals-with-bug'"))
    #expect(!run.output.contains("\(PlatypusStory.wrong)"), "the answer is to be found")
    #expect(
      session.suggestions.map { line in line.split(separator: " ")[1] } == [
        "find", "blame", "mark", "minimize", "test", "what-if", "report",
      ])
  }

  @Test func blameFoldsBackToTheSnapshotBeforeTheChange() async throws {
    let run = try await StorySession.shared.value.run("blame")
    #expect(run.output.hasPrefix(#""Platypus (young)" → "Platypus ""#))
    #expect(run.output.contains("\n\(PlatypusStory.wrong)  "))
    // Back from the end to the last snapshot before it, from there to the one before.
    #expect(try run.count(of: "actions folded") <= PlatypusStory.length - 60_000)
    #expect(try run.count(of: "snapshots") == 2)
  }

  /// The cost that the handbook states.
  @Test func blameOfAnOldChangeFoldsAllLaterActions() async throws {
    let run = try await StorySession.shared.value.run(typed: StorySession.further[0])
    let revision = try #require(
      run.output.split(separator: "\n").last?.split(separator: " ").first.flatMap { word in Int(word) })
    #expect(revision < 30_000)
    #expect(try run.count(of: "actions folded") >= PlatypusStory.length - revision)
  }

  @Test func minimizeLeavesTheActionsThatMatter() async throws {
    let run = try await StorySession.shared.value.run("minimize")
    let revisions = run.output.split(separator: "\n").map { line in line.prefix { character in character != " " } }
    #expect(revisions == ["\(PlatypusStory.birth)", "\(PlatypusStory.wrong)"])
    #expect(try run.count(of: "trials") <= 200)
  }

  @Test func fixedModelDiffersInOneValue() async throws {
    let run = try await StorySession.shared.value.run("what-if")
    #expect(run.output.contains("/animals/data/Platypus\n  ~ name: \"Platypus \" → \"Platypus (young)\"\n"))
    #expect(run.output.split(separator: "\n").count == 3)
    #expect(run.messages.contains("the states differ first at revision \(PlatypusStory.wrong)"))
    #expect(try run.count(of: "actions folded") == 2 * PlatypusStory.wrong)
  }

  /// `ReportBrowserTests` tests the page in a browser.
  @Test func reportHasTheActionAndTheValues() async throws {
    let session = try await StorySession.shared.value
    #expect(try session.run("report").status == 0)
    #expect(session.page.contains("Platypus (young)") && session.page.contains("\(PlatypusStory.wrong)"))
  }

  @Test(.enabled(if: WrittenTest.isPossible, "there is no swiftc with Swift Testing, or the build has left no modules"))
  func theTestFailsWithTheBugAndPassesWithoutIt() async throws {
    let source = try await StorySession.shared.value.test
    let failed = try await WrittenTest.outcome(of: ["PlatypusTests.swift": source])
    #expect(!failed.isPassed && failed.output.contains("\"name\":\"Platypus \""), "\(failed.output)")
    let passed = try await WrittenTest.outcome(of: ["PlatypusTests.swift": source], isMended: true)
    #expect(passed.isPassed, "\(passed.output)")
  }
}
