extension TreeDictionary {
  /// Makes a dictionary of keys that are all different, faster than by inserting one after the other.
  ///
  /// - Parameter keysAndValues: The elements.
  /// - Precondition: No two keys are equal.
  /// - Complexity: O(*n*).
  @inlinable
  public init(uniqueKeysWithValues keysAndValues: some Sequence<(Key, Value)>) {
    var builder = Builder(minimumCapacity: keysAndValues.underestimatedCount)
    for (key, value) in keysAndValues { builder.append(key, value) }
    guard let dictionary = builder.finish() else {
      preconditionFailure("two of the keys are equal")
    }
    self = dictionary
  }

  /// Makes a dictionary of keys of which some may be equal.
  ///
  /// - Parameters:
  ///   - keysAndValues: The elements.
  ///   - combine: Returns what two values of a key make, the earlier one first.
  /// - Throws: What `combine` throws.
  /// - Complexity: O(*n*).
  @inlinable
  public init(
    _ keysAndValues: some Sequence<(Key, Value)>, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    self.init()
    try merge(keysAndValues, uniquingKeysWith: combine)
  }

  /// Makes a dictionary of groups of values.
  ///
  /// - Parameters:
  ///   - values: The values; each group keeps their order.
  ///   - keyForValue: Returns the key of a value's group.
  /// - Throws: What `keyForValue` throws.
  /// - Complexity: O(*n*).
  @inlinable
  public init<Values: Sequence>(
    grouping values: Values, by keyForValue: (Values.Element) throws -> Key
  ) rethrows where Value == [Values.Element] {
    self.init()
    for value in values { try self[keyForValue(value), default: []].append(value) }
  }
}

extension TreeDictionary: ExpressibleByDictionaryLiteral {
  /// Makes a dictionary of a literal.
  ///
  /// - Precondition: No two keys are equal.
  /// - Complexity: O(*n*).
  @inlinable
  public init(dictionaryLiteral elements: (Key, Value)...) {
    self.init(uniqueKeysWithValues: elements)
  }
}

extension Dictionary {
  /// Makes a `Dictionary` of the elements of a ``TreeDictionary``.
  ///
  /// - Complexity: O(*n*).
  @inlinable
  public init(_ elements: TreeDictionary<Key, Value>) {
    self.init(minimumCapacity: elements.count)
    for (key, value) in elements { self[key] = value }
  }
}
