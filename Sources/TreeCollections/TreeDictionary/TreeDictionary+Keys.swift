extension TreeDictionary {
  /// The keys of a dictionary.
  @frozen
  public struct Keys: Collection {
    @usableFromInline let base: TreeDictionary

    @inlinable
    init(_ base: TreeDictionary) { self.base = base }

    /// The number of keys.
    ///
    /// - Complexity: O(1).
    @inlinable
    public var count: Int { base.count }

    /// Whether there are none.
    @inlinable
    public var isEmpty: Bool { base.isEmpty }

    /// The place of the first key.
    @inlinable
    public var startIndex: Index { base.startIndex }

    /// The place behind the last key.
    @inlinable
    public var endIndex: Index { base.endIndex }

    /// The place of the next key.
    @inlinable
    public func index(after index: Index) -> Index { base.index(after: index) }

    /// How many keys there are from one place to another behind it.
    ///
    /// - Parameters:
    ///   - start: The first place.
    ///   - end: The place behind the last one; not before `start`.
    /// - Complexity: O(1) for all keys, O(*n*) otherwise.
    @inlinable
    public func distance(from start: Index, to end: Index) -> Int { base.distance(from: start, to: end) }

    /// The key at a place.
    @inlinable
    public subscript(position: Index) -> Key { base.leaf(at: position).key }

    /// Whether a key is there.
    ///
    /// - Complexity: O(1).
    @inlinable
    public func contains(_ key: Key) -> Bool { base.leaf(key) != nil }

    /// Begins a walk over the keys.
    @inlinable
    public func makeIterator() -> Iterator { Iterator(base.makeIterator()) }
  }

  /// The keys, in the dictionary's order.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var keys: Keys { Keys(self) }
}

extension TreeDictionary.Keys {
  /// A walk over the keys.
  @frozen
  public struct Iterator: IteratorProtocol {
    @usableFromInline var base: TreeDictionary.Iterator

    @inlinable
    init(_ base: TreeDictionary.Iterator) { self.base = base }

    /// The next key.
    ///
    /// - Returns: The key, or `nil` after the last one.
    @inlinable
    public mutating func next() -> Key? {
      base.cursor.advance().map { TreeDictionary.Leaf($0).key }
    }
  }
}

extension TreeDictionary.Keys: Equatable {
  /// Whether both have the same keys.
  ///
  /// - Complexity: O(1) for copies of one dictionary, O(*n*) otherwise.
  @inlinable
  public static func == (left: Self, right: Self) -> Bool {
    if left.base.isTriviallyIdentical(to: right.base) { return true }
    guard left.count == right.count else { return false }
    return left.allSatisfy { right.contains($0) }
  }
}

extension TreeDictionary.Keys: Sendable where Key: Sendable, Value: Sendable {}
extension TreeDictionary.Keys.Iterator: Sendable where Key: Sendable, Value: Sendable {}
