import ImmutableData
import Platform
import QuakesData
import TestSupport
import Testing
import TreeCollections

/// A store, a listener, and doubles of both stores behind it.
@MainActor struct Scene {
  let store: Store<QuakesState, QuakesAction>
  let double: StoreDouble
  let listener: Listener<StoreDouble, StoreDouble>
  let errors = Locked<[String]>([])

  init(
    _ state: QuakesState = QuakesState(), stored: [Quake] = [], feed: [Quake] = [], limits: TimeLimits = .never
  ) {
    store = Store(initialState: state, reducer: QuakesReducer.reduce)
    double = StoreDouble(stored: stored, feed: feed)
    listener = Listener(localStore: double, remoteStore: double, limits: limits) { [errors] error in
      errors.withLock { errors in errors.append(FailureReason(error).code) }
    }
    listener.listen(to: store)
  }

  func tap(_ action: QuakesAction.UI.QuakeList) throws {
    try store.dispatch(action: .ui(.quakeList(action)))
  }

  /// Waits until the state is as it should be and as many calls were made as should be.
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

  /// What could not be stored is told; the state shows the feed all the same.
  @Test func failureToStoreAFeedIsReported() async throws {
    let scene = Scene(.with([], .success), feed: [.small])
    scene.double.fail { call in if case .save = call { true } else { false } }
    try scene.tap(.onTapRefreshQuakesButton(range: .allDay))
    #expect(await scene.settles(.with([.small], .success), calls: 2))
    #expect(await settle { scene.errors.withLock { errors in errors } == ["locked"] })
  }

  /// Effects are decided from the state that the action met: three taps in one go are one fetch.
  @Test func burstOfTapsIsOneFetch() async throws {
    let scene = Scene(stored: [.small], feed: [.large])
    try scene.tap(.onAppear)
    try scene.tap(.onTapRefreshQuakesButton(range: .allDay))
    try scene.tap(.onTapRefreshQuakesButton(range: .allWeek))
    #expect(await scene.settles(.with([.small], .success), calls: 1))
    #expect(scene.double.calls == [.fetchStored])
  }

  /// What is dispatched in the same breath as a fetch is answered does not disturb what is stored: the classification
  /// does not look at the live state.
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

  /// The stream is made in the call, so what is dispatched right after it is not missed.
  @Test func listenerSwitchesStores() async throws {
    let scene = Scene(stored: [.small])
    let other = Store(initialState: QuakesState(), reducer: QuakesReducer.reduce)
    scene.listener.listen(to: other)
    try other.dispatch(action: .ui(.quakeList(.onAppear)))
    #expect(await settle { other.state == .with([.small], .success) })
    try scene.tap(.onAppear)
    #expect(await scene.settles(.with([], .waiting), calls: 1), "the first store is not listened to any more")
  }

  /// A log can end while an answer is awaited. Nobody will answer after that.
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
