extension StateDiff {
  /// Compares two states through their canonical forms.
  ///
  /// - Parameters:
  ///   - old: The state before.
  ///   - new: The state after.
  /// - Throws: What the states' own coding throws.
  /// - Complexity: That of ``init(from:to:)``, and O(size) for encoding.
  public init<State: Encodable>(encoding old: State, to new: State) throws {
    self.init(from: try StateTree(encoding: old), to: try StateTree(encoding: new))
  }

  /// Compares two states through their canonical forms, without looking at the rows that they share.
  ///
  /// The differences are those that comparing the whole states finds. Two states of one history share the rows of a
  /// `TreeDictionary` that no action between them has changed. ``old`` and ``new`` are encoded when they are asked for; of one
  /// that cannot be encoded then, they are the parts that are not shared.
  ///
  /// - Parameters:
  ///   - old: The state before.
  ///   - new: The state after.
  /// - Throws: What the states' own coding throws, as far as they are encoded.
  /// - Complexity: That of ``init(from:to:)`` for what the states do not share, and O(size of that) for encoding.
  public init<State: Encodable & Sendable>(encoding old: State, to new: State) throws {
    let parts = try UnsharedParts(encoding: old, new)
    guard !parts.areWhole else {
      self.init(from: parts.old, to: parts.new)
      return
    }
    self.init(
      comparing: parts.old, parts.new, visited: parts.visited,
      old: { Self.tree(encoding: old, orElse: parts.old) }, new: { Self.tree(encoding: new, orElse: parts.new) })
  }

  /// A whole state; of one that cannot be encoded, the parts that were.
  private static func tree(encoding state: some Encodable, orElse parts: StateTree) -> StateTree {
    do { return try StateTree(encoding: state) } catch { return parts }
  }
}
