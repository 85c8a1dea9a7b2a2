import ImmutableData
import Platform
import Testing

/// The four steps of `dispatch(action:)`, and their effect in each situation.
@MainActor @Suite struct StoreTests {
  @Test func anActionReplacesTheState() throws {
    let store = TallyStore()
    #expect(store.state == Tally(total: 0))
    try store.add(2, 3)
    #expect(store.state == Tally(total: 5))
  }

  @Test func theReducerIsCalledOnceForEachAction() throws {
    let calls = Locked<[String]>([])
    let store = TallyStore(initialState: Tally(total: 1)) { state, action in
      calls.withLock { calls in calls.append("\(state.total) \(action)") }
      return try Tally.reduce(state: state, action: action)
    }
    try store.add(2, 3)
    #expect(calls.withLock { calls in calls } == ["1 add(2)", "3 add(3)"])
  }

  @Test func anElementCarriesTheStateBeforeAndTheAction() async throws {
    let store = TallyStore()
    let stream = store.makeStream()
    try store.add(2, 3, 4)
    store.finish()
    #expect(await rest(of: stream) == ["0+2", "2+3", "5+4"])
  }

  /// While the reducer runs, nothing is yielded and the state is the old one. Both change before dispatch returns.
  @Test func streamsReceiveAfterTheReducerReturned() throws {
    let seen = Locked<[StreamCounts]>([])
    let box = Locked<TallyStore?>(nil)
    let store = TallyStore(initialState: Tally()) { state, action in
      let store = box.withLock { store in store }
      MainActor.assumeIsolated {
        seen.withLock { [counts = store?.streamCounts ?? []] seen in seen += counts }
        #expect(store?.state == state)
      }
      return try Tally.reduce(state: state, action: action)
    }
    box.withLock { box in box = store }
    let stream = store.makeStream()
    try store.add(1, 1)
    #expect(seen.withLock { seen in seen.map(\.yielded) } == [0, 1])
    #expect(stream.counts == StreamCounts(yielded: 2, consumed: 0))
    box.withLock { box in box = nil }
  }

  @Test func anEqualStateIsYieldedToo() async throws {
    let store = TallyStore()
    let stream = store.makeStream()
    try store.add(0, 0, 1, 0)
    store.finish()
    #expect(await rest(of: stream) == ["0+0", "0+0", "0+1", "1+0"])
  }

  @Test func aRefusedActionChangesNothingAndYieldsNothing() async throws {
    let store = TallyStore()
    let stream = store.makeStream()
    try store.add(5)
    #expect(throws: TallyError(state: Tally(total: 5), action: .add(-1))) { try store.add(-1) }
    #expect(store.state == Tally(total: 5))
    #expect(stream.counts.yielded == 1)

    try store.add(1)
    store.finish()
    #expect(await rest(of: stream) == ["0+5", "5+1"])
  }

  @Test func aReducerThatAlwaysThrowsLeavesTheInitialState() {
    let store = TallyStore(initialState: Tally(total: 7)) { state, action in
      throw TallyError(state: state, action: action)
    }
    let stream = store.makeStream()
    for _ in 0..<3 {
      #expect(throws: TallyError(state: Tally(total: 7), action: .add(1))) { try store.add(1) }
    }
    #expect(store.state == Tally(total: 7))
    #expect(stream.counts == StreamCounts())
  }

  @Test func withoutAStreamNothingIsBuffered() async throws {
    let store = TallyStore()
    try store.add(1, 2)
    #expect(store.state == Tally(total: 3))
    #expect(store.streamCounts.isEmpty)
  }
}

@MainActor @Suite struct SelectorTests {
  @Test func aSelectionUsesTheCurrentState() throws {
    let store = TallyStore()
    try store.add(2)
    #expect(store.select { state in state.total * 10 } == 20)
    try store.add(1)
    #expect(store.select { state in state.total * 10 } == 30)
  }

  @Test func nothingIsCached() {
    let store = TallyStore()
    let calls = Locked(0)
    for _ in 0..<3 {
      let total = store.select { state in
        calls.withLock { calls in calls += 1 }
        return state.total
      }
      #expect(total == 0)
    }
    #expect(calls.withLock { calls in calls } == 3)
  }

  @Test func theStateIsTheIdentitySelection() throws {
    struct Constant: ImmutableData.Selector {
      func select<T: Sendable>(_ selector: @Sendable (Tally) -> T) -> T { selector(Tally(total: 9)) }
    }
    #expect(Constant().state == Tally(total: 9))
  }
}
