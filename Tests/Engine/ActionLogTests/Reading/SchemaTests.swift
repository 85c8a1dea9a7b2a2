import ActionLog
import ActionLogTesting
import Testing

/// All actions of a segment have one schema. If they do not, every reader reports it, no matter where it starts.
@Suite("The schema in force", .timeLimit(.minutes(60)))
struct SchemaTests {
  private static let header =
    #"{"format":"actionlog/1","log":"\#(RawLog.id)","model":"counter","schema":2,"first":1,"epoch":1,"created":"\#(RawLog.time)"}"#

  private static func openData(schema: Int) -> String {
    #"{"epoch":2,"schema":\#(schema),"program":"p","pid":1,"host":"h"}"#
  }

  /// More than a search reads at its end.
  private static let count = 400

  /// A log with actions of schema 2, an `@open` with another schema, and two more actions.
  private func changedStory(to schema: Int) throws -> LogStory {
    var log = RawLog(header: Self.header)
    for revision in 1...Self.count { log.line(revision: revision, synced: revision - 1, data: #"{"_0":\#(revision)}"#) }
    log.line(revision: Self.count, type: "@open", synced: Self.count, data: Self.openData(schema: schema))
    for revision in Self.count + 1...Self.count + 2 {
      log.line(revision: revision, synced: Self.count, data: #"{"_0":\#(revision)}"#)
    }
    return try log.story()
  }

  @Test(arguments: [1, 3])
  func schemaChangeAfterActionsIsDamage(schema: Int) throws {
    let story = try changedStory(to: schema)
    let message = "the schema changes from 2 to \(schema) after actions of the segment"
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
    #expect(report.verdict == .damaged)
    #expect(report.problems.map(\.kind) == [.schemaChangedInSegment])
    #expect(report.problems.first?.message == message)
    #expect(report.problems.first?.line == Self.count + 2)
    #expect(report.lastRevision == Self.count)

    let refusal = #expect(throws: LogError.self) { try story.open(schema: 3) }
    #expect(refusal?.code == .damaged)
    #expect(refusal?.message == message)
    #expect(refusal?.line == Self.count + 2)
    for revision in [0, 1, 7, Self.count - 1, Self.count] {
      let (actions, ending) = try story.read(from: revision)
      #expect(actions == Array(max(1, revision)...Self.count), "from \(revision)")
      #expect(ending?.damage?.message == message, "from \(revision)")
    }
    let reader = try story.reader()
    #expect(try reader.extent().lastRevision == Self.count)
    for revision in Self.count + 1...Self.count + 2 {
      #expect(#expect(throws: LogError.self) { try reader.record(at: revision) }?.message == message)
    }
    var follower = try reader.follower(from: Self.count - 1)
    #expect(try follower.poll().map(\.number) == [Self.count - 1, Self.count])
    #expect(#expect(throws: LogError.self) { try follower.poll() }?.message == message)
  }

  /// After such a line, the schema of the actions is unknown up to the end of the segment.
  @Test func lastRecordsOmitActionsOfUnknownSchema() throws {
    let story = try changedStory(to: 1)
    let end = Self.count + 2
    let digits = try #require(try story.lines().last).suffix(10).prefix(8)
    let prev = try #require(UInt32(digits, radix: 16))
    var second = RawLog(
      first: end + 1, prev: prev, header: Self.header.replacing(#""first":1"#, with: #""first":\#(end + 1)"#))
    for revision in end + 1...end + 2 { second.line(revision: revision, synced: end, data: #"{"_0":\#(revision)}"#) }
    try story.files.setContents(second.bytes, of: story.segment(end + 1))
    let found = try story.reader().lastRecords(10) { record in !record.isControl }
    #expect(found.records.map(\.number) == [end + 1, end + 2])
    #expect(found.damage?.line == Self.count + 2)
  }

  @Test func schemaChangeBeforeFirstActionIsInForce() throws {
    var log = RawLog(header: Self.header)
    log.line(revision: 0, type: "@open", data: Self.openData(schema: 3))
    for revision in 1...Self.count { log.line(revision: revision, synced: revision - 1, data: #"{"_0":\#(revision)}"#) }
    log.line(revision: Self.count, type: "@open", synced: Self.count, data: Self.openData(schema: 3))
    let story = try log.story()
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict == .clean)
    let reader = try story.reader()
    for revision in [1, 7, Self.count] { #expect(try reader.record(at: revision).schema == 3) }
    #expect(#expect(throws: LogError.self) { try story.open(schema: 2) }?.code == .schemaTooNew)
    #expect(try story.open(schema: 3).opening.lastRevision == Self.count)
  }

  /// Regression: salvage wrote such actions with the schema of those before the gap.
  @Test func salvageOmitsActionsOfOlderSchema() throws {
    let story = try changedStory(to: 1)
    let report = try LogSalvage.salvage(
      at: LogStory.path, to: "/saved", join: true, fileSystem: story.files, environment: .test())
    #expect(report.intactRevision == Self.count)
    #expect(report.lastRevision == Self.count)
    #expect(report.joinedCount == 0)
    #expect(report.afterGapCount == 3, "they are kept next to the log")
    let saved = try LogReader.open(at: "/saved", fileSystem: story.files)
    #expect(try saved.record(at: Self.count).schema == 2)
  }

  @Test func salvageKeepsActionsOfNewerSchema() throws {
    let story = try changedStory(to: 3)
    let report = try LogSalvage.salvage(
      at: LogStory.path, to: "/saved", join: true, fileSystem: story.files, environment: .test())
    #expect(report.joinedCount == 2)
    let saved = try LogReader.open(at: "/saved", fileSystem: story.files)
    #expect(try saved.record(at: Self.count).schema == 2)
    #expect(try saved.record(at: Self.count + 2).schema == 3)
  }

  /// Two segments, the second with an older schema. The format allows this, but no writer of the engine produces it.
  @Test func olderSegmentIsReadButNotSalvagedAfterNewer() throws {
    var first = RawLog(header: Self.header)
    first.line(revision: 1, data: #"{"_0":1}"#)
    var second = RawLog(first: 2, prev: first.prev)
    second.line(revision: 2, synced: 1, data: #"{"_0":2}"#)
    let story = try first.story()
    try story.files.setContents(second.bytes, of: story.segment(2))
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict == .clean)
    for start in [0, 1, 2] {
      var records = try story.reader().records(from: start)
      var schemas: [Int: Int] = [:]
      while let record = try records.next() { if !record.isControl { schemas[record.revision] = record.schema } }
      #expect(schemas == (start < 2 ? [1: 2, 2: 1] : [2: 1]))
    }
    let error = #expect(throws: LogError.self) {
      try LogSalvage.salvage(at: LogStory.path, to: "/saved", fileSystem: story.files, environment: .test())
    }
    #expect(error?.code == .invalidRecord)
    #expect(error?.revision == 2)
    #expect(try story.files.status(of: "/saved") == nil)
  }
}
