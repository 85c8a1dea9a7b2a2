import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import JSONCoding
import Platform
import TestSupport
import Testing

/// Snapshots and digests that are taken while a log is recorded: never ahead of the log, and without blocking it.
@MainActor @Suite struct SnapshotTakingTests {
  private let disk = MemoryFileSystem()

  private func openStore(
    _ configuration: RecordingConfiguration<Tally>, on files: (any LogFileSystem)? = nil
  ) throws -> RecordingStore<Tally> {
    try RecordingStore<Tally>(at: "log", configuration: configuration, fileSystem: files ?? disk)
  }

  /// The clock shows 100 ms more at each of the first three readings. An opening reads it before, when the fold begins, and after, so
  /// 2 000 actions take 100 ms to fold, and 5 000 take 250 ms.
  @Test func measuredFoldDecidesWhenASnapshotIsDue() async throws {
    try await record(
      Array(repeating: .add(1), count: 2_000), as: Tally.self, at: "log", in: disk,
      configuration: reproducible(Tally.self, durability: .written))
    var configuration = reproducible(Tally.self, snapshots: .openingTime(minimumBytes: 1), durability: .written)
    let readings = Locked(0)
    configuration.log.environment.uptime = {
      readings.withLock { readings in
        readings = min(readings + 1, 3)
        return .milliseconds(100 * readings)
      }
    }
    try await record(
      Array(repeating: .add(1), count: 6_000), as: Tally.self, at: "log", in: disk, configuration: configuration)
    #expect(try SnapshotStore(at: "log", fileSystem: disk).revisions() == [5_000])
  }

  @Test(arguments: [Durability.queued, .written, .interval(.seconds(3_600)), .synced, .full])
  func aSnapshotIsNeverAheadOfItsLog(durability: Durability) async throws {
    let crashes = Locked<[MemoryFileSystem]>([])
    let disk = disk
    let watched = FaultyFileSystem(disk) { call in
      // A power cut immediately after the snapshot was renamed, with or without the rename on the device.
      guard call.operation == .syncDirectory, call.path.hasSuffix("snapshots") else { return }
      let crashed = disk.crash(CrashModel(seed: 0, pageSurvival: 0, entrySurvival: 1, sizeSurvival: 0))
      crashes.withLock { crashes in crashes.append(crashed) }
    }
    let recorder = try await Recorder<Tally>.open(
      at: "log", configuration: reproducible(Tally.self, snapshots: .every(5), durability: durability),
      fileSystem: watched)
    let store = try recorder.makeStore()
    for number in 1...20 {
      try store.dispatch(action: .add(number))
      if number % 5 == 0 { try await recorder.sync() }
    }
    try await recorder.close()
    let all = crashes.withLock { crashes in crashes }
    #expect(all.count == 4)
    for crashed in all {
      let replayed = try await History<Tally>(at: "log", fileSystem: crashed).replay()
      #expect(replayed.report.snapshotsRefused.isEmpty)
      #expect(replayed.report.snapshotsLoaded == 1)
    }
  }

