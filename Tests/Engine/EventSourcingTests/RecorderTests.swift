import ActionLog
import ActionLogTesting
import CounterData
import EventSourcing
import ImmutableData
import JSONCoding
import Platform
import TestSupport
import Testing

@MainActor @Suite struct RecorderTests {
  private let disk = MemoryFileSystem()

  private func open(
    _ configuration: RecordingConfiguration<Tally> = reproducible(Tally.self)
  ) async throws -> Recorder<Tally> {
    try await Recorder<Tally>.open(at: "log", configuration: configuration, fileSystem: disk)
  }

  @Test func everythingDispatchedIsInTheLogAfterClose() async throws {
    let recorder = try await open()
    let store = try recorder.makeStore()
    for number in 1...5_000 { try store.dispatch(action: .add(number)) }
    try await recorder.close()
    let history = try await History<Tally>(at: "log", fileSystem: disk)
    #expect(try history.state() == store.state)
    #expect(try history.lastRevision() == 5_000)
    #expect(try disk.records().map(\.type).prefix(3) == ["@segment", "@open", "@digest"])
    #expect(try disk.records().last?.type == "@close")
  }

  @Test func waitingActionsShareAWriteAndASync() async throws {
    let gate = Gate()
    let watched = FaultyFileSystem(disk) { call in
      if call.operation == .append, call.path.hasSuffix(".jsonl") { gate.pass() }
    }
    let recorder = try await Recorder<Tally>.open(
      at: "log", configuration: reproducible(Tally.self), fileSystem: watched)
    let store = try recorder.makeStore()
    let before = recorder.logStatus
    gate.close()
    for number in 1...5_000 { try store.dispatch(action: .add(number)) }
    gate.open()
    try await recorder.sync()
    #expect(recorder.logStatus.writtenRevision == 5_000)
    // One batch that was held up, and one for each 1 024 waiting actions; several more if the writer was faster than the recorder.
    // Never one for each action.
    #expect(recorder.logStatus.batchCount - before.batchCount <= 100)
    #expect(recorder.logStatus.syncCount - before.syncCount <= 100)
    try await recorder.close()
  }

  @Test func theStoreContinuesAtTheEndOfTheLog() async throws {
    for round in 1...3 {
      let recorder = try await open()
      let store = try recorder.makeStore()
      #expect(store.state.sum == (round - 1) * 6)
      #expect(recorder.restored.revision == (round - 1) * 3)
      for number in 1...3 { try store.dispatch(action: .add(number)) }
      try await recorder.close()
    }
    #expect(try disk.records().filter { record in record.type == "@open" }.count == 3)
  }

  @Test func noOpsAreRecordedToo() async throws {
    let recorder = try await open()
    let store = try recorder.makeStore()
    try store.dispatch(action: .measure(1))
    try store.dispatch(action: .measure(1))
    try await recorder.close()
    #expect(try await History<Tally>(at: "log", fileSystem: disk).lastRevision() == 2)
  }

  @Test func flushReturnsTheDurableRevision() async throws {
    let recorder = try await open()
    let store = try recorder.makeStore()
    for number in 1...10 { try store.dispatch(action: .add(number)) }
    let receipt = try await recorder.sync()
    #expect(receipt == LogReceipt(revision: 10, durability: .synced))
    #expect(recorder.status.revision == 10)
    #expect(recorder.status.waiting == 0)
    // Acknowledged actions survive a power cut.
    let after = disk.crash(.onlySyncedSurvives)
    #expect(try await History<Tally>(at: "log", fileSystem: after).state().sum == 55)
    try await recorder.close()
  }

  @Test func nothingIsAcknowledgedBeforeItIsSynced() async throws {
    // The store must not end its stream.
    let waiting = try await waitingRecorder(on: disk)
    let (recorder, gate) = (waiting.recorder, waiting.gate)
    #expect(await settle { gate.waitingCount == 1 })
    #expect(recorder.logStatus.writtenRevision == 1)
    for _ in 0..<1_000 { await Task.yield() }
    #expect(recorder.status.revision == 0)
    #expect(recorder.status.waiting == 1)
    gate.open()
    #expect(await settle { recorder.status.revision == 1 })
    try await recorder.close()
  }

