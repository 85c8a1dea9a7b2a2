import ActionLog
import TestSupport
import Testing

@Suite("Reading in batches", .timeLimit(.minutes(60)))
struct BatchTests {
  /// The records of a log, and how it ended.
  private struct Outcome: Equatable {
    var records: [LogRecord] = []
    var ending = ""
    var errors: [String] = []
  }

  private func lineByLine(_ reader: LogReader, from revision: Int, chunkBytes: Int) throws -> Outcome {
    var outcome = Outcome()
    var records = try reader.records(from: revision, chunkBytes: chunkBytes)
    do {
      while let record = try records.next() { outcome.records.append(record) }
    } catch {
      outcome.errors.append("\(error)")
      do { _ = try records.next() } catch { outcome.errors.append("\(error)") }
    }
    outcome.ending = "\(String(describing: records.ending))"
    return outcome
  }

  private func inBatches(_ reader: LogReader, from revision: Int, chunkBytes: Int, recycling: Bool) throws -> Outcome {
    var outcome = Outcome()
    var batches = try reader.batches(from: revision, chunkBytes: chunkBytes)
    do {
      while let batch = try batches.nextBatch() {
        #expect(!batch.entries.isEmpty)
        for index in batch.entries.indices { outcome.records.append(check(batch, index)) }
        if recycling { batches.recycle(batch) }
      }
    } catch {
      outcome.errors.append("\(error)")
      do { _ = try batches.nextBatch() } catch { outcome.errors.append("\(error)") }
    }
    outcome.ending = "\(String(describing: batches.ending))"
    return outcome
  }

  /// Returns the record of a batch, after comparing its parts with those of the entry.
  private func check(_ batch: RecordBatch, _ index: Int) -> LogRecord {
    let record = batch.record(at: index)
    let entry = batch.entries[index]
    #expect(entry.revision == record.revision && entry.time == record.time && entry.isControl == record.isControl)
    #expect(entry.crc == record.crc && entry.prev == record.prev && entry.synced == record.synced)
    #expect(entry.schema == record.schema && batch.type(at: index) == record.type)
    #expect(batch.data(at: index) == record.dataBytes && batch.meta(at: index).map(Array.init) == record.meta)
    batch.withTypeAndData(at: index) { type, data in
      #expect(type.elementsEqual(record.type.utf8) && data.elementsEqual(record.dataBytes))
    }
    return record
  }

  private func compare(_ story: LogStory, from revision: Int = 0, chunkBytes: Int = 512, _ comment: Comment) throws {
    let reader = try story.reader()
    let expected = try lineByLine(reader, from: revision, chunkBytes: chunkBytes)
    for recycling in [false, true] {
      let found = try inBatches(reader, from: revision, chunkBytes: chunkBytes, recycling: recycling)
      #expect(found == expected, comment)
    }
  }

  /// A log with two segments, several writers, metadata, escapes in a type, and unusual members.
  private func story() throws -> LogStory {
    let story = LogStory(segmentLimitBytes: 2_000)
    try story.record(8)
    let writer = try story.open(schema: 3)
    for number in 9...20 {
      let long = String(repeating: "é", count: number * 20)
      let type = number % 3 == 0 ? "say \"\(number)\"" : "add"
      let draft = LogDraft(
        type: type, data: Array(#"{"_0":\#(number),"text":"\#(long)"}"#.utf8),
        meta: number % 2 == 0 ? Array(#"{"actor":"u7"}"#.utf8) : nil)
      try writer.appendNow([draft])
    }
    try writer.closeNow()
    return story
  }

  @Test(arguments: [0, 1, 5, 8, 9, 20, 21])
  func batchesHaveTheRecordsOfTheCursor(revision: Int) throws {
    let story = try story()
    #expect(try story.reader().segments.count > 2)
    for chunkBytes in [512, 700, 4_096, 1 << 20] {
      try compare(story, from: revision, chunkBytes: chunkBytes, "from \(revision), \(chunkBytes) bytes at a time")
    }
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func batchesEndLikeTheCursorAtAnyDamage(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let whole = try story()
    let reader = try whole.reader()
    for round in 0..<150 {
      let story = try story()
      let segment = reader.segments.randomElement(using: &generator)!
      let index = Int.random(in: 0..<segment.sizeBytes, using: &generator)
      try story.change(segment.first) { bytes in
        switch round % 4 {
        case 0: bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &generator)
        case 1: bytes.removeLast(bytes.count - index)
        case 2: bytes.insert(UInt8(ascii: "\n"), at: index)
        default: bytes += [0, 0, 10] + Array("{\"seq\":".utf8)
        }
      }
      if round % 8 > 3 { try story.removeHead() }
      guard segment.first > 1 || index > 400 else { continue }
      try compare(
        story, from: round % 3 == 0 ? 10 : 0, "seed \(seed), round \(round), byte \(index) of \(segment.first)")
    }
  }

  @Test func batchesReturnAllValidRecordsBeforeDamage() throws {
    let story = LogStory()
    try story.record(50)
    try story.flipLine(30)
    var batches = try story.reader().batches()
    var count = 0
    let error = #expect(throws: LogError.self) {
      while let batch = try batches.nextBatch() { count += batch.entries.count }
    }
    #expect(count == 30)
    #expect(error?.line == 31)
    #expect(batches.ending?.damage != nil)
  }

  @Test func escapedTypesAreUnescaped() throws {
    var log = RawLog()
    log.line(
      body: #"{"seq":1,"time":"\#(RawLog.time)","type":"\u0061dd","synced":0,"prev":"PREV","data":{"_0":1}"#)
    let story = try log.story()
    var batches = try story.reader().batches(from: 1)
    let batch = try #require(try batches.nextBatch())
    #expect(batch.entries[0].isTypeEscaped)
    _ = check(batch, 0)
    #expect(batch.type(at: 0) == "add")
  }
}
