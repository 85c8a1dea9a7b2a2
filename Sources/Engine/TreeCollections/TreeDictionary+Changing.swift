extension TreeDictionary {
  /// The value of a key.
  ///
  /// Setting `nil` removes the key. A value is modified in place if no other dictionary shares it, so
  /// `dictionary[key]?.append(1)` does not copy the array.
  ///
  /// - Returns: The value, or `nil` if there is no such key.
  /// - Complexity: O(1) to read. A modification costs as much as ``updateValue(_:forKey:)``.
  @inlinable
  public subscript(key: Key) -> Value? {
    get { leaf(key)?.value.pointee }
    set {
      if let newValue {
        set(newValue, key)
      } else {
        removeValue(forKey: key)
      }
    }
    _modify {
      let hash = Self.hash(key)
      guard place(key, hash) != nil, case .found(let slot) = uniqueSlot(key, hash) else {
        var value: Value?
        defer { if let value { set(value, key) } }
        yield &value
        return
      }
      // No other code can access the leaf while its value is moved out: it is unique, and `self` is under exclusive access.
      let leaf = Self.uniqueLeaf(slot)
      var value: Value? = leaf.take()
      defer {
        if let value {
          leaf.putBack(value)
        } else {
          removeValue(forKey: key)
        }
      }
      yield &value
    }
  }

  /// The value of a key, or a default value.
  ///
  /// Modifying a missing key inserts the default first: `counts[word, default: 0] += 1`.
  @inlinable
  public subscript(key: Key, default defaultValue: @autoclosure () -> Value) -> Value {
    get { leaf(key)?.value.pointee ?? defaultValue() }
    _modify {
      let hash = Self.hash(key)
      let leaf: Leaf
      switch uniqueSlot(key, hash) {
      case .found(let slot): leaf = Self.uniqueLeaf(slot)
      case .missing(let other): leaf = insert(key, defaultValue(), hash, besides: other)
      }
      // The leaf is unique and in the tree, which is under exclusive access.
      yield &leaf.value.pointee
    }
  }
}

extension TreeDictionary {
  /// The result of looking up a key for writing.
  @frozen
  @usableFromInline
  enum Slot {
    /// The slot of the key's leaf. The slot is writable; the leaf may be shared.
    case found(UnsafeMutablePointer<TreeSlot>)
    /// The key is missing; `other` is the hash of the leaf in its bucket, if any.
    case missing(other: UInt)
  }

  /// Finds the slot of a key, and copies the shared nodes on the path to it.
  @inlinable
  @inline(__always)
  mutating func uniqueSlot(_ key: Key, _ hash: UInt) -> Slot {
    let candidates = TreeNode.findUnique(&root, hash)
    for index in 0..<candidates.count {
      let slot = candidates.slots.unsafelyUnwrapped + index
      if Leaf(slot.pointee).has(key) { return .found(slot) }
    }
    // Inserting the key moves the leaf in its bucket down, which needs that leaf's hash.
    guard let slots = candidates.slots else { return .missing(other: 0) }
    return .missing(other: Self.hash(Leaf(slots.pointee).key))
  }

  /// Returns the leaf in a writable slot, after replacing it with a copy if it is shared.
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
  /// An existing key is kept, even if the given key is equal to it but distinguishable from it.
  ///
  /// - Returns: The previous value, or `nil` if the key is new.
  /// - Complexity: O(1) if the dictionary shares no nodes; otherwise one node is copied at each of O(log *n*) levels. As for every O(1)
  ///   in this type, this assumes that hashes differ.
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
  /// - Returns: The value, or `nil` if there is no such key, in which case nothing is copied.
  @inlinable
  @discardableResult
  public mutating func removeValue(forKey key: Key) -> Value? {
    let hash = Self.hash(key)
    guard let place = place(key, hash) else { return nil }
    return remove(hash, place.offset).value
  }

  @inlinable
  mutating func remove(_ hash: UInt, _ offset: Int) -> Element {
    guard let object = TreeNode.remove(&root, hash, at: offset) else {
      preconditionFailure("the index is invalid for this dictionary")
    }
    elements -= 1
    let leaf = Leaf(object)
    defer { TreeReference.release(object) }
    return (leaf.key, leaf.value.pointee)
  }

  /// Removes all elements.
  ///
  /// - Parameter keepCapacity: Ignored: a tree has no reserved capacity. The parameter exists for compatibility with `Dictionary`.
  /// - Complexity: O(*n*) in the nodes that no other dictionary shares.
  @inlinable
  public mutating func removeAll(keepingCapacity keepCapacity: Bool = false) {
    self = Self()
  }

  /// Removes the first element in the dictionary's order.
  ///
  /// - Returns: The element, or `nil` if the dictionary is empty.
  @inlinable
  public mutating func popFirst() -> Element? {
    guard let found = TreeNode.firstLeaf(root, from: 0, skipping: 0) else { return nil }
    return remove(Self.hash(Leaf(found.leaf).key), found.offset)
  }
}
