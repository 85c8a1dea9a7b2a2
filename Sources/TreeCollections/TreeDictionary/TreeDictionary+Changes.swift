extension TreeDictionary {
  /// What makes one dictionary of another one.
  public struct Changes {
    /// The elements whose keys only the new dictionary has.
    public internal(set) var inserted: [Element] = []
    /// The elements whose keys only the old dictionary has.
    public internal(set) var removed: [Element] = []
    /// The keys whose values differ.
    public internal(set) var updated: [(key: Key, old: Value, new: Value)] = []
    /// How many nodes and elements were looked at: what the dictionaries share is skipped.
    public internal(set) var visited = 0

    /// Whether the dictionaries are equal.
    public var isEmpty: Bool { inserted.isEmpty && removed.isEmpty && updated.isEmpty }
  }

  /// What was inserted, removed and updated since another version of this dictionary.
  ///
  /// - Parameters:
  ///   - old: The other version; any dictionary will do, but sharing makes it fast.
  ///   - areEquivalent: Whether two values count as the same.
  /// - Returns: The changes, each list in the dictionary's order.
  /// - Complexity: O(*d*) in the parts that the two do not share: for versions a few changes apart that is a few nodes for each
  ///   change, however large the dictionaries are.
  @inlinable
  public func changes(from old: Self, by areEquivalent: (Value, Value) -> Bool) -> Changes {
    let difference = TreeDifference(
      from: old.root, to: root, keys: { Leaf($0).has(Leaf($1).key) },
      values: { areEquivalent(Leaf($0).value.pointee, Leaf($1).value.pointee) })
    return withExtendedLifetime((old, self)) { Changes(difference) }
  }
}

extension TreeDictionary where Value: Equatable {
  /// What was inserted, removed and updated since another version of this dictionary.
  ///
  /// - Parameter old: The other version; any dictionary will do, but sharing makes it fast.
  /// - Returns: The changes, each list in the dictionary's order.
  /// - Complexity: As ``changes(from:by:)``.
  @inlinable
  public func changes(from old: Self) -> Changes { changes(from: old, by: ==) }
}

extension TreeDictionary.Changes {
  @usableFromInline
  init(_ difference: TreeDifference) {
    typealias Leaf = TreeLeafAccess<Key, Value>
    inserted = difference.inserted.map { (Leaf($0).key, Leaf($0).value.pointee) }
    removed = difference.removed.map { (Leaf($0).key, Leaf($0).value.pointee) }
    updated = difference.updated.map { (Leaf($0.old).key, Leaf($0.old).value.pointee, Leaf($0.new).value.pointee) }
    visited = difference.visited
  }
}

extension TreeDictionary.Changes: Sendable where Key: Sendable, Value: Sendable {}
