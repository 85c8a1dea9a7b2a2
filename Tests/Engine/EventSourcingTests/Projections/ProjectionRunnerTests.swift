import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import Platform
import TestSupport
import Testing

/// A projection that is kept up to date: from a recorder in the process, and from a log that another process writes.
@MainActor @Suite struct ProjectionRunnerTests {
  private let disk = MemoryFileSystem()
  private let timer = HandTimer()

  private var options: ProjectionOptions { ProjectionOptions(schedule: timer.schedule) }

  private func open(
    _ files: (any LogFileSystem)? = nil, durability: Durability = .synced, segmentLimitBytes: Int? = nil
  ) async throws -> Recorder<Tally> {
    var configuration = reproducible(Tally.self, durability: durability, segmentLimitBytes: segmentLimitBytes)
    configuration.metaOfAction = { action in
      if case .add(let number) = action { RecordMeta(actor: "actor \(number % 3)") } else { nil }
    }
    return try await Recorder<Tally>.open(at: "log", configuration: configuration, fileSystem: files ?? disk)
  }

  /// The fold of what is in the log.
  private func fold(through last: Int = .max) throws -> TallyTotals { try totals(disk.records(), through: last) }
}

// MARK: - From a recorder

extension ProjectionRunnerTests {
  @Test func recordedActionsEqualReplayedActions() async throws {
    let recorder = try await open()
    let store = try recorder.makeStore()
    let runner = try await ProjectionGroup.open(on: recorder).run(Totals.self)
    for number in 1...200 { try store.dispatch(action: number % 7 == 0 ? .name("\(number)") : .add(number)) }
    let receipt = try await recorder.sync()
    try await runner.caughtUp(to: receipt.revision)
    #expect(await runner.current().state == (try fold()))
    #expect(await runner.current().revision == 200)
    #expect(runner.status.lag == 0)
    try await recorder.close()
    #expect(try await ProjectionHistory<Totals>(at: "log", fileSystem: disk).state() == fold())
    await runner.close()
  }

  @Test func aRecordingStoreWakesItsProjections() async throws {
    let store = try RecordingStore<Tally>(at: "log", configuration: reproducible(Tally.self), fileSystem: disk)
    try store.dispatch(action: .add(1))
    let runner = try await ProjectionGroup.open(on: store).run(Totals.self)
    try await runner.caughtUp()
    let receipt = try await store.dispatch(action: .add(2), meta: RecordMeta(actor: "ann"), awaiting: .synced)
    try await runner.caughtUp(to: receipt.revision)
    #expect(await runner.current().state == (try fold()))
    #expect(await runner.current().state.actors == ["ann": 2])
    await runner.close()
    try await store.close()
  }

  @Test func onlyDurableActionsAreFolded() async throws {
    let recorder = try await open(durability: .written)
    let store = try recorder.makeStore()
    let runner = try await ProjectionGroup.open(on: recorder).run(Totals.self)
    try await runner.caughtUp()
    for number in 1...20 { try store.dispatch(action: .add(number)) }
    _ = try await recorder.receipt()
    // Everything is written, and nothing is synced.
    try await runner.caughtUp()
    #expect(runner.status.revision == 0)
    #expect(runner.status.lag == 20)
    let crashed = disk.crash(CrashModel(seed: 1, pageSurvival: 0, entrySurvival: 1, sizeSurvival: 0))
    #expect(try await History<Tally>(at: "log", fileSystem: crashed).lastRevision() == 0)
    try await recorder.sync()
    try await runner.caughtUp(to: 20)
    #expect(await runner.current().state == (try fold()))
    await runner.close()
    try await recorder.close()
  }

  @Test func writtenActionsAreFoldedOnRequest() async throws {
    let recorder = try await open(durability: .written)
    let store = try recorder.makeStore()
    let runner = try await ProjectionGroup.open(on: recorder, options: ProjectionOptions(level: .written)).run(
      Totals.self)
    for number in 1...20 { try store.dispatch(action: .add(number)) }
    _ = try await recorder.receipt()
    try await runner.caughtUp(to: 20)
    #expect(recorder.logStatus.syncedRevision < 20)
    await runner.close()
    try await recorder.close()
  }

