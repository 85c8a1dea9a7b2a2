import ActionLog
import ActionLogTesting
import TestSupport
import Testing

@Suite("Appending", .timeLimit(.minutes(60)))
struct AppendTests {
  @Test func actionsAreNumberedFromOneWithoutGaps() async throws {
    let story = LogStory()
    let writer = try story.open()
    #expect(writer.opening.isNew)
    for number in 1...3 {
      let receipt = try await writer.append([.numbered(number)])
      #expect(receipt == LogReceipt(revision: number, durability: .synced))
    }
    try await writer.close()
    #expect(try story.read().actions == [1, 2, 3])
    #expect(try story.types() == ["@segment", "@open", "add", "add", "add", "@close"])
  }

  @Test func aUnitIsOneAppendAndOneSync() async throws {
    let story = LogStory()
    let writer = try story.open()
    story.files.resetCounts()
    let receipt = try await writer.append((1...100).map { number in .numbered(number) })
    #expect(receipt.revision == 100)
    #expect(story.files.counts.appends == 1)
    #expect(story.files.counts.syncs == 1)
    #expect(writer.status.batchCount == 2, "the first one was @open")
  }

  @Test func concurrentTasksShareSyncs() async throws {
    let story = LogStory()
    let writer = try story.open()
    story.files.resetCounts()
    let receipts = try await withThrowingTaskGroup(of: LogReceipt.self) { group in
      for number in 1...200 { group.addTask { try await writer.append([.numbered(number)]) } }
      return try await group.reduce(into: []) { receipts, receipt in receipts.append(receipt) }
    }
    #expect(receipts.map(\.revision).sorted() == Array(1...200))
    #expect(story.files.counts.syncs <= story.files.counts.appends)
    try await writer.close()
    #expect(try story.read().actions.sorted() == Array(1...200))
  }

