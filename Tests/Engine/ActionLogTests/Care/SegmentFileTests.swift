import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import TestSupport
import Testing

@Suite("Logs in a single file", .timeLimit(.minutes(60)))
struct SegmentFileTests {
  private static let target = "/single.jsonl"

  private func sink(_ story: LogStory) throws -> LogSink {
    try LogSink(
      to: Self.target, "file", isSingleFile: true, model: "counter", schema: 2,
      parent: LogHeader.Parent(log: RawLog.id, revision: 3, crc: 0x1234_5678), isRedactable: false,
      fileSystem: story.door, environment: .test())
  }

  @Test func sinkCountsActionsAndNoControlRecords() throws {
    let story = LogStory()
    var sink = try sink(story)
    try sink.append(LogDraft(type: "@base", data: Array(#"{"state":{}}"#.utf8)), schema: 1)
    for number in 1...3 {
      try sink.append(.numbered(number), schema: 2)
      #expect(sink.lastRevision == number)
    }
    #expect(try story.files.status(of: Self.target) == nil)
    try sink.finish()
    let reader = try LogReader.open(at: Self.target, fileSystem: story.files)
    #expect(try reader.record(at: 3).number == 3)
    #expect(reader.header.parent?.revision == 3 && reader.header.schema == 2)
    #expect(try LogVerifier.verify(at: Self.target, fileSystem: story.files).lastRevision == 3)
    #expect(story.files.filePaths == [Self.target])
  }

  /// Memory does not grow with the file: a megabyte of actions is written at a time.
  @Test func longFilesAreWrittenInUnits() throws {
    let story = LogStory()
    var sink = try sink(story)
    var sizes: Set<Int> = []
    for number in 1...12_000 {
      try sink.append(.numbered(number), schema: 2)
      if number % 1_000 == 0 {
        let unfinished = story.files.filePaths.filter { path in path.hasSuffix("0000000000000001.jsonl") }
        sizes.insert(try unfinished.reduce(0) { sum, path in try sum + story.files.contents(of: path).count })
      }
    }
    #expect((2...4).contains(sizes.count), "\(sizes)")
    try sink.finish()
    #expect(try LogVerifier.verify(at: Self.target, fileSystem: story.files).lastRevision == 12_000)
  }

  /// A single file cannot state that an action is excluded from the fold.
  @Test func skippedActionIsRefused() throws {
    let story = LogStory()
    var sink = try sink(story)
    try sink.append(.numbered(1), schema: 2)
    var draft = LogDraft.numbered(2)
    draft.isSkipped = true
    let error = #expect(throws: LogError.self) { try sink.append(draft, schema: 2) }
    #expect(error?.code == .invalidArgument && error?.message.contains("excludes action 2 of the range") == true)
    sink.discard()
    #expect(story.files.filePaths.isEmpty)
  }

  @Test func existingFileIsNotReplaced() throws {
    let story = LogStory()
    try story.files.setContents(Array("mine".utf8), of: Self.target)
    let error = #expect(throws: LogError.self) { try sink(story) }
    #expect(error?.code == .exists && error?.advice == "Name a file that does not exist yet.")
    #expect(try story.files.contents(of: Self.target) == Array("mine".utf8))
    #expect(story.files.filePaths == [Self.target])
  }
}
