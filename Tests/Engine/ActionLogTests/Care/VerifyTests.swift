import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Testing

@Suite("Verifying", .timeLimit(.minutes(60)))
struct VerifyTests {
  private func verify(_ story: LogStory) throws -> LogReport {
    try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
  }

  @Test func anIntactLogIsCleanAndCounted() throws {
    let story = LogStory(segmentLimitBytes: 900)
    try story.record(10)
    let report = try verify(story)
    #expect(report.verdict == .clean)
    #expect(report.problems.isEmpty)
    #expect(report.warnings.isEmpty)
    #expect(report.lastRevision == 10)
    #expect(report.actionCount == 10)
    #expect(report.isClosed)
    let segments = try story.reader().segments
    #expect(report.segments.map(\.first) == segments.map(\.first))
    #expect(report.segments.map(\.sizeBytes) == segments.map(\.sizeBytes))
    #expect(report.recordCount == 10 + segments.count + 2)
    #expect(report.header == (try story.reader().header))
  }

  @Test func segmentsHaveTheEndsOfTheirChains() throws {
    let story = LogStory(segmentLimitBytes: 900)
    try story.record(10)
    let segments = try verify(story).segments
    var (checksum, revision) = (UInt32(0), 0)
    for segment in segments {
      let ends = try #require(segment.ends)
      #expect(ends.previousChecksum == checksum && ends.first == revision + 1 && ends.first == segment.first)
      #expect(ends.schema == 1 && ends.epoch == 1)
      (checksum, revision) = (ends.lastChecksum, ends.lastRevision)
      // A process that verifies one segment reports the same.
      let alone = try LogVerifier.verify(at: segment.path, fileSystem: story.files)
      #expect(alone.segments.map(\.ends) == [ends])
    }
    #expect(segments.count > 1 && revision == 10)
    var last: LogRecord?
    var records = try story.reader().records(from: 0)
    while let record = try records.next() { last = record }
    #expect(last?.crc == checksum && segments.last?.ends?.syncedRevision == last?.synced)
  }

  @Test func endsOfATornSegmentAreThoseOfItsValidLines() throws {
    let story = LogStory()
    try story.record(3, close: false)
    let whole = try #require(try verify(story).segments.first?.ends)
    try story.change { bytes in bytes += Array("{\"seq\":4,".utf8) }
    let report = try verify(story)
    #expect(report.verdict == .torn && report.segments.first?.ends == whole)
    try story.change { bytes in bytes[0] = 1 }
    #expect(try verify(story).segments.first?.ends == nil)
  }

  @Test(arguments: [true, false])
  func everyFlippedBitIsFound(hasHead: Bool) throws {
    let story = LogStory()
    try story.record(2)
    if !hasHead { try story.removeHead() }
    let whole = try story.bytes()
    for offset in whole.indices {
      for bit in 0..<8 {
        var bytes = whole
        bytes[offset] ^= 1 << bit
        try story.files.setContents(bytes, of: story.segment())
        let verdict = try? verify(story).verdict
        if verdict == .clean || (hasHead && verdict == .torn) {
          Issue.record("bit \(bit) of byte \(offset) is not found: \(String(describing: verdict))")
        }
      }
    }
  }

  @Test func aFlippedBitInHeadIsAWarning() throws {
    let story = LogStory()
    try story.record(2)
    let head = try story.files.contents(of: story.head)
    for offset in head.indices {
      for bit in 0..<8 {
        var bytes = head
        bytes[offset] ^= 1 << bit
        try story.files.setContents(bytes, of: story.head)
        let report = try verify(story)
        #expect(report.verdict == .damaged || !report.warnings.isEmpty, "bit \(bit) of byte \(offset)")
        #expect(try story.read().actions == [1, 2])
      }
    }
  }