  /// Another log has replaced this one at the path before the snapshot's revision is looked up. It must not receive the state of
  /// this log, nor lose a snapshot of its own.
  @Test func aSnapshotIsNotPutIntoAnotherLog() async throws {
    let disk = disk
    for (path, number) in [("log", 1), ("other", 100)] {
      try await record(
        Array(repeating: .add(number), count: 4), as: Tally.self, at: path, in: disk,
        configuration: reproducible(Tally.self, snapshots: .never))
    }
    try await record(
      [.add(100)], as: Tally.self, at: "other", in: disk, configuration: reproducible(Tally.self, snapshots: .every(1)))
    let own = try disk.names(in: "other/snapshots")
    #expect(own.count == 1)
    let isArmed = Locked(false)
    let watched = FaultyFileSystem(disk) { call in
      guard call.operation == .open, call.path == "log/0000000000000001.jsonl" else { return }
      guard isArmed.withLock({ isArmed in (isArmed, isArmed = false).0 }) else { return }
      #expect(throws: Never.self) {
        try disk.rename("log", to: "bad")
        try disk.rename("other", to: "log")
      }
    }
    var configuration = reproducible(Tally.self, snapshots: .every(1))
    configuration.retention = .newest(1)
    let recorder = try await Recorder<Tally>.open(at: "log", configuration: configuration, fileSystem: watched)
    isArmed.withLock { isArmed in isArmed = true }
    try recorder.makeStore().dispatch(action: .add(1))
    await #expect(throws: LogError.self) { try await recorder.close() }
    #expect(!isArmed.withLock { isArmed in isArmed }, "the log was exchanged")
    #expect((recorder.status.snapshotError as? LogError)?.code == .failed)
    #expect(try disk.names(in: "log/snapshots") == own)
    let replayed = try await History<Tally>(at: "log", fileSystem: disk).replay()
    #expect(replayed.state.sum == 500 && replayed.report.snapshotsRefused.isEmpty)
  }

  @Test func aVisibleSnapshotIsDurable() async throws {
    let store = try openStore(reproducible(Tally.self, snapshots: .every(5)))
    for number in 1...5 { try store.dispatch(action: .add(number)) }
    try await store.close()
    let crashed = disk.crash(.onlySyncedSurvives)
    #expect(try await History<Tally>(at: "log", fileSystem: crashed).replay().report.snapshotsLoaded == 1)
  }

  /// Closing waits for the actions, and must not overtake the snapshot that is due with the last of them.
  @Test func closingAfterAnActionKeepsItsSnapshot() async throws {
    for round in 1...120 {
      let recorder = try await Recorder<Tally>.open(
        at: "log", configuration: reproducible(Tally.self, snapshots: .every(1)), fileSystem: disk)
      try recorder.makeStore().dispatch(action: .add(round))
      try await recorder.close()
      let report = try await History<Tally>(at: "log", fileSystem: disk).replay().report
      #expect(report.startRevision == round)
    }
  }

  @Test func aStateThatCannotBeEncodedDoesNotStopTheRecording() async throws {
    let configuration = reproducible(FragileTally.self, snapshots: .every(2), digests: .every(1))
    let store = try RecordingStore<FragileTally>(at: "log", configuration: configuration, fileSystem: disk)
    try store.dispatch(action: .add(1))
    try store.dispatch(action: .add(-5))
    #expect(store.snapshotError is EventSourcingError)
    try store.dispatch(action: .add(10))
    try await store.close()
    let recorder = try await Recorder<FragileTally>.open(at: "log", configuration: configuration, fileSystem: disk)
    let live = try recorder.makeStore()
    try live.dispatch(action: .add(-20))
    try live.dispatch(action: .add(30))
    try await recorder.close()
    let replayed = try await History<FragileTally>(at: "log", fileSystem: disk)
      .replay(options: .checkingDigests(usesSnapshots: false))
    #expect(replayed.state.sum == 16)
    #expect(replayed.revision == 5)
    #expect(replayed.report.digestsChecked == 4, "at 0, 1, 3 and 5")
    #expect(replayed.report.divergences.isEmpty)
  }

  @Test func anImpureReducersStateIsNotWritten() async throws {
    let recorder = try await Recorder<MoodyTally>.open(
      at: "log", configuration: reproducible(MoodyTally.self, snapshots: .every(1)), fileSystem: disk)
    let store = try recorder.makeStore()
    MoodyTally.acceptances.withLock { count in count = 1 }
    try store.dispatch(action: .add(1))
    try await recorder.close()
    #expect(recorder.status.snapshotError is TallyError)
    #expect(try SnapshotStore(at: "log", fileSystem: disk).revisions().isEmpty)
    #expect(try await History<Tally>(at: "log", fileSystem: disk).state().sum == 1)
  }

  @Test func aRejectedActionCountsForNoSnapshot() async throws {
    let seen = Locked<[Int]>([])
    let policy = SnapshotPolicy<TallyState> { occasion in
      seen.withLock { seen in seen.append(occasion.actionsSinceSnapshot) }
      return occasion.actionsSinceSnapshot == 3
    }
    let store = try openStore(reproducible(Tally.self, snapshots: policy))
    try store.dispatch(action: .add(1))
    try store.dispatch(action: .add(2))
    disk.capacityBytes = disk.usedBytes
    #expect(throws: LogError.self) { try store.dispatch(action: .add(100)) }
    disk.capacityBytes = nil
    try store.dispatch(action: .add(3))
    try store.dispatch(action: .add(4))
    try await store.close()
    #expect(seen.withLock { seen in seen } == [1, 2, 3, 3, 1])
    #expect(try SnapshotStore(at: "log", fileSystem: disk).revisions() == [3])
    #expect(try await History<Tally>(at: "log", fileSystem: disk).state().sum == 10)
  }

  @Test(arguments: [FileCall.Operation.append, .sync, .rename])
  func aFailedSnapshotLeavesNoFiles(operation: FileCall.Operation) async throws {
    let faulty = FaultyFileSystem(disk)
    let store = try openStore(reproducible(Tally.self, snapshots: .every(5)), on: faulty)
    faulty.add(FileFault(operation, lasts: true, code: .noSpace, pathSuffix: ".json.new", partialWrite: .half))
    for number in 1...5 { try store.dispatch(action: .add(number)) }
    try await store.close()
    #expect((store.snapshotError as? LogError)?.code == .noSpace)
    #expect(try disk.names(in: "log/snapshots").isEmpty)
  }

  @Test func snapshotsPastTheEndDoNotDisplaceUsableOnes() async throws {
    var configuration = reproducible(Tally.self, snapshots: .every(5))
    configuration.retention = .newest(1)
    let store = try openStore(configuration)
    let snapshots = SnapshotStore(at: "log", fileSystem: disk)
    try disk.createDirectory(snapshots.directory)
    try disk.setContents([1], of: snapshots.path(at: 9_999))
    for number in 1...10 { try store.dispatch(action: .add(number)) }
    try await store.close()
    #expect(try snapshots.revisions() == [10, 9_999])
    #expect(try await History<Tally>(at: "log", fileSystem: disk).replay().report.snapshotsLoaded == 1)
  }

  @Test func aRecordingIsReproducibleByteForByte() async throws {
    func files() async throws -> [String: [UInt8]] {
      let disk = MemoryFileSystem()
      let recorder = try await Recorder<StrictTally>.open(
        at: "log", configuration: reproducible(StrictTally.self, snapshots: .every(7), segmentLimitBytes: 2_000),
        fileSystem: disk)
      let store = try recorder.makeStore()
      for number in 1...50 {
        try store.dispatch(action: .add(number))
        if number % 9 == 0 { try await recorder.recordRefusal(of: .add(-1), error: TallyError(code: .negative)) }
        try await recorder.sync()
      }
      try await recorder.close()
      var files: [String: [UInt8]] = [:]
      for directory in ["log", "log/snapshots"] {
        for name in try disk.names(in: directory) where name.contains(".json") {
          files[directory + "/" + name] = try disk.contents(of: directory + "/" + name)
        }
      }
      return files
    }
    let first = try await files()
    #expect(first.count > 10)
    #expect(try await files() == first)
  }
}
