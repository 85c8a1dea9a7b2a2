package import ImmutableData

/// Whether a pack is empty.
package func isEmpty<each Element>(_ element: repeat each Element) -> Bool {
  for _ in repeat each element { return false }
  return true
}

/// Whether one of several values changed. The comparison stops at the first change.
///
/// - Parameters:
///   - didChange: Receives the old and the new value.
///   - lhs: The old values.
///   - rhs: The new values.
/// - Returns: `false` for empty packs.
package func didChange<each Element>(
  _ didChange: repeat @escaping @Sendable (each Element, each Element) -> Bool,
  lhs: repeat each Element,
  rhs: repeat each Element
) -> Bool {
  for (didChange, lhs, rhs) in repeat (each didChange, each lhs, each rhs) {
    if didChange(lhs, rhs) { return true }
  }
  return false
}

extension ImmutableData.Selector {
  /// Selects several values from one state.
  ///
  /// - Parameter select: Pure functions of the state.
  /// - Returns: The results for the current state.
  /// - Complexity: That of the functions together.
  @MainActor package func selectMany<each Value: Sendable>(
    _ select: repeat @escaping @Sendable (State) -> each Value
  ) -> (repeat each Value) {
    self.select { state in (repeat (each select)(state)) }
  }
}
