import ActionLog
import Foundation
import Platform
import TestSupport
import Testing

@Suite("Durability", .timeLimit(.minutes(60)))
struct DurabilityTests {
  private func story(_ durability: Durability = .commit) -> (LogStory, FaultyFileSystem) {
    var story = LogStory(durability: durability)
    let door = FaultyFileSystem(story.files)
    story.door = door
    return (story, door)
  }

  @Test func aNewLogIsDurableBeforeItIsHandedOver() throws {
    let (story, door) = story()
    _ = try story.open()
    let looking: [FileCall.Operation] = [.status, .names, .size, .read]
    let calls = door.calls.filter { call in !looking.contains(call.operation) }
    #expect(
      calls.map(\.description) == [
        "createDirectory /log",
        "syncDirectory /",
        "lock /log",
        "open /log/0000000000000001.jsonl.new",
        "append /log/0000000000000001.jsonl.new",
        "sync /log/0000000000000001.jsonl.new",
        "rename /log/0000000000000001.jsonl.new /log/0000000000000001.jsonl",
        "syncDirectory /log",
        "open /log/HEAD",
        "append /log/0000000000000001.jsonl.new",
        "sync /log/0000000000000001.jsonl.new",
        "write /log/HEAD",
      ])
  }

  @Test(arguments: [Durability.commit, .full])
  func anAppendIsAcknowledgedAfterOneWriteAndOneSynchronisation(durability: Durability) async throws {
    let (story, door) = story(durability)
    let writer = try story.open()
    door.forgetCalls()
    let receipt = try await writer.append([.numbered(1)])
    #expect(receipt == LogReceipt(seq: 1, durability: durability))
    // Looks that notice another writer: before the batch, behind it, and before `HEAD`. No segment can follow one without an
    // action.
    #expect(door.calls.map(\.operation) == [.size, .append, .size, .sync, .status, .status, .status, .write])
    #expect(door.calls.last?.path == story.head)
    door.forgetCalls()
    try await writer.append([.numbered(2)])
    #expect(
      door.calls.map(\.operation) == [
        .size, .status, .append, .size, .status, .sync, .status, .status, .status, .write,
      ])
  }

  @Test func nobodyIsToldBeforeTheSynchronisationHasSucceeded() async throws {
    var story = LogStory()
    let door = GatedFileSystem(story.files)
    story.door = door
    let writer = try story.open()
    door.hold(.sync)
    let ticket = try writer.enqueue([.numbered(1)])
    let isDurable = Locked(false)
    let waiting = Task {
      _ = try await writer.durable(through: ticket)
      isDurable.withLock { isDurable in isDurable = true }
    }
    await OffPool.run { door.waitForCall() }
    #expect(writer.status.writtenSeq == 1)
    #expect(writer.status.syncedSeq == 0)
    #expect(!isDurable.withLock { isDurable in isDurable })
    door.letGo()
    try await waiting.value
    #expect(writer.status.syncedSeq == 1)
  }

  @Test func aWriteDoesNotWaitForASynchronisationThatIsUnderWay() async throws {
    var story = LogStory()
    let door = GatedFileSystem(story.files)
    story.door = door
    let writer = try story.open()
    door.hold(.sync)
    _ = try writer.enqueue([.numbered(1)])
    await OffPool.run { door.waitForCall() }
    let ticket = try writer.write([.numbered(2)])
    #expect(writer.status.writtenSeq == 2)
    door.letGo()
    #expect(try await writer.durable(through: ticket).seq == 2)
  }

  @Test func whatArrivesDuringASynchronisationSharesTheNextOne() async throws {
    var story = LogStory()
    let door = GatedFileSystem(story.files)
    story.door = door
    let writer = try story.open()
    let before = writer.status
    door.hold(.sync)
    _ = try writer.enqueue([.numbered(1)])
    await OffPool.run { door.waitForCall() }
    for number in 2...50 { _ = try writer.enqueue([.numbered(number)]) }
    door.letGo()
    #expect(try await writer.flush().seq == 50)
    #expect(writer.status.syncCount == before.syncCount + 2)
    #expect(writer.status.batchCount == before.batchCount + 2)
  }

  @Test func theSynchronousPathIsOneWriteAndOneSynchronisation() throws {
    let (story, door) = story(.flush)
    let writer = try story.open()
    door.forgetCalls()
    let receipt = try writer.commit([.numbered(1)])
    #expect(receipt == LogReceipt(seq: 1, durability: .commit))
    #expect(door.calls.map(\.operation) == [.size, .append, .size, .sync, .status, .status, .status, .write])
  }

  @Test func atTheLevelFlushNothingIsSynchronisedUntilItIsAskedFor() async throws {
    let (story, door) = story(.flush)
    let writer = try story.open()
    door.forgetCalls()
    #expect(try await writer.append([.numbered(1)]) == LogReceipt(seq: 1, durability: .flush))
    #expect(try await writer.flush() == LogReceipt(seq: 1, durability: .flush))
    #expect(door.count(of: .sync) == 0)
    #expect(writer.status.writtenSeq == 1)
    #expect(writer.status.syncedSeq == 0)
    #expect(try writer.sync() == LogReceipt(seq: 1, durability: .commit))
    #expect(door.count(of: .sync) == 1)
    #expect(try writer.sync().seq == 1)
    #expect(door.count(of: .sync) == 1, "there was nothing new")
  }

  @Test func atTheLevelMemoryAnAppendIsAcknowledgedInTheQueue() async throws {
    let (story, _) = story(.memory)
    let writer = try story.open()
    #expect(try await writer.append([.numbered(1)]) == LogReceipt(seq: 1, durability: .memory))
    #expect(try await writer.flush() == LogReceipt(seq: 1, durability: .flush))
    #expect(writer.status.writtenSeq == 1)
    #expect(try story.read().actions == [1])
  }

  @Test func headSaysWhatIsDurable() throws {
    let (story, _) = story()
    let writer = try story.open()
    try writer.commit([.numbered(1)])
    let head = try #require(LogHead(parsing: try story.files.contents(of: story.head)))
    let size = try story.bytes().count
    #expect(head == LogHead(seq: 1, segment: 1, bytes: size, crc: writer.status.lastCRC))
    #expect(try story.files.contents(of: story.head).count == 128)
  }

  @Test func aHeadThatCannotBeWrittenIsReportedAndCostsNothingElse() throws {
    let (story, door) = story(.flush)
    let writer = try story.open()
    door.add(Fault(.write, lasts: true, pathSuffix: "HEAD"))
    try writer.commit([.numbered(1)])
    #expect(writer.status.headFailure?.code == .inputOutput)
    door.heal()
    try writer.commit([.numbered(2)])
    #expect(writer.status.headFailure == nil)
  }

  @Test func linesSayWhichActionsWereDurableWhenTheyWereEncoded() async throws {
    let story = LogStory()
    let writer = try story.open()
    for number in 1...3 { try await writer.append([.numbered(number)]) }
    try await writer.close()
    var records = try story.reader().records()
    var synced: [Int] = []
    while let record = try records.next() { synced.append(record.synced) }
    #expect(synced == [0, 0, 0, 1, 2, 3])
  }
}
