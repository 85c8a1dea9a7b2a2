import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import TestSupport
import Testing

/// Valid lines inside a line that is not valid.
@Suite("Salvaging hidden lines", .timeLimit(.minutes(60)))
struct HiddenLineSalvageTests {
  private static let target = "/saved"

  private func salvage(_ story: LogStory, join: Bool = true) throws(LogError) -> SalvageReport {
    try LogSalvage.salvage(
      at: LogStory.path, to: Self.target, join: join, fileSystem: story.files, environment: .test())
  }

  private func actions(_ story: LogStory) throws -> [Int] {
    var records = try LogReader.open(at: Self.target, fileSystem: story.files).records()
    var numbers: [Int] = []
    while let record = try records.next() {
      if !record.isControl { numbers.append(record.number) }
    }
    return numbers
  }

  private func afterGap(_ story: LogStory) throws -> String {
    String(decoding: try story.files.contents(of: Self.target + "/after-gap.jsonl"), as: UTF8.self)
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
    #expect(report.intactRevision == 3)
    #expect(try actions(story) == Array(1...9))
    #expect(report.gaps.map(\.sizeBytes) == numbers.map { _ in 1 })
    #expect(report.gaps.map(\.lastRevisionBefore) == numbers)
    #expect(report.gaps.map(\.firstRevisionAfter) == numbers.map { number in number + 1 })
    let kept = try afterGap(story)
    for number in 4...9 { #expect(kept.contains(#""data":{"_0":\#(number)}"#)) }
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
    #expect(try actions(story) == [1, 2, 3, 6, 7, 8, 9])
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
    #expect(report.intactRevision == 3)
    #expect(try actions(story) == [1, 2, 3, 4, 7, 8, 9])
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
    #expect(report.joinedCount == 2)
    #expect(report.gaps.map(\.byteOffset) == [start])
  }

  /// Two segments have swapped names: actions that follow later ones are not joined, but counted.
  @Test func actionsThatCannotBeJoinedAreCounted() throws {
    let story = LogStory(segmentLimitBytes: 900)
    try story.record(20)
    let segments = try story.reader().segments
    try #require(segments.count > 3)
    let (one, other) = (segments[1].path, segments[2].path)
    try story.files.rename(one, to: "/aside")
    try story.files.rename(other, to: one)
    try story.files.rename("/aside", to: other)
    let report = try salvage(story)
    let moved = segments[2].first - segments[1].first
    #expect(report.unjoinedCount == moved)
    #expect(report.joinedCount == 20 - report.intactRevision - moved)
    let kept = try afterGap(story)
    for number in report.intactRevision + 1...20 { #expect(kept.contains(#""data":{"_0":\#(number)}"#), "\(number)") }
  }

  /// The records after the gap are durable before the new log has its name.
  @Test func recordsAfterTheGapSurviveAPowerCut() throws {
    let story = LogStory()
    try story.record(9)
    try story.files.flipBit(0, ofByte: try start(of: 4, story) + 8, in: story.segment())
    let report = try salvage(story, join: false)
    let cut = LogStory(story.files.crash(.onlySyncedSurvives))
    let kept = String(decoding: try cut.files.contents(of: Self.target + "/after-gap.jsonl"), as: UTF8.self)
    #expect(kept.split(separator: "\n").count == report.afterGapCount && report.afterGapCount >= 5)
  }

  /// With its old revision the line would exceed the length limit.
  @Test func anActionTooLongToRenumberIsNamed() throws {
    let story = LogStory()
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    try writer.appendNow([.numbered(2)])
    // The longest possible action, found by shortening it until it is accepted.
    var count = LogFormat.lineLimitBytes
    while true {
      let text = Array(#"{"_0":""#.utf8) + [UInt8](repeating: UInt8(ascii: "a"), count: count) + Array("\"}".utf8)
      do throws(LogError) {
        try writer.appendNow([LogDraft(type: "long", data: text)])
        break
      } catch {
        try #require(error.code == .beyondLimit)
        count -= count == LogFormat.lineLimitBytes ? 100 : 8
      }
    }
    try writer.closeNow()
    let start = try start(of: 2, story)
    try story.files.flipBit(0, ofByte: start + 8, in: story.segment())
    let error = try #require(#expect(throws: LogError.self) { try salvage(story) })
    #expect(error.code == .beyondLimit && error.revision == 3)
    #expect(error.advice?.description.contains("after-gap.jsonl") == true)
    #expect(try story.files.status(of: Self.target) == nil)
    #expect(try salvage(story, join: false).afterGapCount > 0)
  }

  /// Returns the offset of an action's line in an undamaged log.
  private func start(of revision: Int, _ story: LogStory) throws -> Int {
    try story.reader().record(at: revision).place.byteOffset
  }
}
