import AsyncSequenceTestUtils
import ImmutableData
import ImmutableUI
import TestSupport
import Testing

/// The parameters that a listener uses, and when it replaces them.
@MainActor @Suite struct ListenerIdentityTests {
  private typealias BoardListener = Listener<Board, BoardAction, Int>

  private let store = BoardDouble(state: Board(a: 1, b: 2, c: 3))
  private let a = OutputSelector<Board, Int>(select: \.a)
  private let b = OutputSelector<Board, Int>(select: \.b)
  private let c = OutputSelector<Board, Int>(select: \.c)

  @Test func anotherIDReplacesTheParametersAtTheNextListen() async {
    let listener = BoardListener(.init(id: "a", outputSelector: a))
    listener.listen(to: store)
    listener.update(.init(id: "b", outputSelector: b))
    #expect(listener.output == 1)
    #expect(store.streams.count == 1)
    await store.change(to: Board(a: 10, b: 20), by: .rest)
    #expect(listener.output == 10)

    listener.listen(to: store)
    #expect(listener.output == 20)
    #expect(store.streams.count == 2)
    await store.change(to: Board(a: 100, b: 200), by: .rest)
    #expect(listener.output == 200)
  }

  @Test func aNewIDCancelsTheOldTask() async {
    let listener = BoardListener(.init(id: "a", outputSelector: a))
    listener.listen(to: store)
    await store.send(.rest)
    listener.update(.init(id: "b", outputSelector: b))
    listener.listen(to: store)
    let selections = store.selections
    await store.streams[0].iterator.resume(returning: (oldState: store.state, action: .rest))
    #expect(store.selections == selections)
  }

  @Test func withTheSameIDNewClosuresAreIgnored() async {
    let listener = BoardListener(.init(id: "a", outputSelector: a))
    listener.listen(to: store)
    listener.update(.init(id: "a", filter: { _, _ in false }, outputSelector: b))
    listener.listen(to: store)
    #expect(store.streams.count == 1)
    await store.change(to: Board(a: 10), by: .rest)
    #expect(listener.output == 10)
  }

  @Test func withoutIDsNothingIsReplaced() async {
    let listener = BoardListener(.init(outputSelector: a))
    listener.listen(to: store)
    listener.update(.init(outputSelector: b))
    listener.listen(to: store)
    #expect(listener.output == 1)
    #expect(store.streams.count == 1)
  }

  @Test func anUpdateWithoutAnIDRemovesTheID() {
    let listener = BoardListener(.init(id: "a", outputSelector: a))
    listener.listen(to: store)
    listener.update(.init(outputSelector: b))
    listener.listen(to: store)
    #expect(listener.output == 2)
    // Without an id, nothing is replaced.
    listener.update(.init(outputSelector: c))
    listener.listen(to: store)
    #expect(listener.output == 2)
    // The previous id differs from no id.
    listener.update(.init(id: "a", outputSelector: c))
    listener.listen(to: store)
    #expect(listener.output == 3)
  }

  @Test func anOptionalThatHoldsNilIsAnID() {
    let none: Int? = nil
    let listener = BoardListener(.init(outputSelector: a))
    listener.listen(to: store)
    listener.update(.init(id: none, outputSelector: b))
    listener.listen(to: store)
    #expect(listener.output == 2)
    listener.update(.init(id: none, outputSelector: c))
    listener.listen(to: store)
    #expect(listener.output == 2)
    listener.update(.init(outputSelector: c))
    listener.listen(to: store)
    #expect(listener.output == 3)
  }

  @Test func idsOfAnotherTypeDiffer() {
    let listener = BoardListener(.init(id: 1, outputSelector: a))
    listener.listen(to: store)
    listener.update(.init(id: "1", outputSelector: b))
    listener.listen(to: store)
    #expect(listener.output == 2)
  }

  @Test func aChangeBeforeTheFirstListenIsTakenToo() {
    let listener = BoardListener(.init(id: 1, outputSelector: a))
    listener.update(.init(id: 2, outputSelector: b))
    listener.listen(to: store)
    #expect(listener.output == 2)
    #expect(store.calls == [.select, .makeStream])
  }

  @Test(arguments: [true, false])
  func aNewIDReplacesFilterAndDependencies(hasID: Bool) async {
    let listener = Listener<Board, BoardAction, Int, Int>(
      .init(
        id: 1, filter: { _, _ in false }, dependencySelector: DependencySelector { _ in 0 }, outputSelector: a))
    listener.listen(to: store)
    await store.change(to: Board(a: 5), by: .rest)
    #expect(listener.output == 1)
    let dependency = DependencySelector<Board, Int>(select: \.b)
    let isRest: @Sendable (Board, BoardAction) -> Bool = { _, action in action == .rest }
    if hasID {
      listener.update(.init(id: 2, filter: isRest, dependencySelector: dependency, outputSelector: a))
    } else {
      listener.update(.init(filter: isRest, dependencySelector: dependency, outputSelector: a))
    }
    listener.listen(to: store)
    #expect(listener.output == 5)
    await store.change(to: Board(a: 6, b: 1), by: .b(1))
    #expect(listener.output == 5)
    await store.send(.rest)
    #expect(listener.output == 6)
    await store.change(to: Board(a: 7, b: 1), by: .rest)
    #expect(listener.output == 6)
  }

  @Test func everyPartOfAnIDCounts() {
    struct Search: Hashable {
      var text: String
      var count: Int?
    }
    let listener = BoardListener(.init(id: Search(text: "x", count: nil), outputSelector: a))
    listener.listen(to: store)
    listener.update(.init(id: Search(text: "x", count: 3), outputSelector: b))
    listener.listen(to: store)
    #expect(listener.output == 2)
    listener.update(.init(id: Search(text: "x", count: 3), outputSelector: c))
    listener.listen(to: store)
    #expect(listener.output == 2)
  }
}
