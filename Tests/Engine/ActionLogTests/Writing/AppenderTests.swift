import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Dispatch
import Platform
import TestSupport
import Testing

@Suite("Appending actions", .timeLimit(.minutes(60)))
struct AppenderTests {
  enum Action: Codable, Equatable, Sendable {
    case add(producer: Int, number: Int, text: String)
    case weigh(Double)
    case reset
  }

  struct Refused: Error {}

  /// An action that fails to encode on request.
  struct Shy: Codable {
    var isRefused: Bool

    func encode(to encoder: any Encoder) throws {
      if isRefused { throw Refused() }
      var container = encoder.singleValueContainer()
      try container.encode("here")
    }
  }

  private let actions: [Action] = (1...60).map { number in
    switch number % 3 {
    case 0: .reset
    case 1: .weigh(Double(number) / 7)
    default: .add(producer: 0, number: number, text: "größer \"\(number)\"\n" + String(repeating: "x", count: number))
    }
  }

  @Test(arguments: [1_000, LogConfiguration.defaultSegmentLimitBytes])
  func producesTheSameBytesAsDrafts(segmentLimitBytes: Int) throws {
    let appended = LogStory(segmentLimitBytes: segmentLimitBytes)
    let written = LogStory(segmentLimitBytes: segmentLimitBytes)
    let writer = try written.open()
    var appender = ActionAppender<Action>(try appended.open())
    let meta = Array(#"{"actor":"u7"}"#.utf8)
    for (index, action) in actions.enumerated() {
      let remarks = index % 2 == 0 ? meta : nil
      let time = index % 4 == 0 ? LogTime(microseconds: Int64(index) * 1_234_567) : nil
      try writer.appendNow([LogDraft(try ActionCoding.encode(action), meta: remarks, time: time)])
      let receipt = try appender.appendNow(action, meta: remarks, time: time)
      #expect(receipt == LogReceipt(revision: index + 1, durability: .synced))
    }
    try writer.closeNow()
    try appender.writer.closeNow()
    let segments = try written.reader().segments
    #expect(try appended.reader().segments == segments)
    for segment in segments { #expect(try appended.bytes(segment.first) == written.bytes(segment.first)) }
  }

  @Test func aCommitIsOneWriteAndOneSync() throws {
    var story = LogStory()
    let door = FaultyFileSystem(story.files)
    story.door = door
    var appender = ActionAppender<Action>(try story.open())
    let before = appender.writer.status
    for number in 1...20 {
      door.forgetCalls()
      try appender.appendNow(.reset)
      let calls = door.calls.map(\.operation).filter { operation in operation != .status }
      #expect(calls == [.size, .append, .size, .sync, .write], "commit \(number)")
      #expect(door.calls.count <= calls.count + 5, "looks that notice another writer")
    }
    try appender.writer.appendNow([.numbered(21)])
    #expect(appender.writer.status.syncCount - before.syncCount == 21)
    #expect(appender.writer.status.batchCount - before.batchCount == 21)
  }

  @Test func aFullBufferIsWrittenDuringASync() throws {
    var story = LogStory()
    story.configuration.bufferLimitBytes = 2_000
    let door = GatedFileSystem(story.files)
    story.door = door
    let writer = try story.open()
    var appender = ActionAppender<Action>(writer)
    door.hold(.sync)
    try appender.enqueue(.reset)
    door.waitForCall()
    // The worker is blocked in a sync. The following actions are many times larger than the buffer.
    for number in 1...200 {
      try appender.enqueue(.add(producer: 0, number: number, text: "beside a sync"))
      #expect(writer.status.pendingBytes <= 2_000)
    }
    #expect(writer.status.syncedRevision == 0)
    #expect(writer.status.writtenRevision > 150)
    door.letGo()
    #expect(try writer.syncNow().revision == 201)
    try writer.closeNow()
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).lastRevision == 201)
  }

