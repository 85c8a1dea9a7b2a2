import ActionLog
import TestSupport
import Testing

/// A `HEAD` that is there and cannot be read: evidence that readers can do without, and writers cannot.
@Suite("HEAD that cannot be read", .timeLimit(.minutes(60)))
struct UnreadableHeadTests {
  enum Trouble: CaseIterable, Sendable {
    case status, open, read, directory
  }

  private func story(_ trouble: Trouble) throws -> LogStory {
    var story = LogStory()
    try story.record(3)
    switch trouble {
    case .directory:
      try story.removeHead()
      try story.files.createDirectory(story.head)
    case .status, .open, .read:
      let operation: FileCall.Operation = trouble == .status ? .status : trouble == .open ? .open : .read
      story.door = FaultyFileSystem(
        story.files, faults: [Fault(operation, lasts: true, errorNumber: 5, pathSuffix: "/HEAD")])
    }
    return story
  }

  @Test(arguments: Trouble.allCases)
  func readersGoOnWithoutItAndSaySo(trouble: Trouble) throws {
    let story = try story(trouble)
    #expect(try story.read().actions == [1, 2, 3])
    #expect(try story.reader().extent().lastSeq == 3)
    let failure = try #require(try story.reader().headFailure())
    #expect(failure.path == story.head)
    #expect(failure.message.hasPrefix("HEAD cannot be read ("), "\(failure)")
    // The new log has a HEAD of its own, whose path ends alike.
    guard trouble != .status else { return }
    let report = try LogSalvage.salvage(
      LogStory.path, to: "/saved", fileSystem: story.door, environment: .test())
    #expect(report.lastSeq == 3)
    #expect(report.gaps.isEmpty)
  }

  @Test func oneThatCanBeReadOrIsMissingIsNothingToRemark() throws {
    let story = LogStory()
    try story.record(3)
    #expect(try story.reader().headFailure() == nil)
    #expect(try LogReader.open(story.segment(), fileSystem: story.files).headFailure() == nil)
    try story.removeHead()
    #expect(try story.reader().headFailure() == nil)
  }

  @Test(arguments: Trouble.allCases)
  func verifyCallsItAProblem(trouble: Trouble) throws {
    let report = try LogVerifier.verify(LogStory.path, fileSystem: try story(trouble).door)
    #expect(report.verdict == .damaged)
    #expect(report.problems.map(\.kind) == [.inaccessibleHead])
    #expect(report.problems.map(\.path) == [LogStory.path + "/HEAD"])
    #expect(report.lastSeq == 3)
    #expect(report.warnings.isEmpty)
    #expect(report.isClosed, "all records check")
  }

  /// It cannot know whether durable actions are missing.
  @Test(arguments: Trouble.allCases)
  func noWriterGoesOnWithoutKnowing(trouble: Trouble) throws {
    let story = try story(trouble)
    let before = try story.bytes()
    for error in [
      #expect(throws: LogError.self) { try story.open() },
      #expect(throws: LogError.self) { try LogRepair.repair(LogStory.path, fileSystem: story.door) },
      #expect(throws: LogError.self) { try LogRepair.repair(LogStory.path, fileSystem: story.door, dryRun: true) },
      #expect(throws: LogError.self) { try TailEvidence.gathered(of: LogStory.path, story.door) },
    ] {
      #expect(error?.code == .inputOutput)
      #expect(error?.path == story.head)
      #expect(error?.advice?.contains("move it away") == true, "\(String(describing: error))")
    }
    #expect(try story.bytes() == before)
  }

  /// What is cut off behind its back stays cut off once it can be read again.
  @Test func aTornTailIsNotCutWithoutItsWord() throws {
    let story = try story(.open)
    try story.change { bytes in bytes.removeLast(10) }
    guard case .torn = try story.reader().extent().ending else {
      Issue.record("without HEAD it is a torn tail")
      return
    }
    #expect(throws: LogError.self) { try story.open() }
    var healed = story
    healed.door = story.files
    #expect(#expect(throws: LogError.self) { try healed.open() }?.code == .damaged)
  }
}
