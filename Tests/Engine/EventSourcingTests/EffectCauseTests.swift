import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) @MainActor struct EffectCauseTests {
  private let disk = MemoryFileSystem()

  /// Dispatches `add(n - 1)` as the effect of each `add(n)` until 0.
  private func countDown<Store: Dispatcher<TallyState, TallyAction> & Streamer<TallyState, TallyAction>>(
    in store: Store
  ) -> Task<Void, any Error> {
    let stream = store.makeStream()
    return Task {
      for try await (_, action) in stream {
        try await RecordMeta.withCause(latestIn: stream) {
          await Task.yield()
          guard case .add(let number) = action, number > 0 else { return }
          try await store.dispatch { dispatcher, _ in
            await Task.yield()
            try await dispatcher.dispatch(action: .add(number - 1))
          }
        }
      }
    }
  }

  /// The metadata of each action of the log.
  private func metas() throws -> [RecordMeta] {
    try disk.records().filter { record in !record.type.hasPrefix("@") }.map { record in try RecordMeta(of: record) }
  }

  @Test func recorderWritesTheCauses() async throws {
    for round in 0..<2 {
      let recorder = try await Recorder<Tally>.open(
        at: "log", configuration: reproducible(Tally.self), fileSystem: disk)
      let store = try recorder.makeStore()
      let effects = countDown(in: store)
      try store.dispatch(action: .add(2))
      try store.dispatch(action: .add(2))
      #expect(await settle { store.state.sum == 6 * (round + 1) && store.accepted.count == 6 })
      effects.cancel()
      try await recorder.close()
    }
    #expect(try metas().map(\.cause) == [nil, nil, 1, 2, 3, 4, nil, nil, 7, 8, 9, 10])
  }

  @Test func recordingStoreWritesTheCauses() async throws {
    for _ in 0..<2 {
      let store = try RecordingStore<Tally>(at: "log", configuration: reproducible(Tally.self), fileSystem: disk)
      let before = store.logStatus.lastRevision
      let effects = countDown(in: store)
      try store.dispatch(action: .add(2))
      try store.dispatch(action: .add(2))
      #expect(await settle { store.logStatus.lastRevision == before + 6 })
      effects.cancel()
      try await store.close()
    }
    #expect(try metas().map(\.cause) == [nil, nil, 1, 2, 3, 4, nil, nil, 7, 8, 9, 10])
  }

  @Test func metadataOfTheTaskReachesARecorder() async throws {
    var configuration = reproducible(Tally.self)
    configuration.meta = RecordMeta(app: "tests")
    let recorder = try await Recorder<Tally>.open(at: "log", configuration: configuration, fileSystem: disk)
    let store = try recorder.makeStore()
    for number in 1...2_500 {
      let meta = number % 1_000 == 7 ? RecordMeta(actor: "ann \(number)") : nil
      try RecordMeta.$current.withValue(meta) { try store.dispatch(action: .add(number)) }
    }
    try await recorder.close()
    let metas = try metas()
    #expect(metas.count == 2_500 && metas.allSatisfy { meta in meta.app == "tests" })
    #expect(metas.compactMap(\.actor) == ["ann 7", "ann 1007", "ann 2007"])
    #expect(metas[6].actor == "ann 7" && metas[2_006].actor == "ann 2007")
  }

  @Test func refusedActionPassesNothingOn() async throws {
    let recorder = try await Recorder<StrictTally>.open(
      at: "log", configuration: reproducible(StrictTally.self), fileSystem: disk)
    let store = try recorder.makeStore()
    #expect(throws: TallyError.self) {
      try RecordMeta.$current.withValue(RecordMeta(actor: "ann")) { try store.dispatch(action: .add(-1)) }
    }
    try store.dispatch(action: .add(1))
    try await recorder.close()
    #expect(try metas() == [RecordMeta()])
  }

  /// Metadata waits with its action while nothing can be written.
  @Test func metadataSurvivesAFullDisk() async throws {
    let recorder = try await Recorder<Tally>.open(
      at: "log", configuration: reproducible(Tally.self), fileSystem: disk)
    let store = try recorder.makeStore()
    disk.capacityBytes = disk.usedBytes
    try RecordMeta.$current.withValue(RecordMeta(actor: "ann")) { try store.dispatch(action: .add(1)) }
    try store.dispatch(action: .add(2))
    await #expect(throws: LogError.self) { try await recorder.sync() }
    disk.capacityBytes = nil
    recorder.resume()
    try await recorder.close()
    #expect(try metas().map(\.actor) == ["ann", nil])
  }

  /// The code of the page *Subscriptions and effects*.
  @Test func pageShowsTheListener() async throws {
    let store = try RecordingStore<Tally>(at: "log", configuration: reproducible(Tally.self), fileSystem: disk)
    func react(to action: TallyAction, in oldState: TallyState) async {
      guard case .add(let number) = action, number == oldState.sum + 1 else { return }
      do { try store.dispatch(action: .name("first")) } catch { Issue.record(error) }
    }
    func listen() async {
      // begin: cause
      let stream = store.makeStream()
      for await (oldState, action) in stream {
        await RecordMeta.withCause(latestIn: stream) { await react(to: action, in: oldState) }
      }
      // end: cause
    }
    let listener = Task { await listen() }
    #expect(await settle { store.streamCount == 1 })
    try store.dispatch(action: .add(1))
    #expect(await settle { store.state.names == ["first"] })
    listener.cancel()
    try await store.close()
    #expect(try metas().map(\.cause) == [nil, 1])
  }

  @Test func unrecordedStoreHasNoCauses() async throws {
    let store = Store(initialState: Tally.initialState, reducer: Tally.reducer)
    let stream = store.makeStream()
    try store.dispatch(action: .add(1))
    store.finish()
    for await _ in stream {
      await RecordMeta.withCause(latestIn: stream) { #expect(RecordMeta.current == nil) }
    }
  }
}
