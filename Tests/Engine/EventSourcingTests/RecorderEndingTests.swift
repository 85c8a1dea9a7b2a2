import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import Platform
import TestSupport
import Testing

/// Ending a recorder, and replacing one store with another: no caller waits forever, no action of another store is recorded, and
/// nothing is acknowledged that is not in the log.
@MainActor @Suite struct RecorderEndingTests {
  private let disk = MemoryFileSystem()

  private func open(
    _ configuration: RecordingConfiguration<Tally> = reproducible(Tally.self), on files: (any LogFileSystem)? = nil
  ) async throws -> Recorder<Tally> {
    try await Recorder<Tally>.open(at: "log", configuration: configuration, fileSystem: files ?? disk)
  }

  private func rebuilt() throws -> Replayed<TallyState> {
    try History<Tally>(at: "log", fileSystem: disk).replay()
  }

  @Test func abandoningFailsPendingSyncs() async throws {
    // The store must not end its stream.
    let waiting = try await waitingRecorder(on: disk)
    let (recorder, gate) = (waiting.recorder, waiting.gate)
    #expect(await settle { gate.waitingCount == 1 })

    let outcome = Locked<Result<LogReceipt, any Error>?>(nil)
    let sync = Task.detached {
      let result: Result<LogReceipt, any Error>
      do { result = .success(try await recorder.sync()) } catch { result = .failure(error) }
      outcome.withLock { outcome in outcome = result }
    }
    for _ in 0..<100 { await Task.yield() }
    let abandoning = Task.detached { await recorder.abandon() }
    // It returns before the disk responds, whether sync was called before or after the end.
    #expect(await settle { outcome.withLock { outcome in outcome != nil } })
    let error = try #require(throws: LogError.self) { try outcome.withLock { outcome in try outcome?.get() } }
    #expect(error.code == .closed)
    gate.open()
    await abandoning.value
    await sync.value
  }

  @Test func abandoningDropsActionsThatWaitForSpace() async throws {
    let phases = Locked<[String]>([])
    var configuration = reproducible(Tally.self)
    configuration.onStatusChange = { phase in
      let name = String(describing: phase).prefix { character in character != "(" }
      phases.withLock { phases in phases.append(String(name)) }
    }
    let recorder = try await open(configuration)
    let store = try recorder.makeStore()
    try store.dispatch(action: .add(1))
    try await recorder.sync()
    disk.capacityBytes = disk.usedBytes
    try store.dispatch(action: .add(2))
    await #expect(throws: LogError.self) { try await recorder.sync() }

    disk.capacityBytes = nil
    await recorder.abandon()
    #expect(try rebuilt().revision == 1)
    #expect(phases.withLock { phases in phases } == ["recording", "stopped", "closed"])
    // Two actions were accepted, and one is in the log, so a sync must fail.
    let error = try await #require(throws: LogError.self) { try await recorder.sync() }
    #expect(error.code == .closed)
    #expect(recorder.status.waiting == 1)
    recorder.resume()
    let closing = try await #require(throws: LogError.self) { try await recorder.close() }
    #expect(closing.code == .closed)
    guard case .closed = recorder.status.phase else {
      Issue.record("an abandoned recorder came back: \(recorder.status.phase)")
      return
    }
  }

  @Test func aLogThatFailsToCloseIsReleased() async throws {
    let faulty = FaultyFileSystem(disk)
    let recorder = try await open(reproducible(Tally.self, durability: .written), on: faulty)
    let store = try recorder.makeStore()
    try store.dispatch(action: .add(1))
    try await recorder.sync()
    faulty.add(FileFault(.sync))
    let error = try await #require(throws: LogError.self) { try await recorder.close() }
    #expect(error.code == .failed)
    guard case .closed = recorder.status.phase else {
      Issue.record("the recorder holds on to a log that has failed: \(recorder.status.phase)")
      return
    }
    #expect(await settle { store.streamCounts.isEmpty }, "the store is left")
    try await recorder.close()
    try await open().close()
  }

  @Test func aRecorderThatCannotCloseContinues() async throws {
    let recorder = try await open(reproducible(Tally.self, snapshots: .every(2)))
    let store = try recorder.makeStore()
    try store.dispatch(action: .add(1))
    try await recorder.sync()
    disk.capacityBytes = disk.usedBytes
    let error = try await #require(throws: LogError.self) { try await recorder.close() }
    #expect(error.code == .noSpace)
    disk.capacityBytes = nil
    try store.dispatch(action: .add(2))
    try await recorder.close()
    #expect(try rebuilt().state.sum == 3)
    #expect(try rebuilt().report.snapshotsLoaded == 1, "snapshots go on, too")
  }