  @Test func aSlowProjectionCatchesUp() async throws {
    GatedTotals.gate.close()
    defer { GatedTotals.gate.open() }
    let recorder = try await open()
    let store = try recorder.makeStore()
    let runner = try await ProjectionGroup.open(on: recorder).run(GatedTotals.self)
    let count = 30_000
    for number in 1...count { try store.dispatch(action: .add(number & 0xFF)) }
    try await recorder.sync()
    GatedTotals.gate.open()
    try await runner.caughtUp(to: count)
    #expect(await runner.current().state == (try fold()))
    await runner.close()
    try await recorder.close()
  }

  /// The recorder reports what it syncs, so that nothing waits for a timer.
  @Test func aRecorderWakesItsProjections() async throws {
    let recorder = try await open()
    let store = try recorder.makeStore()
    let runner = try await ProjectionGroup.open(on: recorder, options: options).run(Totals.self)
    try await runner.caughtUp()
    for number in 1...50 {
      try store.dispatch(action: .add(number))
      try await recorder.sync()
      #expect(try await eventually { runner.status.revision == number })
    }
    #expect(timer.waitingCount == 0)
    #expect(await runner.current().state == (try fold()))
    await runner.close()
    try await recorder.close()
  }

  @Test func theLogIsFollowedAfterTheRecorder() async throws {
    let first = try await open()
    try first.makeStore().dispatch(action: .add(1))
    let runner = try await ProjectionGroup.open(on: first, options: options).run(Totals.self)
    try await first.close()
    try await runner.caughtUp(to: 1)
    let second = try await open()
    try second.makeStore().dispatch(action: .add(2))
    try await second.close()
    try await runner.caughtUp()
    #expect(await runner.current().state == (try fold()))
    #expect(await runner.current().revision == 2)
    await runner.close()
  }
}

// MARK: - From the log

extension ProjectionRunnerTests {
  @Test func aFollowerCrossesSegments() async throws {
    let recorder = try await open(segmentLimitBytes: 1_500)
    let store = try recorder.makeStore()
    let runner = try await ProjectionGroup<Tally>.open(at: "log", options: options, fileSystem: disk).run(Totals.self)
    try await runner.caughtUp()
    for number in 1...60 {
      try store.dispatch(action: .add(number))
      guard number % 4 == 0 else { continue }
      try await recorder.sync()
      #expect(await settle { timer.waitingCount == 1 })
      timer.fire()
      #expect(try await eventually { runner.status.revision == number })
    }
    try await recorder.close()
    try await runner.caughtUp()
    #expect(try LogReader.open(at: "log", fileSystem: disk).segments.count > 3)
    #expect(await runner.current().revision == 60)
    #expect(await runner.current().state == (try fold()))
    await runner.close()
    #expect(timer.waitingCount == 0)
  }

  @Test func aFollowerIsNotAheadOfACrash() async throws {
    let recorder = try await open(durability: .written)
    let store = try recorder.makeStore()
    let runner = try await ProjectionGroup<Tally>.open(at: "log", options: options, fileSystem: disk).run(Totals.self)
    for number in 1...10 { try store.dispatch(action: .add(number)) }
    try await recorder.sync()
    for number in 11...15 { try store.dispatch(action: .add(number)) }
    _ = try await recorder.receipt()
    try await runner.caughtUp()
    #expect(runner.status.revision == 10)
    try await recorder.close()
    try await runner.caughtUp()
    #expect(await runner.current().revision == 15)
    await runner.close()
  }

  @Test func aRestartBeginsAtTheSnapshot() async throws {
    let recorder = try await open()
    let store = try recorder.makeStore()
    for number in 1...100 { try store.dispatch(action: .add(number)) }
    try await recorder.close()
    let configuration = ProjectionConfiguration<TallyTotals>(snapshots: .logGrowth(minimumBytes: 1))
    let first = try await ProjectionGroup<Tally>.open(
      at: "log", options: options, fileSystem: disk
    ).run(Totals.self, configuration: configuration)
    try await first.caughtUp()
    await first.settleSnapshots()
    #expect(first.status.snapshotError == nil)
    await first.close()
    #expect(try await ProjectionHistory<Totals>(at: "log", fileSystem: disk).snapshots?.revisions().last == 100)
    let second = try await ProjectionGroup<Tally>.open(at: "log", options: options, fileSystem: disk).run(Totals.self)
    try await second.caughtUp()
    #expect(second.group.work.actionsDecoded == 0)
    #expect(await second.current().state == (try fold()))
    await second.close()
  }

