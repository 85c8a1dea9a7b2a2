extension TreeDictionary {
  /// Merges the elements of a sequence into this dictionary.
  ///
  /// - Parameters:
  ///   - other: The elements.
  ///   - combine: Combines the current value and the new one if a key is in both. If it throws, the preceding elements have
  ///     been merged.
  @inlinable
  public mutating func merge(
    _ other: some Sequence<(Key, Value)>, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    for (key, value) in other { try merge(key, value, combine) }
  }

  /// Merges the elements of a dictionary, of either type, into this one.
  @inlinable
  public mutating func merge(
    _ other: some Sequence<Element>, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    for (key, value) in other { try merge(key, value, combine) }
  }

  /// Returns this dictionary merged with the elements of a sequence.
  @inlinable
  public func merging(
    _ other: some Sequence<(Key, Value)>, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows -> Self {
    var result = self
    try result.merge(other, uniquingKeysWith: combine)
    return result
  }

  /// Returns this dictionary merged with the elements of a dictionary of either type.
  @inlinable
  public func merging(
    _ other: some Sequence<Element>, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows -> Self {
    var result = self
    try result.merge(other, uniquingKeysWith: combine)
    return result
  }

  @inlinable
  mutating func merge(_ key: Key, _ value: Value, _ combine: (Value, Value) throws -> Value) rethrows {
    let hash = Self.hash(key)
    if let place = place(key, hash) {
      set(try combine(place.leaf.value.pointee, value), key)
    } else {
      set(value, key)
    }
  }
}

extension TreeDictionary {
  /// Returns a dictionary with the elements that satisfy a predicate.
  ///
  /// Subtrees whose elements all satisfy it are shared with this dictionary.
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

  /// Returns a dictionary with the same keys and transformed values.
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

  /// Returns a dictionary with the non-`nil` results of transforming each value.
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