  @Test func schemasAreListedWithTheirRevisions() throws {
    let story = LogStory()
    try story.record(3)
    for schema in 2...3 {
      let writer = try story.open(schema: schema)
      // Schema 2 is replaced before a record uses it.
      if schema == 3 { try writer.appendNow([.numbered(4), .numbered(5)]) }
      try writer.closeNow()
    }
    let report = try verify(story)
    #expect(report.schemas.map(\.schema) == [1, 3])
    #expect(report.schemas.map(\.revisions) == [1...3, 4...5])
    let segment = try LogVerifier.verify(at: story.segment(4), fileSystem: story.files)
    #expect(segment.schemas.map(\.schema) == [3] && segment.schemas.map(\.revisions) == [4...5])
  }

  @Test func repeatedRevisionsBeginASchemaRange() throws {
    let story = LogStory()
    try story.record(3)
    let offsets = try story.lineOffsets()
    try story.change { bytes in bytes += Array(bytes[offsets[1]...]) }
    let report = try verify(story)
    #expect(report.problems.map(\.kind) == [.wrongPrevious])
    #expect(report.actionCount == 6)
    #expect(report.schemas.map(\.revisions) == [1...3, 1...3])
  }

  @Test func everyDamageIsListedWithItsLocation() throws {
    let story = LogStory()
    try story.record(8)
    let offsets = try story.lineOffsets()
    try story.flipLine(3)
    try story.flipLine(6)
    let report = try verify(story)
    #expect(report.verdict == .damaged)
    #expect(report.lastRevision == 1)
    #expect(report.problems.map(\.kind) == [.checksumMismatch, .checksumMismatch])
    #expect(report.problems.map(\.line) == [4, 7])
    #expect(report.problems.map(\.byteOffset) == [offsets[3], offsets[6]])
    #expect(report.problems[0].revision == 2)
    #expect(report.actionCount == 6)
    #expect(!report.isClosed)
  }

  @Test func missingLinesAreListedOnce() throws {
    let story = LogStory()
    try story.record(8)
    let offsets = try story.lineOffsets()
    try story.change { bytes in bytes.removeSubrange(offsets[3]..<offsets[5]) }
    let report = try verify(story)
    #expect(report.problems.map(\.kind) == [.wrongPrevious])
    #expect(report.problems[0].message.hasPrefix("actions 2…3 are missing: "), "\(report.problems)")
    #expect(report.lastRevision == 1)
  }

  /// The header of a segment has the revision of the last action before it.
  @Test func missingSegmentsAreNamedByTheirActions() throws {
    let story = LogStory(segmentLimitBytes: 700)
    try story.record(20)
    let segments = try story.reader().segments
    try #require(segments.count > 3)
    try story.files.remove(segments[1].path)
    let problem = try #require(try verify(story).problems.first)
    let missing = "actions \(segments[1].first)…\(segments[2].first - 1) are missing: the line does not follow "
    #expect(problem.kind == .wrongPrevious && problem.message.hasPrefix(missing), "\(problem)")
    // The report says what is missing before the first one.
    try story.files.remove(segments[0].path)
    let first = try #require(try verify(story).problems.first)
    #expect(first.message.contains(": the segments before this one are missing"), "\(first)")
    #expect(!first.message.contains("are missing: ") && !first.message.contains("action"), "\(first)")
  }

