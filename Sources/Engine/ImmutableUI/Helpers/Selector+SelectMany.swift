package import ImmutableData

extension ImmutableData.Selector {
  /// Selects several values from one state.
  ///
  /// - Parameter select: Pure functions of the state.
  /// - Returns: What each function returns for the state of this moment.
  /// - Complexity: That of the functions together.
  @MainActor package func selectMany<each Value: Sendable>(
    _ select: repeat @escaping @Sendable (State) -> each Value
  ) -> (repeat each Value) {
    self.select { state in (repeat (each select)(state)) }
  }
}
