import ImmutableData
import ImmutableUI
import TestSupport
import Testing

/// The dispatchers of a user interface: a store, closures and doubles.
@MainActor @Suite struct ActionDispatchTests {
  @Test func actionsGoToTheStore() throws {
    let store = BoardStore()
    let dispatch = ActionDispatch(store)
    try dispatch(.a(1))
    #expect(store.state == Board(a: 1))
    #expect(throws: Board.Refusal.self) { try dispatch(.a(-1)) }
    #expect(store.state == Board(a: 1))
  }

  @Test func viewStorePassesEverythingToAStore() async throws {
    let store = BoardStore()
    let shown = ViewStore(store)
    let selection = Selection(shown, outputSelector: \.a)
    try shown.dispatch(action: .a(1))
    #expect(shown.state == Board(a: 1) && store.state == shown.state)
    #expect(await settle { selection.output == 1 })
    #expect(throws: Board.Refusal.self) { try shown.dispatch(action: .a(-1)) }
    try shown.dispatch { dispatcher, selector in
      try MainActor.assumeIsolated { try dispatcher.dispatch(action: .a(selector.select(\.a) + 1)) }
    }
    #expect(store.state == Board(a: 2))
    #expect(await settle { selection.output == 2 })
  }

  @Test func aDoubleRecordsDispatchedActions() throws {
    let dispatcher = DispatcherDouble<Board, BoardAction>(state: Board())
    let dispatch = ActionDispatch(dispatcher)
    try dispatch(.a(1))
    dispatcher.refusal = Board.Refusal()
    #expect(throws: Board.Refusal.self) { try dispatch(.b(2)) }
    #expect(dispatcher.actions == [.a(1), .b(2)])
  }

  @Test func aClosureIsEnough() throws {
    let actions = Journal<BoardAction>()
    let dispatch = ActionDispatch { action in actions.add(action) }
    try dispatch(.rest)
    #expect(actions.entries == [.rest])
  }

  @Test func aThunkIsGivenDoubles() async throws {
    let dispatcher = DispatcherDouble<Board, BoardAction>(state: Board(a: 4))
    try dispatcher.dispatch { dispatcher, selector in
      try MainActor.assumeIsolated { try dispatcher.dispatch(action: .b(selector.select(\.a))) }
    }
    try await dispatcher.dispatch { dispatcher, selector in
      try await dispatcher.dispatch(action: .c(selector.select(\.a)))
    }
    #expect(dispatcher.actions == [.b(4), .c(4)])
    #expect(dispatcher.selector.selections == 2)
  }
}
