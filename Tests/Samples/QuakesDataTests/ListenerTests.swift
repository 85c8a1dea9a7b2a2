import ActionLogTesting
import EventSourcing
import ImmutableData
import Platform
import QuakesData
import SampleSupport
import TestSupport
import Testing
import TreeCollections

/// A store, a listener, and doubles of its stores.
@MainActor struct Scene {
  let store: Store<QuakesState, QuakesAction>
  let double: StoreDouble
  let listener: Listener<StoreDouble, StoreDouble>
  let errors = Locked<[String]>([])

  init(
    _ state: QuakesState = QuakesState(), stored: [Quake] = [], feed: [Quake] = [], limits: TimeLimits = .never
  ) {
    store = Store(initialState: state, reducer: QuakesModel.reducer)
    double = StoreDouble(stored: stored, feed: feed)
    listener = Listener(localStore: double, remoteStore: double, limits: limits) { [errors] error in
      errors.withLock { errors in errors.append(FailureReason(error).code) }
    }
    listener.listen(to: store)
  }

  func tap(_ action: QuakesAction.UI.QuakeList) throws {
    try store.dispatch(action: .ui(.quakeList(action)))
  }

  /// Waits for a state and a number of calls.
  func settles(_ state: QuakesState, calls: Int) async -> Bool {
    await double.calls(calls)
    return await settle { store.state == state && double.calls.count == calls }
  }
}

extension TimeLimits {
  /// Limits that are never reached.
  static let never = TimeLimits.reached { try await Task.sleep(for: .seconds(3_600)) }
}

