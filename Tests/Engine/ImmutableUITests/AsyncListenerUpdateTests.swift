import ImmutableUI
import TestSupport
import Testing

/// Selection, comparison and publication in an update.
@MainActor @Suite struct AsyncListenerUpdateTests {
  private let store = BoardDouble(state: Board())
  private let computed = Journal<Int>()

  // MARK: - Without dependencies

  @Test func withoutDependenciesEachUpdateComputesTheOutput() {
    let listener = AsyncListener<Board, BoardAction, Int>(.init(outputSelector: OutputSelector(select: compute(\.a))))
    for a in [3, 3, 4] {
      store.state.a = a
      listener.update(with: store)
      #expect(listener.output == a)
    }
    #expect(computed.entries == [3, 3, 4])
    #expect(store.selections == 3)
  }

  @Test func theFirstOutputIsPublishedWithoutAComparison() {
    let compared = Journal<Step>()
    let listener = AsyncListener<Board, BoardAction, Int>(
      .init(
        outputSelector: OutputSelector(select: \.a) { old, new in
          compared.add(Step(old, new))
          return false
        }))
    store.state.a = 7
    listener.update(with: store)
    #expect(listener.output == 7)
    #expect(compared.entries.isEmpty)

    store.state.a = 8
    listener.update(with: store)
    #expect(compared.entries == [Step(7, 8)])
    #expect(listener.output == 7)
  }

  @Test func outputsAreComparedWithTheLastComputedOne() {
    let compared = Journal<Step>()
    let listener = AsyncListener<Board, BoardAction, Int>(
      .init(
        outputSelector: OutputSelector(select: \.a) { old, new in
          compared.add(Step(old, new))
          return abs(new - old) >= 10
        }))
    for a in [0, 4, 8, 12, 16, 27] {
      store.state.a = a
      listener.update(with: store)
      #expect(listener.output == (a == 27 ? 27 : 0))
    }
    #expect(compared.entries == [Step(0, 4), Step(4, 8), Step(8, 12), Step(12, 16), Step(16, 27)])
  }

  @Test func observersAreNotifiedOfPublishedOutputs() {
    let listener = AsyncListener<Board, BoardAction, Int>(.init(outputSelector: OutputSelector(select: \.a)))
    listener.update(with: store)
    let changes = ChangeCount { listener.output }
    for (a, count) in [(0, 0), (1, 1), (1, 1), (2, 2), (0, 3)] {
      store.state.a = a
      listener.update(with: store)
      #expect(changes.count == count)
    }
  }

  @Test func onlyDidChangeDecidesAboutNotification() {
    let listener = AsyncListener<Board, BoardAction, Int>(
      .init(
        outputSelector: OutputSelector(select: \.a) { _, _ in true }))
    listener.update(with: store)
    let changes = ChangeCount { listener.output }
    listener.update(with: store)
    listener.update(with: store)
    #expect(changes.count == 2)
  }

  @Test func anOutputThatHoldsNilIsAnOutput() {
    let listener = AsyncListener<Board, BoardAction, Int?>(
      .init(
        outputSelector: OutputSelector { board in board.a == 0 ? nil : board.a }))
    listener.update(with: store)
    #expect(listener.output == nil)
    store.state.a = 1
    listener.update(with: store)
    #expect(listener.output == 1)
  }

  @Test func readingBeforeAnUpdateIsAProgrammerError() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
      _ = AsyncListener<Board, BoardAction, Int>(.init(outputSelector: OutputSelector(select: \.a))).output
    }
    let messages = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(messages.contains("missing output"))
  }

  // MARK: - With dependencies

  @Test(arguments: [
    (Board(), 0), (Board(c: 9), 0), (Board(a: 1), 1), (Board(b: 1), 1), (Board(a: 1, b: 1), 1),
  ])
  func theOutputIsComputedWhenAnyDependencyChanged(board: Board, computations: Int) {
    let listener = listener()
    listener.update(with: store)
    #expect(computed.entries.count == 1)
    store.state = board
    listener.update(with: store)
    #expect(computed.entries.count == 1 + computations)
    listener.update(with: store)
    #expect(computed.entries.count == 1 + computations)
  }

  @Test func anUpdateSelectsFromOneState() {
    let selected = Journal<String>()
    let listener = AsyncListener<Board, BoardAction, Int, Int, Int>(
      .init(
        dependencySelector: DependencySelector { board in
          selected.add("a \(board)")
          return board.a
        },
        DependencySelector { board in
          selected.add("b \(board)")
          return board.b
        },
        outputSelector: OutputSelector(select: \.c)))
    var expected: [String] = []
    for board in [Board(), Board(), Board(a: 1), Board(a: 2, b: 1)] {
      store.state = board
      listener.update(with: store)
      expected += ["a \(board)", "b \(board)"]
      #expect(selected.entries == expected)
    }
    // One selection for all the dependencies, and one for each of the three outputs.
    #expect(store.selections == 4 + 3)
  }

  @Test func theFirstUpdateComputesWithoutAComparison() {
    let compared = Journal<Step>()
    let listener = listener { old, new in
      compared.add(Step(old, new))
      return false
    }
    listener.update(with: store)
    #expect(listener.output == 0)
    #expect(compared.entries.isEmpty)
  }

  @Test func dependenciesAreComparedWithThoseOfTheLastUpdate() {
    let compared = Journal<Step>()
    let listener = listener { old, new in
      compared.add(Step(old, new))
      return new - old >= 10
    }
    for a in [0, 6, 12, 18, 28] {
      store.state.a = a
      listener.update(with: store)
    }
    // `b` is compared when `a` did not change, and not when it did.
    #expect(
      compared.entries == [
        Step(0, 6), Step(0, 0), Step(6, 12), Step(0, 0), Step(12, 18), Step(0, 0), Step(18, 28),
      ])
    #expect(computed.entries == [0, 28])
  }

  @Test func anUnchangedOutputNotifiesNoObserver() {
    let listener = AsyncListener<Board, BoardAction, Int, Bool>(
      .init(
        dependencySelector: DependencySelector(select: \.a), outputSelector: OutputSelector { board in board.a > 10 }))
    listener.update(with: store)
    let changes = ChangeCount { listener.output }
    for (a, count) in [(5, 0), (11, 1), (12, 1)] {
      store.state.a = a
      listener.update(with: store)
      #expect(changes.count == count)
    }
  }

  /// A listener whose output is `a`, with `a` and `b` as its dependencies.
  private func listener(
    dependencies didChange: @escaping @Sendable (Int, Int) -> Bool = { old, new in old != new }
  ) -> AsyncListener<Board, BoardAction, Int, Int, Int> {
    AsyncListener(
      .init(
        dependencySelector: DependencySelector(select: \.a, didChange: didChange),
        DependencySelector(select: \.b, didChange: didChange),
        outputSelector: OutputSelector(select: compute(\.a))))
  }

  /// A selector that records what it computed.
  private func compute(_ keyPath: any KeyPath<Board, Int> & Sendable) -> @Sendable (Board) -> Int {
    { [computed] board in
      computed.add(board[keyPath: keyPath])
      return board[keyPath: keyPath]
    }
  }
}
