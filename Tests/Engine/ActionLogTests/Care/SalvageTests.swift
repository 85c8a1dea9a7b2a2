import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import TestSupport
import Testing

@Suite("Salvaging", .timeLimit(.minutes(60)))
struct SalvageTests {
  private static let target = "/saved"

  private func salvage(
    _ story: LogStory, model: String? = nil
  ) throws -> (report: SalvageReport, saved: LogReader) {
    var environment = LogEnvironment.test()
    environment.makeLogID = { "00000000-0000-4000-8000-000000000001" }
    let report = try LogSalvage.salvage(
      at: LogStory.path, to: Self.target, model: model, fileSystem: story.files, environment: environment)
    #expect(try LogVerifier.verify(at: Self.target, fileSystem: story.files).verdict == .clean)
    return (report, try LogReader.open(at: Self.target, fileSystem: story.files))
  }

  private func records(_ reader: LogReader) throws -> [LogRecord] {
    var iterator = try reader.records()
    var records: [LogRecord] = []
    while let record = try iterator.next() { records.append(record) }
    return records
  }

  private func actions(_ reader: LogReader) throws -> [Int] {
    try records(reader).filter { record in !record.isControl }.map(\.number)
  }

  /// The numbers of the actions past the gap.
  private func setAside(_ story: LogStory) throws -> [Int] {
    let kept = String(decoding: try story.files.contents(of: Self.target + "/after-gap.jsonl"), as: UTF8.self)
    return (1...20).filter { number in kept.contains(#""data":{"_0":\#(number)}"#) }
  }

  /// A log of nine actions in several segments with damage at action 4.
  private func damagedStory(actions: Int = 9, segmentLimitBytes: Int = 900) throws -> LogStory {
    let story = LogStory(segmentLimitBytes: segmentLimitBytes)
    try story.record(actions)
    let place = try story.reader().record(at: 4).place
    try story.files.flipBit(0, ofByte: place.byteOffset + 90, in: place.path)
    return story
  }

  @Test func intactActionsAreCopiedToANewLog() throws {
    let story = try damagedStory()
    let before = story.files.filePaths
    let third = try story.reader().record(at: 3)
    let (report, saved) = try salvage(story)
    #expect(report.lastRevision == 3)
    #expect(try actions(saved) == [1, 2, 3])
    #expect(try saved.record(at: 3).time == third.time)
    #expect(saved.header.parent == LogHeader.Parent(log: RawLog.id, revision: 3, crc: third.crc))
    #expect(saved.header.log == "00000000-0000-4000-8000-000000000001")
    #expect(saved.header.model == "counter")
    #expect(story.files.filePaths.filter { path in path.hasPrefix("/log/") } == before, "the old log is not changed")
  }

  @Test func recordsAfterTheGapAreKeptAndNotReplayed() throws {
    let story = try damagedStory()
    let (report, saved) = try salvage(story)
    let path = try #require(report.afterGapPath)
    #expect(path == "/saved/after-gap.jsonl")
    let lines = String(decoding: try story.files.contents(of: path), as: UTF8.self).split(separator: "\n")
    #expect(lines.count == report.afterGapCount)
    for number in 5...9 { #expect(lines.contains { line in line.contains(#""data":{"_0":\#(number)}"#) }) }
    #expect(try actions(saved) == [1, 2, 3])
  }

  @Test func everyGapIsListed() throws {
    let story = try damagedStory(segmentLimitBytes: 1 << 20)
    let place = try LogReader.open(at: LogStory.path, fileSystem: story.files)
    #expect(throws: LogError.self) { try place.record(at: 7) }
    let offsets = try story.lineOffsets()
    try story.flipLine(8)
    let report = try salvage(story).report
    #expect(report.gaps.map(\.message) == ["checksum mismatch", "checksum mismatch"])
    #expect(report.gaps.map(\.path) == [story.segment(), story.segment()])
    #expect(report.gaps.map(\.byteOffset) == [offsets[5], offsets[8]])
    #expect(report.gaps.map(\.sizeBytes) == [offsets[6] - offsets[5], offsets[9] - offsets[8]])
    #expect(report.gaps.map(\.lastRevisionBefore) == [3, 6])
    #expect(report.gaps.map(\.firstRevisionAfter) == [5, 8])
  }

  /// What a crash left of a unit is kept, and the gap says where it begins.
  @Test(arguments: [0, 20]) func aTornUnitIsAGap(unfinishedBytes: Int) throws {
    let story = LogStory()
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    let head = try story.files.contents(of: story.head)
    _ = try writer.writeNow([LogDraft(UnitRecord(actions: 3)), .numbered(2), .numbered(3), .numbered(4)])
    writer.abandon()
    try story.files.setContents(head, of: story.head)
    let offsets = try story.lineOffsets()
    try story.change { bytes in bytes.removeSubrange((offsets[6] + unfinishedBytes)...) }
    let (report, saved) = try salvage(story)
    #expect(report.lastRevision == 1)
    #expect(try actions(saved) == [1])
    let hasUnfinishedLine = unfinishedBytes > 0
    #expect(report.gaps.map(\.byteOffset) == (hasUnfinishedLine ? [offsets[3], offsets[6]] : [offsets[3]]))
    #expect(report.gaps.map(\.lastRevisionBefore) == (hasUnfinishedLine ? [1, 3] : [1]))
    #expect(report.gaps.first?.firstRevisionAfter == 2)
    #expect(report.gaps.first?.message == "the actions of the unit are not all there")
    let kept = try story.files.contents(of: try #require(report.afterGapPath))
    #expect(try kept == Array(story.bytes()[offsets[3]..<offsets[6]]))
    #expect(report.afterGapCount == 3)
  }

  @Test func consecutiveBadLinesAreOneGap() throws {
    let story = try damagedStory(segmentLimitBytes: 1 << 20)
    let offsets = try story.lineOffsets()
    try story.flipLine(6)
    let report = try salvage(story).report
    #expect(report.gaps.map(\.byteOffset) == [offsets[5]])
    #expect(report.gaps.map(\.sizeBytes) == [offsets[7] - offsets[5]])
    #expect(report.gaps.map(\.lastRevisionBefore) == [3])
    #expect(report.gaps.map(\.firstRevisionAfter) == [6])
  }

  /// Many short records take few writes and at most 1 MiB of memory.
  @Test(
    arguments: [
      (count: 200, fill: 10, appends: 1...2, isMeta: false), (3, 700_000, 2...4, false), (3, 700_000, 2...4, true),
    ])
  func recordsAreWrittenInUnitsOfOneMebibyte(count: Int, fill: Int, appends: ClosedRange<Int>, isMeta: Bool) throws {
    var story = LogStory()
    let writer = try story.open()
    let data = Array(#"{"x":"\#(String(repeating: "x", count: fill))"}"#.utf8)
    let draft = isMeta ? LogDraft(type: "add", data: Array("{}".utf8), meta: data) : LogDraft(type: "add", data: data)
    for _ in 0..<count { _ = try writer.writeNow([draft]) }
    try writer.closeNow()
    let door = FaultyFileSystem(story.files)
    story.door = door
    let report = try LogSalvage.salvage(
      at: LogStory.path, to: Self.target, fileSystem: door, environment: .test())
    #expect(report.lastRevision == count)
    let made = door.calls.count { call in call.operation == .append && call.path.hasSuffix(".jsonl.new") }
    // In addition to the records: the first line, @open and @close.
    #expect(appends.contains(made - 3), "\(made)")
  }

  @Test func unknownControlRecordsAreCounted() throws {
    var log = RawLog()
    log.line(revision: 1)
    log.line(revision: 1, type: "@later", synced: 0)
    log.line(revision: 2)
    let (report, saved) = try salvage(try log.story())
    #expect(report.skippedCount == 1)
    #expect(report.lastRevision == 2)
    #expect(try !records(saved).contains { record in record.type == "@later" })
  }

  @Test func aNewLogInsideTheOldOneIsRefused() throws {
    let story = try damagedStory()
    let before = story.files.filePaths
    let error = #expect(throws: LogError.self) {
      try LogSalvage.salvage(at: LogStory.path, to: LogStory.path + "/saved", fileSystem: story.files)
    }
    #expect(error?.code == .invalidArgument)
    #expect(story.files.filePaths == before)
  }

  @Test func aMissingSegmentIsAGapWithoutBytes() throws {
    let story = LogStory(segmentLimitBytes: 900)
    try story.record(12)
    let segments = try story.reader().segments
    try story.files.remove(segments[1].path)
    let (report, saved) = try salvage(story)
    #expect(report.lastRevision == segments[1].first - 1)
    #expect(report.gaps.count == 1)
    #expect(report.gaps[0].sizeBytes == 0)
    #expect(report.gaps[0].firstRevisionAfter == segments[2].first)
    #expect(try actions(saved) == Array(1..<segments[1].first))
    #expect(try setAside(story) == Array(segments[2].first...12))
  }

  @Test func misplacedSegmentIsNamedInItsGap() throws {
    let story = LogStory(segmentLimitBytes: 900)
    try story.record(12)
    let copied = try story.reader().segments[1]
    try story.files.setContents(try story.files.contents(of: copied.path), of: story.segment(99))
    let report = try salvage(story).report
    #expect(report.lastRevision == 12)
    #expect(report.gaps.count == 1)
    #expect(
      report.gaps[0].message == "segment 0000000000000099.jsonl begins at revision \(copied.first), not 99")
    #expect(report.gaps[0].lastRevisionBefore == 12)
    #expect(report.gaps[0].firstRevisionAfter == copied.first)
  }

  @Test func aLostEndIsAGapToo() throws {
    let story = LogStory()
    try story.record(5)
    let offsets = try story.lineOffsets()
    try story.change { bytes in bytes.removeLast(bytes.count - offsets[4]) }
    let report = try salvage(story).report
    #expect(report.lastRevision == 2)
    #expect(report.gaps.count == 1)
    #expect(report.gaps[0].lastRevisionBefore == 2)
    #expect(report.gaps[0].firstRevisionAfter == nil)
    #expect(report.afterGapPath == nil)
  }

  @Test func aDamagedFirstLineLosesOnlyTheFirstSegment() throws {
    let story = LogStory(segmentLimitBytes: 900)
    try story.record(9)
    try story.flipLine(0)
    let (report, saved) = try salvage(story)
    #expect(report.lastRevision == 0)
    #expect(try actions(saved) == [] && setAside(story) == Array(1...9))
    #expect(saved.header.model == "counter")
  }

  @Test func anUnknownModelMustBeNamed() throws {
    let story = LogStory()
    try story.record(3)
    try story.flipLine(0)
    let error = #expect(throws: LogError.self) { try salvage(story) }
    #expect(error?.advice?.description == "Name it: 'salvage LOG NEW --model MODEL'.")
    let (_, saved) = try salvage(story, model: "counter")
    #expect(try actions(saved) == [] && setAside(story) == [1, 2, 3])
  }

  @Test func theSchemaOfEveryActionIsKept() throws {
    let story = LogStory()
    try story.record(2)
    let writer = try story.open(schema: 3)
    for number in 3...6 { try writer.appendNow([.numbered(number)]) }
    try writer.closeNow()
    try story.flipLine(3, of: 3)
    let (_, saved) = try salvage(story)
    #expect(try actions(saved) == [1, 2, 3, 4] && setAside(story) == [6])
    #expect(try (1...4).map { revision in try saved.record(at: revision).schema } == [1, 1, 3, 3])
  }

  @Test func controlRecordsOfTheStateAreCopied() throws {
    let story = LogStory()
    let writer = try story.open()
    try writer.appendNow([LogDraft(type: "@base", data: Array(#"{"state":7}"#.utf8))])
    try writer.appendNow([.numbered(1), LogDraft(type: "@digest", data: Array(#"{"state":"s","reducer":"r"}"#.utf8))])
    try writer.appendNow([LogDraft(type: "@rejected", data: Array(#"{"type":"add","data":{}}"#.utf8))])
    for number in 2...3 { try writer.appendNow([.numbered(number)]) }
    try writer.closeNow()
    try story.flipLine(7)
    let saved = try salvage(story).saved
    #expect(
      try records(saved).map(\.type) == [
        "@segment", "@open", "@base", "add", "@digest", "@rejected", "add", "@close",
      ])
  }

  @Test func anIntactLogIsCopied() throws {
    let story = LogStory(segmentLimitBytes: 900)
    try story.record(12)
    let (report, saved) = try salvage(story)
    #expect(report.gaps.isEmpty)
    #expect(report.afterGapPath == nil)
    #expect(try actions(saved) == Array(1...12))
  }

  @Test func nothingIsOverwritten() throws {
    let story = try damagedStory()
    try story.files.setContents([1], of: "/saved/precious")
    #expect(#expect(throws: LogError.self) { try salvage(story) }?.code == .exists)
    #expect(story.files.filePaths.filter { path in path.hasPrefix("/saved/") } == ["/saved/precious"])
  }
}
