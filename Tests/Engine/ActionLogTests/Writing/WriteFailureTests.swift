import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Platform
import TestSupport
import Testing

@Suite("Writes and syncs that fail", .timeLimit(.minutes(60)))
struct WriteFailureTests {
  private func story(_ durability: Durability = .written) -> (LogStory, FaultyFileSystem) {
    var story = LogStory(durability: durability)
    let door = FaultyFileSystem(story.files)
    story.door = door
    return (story, door)
  }

  @Test(arguments: [FileFault.PartialWrite.none, .bytes(1), .half, .all])
  func aFullDiskRejectsTheBatch(partial: FileFault.PartialWrite) throws {
    let (story, door) = story()
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    let before = try story.bytes()
    let status = writer.status
    door.add(FileFault(.append, code: .noSpace, partialWrite: partial))
    let error = #expect(throws: LogError.self) { try writer.writeNow([.numbered(2), .numbered(3)]) }
    #expect(error?.code == .noSpace)
    #expect(error?.message == "no space is left for the batch")
    #expect(try story.bytes() == before)
    #expect(writer.status.lastRevision == 1)
    #expect(writer.status.lastCRC == status.lastCRC)
    #expect(writer.status.rejectionCount == 1)
    // The writer is usable immediately.
    #expect(try writer.appendNow([.numbered(4)]).revision == 2)
    try writer.closeNow()
    #expect(try story.read().actions == [1, 4])
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict == .clean)
  }

  /// Regression: the truncation was not synced, and a power cut could restore a complete rejected line.
  @Test func aRejectedBatchDoesNotReturnAfterAPowerCut() throws {
    let (story, door) = story()
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    door.add(FileFault(.append, code: .noSpace, partialWrite: .all))
    let length = try story.bytes().count
    door.forgetCalls()
    #expect(#expect(throws: LogError.self) { try writer.writeNow([.numbered(2)]) }?.code == .noSpace)
    #expect(try story.bytes().count == length)
    #expect(door.calls.map(\.operation) == [.size, .append, .size, .truncate, .sync])
    for seed in 1...40 {
      let model = CrashModel(
        seed: UInt64(seed), pageSurvival: 1, tornPageShare: 0, earlierPageShare: 1, sizeSurvival: 1)
      #expect(try LogStory(story.files.crash(model)).open().opening.lastRevision == 1, "seed \(seed)")
    }
  }

  @Test func anUnsyncedRollbackLeavesTheOutcomeUnknown() throws {
    let (story, door) = story()
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    door.add(FileFault(.append, code: .noSpace, partialWrite: .half))
    door.add(FileFault(.sync))
    #expect(#expect(throws: LogError.self) { try writer.writeNow([.numbered(2)]) }?.code == .failed)
    #expect(#expect(throws: LogError.self) { try writer.writeNow([.numbered(3)]) }?.code == .failed)
  }

  @Test func anyOtherFailedWriteIsRejectedToo() async throws {
    let (story, door) = story(.synced)
    let writer = try story.open()
    door.add(FileFault(.append, code: .fileTooLarge))
    let error = await #expect(throws: LogError.self) { try await writer.append([.numbered(1)]) }
    #expect(error?.code == .rejected)
    #expect(error?.message.hasPrefix("the batch could not be written (") == true)
    #expect((error?.underlying as? FileSystemError)?.code == .fileTooLarge)
    #expect(error?.advice?.description.contains("ulimit -f") == true)
    #expect(try await writer.append([.numbered(2)]).revision == 1)
  }

  @Test func aFullDiskIsNotAFileSizeLimit() throws {
    let (story, door) = story(.synced)
    let writer = try story.open()
    door.add(FileFault(.append, code: .noSpace))
    let error = #expect(throws: LogError.self) { try writer.appendNow([.numbered(1)]) }
    #expect(error?.advice?.description.contains("once the cause is removed") == true)
    #expect(error?.advice?.description.contains("ulimit -f") == false)
  }

  @Test func pendingUnitsAreRejectedWithTheBatch() async throws {
    var story = LogStory()
    let faulty = FaultyFileSystem(story.files)
    let door = GatedFileSystem(faulty)
    story.door = door
    let writer = try story.open()
    try await writer.append([.numbered(1)])
    faulty.add(FileFault(.append, code: .noSpace, partialWrite: .half))
    door.hold(.append)
    let first = try writer.enqueue([.numbered(2)])
    await BlockingWork.run { door.waitForCall() }
    // Encoded after the batch that is about to fail: its lines would not follow.
    let second = try writer.enqueue([.numbered(3)])
    door.letGo()
    for ticket in [first, second] {
      let error = await #expect(throws: LogError.self) { try await writer.receipt(for: ticket) }
      #expect(error?.code == .noSpace)
    }
    let third = try writer.enqueue([.numbered(4)])
    #expect(third.revision == first.revision, "the seq is given out again")
    #expect(third.generation == first.generation + 1)
    #expect(try await writer.receipt(for: third).revision == 2)
    let again = await #expect(throws: LogError.self) { try await writer.receipt(for: first) }
    #expect(again?.code == .noSpace, "and the old ticket is not taken for the new one")
    try await writer.close()
    #expect(try story.read().actions == [1, 4])
  }

  @Test func aFailedRollbackFailsTheLog() throws {
    let (story, door) = story()
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    door.add(FileFault(.append, code: .noSpace, partialWrite: .half))
    door.add(FileFault(.truncate))
    let error = #expect(throws: LogError.self) { try writer.writeNow([.numbered(2)]) }
    #expect(error?.code == .failed)
    #expect(#expect(throws: LogError.self) { try writer.enqueue([.numbered(3)]) }?.code == .failed)
    #expect(#expect(throws: LogError.self) { try writer.closeNow() }?.code == .failed)
    // Reopening truncates the incomplete batch.
    door.heal()
    let next = try story.open()
    #expect(next.opening.lastRevision == 1)
    #expect(next.opening.recovered != nil)
  }

  @Test func aFailedSyncIsNeverRepeated() async throws {
    let (story, door) = story(.synced)
    let writer = try story.open()
    try await writer.append([.numbered(1)])
    door.add(FileFault(.sync))
    door.forgetCalls()
    let error = await #expect(throws: LogError.self) { try await writer.append([.numbered(2)]) }
    #expect(error?.code == .failed)
    #expect(door.count(of: .sync) == 1)
    #expect(writer.status.failure?.code == .failed)
    #expect(writer.status.syncedRevision == 1)
    let later = await #expect(throws: LogError.self) { try await writer.append([.numbered(3)]) }
    #expect(later?.code == .failed)
    #expect(#expect(throws: LogError.self) { try writer.writeNow([.numbered(3)]) }?.code == .failed)
    #expect(#expect(throws: LogError.self) { try writer.syncNow() }?.code == .failed)
    let flush = await #expect(throws: LogError.self) { try await writer.sync() }
    #expect(flush?.code == .failed)
    let close = await #expect(throws: LogError.self) { try await writer.close() }
    #expect(close?.code == .failed)
    #expect(door.count(of: .sync) == 1, "not even by closing")
    #expect(try story.types() == ["@segment", "@open", "add", "add"], "and no @close is claimed")
  }

  @Test func openingAfterAFailedSyncReadsTheDevice() throws {
    let (story, door) = story()
    var writer: LogWriter? = try story.open()
    try writer?.appendNow([.numbered(1)])
    // Linux marks the pages clean: reads come from memory, and the device never receives them.
    door.add(FileFault(.sync, losesData: true))
    #expect(#expect(throws: LogError.self) { try writer?.appendNow([.numbered(2)]) }?.code == .failed)
    #expect(try story.read().actions == [1, 2])
    writer = nil
    door.forgetCalls()
    let next = try story.open()
    #expect(next.opening.lastRevision == 1)
    let order = door.calls.filter { call in call.path == story.segment() }.map(\.operation)
    #expect(order.prefix(2) == [.open, .sync], "and then the cache is dropped before anything is read")
    try next.closeNow()
    #expect(try story.read().actions == [1])
  }

  /// Opens a log on a system that caches pages it could not write.
  ///
  /// - Parameter writesAgain: Whether rewriting unconfirmed bytes has an effect. Without it the log must be refused
  ///   after a power cut, or these tests prove nothing.
  private func cachingStory(
    _ durability: Durability, segmentLimitBytes: Int, writesAgain: Bool
  ) -> (LogStory, FaultyFileSystem) {
    var story = LogStory(durability: durability, segmentLimitBytes: segmentLimitBytes)
    let door = FaultyFileSystem(story.files, keepsCache: true)
    // No other code writes to a segment at an offset.
    if !writesAgain { door.add(FileFault(.write, lasts: true, pathSuffix: ".jsonl", isSilent: true)) }
    story.door = door
    return (story, door)
  }

  /// An action whose line has about 3 000 bytes.
  private func long(_ number: Int) -> LogDraft {
    let fill = String(repeating: "x", count: 2_900)
    return LogDraft(type: "add", data: Array(#"{"_0":\#(number),"x":"\#(fill)"}"#.utf8))
  }

  @Test(arguments: [true, false])
  func failedSyncLeavesNoHeaderOnlySegment(writesAgain: Bool) throws {
    let (story, door) = cachingStory(.synced, segmentLimitBytes: 9_000, writesAgain: writesAgain)
    let writer = try story.open()
    try writer.appendNow((1...4).map(long))
    // The first sync of the new segment stores its header, the second one its actions.
    door.add(FileFault(.sync, number: 2, pathSuffix: "0000000000000005.jsonl.new", losesData: true))
    #expect(#expect(throws: LogError.self) { try writer.appendNow((5...8).map(long)) }?.code == .failed)
    writer.abandon()
    #expect(try story.files.durableContents(of: story.segment(5)).count < 300, "the header only")
    // Sealing begins a new segment and writes nothing more to the old one.
    try LogShipping.seal(at: LogStory.path, fileSystem: door, environment: story.configuration.environment)
    let after = LogStory(story.files.crash(.onlySyncedSurvives))
    guard writesAgain else {
      let error = #expect(throws: LogError.self) { try after.open() }
      #expect(error?.code == .damaged)
      #expect(error?.path == story.segment(9))
      #expect(error?.line == 1)
      #expect(error?.message.contains("its prev is") == true)
      return
    }
    #expect(try after.open().opening.lastRevision == 8)
    #expect(try after.read().actions == Array(1...8))
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: after.files).verdict == .clean)
  }

  @Test(arguments: [true, false])
  func headConfirmsNoBytesOfAFailedSync(writesAgain: Bool) throws {
    let (story, door) = cachingStory(.written, segmentLimitBytes: 600, writesAgain: writesAgain)
    let writer = try story.open()
    _ = try writer.writeNow((1...3).map(long))
    door.add(FileFault(.sync, losesData: true))
    // It begins a segment, so that the old one is synced.
    #expect(#expect(throws: LogError.self) { try writer.writeNow([.numbered(4)]) }?.code == .failed)
    writer.abandon()
    let next = try story.open()
    #expect(next.opening.lastRevision == 3)
    // `HEAD` reaches the device here, as it can at any time.
    try story.files.setContents(try story.files.contents(of: story.head), of: story.head)
    let after = LogStory(story.files.crash(.onlySyncedSurvives))
    guard writesAgain else {
      #expect(#expect(throws: LogError.self) { try after.open() }?.code == .damaged)
      return
    }
    #expect(try after.open().opening.lastRevision == 3)
    #expect(try after.read().actions == [1, 2, 3])
  }

  @Test func onlyUnconfirmedBytesAreRewritten() throws {
    let (story, door) = story()
    try story.record(3)
    door.forgetCalls()
    try story.open().abandon()
    let writes = { door.calls.filter { call in call.operation == .write && call.path == story.segment() } }
    #expect(writes().isEmpty, "HEAD confirms everything after a clean close")
    _ = try story.open().writeNow([.numbered(4)])
    door.forgetCalls()
    let before = story.files.counts.bytesWritten
    let next = try story.open()
    #expect(next.opening.lastRevision == 4)
    #expect(writes().count == 1)
    // One action, an @open record and HEAD.
    #expect(story.files.counts.bytesWritten - before < 700)
  }

  @Test func aLogThatCannotBeSyncedIsNotOpened() throws {
    let (story, door) = story()
    try story.record(2)
    let before = try story.bytes()
    // The bytes read may exist only in memory, and continuing the log would acknowledge them.
    door.add(FileFault(.sync, losesData: false))
    door.forgetCalls()
    let error = #expect(throws: LogError.self) { try story.open() }
    #expect(error?.code == .inputOutput)
    #expect(door.count(of: .sync) == 1)
    #expect(door.count(of: .append) == 0)
    #expect(try story.bytes() == before)
    #expect(try story.open().opening.lastRevision == 2)
  }

  @Test(arguments: [3, -3])
  func aForeignWriteIsDetectedBeforeTheNextBatch(growthBytes: Int) throws {
    let (story, _) = story()
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    let otherWriter = try story.files.open(story.segment(), for: .append)
    let sizeBytes = try story.bytes().count + growthBytes
    if growthBytes > 0 {
      try otherWriter.append(Array("{}\n".utf8))
    } else {
      try otherWriter.truncate(toBytes: sizeBytes)
    }
    let error = #expect(throws: LogError.self) { try writer.writeNow([.numbered(2)]) }
    #expect(error?.code == .failed)
    #expect(error?.message.contains("another program") == true)
    #expect(try story.bytes().count == sizeBytes, "nothing is appended after foreign bytes")
    #expect(writer.status.failure != nil)
  }

  @Test func closingOnAFullDiskCanBeTriedAgain() throws {
    let (story, door) = story()
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    door.add(FileFault(.append, lasts: true, code: .noSpace))
    #expect(#expect(throws: LogError.self) { try writer.closeNow() }?.code == .noSpace)
    #expect(!writer.status.isClosed)
    door.heal()
    try writer.appendNow([.numbered(2)])
    try writer.closeNow()
    #expect(writer.status.isClosed)
    #expect(try story.types().last == "@close")
  }

  @Test func spaceThatComesBackIsUsed() throws {
    let story = LogStory()
    let writer = try story.open()
    story.files.capacityBytes = story.files.usedBytes + 500
    var accepted: [Int] = []
    var refused = 0
    for number in 1...20 {
      do {
        try writer.appendNow([.numbered(number)])
        accepted.append(number)
      } catch {
        #expect(error.code == .noSpace)
        refused += 1
      }
    }
    #expect(refused > 0)
    story.files.capacityBytes = nil
    try writer.appendNow([.numbered(99)])
    try writer.closeNow()
    #expect(try story.read().actions == accepted + [99])
  }
}
