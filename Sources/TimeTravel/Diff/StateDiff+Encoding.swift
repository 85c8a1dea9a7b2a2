extension StateDiff {
  /// Compares two states through their canonical forms.
  ///
  /// - Throws: What the states' own coding throws.
  /// - Complexity: That of ``init(from:to:)``, and O(size) for encoding.
  public init<State: Encodable>(encoding old: State, to new: State) throws {
    self.init(from: try StateTree(encoding: old), to: try StateTree(encoding: new))
  }
}
