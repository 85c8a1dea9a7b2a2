import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Platform
import TestSupport
import Testing

@Suite("Reading", .timeLimit(.minutes(60)))
struct ReadingTests {
  /// A log of many actions, one millisecond apart.
  private func longStory(_ count: Int, segmentLimitBytes: Int = LogConfiguration.defaultSegmentLimitBytes) throws
    -> LogStory
  {
    let story = LogStory(durability: .written, segmentLimitBytes: segmentLimitBytes)
    let writer = try story.open()
    for start in stride(from: 1, through: count, by: 1_000) {
      let numbers = start...min(start + 999, count)
      _ = try writer.writeNow(
        numbers.map { number in .numbered(number, time: LogTime(microseconds: Int64(number) * 1_000)) })
    }
    try writer.closeNow()
    return story
  }

  @Test(arguments: [0, 1, 2, 7, 19, 20, 21, 100])
  func readsFromAnyActionToTheEnd(revision: Int) throws {
    let story = LogStory(segmentLimitBytes: 900)
    try story.record(20)
    let read = try story.read(from: revision)
    #expect(read.actions == Array(max(revision, 1)..<max(21, revision)))
    guard case .closed = read.ending else {
      Issue.record("\(String(describing: read.ending))")
      return
    }
  }

  @Test func controlRecordsAfterTheFirstActionAreReturned() throws {
    let story = LogStory()
    try story.record(2)
    try story.record(1, from: 3)
    var records = try story.reader().records(from: 2)
    var types: [String] = []
    while let record = try records.next() { types.append(record.type) }
    #expect(types == ["add", "@close", "@open", "add", "@close"])
  }

  @Test func findingAnActionReadsFewBytes() throws {
    let story = try longStory(100_000)
    let reader = try story.reader()
    let size = try story.bytes().count
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<50 {
      let revision = Int.random(in: 1...100_000, using: &generator)
      story.files.resetCounts()
      #expect(try reader.record(at: revision).number == revision)
      let bytesRead = story.files.counts.bytesRead
      // Fourteen halvings of a window each, and the first chunk read from there.
      #expect(bytesRead < 64 * 1_024, "\(bytesRead) of \(size) bytes for action \(revision)")
    }
  }

  @Test func readingStartsInTheRightSegment() throws {
    let story = try longStory(5_000, segmentLimitBytes: 20_000)
    let reader = try story.reader()
    #expect(reader.segments.count > 4)
    for revision in stride(from: 1, through: 5_000, by: 97) {
      story.files.resetCounts()
      #expect(try reader.record(at: revision).number == revision)
      let bytesRead = story.files.counts.bytesRead
      #expect(bytesRead < 64 * 1_024, "\(bytesRead) bytes for action \(revision)")
    }
    var records = try reader.records(from: 4_999)
    #expect(try records.next()?.revision == 4_999)
  }

