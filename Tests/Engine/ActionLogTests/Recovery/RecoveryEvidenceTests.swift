internal import ActionLog
import ActionLogMaintenance
internal import ActionLogTesting
internal import Foundation
internal import TestSupport
internal import Testing

/// Evidence of a missing end when every line of the file is valid: `HEAD` and the other segments.
@Suite("Evidence outside the active segment", .timeLimit(.minutes(60)))
struct RecoveryEvidenceTests {
  @Test func anEndThatHeadConfirmsIsDamage() throws {
    let story = LogStory()
    try story.record(5)
    try story.change { bytes in bytes.removeLast(7) }
    try story.expectDamage(after: 5)
  }

  @Test func aFileShorterThanHeadIsDamage() throws {
    let story = LogStory()
    try story.record(5)
    let offsets = try story.lineOffsets()
    try story.change { bytes in bytes.removeLast(bytes.count - offsets[4]) }
    try story.expectDamage(after: 2)
    try story.removeHead()
    #expect(try story.open().opening.lastRevision == 2, "only HEAD could know")
  }

  @Test func aHeadOfALaterSegmentRevealsItIsMissing() throws {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(5)
    let last = try #require(try story.reader().segments.last)
    try story.files.remove(last.path)
    try story.expectDamage(after: last.first - 1)
    try story.removeHead()
    #expect(try story.open().opening.lastRevision == last.first - 1, "only HEAD could know")
  }

  /// Expects that no writer continues a log, because of a line of its last segment.
  private func expectRefused(_ story: LogStory, _ message: String, line: Int, _ comment: Comment) throws {
    let before = try story.files.filePaths.map { path in try story.files.contents(of: path) }
    let error = #expect(throws: LogError.self, comment) { try story.open() }
    #expect(error?.code == .damaged && error?.message.contains(message) == true, "\(comment): \(error?.message ?? "")")
    #expect(error?.line == line, comment)
    #expect(try story.files.filePaths.map { path in try story.files.contents(of: path) } == before, comment)
    // Without the tiles only 'verify --checkpoint' would find it.
    try story.files.remove("/log/proofs/edge")
    try story.open().closeNow()
  }

  @Test func anEndThatTilesCoverIsDamage() throws {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(5)
    _ = try EvidenceStore(log: LogStory.path, fileSystem: story.files).update()
    try story.removeHead()
    let last = try #require(try story.reader().segments.last).first
    let offsets = try story.lineOffsets(last)
    #expect(offsets.count > 4)
    for end in offsets.indices.dropFirst().dropLast() {
      let cut = LogStory(story.files.copy(), segmentLimitBytes: 600)
      try cut.change(last) { bytes in bytes.removeLast(bytes.count - offsets[end]) }
      try expectRefused(
        cut, "the log ends before line \(offsets.count - 1) of the segment", line: end + 1, "after line \(end)")
      // A torn line is not moved to the quarantine either.
      let torn = LogStory(story.files.copy(), segmentLimitBytes: 600)
      try torn.change(last) { bytes in bytes.removeLast(bytes.count - offsets[end] - 5) }
      try expectRefused(torn, "the log ends before line", line: end + 1, "within line \(end)")
    }
    try story.files.remove(story.segment(last))
    let active = try #require(try story.reader().segments.last).first
    let count = try story.files.contents(of: story.segment(active)).count { byte in byte == UInt8(ascii: "\n") }
    try expectRefused(story, "the log ends before line", line: count + 1, "without the last segment")
  }

  @Test func anEndThatTilesDoNotCoverIsNoDamage() throws {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(5)
    let store = EvidenceStore(log: LogStory.path, fileSystem: story.files)
    _ = try store.update()
    let edge = try #require(try store.edge())
    try story.removeHead()
    try story.open().closeNow()
    try story.record(1, from: 6)
    #expect(try store.edge() == edge)
    while try story.reader().segments.last?.first == edge.segment {
      try story.record(1, from: try story.reader().extent().lastRevision + 1)
    }
    try story.removeHead()
    try story.open().closeNow()
  }

