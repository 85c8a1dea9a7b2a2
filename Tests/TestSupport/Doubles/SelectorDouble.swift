import ImmutableData

/// A selector whose state a test sets.
@MainActor package final class SelectorDouble<State: Sendable>: ImmutableData.Selector {
  /// What selections are made from.
  package var state: State
  /// How many selections were made.
  package private(set) var selections = 0

  /// Makes a selector of a state.
  package init(state: State) {
    self.state = state
  }

  package func select<T: Sendable>(_ selector: @Sendable (State) -> T) -> T {
    selections += 1
    return selector(state)
  }
}
