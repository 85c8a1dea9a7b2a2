extension TreeDictionary {
  /// The values of a dictionary.
  @frozen
  public struct Values: Collection {
    @usableFromInline let base: TreeDictionary

    @inlinable
    init(_ base: TreeDictionary) { self.base = base }

    /// The number of values.
    ///
    /// - Complexity: O(1).
    @inlinable
    public var count: Int { base.count }

    /// Whether there are none.
    @inlinable
    public var isEmpty: Bool { base.isEmpty }

    /// The place of the first value.
    @inlinable
    public var startIndex: Index { base.startIndex }

    /// The place behind the last value.
    @inlinable
    public var endIndex: Index { base.endIndex }

    /// The place of the next value.
    @inlinable
    public func index(after index: Index) -> Index { base.index(after: index) }

    /// How many values there are from one place to another behind it.
    ///
    /// - Parameters:
    ///   - start: The first place.
    ///   - end: The place behind the last one; not before `start`.
    /// - Complexity: O(1) for all values, O(*n*) otherwise.
    @inlinable
    public func distance(from start: Index, to end: Index) -> Int { base.distance(from: start, to: end) }

    /// The value at a place.
    @inlinable
    public subscript(position: Index) -> Value { base.leaf(at: position).value.pointee }

    /// Begins a walk over the values.
    @inlinable
    public func makeIterator() -> Iterator { Iterator(base.makeIterator()) }
  }

  /// The values, in the order of their keys in the dictionary.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var values: Values { Values(self) }
}

extension TreeDictionary.Values {
  /// A walk over the values.
  @frozen
  public struct Iterator: IteratorProtocol {
    @usableFromInline var base: TreeDictionary.Iterator

    @inlinable
    init(_ base: TreeDictionary.Iterator) { self.base = base }

    /// The next value.
    ///
    /// - Returns: The value, or `nil` after the last one.
    @inlinable
    public mutating func next() -> Value? {
      base.cursor.advance().map { TreeDictionary.Leaf($0).value.pointee }
    }
  }
}

extension TreeDictionary.Values: Sendable where Key: Sendable, Value: Sendable {}
extension TreeDictionary.Values.Iterator: Sendable where Key: Sendable, Value: Sendable {}
