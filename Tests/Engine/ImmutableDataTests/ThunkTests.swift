import ImmutableData
import Platform
import Testing

@MainActor @Suite struct ThunkTests {
  @Test func aThunkSelectsAndDispatchesOnTheStore() throws {
    let store = TallyStore()
    let seen = Locked<[Int]>([])
    try store.dispatch { (dispatcher: TallyStore, selector: TallyStore) in
      try MainActor.assumeIsolated {
        #expect(dispatcher === store)
        #expect(selector === store)
        for number in 1...3 {
          try dispatcher.dispatch(action: .add(number))
          seen.withLock { [total = selector.state.total] seen in seen.append(total) }
        }
      }
    }
    #expect(seen.withLock { seen in seen } == [1, 3, 6])
  }

  @Test func aThunkIsNotAnAction() throws {
    let store = TallyStore()
    let stream = store.makeStream()
    store.dispatch { (_: TallyStore, _: TallyStore) in }
    #expect(stream.counts == StreamCounts())
    try store.dispatch { (dispatcher: TallyStore, _: TallyStore) in
      try MainActor.assumeIsolated { try dispatcher.add(1, 2) }
    }
    #expect(stream.counts.yielded == 2)
  }

  /// A thunk is not a transaction: actions before the failure stay.
  @Test func aFailedThunkKeepsItsDispatchedActions() async throws {
    let store = TallyStore()
    let stream = store.makeStream()
    #expect(throws: TallyError(state: Tally(total: 4), action: .add(-1))) {
      try store.dispatch { (dispatcher: TallyStore, _: TallyStore) in
        try MainActor.assumeIsolated { try dispatcher.add(4, -1, 5) }
      }
    }
    await #expect(throws: TallyError(state: Tally(total: 5), action: .add(-2))) {
      try await store.dispatch { (dispatcher: TallyStore, _: TallyStore) async throws in
        try await dispatcher.dispatch(action: .add(1))
        try await dispatcher.dispatch(action: .add(-2))
      }
    }
    store.finish()
    #expect(await rest(of: stream) == ["0+4", "4+1"])
    #expect(store.state == Tally(total: 5))
  }

  @Test func aThunkCanDispatchThunks() async throws {
    let store = TallyStore()
    try await store.dispatch { (outer: TallyStore, _: TallyStore) async throws in
      try await outer.dispatch { (inner: TallyStore, _: TallyStore) async throws in
        try await inner.dispatch { (innermost: TallyStore, _: TallyStore) throws in
          try MainActor.assumeIsolated { try innermost.add(1) }
        }
        try await inner.dispatch(action: .add(2))
      }
      try await outer.dispatch(action: .add(3))
    }
    #expect(store.state == Tally(total: 6))
  }

  /// Other actions can be dispatched between two steps of an asynchronous thunk; the second step reads the state after them.
  @Test func anAsynchronousThunkCanBeInterleaved() async throws {
    let store = TallyStore()
    let stream = store.makeStream()
    let (reached, reach) = AsyncStream.makeStream(of: Void.self)
    let (gate, open) = AsyncStream.makeStream(of: Void.self)

    async let thunk: Void = store.dispatch { (dispatcher: TallyStore, _: TallyStore) async throws in
      try await dispatcher.dispatch(action: .add(1))
      reach.finish()
      for await _ in gate {}
      try await dispatcher.dispatch(action: .add(3))
    }
    for await _ in reached {}
    try store.add(20)
    open.finish()
    try await thunk

    store.finish()
    #expect(await rest(of: stream) == ["0+1", "1+20", "21+3"])
  }
}

/// The associated types let a dispatcher pass other types than itself to a thunk.
@MainActor @Suite struct DispatcherDoubleTests {
  /// Records dispatched actions without folding them.
  private final class Note: ImmutableData.Dispatcher {
    typealias State = Tally
    typealias Action = TallyAction

    private let noted = Locked<[TallyAction]>([])
    private let selector: Fixed

    nonisolated init(selecting state: Tally) { selector = Fixed(fixed: state) }

    var actions: [TallyAction] { noted.withLock { noted in noted } }

    func dispatch(action: TallyAction) { noted.withLock { noted in noted.append(action) } }

    func dispatch(thunk: @Sendable (Note, Fixed) throws -> Void) rethrows { try thunk(self, selector) }

    func dispatch(thunk: @Sendable (Note, Fixed) async throws -> Void) async rethrows {
      try await thunk(self, selector)
    }
  }

  /// Selects from a state that never changes.
  private struct Fixed: ImmutableData.Selector {
    let fixed: Tally

    func select<T: Sendable>(_ selector: @Sendable (Tally) -> T) -> T { selector(fixed) }
  }

  /// A thunk that depends on a dispatcher and a selector, not on a store.
  nonisolated private func doubling<D: ImmutableData.Dispatcher<Tally, TallyAction>>(
    for type: D.Type
  ) -> @Sendable (D.Dispatcher, D.Selector) async throws -> Void {
    { dispatcher, selector in
      let total = await selector.select { state in state.total }
      try await dispatcher.dispatch(action: .add(total))
    }
  }

  @Test func aThunkRunsOnTheDoublesOfADispatcher() async throws {
    let note = Note(selecting: Tally(total: 21))
    try await note.dispatch(thunk: doubling(for: Note.self))
    #expect(note.actions == [.add(21)])
  }

  @Test func theSameThunkRunsOnAStore() async throws {
    let store = TallyStore()
    try store.add(21)
    try await store.dispatch(thunk: doubling(for: TallyStore.self))
    #expect(store.state == Tally(total: 42))
  }

  /// The stream is an associated type, so another sequence can replace it.
  @Test func aStreamerCanHaveItsOwnKindOfStream() async throws {
    struct Recorded: Streamer {
      typealias State = Tally
      typealias Action = TallyAction

      func makeStream() -> AsyncStream<(oldState: Tally, action: TallyAction)> {
        AsyncStream { continuation in
          continuation.yield((oldState: Tally(total: 3), action: .add(4)))
          continuation.finish()
        }
      }
    }
    func totals(_ streamer: some Streamer<Tally, TallyAction>) async throws -> [Int] {
      var totals: [Int] = []
      for try await element in streamer.makeStream() { totals.append(element.oldState.total) }
      return totals
    }
    #expect(try await totals(Recorded()) == [3])
  }
}
