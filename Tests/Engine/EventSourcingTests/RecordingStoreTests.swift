import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import JSONCoding
import Platform
import TestSupport
import Testing

@MainActor @Suite struct RecordingStoreTests {
  private let disk = MemoryFileSystem()

  private func types(at path: String = "log") throws -> [String] {
    var records = try LogReader.open(at: path, fileSystem: disk).records(from: 0)
    var types: [String] = []
    while let record = try records.next() { types.append(record.type) }
    return types
  }

  @Test func theActionIsWrittenWhenDispatchReturns() async throws {
    let store = try RecordingStore<Tally>(at: "log", configuration: reproducible(Tally.self), fileSystem: disk)
    try store.dispatch(action: .add(3))
    #expect(try types().last == "add")
    #expect(store.state.sum == 3)
    try await store.close()
  }

  @Test func openingBlocksNoTaskOfTheMainActor() async throws {
    let gate = Gate()
    let held = FaultyFileSystem(disk) { call in if call.operation == .lock { gate.pass() } }
    gate.close()
    let configuration = reproducible(Tally.self)
    let opening = Task {
      try await RecordingStore<Tally>.open(at: "log", configuration: configuration, fileSystem: held)
    }
    // The main actor is free to observe that the opening waits for the disk.
    #expect(await settle { gate.waitingCount == 1 })
    gate.open()
    let store = try await opening.value
    try store.dispatch(action: .add(3))
    try await store.close()
    #expect(try types().contains("add"))
  }

  @Test func dispatchingDurablySurvivesAPowerCut() async throws {
    let store = try RecordingStore<Tally>(at: "log", configuration: reproducible(Tally.self), fileSystem: disk)
    let receipt = try await store.dispatch(action: .add(3), awaiting: .synced)
    #expect(receipt == LogReceipt(revision: 1, durability: .synced))
    let after = disk.crash(.onlySyncedSurvives)
    #expect(try await History<Tally>(at: "log", fileSystem: after).state().sum == 3)
    try await store.close()
  }

  @Test func aFailedWriteLeavesStateAndStreamsUnchanged() async throws {
    let store = try RecordingStore<Tally>(at: "log", configuration: reproducible(Tally.self), fileSystem: disk)
    let stream = store.makeStream()
    try store.dispatch(action: .add(1))
    disk.capacityBytes = disk.usedBytes
    let error = try #require(throws: LogError.self) { try store.dispatch(action: .add(2)) }
    #expect(error.code == .noSpace)
    #expect(store.state.sum == 1)
    #expect(stream.counts.yielded == 1)
    disk.capacityBytes = nil
    try store.dispatch(action: .add(4))
    #expect(store.state.sum == 5)
    try await store.close()
    #expect(try await History<Tally>(at: "log", fileSystem: disk).state().sum == 5)
    #expect(try await History<Tally>(at: "log", fileSystem: disk).lastRevision() == 2)
  }