  @Test func bufferedActionsAreWrittenInLargeBatches() async throws {
    var story = LogStory(durability: .written)
    let door = FaultyFileSystem(story.files)
    story.door = door
    let writer = try story.open()
    var appender = ActionAppender<Action>(writer)
    door.forgetCalls()
    for _ in 1...100 { try appender.buffer(.reset) }
    #expect(door.calls.isEmpty)
    let receipt = try await writer.receipt()
    #expect(receipt.revision == 100)
    #expect(door.calls.map(\.operation) == [.size, .append, .size])
    let ticket = try appender.buffer(.reset)
    _ = try await writer.receipt(for: ticket)
    #expect(writer.status.writtenRevision == 101)
    try appender.buffer(.reset)
    try appender.enqueue(.reset)
    _ = try await writer.sync()
    #expect(writer.status.writtenRevision == 103)
    door.forgetCalls()
    let text = String(repeating: "x", count: 300)
    for number in 1...3_000 { try appender.buffer(.add(producer: 0, number: number, text: text)) }
    _ = try await writer.sync()
    let writes = door.calls.filter { call in call.operation == .append }.count
    // A worker woken for earlier units may arrive late and write the present ones.
    let limit = try story.bytes().count / (1 << 18) + 1 + 3
    #expect((1...limit).contains(writes), "\(writes) writes")
    try await writer.close()
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).lastRevision == 3_103)
  }

  @Test func aRefusedActionLeavesNoTrace() throws {
    let story = LogStory()
    let writer = try story.open()
    var shy = ActionAppender<Shy>(writer)
    var texts = ActionAppender<String>(writer)
    try shy.appendNow(Shy(isRefused: false))
    let before = try story.bytes()
    #expect(throws: Refused.self) { try shy.appendNow(Shy(isRefused: true)) }
    let long = String(repeating: "x", count: LogFormat.lineLimitBytes)
    let tooLong = #expect(throws: LogError.self) { try texts.enqueue(long) }
    #expect(tooLong?.code == .beyondLimit)
    let noObject = #expect(throws: LogError.self) { try texts.enqueue("a", meta: Array("[]".utf8)) }
    #expect(noObject?.code == .invalidRecord)
    #expect(try story.bytes() == before)
    #expect(try texts.appendNow("next").revision == 2)
    try writer.closeNow()
    #expect(throws: LogError.self) { try texts.enqueue("late") }
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict == .clean)
  }

  @Test(arguments: [UInt64(1), 2, 3, 4])
  func concurrentThreadsKeepTheirOrder(seed: UInt64) throws {
    var story = LogStory(segmentLimitBytes: 20_000)
    story.configuration.bufferLimitBytes = seed % 2 == 0 ? 1_500 : 1 << 20
    let writer = try story.open()
    let before = writer.status
    let commits = Locked(0)
    DispatchQueue.concurrentPerform(iterations: 4) { producer in
      var generator = SeededGenerator(seed: seed * 10 + UInt64(producer))
      var appender = ActionAppender<Action>(writer)
      for number in 1...250 {
        let action = Action.add(producer: producer, number: number, text: "")
        do {
          switch Int.random(in: 0..<8, using: &generator) {
          case 0:
            let receipt = try appender.appendNow(action)
            #expect(writer.status.syncedRevision >= receipt.revision, "seed \(seed)")
            commits.withLock { count in count += 1 }
          case 1, 2: try appender.buffer(action)
          case 3: _ = try writer.writeNow([LogDraft(try ActionCoding.encode(action))])
          default: try appender.enqueue(action)
          }
        } catch {
          Issue.record("seed \(seed), producer \(producer): \(error)")
        }
      }
    }
    #expect(try writer.syncNow().revision == 1_000)
    let status = writer.status
    #expect(status.batchCount - before.batchCount <= 1_000)
    #expect(status.syncCount > before.syncCount && commits.withLock { count in count } > 0)
    try writer.closeNow()
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict == .clean)
    try checkOrder(story, seed)
  }

  /// The log has every producer's numbers in the order of its appends.
  private func checkOrder(_ story: LogStory, _ seed: UInt64) throws {
    var last = [0, 0, 0, 0]
    var records = try story.reader().records(from: 1)
    while let record = try records.next() {
      guard !record.isControl else { continue }
      guard case .add(let producer, let number, _) = try ActionCoding.decode(Action.self, from: record) else {
        Issue.record("seed \(seed): \(record)")
        continue
      }
      #expect(number == last[producer] + 1, "seed \(seed)")
      last[producer] = number
    }
    #expect(last == [250, 250, 250, 250])
  }
}
