import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import Platform
import TestSupport
import Testing

/// A sync succeeds only if the log has everything that was accepted before, whatever happened to the recorder and its stores.
@MainActor @Suite struct DetachedStoreTests {
  private let disk = MemoryFileSystem()

  private func open(
    notices: Locked<[RecordingNotice]>? = nil, durability: Durability = .synced
  ) async throws -> Recorder<Tally> {
    var configuration = reproducible(Tally.self, durability: durability)
    configuration.onNotice = { notice in notices?.withLock { notices in notices.append(notice) } }
    return try await Recorder<Tally>.open(at: "log", configuration: configuration, fileSystem: disk)
  }

  private func recordedSum() throws -> Int {
    try History<Tally>(at: "log", fileSystem: disk).state().sum
  }

  @Test func aClosedRecordersStoreRefusesActions() async throws {
    let notices = Locked<[RecordingNotice]>([])
    let recorder = try await open(notices: notices)
    let store = try recorder.makeStore()
    #expect(store.isRecorded)
    try store.dispatch(action: .add(1))
    try await recorder.close()
    #expect(!store.isRecorded)

    let error = try #require(throws: LogError.self) { try store.dispatch(action: .add(2)) }
    #expect(error.code == .closed)
    #expect(store.state.sum == 1)
    #expect(try await recorder.sync().revision == 1)
    try await recorder.close()
    #expect(recorder.status.lost == 0 && recorder.status.waiting == 0)
    #expect(notices.withLock { notices in notices.isEmpty })
    #expect(try recordedSum() == 1)
  }

  @Test func closingRefusesActionsFromTheCallOn() async throws {
    let (recorder, store, gate) = try await waitingRecorder(on: disk)
    let closing = Task { try await recorder.close() }
    #expect(await settle { !store.isRecorded })
    #expect(throws: LogError.self) { try store.dispatch(action: .add(2)) }
    gate.open()
    try await closing.value
    #expect(try recordedSum() == 1)
  }

  @Test func aReplacedStoreRefusesActions() async throws {
    let recorder = try await open()
    let first = try recorder.makeStore()
    try first.dispatch(action: .add(1))
    try await recorder.sync()
    let second = try recorder.makeStore()
    #expect(!first.isRecorded && second.isRecorded)
    try second.dispatch(action: .add(10))
    let error = try #require(throws: EventSourcingError.self) { try first.dispatch(action: .add(100)) }
    #expect(error.code == .storeDetached && error.path == "log")
    #expect(first.state.sum == 1)
    try await recorder.close()
    #expect(try recordedSum() == 11)
  }

  @Test func aStoreRefusesActionsAfterItsStreams() async throws {
    let recorder = try await open()
    let store = try recorder.makeStore()
    try store.dispatch(action: .add(1))
    store.finish()
    let error = try #require(throws: EventSourcingError.self) { try store.dispatch(action: .add(2)) }
    #expect(error.code == .storeDetached)
    try await recorder.close()
    #expect(try recordedSum() == 1)
  }

  /// The other recorder lets the store accept actions, which the first one cannot have in its log.
  @Test func anActionForAnotherRecorderIsReported() async throws {
    let recorder = try await open()
    let store = try recorder.makeStore()
    let other = try await Recorder<Tally>.open(
      at: "other", configuration: reproducible(Tally.self), fileSystem: disk)
    try other.listen(to: store)
    _ = try recorder.makeStore()
    try store.dispatch(action: .add(1))
    let error = try await #require(throws: EventSourcingError.self) { try await recorder.sync() }
    #expect(error.code == .storeDetached)
    #expect(error.message == "the log lacks 1 action that a store accepted after it was detached")
    #expect(try await other.sync().revision == 1)
    await #expect(throws: EventSourcingError.self) { try await recorder.close() }
    try await other.close()
  }

  @Test func aStoreWithoutARecorderAcceptsActions() throws {
    let store = Store(initialState: Tally.initialState, reducer: Tally.reducer)
    store.finish()
    try store.dispatch(action: .add(1))
    #expect(store.state.sum == 1 && !store.isRecorded)
  }

  @Test func aStoreListenedToAgainIsRecordedAgain() async throws {
    let notices = Locked<[RecordingNotice]>([])
    let recorder = try await open(notices: notices)
    let first = try recorder.makeStore()
    _ = try recorder.makeStore()
    try recorder.listen(to: first)
    #expect(first.isRecorded)
    try first.dispatch(action: .add(1))
    try await recorder.close()
    #expect(try recordedSum() == 1)
    #expect(notices.withLock { notices in notices.isEmpty })
  }

  @Test func aLostActionIsRememberedAfterItsStore() async throws {
    let recorder = try await open()
    var store: Store<TallyState, TallyAction>? = try recorder.makeStore()
    try store?.dispatch(action: .name(String(repeating: "x", count: LogFormat.lineLimitBytes)))
    await #expect(throws: LogError.self) { try await recorder.sync() }
    store = nil
    #expect(recorder.status.lost == 1)
    await recorder.abandon()
  }

