import ImmutableData
import ImmutableUI
import TestSupport
import Testing

/// Two windows on one store: they show the same global state, and each has local state of its own.
@MainActor @Suite struct TwoWindowsTests {
  /// A window: the same slice in each, and a choice of its own.
  private struct Window {
    let store: BoardStore
    let numbers: Selection<BoardStore, Board>
    let chosen: Selection<BoardStore, Int>

    @MainActor init(_ store: BoardStore) {
      self.store = store
      numbers = Selection(store, outputSelector: { board in board })
      chosen = Selection(store, id: "a", outputSelector: \.a)
    }

    /// Local state: it never enters the store.
    @MainActor func chooseB() { chosen.update(.init(id: "b", outputSelector: \.b)) }
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func twoWindowsOnOneStoreStayConsistent(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let store = BoardStore()
    let windows = [Window(store), Window(store)]
    #expect(windows.map { window in window.numbers.output } == [Board(), Board()])
    for burst in 1...50 {
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let number = Int.random(in: -1...3, using: &random)
        let action = Bool.random(using: &random) ? BoardAction.a(number) : .b(number)
        // A refused action changes nothing in either window.
        if number < 0 {
          #expect(throws: Board.Refusal.self) { try store.dispatch(action: action) }
        } else {
          try store.dispatch(action: action)
        }
      }
      // Every burst ends with a change, so that there is something to wait for.
      try store.dispatch(action: .c(burst))
      for window in windows {
        _ = await value(of: { window.numbers.output }) { board in board == store.state }
        _ = await value(of: { window.chosen.output }) { chosen in chosen == store.state.a }
      }
      #expect(windows[0].numbers.output == windows[1].numbers.output, "seed \(seed)")
      #expect(windows[0].chosen.output == windows[1].chosen.output, "seed \(seed)")
    }
  }

  @Test func localStateStaysLocal() async throws {
    let store = BoardStore()
    let stream = store.makeStream()
    let (first, second) = (Window(store), Window(store))
    try store.dispatch(action: .a(1))
    try store.dispatch(action: .b(2))
    first.chooseB()
    #expect(first.chosen.output == 2)
    #expect(second.chosen.output == 1)
    #expect(stream.counts.yielded == 2)
    try store.dispatch(action: .b(3))
    #expect(await value(of: { first.chosen.output }) { chosen in chosen != 2 } == 3)
    #expect(second.chosen.output == 1)
  }

  @Test func aLaterWindowMatchesImmediately() throws {
    let store = BoardStore()
    let first = Window(store)
    #expect(first.numbers.output == Board())
    try store.dispatch(action: .a(1))
    let second = Window(store)
    #expect(second.numbers.output == Board(a: 1))
  }
}
