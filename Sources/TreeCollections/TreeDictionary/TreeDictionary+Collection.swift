extension TreeDictionary: Collection {
  /// A place in a dictionary.
  ///
  /// It names a key by its hash. So it holds in every version of a dictionary that has the key, and traps in one
  /// that does not.
  @frozen
  public struct Index: Hashable, Sendable {
    @usableFromInline let hash: UInt
    /// The place among keys with equal hashes; negative behind the last key.
    @usableFromInline let offset: Int

    @inlinable
    init(hash: UInt, offset: Int) {
      self.hash = hash
      self.offset = offset
    }
  }

  /// The place of the first element, or ``endIndex`` if there is none.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var startIndex: Index { index(0, skipping: 0) }

  /// The place behind the last element.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var endIndex: Index { Index(hash: .max, offset: -1) }

  /// The place of the next element.
  ///
  /// - Precondition: `index` is not ``endIndex``.
  /// - Complexity: O(1), but several times slower than a step of an iterator.
  @inlinable
  public func index(after index: Index) -> Index {
    precondition(index.offset >= 0, "there is no element behind the last one")
    return self.index(index.hash, skipping: index.offset + 1)
  }

  /// How many elements there are from one place to another behind it.
  ///
  /// What counts a collection without knowing that it is a dictionary asks for this: so does `count` in a file that does not
  /// import this module.
  ///
  /// - Parameters:
  ///   - start: The first place.
  ///   - end: The place behind the last one; not before `start`.
  /// - Complexity: O(1) for all elements, O(*n*) otherwise.
  @inlinable
  public func distance(from start: Index, to end: Index) -> Int {
    if end == endIndex, start == startIndex { return count }
    precondition(start <= end, "a dictionary is walked forward only")
    var (place, steps) = (start, 0)
    while place != end {
      place = index(after: place)
      steps += 1
    }
    return steps
  }

  /// The element at a place.
  ///
  /// - Precondition: The dictionary has the key that the place names.
  /// - Complexity: O(1).
  @inlinable
  public subscript(position: Index) -> Element {
    let leaf = leaf(at: position)
    return (leaf.key, leaf.value.pointee)
  }

  /// The place of a key.
  ///
  /// - Returns: The place, or `nil` if there is no such key.
  /// - Complexity: O(1).
  @inlinable
  public func index(forKey key: Key) -> Index? {
    let hash = Self.hash(key)
    return place(key, hash).map { Index(hash: hash, offset: $0.offset) }
  }

  /// Removes the element at a place.
  ///
  /// - Returns: The element.
  /// - Precondition: The dictionary has the key that the place names.
  /// - Complexity: As ``updateValue(_:forKey:)``.
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
    precondition(index.offset >= 0, "there is no element behind the last one")
    let candidates = TreeNode.find(root, index.hash)
    precondition(index.offset < candidates.count, "the index is of another dictionary")
    let leaf = Leaf(candidates.slots.unsafelyUnwrapped[index.offset])
    // A leaf that is alone in its bucket need not have the hash.
    precondition(Self.hash(leaf.key) == index.hash, "the index is of another dictionary")
    return leaf
  }
}

extension TreeDictionary.Index: Comparable {
  /// Whether a place comes before another one.
  ///
  /// - Complexity: O(1).
  @inlinable
  public static func < (left: Self, right: Self) -> Bool {
    if left.offset < 0 || right.offset < 0 { return left.offset >= 0 && right.offset < 0 }
    return left.hash == right.hash ? left.offset < right.offset : left.hash < right.hash
  }
}
