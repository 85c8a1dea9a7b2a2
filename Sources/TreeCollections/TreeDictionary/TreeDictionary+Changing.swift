extension TreeDictionary {
  /// Where a key's leaf is, or what is in its way.
  @frozen
  @usableFromInline
  enum Slot {
    /// The slot may be written; the leaf in it need not be unique.
    case found(UnsafeMutablePointer<TreeSlot>)
    /// There is no such key.
    case missing(other: UInt)
  }

  /// Finds the slot of a key and copies the nodes above it that are shared.
  @inlinable
  @inline(__always)
  mutating func uniqueSlot(_ key: Key, _ hash: UInt) -> Slot {
    let candidates = TreeNode.findUnique(&root, hash)
    for index in 0..<candidates.count {
      let slot = candidates.slots.unsafelyUnwrapped + index
      if Leaf(slot.pointee).has(key) { return .found(slot) }
    }
    // A leaf in the way is moved down by the digits of its own hash.
    guard let slots = candidates.slots else { return .missing(other: 0) }
    return .missing(other: Self.hash(Leaf(slots.pointee).key))
  }

  /// The leaf in a slot that may be written, replaced by a copy unless nothing else refers to it.
  @inlinable
  @inline(__always)
  static func uniqueLeaf(_ slot: UnsafeMutablePointer<TreeSlot>) -> Leaf {
    let leaf = Leaf(slot.pointee)
    if TreeReference.isUnique(slot, TreeLeaf<Key, Value>.self) { return leaf }
    let copy = Leaf.make(leaf.key, leaf.value.pointee)
    TreeReference.release(slot.pointee)
    slot.pointee = copy
    return Leaf(copy)
  }

  @inlinable
  mutating func insert(_ key: Key, _ value: Value, _ hash: UInt, besides other: UInt) -> Leaf {
    let leaf = Leaf.make(key, value)
    TreeNode.insert(&root, leaf, hash, besides: other)
    elements += 1
    return Leaf(leaf)
  }

  /// Sets the value of a key.
  @inlinable
  mutating func set(_ value: Value, _ key: Key) {
    let hash = Self.hash(key)
    switch uniqueSlot(key, hash) {
    case .found(let slot):
      let leaf = Leaf(slot.pointee)
      if TreeReference.isUnique(slot, TreeLeaf<Key, Value>.self) {
        leaf.value.pointee = value
      } else {
        slot.pointee = Leaf.make(leaf.key, value)
        TreeReference.release(leaf.object)
      }
    case .missing(let other):
      _ = insert(key, value, hash, besides: other)
    }
  }

  /// Sets the value of a key.
  ///
  /// The key that is there stays, even if the given one can be told from it.
  ///
  /// - Returns: The value that is replaced, or `nil` if the key is new.
  /// - Complexity: O(1), and if the dictionary shares nodes with another, the copying of one node at each of a few levels; as for
  ///   all that is O(1) here, as long as hashes differ.
  @inlinable
  @discardableResult
  public mutating func updateValue(_ value: Value, forKey key: Key) -> Value? {
    let hash = Self.hash(key)
    switch uniqueSlot(key, hash) {
    case .found(let slot):
      let leaf = Leaf(slot.pointee)
      let old = leaf.value.pointee
      if TreeReference.isUnique(slot, TreeLeaf<Key, Value>.self) {
        leaf.value.pointee = value
      } else {
        slot.pointee = Leaf.make(leaf.key, value)
        TreeReference.release(leaf.object)
      }
      return old
    case .missing(let other):
      _ = insert(key, value, hash, besides: other)
      return nil
    }
  }

  /// Removes a key and its value.
  ///
  /// - Returns: The value, or `nil` if there is no such key; then nothing is copied.
  /// - Complexity: As ``updateValue(_:forKey:)``.
  @inlinable
  @discardableResult
  public mutating func removeValue(forKey key: Key) -> Value? {
    let hash = Self.hash(key)
    guard let place = place(key, hash) else { return nil }
    return remove(hash, place.offset).value
  }

  /// Removes the leaf at a place where there is one.
  @inlinable
  mutating func remove(_ hash: UInt, _ offset: Int) -> Element {
    guard let object = TreeNode.remove(&root, hash, at: offset) else {
      preconditionFailure("the place is empty")
    }
    elements -= 1
    let leaf = Leaf(object)
    defer { TreeReference.release(object) }
    return (leaf.key, leaf.value.pointee)
  }

  /// Removes all elements.
  ///
  /// - Parameter keepCapacity: Without effect: a tree keeps no room. It is here since `Dictionary` has it.
  /// - Complexity: O(*n*) for what no other dictionary shares.
  @inlinable
  public mutating func removeAll(keepingCapacity keepCapacity: Bool = false) {
    self = Self()
  }

  /// Removes the first element in the dictionary's order.
  ///
  /// - Returns: The element, or `nil` if there is none.
  /// - Complexity: As ``updateValue(_:forKey:)``.
  @inlinable
  public mutating func popFirst() -> Element? {
    guard let found = TreeNode.firstLeaf(root, from: 0, skipping: 0) else { return nil }
    return remove(Self.hash(Leaf(found.leaf).key), found.offset)
  }
}
