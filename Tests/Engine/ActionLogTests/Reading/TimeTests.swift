import ActionLog
import ActionLogTesting
import TestSupport
import Testing

@Suite("Finding a time", .timeLimit(.minutes(60)))
struct TimeTests {
  private func story(_ times: [Int64], segmentLimitBytes: Int = 900) throws -> LogStory {
    let story = LogStory(durability: .written, segmentLimitBytes: segmentLimitBytes)
    let writer = try story.open()
    for (index, time) in times.enumerated() {
      _ = try writer.writeNow([.numbered(index + 1, time: LogTime(microseconds: time))])
    }
    try writer.closeNow()
    return story
  }

  @Test func findsTheLastRevisionAtOrBeforeATime() throws {
    let reader = try story((1...50).map { number in number * 10 }).reader()
    for time in Int64(0)...510 {
      #expect(
        try reader.lastRevision(atOrBefore: LogTime(microseconds: time)) == min(Int(time) / 10, 50), "time \(time)")
    }
  }

  @Test func actionsWithEqualTimesBelongTogether() throws {
    let reader = try story([5, 5, 5, 7, 7, 9]).reader()
    #expect(try reader.lastRevision(atOrBefore: LogTime(microseconds: 5)) == 3)
    #expect(try reader.lastRevision(atOrBefore: LogTime(microseconds: 8)) == 5)
  }

  @Test(arguments: 1...8)
  func clockSetbacksWithinToleranceAreExact(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var time: Int64 = 1_000_000
    var times: [Int64] = []
    for _ in 0..<120 {
      time += Int64.random(in: -400...600, using: &generator)
      times.append(time)
    }
    let reader = try story(times).reader()
    // The clock of a walk is set back by at most the sum of its steps.
    let tolerance = Duration.microseconds(120 * 400)
    for _ in 0..<40 {
      let asked = Int64.random(in: (times.min() ?? 0) - 10...(times.max() ?? 0) + 10, using: &generator)
      let expected = (times.lastIndex { time in time <= asked } ?? -1) + 1
      let found = try reader.lastRevision(atOrBefore: LogTime(microseconds: asked), clockTolerance: tolerance)
      #expect(found == expected, "seed \(seed), time \(asked)")
    }
  }

  @Test func setbackBeyondToleranceStillFindsAPastTime() throws {
    var generator = SeededGenerator(seed: 9)
    let times = (0..<200).map { _ in Int64.random(in: 0...1_000_000, using: &generator) }
    let reader = try story(times).reader()
    for asked in stride(from: Int64(0), through: 1_000_000, by: 50_000) {
      let found = try reader.lastRevision(atOrBefore: LogTime(microseconds: asked), clockTolerance: .zero)
      #expect(found == 0 || times[found - 1] <= asked)
      #expect(found == 200 || times[found] > asked)
    }
  }

  @Test func longLogIsSearchedByTime() throws {
    let story = LogStory(durability: .written)
    let writer = try story.open()
    for start in stride(from: 1, through: 20_000, by: 1_000) {
      _ = try writer.writeNow(
        (start..<start + 1_000).map { number in
          .numbered(number, time: LogTime(microseconds: Int64(number) * 60_000_000))
        })
    }
    try writer.closeNow()
    let reader = try story.reader()
    story.files.resetCounts()
    #expect(try reader.lastRevision(atOrBefore: LogTime(microseconds: 12_000 * 60_000_000 + 1)) == 12_000)
    #expect(story.files.counts.bytesRead < 200 * 1_024)
  }
}