  @Test func anotherLineWhereTheTilesEndIsDamage() throws {
    let story = LogStory()
    try story.record(3)
    _ = try EvidenceStore(log: LogStory.path, fileSystem: story.files).update()
    var forged = try ForgedLog(story)
    let last = forged.lines.count - 1
    forged.replace(last, with: [forged.lines[last].changed])
    let changed = try forged.story()
    try changed.files.setContents(story.files.contents(of: "/log/proofs/edge"), of: "/log/proofs/edge")
    try expectRefused(
      changed, "the line is not the one that the tiles in 'proofs' end with", line: last + 1, "another last line")
  }

  @Test func unreadableTilesProveNothing() throws {
    var story = LogStory()
    try story.record(3)
    _ = try EvidenceStore(log: LogStory.path, fileSystem: story.files).update()
    let files = FaultyFileSystem(story.files, faults: [FileFault(.open, pathSuffix: "/proofs/edge")])
    story.door = files
    try story.open().closeNow()
    #expect(files.firedCount == 1)
    files.add(FileFault(.open, errorNumber: EMFILE, pathSuffix: "/proofs/edge"))
    let error = #expect(throws: LogError.self) { try story.open() }
    #expect(error?.code == .inputOutput && files.firedCount == 2)
  }

  @Test func anOlderHeadProvesNothing() throws {
    let story = LogStory()
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    let head = try story.files.contents(of: story.head)
    try writer.appendNow([.numbered(2)])
    writer.abandon()
    try story.files.setContents(head, of: story.head)
    try story.change { bytes in bytes.removeLast(3) }
    try story.expectTorn(after: 1)
  }

  @Test func aSegmentBeforeAnotherIsNeverTorn() throws {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(5)
    try story.removeHead()
    let first = try story.lineOffsets(1)
    let lastRevision = try story.reader().segments[1].first - 1
    // Truncated in the middle of its last line: only the newer segment shows that the line was durable.
    try story.change(1) { bytes in bytes.removeLast(5) }
    try story.expectDamage(after: lastRevision - 1)
    #expect(try story.reader().extent().ending.damage?.line == first.count - 1)
  }

  @Test func readersFindDamageInSealedSegments() throws {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(5)
    try story.flipLine(2)
    let read = try story.read()
    #expect(read.actions.isEmpty)
    #expect(read.ending?.damage?.revision == 1)
    #expect(
      try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).problems.map(\.kind) == [.checksumMismatch])
    // Opening reads only the boundaries.
    #expect(try story.open().opening.lastRevision == 5)
  }

  @Test func aMissingSegmentIsDamage() throws {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(7)
    let segments = try story.reader().segments
    try story.files.remove(segments[1].path)
    try story.expectDamage(after: segments[1].first - 1)
  }

  @Test func aMissingFirstSegmentIsDamage() throws {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(5)
    try story.files.remove(story.segment(1))
    #expect(#expect(throws: LogError.self) { try story.open() }?.code == .damaged)
    #expect(#expect(throws: LogError.self) { try story.reader() }?.code == .damaged)
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict == .damaged)
  }

  @Test func aSegmentUnderAnotherNameIsDamage() throws {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(5)
    let last = try #require(try story.reader().segments.last)
    try story.files.rename(last.path, to: story.segment(last.first + 1))
    try story.removeHead()
    try story.expectDamage(after: last.first - 1)
  }
}