  @Test(arguments: [1, 600, 4_096, 1 << 20])
  func chunkSizeDoesNotChangeTheResult(chunkBytes: Int) throws {
    let story = LogStory(segmentLimitBytes: 3_000)
    let writer = try story.open()
    var generator = SeededGenerator(seed: 3)
    for number in 1...60 {
      let text = String(repeating: "y", count: Int.random(in: 0...2_000, using: &generator))
      try writer.appendNow([LogDraft(type: "add", data: Array(#"{"_0":\#(number),"_1":"\#(text)"}"#.utf8))])
    }
    try writer.closeNow()
    var records = try story.reader().records(chunkBytes: chunkBytes)
    var actions: [Int] = []
    while let record = try records.next() {
      #expect(
        try Array(story.files.contents(of: record.place.path)[record.place.byteOffset...]).starts(with: record.rawLine))
      if !record.isControl { actions.append(record.number) }
    }
    #expect(actions == Array(1...60))
  }

  @Test func bytesAreReadOnceAndCounted() throws {
    let story = try longStory(3_000, segmentLimitBytes: 100_000)
    let reader = try story.reader()
    story.files.resetCounts()
    var records = try reader.records()
    while try records.next() != nil {}
    let size = reader.segments.reduce(0) { sum, segment in sum + segment.sizeBytes }
    #expect(records.bytesRead == size)
    // `HEAD` is read, too.
    #expect(story.files.counts.bytesRead <= size + 128)
  }

  @Test(arguments: [-1, 0, 6, 1_000_000, Int.max])
  func missingRevisionErrorNamesTheAvailableOnes(revision: Int) throws {
    let story = LogStory()
    try story.record(5)
    let error = #expect(throws: LogError.self) { try story.reader().record(at: revision) }
    #expect(error?.code == .revisionOutOfRange)
    #expect(error?.message == (revision == 0 ? "revision 0 has no action" : "revision \(revision) is not in the log"))
    #expect(revision == 0 || error?.advice == "The log holds the revisions 0…5. Name one of them, or 'end'.")
    #expect(try story.reader().records(from: max(6, revision)).ending == nil)
  }

  @Test func anEmptyLogHasNoActions() throws {
    let story = LogStory()
    try story.open().closeNow()
    let extent = try story.reader().extent()
    #expect(extent.lastRevision == 0)
    #expect(extent.lastAction == nil)
    let error = #expect(throws: LogError.self) { try story.reader().record(at: 1) }
    #expect(error?.message == "revision 1 is not in the log")
    #expect(error?.advice == "The log has only revision 0 and no actions.")
  }

  @Test func extentNamesTheLastActionOfAnEarlierSegment() throws {
    let story = LogStory()
    try story.record(2)
    let record = try story.reader().record(at: 2)
    try story.open(schema: 2).closeNow()
    let extent = try story.reader().extent()
    #expect(extent.lastRevision == 2)
    #expect(extent.lastAction?.revision == 2)
    #expect(extent.lastAction?.time == record.time)
    #expect(extent.lastAction?.crc == record.crc)
    guard case .closed = extent.ending else {
      Issue.record("\(extent.ending)")
      return
    }
  }

  @Test func singleSegmentCanBeRead() throws {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(6)
    let second = try story.reader().segments[1]
    try story.files.setContents(try story.files.contents(of: second.path), of: "/elsewhere/copy.jsonl")
    let reader = try LogReader.open(at: "/elsewhere/copy.jsonl", fileSystem: story.files)
    #expect(reader.isSingleSegment)
    #expect(reader.header.first == second.first)
    #expect(try reader.record(at: second.first).number == second.first)
    let error = #expect(throws: LogError.self) { try reader.record(at: 1) }
    #expect(error?.advice?.description.contains("holds the revisions \(second.first)…") == true)
    #expect(try LogVerifier.verify(at: "/elsewhere/copy.jsonl", fileSystem: story.files).verdict == .clean)
  }

  @Test(arguments: ["", "hello\n", "{}\n", #"{"a":1}"#])
  func otherFileIsNotALog(text: String) throws {
    let files = MemoryFileSystem()
    try files.setContents(Array(text.utf8), of: "/file")
    #expect(#expect(throws: LogError.self) { try LogReader.open(at: "/file", fileSystem: files) }?.code == .notALog)
    #expect(#expect(throws: LogError.self) { try LogReader.open(at: "/none", fileSystem: files) }?.code == .notFound)
    try files.createDirectory("/empty")
    #expect(#expect(throws: LogError.self) { try LogReader.open(at: "/empty", fileSystem: files) }?.code == .notALog)
  }

  @Test func readerReadsWhileAWriterIsActive() throws {
    let story = LogStory(segmentLimitBytes: 900)
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    let reader = try story.reader()
    for number in 2...10 { try writer.appendNow([.numbered(number)]) }
    #expect(try reader.extent().lastRevision == 10, "segments that were made since are found")
    #expect(try reader.record(at: 10).number == 10)
  }

  /// The writer appends before each call of the reader in turn.
  @Test func lineCompletedDuringReadingIsNotDamage() throws {
    let whole = LogStory()
    try whole.record(3, close: false)
    try whole.removeHead()
    let bytes = try whole.bytes()
    var callCount = 1
    var number = 0
    while number < callCount {
      number += 1
      let disk = whole.files.copy()
      try disk.setContents(bytes.dropLast(20), of: whole.segment())
      let writer = try disk.open(whole.segment(), for: .append)
      let count = Locked(0)
      let door = FaultyFileSystem(disk) { [number] _ in
        let isMoment = count.withLock { count in
          count += 1
          return count == number
        }
        if isMoment { #expect(throws: Never.self) { try writer.append(Array(bytes.suffix(20))) } }
      }
      var story = LogStory(disk)
      story.door = door
      let extent = try story.reader().extent()
      #expect(extent.ending.damage == nil, "before call \(number)")
      #expect((2...3).contains(extent.lastRevision))
      callCount = door.calls.count
    }
    #expect(number > 4)
  }

  @Test func damageIsReportedAgainAtEveryCall() throws {
    let story = LogStory()
    try story.record(5)
    try story.flipLine(4)
    var records = try story.reader().records(from: 1)
    #expect(try records.next()?.revision == 1)
    #expect(try records.next()?.revision == 2)
    for _ in 0..<3 {
      #expect(#expect(throws: LogError.self) { try records.next() }?.revision == 3)
    }
  }

  @Test func actionsAfterDamageCannotBeRead() throws {
    let story = LogStory()
    try story.record(5)
    try story.flipLine(4)
    #expect(#expect(throws: LogError.self) { try story.reader().record(at: 3) }?.code == .damaged)
    #expect(try story.reader().extent().lastRevision == 2)
  }
}
