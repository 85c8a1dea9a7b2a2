internal import ActionLog
internal import ActionLogTesting
internal import Foundation
internal import Platform
internal import TestSupport
internal import Testing

@Suite("Durability", .timeLimit(.minutes(60)))
struct DurabilityTests {
  private func story(_ durability: Durability = .synced) -> (LogStory, FaultyFileSystem) {
    var story = LogStory(durability: durability)
    let door = FaultyFileSystem(story.files)
    story.door = door
    return (story, door)
  }

  @Test func aNewLogIsDurableBeforeOpenReturns() throws {
    let (story, door) = story()
    _ = try story.open()
    let checks: [FileCall.Operation] = [.status, .names, .size, .read]
    let calls = door.calls.filter { call in !checks.contains(call.operation) }
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
        "append /log/0000000000000001.jsonl.new",
        "sync /log/0000000000000001.jsonl.new",
        "open /log/HEAD",
        "write /log/HEAD",
      ])
  }

  @Test(arguments: [Durability.synced, .full])
  func anAppendIsAcknowledgedAfterOneSync(durability: Durability) async throws {
    let (story, door) = story(durability)
    let writer = try story.open()
    door.forgetCalls()
    let receipt = try await writer.append([.numbered(1)])
    #expect(receipt == LogReceipt(revision: 1, durability: durability))
    // The checks for another writer: before the batch, after it, and before `HEAD`. No segment can follow one without
    // an action.
    #expect(door.calls.map(\.operation) == [.size, .append, .size, .sync, .status, .status, .status, .write])
    #expect(door.calls.last?.path == story.head)
    door.forgetCalls()
    try await writer.append([.numbered(2)])
    #expect(
      door.calls.map(\.operation) == [
        .size, .status, .append, .size, .status, .sync, .status, .status, .status, .write,
      ])
  }

  @Test func noAppendIsAcknowledgedBeforeTheSync() async throws {
    var story = LogStory()
    let door = GatedFileSystem(story.files)
    story.door = door
    let writer = try story.open()
    door.hold(.sync)
    let ticket = try writer.enqueue([.numbered(1)])
    let isDurable = Locked(false)
    let waiting = Task {
      _ = try await writer.receipt(for: ticket)
      isDurable.withLock { isDurable in isDurable = true }
    }
    await BlockingWork.run { door.waitForCall() }
    #expect(writer.status.writtenRevision == 1)
    #expect(writer.status.syncedRevision == 0)
    #expect(!isDurable.withLock { isDurable in isDurable })
    door.letGo()
    try await waiting.value
    #expect(writer.status.syncedRevision == 1)
  }

  @Test func aWriteDoesNotWaitForARunningSync() async throws {
    var story = LogStory()
    let door = GatedFileSystem(story.files)
    story.door = door
    let writer = try story.open()
    door.hold(.sync)
    _ = try writer.enqueue([.numbered(1)])
    await BlockingWork.run { door.waitForCall() }
    let ticket = try writer.writeNow([.numbered(2)])
    #expect(writer.status.writtenRevision == 2)
    door.letGo()
    #expect(try await writer.receipt(for: ticket).revision == 2)
  }

  @Test func appendsDuringASyncShareTheNextOne() async throws {
    var story = LogStory()
    let door = GatedFileSystem(story.files)
    story.door = door
    let writer = try story.open()
    let before = writer.status
    door.hold(.sync)
    _ = try writer.enqueue([.numbered(1)])
    await BlockingWork.run { door.waitForCall() }
    for number in 2...50 { _ = try writer.enqueue([.numbered(number)]) }
    door.letGo()
    #expect(try await writer.sync().revision == 50)
    #expect(writer.status.syncCount == before.syncCount + 2)
    #expect(writer.status.batchCount == before.batchCount + 2)
  }

  @Test func aSynchronousAppendIsOneWriteAndOneSync() throws {
    let (story, door) = story(.written)
    let writer = try story.open()
    door.forgetCalls()
    let receipt = try writer.appendNow([.numbered(1)])
    #expect(receipt == LogReceipt(revision: 1, durability: .synced))
    #expect(door.calls.map(\.operation) == [.size, .append, .size, .sync, .status, .status, .status, .write])
  }

  @Test func levelWrittenSyncsOnlyOnRequest() async throws {
    let (story, door) = story(.written)
    let writer = try story.open()
    door.forgetCalls()
    #expect(try await writer.append([.numbered(1)]) == LogReceipt(revision: 1, durability: .written))
    #expect(try await writer.receipt() == LogReceipt(revision: 1, durability: .written))
    #expect(door.count(of: .sync) == 0)
    #expect(writer.status.writtenRevision == 1)
    #expect(writer.status.syncedRevision == 0)
    #expect(try await writer.sync() == LogReceipt(revision: 1, durability: .synced))
    #expect(door.count(of: .sync) == 1)
    #expect(writer.status.syncedRevision == 1)
    #expect(try writer.syncNow() == LogReceipt(revision: 1, durability: .synced))
    #expect(try writer.syncNow().revision == 1)
    #expect(door.count(of: .sync) == 1, "there was nothing new")
  }

  @Test func levelQueuedAcknowledgesQueuedAppends() async throws {
    let (story, _) = story(.queued)
    let writer = try story.open()
    #expect(try await writer.append([.numbered(1)]) == LogReceipt(revision: 1, durability: .queued))
    #expect(try await writer.receipt() == LogReceipt(revision: 1, durability: .written))
    #expect(writer.status.writtenRevision == 1)
    #expect(try story.read().actions == [1])
  }

  @Test func headRecordsTheDurableBytes() throws {
    let (story, _) = story()
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    let head = try #require(LogHead(parsing: try story.files.contents(of: story.head)))
    let size = try story.bytes().count
    #expect(head == LogHead(revision: 1, segment: 1, bytes: size, crc: writer.status.lastCRC))
    #expect(try story.files.contents(of: story.head).count == 128)
  }

  @Test func anUnwritableHeadIsOnlyReported() throws {
    let (story, door) = story(.written)
    let writer = try story.open()
    door.add(FileFault(.write, lasts: true, pathSuffix: "HEAD"))
    try writer.appendNow([.numbered(1)])
    #expect(writer.status.headFailure?.code == .inputOutput)
    door.heal()
    try writer.appendNow([.numbered(2)])
    #expect(writer.status.headFailure == nil)
  }

  @Test func linesRecordTheDurableRevision() async throws {
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

/// A writer depends on directory entries that another one created and perhaps never synced.
@Suite("Durable entries", .timeLimit(.minutes(60)))
struct EntryDurabilityTests {
  /// Opens a log while a directory sync fails, opens it again and acknowledges an action; then the power is cut and
  /// only synced bytes survive.
  private func lastRevisionAfterPowerCut(failing number: Int) throws -> Int {
    var story = LogStory(segmentLimitBytes: 600)
    story.door = FaultyFileSystem(story.files, faults: [FileFault(.syncDirectory, number: number)])
    do {
      try story.record(3)
    } catch let error as LogError {
      #expect(error.code == .inputOutput || error.code == .failed)
    }
    story.door = story.files
    let writer = try story.open()
    let receipt = try writer.appendNow([.numbered(writer.opening.lastRevision + 1)])
    let after = LogStory(story.files.crash(.onlySyncedSurvives))
    let reopened = try after.open()
    #expect(reopened.opening.lastRevision == receipt.revision)
    return receipt.revision
  }

  @Test func aLogInAnUnsyncedDirectoryIsNotLost() throws {
    #expect(try lastRevisionAfterPowerCut(failing: 1) == 1)
  }

  @Test func anUnsyncedFirstSegmentIsNotLost() throws {
    #expect(try lastRevisionAfterPowerCut(failing: 2) == 1)
  }

  @Test func anUnsyncedLaterSegmentIsNotLost() throws {
    #expect(try lastRevisionAfterPowerCut(failing: 3) >= 2)
  }

  @Test func anUnreadableParentDirectoryIsAccepted() throws {
    var story = LogStory()
    try story.record(1)
    story.door = FaultyFileSystem(
      story.files, faults: [FileFault(.syncDirectory, code: .permissionDenied, pathSuffix: "/")])
    #expect(try story.open().opening.lastRevision == 1)
  }

  @Test func anyOtherDirectorySyncFailureIsAnError() throws {
    var story = LogStory()
    try story.record(1)
    story.door = FaultyFileSystem(story.files, faults: [FileFault(.syncDirectory)])
    #expect(#expect(throws: LogError.self) { try story.open() }?.code == .inputOutput)
  }

  @Test func concurrentCreationIsNotAnError() throws {
    var story = LogStory()
    let files = story.files
    story.door = FaultyFileSystem(files) { call in
      guard call.operation == .createDirectory else { return }
      do { try files.createDirectory(call.path) } catch { Issue.record(error) }
    }
    try story.record(1)
    #expect(try story.read().actions == [1])
  }
}
