import ActionLog
import Testing

@Suite("Memory and work of reading", .timeLimit(.minutes(5)))
struct ReadingWorkTests {
  private func story(_ count: Int) throws -> LogStory {
    let story = LogStory(durability: .flush)
    let writer = try story.open()
    _ = try writer.write((1...count).map { number in .numbered(number, time: LogTime(microseconds: 0)) })
    try writer.closeNow()
    return story
  }

  @Test(arguments: [5_000, 50_000])
  func bothReadEachByteOnceThroughBuffersOfOneChunk(count: Int) throws {
    let story = try story(count)
    let size = try story.bytes().count
    var batches = try story.reader().batches()
    while let batch = try batches.next() { batches.recycle(batch) }
    #expect(batches.bytesRead == size)
    #expect(batches.largestBufferBytes == RecordBatchIterator.defaultChunkBytes)
    var records = try story.reader().records(chunkBytes: 1 << 18)
    while try records.next() != nil {}
    #expect(records.bytesRead == size)
    #expect(records.largestBufferBytes == 1 << 18)
  }

  @Test(arguments: [5_000, 50_000])
  func verifyingReadsEachByteOnceThroughBuffersOfOneChunk(count: Int) throws {
    let story = try story(count)
    let size = try story.bytes().count
    story.files.resetCounts()
    let report = try LogVerifier.verify(LogStory.path, fileSystem: story.files)
    #expect(report.actionCount == count)
    // Beside the segment only HEAD.
    #expect(story.files.counts.bytesRead == size + 128)
    #expect(report.largestBufferBytes == 1 << 18)
  }
}
