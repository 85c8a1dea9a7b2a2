import ActionLog
import TestSupport
import Testing

/// A writer relies on directory entries that another one made, and that other one may never have made them durable.
@Suite("Durable entries", .timeLimit(.minutes(60)))
struct EntryDurabilityTests {
  /// Opens a log while a synchronisation of a directory fails, then again, and acknowledges an action; then the power is
  /// cut, and only what was synchronised survives.
  private func lastSeqAfterPowerCut(failing number: Int) throws -> Int {
    var story = LogStory(segmentLimitBytes: 600)
    story.door = FaultyFileSystem(story.files, faults: [Fault(.syncDirectory, number: number)])
    do {
      try story.record(3)
    } catch let error as LogError {
      #expect(error.code == .inputOutput || error.code == .failed)
    }
    story.door = story.files
    let writer = try story.open()
    let receipt = try writer.commit([.numbered(writer.opening.lastSeq + 1)])
    let after = LogStory(story.files.crash(.onlySyncedSurvives))
    let reopened = try after.open()
    #expect(reopened.opening.lastSeq == receipt.seq)
    return receipt.seq
  }

  @Test func aLogWhoseFirstWriterFailedToMakeItsDirectoryDurableIsNotLost() throws {
    #expect(try lastSeqAfterPowerCut(failing: 1) == 1)
  }

  @Test func aFirstSegmentWhoseEntryWasNotMadeDurableIsNotLost() throws {
    #expect(try lastSeqAfterPowerCut(failing: 2) == 1)
  }

  @Test func aLaterSegmentWhoseEntryWasNotMadeDurableIsNotLost() throws {
    #expect(try lastSeqAfterPowerCut(failing: 3) >= 2)
  }

  @Test func aWriterThatMayNotReadTheDirectoryAboveCanOpenALogThatIsThere() throws {
    var story = LogStory()
    try story.record(1)
    story.door = FaultyFileSystem(
      story.files, faults: [Fault(.syncDirectory, code: .permissionDenied, pathSuffix: "/")])
    #expect(try story.open().opening.lastSeq == 1)
  }

  @Test func anyOtherFailureToMakeTheDirectoryDurableIsAnError() throws {
    var story = LogStory()
    try story.record(1)
    story.door = FaultyFileSystem(story.files, faults: [Fault(.syncDirectory)])
    #expect(#expect(throws: LogError.self) { try story.open() }?.code == .inputOutput)
  }

  @Test func ofProcessesThatMakeTheSameLogAtOnceNoneIsToldThatItExists() throws {
    var story = LogStory()
    let files = story.files
    story.door = FaultyFileSystem(files) { call in
      guard call.operation == .createDirectory else { return }
      do { try files.createDirectory(call.path) } catch { Issue.record(error) }
    }
    try story.record(1)
    #expect(try story.read().actions == [1])
  }
}
