import ActionLog
import Testing

/// Bytes without a line feed, longer than the longest line.
@Suite("Lines beyond the limit", .timeLimit(.minutes(60)))
struct LongLineTests {
  private static let size = LogFormat.lineLimitBytes + 100_000

  /// Five actions, with a line that is too long after the second one.
  private func story() throws -> (story: LogStory, byteOffset: Int) {
    let story = LogStory()
    try story.record(5)
    let offset = try story.lineOffsets()[4]
    try story.change { bytes in
      bytes.insert(contentsOf: [UInt8](repeating: 0x78, count: Self.size - 1) + [0x0A], at: offset)
    }
    return (story, offset)
  }

  @Test func tooLongLineIsOneProblemAndTheRestIsChecked() throws {
    let (story, offset) = try story()
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
    #expect(report.problems.map(\.kind) == [.lineTooLong])
    #expect(report.problems.first?.byteOffset == offset)
    #expect(report.lastRevision == 2)
    #expect(report.actionCount == 5)
    #expect(report.largestBufferBytes <= 2 * LogFormat.lineLimitBytes)
  }

  @Test func readerStopsAndWriterRefusesTooLongLine() throws {
    let (story, offset) = try story()
    let read = try story.read()
    #expect(read.actions == [1, 2])
    #expect(read.ending?.damage?.byteOffset == offset)
    let error = #expect(throws: LogError.self) { try story.open() }
    #expect(error?.code == .damaged)
    #expect(error?.byteOffset == offset)
  }

  @Test func salvageSkipsTooLongLine() throws {
    let (story, offset) = try story()
    let report = try LogSalvage.salvage(
      at: LogStory.path, to: "/saved", join: true, fileSystem: story.files, environment: .test())
    #expect(report.gaps.map(\.byteOffset) == [offset])
    #expect(report.gaps.map(\.sizeBytes) == [Self.size])
    #expect(report.lastRevision == 5)
  }

  @Test func tooLongLineAtTheEndIsATornTail() throws {
    let story = LogStory(durability: .written)
    try story.record(2, close: false)
    let whole = try story.bytes().count
    try story.change { bytes in bytes += [UInt8](repeating: 0x78, count: Self.size) }
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).tornBytes == Self.size)
    let writer = try story.open()
    #expect(writer.opening.recovered?.bytes == Self.size)
    writer.abandon()
    #expect(try story.bytes().count > whole)
    #expect(try story.read().actions == [1, 2])
  }
}