  @Test func aFailedSyncFailsStoreAndLog() async throws {
    let faulty = FaultyFileSystem(disk)
    let store = try RecordingStore<Tally>(at: "log", configuration: reproducible(Tally.self), fileSystem: faulty)
    faulty.add(FileFault(.sync, lasts: true))
    let error = try await #require(throws: LogError.self) {
      try await store.dispatch(action: .add(1), awaiting: .synced)
    }
    #expect(error.code == .failed)
    let later = try #require(throws: LogError.self) { try store.dispatch(action: .add(2)) }
    #expect(later.code == .failed)
    #expect(store.state.sum == 1)
  }

  @Test func aRefusedActionIsRecordedAndChangesNothing() async throws {
    let store = try RecordingStore<StrictTally>(
      at: "log", configuration: reproducible(StrictTally.self), fileSystem: disk)
    let stream = store.makeStream()
    try store.dispatch(action: .add(5))
    #expect(throws: TallyError(code: .negative)) { try store.dispatch(action: .add(-1)) }
    #expect(store.state.sum == 5, "the reducer had touched its copy only")
    #expect(stream.counts.yielded == 1)
    try await store.close()
    #expect(try types() == ["@segment", "@open", "@digest", "add", "@rejected", "@digest", "@close"])
  }

  @Test func theStreamCarriesTheStateBefore() async throws {
    let store = try RecordingStore<Tally>(at: "log", configuration: reproducible(Tally.self), fileSystem: disk)
    var iterator = store.makeStream().makeAsyncIterator()
    try store.dispatch(action: .add(1))
    try store.dispatch(action: .add(2))
    #expect(await iterator.next()?.oldState.sum == 0)
    #expect(await iterator.next()?.oldState.sum == 1)
    try await store.close()
  }

  @Test func metaComesFromTheTaskAndTheCall() async throws {
    let store = try RecordingStore<Tally>(at: "log", configuration: reproducible(Tally.self), fileSystem: disk)
    try RecordMeta.$current.withValue(RecordMeta(actor: "u1", session: "s")) {
      try store.dispatch(action: .add(1))
      try store.dispatch(action: .add(2), meta: RecordMeta(actor: "u2", cause: 1))
    }
    try store.dispatch(action: .add(3))
    try await store.close()
    let metas = try await History<Tally>(at: "log", fileSystem: disk).actions(in: 1...3).map(\.meta)
    #expect(
      metas == [
        RecordMeta(actor: "u1", session: "s"), RecordMeta(actor: "u2", cause: 1, session: "s"), RecordMeta(),
      ])
  }

  @Test func thunksDispatchThroughTheStore() async throws {
    let store = try RecordingStore<Tally>(at: "log", configuration: reproducible(Tally.self), fileSystem: disk)
    try await store.dispatch { dispatcher, selector in
      try await dispatcher.dispatch(action: .add(1))
      #expect(await selector.state.sum == 1)
    }
    try await store.close()
    #expect(try types().filter { type in type == "add" }.count == 1)
  }

  @Test func dispatchingAfterCloseThrows() async throws {
    let store = try RecordingStore<Tally>(at: "log", configuration: reproducible(Tally.self), fileSystem: disk)
    try await store.close()
    let error = try #require(throws: LogError.self) { try store.dispatch(action: .add(1)) }
    #expect(error.code == .closed)
    #expect(store.state.sum == 0)
  }

  @Test func aTooLargeRefusalIsNotRecorded() async throws {
    let store = try RecordingStore<TerseTally>(
      at: "log", configuration: reproducible(TerseTally.self), fileSystem: disk)
    let name = String(repeating: "x", count: LogFormat.lineLimitBytes)
    #expect(throws: TallyError(code: .negative)) { try store.dispatch(action: .name(name)) }
    #expect(throws: TallyError(code: .negative)) { try store.dispatch(action: .name("a long name")) }
    try await store.close()
    #expect(try types().filter { type in type == "@rejected" }.count == 1)
    #expect(try refusalCounts() == [1], "the next one counts the one before")
  }

  @Test func aRefusalOnAFullDiskIsCounted() async throws {
    let store = try RecordingStore<TerseTally>(
      at: "log", configuration: reproducible(TerseTally.self), fileSystem: disk)
    disk.capacityBytes = disk.usedBytes
    for _ in 1...3 {
      let error = try #require(throws: LogError.self) { try store.dispatch(action: .name("a long name")) }
      #expect(error.code == .noSpace)
    }
    disk.capacityBytes = nil
    #expect(throws: TallyError.self) { try store.dispatch(action: .name("a long name")) }
    try await store.close()
    #expect(try refusalCounts() == [3])
  }

  @Test func theRefusalWindowUsesTheLogsClock() async throws {
    let now = Locked(LogTime(microseconds: 0))
    var configuration = reproducible(TerseTally.self)
    configuration.log.environment.now = { now.withLock { now in now } }
    configuration.refusals = RefusalPolicy(limit: 1, window: .seconds(60))
    let store = try RecordingStore<TerseTally>(at: "log", configuration: configuration, fileSystem: disk)
    // The last time is before the others: a clock that goes back begins a new window.
    for seconds in [0, 1, 59, 60, 61, 30] as [Int64] {
      now.withLock { now in now = LogTime(microseconds: seconds * 1_000_000) }
      #expect(throws: TallyError.self) { try store.dispatch(action: .name("a long name")) }
    }
    try await store.close()
    #expect(try refusalCounts() == [0, 2, 1])
  }

  /// The number of additional refusals in each `@rejected` record.
  private func refusalCounts() throws -> [Int] {
    var records = try LogReader.open(at: "log", fileSystem: disk).records(from: 0)
    var counts: [Int] = []
    while let record = try records.next() {
      guard record.controlType == .rejected else { continue }
      counts.append(try #require(try RejectedRecord(record)).suppressedCount)
    }
    return counts
  }
}
