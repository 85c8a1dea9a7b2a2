import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import TestSupport
import Testing

@Suite("Units", .timeLimit(.minutes(60)))
struct UnitTests {
  /// A log of two actions and a unit of three, of which only the first two were synced.
  private func story(after: Int = 0) throws -> (LogStory, unit: Int) {
    let story = LogStory()
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    try writer.appendNow([.numbered(2)])
    let head = try story.files.contents(of: story.head)
    let unit = try story.bytes().count
    let actions: [LogDraft] = [.numbered(3), .numbered(4), .numbered(5)]
    _ = try writer.writeNow([LogDraft(UnitRecord(actions: 3))] + actions)
    for number in 6..<6 + after { _ = try writer.writeNow([.numbered(number)]) }
    writer.abandon()
    try story.files.setContents(head, of: story.head)
    return (story, unit)
  }

  @Test func aUnitIsReadLikeOtherActions() throws {
    let (story, _) = try story()
    #expect(try story.types() == ["@segment", "@open", "add", "add", "@unit", "add", "add", "add"])
    #expect(try story.read().actions == [1, 2, 3, 4, 5])
    let writer = try story.open()
    #expect(writer.opening.recovered == nil)
    #expect(writer.opening.lastRevision == 5)
    try writer.closeNow()
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
    #expect(report.verdict == .clean)
    #expect(report.warnings.isEmpty)
  }

  @Test func theDecisionOfAnActionIsFound() throws {
    let (story, _) = try story(after: 1)
    let reader = try story.reader()
    #expect(try (1...6).map { revision in try reader.decision(of: revision) } == [nil, nil, 3...5, 3...5, 3...5, nil])
  }

