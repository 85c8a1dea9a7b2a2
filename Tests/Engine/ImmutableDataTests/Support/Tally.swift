import ImmutableData

/// A small model that adds up numbers and refuses negative ones.
struct Tally: Equatable, Sendable {
  var total = 0
}

enum TallyAction: Equatable, Sendable {
  case add(Int)
}

struct TallyError: Error, Equatable {
  var state: Tally
  var action: TallyAction
}

extension Tally {
  @Sendable static func reduce(state: Tally, action: TallyAction) throws -> Tally {
    switch action {
    case .add(let number):
      guard number >= 0 else { throw TallyError(state: state, action: action) }
      return Tally(total: state.total + number)
    }
  }
}

typealias TallyStore = Store<Tally, TallyAction>

extension Store<Tally, TallyAction> {
  convenience init() {
    self.init(initialState: Tally(), reducer: Tally.reduce)
  }

  func add(_ numbers: Int...) throws {
    for number in numbers { try dispatch(action: .add(number)) }
  }
}