  @Test func aFileOfNoiseHasALimitedNumberOfProblems() throws {
    let story = LogStory()
    try story.record(1)
    try story.change { bytes in bytes += [UInt8](repeating: UInt8(ascii: "\n"), count: 3_000) }
    let report = try verify(story)
    #expect(report.verdict != .clean)
    try story.change { bytes in bytes += Array(#"{"seq":1}"#.utf8) }
    #expect(try verify(story).problems.count <= LogReport.problemLimit)
  }

  @Test(arguments: [
    (["1", "2"], nil),
    ([#""x""#, "null", #"{"cause":9}"#], nil),
    (["2"], "its cause, 2, is not an earlier action"),
    (["3", "0", "1"], "its cause, 3, is not an earlier action; 2 actions have such a cause, this is the first"),
    (["-1"], "its cause, -1, is not an earlier action"),
    (["9007199254740991"], "its cause, 9007199254740991, is not an earlier action"),
  ])
  func danglingCausesAreAWarning(causes: [String], message: String?) throws {
    let story = LogStory()
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    for cause in causes {
      try writer.appendNow([
        LogDraft(type: "add", data: Array("{}".utf8), meta: Array(#"{"actor":"\"cause\"","cause":\#(cause)}"#.utf8))
      ])
    }
    try writer.closeNow()
    let report = try verify(story)
    #expect(report.verdict == .clean && report.problems.isEmpty)
    #expect(report.warnings.map(\.kind) == (message == nil ? [] : [.danglingCause]))
    #expect(report.warnings.first?.message == message)
    // @segment, @open and the first action precede it.
    #expect(report.warnings.first?.line == (message == nil ? nil : 4))
    #expect(report.warnings.first?.revision == (message == nil ? nil : 2))
  }

  @Test func aClockThatGoesBackIsAWarning() throws {
    let story = LogStory()
    let writer = try story.open()
    for time in [5, 3, 4, 2] as [Int64] {
      try writer.appendNow([.numbered(1, time: LogEnvironment.testStart.advanced(by: .seconds(time)))])
    }
    try writer.closeNow()
    let report = try verify(story)
    #expect(report.verdict == .clean)
    #expect(report.warnings.map(\.kind) == [.clockWentBack])
    // From 5 to 3, and from 4 to 2. `@close`, which the writer's own clock dates even earlier, does not count.
    #expect(report.warnings[0].message == "the clock went back 2 times, first here")
    #expect(report.warnings[0].revision == 2)
  }

  @Test func unknownControlRecordsAreAWarning() throws {
    var log = RawLog()
    log.line(revision: 0, type: "@future", data: #"{"a":1}"#)
    log.line(revision: 1)
    log.line(revision: 1, type: "@future", synced: 1)
    log.line(revision: 1, type: "@distant", synced: 1)
    let story = try log.story()
    let report = try verify(story)
    #expect(report.verdict == .clean)
    // One for each type, in their order.
    #expect(report.warnings.map(\.kind) == [.unknownControlRecord, .unknownControlRecord, .missingHead])
    #expect(
      report.warnings.prefix(2).map(\.message) == [
        "unknown control record '@distant'", "unknown control record '@future'",
      ])
    #expect(try story.open().opening.lastRevision == 1)
  }

  @Test func aMissingOrMalformedHeadIsAWarning() throws {
    let story = LogStory()
    try story.record(2)
    try story.files.setContents(Array("garbage".utf8), of: story.head)
    #expect(try verify(story).warnings.map(\.kind) == [.unreadableHead])
    let lines = try story.lineOffsets()
    try story.files.setContents(
      LogHead(revision: 1, segment: 1, bytes: lines[3], crc: 0xdead_beef).encoded(), of: story.head)
    #expect(try verify(story).warnings.map(\.kind) == [.headDisagrees])
    try story.removeHead()
    #expect(try verify(story).warnings.map(\.kind) == [.missingHead])
    #expect(try verify(story).verdict == .clean)
  }

  @Test func unfinishedSegmentsAreAWarning() throws {
    let story = LogStory()
    try story.record(1)
    try story.files.setContents([1], of: story.segment(2) + ".new")
    #expect(try verify(story).warnings.map(\.kind) == [.unfinishedSegment])
  }

  /// No crash makes such a file, and no reader or writer uses it.
  @Test(arguments: ["9999999999999999", "0000000000000000", "9007199254740992", "1", "00000000000000001"])
  func aNameThatNoSegmentHasIsAWarning(digits: String) throws {
    let story = LogStory()
    try story.record(1)
    for name in [digits + ".jsonl", digits + ".jsonl.new"] {
      try story.files.setContents([], of: LogStory.path + "/" + name)
      let report = try verify(story)
      #expect(report.verdict == .clean)
      #expect(report.warnings.map(\.kind) == [.misnamedSegment])
      #expect(report.warnings.map(\.path) == [LogStory.path + "/" + name])
      try story.files.remove(LogStory.path + "/" + name)
    }
    for name in [".jsonl", "notes.jsonl", "a000000000000001.jsonl", digits, digits + ".json"] {
      try story.files.setContents([], of: LogStory.path + "/" + name)
    }
    #expect(try verify(story).warnings.isEmpty)
  }

  @Test func progressReachesTheTotal() throws {
    let story = LogStory(durability: .written, segmentLimitBytes: 300_000)
    let writer = try story.open()
    for _ in 0..<20 { _ = try writer.writeNow((1...500).map { number in .numbered(number) }) }
    try writer.closeNow()
    var seen: [(read: Int, total: Int)] = []
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files) { read, total in
      seen.append((read, total))
    }
    #expect(seen.count > 2)
    #expect(seen.last?.read == report.sizeBytes)
    #expect(zip(seen, seen.dropFirst()).allSatisfy { one, next in one.read < next.read })
    #expect(seen.allSatisfy { step in step.total == report.sizeBytes })
  }

  @Test func aPathThatIsNotALogIsAnError() throws {
    let files = MemoryFileSystem()
    #expect(
      #expect(throws: LogError.self) { try LogVerifier.verify(at: "/none", fileSystem: files) }?.code == .notFound)
    try files.createDirectory("/empty")
    #expect(
      #expect(throws: LogError.self) { try LogVerifier.verify(at: "/empty", fileSystem: files) }?.code == .notALog)
  }

  @Test func anUnknownFormatIsAnErrorOnlyInTheFirstLine() throws {
    let later =
      #"{"format":"actionlog/2","log":"\#(RawLog.id)","model":"counter","schema":1,"first":FIRST,"epoch":1,"created":"\#(RawLog.time)"}"#
    let story = try RawLog(header: later.replacing("FIRST", with: "1")).story()
    let error = #expect(throws: LogError.self) { try LogVerifier.verify(at: LogStory.path, fileSystem: story.files) }
    #expect(error?.code == .unsupportedFormat)
    let other = LogStory()
    let writer = try other.open()
    try writer.appendNow([.numbered(1), .numbered(2)])
    let second = RawLog(first: 3, prev: writer.status.lastCRC, synced: 2, header: later.replacing("FIRST", with: "3"))
    writer.abandon()
    try other.files.setContents(second.bytes, of: other.segment(3))
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: other.files)
    #expect(report.problems.map(\.kind) == [.unsupportedFormat])
    #expect(report.lastRevision == 2)
  }

  @Test func aTornEndAfterDamageIsListedOnce() throws {
    let story = LogStory()
    try story.record(5)
    try story.flipLine(3)
    try story.flipLine(5)
    try story.change { bytes in bytes += Array(#"{"seq":6,"#.utf8) }
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
    #expect(report.problems.map(\.kind) == [.checksumMismatch, .checksumMismatch, .tornTail])
    #expect(report.problems[0].message.hasPrefix("checksum mismatch, and "))
    #expect(report.problems[1].message == "checksum mismatch")
    #expect(report.tornBytes == 9)
    #expect(report.verdict == .damaged)
  }

  @Test func aSingleSegmentIsVerifiedByItself() throws {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(5)
    let last = try #require(try story.reader().segments.last)
    try story.files.rename(last.path, to: "/some-file")
    let report = try LogVerifier.verify(at: "/some-file", fileSystem: story.files)
    #expect(report.verdict == .clean)
    #expect(report.segments.map(\.first) == [last.first])
    #expect(report.header?.first == last.first)
    #expect(report.lastRevision == 5)
  }

  @Test func aHeadWithoutSegmentsIsDamage() throws {
    let story = LogStory()
    try story.record(2)
    try story.files.remove(story.segment())
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
    #expect(report.verdict == .damaged)
    #expect(report.problems.map(\.kind) == [.missingEnd])
    #expect(report.problems.map(\.path) == [story.head])
    #expect(!report.isClosed)
  }
}
