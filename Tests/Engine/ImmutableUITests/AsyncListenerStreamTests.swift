import AsyncSequenceTestUtils
import ImmutableData
import ImmutableUI
import TestSupport
import Testing

/// The elements that update a listener, and the state that an update reads.
@MainActor @Suite struct AsyncListenerStreamTests {
  private typealias Element = (oldState: Board, action: BoardAction)

  private let store = BoardDouble(state: Board())
  private let stream = AsyncSequenceTestDouble<(oldState: Board, action: BoardAction)>()

  @Test func eachElementIsAnUpdate() async throws {
    let listener = AsyncListener<Board, BoardAction, Int>(.init(outputSelector: OutputSelector(select: \.a)))
    listener.update(with: store)
    let task = Task { [store, stream] in try await listener.listen(to: stream, with: store) }
    for a in 1...5 {
      store.state.a = a
      #expect(listener.output == a - 1)
      await stream.iterator.resume(returning: (oldState: store.state, action: .rest))
      #expect(listener.output == a)
      #expect(store.selections == 1 + a)
    }
    await stream.iterator.resume(returning: nil)
    try await task.value
    #expect(store.selections == 6)
  }

  @Test func anElementIsUsedForNothingButTheFilter() async throws {
    let listener = AsyncListener<Board, BoardAction, Int, Int>(
      .init(
        dependencySelector: DependencySelector(select: \.a), outputSelector: OutputSelector(select: \.a)))
    store.state.a = 1
    listener.update(with: store)
    let task = Task { [store, stream] in try await listener.listen(to: stream, with: store) }
    await stream.iterator.resume(returning: (oldState: Board(a: 50), action: .a(60)))
    #expect(listener.output == 1)
    store.state.a = 2
    await stream.iterator.resume(returning: (oldState: Board(a: 70), action: .rest))
    #expect(listener.output == 2)
    await stream.iterator.resume(returning: nil)
    try await task.value
  }

  @Test func onlyTheFilterReceivesTheOldState() async throws {
    let filtered = Journal<String>()
    let selected = Journal<Int>()
    let listener = AsyncListener<Board, BoardAction, Int>(
      .init(
        filter: { state, action in
          filtered.add("\(state.a) \(action)")
          return action != .rest
        },
        outputSelector: OutputSelector { board in
          selected.add(board.a)
          return board.a
        }))
    store.state.a = 9
    let task = Task { [store, stream] in try await listener.listen(to: stream, with: store) }
    for element in [(Board(a: 1), .a(2)), (Board(a: 2), .rest), (Board(a: 2), .b(3))] as [Element] {
      await stream.iterator.resume(returning: element)
    }
    #expect(filtered.entries == ["1 a(2)", "2 rest", "2 b(3)"])
    #expect(selected.entries == [9, 9])
    await stream.iterator.resume(returning: nil)
    try await task.value
  }

  @Test func theFilterGuardsTheDependenciesToo() async throws {
    let listener = AsyncListener<Board, BoardAction, Int, Int>(
      .init(
        filter: { _, action in action != .rest },
        dependencySelector: DependencySelector(select: \.a), outputSelector: OutputSelector(select: \.a)))
    listener.update(with: store)
    #expect(store.selections == 2)
    let task = Task { [store, stream] in try await listener.listen(to: stream, with: store) }
    await stream.iterator.resume(returning: (oldState: store.state, action: .rest))
    #expect(store.selections == 2)
    await stream.iterator.resume(returning: (oldState: store.state, action: .a(1)))
    #expect(store.selections == 3)
    await stream.iterator.resume(returning: nil)
    try await task.value
  }

  @Test func anUpdateByHandPassesTheFilter() {
    let listener = AsyncListener<Board, BoardAction, Int>(
      .init(
        filter: { _, _ in false }, outputSelector: OutputSelector(select: \.a)))
    listener.update(with: store)
    store.state.a = 1
    listener.update(with: store)
    #expect(listener.output == 1)
  }

  @Test func consecutiveActionsUpdateWithTheLastState() async throws {
    let store = BoardStore()
    let selected = Journal<Int>()
    let listener = AsyncListener<Board, BoardAction, Int>(
      .init(
        outputSelector: OutputSelector { board in
          selected.add(board.a)
          return board.a
        }))
    listener.update(with: store)
    let changes = ChangeCount { listener.output }
    let stream = store.makeStream()
    let task = Task { try await listener.listen(to: stream, with: store) }
    for a in 1...3 { try store.dispatch(action: .a(a)) }
    #expect(listener.output == 0)
    store.finish()
    try await task.value
    #expect(selected.entries == [0, 3, 3, 3])
    #expect(listener.output == 3)
    #expect(changes.count == 1)
  }

  @Test func aRefusedActionIsNoUpdate() async throws {
    let store = BoardStore()
    let probe = SelectorDouble(state: Board())
    let listener = AsyncListener<Board, BoardAction, Int>(.init(outputSelector: OutputSelector(select: \.a)))
    let stream = store.makeStream()
    let task = Task { try await listener.listen(to: stream, with: probe) }
    #expect(throws: Board.Refusal.self) { try store.dispatch(action: .a(-1)) }
    try store.dispatch(action: .rest)
    store.finish()
    try await task.value
    #expect(probe.selections == 1)
  }

  @Test func theErrorOfAStreamIsThrown() async {
    struct Failure: Error {}
    let listener = AsyncListener<Board, BoardAction, Int>(.init(outputSelector: OutputSelector(select: \.a)))
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: Element.self)
    continuation.yield((oldState: store.state, action: .rest))
    continuation.finish(throwing: Failure())
    await #expect(throws: Failure.self) { try await listener.listen(to: stream, with: store) }
    #expect(store.selections == 1)
  }

  @Test(arguments: [false, true])
  func cancelingEndsListening(isFiltered: Bool) async throws {
    let everything: @Sendable (Board, BoardAction) -> Bool = { _, _ in true }
    let listener = AsyncListener<Board, BoardAction, Int>(
      .init(
        filter: isFiltered ? everything : nil, outputSelector: OutputSelector(select: \.a)))
    let task = Task { [store, stream] in try await listener.listen(to: stream, with: store) }
    await stream.iterator.resume(returning: (oldState: store.state, action: .rest))
    task.cancel()
    try await task.value
    await stream.iterator.resume(returning: (oldState: store.state, action: .rest))
    #expect(store.selections == 1)
  }
}
