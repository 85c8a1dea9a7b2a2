extension DirectWriter {
  /// Appends a dictionary, or a collection that is coded like one: an object with sorted members if its keys are
  /// strings or integers, otherwise an array of alternating keys and values, with sorted pairs.
  ///
  /// - Complexity: O(size), plus O(*m* log *m*) for *m* members that are not in order.
  @inlinable
  public mutating func members<Key: DirectCodable, Value: DirectCodable>(
    of collection: some Sequence<(key: Key, value: Value)>
  ) {
    let isObject = Key.self == String.self || Key.self == Int.self
    guard isObject || !(Key.self is any CodingKeyRepresentable.Type) else { return decline() }
    guard enter() else { return }
    if isObject { literal("{") } else { literal("[") }
    var parts = DirectParts(start: count, areNamed: isObject, count: collection.underestimatedCount)
    for (key, value) in collection {
      parts.begin(&self)
      if isObject {
        name(key)
        parts.endCompared(self)
        literal(":")
      } else {
        key.write(directly: &self)
        literal(",")
      }
      value.write(directly: &self)
      if !isObject { parts.endCompared(self) }
    }
    parts.sort(&self)
    if isObject { literal("}") } else { literal("]") }
    leave()
  }

  /// Appends a key as the name of a member.
  @inlinable @inline(__always)
  mutating func name<Key: DirectCodable>(_ key: Key) {
    if Key.self == String.self { return key.write(directly: &self) }
    literal("\"")
    key.write(directly: &self)
    literal("\"")
  }
}

extension DirectReader {
  /// Reads the output of ``DirectWriter/members(of:)``.
  ///
  /// - Parameter insert: Adds a member, and returns whether its key is new.
  @inlinable
  public mutating func members<Key: DirectCodable, Value: DirectCodable>(
    _ insert: (Key, Value) -> Bool
  ) throws(DirectMismatch) {
    let isObject = Key.self == String.self || Key.self == Int.self
    guard isObject || !(Key.self is any CodingKeyRepresentable.Type) else { throw DirectMismatch() }
    try enter()
    if isObject { try literal("{") } else { try literal("[") }
    if !(isObject ? accept("}") : accept("]")) {
      repeat {
        let key: Key
        if isObject {
          key = try name()
          try literal(":")
        } else {
          key = try Key(directly: &self)
          try literal(",")
        }
        guard insert(key, try Value(directly: &self)) else { throw DirectMismatch() }
      } while accept(",")
      if isObject { try literal("}") } else { try literal("]") }
    }
    leave()
  }

  /// Reads the name of a member as a key.
  @inlinable @inline(__always)
  mutating func name<Key: DirectCodable>() throws(DirectMismatch) -> Key {
    if Key.self == String.self { return try Key(directly: &self) }
    try literal("\"")
    let key = try Key(directly: &self)
    try literal("\"")
    return key
  }
}
