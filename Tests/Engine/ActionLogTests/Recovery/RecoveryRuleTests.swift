internal import ActionLog
import ActionLogMaintenance
internal import ActionLogTesting
internal import TestSupport
internal import Testing

/// Each clause of the recovery rule by itself: without the clause, its test would find a torn tail.
@Suite("The recovery rule", .timeLimit(.minutes(60)))
struct RecoveryRuleTests {
  /// Lines longer than a sector, so that a line can lose one.
  private static func long(_ number: Int) -> LogDraft {
    LogDraft(type: "add", data: Array(#"{"_0":\#(number),"_1":"\#(String(repeating: "x", count: 2_000))"}"#.utf8))
  }

  /// A log of five long actions without `HEAD`. Some are made durable before the next one is encoded.
  private func story(syncedAfter synced: Set<Int>) throws -> LogStory {
    let story = LogStory(durability: .written)
    let writer = try story.open()
    for number in 1...5 {
      _ = try writer.writeNow([Self.long(number)])
      if synced.contains(number) { try writer.syncNow() }
    }
    writer.abandon()
    try story.removeHead()
    return story
  }

  /// Zeroes a complete sector inside a line. The first line is 0.
  private func loseSector(ofLine line: Int, _ story: LogStory) throws {
    let start = try story.lineOffsets()[line]
    let sector = (start + 511) / 512 * 512
    try story.change { bytes in
      for index in sector..<sector + 512 { bytes[index] = 0 }
    }
  }

  @Test func aLostPageOfAnUnacknowledgedBatchIsTorn() throws {
    let story = try story(syncedAfter: [])
    try loseSector(ofLine: 4, story)
    try story.expectTorn(after: 2)
  }

  @Test func badLinesUpToTheEndAreTorn() throws {
    let story = try story(syncedAfter: [])
    try story.flipLine(5)
    try story.flipLine(6)
    try story.expectTorn(after: 3)
  }

  @Test func aValidLineThatIsNoRecordIsEvidence() throws {
    var log = RawLog()
    log.line(revision: 1)
    let bad = log.bytes.count
    log.line(revision: 2)
    log.line(body: #"{"seq":3,"time":"never","type":"add","synced":0,"prev":"PREV","data":{}"#)
    log.bytes[bad + 8] ^= 1
    try log.story().expectDamage(after: 1)
  }

  @Test func aLaterSyncedMakesItDamage() throws {
    let story = try story(syncedAfter: [1, 2, 3, 4, 5])
    try loseSector(ofLine: 4, story)
    try story.expectDamage(after: 2)
  }

  @Test func anyLaterSyncedMakesItDamage() throws {
    // Action 3 is lost. The line of action 4 records 2 as durable, that of action 5 records 4.
    let story = try story(syncedAfter: [1, 2, 4])
    try loseSector(ofLine: 4, story)
    try story.expectDamage(after: 2)
  }

  @Test func aFlippedBitBeforeGoodLinesIsDamage() throws {
    let story = try story(syncedAfter: [])
    try story.flipLine(4)
    try story.expectDamage(after: 2)
  }

  @Test(arguments: [1..<512, 1..<1_023])
  func zerosShorterThanASectorAreDamage(zeros: Range<Int>) throws {
    let story = try story(syncedAfter: [])
    let start = try story.lineOffsets()[4]
    let sector = (start + 511) / 512 * 512
    try story.change { bytes in
      for index in zeros { bytes[sector + index] = 0 }
    }
    try story.expectDamage(after: 2)
  }

  @Test func zerosEndedByAGoodLineAreNoSector() throws {
    let story = try story(syncedAfter: [])
    let end = try story.lineOffsets()[5]
    let sector = end / 512 * 512
    #expect(sector < end)
    try story.change { bytes in
      for index in sector..<end { bytes[index] = 0 }
    }
    try story.expectDamage(after: 2)
  }

  @Test func zerosToTheEndOfTheSectorAreALostPage() throws {
    let story = try story(syncedAfter: [])
    let start = try story.lineOffsets()[4]
    #expect(start % 512 != 0)
    try story.change { bytes in
      for index in start..<(start + 511) / 512 * 512 { bytes[index] = 0 }
    }
    try story.expectTorn(after: 2)
  }

  @Test func aCompleteLineAfterZerosIsEvidence() throws {
    let story = try story(syncedAfter: [1, 2, 3, 4, 5])
    let offsets = try story.lineOffsets()
    // The second last line is zeros up to its end, including the line feed; only the last line is evidence.
    try story.change { bytes in
      for index in offsets[5]..<offsets[6] { bytes[index] = 0 }
    }
    try story.expectDamage(after: 3)
  }

  @Test func aTruncatedEndIsTorn() throws {
    let story = try story(syncedAfter: [1, 2, 3, 4, 5])
    try story.change { bytes in bytes.removeLast(700) }
    try story.expectTorn(after: 4)
  }

  @Test(
    arguments: [
      (2, 0, nil), (3, 0, nil), (1, 1, nil), (1, 0, UInt32(0)),
    ] as [(Int, Int, UInt32?)])
  func aCompleteLineThatDoesNotFollowIsDamage(revision: Int, synced: Int, prev: UInt32?) throws {
    var log = RawLog()
    if revision == 2 && synced == 0 { log.line(revision: 0, type: "@open", data: #"{"epoch":1,"schema":1}"#) }
    log.line(revision: revision, synced: synced, prev: prev)
    try log.story().expectDamage(after: 0)
  }

  @Test func aSyncedThatFallsIsDamage() throws {
    var log = RawLog()
    log.line(revision: 1, synced: 0)
    log.line(revision: 2, synced: 1)
    log.line(revision: 3, synced: 0)
    try log.story().expectDamage(after: 2)
  }

  @Test func swappedLinesAreDamage() throws {
    let story = LogStory()
    try story.record(4)
    try story.removeHead()
    let offsets = try story.lineOffsets()
    try story.change { bytes in
      let (third, fourth) = (Array(bytes[offsets[3]..<offsets[4]]), Array(bytes[offsets[4]..<offsets[5]]))
      bytes.replaceSubrange(offsets[3]..<offsets[5], with: fourth + third)
    }
    try story.expectDamage(after: 1)
  }

  @Test(arguments: [0, 10, 150])
  func aSegmentWithoutItsFirstLineIsDamage(length: Int) throws {
    let story = LogStory()
    try story.record(1)
    try story.removeHead()
    try story.change { bytes in bytes.removeLast(bytes.count - length) }
    #expect(#expect(throws: LogError.self) { try story.open() }?.code == .damaged)
    #expect(throws: LogError.self) { try story.reader() }
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict == .damaged)
  }

  @Test func aSecondSegmentLineIsDamage() throws {
    var log = RawLog()
    log.line(
      revision: 0, type: "@segment",
      data:
        #"{"format":"actionlog/1","log":"\#(RawLog.id)","model":"counter","schema":1,"first":1,"epoch":1,"created":"\#(RawLog.time)"}"#
    )
    try log.story().expectDamage(after: 0)
  }

  @Test func theErrorHasLocationAndAdvice() throws {
    let story = LogStory()
    try story.record(60)
    let offset = try story.lineOffsets()[48]
    try story.flipLine(48)
    let error = #expect(throws: LogError.self) { try story.open() }
    #expect(
      error?.description
        == "checksum mismatch: /log/0000000000000001.jsonl:49, seq 47, byte \(offset). Actions 1…46 are intact. "
        + "Run 'verify' for the full report.")
    let read = try story.read(from: 40)
    #expect(read.actions == Array(40...46))
    #expect(
      read.ending?.damage?.description
        == error?.description.replacing(
          "Actions 1…46 are intact.", with: "Actions 40…46 are intact; those before were not read."),
      "the line is counted although it was not read past")
  }
}

/// Damage that only later lines reveal: `HEAD` is missing, as in a copy of the segments.
@Suite("Evidence of later lines", .timeLimit(.minutes(60)))
struct LaterLineTests {
  /// Five actions, each in its own batch, a `@close` that records them as durable, and no `HEAD`.
  private func story() throws -> LogStory {
    let story = LogStory()
    try story.record(5)
    try story.removeHead()
    return story
  }

  @Test func everyFlippedBitBeforeTheLastLineIsFound() throws {
    let story = try story()
    let bytes = try story.bytes()
    let lastLine = try #require(try story.lineOffsets().dropLast().last)
    for index in 0..<lastLine {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << bit
        try story.files.setContents(damaged, of: story.segment(1))
        let error = #expect(throws: LogError.self, "byte \(index), bit \(bit)") { try story.open() }
        guard error?.code == .damaged || error?.code == .unsupportedFormat || error?.code == .wrongModel else {
          Issue.record("byte \(index), bit \(bit): \(String(describing: error))")
          return
        }
        #expect(try story.bytes() == damaged, "nothing is cut")
      }
    }
  }

  /// No checksum covers the line feed: without it, two lines become one invalid line.
  @Test(arguments: 1...4) func aDamagedLineFeedHidesNoLine(count: Int) throws {
    let story = try story()
    let offsets = try story.lineOffsets().dropLast()
    try story.change { bytes in
      for offset in offsets.suffix(count) { bytes[offset - 1] = UInt8(ascii: "x") }
    }
    try story.expectDamage(after: 5 - count)
  }

  /// A commit mark inside the values of an action is not the end of a line.
  @Test func aMarkInsideAValueIsNotALine() throws {
    let story = LogStory()
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    let head = try story.files.contents(of: story.head)
    let text = #"{"a":{"crc":"00000000"},"b":[{"x":1,"crc":"00000000"},{"seq":1}]}"#
    _ = try writer.writeNow([LogDraft(type: "t", data: Array(text.utf8))])
    writer.abandon()
    try story.files.setContents(head, of: story.head)
    try story.change { bytes in bytes[bytes.count - 5] ^= 1 }
    try story.expectTorn(after: 1)
  }
}

@Suite("Evidence at the end of a segment", .timeLimit(.minutes(60)))
struct TailEvidenceTests {
  /// A batch torn by a crash, with a complete line after a lost page.
  private var torn: TailEvidence {
    var evidence = TailEvidence(segment: 1, sizeBytes: 9_000, goodBytes: 5_000, lastRevision: 46)
    evidence.highestSyncedBeyond = 46
    evidence.nextCompleteLine = 8_500
    evidence.hasZeroedSector = true
    evidence.head = LogHead(revision: 46, segment: 1, bytes: 5_000, crc: 0)
    return evidence
  }

