import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import TestSupport
import Testing

@Suite("Memory and work of reading", .timeLimit(.minutes(60)))
struct ReadingWorkTests {
  private func story(_ count: Int) throws -> LogStory {
    let story = LogStory(durability: .written)
    let writer = try story.open()
    _ = try writer.writeNow((1...count).map { number in .numbered(number, time: LogTime(microseconds: 0)) })
    try writer.closeNow()
    return story
  }

  @Test(arguments: [5_000, 50_000])
  func readingReadsEachByteOnceInOneChunk(count: Int) throws {
    let story = try story(count)
    let size = try story.bytes().count
    var batches = try story.reader().batches()
    while let batch = try batches.nextBatch() { batches.recycle(batch) }
    #expect(batches.bytesRead == size)
    #expect(batches.largestBufferBytes == RecordBatch.defaultChunkBytes)
    var records = try story.reader().records(chunkBytes: 1 << 18)
    while try records.next() != nil {}
    #expect(records.bytesRead == size)
    #expect(records.largestBufferBytes == 1 << 18)
  }

  /// The end of the log is needed several times by one command.
  @Test func anUnchangedEndIsReadOnce() throws {
    let story = try story(5_000)
    let size = try story.bytes().count
    let reader = try story.reader()
    story.files.resetCounts()
    #expect(try reader.extent().lastRevision == 5_000)
    #expect(story.files.counts.bytesRead >= size)
    story.files.resetCounts()
    #expect(try reader.extent().lastRevision == 5_000)
    // `HEAD`, and the end of the last line.
    #expect(story.files.counts.bytesRead == 128 + 19)
    try story.record(1, from: 5_001)
    #expect(try reader.extent().lastRevision == 5_001)
    // The last line is replaced by another of the same length.
    var bytes = try story.bytes()
    bytes[bytes.count - 5] ^= 1
    try story.files.setContents(bytes, of: story.segment())
    #expect(try reader.extent().ending.damage != nil)
  }

  @Test(arguments: [5_000, 50_000])
  func verifyReadsEachByteOnceInOneChunk(count: Int) throws {
    let story = try story(count)
    let size = try story.bytes().count
    story.files.resetCounts()
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
    #expect(report.actionCount == count)
    // In addition to the segment, only `HEAD` is read.
    #expect(story.files.counts.bytesRead == size + 128)
    #expect(report.largestBufferBytes == 1 << 18)
  }
}

@Suite("Finding an action", .timeLimit(.minutes(60)))
struct SeekTests {
  /// A log with segments of 256 KiB. The seed determines how even the lines are.
  private func story(seed: UInt64, count: Int) throws -> LogStory {
    var generator = SeededGenerator(seed: seed)
    let story = LogStory(durability: .written, segmentLimitBytes: 1 << 18)
    let writer = try story.open()
    for first in stride(from: 1, through: count, by: 500) {
      _ = try writer.writeNow(
        (first..<min(first + 500, count + 1)).map { number in
          // Seed 1: even lines. Seed 2: ranges of long lines. Seed 3: occasionally a line that is longer than a window.
          var length = 0
          if seed == 2, number / 700 % 2 == 0 { length = 900 }
          if seed == 3, Int.random(in: 0..<200, using: &generator) == 0 { length = 20_000 }
          let text = String(repeating: "x", count: length)
          return LogDraft(type: "add", data: Array(#"{"_0":\#(number),"text":"\#(text)"}"#.utf8))
        })
    }
    try writer.closeNow()
    return story
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func findingAnActionReadsFewWindows(seed: UInt64) throws {
    let count = 8_000
    let story = try story(seed: seed, count: count)
    let reader = try story.reader()
    #expect(reader.segments.count > 2)
    var generator = SeededGenerator(seed: seed)
    var reads = 0
    for _ in 0..<100 {
      let revision = Int.random(in: 1...count, using: &generator)
      story.files.resetCounts()
      #expect(try reader.record(at: revision).number == revision)
      reads += story.files.counts.reads
      // Halving alone takes at most six steps; a long line is read in several steps.
      #expect(story.files.counts.reads <= 30, "action \(revision)")
    }
    // The lead-in, three or four steps, the rest; a few more if lines are uneven.
    #expect(reads <= 100 * (seed == 1 ? 8 : 12), "\(reads) reads for 100 actions")
  }

  @Test func findsActionsAddedAfterOpening() throws {
    let story = LogStory(segmentLimitBytes: 900)
    try story.record(5)
    let reader = try story.reader()
    try story.record(20, from: 6)
    for revision in 1...25 { #expect(try reader.record(at: revision).number == revision) }
    #expect(throws: LogError.self) { try reader.record(at: 26) }
  }

  @Test func replacedLogIsNotMistakenForTheOldOne() throws {
    let story = LogStory()
    try story.record(20)
    let reader = try story.reader()
    #expect(try reader.record(at: 15).number == 15)
    var other = RawLog(
      header: #"{"format":"actionlog/1","log":"00000000-7d1e-4c55-9d0a-0b9f6f0f5a11","model":"counter","schema":1,"#
        + #""first":1,"epoch":1,"created":"\#(RawLog.time)"}"#)
    for number in 1...20 { other.line(revision: number, data: #"{"_0":\#(number)}"#) }
    try story.files.setContents(other.bytes, of: story.segment())
    #expect(throws: LogError.self) { try reader.record(at: 15) }
  }
}
