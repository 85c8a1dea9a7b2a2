import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import EventSourcing
import Foundation
import ImmutableData
import Platform
import TestSupport
import Testing

/// Checkpoints that a recorder stores.
@MainActor @Suite("Checkpoints of a recording", .timeLimit(.minutes(60))) struct CheckpointPolicyTests {
  private let disk = MemoryFileSystem()
  private let timer = HandTimer()
  private let notices = Locked<[RecordingNotice]>([])
  private var proofs: EvidenceStore { EvidenceStore(log: "log", fileSystem: disk) }

  private func configuration(
    _ policy: CheckpointPolicy, durability: Durability = .synced
  ) -> RecordingConfiguration<Tally> {
    var configuration = reproducible(Tally.self, durability: durability)
    configuration.checkpoints = policy
    configuration.log.environment.schedule = timer.schedule
    configuration.onNotice = { [notices] notice in notices.withLock { notices in notices.append(notice) } }
    return configuration
  }

  private func store(
    _ policy: CheckpointPolicy, durability: Durability = .synced, in files: (any LogFileSystem)? = nil
  ) throws -> RecordingStore<Tally> {
    try RecordingStore<Tally>(
      at: "log", configuration: configuration(policy, durability: durability), fileSystem: files ?? disk)
  }

  /// Expects that the log leads to a number of checkpoints, the last of which covers all lines.
  private func expectCheckpoints(_ count: Int, coversAll: Bool = true) throws {
    let report = try LogVerifier.verify(at: "log", fileSystem: disk)
    #expect(report.verdict == .clean, "\(report.problems)")
    #expect(report.checkpointCount == count)
    guard coversAll else { return }
    #expect(try proofs.newestCheckpoint()?.checkpoint.size == disk.records().count)
  }

  @Test func withoutAPolicyThereIsNone() async throws {
    let store = try store(.never)
    for _ in 1...3 { try store.dispatch(action: .add(1)) }
    try await store.close()
    #expect(!disk.filePaths.contains { path in path.contains("proofs") })
    #expect(timer.waitingCount == 0)
  }

  @Test func closingStoresACheckpoint() async throws {
    for session in 1...3 {
      let store = try store(.atClose)
      try store.dispatch(action: .add(1))
      #expect(try proofs.checkpointSizes().count == session - 1)
      try await store.close()
      try expectCheckpoints(session)
    }
    let newest = try #require(try proofs.newestCheckpoint()).checkpoint
    #expect(newest.origin == "actionlog/3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11")
    #expect(notices.withLock { notices in notices.isEmpty })
  }

  @Test func aRecorderStoresCheckpointsToo() async throws {
    let recorder = try await Recorder<Tally>.open(
      at: "log", configuration: configuration(.actions(2)), fileSystem: disk)
    let store = try recorder.makeStore()
    for _ in 1...2 { try store.dispatch(action: .add(1)) }
    try await recorder.sync()
    #expect(try await eventually { try proofs.checkpointSizes().count == 1 })
    #expect(recorder.status.checkpointError == nil)
    try await recorder.close()
    try expectCheckpoints(2)
  }

  /// A checkpoint can read the complete log, and the threads of the writers serve many logs.
  @Test func checkpointsUseNoThreadOfTheWriters() async throws {
    func pool(_ name: String) -> ThreadPool {
      ThreadPool(
        threadLimit: 1,
        start: { run in
          SystemThread.start {
            Thread.current.name = name
            run()
          }
        })
    }
    var configuration = configuration(.actions(2))
    configuration.log.environment.resources = LogResources(
      threads: pool("writers"), readers: pool("checkpoints"), schedule: timer.schedule)
    let threads = Locked<[String: Set<String>]>([:])
    let files = FaultyFileSystem(disk) { call in
      let kind = call.path.contains("/proofs") ? "proofs" : call.operation == .append ? "lines" : "other"
      threads.withLock { threads in _ = threads[kind, default: []].insert(Thread.current.name ?? "") }
    }
    let store = try RecordingStore<Tally>(at: "log", configuration: configuration, fileSystem: files)
    for _ in 1...2 { try await store.dispatch(action: .add(1), awaiting: .synced) }
    #expect(try await eventually { try proofs.checkpointSizes().count == 1 })
    try await store.close()
    try expectCheckpoints(2)
    let found = threads.withLock { threads in threads }
    #expect(found["proofs"] == ["checkpoints"], "\(found)")
    #expect(found["lines"]?.contains("writers") == true, "\(found)")
  }

  @Test func anIntervalBeginsWithTheFirstAction() async throws {
    let store = try store(.interval(.seconds(60)))
    #expect(timer.waitingCount == 0)
    for _ in 1...3 { try store.dispatch(action: .add(1)) }
    #expect(timer.waitingCount == 1)
    try await store.sync()
    #expect(try proofs.checkpointSizes() == [])
    timer.fire()
    #expect(try await eventually { try proofs.checkpointSizes().count == 1 })
    try expectCheckpoints(1)
    // Nothing was recorded since.
    #expect(timer.waitingCount == 0)
    try store.dispatch(action: .add(1))
    #expect(timer.waitingCount == 1)
    try await store.close()
    #expect(timer.waitingCount == 0, "closing cancels the call")
    try expectCheckpoints(2)
  }

  @Test func everySoManyActionsAreCovered() async throws {
    let store = try store(.actions(5))
    for round in 1...3 {
      for _ in 1...4 { try store.dispatch(action: .add(1)) }
      try await store.sync()
      #expect(try proofs.checkpointSizes().count == round - 1)
      try await store.dispatch(action: .add(1), awaiting: .synced)
      #expect(try await eventually { try proofs.checkpointSizes().count == round })
    }
    try expectCheckpoints(3, coversAll: false)
    try await store.close()
    try expectCheckpoints(4)
  }

  /// The device has no line of a writer that never syncs, so a checkpoint must not cover one.
  @Test(arguments: [Durability.queued, .written])
  func unsyncedLinesAreNotCovered(durability: Durability) async throws {
    let store = try store(.interval(.seconds(1)), durability: durability)
    try store.dispatch(action: .add(1))
    try await store.sync()
    let synced = try disk.records().count
    for _ in 1...3 { try store.dispatch(action: .add(1)) }
    _ = try await store.receipt()
    timer.fire()
    #expect(try await eventually { try proofs.checkpointSizes().count == 1 })
    #expect(try proofs.newestCheckpoint()?.checkpoint.size == synced)
    let left = disk.crash(.onlySyncedSurvives)
    let report = try LogVerifier.verify(at: "log", fileSystem: left)
    #expect(report.verdict != .damaged, "\(report.problems)")
    #expect(report.checkpointCount == 1)
    try await store.close()
    try expectCheckpoints(2)
  }

  @Test func aFailureIsReportedAndFailsNothingElse() async throws {
    let door = FaultyFileSystem(
      disk, faults: [FileFault(.createDirectory, lasts: true, code: .noSpace, pathSuffix: "/proofs")])
    let store = try store(.interval(.seconds(1)), in: door)
    for attempt in 1...3 {
      try store.dispatch(action: .add(1))
      timer.fire()
      #expect(
        try await eventually {
          let calls = door.calls.count { call in call.operation == .createDirectory && call.path.hasSuffix("/proofs") }
          return calls == attempt && store.checkpointError != nil
        })
    }
    #expect((store.checkpointError as? LogError)?.code == .noSpace)
    let found = notices.withLock { notices in notices }
    guard found.count == 1, case .checkpointFailed(_, let log)? = found.first else {
      Issue.record("\(found)")
      return
    }
    #expect(log == "log")
    #expect(store.isRecorded)
    door.heal()
    try store.dispatch(action: .add(1))
    try await store.sync()
    timer.fire()
    #expect(try await eventually { store.checkpointError == nil })
    try await store.close()
    #expect(try await History<Tally>(at: "log", fileSystem: disk).state().sum == 4)
    try expectCheckpoints(2)
    // The last one may fail, too.
    let failing = FaultyFileSystem(disk, faults: [FileFault(.rename, lasts: true, pathSuffix: "/proofs/edge.new")])
    let last = try self.store(.atClose, in: failing)
    try await last.close()
    #expect(last.checkpointError != nil)
    try expectCheckpoints(2, coversAll: false)
  }

  /// Others have changed a line below the last checkpoint, and made the chain good.
  @Test func aChangedLogIsNoticed() async throws {
    for _ in 1...2 {
      let store = try store(.atClose)
      try store.dispatch(action: .add(1))
      try await store.close()
    }
    let newest = try #require(try proofs.newestCheckpoint()).checkpoint
    let forged = try Checkpoint(origin: newest.origin, size: newest.size, root: MerkleHash.emptyRoot)
    let name = String(newest.size)
    try disk.setContents(
      Array(forged.text.utf8),
      of: "log/proofs/checkpoints/" + String(repeating: "0", count: 16 - name.count) + name)
    let store = try store(.atClose)
    try store.dispatch(action: .add(1))
    try await store.close()
    #expect((store.checkpointError as? LogError)?.code == .damaged)
    #expect(notices.withLock { notices in notices.count } == 1)
    #expect(try await History<Tally>(at: "log", fileSystem: disk).state().sum == 3)
  }

  @Test func abandoningStoresNone() async throws {
    let recorder = try await Recorder<Tally>.open(
      at: "log", configuration: configuration(.interval(.seconds(1))), fileSystem: disk)
    let store = try recorder.makeStore()
    try store.dispatch(action: .add(1))
    try await recorder.sync()
    await recorder.abandon()
    #expect(timer.waitingCount == 0)
    #expect(try proofs.checkpointSizes() == [])
  }

  /// The log belongs to another writer as soon as it is closed, and no lock of it is taken afterward.
  @Test func theLastCheckpointTakesNoLockOfTheLog() async throws {
    let locked = Locked<[String]>([])
    let door = FaultyFileSystem(disk) { call in
      if call.operation == .lock { locked.withLock { locked in locked.append(call.path) } }
    }
    let store = try store(.atClose, in: door)
    try store.dispatch(action: .add(1))
    try await store.close()
    #expect(locked.withLock { locked in locked.filter { path in path == "log" }.count } == 1)
    try expectCheckpoints(1)
  }
}
