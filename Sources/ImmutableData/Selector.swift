/// A type from which slices of one immutable state can be selected.
///
/// A selector is a pure function from the state to a slice or a derivation of it. Nothing is cached: memoising is the
/// job of the layer that draws.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 1; "selector" in Redux.
public protocol Selector<State>: Sendable {
  /// The state that selections are made from.
  associatedtype State: Sendable

  /// Applies `selector` to the current state.
  ///
  /// - Parameter selector: A pure function of the state.
  /// - Returns: What `selector` returns for the state of this moment.
  /// - Complexity: That of `selector`.
  @MainActor func select<T: Sendable>(_ selector: @Sendable (State) -> T) -> T
}

extension Selector {
  /// The whole current state: the identity selection.
  ///
  /// Whoever selects the whole state in a view recomputes at every change; select the smallest slice that serves.
  @MainActor public var state: State {
    select { state in state }
  }
}
