import ImmutableData
import ImmutableUI
import TestSupport
import Testing

/// The counterpart of the `Selector` wrapper without SwiftUI: every read follows an update.
@MainActor @Suite struct SelectionTests {
  private let store = BoardDouble(state: Board(a: 1, b: 2, c: 3))

  @Test func nothingIsSelectedBeforeTheFirstRead() {
    let selection = Selection(store, outputSelector: \.a)
    #expect(store.calls.isEmpty)
    #expect(selection.output == 1)
    #expect(selection.output == 1)
    #expect(store.calls == [.select, .makeStream])
  }

  @Test func theOutputFollowsTheStoreAndIsObserved() async {
    let selection = Selection(
      store, filter: { _, action in action != .rest }, dependencySelector: \.b, outputSelector: \.a)
    let changes = ChangeCount { selection.output }
    await store.change(to: Board(a: 10, b: 20), by: .rest)
    #expect(selection.output == 1)
    await store.change(to: Board(a: 10, b: 20), by: .a(10))
    #expect(selection.output == 10)
    await store.change(to: Board(a: 11, b: 20), by: .a(11))
    #expect(selection.output == 10)
    #expect(changes.count == 1)
  }

  @Test func directlyAfterADispatchTheOutputIsStillTheOldOne() async throws {
    let store = BoardStore()
    let selection = Selection(store, outputSelector: \.a)
    #expect(selection.output == 0)
    for a in 1...3 { try store.dispatch(action: .a(a)) }
    #expect(selection.output == 0)
    #expect(await value(of: { selection.output }) { output in output != 0 } == 3)
  }

  @Test func aNewIDTakesEffectAtTheNextRead() async {
    let selection = Selection(store, id: "a", outputSelector: \.a)
    let changes = ChangeCount { selection.output }
    selection.update(.init(id: "a", outputSelector: \.b))
    #expect(changes.count == 0)
    #expect(selection.output == 1)

    selection.update(.init(id: "b", outputSelector: \.b))
    #expect(changes.count == 1)
    #expect(selection.output == 2)
    await store.change(to: Board(b: 20), by: .rest)
    #expect(selection.output == 20)
    #expect(changes.count == 2)
  }

  @Test func anIDComesAndGoes() {
    let selection = Selection(store, .init(outputSelector: OutputSelector(select: \.a)))
    #expect(selection.output == 1)
    selection.update(.init(outputSelector: OutputSelector(select: \.b)))
    #expect(selection.output == 1)
    selection.update(.init(id: Int?.none, outputSelector: OutputSelector(select: \.b)))
    #expect(selection.output == 2)
    selection.update(.init(id: Int?.none, outputSelector: OutputSelector(select: \.c)))
    #expect(selection.output == 2)
    selection.update(.init(outputSelector: OutputSelector(select: \.c)))
    #expect(selection.output == 3)
  }

  @Test func everythingIsReplacedWithTheID() async {
    let selection = Selection(
      store,
      .init(
        id: 1, filter: { _, _ in false }, dependencySelector: DependencySelector { _ in 0 },
        outputSelector: OutputSelector(select: \.a)))
    #expect(selection.output == 1)
    for id in 2...3 {
      let (filtered, dependency): (BoardAction, Int) = id == 2 ? (.rest, 0) : (.a(0), 1)
      selection.update(
        .init(
          id: id, filter: { _, action in action != filtered },
          dependencySelector: DependencySelector(select: \.b) { old, new in new == old + dependency },
          outputSelector: OutputSelector(select: \.a)))
      #expect(selection.output == store.state.a)
      let board = store.state
      await store.change(to: Board(a: board.a + 1, b: board.b + dependency), by: filtered)
      #expect(selection.output == board.a)
      await store.send(filtered == .rest ? .a(0) : .rest)
      #expect(selection.output == board.a + 1)
    }
  }

  @Test func aNewStoreTakesEffectAtTheNextRead() async {
    let other = BoardDouble(state: Board(a: 5))
    let selection = Selection(store, outputSelector: \.a)
    let changes = ChangeCount { selection.output }
    selection.store = store
    #expect(changes.count == 0)
    selection.store = other
    #expect(changes.count == 1)
    #expect(selection.output == 5)
    await other.change(to: Board(a: 6), by: .a(6))
    #expect(selection.output == 6)
    #expect(changes.count == 2)
    let calls = store.calls
    await store.change(to: Board(a: 7), by: .a(7))
    #expect(store.calls == calls)
  }

  /// A text that grows by `update` before each read, as a search field does.
  @Test func aDynamicSelectionKeepsItsParametersItself() {
    let selection = Selection(store, id: 0, outputSelector: { board in board.a + 0 })
    for offset in [0, 1, 1, 2] {
      selection.update(.init(id: offset, outputSelector: { board in board.a + offset }))
      #expect(selection.output == 1 + offset)
    }
    #expect(store.streams.count == 3)
  }

  @Test func severalDependenciesOfSeveralTypes() async {
    let selection = Selection(
      store, label: nil,
      dependencySelector: { @Sendable board in board.a }, { @Sendable board in "\(board.b)" },
      { @Sendable board in [board.c] },
      outputSelector: { board in "\(board)" })
    #expect(selection.output == "\(Board(a: 1, b: 2, c: 3))")
    for board in [Board(a: 2, b: 2, c: 3), Board(a: 2, b: 3, c: 3), Board(a: 2, b: 3, c: 4)] {
      await store.change(to: board, by: .rest)
      #expect(selection.output == "\(board)")
    }
  }
}
