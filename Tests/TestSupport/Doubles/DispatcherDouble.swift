import ImmutableData

/// A dispatcher that writes down what it is given, runs thunks with doubles, and reduces nothing.
@MainActor package final class DispatcherDouble<State: Sendable, Action: Sendable>: ImmutableData.Dispatcher {
  /// The actions that were dispatched, also by thunks, in order. A refused one is among them.
  package private(set) var actions: [Action] = []
  /// Is thrown for each action, when there is one.
  package var refusal: (any Error)?
  /// What thunks select from.
  package let selector: SelectorDouble<State>

  /// Makes a dispatcher; thunks see `state`.
  package init(state: State) {
    selector = SelectorDouble(state: state)
  }

  package func dispatch(action: Action) throws {
    actions.append(action)
    if let refusal { throw refusal }
  }

  package func dispatch(
    thunk: @Sendable (DispatcherDouble, SelectorDouble<State>) throws -> Void
  ) rethrows {
    try thunk(self, selector)
  }

  package func dispatch(
    thunk: @Sendable (DispatcherDouble, SelectorDouble<State>) async throws -> Void
  ) async rethrows {
    try await thunk(self, selector)
  }
}