  @Test func aStoreWithAnotherStateIsRefused() async throws {
    let recorder = try await open()
    let stranger = Store(initialState: TallyState(sum: 1), reducer: Tally.reducer)
    let error = try #require(throws: EventSourcingError.self) { try recorder.listen(to: stranger) }
    #expect(error.code == .storeMismatch)
    // A store that has accepted actions since it was made does not match either.
    let store = Store(initialState: Tally.initialState, reducer: Tally.reducer)
    try store.dispatch(action: .add(1))
    #expect(throws: EventSourcingError.self) { try recorder.listen(to: store) }
    try await recorder.close()
  }

  /// A model whose reducer depends on how often it was called.
  private enum Counting: Model {
    static let calls = Locked(0)
    static let refuses = Locked(false)
    static var name: String { "tally" }
    static var schema: Int { 1 }
    static var initialState: TallyState { TallyState() }
    static func reduce(into state: inout TallyState, action: TallyAction) throws {
      if refuses.withLock({ refuses in refuses }) { throw CancellationError() }
      state.sum = calls.withLock { calls in
        calls += 1
        return calls
      }
    }
  }

  @Test func anImpureReducerIsNamed() async throws {
    let recorder = try await Recorder<Counting>.open(
      at: "log", configuration: reproducible(Counting.self), fileSystem: disk)
    let store = try recorder.makeStore()
    try store.dispatch(action: .add(1))
    try await recorder.sync()
    for listen in [{ _ = try recorder.makeStore() }, { try recorder.listen(to: store) }] {
      let error = try #require(throws: EventSourcingError.self) { try listen() }
      #expect(error.code == .storeMismatch && error.revision == 1)
      #expect(error.message == "the reducer of 'tally' is impure: folded again, the last action leads to another state")
      #expect(error.advice?.description.contains("makeStore") == false)
    }
    Counting.refuses.withLock { refuses in refuses = true }
    let error = try #require(throws: EventSourcingError.self) { try recorder.makeStore() }
    #expect(error.message.hasSuffix("the last action is refused") && error.underlying is CancellationError)
    try await recorder.close()
  }

  @Test func listeningTwiceToOneStoreRecordsOnce() async throws {
    let recorder = try await open()
    let store = try recorder.makeStore()
    try recorder.listen(to: store)
    try store.dispatch(action: .add(1))
    try recorder.listen(to: store)
    try store.dispatch(action: .add(2))
    try await recorder.close()
    #expect(try await History<Tally>(at: "log", fileSystem: disk).lastRevision() == 2)
  }

  @Test func anotherStoreCanTakeOverWhenNothingIsWaiting() async throws {
    let recorder = try await open()
    let first = try recorder.makeStore()
    try first.dispatch(action: .add(1))
    try await recorder.sync()
    let second = Store(initialState: first.state, reducer: Tally.reducer)
    try recorder.listen(to: second)
    try second.dispatch(action: .add(2))
    try await recorder.close()
    #expect(try await History<Tally>(at: "log", fileSystem: disk).state().sum == 3)
  }

  @Test func onlyTheActionsOfThunksAreRecorded() async throws {
    let recorder = try await open()
    let store = try recorder.makeStore()
    try await store.dispatch { (dispatcher, _) async throws in
      try await dispatcher.dispatch(action: .add(1))
      try await dispatcher.dispatch(action: .name("x"))
    }
    try await recorder.close()
    #expect(try disk.records().filter { record in !record.isControl }.map(\.type) == ["add", "name"])
  }

