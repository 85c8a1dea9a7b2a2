extension TreeDictionary: Collection {
  /// A position in a dictionary.
  ///
  /// An index identifies a key by its hash. It is valid in every version of the dictionary that has the key, and traps in one that
  /// does not.
  @frozen
  public struct Index: Hashable, Sendable {
    @usableFromInline let hash: UInt
    /// The offset among keys with equal hashes; negative for the end index.
    @usableFromInline let offset: Int

    @inlinable
    init(hash: UInt, offset: Int) {
      self.hash = hash
      self.offset = offset
    }
  }

  /// The position of the first element, or ``endIndex`` if the dictionary is empty.
  @inlinable
  public var startIndex: Index { index(0, skipping: 0) }

  /// The position past the last element.
  @inlinable
  public var endIndex: Index { Index(hash: .max, offset: -1) }

  /// Returns the position of the next element.
  ///
  /// - Precondition: `index` is not ``endIndex``.
  /// - Complexity: O(log *n*), several times slower than a step of an iterator.
  @inlinable
  public func index(after index: Index) -> Index {
    precondition(index.offset >= 0, "the index is the end index")
    return self.index(index.hash, skipping: index.offset + 1)
  }

  /// Returns the number of elements between two positions.
  ///
  /// Generic code calls this to count a collection, as does `count` in a file that does not import this module.
  @inlinable
  public func distance(from start: Index, to end: Index) -> Int {
    if end == endIndex, start == startIndex { return count }
    precondition(start <= end, "the start index is after the end index")
    var (position, steps) = (start, 0)
    while position != end {
      position = index(after: position)
      steps += 1
    }
    return steps
  }

  /// The element at a position.
  ///
  /// - Precondition: The dictionary contains the key of the index.
  @inlinable
  public subscript(position: Index) -> Element {
    let leaf = leaf(at: position)
    return (leaf.key, leaf.value.pointee)
  }

  /// Returns the position of a key.
  ///
  /// - Returns: The position, or `nil` if there is no such key.
  @inlinable
  public func index(forKey key: Key) -> Index? {
    let hash = Self.hash(key)
    return place(key, hash).map { Index(hash: hash, offset: $0.offset) }
  }

  /// Removes the element at a position.
  ///
  /// - Returns: The removed element.
  /// - Precondition: The dictionary contains the key of the index.
  @inlinable
  @discardableResult
  public mutating func remove(at index: Index) -> Element {
    _ = leaf(at: index)
    return remove(index.hash, index.offset)
  }

  @inlinable
  func index(_ hash: UInt, skipping offset: Int) -> Index {
    guard let found = TreeNode.firstLeaf(root, from: hash, skipping: offset) else { return endIndex }
    return Index(hash: Self.hash(Leaf(found.leaf).key), offset: found.offset)
  }

  @inlinable
  func leaf(at index: Index) -> Leaf {
    precondition(index.offset >= 0, "the index is the end index")
    let candidates = TreeNode.find(root, index.hash)
    precondition(index.offset < candidates.count, "the index is invalid for this dictionary")
    let leaf = Leaf(candidates.slots.unsafelyUnwrapped[index.offset])
    // A single leaf in a bucket may have another hash.
    precondition(Self.hash(leaf.key) == index.hash, "the index is invalid for this dictionary")
    return leaf
  }
}

extension TreeDictionary.Index: Comparable {
  /// Whether a position precedes another one.
  @inlinable
  public static func < (left: Self, right: Self) -> Bool {
    if left.offset < 0 || right.offset < 0 { return left.offset >= 0 && right.offset < 0 }
    return left.hash == right.hash ? left.offset < right.offset : left.hash < right.hash
  }
}

extension TreeDictionary: Sequence {
  /// An iterator over the elements.
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

    /// Returns the next element.
    @inlinable
    public mutating func next() -> Element? {
      guard let slot = cursor.advance() else { return nil }
      let leaf = Leaf(slot)
      return (leaf.key, leaf.value.pointee)
    }
  }

  /// Returns an iterator over the elements. Later changes to the dictionary do not affect it.
  @inlinable
  public func makeIterator() -> Iterator { Iterator(root) }

  /// The number of elements.
  @inlinable
  public var underestimatedCount: Int { count }
}

