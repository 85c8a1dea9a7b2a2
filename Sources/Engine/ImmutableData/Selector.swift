/// A type that slices of the state can be selected from.
///
/// A selector is a pure function from the state to a slice or a derived value. Results are not cached; memoization is up to the
/// view layer.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 1; "selector" in Redux.
public protocol Selector<State>: Sendable {
  /// The state to select from.
  associatedtype State: Sendable

  /// Applies `selector` to the current state.
  ///
  /// - Parameter selector: A pure function of the state.
  /// - Returns: The result of `selector` for the current state.
  /// - Complexity: That of `selector`.
  @MainActor func select<T: Sendable>(_ selector: @Sendable (State) -> T) -> T
}

extension Selector {
  /// The complete current state.
  ///
  /// A view that selects the complete state updates at every change, so select the smallest slice that it needs.
  @MainActor public var state: State {
    select { state in state }
  }
}