  @Test func theDraftsOfAUnitStayTogether() async throws {
    let story = LogStory()
    let writer = try story.open()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for unit in 0..<40 {
        group.addTask { _ = try await writer.append((0..<5).map { part in .numbered(unit * 5 + part) }) }
      }
      try await group.waitForAll()
    }
    try await writer.close()
    let actions = try story.read().actions
    #expect(actions.count == 200)
    for start in stride(from: 0, to: actions.count, by: 5) {
      #expect(Array(actions[start..<start + 5]) == Array(actions[start]..<actions[start] + 5))
    }
  }

  @Test func aTicketWaitsUntilItsUnitIsDurable() async throws {
    let story = LogStory()
    let writer = try story.open()
    let first = try writer.enqueue([.numbered(1)])
    let second = try writer.enqueue([.numbered(2), .numbered(3)])
    #expect(first.revision == 1)
    #expect(second.revision == 3)
    #expect(try await writer.receipt(for: second) == LogReceipt(revision: 3, durability: .synced))
    #expect(try await writer.receipt(for: first) == LogReceipt(revision: 1, durability: .synced))
    #expect(writer.status.syncedRevision == 3)
    #expect(try story.files.durableContents(of: story.segment()) == story.bytes())
  }

  @Test func anEmptyUnitReturnsTheLastRevision() async throws {
    let story = LogStory()
    let writer = try story.open()
    try await writer.append([.numbered(1)])
    #expect(try await writer.append([]).revision == 1)
    #expect(try writer.enqueue([]).revision == 1)
    #expect(try story.lines().count == 3)
  }

  @Test func controlRecordsRepeatThePreviousSeq() throws {
    let story = LogStory()
    let writer = try story.open()
    try writer.appendNow([LogDraft(type: "@base", data: Array(#"{"state":7}"#.utf8))])
    try writer.appendNow([.numbered(1), LogDraft(type: "@digest", data: Array(#"{"state":"","reducer":""}"#.utf8))])
    try writer.closeNow()
    var records = try story.reader().records()
    var seen: [String] = []
    while let record = try records.next() { seen.append("\(record.revision) \(record.type)") }
    #expect(seen == ["0 @segment", "0 @open", "0 @base", "1 add", "1 @digest", "1 @close"])
  }

  @Test func aControlRecordNeedsItsOwnSync() async throws {
    let story = LogStory()
    let writer = try story.open()
    try await writer.append([.numbered(1)])
    story.files.resetCounts()
    let receipt = try await writer.append([LogDraft(type: "@digest", data: Array("{}".utf8))])
    #expect(receipt.revision == 1)
    #expect(story.files.counts.syncs == 1)
  }

  @Test(arguments: ["@segment", "@open", "@close", "@redact", "@prune", "@new"])
  func theWritersOwnControlRecordsAreRefused(type: String) throws {
    let writer = try LogStory().open()
    let error = #expect(throws: LogError.self) { try writer.enqueue([LogDraft(type: type, data: Array("{}".utf8))]) }
    #expect(error?.code == .invalidRecord)
  }

  @Test(arguments: ["[]", "1", "", "{", #"{"a":1,"a":2}"#, " {}", "{}\n", "{\n}", "{}{}", #"{"a":"\ud800"}"#])
  func malformedDataIsRefused(data: String) throws {
    let story = LogStory()
    let writer = try story.open()
    let error = #expect(throws: LogError.self) {
      try writer.enqueue([.numbered(1), LogDraft(type: "add", data: Array(data.utf8))])
    }
    #expect(error?.code == .invalidRecord)
    let asMeta = #expect(throws: LogError.self) {
      try writer.enqueue([LogDraft(type: "add", data: Array("{}".utf8), meta: Array(data.utf8))])
    }
    #expect(asMeta?.code == .invalidRecord)
    try writer.appendNow([.numbered(1)])
    #expect(try story.read().actions == [1])
  }

  @Test func typesHaveOneToOneThousandAndTwentyFourBytes() throws {
    let story = LogStory()
    let writer = try story.open()
    let data = Array("{}".utf8)
    let empty = #expect(throws: LogError.self) { try writer.enqueue([LogDraft(type: "", data: data)]) }
    #expect(empty?.code == .invalidRecord)
    let longest = String(repeating: "é", count: 512)
    try writer.appendNow([LogDraft(type: longest, data: data)])
    let tooLong = #expect(throws: LogError.self) { try writer.enqueue([LogDraft(type: longest + "x", data: data)]) }
    #expect(tooLong?.code == .beyondLimit)
    #expect(try story.reader().record(at: 1).type == longest)
  }

  @Test func aLineLongerThanTheLimitIsRefused() throws {
    let story = LogStory()
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    let envelope = try #require(try story.lines().last).utf8.count + 1 - #"{"_0":1}"#.utf8.count
    let room = LogFormat.lineLimitBytes - envelope - #"{"_0":""}"#.utf8.count
    func draft(_ count: Int) -> LogDraft {
      let text = [UInt8](repeating: UInt8(ascii: "x"), count: count)
      return LogDraft(type: "add", data: Array(#"{"_0":""#.utf8) + text + Array("\"}".utf8))
    }
    let error = #expect(throws: LogError.self) { try writer.enqueue([.numbered(2), draft(room + 1)]) }
    #expect(error?.code == .beyondLimit)
    try writer.appendNow([draft(room)])
    var records = try story.reader().records()
    var sizes: [Int] = []
    while let record = try records.next() { sizes.append(record.rawLine.count) }
    #expect(sizes.last == LogFormat.lineLimitBytes - 1)
  }

  @Test(arguments: ["append", "check", "enqueue"])
  func tooLongRecordNamesItsLargestPart(call: String) throws {
    let writer = try LogStory().open()
    let text = String(repeating: "x", count: LogFormat.lineLimitBytes)
    let data = #"{"page":3,"note":{"tags":["a","b"],"lines":["short","\#(text)"]}}"#
    let error = #expect(throws: LogError.self) {
      let draft = LogDraft(type: "notes.paste", data: Array(data.utf8))
      switch call {
      case "append": try writer.appendNow([draft])
      case "check": try LogWriter.check([draft])
      default: _ = try writer.enqueue([draft])
      }
    }
    #expect(error?.code == .beyondLimit)
    #expect(
      error?.message == "a record of type 'notes.paste' is longer than 16777216 bytes; its largest part is "
        + "/data/note/lines/1 with 16777218 bytes")
    #expect(writer.status.lastRevision == 0)
  }

  /// Each part by itself is short enough.
  @Test func tooLongLineNamesItsLargestPart() throws {
    let writer = try LogStory().open()
    let half = String(repeating: "x", count: LogFormat.lineLimitBytes / 2)
    let error = #expect(throws: LogError.self) {
      try writer.appendNow([
        LogDraft(type: "add", data: Array(#"{"a":"\#(half)"}"#.utf8), meta: Array(#"{"b":"\#(half)y"}"#.utf8))
      ])
    }
    #expect(error?.message.hasSuffix("its largest part is /meta/b with 8388611 bytes") == true)
    #expect(error?.message.hasPrefix("a record of type 'add' ") == true)
  }

  @Test(arguments: [127, 128])
  func nestingBeyondTheLimitIsRefused(depth: Int) throws {
    let writer = try LogStory().open()
    // `data` is one level, the record another.
    let inner = String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
    let draft = LogDraft(type: "add", data: Array(#"{"_0":\#(inner)}"#.utf8))
    if depth == 127 {
      try writer.appendNow([draft])
    } else {
      #expect(#expect(throws: LogError.self) { try writer.enqueue([draft]) }?.code == .beyondLimit)
    }
  }

  @Test func aFullQueueMakesAppendersWait() async throws {
    var story = LogStory()
    story.configuration.bufferLimitBytes = 2_000
    let writer = try story.open()
    // A unit larger than the limit is accepted when the queue is empty.
    let long = Array(#"{"_0":"\#(String(repeating: "x", count: 5_000))"}"#.utf8)
    try await writer.append([LogDraft(type: "add", data: long)])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...100 { group.addTask { _ = try await writer.append([.numbered(number)]) } }
      try await group.waitForAll()
    }
    #expect(writer.status.writtenRevision == 101)
  }

  @Test func aFullQueueRefusesEnqueuing() throws {
    var story = LogStory()
    story.configuration.bufferLimitBytes = 2_000
    let door = GatedFileSystem(story.files)
    story.door = door
    let writer = try story.open()
    door.hold(.append)
    var refusal: LogError?
    for number in 1...100 where refusal == nil {
      do { _ = try writer.enqueue([.numbered(number)]) } catch { refusal = error }
    }
    #expect(refusal?.code == .beyondLimit)
    door.letGo()
    #expect(try writer.syncNow().revision == writer.status.lastRevision)
    _ = try writer.enqueue([.numbered(101)])
  }

  @Test func timesComeFromTheDraftOrTheClock() throws {
    let story = LogStory()
    let writer = try story.open()
    let time = LogTime(microseconds: 42)
    try writer.appendNow([.numbered(1, time: time), .numbered(2)])
    #expect(try story.reader().record(at: 1).time == time)
    #expect(try story.reader().record(at: 2).time == LogEnvironment.testStart.advanced(by: .milliseconds(2)))
  }
}