  private func verdict(_ change: (inout TailEvidence) -> Void) -> TailVerdict {
    var evidence = torn
    change(&evidence)
    return evidence.verdict()
  }

  @Test func aCrashExplainsIt() {
    #expect(torn.verdict() == .torn)
    #expect(verdict { evidence in evidence.head = nil } == .torn)
    #expect(verdict { evidence in evidence.head?.bytes = 4_999 } == .torn)
  }

  @Test func eachClauseAloneMakesItDamage() {
    #expect(verdict { $0.hasHeader = false } == .damaged(.noHeader))
    #expect(verdict { $0.breaksChain = true } == .damaged(.brokenChain))
    #expect(verdict { $0.highestSyncedBeyond = 47 } == .damaged(.laterLineSynced))
    #expect(verdict { $0.head?.segment = 2 } == .damaged(.headNamesLaterSegment))
    #expect(verdict { $0.head?.bytes = 5_001 } == .damaged(.headNamesMoreBytes))
    #expect(verdict { $0.hasNewerSegment = true } == .damaged(.newerSegment))
    #expect(verdict { $0.hasZeroedSector = false } == .damaged(.noLostSector))
    let limit = LogFormat.tornLimitBytes
    #expect(verdict { $0.sizeBytes = 5_000 + limit } == .torn)
    #expect(verdict { $0.sizeBytes = 5_001 + limit } == .damaged(.tailTooLong(sizeBytes: limit + 1)))
  }

  @Test func badBytesUpToTheEndNeedNoLostSector() {
    #expect(
      verdict {
        $0.hasZeroedSector = false
        $0.nextCompleteLine = nil
      } == .torn)
  }

  @Test func aHeadOfAnEarlierSegmentProvesNothing() {
    #expect(
      verdict {
        $0.segment = 100
        $0.head?.bytes = 50_000
      } == .torn)
  }

  @Test func aCompleteFileIsCleanUnlessHeadHasMore() {
    #expect(verdict { $0.sizeBytes = 5_000 } == .clean)
    #expect(
      verdict {
        $0.sizeBytes = 5_000
        $0.hasNewerSegment = true
      } == .clean)
    #expect(
      verdict {
        $0.sizeBytes = 5_000
        $0.head?.bytes = 5_001
      } == .damaged(.headNamesMoreBytes))
    #expect(
      verdict {
        $0.sizeBytes = 5_000
        $0.head?.segment = 2
      } == .damaged(.headNamesLaterSegment))
  }
}