  @Test func oneRunnerTakesTheSnapshots() async throws {
    let recorder = try await open()
    try recorder.makeStore().dispatch(action: .add(1))
    try await recorder.close()
    let first = try await ProjectionGroup<Tally>.open(at: "log", options: options, fileSystem: disk).run(Totals.self)
    let second = try await ProjectionGroup<Tally>.open(at: "log", options: options, fileSystem: disk).run(Totals.self)
    #expect(first.status.takesSnapshots)
    #expect(!second.status.takesSnapshots)
    #expect(second.status.snapshotError == nil)
    try await second.caughtUp()
    #expect(await second.current().revision == 1)
    await first.close()
    let third = try await ProjectionGroup<Tally>.open(at: "log", options: options, fileSystem: disk).run(Totals.self)
    #expect(third.status.takesSnapshots)
    await second.close()
    await third.close()
  }
}

// MARK: - Several projections

extension ProjectionRunnerTests {
  @Test func aGroupReadsAndDecodesOnce() async throws {
    let recorder = try await open()
    let store = try recorder.makeStore()
    for number in 1...5_000 { try store.dispatch(action: .add(number)) }
    try await recorder.close()
    func work(_ add: (ProjectionGroup<Tally>) async throws -> Void) async throws -> ProjectionWork {
      let group = try await ProjectionGroup<Tally>.open(at: "log", options: options, fileSystem: disk)
      try await add(group)
      group.start()
      #expect(try await eventually { group.work.actionsDecoded == 5_000 })
      await group.close()
      return group.work
    }
    let one = try await work { group in _ = try await group.add(Totals.self) }
    let three = try await work { group in
      _ = try await group.add(Totals.self)
      _ = try await group.add(OtherTotals.self)
      _ = try await group.add(SealedTotals.self)
    }
    #expect(one.actionsDecoded == 5_000)
    #expect(three == one)
  }

  @Test func aLaterProjectionCatchesUpByItself() async throws {
    let recorder = try await open()
    let store = try recorder.makeStore()
    let group = try await ProjectionGroup<Tally>.open(on: recorder)
    let first = try await group.add(Totals.self)
    group.start()
    for number in 1...30 { try store.dispatch(action: .add(number)) }
    try await recorder.sync()
    try await first.caughtUp(to: 30)
    let second = try await group.add(OtherTotals.self)
    try await second.caughtUp(to: 30)
    #expect(await second.current().state == (try fold()))
    try store.dispatch(action: .add(31))
    try await recorder.sync()
    try await first.caughtUp(to: 31)
    try await second.caughtUp(to: 31)
    #expect(await second.current().state == (try fold()))
    await first.close()
    try store.dispatch(action: .add(32))
    try await recorder.sync()
    try await second.caughtUp(to: 32)
    await group.close()
    try await recorder.close()
  }
}

// MARK: - Views

extension ProjectionRunnerTests {
  @Test func statesAreTheLatest() async throws {
    let recorder = try await open()
    let store = try recorder.makeStore()
    let runner = try await ProjectionGroup.open(on: recorder).run(Totals.self)
    var states = runner.states.makeAsyncIterator()
    #expect(await states.next() == TallyTotals())
    for number in 1...10 { try store.dispatch(action: .add(number)) }
    try await recorder.sync()
    try await runner.caughtUp(to: 10)
    // Nine states were missed.
    #expect(await states.next() == (try fold()))
    #expect(states.revision == 10)
    await runner.close()
    #expect(await states.next() == nil)
    await #expect(throws: LogError.self) { try await runner.caughtUp(to: 11) }
    try await recorder.close()
  }

  @Test func aCanceledConsumerEnds() async throws {
    let recorder = try await open()
    let runner = try await ProjectionGroup.open(on: recorder).run(Totals.self)
    try await runner.caughtUp()
    let task = Task {
      var count = 0
      for await _ in runner.states { count += 1 }
      return count
    }
    let waiting = Task { try await runner.caughtUp(to: 1) }
    task.cancel()
    waiting.cancel()
    #expect(await task.value <= 1)
    await #expect(throws: CancellationError.self) { try await waiting.value }
    await runner.close()
    try await recorder.close()
  }
}

// MARK: - Failures

