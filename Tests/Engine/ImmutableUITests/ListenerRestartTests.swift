import AsyncSequenceTestUtils
import ImmutableUI
import TestSupport
import Testing

/// The end of a stream while its listener continues.
@MainActor @Suite struct ListenerRestartTests {
  private typealias BoardListener = Listener<Board, BoardAction, Int>

  @Test func anEndedRestartingStreamIsReplaced() async {
    let store = RestartingStoreDouble<Board, BoardAction>(state: Board(a: 1))
    let listener = BoardListener(.init(outputSelector: OutputSelector(select: \.a)))
    listener.listen(to: store)
    let changes = ChangeCount { listener.output }
    store.state.a = 2
    await store.restartStream()
    #expect(store.calls == [.select, .makeStream, .select, .makeStream])
    #expect(listener.output == 2)
    #expect(changes.count == 1)
    await store.change(to: Board(a: 3), by: .a(3))
    #expect(listener.output == 3)
    #expect(changes.count == 2)
  }

  @Test func restartingUsesFilterAndDependencies() async {
    let store = RestartingStoreDouble<Board, BoardAction>(state: Board(a: 1))
    let listener = Listener<Board, BoardAction, Int, Int>(
      .init(
        filter: { _, _ in false }, dependencySelector: DependencySelector(select: \.b),
        outputSelector: OutputSelector(select: \.a)))
    listener.listen(to: store)
    store.state.a = 2
    await store.restartStream()
    #expect(listener.output == 1)
    store.state.b = 1
    await store.restartStream()
    #expect(listener.output == 2)
  }

  @Test func everyEndedStreamIsReplaced() async {
    let store = RestartingStoreDouble<Board, BoardAction>(state: Board())
    let listener = BoardListener(.init(outputSelector: OutputSelector(select: \.a)))
    listener.listen(to: store)
    for a in 1...20 {
      store.state.a = a
      await store.restartStream()
      #expect(listener.output == a)
    }
    #expect(store.streams.count == 21)
  }

  @Test func aListenerThatHasEndedDoesNotStartAgain() async {
    // A task that made one stream after another would retain the store forever.
    await withCheckedContinuation { end in
      let store = RestartingStoreDouble<Board, BoardAction>(state: Board(), end: end)
      let listener = BoardListener(.init(outputSelector: OutputSelector(select: \.a)))
      listener.listen(to: store)
    }
  }

  @Test func anEndedStoreStreamIsNotReplaced() async {
    let listener = BoardListener(.init(outputSelector: OutputSelector(select: \.a)))
    let streams = Journal<Int>()
    await withCheckedContinuation { end in
      let store = BoardDouble(state: Board(), end: end)
      listener.listen(to: store)
      let stream = store.streams[0]
      Task { [weak store] in
        await stream.iterator.resume(returning: (oldState: Board(), action: .rest))
        streams.add(store?.streams.count ?? -1)
        await stream.iterator.resume(returning: nil)
      }
    }
    // The store was released, so its listener's task has ended: it did not read the state again or make another stream.
    #expect(streams.entries == [1])
    #expect(listener.output == 0)
  }
}
