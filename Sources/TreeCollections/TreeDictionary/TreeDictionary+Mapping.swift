extension TreeDictionary {
  /// The elements that fulfil a condition, as a dictionary.
  ///
  /// Parts of the tree in which all do are shared with this dictionary.
  ///
  /// - Throws: What `isIncluded` throws.
  /// - Complexity: O(*n*).
  @inlinable
  public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> Self {
    var kept = 0
    let root = try TreeNode.compactMap(root) { slot in
      let leaf = Leaf(slot)
      guard try isIncluded((leaf.key, leaf.value.pointee)) else { return nil }
      kept += 1
      TreeReference.retain(slot)
      return slot
    }
    return Self(root: root, count: kept)
  }

  /// The same keys with other values.
  ///
  /// - Parameter transform: Returns the new value of a key for its value.
  /// - Throws: What `transform` throws.
  /// - Complexity: O(*n*), without hashing a key.
  @inlinable
  public func mapValues<NewValue>(
    _ transform: (Value) throws -> NewValue
  ) rethrows -> TreeDictionary<Key, NewValue> {
    let root = try TreeNode.compactMap(root) { slot in
      let leaf = Leaf(slot)
      return TreeLeafAccess<Key, NewValue>.make(leaf.key, try transform(leaf.value.pointee))
    }
    return TreeDictionary<Key, NewValue>(root: root, count: count)
  }

  /// The keys for whose values a closure returns a value.
  ///
  /// - Parameter transform: Returns the new value of a key for its value, or `nil` to leave it out.
  /// - Throws: What `transform` throws.
  /// - Complexity: O(*n*), without hashing a key.
  @inlinable
  public func compactMapValues<NewValue>(
    _ transform: (Value) throws -> NewValue?
  ) rethrows -> TreeDictionary<Key, NewValue> {
    var kept = 0
    let root = try TreeNode.compactMap(root) { slot in
      let leaf = Leaf(slot)
      guard let value = try transform(leaf.value.pointee) else { return nil }
      kept += 1
      return TreeLeafAccess<Key, NewValue>.make(leaf.key, value)
    }
    return TreeDictionary<Key, NewValue>(root: root, count: kept)
  }
}