@Suite(.timeLimit(.minutes(60))) @MainActor struct ListenerTests {
  private typealias Range = QuakesAction.UI.QuakeList.RefreshQuakesRange

  @Test func resultsNameTheirRequests() async throws {
    let disk = MemoryFileSystem()
    let recorder = try await Recorder<QuakesModel>.open(at: "log", fileSystem: disk)
    let store = try recorder.makeStore()
    let double = StoreDouble(stored: [.small], feed: [.large])
    let listener = Listener(localStore: double, remoteStore: double, limits: .never)
    listener.listen(to: store)
    try store.dispatch(action: .ui(.quakeList(.onAppear)))
    #expect(await settle { store.accepted.count == 2 })
    try store.dispatch(action: .ui(.quakeList(.onTapRefreshQuakesButton(range: .allDay))))
    #expect(await settle { store.accepted.count == 4 })
    try await recorder.close()
    let actions = try await History<QuakesModel>(at: "log", fileSystem: disk).actions(in: 1...4)
    #expect(actions.map(\.meta.cause) == [nil, 1, nil, 3])
    #expect(listener.lastError == nil)
  }

  @Test func appearingShowsStoredQuakes() async throws {
    let scene = Scene(stored: [.small, .large])
    try scene.tap(.onAppear)
    #expect(scene.store.state == .with([], .waiting))
    #expect(await scene.settles(.with([.small, .large], .success), calls: 1))
    try scene.tap(.onAppear)
    #expect(await scene.settles(.with([.small, .large], .success), calls: 1))
    #expect(scene.double.calls == [.fetchStored])
  }

  @Test(arguments: QuakesAction.UI.QuakeList.RefreshQuakesRange.allCases)
  func refreshStoresTheChangesOfTheFeed(
    range: QuakesAction.UI.QuakeList.RefreshQuakesRange
  ) async throws {
    let scene = Scene(
      .with([.small, .medium], .success), stored: [.small, .medium],
      feed: [.large, .small.with(name: "New"), .medium.with(magnitude: 0)])
    try scene.tap(.onTapRefreshQuakesButton(range: range))
    let expected = QuakesState.with([.small.with(name: "New"), .large], .success)
    #expect(await scene.settles(expected, calls: 2))
    #expect(
      scene.double.calls == [
        .fetchFeed(range),
        .save(inserted: [.large], updated: [.small.with(name: "New")], deleted: [.medium.with(magnitude: 0)]),
      ])
    #expect(await settle { scene.double.rows == expected.quakes.data })
  }

  @Test func unchangedFeedReachesTheStore() async throws {
    let scene = Scene(.with([.small], .success), stored: [.small], feed: [.small])
    try scene.tap(.onTapRefreshQuakesButton(range: .allHour))
    #expect(await scene.settles(.with([.small], .success), calls: 2))
    #expect(scene.double.calls.last == .save(inserted: [], updated: [], deleted: []))
  }

  @Test func deletionsReachTheStore() async throws {
    let scene = Scene(.with([.small, .medium, .large], .success), stored: [.small, .medium, .large])
    try scene.tap(.onTapDeleteSelectedQuakeButton(quakeId: "small"))
    #expect(scene.store.state == .with([.medium, .large], .success), "at once")
    #expect(await scene.settles(.with([.medium, .large], .success), calls: 1))
    try scene.tap(.onTapDeleteAllQuakesButton)
    #expect(await scene.settles(.with([], .success), calls: 2))
    #expect(scene.double.calls == [.delete("small"), .deleteAll])
    #expect(await settle { scene.double.rows.isEmpty })
    #expect(scene.errors.withLock { errors in errors } == [])
  }

  @Test func failedFetchIsDispatchedWithItsReason() async throws {
    let scene = Scene(stored: [.small])
    scene.double.fail { call in [.fetchStored, .fetchFeed(.allDay)].contains(call) }
    let text = "locked: the disk is locked: default.store"
    try scene.tap(.onAppear)
    #expect(await scene.settles(.with([], .failure(error: text)), calls: 1))
    try scene.tap(.onTapRefreshQuakesButton(range: .allDay))
    #expect(await scene.settles(.with([], .failure(error: text)), calls: 2))
    #expect(await settle { scene.errors.withLock { errors in errors } == ["locked", "locked"] })
    #expect(scene.listener.lastError is Refusal)
    scene.double.fail { _ in false }
    try scene.tap(.onTapRefreshQuakesButton(range: .allDay))
    #expect(await scene.settles(.with([], .success), calls: 4), "it can be tried again")
  }

  /// A failure to store is reported; the state shows the feed nevertheless.
  @Test func failureToStoreAFeedIsReported() async throws {
    let scene = Scene(.with([], .success), feed: [.small])
    scene.double.fail { call in if case .save = call { true } else { false } }
    try scene.tap(.onTapRefreshQuakesButton(range: .allDay))
    #expect(await scene.settles(.with([.small], .success), calls: 2))
    #expect(await settle { scene.errors.withLock { errors in errors } == ["locked"] })
  }

  /// Effects are derived from the state before the action: three taps in a burst are one fetch.
  @Test func burstOfTapsIsOneFetch() async throws {
    let scene = Scene(stored: [.small], feed: [.large])
    try scene.tap(.onAppear)
    try scene.tap(.onTapRefreshQuakesButton(range: .allDay))
    try scene.tap(.onTapRefreshQuakesButton(range: .allWeek))
    #expect(await scene.settles(.with([.small], .success), calls: 1))
    #expect(scene.double.calls == [.fetchStored])
  }

  /// Actions dispatched together with the answer of a fetch do not change what is stored: the classification ignores
  /// the live state.
  @Test func changesAreComputedFromTheActionsStates() async throws {
    let scene = Scene(.with([.small], .success), stored: [.small])
    try scene.store.dispatch(action: .remote(.didFetchQuakes(result: .success(quakes: [.large, .small]))))
    try scene.tap(.onTapDeleteAllQuakesButton)
    #expect(await scene.settles(.with([], .success), calls: 2))
    #expect(scene.double.calls == [.save(inserted: [.large], updated: [], deleted: []), .deleteAll])
  }

  @Test func listeningAgainHasNoEffect() async throws {
    let scene = Scene(stored: [.small])
    scene.listener.listen(to: scene.store)
    try scene.tap(.onAppear)
    scene.listener.listen(to: scene.store)
    #expect(await scene.settles(.with([.small], .success), calls: 1))
  }

  /// The stream is created in the call, so an action dispatched right after it is not missed.
  @Test func listenerSwitchesStores() async throws {
    let scene = Scene(stored: [.small])
    let other = Store(initialState: QuakesState(), reducer: QuakesModel.reducer)
    scene.listener.listen(to: other)
    try other.dispatch(action: .ui(.quakeList(.onAppear)))
    #expect(await settle { other.state == .with([.small], .success) })
    try scene.tap(.onAppear)
    #expect(await scene.settles(.with([], .waiting), calls: 1), "the first store is not listened to any more")
  }

  /// A log can end while an answer is pending, which will never arrive.
  @Test func interruptedRequestBecomesAFailure() async throws {
    let scene = Scene(.with([.small], .waiting), feed: [.large])
    let text = "interrupted: the application ended before an answer came"
    #expect(await settle { scene.store.state == .with([.small], .failure(error: text)) })
    try scene.tap(.onTapRefreshQuakesButton(range: .allHour))
    #expect(await scene.settles(.with([.small, .large], .success), calls: 2))
  }

  @Test func droppedListenerReleasesTheStore() async throws {
    weak var released: Store<QuakesState, QuakesAction>?
    do {
      let scene = Scene(stored: [.small])
      released = scene.store
      try scene.tap(.onAppear)
      #expect(await scene.settles(.with([.small], .success), calls: 1))
    }
    #expect(await settle { released == nil })
  }
}

/// The debug output of guide chapter 10: in debug builds, with the flag.
@MainActor @Suite struct ListenerNotesTests {
  #if DEBUG
  @Test(arguments: ["com.northbronson.QuakesData.Debug", "com.northbronson.AnimalsData.Debug"])
  func debugOutputHasActionAndStates(flag: String) async throws {
    let lines = Locked<[String]>([])
    let notes = DebugOutput(isEnabled: { key in key == flag }) { line in
      lines.withLock { lines in lines.append(line) }
    }
    let scene = DebugOutput.$current.withValue(notes) { Scene(stored: [.small]) }
    try scene.tap(.onAppear)
    #expect(await scene.settles(.with([.small], .success), calls: 1))
    guard flag.contains("Quakes") else {
      #expect(lines.withLock { lines in lines }.isEmpty)
      return
    }
    #expect(await settle { lines.withLock { lines in lines.count } == 6 })
    let texts = lines.withLock { lines in lines }
    #expect(texts.first == "[QuakesData][Listener] Old State: \(QuakesState())")
    #expect(texts.dropFirst(2).first == "[QuakesData][Listener] New State: \(QuakesState.with([], .waiting))")
  }
  #endif
}
