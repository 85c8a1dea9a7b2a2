import ImmutableData
import ImmutableUI
import Platform
import TestSupport

/// A small state with three numbers that change independently.
struct Board: Equatable, Sendable {
  var a = 0
  var b = 0
  var c = 0
}

enum BoardAction: Equatable, Sendable {
  case a(Int)
  case b(Int)
  case c(Int)
  case rest
}

extension Board {
  struct Refusal: Error {}

  /// Negative numbers are refused.
  @Sendable static func reduce(state: Board, action: BoardAction) throws -> Board {
    var state = state
    switch action {
    case .a(let number): state.a = number
    case .b(let number): state.b = number
    case .c(let number): state.c = number
    case .rest: break
    }
    guard min(state.a, state.b, state.c) >= 0 else { throw Refusal() }
    return state
  }
}

typealias BoardStore = Store<Board, BoardAction>
typealias BoardDouble = StoreDouble<Board, BoardAction>

extension Store<Board, BoardAction> {
  convenience init() {
    self.init(initialState: Board(), reducer: Board.reduce)
  }
}

/// Records the arguments of closures, from any thread.
final class Journal<Entry: Sendable>: Sendable {
  private let contents = Locked<[Entry]>([])

  var entries: [Entry] { contents.withLock { entries in entries } }

  func add(_ entry: Entry) {
    contents.withLock { entries in entries.append(entry) }
  }
}

/// An old and a new value, the arguments of `didChange`.
struct Step: Equatable, Sendable {
  var old: Int
  var new: Int

  init(_ old: Int, _ new: Int) {
    self.old = old
    self.new = new
  }
}
