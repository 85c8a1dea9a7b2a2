import ActionLog
import Testing

/// Each clause of the rule that tells a torn tail from damage, alone: without it, its test would find a torn tail.
@Suite("The recovery rule", .timeLimit(.minutes(60)))
struct RecoveryRuleTests {
  /// Lines longer than a sector, so that a sector can be lost within one.
  private static func long(_ number: Int) -> LogDraft {
    LogDraft(type: "add", data: Array(#"{"_0":\#(number),"_1":"\#(String(repeating: "x", count: 2_000))"}"#.utf8))
  }

  /// A log of five long actions without `HEAD`, of which some are made durable before the next one is encoded.
  private func story(syncedAfter synced: Set<Int>) throws -> LogStory {
    let story = LogStory(durability: .flush)
    let writer = try story.open()
    for number in 1...5 {
      _ = try writer.write([Self.long(number)])
      if synced.contains(number) { try writer.synchronize() }
    }
    writer.abandon()
    try story.removeHead()
    return story
  }

  /// Zeroes a whole sector within a line, the first one being 0.
  private func loseSector(ofLine line: Int, _ story: LogStory) throws {
    let start = try story.lineOffsets()[line]
    let sector = (start + 511) / 512 * 512
    try story.change { bytes in
      for index in sector..<sector + 512 { bytes[index] = 0 }
    }
  }

  private func expectDamage(_ story: LogStory, after lastSeq: Int, sourceLocation: SourceLocation = #_sourceLocation)
    throws
  {
    let before = try story.bytes()
    let error = #expect(throws: LogError.self, sourceLocation: sourceLocation) { try story.open() }
    #expect(error?.code == .damaged, "\(String(describing: error))", sourceLocation: sourceLocation)
    #expect(error?.seq == lastSeq + 1, sourceLocation: sourceLocation)
    #expect(try story.bytes() == before, "nothing is cut", sourceLocation: sourceLocation)
    let extent = try story.reader().extent()
    #expect(extent.lastSeq == lastSeq, sourceLocation: sourceLocation)
    #expect(extent.ending.damage?.seq == lastSeq + 1, sourceLocation: sourceLocation)
    #expect(
      try LogVerifier.verify(LogStory.path, fileSystem: story.files).verdict == .damaged, sourceLocation: sourceLocation
    )
  }

  private func expectTorn(_ story: LogStory, after lastSeq: Int, sourceLocation: SourceLocation = #_sourceLocation)
    throws
  {
    let report = try LogVerifier.verify(LogStory.path, fileSystem: story.files)
    #expect(report.verdict == .torn, sourceLocation: sourceLocation)
    guard case .torn(let bytes, let place) = try story.reader().extent().ending else {
      Issue.record("not torn", sourceLocation: sourceLocation)
      return
    }
    #expect(report.tornBytes == bytes, sourceLocation: sourceLocation)
    let writer = try story.open()
    #expect(writer.opening.recovered?.bytes == bytes, sourceLocation: sourceLocation)
    #expect(writer.opening.lastSeq == lastSeq, sourceLocation: sourceLocation)
    let kept = LogStory.path + "/" + (writer.opening.recovered?.file ?? "")
    #expect(try story.files.contents(of: kept).count == bytes, sourceLocation: sourceLocation)
    try writer.closeNow()
    #expect(try story.bytes()[..<place.byteOffset].last == UInt8(ascii: "\n"), sourceLocation: sourceLocation)
    #expect(
      try LogVerifier.verify(LogStory.path, fileSystem: story.files).verdict == .clean, sourceLocation: sourceLocation)
  }

  @Test func aLostPageOfABatchThatNobodyWasToldOfIsTorn() throws {
    let story = try story(syncedAfter: [])
    try loseSector(ofLine: 4, story)
    try expectTorn(story, after: 2)
  }

  @Test func badLinesUpToTheEndAreTornThoughNoSectorIsLost() throws {
    let story = try story(syncedAfter: [])
    try story.flipLine(5)
    try story.flipLine(6)
    try expectTorn(story, after: 3)
  }

  @Test func aLineBehindItThatChecksIsEvidenceThoughItIsNoRecord() throws {
    var log = RawLog()
    log.line(seq: 1)
    let bad = log.bytes.count
    log.line(seq: 2)
    log.line(body: #"{"seq":3,"time":"never","type":"add","synced":0,"prev":"PREV","data":{}"#)
    log.bytes[bad + 8] ^= 1
    try expectDamage(try log.story(), after: 1)
  }

  @Test func aLaterLineThatSaysItWasDurableMakesItDamage() throws {
    let story = try story(syncedAfter: [1, 2, 3, 4, 5])
    try loseSector(ofLine: 4, story)
    try expectDamage(story, after: 2)
  }

  @Test func itNeedNotBeTheNextLineThatSaysSo() throws {
    // Action 3 is lost. The line of action 4 says only that 2 was durable, that of action 5 that 4 was.
    let story = try story(syncedAfter: [1, 2, 4])
    try loseSector(ofLine: 4, story)
    try expectDamage(story, after: 2)
  }

  @Test func aFlippedBitBeforeGoodLinesIsDamageEvenIfNothingWasDurable() throws {
    let story = try story(syncedAfter: [])
    try story.flipLine(4)
    try expectDamage(story, after: 2)
  }

  @Test(arguments: [1..<512, 1..<1_023])
  func zerosThatAreNoWholeSectorAreDamage(zeros: Range<Int>) throws {
    let story = try story(syncedAfter: [])
    let start = try story.lineOffsets()[4]
    let sector = (start + 511) / 512 * 512
    try story.change { bytes in
      for index in zeros { bytes[sector + index] = 0 }
    }
    try expectDamage(story, after: 2)
  }

  @Test func zerosThatAGoodLineCutsShortAreNoSectorEither() throws {
    let story = try story(syncedAfter: [])
    let end = try story.lineOffsets()[5]
    let sector = end / 512 * 512
    #expect(sector < end)
    try story.change { bytes in
      for index in sector..<end { bytes[index] = 0 }
    }
    try expectDamage(story, after: 2)
  }

  @Test func zerosFromTheFirstBadByteToTheEndOfItsSectorAreALostPage() throws {
    let story = try story(syncedAfter: [])
    let start = try story.lineOffsets()[4]
    #expect(start % 512 != 0)
    try story.change { bytes in
      for index in start..<(start + 511) / 512 * 512 { bytes[index] = 0 }
    }
    try expectTorn(story, after: 2)
  }

  @Test func aWholeLineBehindZerosOnTheSameLineIsEvidenceToo() throws {
    let story = try story(syncedAfter: [1, 2, 3, 4, 5])
    let offsets = try story.lineOffsets()
    // The last but one line is zeros up to its end, line feed included; only the last one can speak.
    try story.change { bytes in
      for index in offsets[5]..<offsets[6] { bytes[index] = 0 }
    }
    try expectDamage(story, after: 3)
  }

  @Test func anEndThatWasCutIsTorn() throws {
    let story = try story(syncedAfter: [1, 2, 3, 4, 5])
    try story.change { bytes in bytes.removeLast(700) }
    try expectTorn(story, after: 4)
  }

  @Test func anEndThatHeadSaysWasDurableIsDamage() throws {
    let story = LogStory()
    try story.record(5)
    try story.change { bytes in bytes.removeLast(7) }
    try expectDamage(story, after: 5)
  }

  @Test func aWholeFileThatIsShorterThanHeadSaysIsDamage() throws {
    let story = LogStory()
    try story.record(5)
    let offsets = try story.lineOffsets()
    try story.change { bytes in bytes.removeLast(bytes.count - offsets[4]) }
    try expectDamage(story, after: 2)
    try story.removeHead()
    #expect(try story.open().opening.lastSeq == 2, "only HEAD could know")
  }

  @Test func aHeadOfALaterSegmentSaysThatItIsMissing() throws {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(5)
    let last = try #require(try story.reader().segments.last)
    try story.files.remove(last.path)
    try expectDamage(story, after: last.first - 1)
    try story.removeHead()
    #expect(try story.open().opening.lastSeq == last.first - 1, "only HEAD could know")
  }

  @Test func anOlderHeadIsNoEvidence() throws {
    let story = LogStory()
    let writer = try story.open()
    try writer.commit([.numbered(1)])
    let head = try story.files.contents(of: story.head)
    try writer.commit([.numbered(2)])
    writer.abandon()
    try story.files.setContents(head, of: story.head)
    try story.change { bytes in bytes.removeLast(3) }
    try expectTorn(story, after: 1)
  }

  @Test func aSegmentThatANewerOneFollowsIsNeverTorn() throws {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(5)
    try story.removeHead()
    let first = try story.lineOffsets(1)
    let lastSeq = try story.reader().segments[1].first - 1
    // Cut in the middle of its last line: nothing but the newer segment says that it was durable.
    try story.change(1) { bytes in bytes.removeLast(5) }
    try expectDamage(story, after: lastSeq - 1)
    #expect(try story.reader().extent().ending.damage?.line == first.count - 1)
  }

  @Test func damageInsideASealedSegmentIsFoundByWhoeverReadsIt() throws {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(5)
    try story.flipLine(2)
    let read = try story.read()
    #expect(read.actions.isEmpty)
    #expect(read.ending?.damage?.seq == 1)
    #expect(try LogVerifier.verify(LogStory.path, fileSystem: story.files).problems.map(\.kind) == [.checksumMismatch])
    // Opening looks at the seams only.
    #expect(try story.open().opening.lastSeq == 5)
  }

  @Test func aMissingSegmentIsDamage() throws {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(7)
    let segments = try story.reader().segments
    try story.files.remove(segments[1].path)
    try expectDamage(story, after: segments[1].first - 1)
  }

  @Test func aMissingFirstSegmentIsDamage() throws {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(5)
    try story.files.remove(story.segment(1))
    #expect(#expect(throws: LogError.self) { try story.open() }?.code == .damaged)
    #expect(#expect(throws: LogError.self) { try story.reader() }?.code == .damaged)
    #expect(try LogVerifier.verify(LogStory.path, fileSystem: story.files).verdict == .damaged)
  }

  @Test func aSegmentUnderAnotherNameIsDamage() throws {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(5)
    let last = try #require(try story.reader().segments.last)
    try story.files.rename(last.path, to: story.segment(last.first + 1))
    try story.removeHead()
    try expectDamage(story, after: last.first - 1)
  }

  @Test(
    arguments: [
      (2, 0, nil), (3, 0, nil), (1, 1, nil), (1, 0, UInt32(0)),
    ] as [(Int, Int, UInt32?)])
  func aWholeLineThatDoesNotFollowIsAlwaysDamage(seq: Int, synced: Int, prev: UInt32?) throws {
    var log = RawLog()
    if seq == 2 && synced == 0 { log.line(seq: 0, type: "@open", data: #"{"epoch":1,"schema":1}"#) }
    log.line(seq: seq, synced: synced, prev: prev)
    try expectDamage(try log.story(), after: 0)
  }

  @Test func aSyncedThatFallsIsDamage() throws {
    var log = RawLog()
    log.line(seq: 1, synced: 0)
    log.line(seq: 2, synced: 1)
    log.line(seq: 3, synced: 0)
    try expectDamage(try log.story(), after: 2)
  }

  @Test func aLineThatWasSwappedWithItsNeighbourIsDamage() throws {
    let story = LogStory()
    try story.record(4)
    try story.removeHead()
    let offsets = try story.lineOffsets()
    try story.change { bytes in
      let (third, fourth) = (Array(bytes[offsets[3]..<offsets[4]]), Array(bytes[offsets[4]..<offsets[5]]))
      bytes.replaceSubrange(offsets[3]..<offsets[5], with: fourth + third)
    }
    try expectDamage(story, after: 1)
  }

  @Test(arguments: [0, 10, 150])
  func aSegmentWithoutItsFirstLineIsDamage(length: Int) throws {
    let story = LogStory()
    try story.record(1)
    try story.removeHead()
    try story.change { bytes in bytes.removeLast(bytes.count - length) }
    #expect(#expect(throws: LogError.self) { try story.open() }?.code == .damaged)
    #expect(throws: LogError.self) { try story.reader() }
    #expect(try LogVerifier.verify(LogStory.path, fileSystem: story.files).verdict == .damaged)
  }

  @Test func aSecondSegmentLineIsDamage() throws {
    var log = RawLog()
    log.line(
      seq: 0, type: "@segment",
      data:
        #"{"format":"actionlog/1","log":"\#(RawLog.id)","model":"counter","schema":1,"first":1,"epoch":1,"created":"\#(RawLog.time)"}"#
    )
    try expectDamage(try log.story(), after: 0)
  }

  @Test func theErrorSaysWhatWhereWhatIsGoodAndWhatToDo() throws {
    let story = LogStory()
    try story.record(60)
    let offset = try story.lineOffsets()[48]
    try story.flipLine(48)
    let error = #expect(throws: LogError.self) { try story.open() }
    #expect(
      error?.description
        == "checksum mismatch: /log/0000000000000001.jsonl:49, seq 47, byte \(offset). Actions 1…46 are intact. "
        + "Run 'action-log verify' for the full report.")
    let read = try story.read(from: 40)
    #expect(read.actions == Array(40...46))
    #expect(read.ending?.damage?.description == error?.description, "the line is counted although it was not read past")
  }
}
