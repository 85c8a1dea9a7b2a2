import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import TestSupport
import Testing

/// Errors report only actions as intact that were read.
@Suite("The intact range in errors", .timeLimit(.minutes(60)))
struct IntactRangeTests {
  /// A log in several segments, the last one with at least two actions, and the first actions of the segments.
  private func story() throws -> (story: LogStory, firsts: [Int]) {
    let story = LogStory(segmentLimitBytes: 900)
    let writer = try story.open()
    var firsts: [Int] = []
    repeat {
      try writer.appendNow([.numbered(writer.status.lastRevision + 1)])
      firsts = try story.reader().segments.map(\.first)
    } while firsts.count < 4 || firsts.last == writer.status.lastRevision
    try writer.closeNow()
    return (story, firsts)
  }

  private func intact(_ body: () throws -> Void) throws -> String {
    let error = try #require(#expect(throws: LogError.self) { try body() })
    #expect(error.code == .damaged)
    return try #require(error.intact)
  }

  /// Regression: the text was "No action before it is lost" although the first actions were.
  @Test func aMissingFirstSegmentLeavesNothingIntact() throws {
    let (story, firsts) = try story()
    try story.files.remove(story.segment(firsts[0]))
    for text in [
      try intact { _ = try story.reader() }, try intact { _ = try story.open() },
      try intact { _ = try LogRepair.repair(at: LogStory.path, fileSystem: story.files) },
    ] {
      #expect(text == "No action was read before it.", "\(text)")
    }
  }

  /// Regression: the text was "Actions 1…" up to the damage in the last segment although the first one was damaged,
  /// too.
  @Test func unreadSegmentsAreNotReportedIntact() throws {
    let (story, firsts) = try story()
    try story.flipLine(2, of: firsts[0])
    let last = firsts[firsts.count - 1]
    // The first line, an action, and damage after it.
    try story.flipLine(2, of: last)
    let seen = "Action \(last) is intact; those before were not read."
    for text in [
      try intact { _ = try story.open() },
      try intact { _ = try LogRepair.repair(at: LogStory.path, fileSystem: story.files) },
    ] {
      #expect(text == seen, "\(text)")
    }
    let damage = try #require(try story.reader().extent().ending.damage)
    #expect(damage.intact == seen, "\(damage)")
  }

  @Test func aReaderReportsReadRecordsAsIntact() throws {
    let (story, firsts) = try story()
    let place = try story.reader().record(at: firsts[2]).place
    try story.files.flipBit(0, ofByte: place.byteOffset + 90, in: place.path)
    #expect(try story.read().ending?.damage?.intact == "Actions 1…\(firsts[2] - 1) are intact.")
    let later = try #require(try story.read(from: firsts[1]).ending?.damage?.intact)
    let range =
      firsts[1] == firsts[2] - 1 ? "Action \(firsts[1]) is" : "Actions \(firsts[1])…\(firsts[2] - 1) are"
    #expect(later == range + " intact; those before were not read.", "\(later)")
    let none = try #require(try story.read(from: firsts[2]).ending?.damage?.intact)
    #expect(none == "The actions before it were not read.", "\(none)")
  }
}
