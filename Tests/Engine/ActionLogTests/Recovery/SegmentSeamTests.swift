import ActionLog
import Testing

/// A second segment whose lines all check and follow, and whose first line says that it belongs elsewhere.
@Suite("Seams between segments", .timeLimit(.minutes(60)))
struct SegmentSeamTests {
  private static let otherLog = "00000000-0000-4000-8000-000000000000"

  /// A log of actions 1 and 2 in one segment and 3 in the next, whose header can say anything.
  private func story(log: String = RawLog.id, model: String = "counter", first: Int = 3) throws -> LogStory {
    var old = RawLog()
    old.line(seq: 1, data: #"{"_0":1}"#)
    old.line(seq: 2, synced: 1, data: #"{"_0":2}"#)
    let header =
      #"{"format":"actionlog/1","log":"\#(log)","model":"\#(model)","schema":1,"first":\#(first),"epoch":1,"created":"\#(RawLog.time)"}"#
    var new = RawLog(first: 3, prev: old.prev, header: header)
    new.line(seq: 3, synced: 2, data: #"{"_0":3}"#)
    let story = try old.story()
    try story.files.setContents(new.bytes, of: story.segment(3))
    return story
  }

  @Test func aSegmentThatSaysWhereItBelongsContinuesTheOneBefore() throws {
    let story = try story()
    #expect(try LogVerifier.verify(LogStory.path, fileSystem: story.files).verdict == .clean)
    #expect(try story.open().opening.lastSeq == 3)
  }

  @Test(arguments: [
    (SegmentSeamTests.otherLog, "counter", 3), (RawLog.id, "animals", 3), (RawLog.id, "counter", 4),
  ])
  func aSegmentThatBelongsElsewhereIsDamage(log: String, model: String, first: Int) throws {
    let story = try story(log: log, model: model, first: first)
    let before = try story.bytes(3)
    let error = #expect(throws: LogError.self) { try story.open() }
    #expect(error?.code == .damaged)
    #expect(error?.path == story.segment(3))
    #expect(error?.line == 1)
    #expect(error?.seq == 3)
    #expect(try story.bytes(3) == before, "nothing is cut")
    #expect(try story.read().actions == [1, 2], "what stands before it is good")
    #expect(try LogVerifier.verify(LogStory.path, fileSystem: story.files).verdict == .damaged)
  }

  @Test func aHeaderWhoseNumberAgreesWithItsNameAloneIsDamage() throws {
    // The file and the header say 3, the line itself that nothing stands before it.
    let header =
      #"{"format":"actionlog/1","log":"\#(RawLog.id)","model":"counter","schema":1,"first":3,"epoch":1,"created":"\#(RawLog.time)"}"#
    let story = try RawLog(first: 1, header: header).story(first: 3)
    #expect(#expect(throws: LogError.self) { try story.open() }?.code == .damaged)
    #expect(try LogVerifier.verify(LogStory.path, fileSystem: story.files).verdict == .damaged)
  }
}
