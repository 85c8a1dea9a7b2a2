import ActionLog
import ActionLogTesting
import TestSupport
import Testing

@Suite("Last records", .timeLimit(.minutes(60)))
struct LastRecordsTests {
  /// A log of several writers, with control records between the actions.
  private func story(_ count: Int, segmentLimitBytes: Int = LogConfiguration.defaultSegmentLimitBytes) throws
    -> LogStory
  {
    let story = LogStory(durability: .written, segmentLimitBytes: segmentLimitBytes)
    for first in stride(from: 1, through: count, by: 700) {
      let writer = try story.open()
      _ = try writer.writeNow(
        (first..<min(first + 700, count + 1)).map { number in .numbered(number, time: LogTime(microseconds: 0)) })
      try writer.closeNow()
    }
    return story
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8])
  func lastRecordsMatchAScan(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let count = Int.random(in: 0...3_000, using: &generator)
    let story = try story(count, segmentLimitBytes: Int.random(in: 2_000...200_000, using: &generator))
    if count == 0 { try story.record(0) }
    let reader = try story.reader()
    var all: [LogRecord] = []
    var records = try reader.records()
    while let record = try records.next() { all.append(record) }
    for _ in 0..<40 {
      let wanted = Int.random(in: 0...400, using: &generator)
      let period = [1, 1, 3, 97, 1_000_000].randomElement(using: &generator) ?? 1
      let withControl = Bool.random(using: &generator)
      let first = Bool.random(using: &generator) ? 0 : Int.random(in: 0...max(1, count), using: &generator)
      let last = Bool.random(using: &generator) ? .max : Int.random(in: first...(first + count + 1), using: &generator)
      func isWanted(_ record: LogRecord) -> Bool {
        (withControl || !record.isControl) && record.revision % period == 0
      }
      let found = try reader.lastRecords(wanted, in: first...last, where: isWanted)
      // After any point but the start, records begin with the action at that point.
      let start =
        first == 0 ? 0 : all.firstIndex { record in !record.isControl && record.revision >= first } ?? all.count
      let expected = all[start...].filter { record in record.revision <= last && isWanted(record) }.suffix(wanted)
      #expect(
        found.records.map(\.place.byteOffset) == expected.map(\.place.byteOffset), "seed \(seed): \(first)…\(last)")
      #expect(found.records.map(\.revision) == expected.map(\.revision))
      #expect(found.lastRevision == count && found.damage == nil)
    }
  }

  @Test func costDependsOnTheEndOnly() throws {
    let story = try story(100_000, segmentLimitBytes: 1 << 19)
    let reader = try story.reader()
    #expect(reader.segments.count > 20)
    story.files.resetCounts()
    let one = try reader.lastRecords(1) { record in !record.isControl }
    #expect(one.records.map(\.revision) == [100_000])
    // The last segment, to find the end; the seams of the others; then one range.
    let seams = reader.segments.count * 16_384
    #expect(story.files.counts.bytesRead < (1 << 19) + seams + (1 << 17), "\(story.files.counts.bytesRead)")
    #expect(one.bytesRead < 1 << 17, "\(one.bytesRead)")
    // Each range is as long as everything after it, so the search reads at most twice the distance.
    let far = try reader.lastRecords(1) { record in !record.isControl && record.revision % 90_000 == 0 }
    #expect(far.records.map(\.revision) == [90_000])
    let lineBytes = try story.bytes().count / 2_000
    #expect(far.bytesRead < 2 * 2 * 10_000 * lineBytes, "\(far.bytesRead)")
  }

  @Test func damageEndsTheSearch() throws {
    let story = try story(3_000, segmentLimitBytes: 40_000)
    let reader = try story.reader()
    let damaged = reader.segments[reader.segments.count / 2]
    let bad = try lines(of: story, in: damaged)[10].revision
    try story.flipLine(10, of: damaged.first)
    let near = try reader.lastRecords(5) { record in !record.isControl }
    #expect(near.damage == nil && near.records.map(\.revision) == Array(2_996...3_000))
    let all = try reader.lastRecords(3_000) { record in !record.isControl }
    #expect(all.damage?.code == .damaged)
    #expect(all.damage?.path == damaged.path && all.damage?.revision == bad)
    #expect(all.records.map(\.revision) == Array(bad + 1...3_000))
    // If there are enough records after the damage, nothing before it is read.
    let exact = try reader.lastRecords(3_000 - bad) { record in !record.isControl }
    #expect(exact.damage == nil && exact.records.map(\.revision) == Array(bad + 1...3_000))
    // At the end of the log, damage is the ending.
    let last = try #require(reader.segments.last)
    try story.flipLine(4, of: last.first)
    let before = try story.reader().lastRecords(1) { record in !record.isControl }
    #expect(before.records.map(\.revision) == [before.lastRevision] && before.lastRevision < 3_000)
    #expect(before.ending.damage?.path == last.path)
  }

  private struct Line {
    var revision: Int
    var isControl: Bool
  }

  /// Returns the lines of a segment.
  private func lines(of story: LogStory, in segment: LogSegment) throws -> [Line] {
    var records = try LogReader.open(at: segment.path, fileSystem: story.files).records()
    var lines: [Line] = []
    while let record = try records.next() { lines.append(Line(revision: record.revision, isControl: record.isControl)) }
    return lines
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6])
  func lastOfSeveralDamagesCounts(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<5 {
      let story = try story(2_000, segmentLimitBytes: Int.random(in: 5_000...100_000, using: &generator))
      let reader = try story.reader()
      var firstShown = 1
      // The seams, and the lines up to the first action of a segment, have tests of their own.
      for segment in reader.segments.dropLast() where Int.random(in: 0..<8, using: &generator) == 0 {
        let lines = try self.lines(of: story, in: segment)
        for _ in 0..<Int.random(in: 1...3, using: &generator) where lines.count > 6 {
          let bad = Int.random(in: 3..<lines.count - 1, using: &generator)
          try story.breakLine(bad, of: segment.first)
          // After a control record, the next action is the one after it.
          firstShown = max(firstShown, lines[bad].revision + 1)
        }
      }
      let behind = 2_000 - firstShown + 1
      for wanted in [1, 10, behind, behind + 1, 2_000].sorted() where wanted <= 2_000 {
        let found = try reader.lastRecords(wanted) { record in !record.isControl }
        let expected = max(firstShown, 2_000 - wanted + 1)
        #expect(found.records.map(\.revision) == Array(expected...2_000), "seed \(seed): \(wanted), \(firstShown)")
        #expect((found.damage != nil) == (wanted > behind), "seed \(seed): \(wanted), \(firstShown)")
      }
    }
  }

  @Test func actionsOfUnknownSchemaAreSkipped() throws {
    let story = LogStory(durability: .written)
    for schema in 1...3 {
      let writer = try story.open(schema: schema)
      _ = try writer.writeNow((1...100).map { number in .numbered(number, time: LogTime(microseconds: 0)) })
      try writer.closeNow()
    }
    // The `@open` of the second writer.
    try story.flipLine(1, of: 101)
    let found = try story.reader().lastRecords(200) { record in !record.isControl }
    #expect(found.records.map(\.revision) == Array(201...300))
    #expect(found.records.allSatisfy { record in record.schema == 3 })
    #expect(found.damage?.path == story.segment(101) && found.damage?.line == 2)
  }

  @Test func missingLinesAreDamage() throws {
    let story = try story(3_000, segmentLimitBytes: 40_000)
    let reader = try story.reader()
    let segment = reader.segments[reader.segments.count / 2]
    let lines = try self.lines(of: story, in: segment)
    let offsets = try story.lineOffsets(segment.first)
    try story.change(segment.first) { bytes in bytes.removeSubrange(offsets[5]..<offsets[8]) }
    let found = try reader.lastRecords(3_000) { record in !record.isControl }
    let next = try #require(lines[8...].first { line in !line.isControl })
    #expect(found.damage?.revision == lines[4].revision + 1)
    #expect(found.records.map(\.revision) == Array(next.revision...3_000))
  }

  /// Ranges begin at an action, so the records between two ranges belong to the earlier one, after its last action.
  @Test func damageBetweenRangesIsReported() throws {
    // The last range consists of the last 256 actions, which are in a segment of their own because of another schema.
    // Digests and the `@close` of a writer are before it, at the end of the other segment.
    let story = LogStory(durability: .written)
    for (actions, schema) in [(1...600, 1), (601...856, 2)] {
      let writer = try story.open(schema: schema)
      _ = try writer.writeNow(actions.map { number in .numbered(number, time: LogTime(microseconds: 0)) })
      let digest = LogDraft(type: "@digest", data: Array(#"{"state":"s","reducer":"r"}"#.utf8))
      _ = try writer.writeNow([digest, digest])
      try writer.closeNow()
    }
    #expect(try story.reader().segments.map(\.first) == [1, 601])
    // `@segment` and `@open` precede the actions.
    try story.flipLine(602)
    let reader = try story.reader()
    let near = try reader.lastRecords(200) { record in !record.isControl }
    #expect(near.records.map(\.revision) == Array(657...856) && near.damage == nil, "nothing before them was asked for")
    let far = try reader.lastRecords(5) { record in !record.isControl && record.revision % 100 == 0 }
    #expect(far.damage?.code == .damaged && far.damage?.path == story.segment())
    #expect(far.damage?.revision == 601)
    #expect(far.records.map(\.revision) == [700, 800], "records before and after the damage are not adjacent")
    // After the requested range, the damage does not matter.
    let before = try reader.lastRecords(5, in: 1...600) { record in !record.isControl }
    #expect(before.damage == nil && before.records.map(\.revision) == Array(596...600))
  }

  @Test func singleSegmentHasLastRecords() throws {
    let story = try story(3_000, segmentLimitBytes: 40_000)
    let segment = try story.reader().segments[2]
    let reader = try LogReader.open(at: segment.path, fileSystem: story.files)
    let all = try reader.lastRecords(10_000) { record in !record.isControl }
    #expect(all.records.first?.revision == segment.first)
    #expect(all.records.count == (try story.reader().segments[3].first) - segment.first)
  }

  @Test(arguments: [1, 2, 699, 700, 701, 2_999, 3_000])
  func lineNumbersAreKnownFromAnyStart(revision: Int) throws {
    let story = try story(3_000, segmentLimitBytes: 200_000)
    let reader = try story.reader()
    let place = try reader.record(at: revision).place
    let first = try #require(reader.segments.last { segment in segment.first <= revision }).first
    let line = try reader.lineNumber(of: place)
    #expect(try story.lines(first)[line - 1].hasPrefix(#"{"seq":\#(revision),"#))
    #expect(try !story.lines(first)[line - 1].contains("@"))
  }
}