// An iterator only reads; see `TreeDictionary`.
extension TreeDictionary.Iterator: @unchecked Sendable where Key: Sendable, Value: Sendable {}

extension TreeDictionary {
  /// A collection of a dictionary's keys.
  @frozen
  public struct Keys: Collection {
    @usableFromInline let base: TreeDictionary

    @inlinable
    init(_ base: TreeDictionary) { self.base = base }

    /// The number of keys.
    @inlinable
    public var count: Int { base.count }

    /// Whether the collection is empty.
    @inlinable
    public var isEmpty: Bool { base.isEmpty }

    /// The position of the first key.
    @inlinable
    public var startIndex: Index { base.startIndex }

    /// The position past the last key.
    @inlinable
    public var endIndex: Index { base.endIndex }

    /// Returns the position of the next key.
    @inlinable
    public func index(after index: Index) -> Index { base.index(after: index) }

    /// Returns the number of keys between two positions.
    @inlinable
    public func distance(from start: Index, to end: Index) -> Int { base.distance(from: start, to: end) }

    /// The key at a position.
    @inlinable
    public subscript(position: Index) -> Key { base.leaf(at: position).key }

    /// Whether the dictionary contains a key.
    @inlinable
    public func contains(_ key: Key) -> Bool { base.leaf(key) != nil }

    /// Returns an iterator over the keys.
    @inlinable
    public func makeIterator() -> Iterator { Iterator(base.makeIterator()) }
  }

  /// The keys, in the dictionary's order.
  @inlinable
  public var keys: Keys { Keys(self) }
}

extension TreeDictionary.Keys {
  /// An iterator over the keys.
  @frozen
  public struct Iterator: IteratorProtocol {
    @usableFromInline var base: TreeDictionary.Iterator

    @inlinable
    init(_ base: TreeDictionary.Iterator) { self.base = base }

    /// Returns the next key.
    @inlinable
    public mutating func next() -> Key? {
      base.cursor.advance().map { TreeDictionary.Leaf($0).key }
    }
  }
}

extension TreeDictionary.Keys: Equatable {
  /// Whether two collections contain the same keys.
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

extension TreeDictionary {
  /// A collection of a dictionary's values.
  @frozen
  public struct Values: Collection {
    @usableFromInline let base: TreeDictionary

    @inlinable
    init(_ base: TreeDictionary) { self.base = base }

    /// The number of values.
    @inlinable
    public var count: Int { base.count }

    /// Whether the collection is empty.
    @inlinable
    public var isEmpty: Bool { base.isEmpty }

    /// The position of the first value.
    @inlinable
    public var startIndex: Index { base.startIndex }

    /// The position past the last value.
    @inlinable
    public var endIndex: Index { base.endIndex }

    /// Returns the position of the next value.
    @inlinable
    public func index(after index: Index) -> Index { base.index(after: index) }

    /// Returns the number of values between two positions.
    @inlinable
    public func distance(from start: Index, to end: Index) -> Int { base.distance(from: start, to: end) }

    /// The value at a position.
    @inlinable
    public subscript(position: Index) -> Value { base.leaf(at: position).value.pointee }

    /// Returns an iterator over the values.
    @inlinable
    public func makeIterator() -> Iterator { Iterator(base.makeIterator()) }
  }

  /// The values, in the order of their keys in the dictionary.
  @inlinable
  public var values: Values { Values(self) }
}

extension TreeDictionary.Values {
  /// An iterator over the values.
  @frozen
  public struct Iterator: IteratorProtocol {
    @usableFromInline var base: TreeDictionary.Iterator

    @inlinable
    init(_ base: TreeDictionary.Iterator) { self.base = base }

    /// Returns the next value.
    @inlinable
    public mutating func next() -> Value? {
      base.cursor.advance().map { TreeDictionary.Leaf($0).value.pointee }
    }
  }
}

extension TreeDictionary.Values: Sendable where Key: Sendable, Value: Sendable {}
extension TreeDictionary.Values.Iterator: Sendable where Key: Sendable, Value: Sendable {}
