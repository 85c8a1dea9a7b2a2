import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import TestSupport
import Testing

/// Valid lines inside a line that is not valid.
@Suite("Salvaging hidden lines", .timeLimit(.minutes(60)))
struct HiddenLineSalvageTests {
  private static let target = "/saved"

  private func salvage(_ story: LogStory) throws(LogError) -> SalvageReport {
    try LogSalvage.salvage(
      at: LogStory.path, to: Self.target, fileSystem: story.files, environment: .test())
  }

  private func actions(_ story: LogStory) throws -> [Int] {
    var records = try LogReader.open(at: Self.target, fileSystem: story.files).records()
    var numbers: [Int] = []
    while let record = try records.next() {
      if !record.isControl { numbers.append(record.number) }
    }
    return numbers
  }

  /// The numbers of the actions past the gap.
  private func setAside(_ story: LogStory) throws -> [Int] {
    let kept = String(decoding: try story.files.contents(of: Self.target + "/after-gap.jsonl"), as: UTF8.self)
    return (1...20).filter { number in kept.contains(#""data":{"_0":\#(number)}"#) }
  }

  /// A flipped bit in a line feed joins two lines; also three of them in a row.
  @Test(arguments: [[4], [4, 5, 6]], 0..<8)
  func aDamagedLineFeedLosesNoLine(behind numbers: [Int], bit: Int) throws {
    let story = LogStory()
    try story.record(9)
    let lineFeeds = try numbers.map { number in try start(of: number + 1, story) - 1 }
    for lineFeed in lineFeeds {
      #expect(try story.bytes()[lineFeed] == 10)
      try story.files.flipBit(bit, ofByte: lineFeed, in: story.segment())
    }
    let report = try salvage(story)
    #expect(report.lastRevision == 3)
    #expect(try actions(story) == [1, 2, 3] && setAside(story) == Array(4...9))
    #expect(report.gaps.map(\.sizeBytes) == numbers.map { _ in 1 })
    #expect(report.gaps.map(\.lastRevisionBefore) == numbers)
    #expect(report.gaps.map(\.firstRevisionAfter) == numbers.map { number in number + 1 })
  }

  /// The page with the end of one line and the beginning of the next is lost: zeros without a line feed.
  @Test func theLineAfterALostPageIsKept() throws {
    let story = LogStory()
    try story.record(9)
    let (start, end) = (try start(of: 4, story), try start(of: 6, story))
    try story.change { bytes in
      for index in start + 20..<end { bytes[index] = 0 }
    }
    let report = try salvage(story)
    #expect(try actions(story) == [1, 2, 3] && setAside(story) == [6, 7, 8, 9])
    #expect(report.gaps.count == 1)
    #expect(report.gaps.first?.byteOffset == start && report.gaps.first?.sizeBytes == end - start)
  }

  /// The same, with a preceding line whose line feed was lost with the page.
  @Test func theLineBeforeALostPageIsKept() throws {
    let story = LogStory()
    try story.record(9)
    let (start, end) = (try start(of: 5, story), try start(of: 7, story))
    try story.change { bytes in
      for index in start - 1..<end { bytes[index] = 0 }
    }
    let report = try salvage(story)
    #expect(report.lastRevision == 3)
    #expect(try actions(story) == [1, 2, 3] && setAside(story) == [4, 7, 8, 9])
    #expect(report.gaps.map(\.byteOffset) == [start - 1] && report.gaps.map(\.sizeBytes) == [end - start + 1])
  }

  /// A commit mark inside a value of a damaged line hides nothing.
  @Test func aMarkInsideAStringIsIgnored() throws {
    let story = LogStory()
    let writer = try story.open()
    let data = Array(#"{"_0":{"a":1,"crc":"12345678"},"b":{"seq":1}}"#.utf8)
    try writer.appendNow([LogDraft(type: "odd", data: data), .numbered(2), .numbered(3)])
    try writer.closeNow()
    let start = try start(of: 1, story)
    try story.files.flipBit(0, ofByte: start + 8, in: story.segment())
    let report = try salvage(story)
    #expect(try setAside(story) == [2, 3])
    #expect(report.gaps.map(\.byteOffset) == [start])
  }

  /// Two segments have swapped names.
  @Test func actionsThatFollowLaterOnesAreSetAside() throws {
    let story = LogStory(segmentLimitBytes: 900)
    try story.record(20)
    let segments = try story.reader().segments
    try #require(segments.count > 3)
    let (one, other) = (segments[1].path, segments[2].path)
    try story.files.rename(one, to: "/aside")
    try story.files.rename(other, to: one)
    try story.files.rename("/aside", to: other)
    let report = try salvage(story)
    #expect(try setAside(story) == Array(report.lastRevision + 1...20))
  }

  /// The records after the gap are durable before the new log has its name.
  @Test func recordsAfterTheGapSurviveAPowerCut() throws {
    let story = LogStory()
    try story.record(9)
    try story.files.flipBit(0, ofByte: try start(of: 4, story) + 8, in: story.segment())
    let report = try salvage(story)
    let cut = LogStory(story.files.crash(.onlySyncedSurvives))
    let kept = String(decoding: try cut.files.contents(of: Self.target + "/after-gap.jsonl"), as: UTF8.self)
    #expect(kept.split(separator: "\n").count == report.afterGapCount && report.afterGapCount >= 5)
  }

  /// Returns the offset of an action's line in an undamaged log.
  private func start(of revision: Int, _ story: LogStory) throws -> Int {
    try story.reader().record(at: revision).place.byteOffset
  }
}
