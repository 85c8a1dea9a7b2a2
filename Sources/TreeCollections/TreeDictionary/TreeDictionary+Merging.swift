extension TreeDictionary {
  /// Takes in the elements of a sequence.
  ///
  /// - Parameters:
  ///   - other: The elements.
  ///   - combine: Returns what the value that is there and the new one make, if both have a key.
  /// - Throws: What `combine` throws; then the elements before are taken in.
  /// - Complexity: O(*m*) in the elements of the sequence.
  @inlinable
  public mutating func merge(
    _ other: some Sequence<(Key, Value)>, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    for (key, value) in other { try merge(key, value, combine) }
  }

  /// Takes in the elements of another dictionary.
  ///
  /// - Parameters:
  ///   - other: The dictionary.
  ///   - combine: Returns what the value that is there and the other one make, if both have a key.
  /// - Throws: What `combine` throws; then some elements are taken in.
  /// - Complexity: O(*m*) in the elements of the other one.
  @inlinable
  public mutating func merge(
    _ other: Self, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    for (key, value) in other { try merge(key, value, combine) }
  }

  /// Takes in the elements of a `Dictionary`.
  ///
  /// - Parameters:
  ///   - other: The dictionary.
  ///   - combine: Returns what the value that is there and the other one make, if both have a key.
  /// - Throws: What `combine` throws; then some elements are taken in.
  /// - Complexity: O(*m*) in the elements of the other one.
  @inlinable
  public mutating func merge(
    _ other: [Key: Value], uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    for (key, value) in other { try merge(key, value, combine) }
  }

  /// A dictionary with the elements of a sequence taken in.
  ///
  /// - Parameters:
  ///   - other: The elements.
  ///   - combine: Returns what the value that is there and the other one make, if both have a key.
  /// - Throws: What `combine` throws.
  /// - Complexity: O(*m*) in the elements of the sequence.
  @inlinable
  public func merging(
    _ other: some Sequence<(Key, Value)>, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows -> Self {
    var result = self
    try result.merge(other, uniquingKeysWith: combine)
    return result
  }

  /// A dictionary with the elements of another one taken in.
  ///
  /// - Parameters:
  ///   - other: The elements.
  ///   - combine: Returns what the value that is there and the other one make, if both have a key.
  /// - Throws: What `combine` throws.
  /// - Complexity: O(*m*) in the elements of the other one.
  @inlinable
  public func merging(
    _ other: Self, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows -> Self {
    var result = self
    try result.merge(other, uniquingKeysWith: combine)
    return result
  }

  /// A dictionary with the elements of a `Dictionary` taken in.
  ///
  /// - Parameters:
  ///   - other: The elements.
  ///   - combine: Returns what the value that is there and the other one make, if both have a key.
  /// - Throws: What `combine` throws.
  /// - Complexity: O(*m*) in the elements of the other one.
  @inlinable
  public func merging(
    _ other: [Key: Value], uniquingKeysWith combine: (Value, Value) throws -> Value
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
