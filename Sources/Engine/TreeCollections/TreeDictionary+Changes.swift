extension TreeDictionary {
  /// The differences between two dictionaries.
  public struct Changes {
    /// The elements whose keys only the new dictionary has.
    public internal(set) var inserted: [Element] = []
    /// The elements whose keys only the old dictionary has.
    public internal(set) var removed: [Element] = []
    /// The keys whose values differ.
    public internal(set) var updated: [(key: Key, old: Value, new: Value)] = []
    /// The number of nodes and elements inspected. Shared nodes are skipped and not counted.
    package internal(set) var visited = 0

    /// Whether the dictionaries are equal.
    public var isEmpty: Bool { inserted.isEmpty && removed.isEmpty && updated.isEmpty }
  }

  /// Returns the elements that were inserted, removed and updated since another version of this dictionary.
  ///
  /// - Parameters:
  ///   - old: The other version. Any dictionary is allowed, but only shared nodes make the comparison fast.
  ///   - areEquivalent: Whether two values count as the same.
  /// - Returns: The changes, each list in the dictionary's order.
  /// - Complexity: O(*d*), where *d* is the number of nodes that the two do not share: a few for each change, regardless of the size
  ///   of the dictionaries.
  @inlinable
  public func changes(from old: Self, by areEquivalent: (Value, Value) -> Bool) -> Changes {
    let difference = TreeDifference(
      from: old.root, to: root, keys: { Leaf($0).has(Leaf($1).key) },
      values: { areEquivalent(Leaf($0).value.pointee, Leaf($1).value.pointee) })
    return withExtendedLifetime((old, self)) { Changes(difference) }
  }
}

extension TreeDictionary where Value: Equatable {
  /// Returns the elements that were inserted, removed and updated since another version of this dictionary.
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

/// A filter that limits which elements of each dictionary are encoded.
///
/// Set it in the encoder's `userInfo` under ``Swift/CodingUserInfoKey/treeParts``, for instance to encode only the elements that two
/// versions of a value do not share. The cost of encoding is then proportional to the selected elements.
package protocol TreeParts: Sendable {
  /// Returns the elements of a dictionary to encode in its place, or the dictionary itself to encode all of them.
  func part<Key, Value>(
    of dictionary: TreeDictionary<Key, Value>, at path: [any CodingKey]
  ) -> TreeDictionary<Key, Value>
}

extension CodingUserInfoKey {
  /// The key of a ``TreeParts`` value.
  package static let treeParts = CodingUserInfoKey(rawValue: "TreeCollections.parts")!
}

extension TreeDictionary {
  @usableFromInline
  func part(for encoder: any Encoder) -> Self {
    let information = encoder.userInfo
    guard !information.isEmpty, let parts = information[.treeParts] as? any TreeParts else { return self }
    return parts.part(of: self, at: encoder.codingPath)
  }

  /// Calls a closure with the stored key and a pointer to its value, which is valid until the closure returns.
  ///
  /// The address of a value stays the same, also in later versions of the dictionary, until the value is modified.
  package func withPlace(of key: Key, _ body: (_ key: Key, _ value: UnsafePointer<Value>) throws -> Void) rethrows {
    guard let leaf = leaf(key) else { return }
    try withExtendedLifetime(self) { try body(leaf.key, UnsafePointer(leaf.value)) }
  }

  /// Returns the elements that two versions of a dictionary do not share, including equal elements.
  ///
  /// - Parameter other: The other version. Any dictionary is allowed, but only shared nodes make the comparison fast.
  /// - Returns: The unshared elements of this dictionary and of the other one, and the number of nodes and elements inspected.
  package func unshared(with other: Self) -> (mine: Self, theirs: Self, visited: Int) {
    withExtendedLifetime((self, other)) {
      // Treats all values as different, so that none are compared.
      let difference = TreeDifference(
        from: other.root, to: root, keys: { Leaf($0).has(Leaf($1).key) }, values: { _, _ in false })
      return (
        mine: Self.copying(difference.inserted + difference.updated.map(\.new)),
        theirs: Self.copying(difference.removed + difference.updated.map(\.old)),
        visited: difference.visited
      )
    }
  }

  /// Calls a closure with the key of each element that two versions of a dictionary do not share, unless key and value have the same
  /// bytes in memory, so that they are equal.
  ///
  /// - Parameter other: The other version. Any dictionary is allowed, but only shared nodes make the comparison fast.
  package func forEachKey(notSharedWith other: Self, _ body: (Key) -> Void) {
    withExtendedLifetime((self, other)) {
      let difference = TreeDifference(
        from: other.root, to: root, keys: { Leaf($0).has(Leaf($1).key) },
        values: { Self.isSame(Leaf($0).key, Leaf($1).key) && Self.isSame(Leaf($0).value, Leaf($1).value) })
      for leaf in difference.inserted { body(Leaf(leaf).key) }
      for leaf in difference.removed { body(Leaf(leaf).key) }
      for (old, new) in difference.updated {
        body(Leaf(new).key)
        // Equal keys can have different texts.
        if !Self.isSame(Leaf(old).key, Leaf(new).key) { body(Leaf(old).key) }
      }
    }
  }

  private static func isSame(_ one: Key, _ other: Key) -> Bool {
    withUnsafePointer(to: one) { one in withUnsafePointer(to: other) { other in isSame(one, other) } }
  }

  private static func isSame<Part>(_ one: UnsafePointer<Part>, _ other: UnsafePointer<Part>) -> Bool {
    let size = MemoryLayout<Part>.size
    return UnsafeRawBufferPointer(start: one, count: size)
      .elementsEqual(UnsafeRawBufferPointer(start: other, count: size))
  }

  private static func copying(_ leaves: [TreeSlot]) -> Self {
    Self(uniqueKeysWithValues: leaves.lazy.map { leaf in (Leaf(leaf).key, Leaf(leaf).value.pointee) })
  }
}
