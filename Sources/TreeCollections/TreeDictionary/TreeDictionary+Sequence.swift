extension TreeDictionary: Sequence {
  /// A walk over the elements.
  @frozen
  public struct Iterator: IteratorProtocol {
    /// Keeps the tree alive.
    @usableFromInline let root: TreeNode?
    @usableFromInline var cursor: TreeCursor

    @inlinable
    init(_ root: TreeNode?) {
      self.root = root
      cursor = TreeCursor(root)
    }

    /// The next element.
    ///
    /// - Returns: The element, or `nil` after the last one.
    /// - Complexity: O(1) on average.
    @inlinable
    public mutating func next() -> Element? {
      guard let slot = cursor.advance() else { return nil }
      let leaf = Leaf(slot)
      return (leaf.key, leaf.value.pointee)
    }
  }

  /// Begins a walk over the elements, which sees this value whatever happens to the variable that holds it.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func makeIterator() -> Iterator { Iterator(root) }

  /// At least this many elements follow: all of them.
  @inlinable
  public var underestimatedCount: Int { count }
}

// As for the dictionary itself: an iterator only reads.
extension TreeDictionary.Iterator: @unchecked Sendable where Key: Sendable, Value: Sendable {}