/// A `HEAD` that exists and cannot be read: readers do without the hint, writers do not.
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
        story.files, faults: [FileFault(operation, lasts: true, errorNumber: 5, pathSuffix: "/HEAD")])
    }
    return story
  }

  @Test(arguments: Trouble.allCases)
  func readersContinueWithoutHeadAndReportIt(trouble: Trouble) throws {
    let story = try story(trouble)
    #expect(try story.read().actions == [1, 2, 3])
    #expect(try story.reader().extent().lastRevision == 3)
    let failure = try #require(try story.reader().headFailure())
    #expect(failure.path == story.head)
    #expect(failure.message.hasPrefix("HEAD cannot be read ("), "\(failure)")
    // The new log has its own HEAD, whose path ends alike.
    guard trouble != .status else { return }
    let report = try LogSalvage.salvage(
      at: LogStory.path, to: "/saved", fileSystem: story.door, environment: .test())
    #expect(report.lastRevision == 3)
    #expect(report.gaps.isEmpty)
  }

  @Test func aReadableOrMissingHeadIsNotReported() throws {
    let story = LogStory()
    try story.record(3)
    #expect(try story.reader().headFailure() == nil)
    #expect(try LogReader.open(at: story.segment(), fileSystem: story.files).headFailure() == nil)
    try story.removeHead()
    #expect(try story.reader().headFailure() == nil)
  }

  @Test(arguments: Trouble.allCases)
  func verifyReportsAnUnreadableHead(trouble: Trouble) throws {
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: try story(trouble).door)
    #expect(report.verdict == .damaged)
    #expect(report.problems.map(\.kind) == [.inaccessibleHead])
    #expect(report.problems.map(\.path) == [LogStory.path + "/HEAD"])
    #expect(report.lastRevision == 3)
    #expect(report.warnings.isEmpty)
    #expect(report.isClosed, "all records check")
  }

  /// Without HEAD it is unknown whether durable actions are missing.
  @Test(arguments: Trouble.allCases)
  func anUnreadableHeadRefusesWriters(trouble: Trouble) throws {
    let story = try story(trouble)
    let before = try story.bytes()
    for error in [
      #expect(throws: LogError.self) { try story.open() },
      #expect(throws: LogError.self) { try LogRepair.repair(at: LogStory.path, fileSystem: story.door) },
      #expect(throws: LogError.self) { try LogRepair.repair(at: LogStory.path, fileSystem: story.door, dryRun: true) },
      #expect(throws: LogError.self) { try TailEvidence.gathered(of: LogStory.path, story.door) },
    ] {
      #expect(error?.code == .inputOutput)
      #expect(error?.path == story.head)
      #expect(error?.advice?.description.contains("move it away") == true, "\(String(describing: error))")
    }
    #expect(try story.bytes() == before)
  }

  /// Bytes truncated while HEAD is unreadable are still missing once it is readable.
  @Test func aTornTailIsKeptWhileHeadIsUnreadable() throws {
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

/// A second segment whose lines are valid and follow, and whose header belongs to another log.
@Suite("Boundaries between segments", .timeLimit(.minutes(60)))
struct SegmentBoundaryTests {
  private static let otherLog = "00000000-0000-4000-8000-000000000000"

  /// A log of actions 1 and 2 in one segment and 3 in the next, with an arbitrary header.
  private func story(log: String = RawLog.id, model: String = "counter", first: Int = 3) throws -> LogStory {
    var old = RawLog()
    old.line(revision: 1, data: #"{"_0":1}"#)
    old.line(revision: 2, synced: 1, data: #"{"_0":2}"#)
    let header =
      #"{"format":"actionlog/1","log":"\#(log)","model":"\#(model)","schema":1,"first":\#(first),"epoch":1,"created":"\#(RawLog.time)"}"#
    var new = RawLog(first: 3, prev: old.prev, header: header)
    new.line(revision: 3, synced: 2, data: #"{"_0":3}"#)
    let story = try old.story()
    try story.files.setContents(new.bytes, of: story.segment(3))
    return story
  }

  @Test func aMatchingHeaderContinuesTheLog() throws {
    let story = try story()
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict == .clean)
    #expect(try story.open().opening.lastRevision == 3)
  }

  @Test(arguments: [
    (SegmentBoundaryTests.otherLog, "counter", 3), (RawLog.id, "animals", 3), (RawLog.id, "counter", 4),
  ])
  func aForeignSegmentIsDamage(log: String, model: String, first: Int) throws {
    let story = try story(log: log, model: model, first: first)
    let before = try story.bytes(3)
    let error = #expect(throws: LogError.self) { try story.open() }
    #expect(error?.code == .damaged)
    #expect(error?.path == story.segment(3))
    #expect(error?.line == 1)
    #expect(error?.revision == 3)
    #expect(try story.bytes(3) == before, "nothing is cut")
    #expect(try story.read().actions == [1, 2], "the actions before it are intact")
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict == .damaged)
  }

  @Test func aHeaderThatMatchesOnlyItsNameIsDamage() throws {
    // The name and the header have 3, but the line itself follows no action.
    let header =
      #"{"format":"actionlog/1","log":"\#(RawLog.id)","model":"counter","schema":1,"first":3,"epoch":1,"created":"\#(RawLog.time)"}"#
    let story = try RawLog(first: 1, header: header).story(first: 3)
    #expect(#expect(throws: LogError.self) { try story.open() }?.code == .damaged)
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict == .damaged)
  }
}

/// `HEAD` is overwritten in place, so that a crash can mix the bytes of two.
@Suite("HEAD that was torn", .timeLimit(.minutes(60)))
struct TornHeadTests {
  /// A log of several segments, with `HEAD` after each sync and without repetitions.
  private func story() throws -> (story: LogStory, heads: [[UInt8]]) {
    let story = LogStory(segmentLimitBytes: 900)
    let writer = try story.open()
    var heads: [[UInt8]] = []
    for number in 1...12 {
      try writer.appendNow([.numbered(number)])
      heads.append(try story.files.contents(of: story.head))
    }
    try writer.closeNow()
    heads.append(try story.files.contents(of: story.head))
    return (story, heads)
  }

  /// A `HEAD` as programs write it that know no check.
  private func withoutCheck(_ head: [UInt8]) throws -> [UInt8] {
    let text = String(decoding: head, as: UTF8.self)
    let start = try #require(text.firstMatch(of: /^\{"check":"[0-9a-f]{8}",/)).range.upperBound
    let old = Array(("{" + text[start...]).utf8.dropLast())
    return old + Array(repeating: 0x20, count: head.count - old.count - 1) + [0x0A]
  }

  /// The mixtures of the beginning of one `HEAD` and the end of another one.
  private func mixtures(_ one: [UInt8], _ other: [UInt8]) -> [[UInt8]] {
    (0...one.count).flatMap { end in [one[..<end] + other[end...], other[..<end] + one[end...]].map(Array.init) }
  }

  @Test func aMixtureOfTwoHeadsIsNeither() throws {
    let heads = try story().heads
    #expect(Set(heads.map { head in LogHead(parsing: head)?.segment }).count > 2)
    for (one, other) in zip(heads, heads.dropFirst()) {
      for (old, new) in [(one, other), (try withoutCheck(one), other), (one, try withoutCheck(other))] {
        let both = [try #require(LogHead(parsing: old)), try #require(LogHead(parsing: new))]
        for mixture in mixtures(old, new) {
          guard let head = LogHead(parsing: mixture) else { continue }
          #expect(both.contains(head), "\(String(decoding: mixture, as: UTF8.self))")
        }
      }
    }
  }

  @Test func aTornHeadIsNoEvidence() throws {
    let (story, heads) = try story()
    for mixture in mixtures(heads[0], heads[heads.count - 1]) {
      try story.files.setContents(mixture, of: story.head)
      #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict == .clean)
      #expect(try story.reader().extent().ending.damage == nil)
      let copy = LogStory(story.files.copy())
      let writer = try copy.open()
      #expect(writer.opening.lastRevision == 12)
      try writer.closeNow()
    }
  }

  @Test func aHeadWithoutACheckIsEvidence() throws {
    let story = LogStory()
    try story.record(3)
    let head = try withoutCheck(try story.files.contents(of: story.head))
    try story.files.setContents(head, of: story.head)
    #expect(LogHead(parsing: head)?.revision == 3)
    let offsets = try story.lineOffsets()
    try story.change { bytes in bytes.removeLast(bytes.count - offsets[4]) }
    try story.expectDamage(after: 2)
  }
}