  @Test func metaComesFromTheConfigurationAndItsClosure() async throws {
    var configuration = reproducible(Tally.self)
    configuration.meta = RecordMeta(actor: "u1", app: "tests")
    configuration.metaOfAction = { action in
      if case .name(let name) = action { RecordMeta(actor: name, other: ["long": true]) } else { nil }
    }
    let recorder = try await open(configuration)
    let store = try recorder.makeStore()
    try store.dispatch(action: .add(1))
    try store.dispatch(action: .name("u2"))
    try await recorder.close()
    let actions = try await History<Tally>(at: "log", fileSystem: disk).actions(in: 1...2)
    #expect(actions.map(\.meta.actor) == ["u1", "u2"])
    #expect(actions.map(\.meta.app) == ["tests", "tests"])
    #expect(actions[1].meta.other == ["long": true])
    let bytes = try #require(actions[1].record.meta)
    #expect(String(decoding: bytes, as: UTF8.self) == #"{"actor":"u2","app":"tests","long":true}"#)
  }

  @Test func metaNamesAreComparedByBytes() async throws {
    var configuration = reproducible(Tally.self)
    configuration.meta = RecordMeta(other: ["e\u{301}": 1])
    configuration.metaOfAction = { _ in RecordMeta(other: ["\u{e9}": 2]) }
    let recorder = try await open(configuration)
    let store = try recorder.makeStore()
    try RecordMeta.$current.withValue(RecordMeta(other: ["e\u{301}": 3])) { try store.dispatch(action: .add(1)) }
    try await recorder.close()
    let action = try #require(try await History<Tally>(at: "log", fileSystem: disk).actions(in: 1...1).first)
    let bytes = try #require(action.record.meta)
    #expect(bytes == Array("{\"e\u{301}\":3,\"\u{e9}\":2}".utf8))
    #expect(action.meta.other == ["e\u{301}": 3, "\u{e9}": 2])
  }

  @Test func snapshotsAndDigestsFollowThePolicy() async throws {
    let recorder = try await open(reproducible(Tally.self, snapshots: .every(7)))
    let store = try recorder.makeStore()
    for number in 1...50 {
      try store.dispatch(action: .add(number))
      if number % 11 == 0 { try await recorder.sync() }
    }
    try await recorder.close()
    #expect(recorder.status.snapshotError == nil)
    #expect(try SnapshotStore(at: "log", fileSystem: disk).revisions() == [7, 14, 21, 28, 35, 42, 49])
    #expect(
      try disk.records().filter { record in record.type == "@digest" }.map(\.revision) == [
        0, 7, 14, 21, 28, 35, 42, 49, 50,
      ],
      "closing writes the last one")
    var options = ReplayOptions()
    options.checksDigests = true
    options.usesSnapshots = false
    let report = try await History<Tally>(at: "log", fileSystem: disk).replay(options: options).report
    #expect(report.digestsChecked == 9)
    #expect(report.divergences.isEmpty)
  }

  @Test func aSecondRecorderIsRefusedUntilTheFirstCloses() async throws {
    let recorder = try await open()
    let error = try await #require(throws: LogError.self) { try await open() }
    #expect(error.code == .locked)
    try await recorder.close()
    try await open().close()
  }
}

/// Opening a log waits for the disk, and a disk can hang.
@Suite(.timeLimit(.minutes(60))) struct RecorderThreadsTests {
  /// More than the threads of Dispatch's pool, which tasks also use.
  private static let count = 300

  @Test func recordersWaitingForTheDiskBlockNoOthers() async throws {
    let gate = Gate()
    let held = FaultyFileSystem(MemoryFileSystem()) { call in if call.operation == .lock { gate.pass() } }
    gate.close()
    let openings = (0..<Self.count).map { number in
      Task {
        try await Recorder<Tally>.open(at: "log-\(number)", configuration: reproducible(Tally.self), fileSystem: held)
      }
    }
    #expect(try await eventually { gate.waitingCount == Self.count })
    gate.open()
    for opening in openings { await (try opening.value).abandon() }
  }
}