  @Test func aStoreCanBeListenedToAgainAfterItEndedItsStreams() async throws {
    let recorder = try await open()
    let store = try recorder.makeStore()
    try store.dispatch(action: .add(1))
    try await recorder.sync()
    store.finish()
    try recorder.listen(to: store)
    try store.dispatch(action: .add(2))
    try await recorder.close()
    #expect(try rebuilt().state.sum == 3)
  }

  @Test func aReleasedStoreLeavesTheRecorderIdle() async throws {
    let phases = Locked<[String]>([])
    var configuration = reproducible(Tally.self)
    configuration.onStatusChange = { phase in
      phases.withLock { phases in phases.append(String(describing: phase)) }
    }
    let recorder = try await open(configuration)
    do {
      let store = try recorder.makeStore()
      try store.dispatch(action: .add(1))
    }
    #expect(await settle { phases.withLock { phases in phases == ["recording", "idle"] } })
    #expect(try await recorder.sync().revision == 1, "what it had accepted is recorded")
    let second = try recorder.makeStore()
    #expect(second.state.sum == 1)
    try second.dispatch(action: .add(2))
    try await recorder.close()
    #expect(try rebuilt().state.sum == 3)
  }

  @Test func aFailedRecorderReleasesItsStore() async throws {
    let recorder = try await open()
    let store = try recorder.makeStore()
    try store.dispatch(action: .name(String(repeating: "x", count: LogFormat.lineLimitBytes)))
    await #expect(throws: LogError.self) { try await recorder.sync() }
    // Nothing would ever consume the elements of the stream, and every element retains a state.
    #expect(await settle { store.streamCounts.isEmpty })
    #expect(recorder.status.waiting == 1)
    await recorder.abandon()
  }

  @Test(arguments: [Durability.queued, .written, .synced])
  func aRejectedBatchLeavesNoGap(durability: Durability) async throws {
    let recorder = try await open(reproducible(Tally.self, snapshots: .every(4), durability: durability))
    let store = try recorder.makeStore()
    for number in 1...5 { try store.dispatch(action: .add(number)) }
    try await recorder.sync()
    disk.capacityBytes = disk.usedBytes + 10
    for number in 6...9 { try store.dispatch(action: .add(number)) }
    let isStopped = await settle { if case .stopped = recorder.status.phase { true } else { false } }
    #expect(isStopped, "rejected actions are kept and reported, even at the level 'memory'")
    disk.capacityBytes = nil
    recorder.resume()
    for number in 10...13 { try store.dispatch(action: .add(number)) }
    try await recorder.close()
    #expect(try rebuilt().state == store.state)
    let replayed = try await History<Tally>(at: "log", fileSystem: disk)
      .replay(options: .checkingDigests(usesSnapshots: false))
    #expect(replayed.state == store.state)
    #expect(replayed.report.divergences.isEmpty)
  }

  @Test(arguments: [Durability.written, .synced])
  func writtenActionsOfARejectedBatchAreAcknowledged(durability: Durability) async throws {
    let faulty = FaultyFileSystem(disk)
    let recorder = try await open(
      reproducible(Tally.self, snapshots: .every(2), durability: durability, segmentLimitBytes: 1_000), on: faulty)
    let store = try recorder.makeStore()
    faulty.add(FileFault(.rename, number: 2, code: .noSpace, pathSuffix: ".jsonl.new"))
    // The main actor is not suspended in between, so the writer receives all of them together.
    for number in 1...20 { try store.dispatch(action: .add(number)) }
    let error = try await #require(throws: LogError.self) { try await recorder.sync() }
    #expect(error.code == .noSpace)
    let status = recorder.status
    #expect((1..<20).contains(status.revision))
    #expect(status.waiting == 20 - status.revision)
    #expect(try rebuilt().revision == status.revision, "what is in the log is acknowledged, and nothing else")

    recorder.resume()
    try await recorder.close()
    #expect(recorder.status.waiting == 0)
    #expect(try rebuilt().state.sum == 210)
    let replayed = try await History<Tally>(at: "log", fileSystem: disk)
      .replay(options: .checkingDigests(usesSnapshots: false))
    #expect(replayed.report.divergences.isEmpty)
  }

  @Test func aStatusHandlerMayResume() async throws {
    let holder = Locked<Recorder<Tally>?>(nil)
    let disk = disk
    var configuration = reproducible(Tally.self)
    configuration.onStatusChange = { phase in
      guard case .stopped = phase else { return }
      disk.capacityBytes = nil
      holder.withLock { holder in holder }?.resume()
    }
    let recorder = try await open(configuration)
    holder.withLock { holder in holder = recorder }
    let store = try recorder.makeStore()
    disk.capacityBytes = disk.usedBytes
    try store.dispatch(action: .add(1))
    #expect(await settle { recorder.status.revision == 1 })
    try await recorder.close()
    holder.withLock { holder in holder = nil }
  }
}
