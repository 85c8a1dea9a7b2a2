import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Platform
import TestSupport
import Testing

/// Logs that are made of pruned ones begin with the same base.
@Suite("Salvaging pruned logs", .timeLimit(.minutes(60)))
struct PrunedSalvageTests {
  private static let target = "/saved"
  private static let newID = "00000000-0000-4000-8000-000000000001"

  /// A pruned log of 20 actions, with damage at one of them.
  private func damaged(at revision: Int) throws -> PrunedStory {
    let pruned = try PrunedStory(20)
    let place = try pruned.story.reader().record(at: revision).place
    try pruned.story.files.flipBit(0, ofByte: place.byteOffset + 90, in: place.path)
    return pruned
  }

  private func salvage(
    _ pruned: PrunedStory, fileSystem: (any LogFileSystem)? = nil
  ) throws(LogError) -> SalvageReport {
    var environment = LogEnvironment.test()
    environment.makeLogID = { Self.newID }
    return try LogSalvage.salvage(
      at: LogStory.path, to: Self.target, fileSystem: fileSystem ?? pruned.story.files,
      environment: environment)
  }

  private func actions(_ files: MemoryFileSystem) throws -> [Int] {
    var records = try LogReader.open(at: Self.target, fileSystem: files).records()
    var actions: [Int] = []
    while let record = try records.next() { if !record.isControl { actions.append(record.number) } }
    return actions
  }

  private func expectClean(_ files: MemoryFileSystem, _ comment: Comment? = nil) throws {
    let report = try LogVerifier.verify(at: Self.target, fileSystem: files)
    #expect(report.verdict == .clean, "\(report.problems)")
    // The clock of a later writer is behind that of the log.
    let warnings = report.warnings.filter { warning in warning.kind != .clockWentBack }
    #expect(warnings.isEmpty, "\(warnings)")
  }

  @Test func theNewLogBeginsWithTheSameBase() throws {
    let pruned = try damaged(at: 17)
    let first = pruned.base.revision
    let sixteenth = try pruned.story.reader().record(at: 16)
    let report = try salvage(pruned)
    #expect((report.firstRevision, report.lastRevision) == (first, 16))
    #expect(report.actionCount == 16 - first)
    #expect(report.afterGapCount > 0)
    try expectClean(pruned.story.files)
    let reader = try LogReader.open(at: Self.target, fileSystem: pruned.story.files)
    var expected = pruned.base
    expected.log = Self.newID
    #expect(reader.base == expected)
    #expect(reader.header.parent == LogHeader.Parent(log: RawLog.id, revision: 16, crc: sixteenth.crc))
    #expect(try actions(pruned.story.files) == Array(first + 1...16))
    #expect(try reader.record(at: 16).time == sixteenth.time)
    let error = #expect(throws: LogError.self) { try reader.record(at: 1) }
    #expect(error?.code == .pruned)
    #expect(error?.advice == "The log was made from another one, which begins there.")
  }

  @Test func onlyRevisionsFromTheBaseOnAreInBothLogs() throws {
    let pruned = try damaged(at: 17)
    let first = pruned.base.revision
    let report = try salvage(pruned)
    #expect(report.revisions == first...16)
    #expect(try actions(pruned.story.files) == Array(first + 1...16))
    try expectClean(pruned.story.files)
  }

  @Test func aLostFirstLineLeavesTheBase() throws {
    let pruned = try PrunedStory(20)
    let first = pruned.base.revision
    try pruned.story.flipLine(0, of: pruned.base.first)
    let report = try salvage(pruned)
    #expect((report.firstRevision, report.lastRevision) == (first, first))
    #expect(try actions(pruned.story.files) == [] && report.afterGapCount >= 20 - first)
    try expectClean(pruned.story.files)
    let reader = try LogReader.open(at: Self.target, fileSystem: pruned.story.files)
    #expect(reader.header.parent == LogHeader.Parent(log: RawLog.id, revision: first, crc: pruned.base.checksum))
  }

  @Test func aLostFirstSegmentLeavesTheBase() throws {
    let pruned = try PrunedStory(20)
    let second = try pruned.story.reader().segments[1].first
    try pruned.story.files.remove(pruned.story.segment(pruned.base.first))
    let report = try salvage(pruned)
    #expect((report.firstRevision, report.lastRevision) == (pruned.base.revision, pruned.base.revision))
    #expect(try actions(pruned.story.files) == [] && report.afterGapCount > 20 - second)
    try expectClean(pruned.story.files)
  }

  @Test func aDamagedBaseIsReported() throws {
    let pruned = try damaged(at: 17)
    try pruned.story.files.flipBit(0, ofByte: 20, in: PrunedStory.path)
    let error = #expect(throws: LogError.self) { try salvage(pruned) }
    #expect(error?.code == .damaged)
    #expect(error?.path == PrunedStory.path)
    #expect(try pruned.story.files.status(of: Self.target) == nil)
  }

  @Test func theNewLogIsWrittenAndPrunedAgain() throws {
    let pruned = try damaged(at: 17)
    _ = try salvage(pruned)
    let configuration = LogConfiguration(segmentLimitBytes: 600, environment: .test())
    let writer = try LogWriter.open(
      at: Self.target, model: "counter", schema: 1, fileSystem: pruned.story.files, configuration: configuration)
    #expect(writer.opening.lastRevision == 16)
    #expect(!writer.opening.isNew)
    for number in 17...24 { try writer.appendNow([.numbered(number)]) }
    try writer.closeNow()
    try expectClean(pruned.story.files)
    // Its tree leads on from the lines before the base.
    let tree = try EvidenceStore(log: Self.target, fileSystem: pruned.story.files).update()
    #expect(tree.size > pruned.base.lineCount)
    let pruning = try LogPruning(at: Self.target, before: 20, fileSystem: pruned.story.files)
    _ = try pruning.run(reason: "again", actor: nil, archive: nil, environment: .test()) { _ in
      let bytes = Array(#"{"value":1}"#.utf8)
      return LogPruning.State(
        bytes: bytes, digest: SHA256.hexadecimal(bytes), model: "counter", schema: 1, reducer: "test")
    }
    #expect(pruning.firstRevision > pruned.base.revision)
    #expect(try actions(pruned.story.files) == Array(pruning.firstRevision + 1...24))
    try expectClean(pruned.story.files)
  }

  /// Whatever call fails, the new log is complete or missing, and the next attempt succeeds.
  @Test func aFailedCallLeavesNoPartialLog() throws {
    var number = 0
    var hasFailed = true
    let prepared = try damaged(at: 17)
    while hasFailed {
      number += 1
      var pruned = prepared
      pruned.story = LogStory(prepared.story.files.copy())
      let door = FaultyFileSystem(pruned.story.files, faults: [FileFault(number: number)])
      var isDone = false
      do throws(LogError) {
        _ = try salvage(pruned, fileSystem: door)
        isDone = true
      } catch {}
      hasFailed = door.firedCount > 0
      let comment: Comment = "call \(number): \(door.calls.last?.description ?? "")"
      if try pruned.story.files.status(of: Self.target) == nil {
        #expect(!isDone, comment)
        _ = try salvage(pruned)
      }
      #expect(try LogReader.open(at: Self.target, fileSystem: pruned.story.files).base?.first == pruned.base.first)
      try expectClean(pruned.story.files, comment)
    }
    #expect(number > 40)
  }
}