  @Test func theLargestDecisionIsFound() throws {
    let story = LogStory()
    let writer = try story.open()
    let count = UnitRecord.limit
    try writer.appendNow([.numbered(1), .numbered(2)])
    _ = try writer.writeNow(
      [LogDraft(UnitRecord(actions: count))] + (3..<3 + count).map { number in LogDraft.numbered(number) })
    _ = try writer.writeNow([.numbered(0)])
    try writer.closeNow()
    let reader = try story.reader()
    let revisions = [2, 3, 2 + count, 3 + count]
    #expect(
      try revisions.map { revision in try reader.decision(of: revision) } == [nil, 3...2 + count, 3...2 + count, nil])
  }

  /// Every way to read ends before a unit that is not all there, at each length that a crash can leave, and the next writer removes it.
  @Test func readersSeeAllOrNone() throws {
    let (whole, unit) = try story()
    let bytes = try whole.bytes()
    let head = try whole.files.contents(of: whole.head)
    for size in unit + 1..<bytes.count {
      let story = LogStory()
      try story.record(1)
      try story.files.setContents(Array(bytes[..<size]), of: story.segment())
      try story.files.setContents(head, of: story.head)
      let reader = try story.reader()
      let extent = try reader.extent()
      #expect(extent.lastRevision == 2, "\(size) bytes")
      guard case .torn(let torn, let place) = extent.ending else {
        Issue.record("\(size) bytes end in \(extent.ending)")
        continue
      }
      #expect(torn == size - unit && place.byteOffset == unit)
      for first in 0...5 {
        var records = try reader.records(from: first)
        var last = 0
        while let record = try records.next() { if !record.isControl { last = record.revision } }
        #expect(last == (first <= 2 ? 2 : 0), "\(size) bytes, from \(first)")
        var follower = try reader.follower(from: first)
        #expect(try follower.poll().filter { record in !record.isControl }.last?.revision == (first <= 2 ? 2 : nil))
      }
      var batches = try reader.records(from: 0)
      while let batch = try batches.nextBatch() { #expect(batch.entries.allSatisfy { entry in entry.revision <= 2 }) }
      #expect(throws: LogError.self) { try reader.record(at: 3) }
      #expect(throws: LogError.self) { try reader.record(at: 4) }
      #expect(try reader.lastRecords(5, where: { record in !record.isControl }).records.map(\.number) == [1, 2])
      #expect(try reader.lastRevision(atOrBefore: .latest) == 2)
      try story.expectTorn(after: 2)
      #expect(try story.read().actions == [1, 2])
    }
  }

  @Test func aFollowerReturnsAUnitWhenItIsWhole() throws {
    let (whole, unit) = try story(after: 1)
    let (bytes, head) = (try whole.bytes(), try whole.files.contents(of: whole.head))
    let story = LogStory()
    try story.record(1)
    try story.files.setContents(Array(bytes[..<unit]), of: story.segment())
    try story.files.setContents(head, of: story.head)
    var follower = try story.reader().follower(from: 1)
    var seen: [Int] = []
    for size in unit...bytes.count {
      try story.files.setContents(Array(bytes[..<size]), of: story.segment())
      let new = try follower.poll().filter { record in !record.isControl }.map(\.revision)
      #expect([[], [1, 2], [3, 4, 5], [6]].contains(new), "\(size) bytes")
      seen += new
    }
    #expect(seen == Array(1...6))
  }

  /// A unit that was durable is damaged, not torn: its end is missing, or one of its lines is changed.
  @Test func aDurableUnitIsNotTorn() throws {
    let (story, unit) = try story()
    let writer = try story.open()
    try writer.syncNow()
    writer.abandon()
    let bytes = try story.bytes()
    let offsets = try story.lineOffsets()
    try story.change { bytes in bytes.removeSubrange(offsets[6]...) }
    try story.expectDamage(after: 3)
    try story.files.setContents(bytes, of: story.segment())
    try story.flipByte(offsets[6] + 40)
    // A later line records that the unit was durable.
    try story.removeHead()
    try story.expectDamage(after: 2)
    #expect(offsets[4] == unit)
  }

  /// A lost page between complete lines is what a power cut leaves; a changed byte is not.
  @Test func aLostPageInAUnitIsTorn() throws {
    let story = LogStory()
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    let head = try story.files.contents(of: story.head)
    let actions = (2...40).map { number in LogDraft.numbered(number) }
    _ = try writer.writeNow([LogDraft(UnitRecord(actions: actions.count))] + actions)
    writer.abandon()
    try story.files.setContents(head, of: story.head)
    let bytes = try story.bytes()
    let page = try (story.lineOffsets()[10] / 512 + 1) * 512
    try story.change { bytes in for index in page..<page + 1_024 { bytes[index] = 0 } }
    try story.expectTorn(after: 1)
    try story.files.setContents(bytes, of: story.segment())
    try story.files.setContents(head, of: story.head)
    try story.flipByte(page)
    #expect(throws: LogError.self) { try story.open() }
  }

  @Test func aUnitBeginsANewSegmentAndIsNeverDivided() throws {
    let story = LogStory(segmentLimitBytes: 600)
    let writer = try story.open()
    for unit in 0..<6 {
      let actions = (1...3).map { number in LogDraft.numbered(unit * 3 + number) }
      _ = try writer.appendNow([LogDraft(UnitRecord(actions: 3))] + actions)
    }
    try writer.closeNow()
    let segments = try story.reader().segments
    #expect(segments.count > 2)
    #expect(segments.allSatisfy { segment in segment.first % 3 == 1 })
    #expect(try story.read().actions == Array(1...18))
  }

  /// A log that is made of another one may lack actions of a unit, and must not announce them.
  @Test func aSalvageHasNoUnits() throws {
    let (story, _) = try story(after: 2)
    let writer = try story.open()
    try writer.closeNow()
    try story.flipByte(story.lineOffsets()[6] + 40)
    _ = try LogSalvage.salvage(at: LogStory.path, to: "/new", fileSystem: story.files)
    try story.files.remove("/new/HEAD")
    let reader = try LogReader.open(at: "/new", fileSystem: story.files)
    #expect(try reader.extent().lastRevision == 3)
    var records = try reader.records(from: 0)
    while let record = try records.next() { #expect(record.type != "@unit") }
    #expect(try LogVerifier.verify(at: "/new", fileSystem: story.files).verdict == .clean)
  }

  @Test(arguments: ["{\"actions\":1}", "{\"actions\":1001}", "{\"actions\":\"2\"}", "{}"])
  func aUnitWithoutANumberIsDamage(data: String) throws {
    let story = LogStory()
    let writer = try story.open()
    _ = try writer.appendNow([LogDraft(type: "@unit", data: Array(data.utf8)), .numbered(1)])
    writer.abandon()
    #expect(try story.reader().extent().ending.damage != nil)
  }
}