extension ProjectionRunnerTests {
  @Test func anUndecodableActionEndsTheProjection() async throws {
    let recorder = try await open()
    let store = try recorder.makeStore()
    for number in 1...3 { try store.dispatch(action: .add(number)) }
    try await recorder.sync()
    let runner = try await ProjectionGroup<OtherTally>.open(at: "log", options: options, fileSystem: disk).run(
      ClearingTotals.self)
    let error = await #expect(throws: EventSourcingError.self) { try await runner.caughtUp(to: 1) }
    #expect(error?.revision == 1)
    #expect(error?.code == .unknownType)
    #expect(runner.status.phase.failure != nil)
    #expect(runner.status.revision == 0)
    // The log is not affected.
    try store.dispatch(action: .add(4))
    #expect(try await recorder.sync().revision == 4)
    await runner.close()
    try await recorder.close()
  }

  @Test func aStateThatDoesNotEncodeIsReported() async throws {
    let recorder = try await open()
    let store = try recorder.makeStore()
    let group = try await ProjectionGroup<Tally>.open(on: recorder)
    let fragile = try await group.add(FragileTotals.self, configuration: ProjectionConfiguration(snapshots: .every(1)))
    let totals = try await group.add(Totals.self, configuration: ProjectionConfiguration(snapshots: .every(1)))
    group.start()
    try store.dispatch(action: .add(1))
    try await recorder.sync()
    try await fragile.caughtUp(to: 1)
    try await totals.caughtUp(to: 1)
    await fragile.settleSnapshots()
    await totals.settleSnapshots()
    #expect((fragile.status.snapshotError as? EventSourcingError)?.code == .unencodableState)
    #expect(await fragile.current().state.count == 1)
    #expect(totals.status.snapshotError == nil)
    #expect(try disk.names(in: "log/projections/totals") == ["0000000000000001.json"])
    await group.close()
    try await recorder.close()
  }

  @Test func anUnusableFolderIsReported() async throws {
    let files = FaultyFileSystem(
      disk, faults: [FileFault(.createDirectory, lasts: true, code: .noSpace, pathSuffix: "projections")])
    let recorder = try await open(files)
    let store = try recorder.makeStore()
    let runner = try await ProjectionGroup.open(on: recorder).run(Totals.self)
    try store.dispatch(action: .add(1))
    try await recorder.sync()
    try await runner.caughtUp(to: 1)
    #expect(!runner.status.takesSnapshots)
    #expect((runner.status.snapshotError as? LogError)?.path == "log/projections/totals")
    #expect(await runner.current().state == (try fold()))
    await runner.close()
    try await recorder.close()
  }

  @Test func catchingUpReportsItsProgress() async throws {
    // More than one batch of actions.
    let count = 40_000
    let recorder = try await open(durability: .written)
    let store = try recorder.makeStore()
    for number in 1...count { try store.dispatch(action: .add(number & 0xFF)) }
    try await recorder.close()
    let reports = Locked<[ReplayProgress]>([])
    let runner = try await ProjectionGroup<Tally>.open(
      at: "log",
      options: ProjectionOptions(
        progress: { progress in reports.withLock { reports in reports.append(progress) } }, schedule: timer.schedule),
      fileSystem: disk
    ).run(Totals.self)
    try await runner.caughtUp(to: count)
    // The last report follows the state.
    #expect(try await eventually { reports.withLock { reports in reports.last?.revision == count } })
    let seen = reports.withLock { reports in reports }
    #expect(seen.count > 1)
    #expect(seen.allSatisfy { progress in progress.target == count && progress.revision <= count })
    #expect(zip(seen, seen.dropFirst()).allSatisfy { one, other in one.revision < other.revision })
    #expect(zip(seen, seen.dropFirst()).allSatisfy { one, other in one.bytesRead < other.bytesRead })
    #expect(seen.last?.revision == count && seen.last?.actionsFolded == count)
    // What is added later is no catching up.
    let again = try await open()
    try again.makeStore().dispatch(action: .add(1))
    try await again.close()
    timer.fire()
    try await runner.caughtUp(to: count + 1)
    #expect(reports.withLock { reports in reports.count } == seen.count)
    await runner.close()
  }

  @Test func anotherModelsLogIsRefused() async throws {
    let recorder = try await open()
    try await recorder.close()
    let error = await #expect(throws: LogError.self) {
      _ = try await ProjectionGroup<ShopV2>.open(at: "log", fileSystem: disk).run(SeenShop.self)
    }
    #expect(error?.code == .wrongModel)
  }
}
