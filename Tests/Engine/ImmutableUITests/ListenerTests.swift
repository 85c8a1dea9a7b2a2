import AsyncSequenceTestUtils
import ImmutableData
import ImmutableUI
import TestSupport
import Testing

/// The stores that a listener follows and retains.
@MainActor @Suite struct ListenerTests {
  private typealias BoardListener = Listener<Board, BoardAction, Int>

  @Test func listeningComputesAnOutputAndMakesAStream() {
    let store = BoardDouble(state: Board(a: 3))
    let listener = BoardListener(.init(filter: { _, _ in false }, outputSelector: OutputSelector(select: \.a)))
    listener.listen(to: store)
    #expect(listener.output == 3)
    #expect(store.calls == [.select, .makeStream])
  }

  @Test func readingBeforeListeningIsAProgrammerError() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
      let listener = Listener<Board, BoardAction, Int>(.init(id: 1, outputSelector: OutputSelector(select: \.a)))
      listener.update(.init(id: 2, outputSelector: OutputSelector(select: \.a)))
      _ = listener.output
    }
    let messages = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(messages.contains("missing output"))
  }

  @Test func theOutputFollowsTheStore() async {
    let store = BoardDouble(state: Board())
    let listener = BoardListener(
      .init(
        filter: { _, action in action != .rest }, outputSelector: OutputSelector(select: \.a)))
    listener.listen(to: store)
    await store.change(to: Board(a: 1), by: .a(1))
    #expect(listener.output == 1)
    await store.change(to: Board(a: 2), by: .rest)
    #expect(listener.output == 1)
    await store.change(to: Board(a: 2, b: 1), by: .b(1))
    #expect(listener.output == 2)
  }

  @Test func noActionIsMissedBeforeTheStream() async throws {
    let store = BoardStore()
    let listener = BoardListener(.init(outputSelector: OutputSelector(select: \.a)))
    listener.listen(to: store)
    try store.dispatch(action: .a(1))
    #expect(listener.output == 0)
    #expect(await value(of: { listener.output }) { output in output != 0 } == 1)
  }

  @Test func listeningToTheSameStoreAgainDoesNothing() async {
    let store = BoardDouble(state: Board())
    let listener = BoardListener(.init(outputSelector: OutputSelector(select: \.a)))
    listener.listen(to: store)
    store.state.a = 1
    listener.listen(to: store)
    #expect(store.calls == [.select, .makeStream])
    #expect(listener.output == 0)
    await store.send(.rest)
    #expect(listener.output == 1)
  }

  @Test func anotherStoreIsFollowedFromItsPresentState() async {
    let first = BoardDouble(state: Board(a: 1))
    let second = BoardDouble(state: Board(a: 2))
    let listener = BoardListener(.init(outputSelector: OutputSelector(select: \.a)))
    listener.listen(to: first)
    listener.listen(to: second)
    #expect(listener.output == 2)
    #expect(second.calls == [.select, .makeStream])

    await second.change(to: Board(a: 20), by: .a(20))
    #expect(listener.output == 20)
    // The stream of the first store has ended: the listener does not wait for it or read its state.
    await first.change(to: Board(a: 10), by: .a(10))
    #expect(first.calls == [.select, .makeStream])
    #expect(listener.output == 20)
  }

  @Test func aFormerStoreIsFollowedAgain() async {
    let first = BoardDouble(state: Board(a: 1))
    let second = BoardDouble(state: Board(a: 2))
    let listener = BoardListener(.init(outputSelector: OutputSelector(select: \.a)))
    for store in [first, second, first] { listener.listen(to: store) }
    #expect(listener.output == 1)
    #expect(first.streams.count == 2)
    await first.change(to: Board(a: 5), by: .a(5))
    #expect(listener.output == 5)
  }

  // MARK: - What is held

  @Test func aListenerKeepsItsStoreAlive() async {
    weak var observed: BoardDouble?
    var listener: BoardListener?
    await withCheckedContinuation { end in
      let store = BoardDouble(state: Board(), end: end)
      observed = store
      listener = BoardListener(.init(outputSelector: OutputSelector(select: \.a)))
      listener?.listen(to: store)
      Task {
        // The listener waits for the next element, and only its task retains the store.
        await observed?.send(.rest)
        #expect(observed != nil)
        listener = nil
      }
    }
    #expect(observed == nil)
    #expect(listener == nil)
  }

  @Test func theEndOfAListenerEndsItsStream() async throws {
    let store = BoardDouble(state: Board())
    var listener: BoardListener? = BoardListener(.init(outputSelector: OutputSelector(select: \.a)))
    listener?.listen(to: store)
    await store.send(.rest)
    #expect(store.selections == 2)
    listener = nil
    // An ended sequence accepts nothing. Otherwise, this would be one more selection.
    await store.send(.rest)
    #expect(store.selections == 2)
  }

  @Test func anEndedListenerReleasesItsStore() async {
    let listener = BoardListener(.init(outputSelector: OutputSelector(select: \.a)))
    await withCheckedContinuation { end in
      let store = BoardDouble(state: Board(a: 4), end: end)
      listener.listen(to: store)
      Task { [stream = store.streams[0]] in await stream.iterator.resume(returning: nil) }
    }
    #expect(listener.output == 4)
  }

  @Test func listenersOfOneStoreAreIndependent() async throws {
    let store = BoardStore()
    let first = BoardListener(.init(outputSelector: OutputSelector(select: \.a)))
    var second: BoardListener? = BoardListener(.init(outputSelector: OutputSelector(select: \.a)))
    first.listen(to: store)
    second?.listen(to: store)
    second = nil
    try store.dispatch(action: .a(1))
    #expect(await value(of: { first.output }) { output in output != 0 } == 1)
  }
}
