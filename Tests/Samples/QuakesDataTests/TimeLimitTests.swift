import EventSourcing
import ImmutableData
import QuakesData
import Services
import TestSupport
import Testing
import TreeCollections

/// No status waits forever, whatever the stores do.
@Suite(.timeLimit(.minutes(60))) @MainActor struct TimeLimitTests {
  @Test func timedOutFeedDoesNotBlockTheNext() async throws {
    let clock = SwitchedClock()
    let scene = Scene(.with([.small], .success), feed: [.large], limits: TimeLimits(clock: clock))
    scene.double.hang { call in call == .fetchFeed(.allMonth) }
    try scene.tap(.onTapRefreshQuakesButton(range: .allMonth))
    await scene.double.calls(1)
    #expect(await settle { clock.sleeperCount == 1 })
    clock.strike()
    let text = "timeLimitReached: no answer within 60.0 seconds: remote store"
    #expect(await scene.settles(.with([.small], .failure(error: text)), calls: 1))
    try scene.tap(.onTapRefreshQuakesButton(range: .allHour))
    #expect(await scene.settles(.with([.small, .large], .success), calls: 3))
    scene.double.release()
    #expect(await scene.settles(.with([.small, .large], .success), calls: 3), "what comes too late is dropped")
  }

  @Test func hangingStoreFails() async throws {
    let clock = SwitchedClock()
    let scene = Scene(stored: [.small], limits: TimeLimits(clock: clock))
    scene.double.hang { call in call == .fetchStored }
    try scene.tap(.onAppear)
    await scene.double.calls(1)
    #expect(await settle { clock.sleeperCount == 1 })
    clock.strike()
    let text = "timeLimitReached: no answer within 30.0 seconds: local store"
    #expect(await scene.settles(.with([], .failure(error: text)), calls: 1))
    scene.double.release()
  }

  /// Switching to another store cancels the pending call of the first one, so its status does not wait forever.
  @Test func switchingStoresCancelsTheCall() async throws {
    let scene = Scene(stored: [.small])
    scene.double.hang { call in call == .fetchStored }
    try scene.tap(.onAppear)
    await scene.double.calls(1)
    scene.listener.listen(to: Store(initialState: QuakesState(), reducer: QuakesModel.reducer))
    let text = "cancelled: the operation was cancelled"
    #expect(await scene.settles(.with([], .failure(error: text)), calls: 1))
    scene.double.release()
  }

  @Test func timeLimitsMatchTheDocumentation() {
    #expect(TimeLimits().local == .seconds(30))
    #expect(TimeLimits().remote == .seconds(60))
  }
}

