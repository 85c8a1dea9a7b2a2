import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Platform
import TestSupport
import Testing

@Suite("Salvaging a log in use", .timeLimit(.minutes(60)))
struct LiveSalvageTests {
  /// Salvages a log while a writer appends between any two calls.
  private func salvage(
    _ story: LogStory
  ) throws -> (report: SalvageReport, saved: [Int], written: Int, before: Int) {
    let writer = try story.open()
    try writer.appendNow([.numbered(writer.status.lastRevision + 1)])
    let before = writer.status.lastRevision
    let isReading = Locked(true)
    let door = FaultyFileSystem(story.files) { _ in
      guard isReading.withLock({ isReading in isReading }) else { return }
      do { try writer.appendNow([.numbered(writer.status.lastRevision + 1)]) } catch { Issue.record(error) }
    }
    let report = try LogSalvage.salvage(
      at: LogStory.path, to: "/saved", fileSystem: door, environment: .test())
    isReading.withLock { isReading in isReading = false }
    #expect(try LogVerifier.verify(at: "/saved", fileSystem: story.files).verdict == .clean)
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).lastRevision >= report.lastRevision)
    var records = try LogReader.open(at: "/saved", fileSystem: story.files).records()
    var saved: [Int] = []
    while let record = try records.next() {
      if !record.isControl { saved.append(record.number) }
    }
    return (report, saved, writer.status.lastRevision, before)
  }

  /// Regression: actions appended after the first pass counted as lines past a gap.
  @Test(arguments: [600, 900, 1 << 20])
  func anIntactLogHasNoGaps(segmentLimitBytes: Int) throws {
    let story = LogStory(durability: .written, segmentLimitBytes: segmentLimitBytes)
    try story.record(5)
    let (report, saved, written, before) = try salvage(story)
    #expect(report.gaps.isEmpty)
    #expect(report.afterGapCount == 0)
    #expect(saved == Array(1...report.lastRevision))
    #expect(report.lastRevision >= before)
    #expect(report.lastRevision < written)
  }

  @Test func aDamagedLogHasOneGap() throws {
    let story = LogStory(durability: .written, segmentLimitBytes: 900)
    try story.record(9)
    let place = try story.reader().record(at: 2).place
    try story.files.flipBit(0, ofByte: place.byteOffset + 90, in: place.path)
    let (report, saved, _, _) = try salvage(story)
    #expect(report.gaps.map(\.lastRevisionBefore) == [1])
    #expect(report.gaps.map(\.firstRevisionAfter) == [3])
    #expect(saved == [1])
  }

  /// A reader sees the first half of a batch, and then all of it.
  @Test func aLineCompletedMeanwhileIsNotAGap() throws {
    let story = LogStory()
    try story.record(3, close: false)
    let whole = try story.bytes()
    try story.change { bytes in bytes.removeLast(20) }
    let door = FaultyFileSystem(story.files) { call in
      // The new log is created after the first pass.
      guard call.operation == .createDirectory else { return }
      do { try story.files.setContents(whole, of: story.segment()) } catch { Issue.record(error) }
    }
    try story.removeHead()
    let report = try LogSalvage.salvage(
      at: LogStory.path, to: "/saved", fileSystem: door, environment: .test())
    #expect(report.gaps.isEmpty && report.afterGapCount == 0)
    #expect(report.lastRevision == 2)
  }

  /// An incomplete line that does not change was torn.
  @Test func aTornLineIsAGap() throws {
    let story = LogStory()
    try story.record(3, close: false)
    try story.removeHead()
    try story.change { bytes in bytes.removeLast(20) }
    let report = try LogSalvage.salvage(
      at: LogStory.path, to: "/saved", fileSystem: story.files, environment: .test())
    #expect(report.gaps.map(\.lastRevisionBefore) == [2])
    #expect(report.gaps.allSatisfy { gap in gap.sizeBytes > 0 })
  }

  /// A writer without space rolls back a batch and writes another one in its place.
  @Test func aBatchRolledBackMeanwhileIsAnError() throws {
    let story = LogStory()
    try story.record(3, close: false)
    try story.removeHead()
    let offsets = try story.lineOffsets()
    let door = FaultyFileSystem(story.files) { call in
      guard call.operation == .createDirectory else { return }
      do {
        try story.change { bytes in bytes.removeLast(bytes.count - offsets[offsets.count - 2]) }
      } catch {
        Issue.record(error)
      }
    }
    let error = #expect(throws: LogError.self) {
      try LogSalvage.salvage(at: LogStory.path, to: "/saved", fileSystem: door, environment: .test())
    }
    #expect(error?.code == .inputOutput)
    #expect(try story.files.status(of: "/saved") == nil)
  }
}