  // MARK: - Every order

  private enum Step: CaseIterable {
    case dispatch, dispatchToFirst, finish, sync, close, abandon, makeStore, listenToFirst
  }

  /// Every sequence of steps of a length.
  private static func sequences<Step: CaseIterable>(of length: Int, _ step: Step.Type) -> [[Step]] {
    guard length > 0 else { return [[]] }
    return sequences(of: length - 1, step).flatMap { steps in Step.allCases.map { step in steps + [step] } }
  }

  /// A recorder, its stores, and the actions that they have accepted.
  @MainActor private struct Run {
    let recorder: Recorder<Tally>
    let disk: MemoryFileSystem
    let first: Store<TallyState, TallyAction>
    var latest: Store<TallyState, TallyAction>
    var accepted: [Int] = []
    /// Whether an action may have been lost, so that a sync need not succeed.
    var mayLack = false
    /// The store that the model considers attached.
    var attached: ObjectIdentifier?
    var unsynced = 0

    mutating func dispatch(to store: Store<TallyState, TallyAction>) throws {
      // Powers of two, so that each sum identifies its actions.
      let number = 1 << accepted.count
      do { try store.dispatch(action: .add(number)) } catch {
        #expect(attached != ObjectIdentifier(store), "\(error)")
        return
      }
      #expect(attached == ObjectIdentifier(store))
      accepted.append(number)
      unsynced += 1
    }

    mutating func take(_ step: Step, _ label: String) async throws {
      switch step {
      case .dispatch: try dispatch(to: latest)
      case .dispatchToFirst: try dispatch(to: first)
      case .finish:
        latest.finish()
        if attached == ObjectIdentifier(latest) { attached = nil }
      case .sync:
        do {
          try await recorder.sync()
          unsynced = 0
          let recorded = try await History<Tally>(at: "log", fileSystem: disk).state().sum
          #expect(recorded == accepted.reduce(0, +), "\(label)")
        } catch {
          #expect(mayLack, "\(label): \(error)")
        }
      case .close:
        do {
          try await recorder.close()
          let recorded = try await History<Tally>(at: "log", fileSystem: disk).state().sum
          #expect(recorded == accepted.reduce(0, +), "\(label)")
        } catch {
          #expect(mayLack, "\(label): \(error)")
        }
        attached = nil
      case .abandon:
        if unsynced > 0 { mayLack = true }
        await recorder.abandon()
        attached = nil
      case .makeStore:
        do {
          latest = try recorder.makeStore()
          attached = ObjectIdentifier(latest)
        } catch {}
      case .listenToFirst:
        do {
          try recorder.listen(to: first)
          // A store with waiting actions refuses more if its streams have ended.
          if first.isRecorded { attached = ObjectIdentifier(first) }
        } catch {}
      }
    }
  }

  @Test(arguments: [Durability.synced, .queued])
  func noOrderOfStepsAcknowledgesALostAction(durability: Durability) async throws {
    for first in [[], [.makeStore]] as [[Step]] {
      for steps in Self.sequences(of: 3, Step.self) {
        let disk = MemoryFileSystem()
        let configuration = reproducible(Tally.self, durability: durability)
        let recorder = try Recorder<Tally>(at: "log", configuration: configuration, fileSystem: disk)
        let store = try recorder.makeStore()
        var run = Run(recorder: recorder, disk: disk, first: store, latest: store, attached: ObjectIdentifier(store))
        for step in [.dispatch] + first + steps + [.sync] { try await run.take(step, "\(first + steps)") }
        await recorder.abandon()
      }
    }
  }

  private enum StoreStep: CaseIterable { case dispatch, dispatchDurably, sync, close, abandon }

  @Test(arguments: [Durability.synced, .written, .queued])
  func noOrderOfStepsConfusesTheRecordingStore(durability: Durability) async throws {
    for steps in Self.sequences(of: 4, StoreStep.self) {
      let disk = MemoryFileSystem()
      let store = try RecordingStore<Tally>(
        at: "log", configuration: reproducible(Tally.self, durability: durability), fileSystem: disk)
      var (accepted, isOpen) = (0, true)
      for (index, step) in (steps + [.sync]).enumerated() {
        do {
          switch step {
          case .dispatch:
            try store.dispatch(action: .add(1 << index))
            accepted += 1 << index
          case .dispatchDurably:
            try await store.dispatch(action: .add(1 << index), awaiting: .synced)
            accepted += 1 << index
          case .sync: try await store.sync()
          case .close:
            try await store.close()
            isOpen = false
          case .abandon:
            await store.abandon()
            isOpen = false
          }
          #expect(step == .sync || step == .close || step == .abandon || isOpen, "\(steps)")
          #expect(try await History<Tally>(at: "log", fileSystem: disk).state().sum == accepted, "\(steps)")
        } catch {
          #expect(!isOpen, "\(steps): \(error)")
        }
        #expect(store.state.sum == accepted, "\(steps): a state that no log holds")
        #expect(store.isRecorded == isOpen, "\(steps)")
      }
      await store.abandon()
    }
  }
}