/// All parts together, over the loopback: feeds, both stores, listener.
@Suite(.timeLimit(.minutes(60))) @MainActor struct FeedToStoreTests {
  private struct Failed: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var reply: LoopbackReply
    var code: String
  }

  private func listener(
    _ server: LoopbackServer, _ localStore: LocalStore, _ limits: TimeLimits = .never
  ) -> Listener<LocalStore, RemoteStore<NetworkSession<Rerouted>>> {
    Listener(
      localStore: localStore,
      remoteStore: RemoteStore(session: NetworkSession(urlSession: Rerouted(to: server))), limits: limits)
  }

  private func refresh(
    _ store: Store<QuakesState, QuakesAction>, _ range: QuakesAction.UI.QuakeList.RefreshQuakesRange
  ) async throws -> Status? {
    let stream = store.makeStream()
    try store.dispatch(action: .ui(.quakeList(.onTapRefreshQuakesButton(range: range))))
    for await (_, action) in stream {
      if case .data = action { break }
    }
    return store.state.quakes.status
  }

  @Test func dayAndMonthFeedsAreStored() async throws {
    let server = try LoopbackServer(Feeds.answer)
    defer { server.stop() }
    let directory = try TemporaryDirectory()
    let localStore = LocalStore(path: directory.path("default.store"))
    let listener = listener(server, localStore)
    let store = Store(initialState: QuakesState(), reducer: QuakesModel.reducer)
    listener.listen(to: store)
    #expect(try await refresh(store, .allDay) == .success)
    #expect(store.state.quakes.data.count == 4)
    #expect(try await refresh(store, .allMonth) == .success)
    #expect(store.state.quakes.data.count == 9_904)
    // The last effect is still running; operations are serialized.
    try store.dispatch(action: .ui(.quakeList(.onTapDeleteSelectedQuakeButton(quakeId: "us1"))))
    let expected = store.state.quakes.data
    var rows: [Quake] = []
    for _ in 0..<1_000 where rows.count != expected.count { rows = try await localStore.fetchLocalQuakesQuery() }
    #expect(rows.count == 9_903)
    #expect(rows.allSatisfy { quake in expected[quake.id] == quake })
    #expect(listener.lastError == nil)
    try await localStore.close()
    let again = try await LocalStore(path: directory.path("default.store")).fetchLocalQuakesQuery()
    #expect(again == rows)
  }

  @Test(arguments: [
    Failed(testDescription: "bad status", reply: .answer([], status: 503), code: "statusError"),
    Failed(testDescription: "wrong type", reply: .answer("{}".utf8, type: "text/html"), code: "mediaTypeError"),
    Failed(testDescription: "broken JSON", reply: .answer("{\"features\":[".utf8), code: "decodingError"),
    Failed(testDescription: "no word", reply: .hangUp, code: "transportError"),
    Failed(
      testDescription: "nothing readable", reply: .answer(#"{"features":[1]}"#.utf8), code: "unreadableFeed"),
  ])
  private func whatIsNoFeedIsAFailureAndLosesNothing(failed: Failed) async throws {
    let server = try LoopbackServer { path in
      path.contains("all_hour") ? failed.reply : Feeds.answer(path)
    }
    defer { server.stop() }
    let localStore = try LocalStore(isStoredInMemoryOnly: true)
    let listener = listener(server, localStore)
    let store = Store(initialState: QuakesState.with([.small], .success), reducer: QuakesModel.reducer)
    listener.listen(to: store)
    guard case .failure(let error) = try await refresh(store, .allHour) else {
      Issue.record("\(String(describing: store.state.quakes.status))")
      return
    }
    #expect(error.hasPrefix("\(failed.code): "))
    #expect(store.state.quakes.data == ["small": .small])
    #expect(try await refresh(store, .allDay) == .success, "the next one is fetched")
    #expect(store.state.quakes.data.count == 5)
  }

  @Test func truncatedFeedFailsAndLosesNothing() async throws {
    let feed = Feeds.generated(count: 500)
    let server = try LoopbackServer { _ in .half(feed) }
    defer { server.stop() }
    let listener = listener(server, try LocalStore(isStoredInMemoryOnly: true))
    let store = Store(initialState: QuakesState.with([.small], .success), reducer: QuakesModel.reducer)
    listener.listen(to: store)
    guard case .failure = try await refresh(store, .allHour) else {
      Issue.record("half a feed was taken for a whole one")
      return
    }
    #expect(store.state.quakes.data == ["small": .small])
  }

  /// The time limit is reached after the server received the request and did not answer.
  @Test(arguments: [LoopbackReply.silence, .stalled(Feeds.generated(count: 500))])
  func silentServerTimesOut(reply: LoopbackReply) async throws {
    let server = try LoopbackServer { _ in reply }
    defer { server.stop() }
    let listener = listener(
      server, try LocalStore(isStoredInMemoryOnly: true), .reached { await server.requests(1) })
    let store = Store(initialState: QuakesState.with([.small], .success), reducer: QuakesModel.reducer)
    listener.listen(to: store)
    #expect(
      try await refresh(store, .allHour)
        == .failure(error: "timeLimitReached: no answer within 60.0 seconds: remote store"))
    #expect(store.state.quakes.data == ["small": .small])
  }
}
