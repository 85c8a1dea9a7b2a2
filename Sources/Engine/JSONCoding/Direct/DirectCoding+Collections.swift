#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension Optional: DirectCodable where Wrapped: DirectCodable {
  /// Writes the value or `null`, as elements of collections are written; a member that is `nil` is left out by its type.
  @inlinable
  public func write(directly writer: inout DirectWriter) {
    if let self { self.write(directly: &writer) } else { writer.literal("null") }
  }

  /// Reads a value or `null`.
  @inlinable
  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = reader.accept("null") ? nil : .some(try Wrapped(directly: &reader))
  }

  /// The wrapped type.
  public static var directShape: DirectShape { DirectShape { [Wrapped.self] } }
}

extension Array: DirectCodable where Element: DirectCodable {
  /// Writes the elements.
  @inlinable
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    writer.literal("[")
    var isFirst = true
    for element in self {
      if !isFirst { writer.literal(",") }
      isFirst = false
      element.write(directly: &writer)
    }
    writer.literal("]")
    writer.leave()
  }

  /// Reads the elements.
  @inlinable
  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = []
    try reader.enter()
    try reader.literal("[")
    if !reader.accept("]") {
      repeat {
        append(try Element(directly: &reader))
      } while reader.accept(",")
      try reader.literal("]")
    }
    reader.leave()
  }

  /// The type of the elements.
  public static var directShape: DirectShape { DirectShape { [Element.self] } }
}

extension Set: DirectCodable where Element: DirectCodable {
  /// Writes the elements, sorted by their bytes.
  @inlinable
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    writer.literal("[")
    var parts = DirectParts(start: writer.count, areNamed: false, count: count)
    for element in self {
      parts.begin(&writer)
      element.write(directly: &writer)
      parts.endCompared(writer)
    }
    parts.sort(&writer)
    writer.literal("]")
    writer.leave()
  }

  /// Reads the elements in any order.
  @inlinable
  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = Set(try [Element](directly: &reader))
  }

  /// The type of the elements.
  public static var directShape: DirectShape { DirectShape { [Element.self] } }
}

extension Dictionary: DirectCodable where Key: DirectCodable, Value: DirectCodable {
  /// Writes the members, sorted by their names, or alternating keys and values.
  @inlinable
  public func write(directly writer: inout DirectWriter) {
    writer.members(of: self)
  }

  /// Reads the members.
  @inlinable
  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = [:]
    try reader.members { (key: Key, value) in updateValue(value, forKey: key) == nil }
  }

  /// The types of keys and values.
  public static var directShape: DirectShape { DirectShape { [Key.self, Value.self] } }
}

extension DirectWriter {
  /// Appends a dictionary, or a collection that is coded like one: an object with sorted members if its keys are
  /// `CodingKeyRepresentable`, as strings and integers are, otherwise an array of alternating keys and values, with sorted pairs.
  /// Two keys with one name are left to `Codable`, which refuses them.
  ///
  /// - Complexity: O(size), plus O(*m* log *m*) for *m* members that are not in order.
  @inlinable
  public mutating func members<Key: DirectCodable, Value: DirectCodable>(
    of collection: some Sequence<(key: Key, value: Value)>
  ) {
    let isInjective = Key.self == String.self || Key.self == Int.self
    let isObject = isInjective || Key.self is any CodingKeyRepresentable.Type
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
    parts.sort(&self, mayRepeat: !isInjective && isObject)
    if isObject { literal("}") } else { literal("]") }
    leave()
  }

  /// Appends a key as the name of a member.
  @inlinable @inline(__always)
  mutating func name<Key: DirectCodable>(_ key: Key) {
    if Key.self == String.self { return key.write(directly: &self) }
    guard Key.self == Int.self else { return representedName(key) }
    literal("\"")
    key.write(directly: &self)
    literal("\"")
  }

  @usableFromInline
  mutating func representedName<Key>(_ key: Key) {
    guard let key = key as? any CodingKeyRepresentable else { return decline() }
    key.codingKey.stringValue.write(directly: &self)
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
    let isObject = Key.self == String.self || Key.self == Int.self || Key.self is any CodingKeyRepresentable.Type
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
    guard Key.self == Int.self else { return try representedName() }
    try literal("\"")
    let key = try Key(directly: &self)
    try literal("\"")
    return key
  }

  @usableFromInline
  mutating func representedName<Key>() throws(DirectMismatch) -> Key {
    let name = try string()
    guard let type = Key.self as? any CodingKeyRepresentable.Type,
      let key = type.init(codingKey: JSONCodingKey(name: name)) as? Key
    else { throw DirectMismatch() }
    return key
  }
}

/// The positions of the elements or members of an unordered collection, to sort them by their bytes.
///
/// Offsets are relative to the first part and have 32 bits: a part takes eight bytes here, and sixteen during sorting
/// (benchmark `canonical encoding of a state`). Longer collections are left to `Codable`.
@usableFromInline
struct DirectParts {
  @usableFromInline
  struct Part {
    @usableFromInline var start: UInt32
    /// The end of the compared bytes: the name before its quote, or the complete part.
    @usableFromInline var comparedEnd: UInt32

    @inlinable
    init(start: UInt32) {
      self.start = start
      comparedEnd = start
    }
  }

  /// A part with the first eight compared bytes, which decide most comparisons.
  private struct Key {
    var prefix: UInt64
    var index: UInt32
  }

  @usableFromInline let start: Int
  /// Whether the parts begin with names. Only the names are compared then, without their quotes.
  @usableFromInline let areNamed: Bool
  @usableFromInline var parts: [Part] = []

  @inlinable
  init(start: Int, areNamed: Bool, count: Int) {
    self.start = start
    self.areNamed = areNamed
    parts.reserveCapacity(count)
  }

  /// Begins a part: a comma, if it is not the first.
  @inlinable
  mutating func begin(_ writer: inout DirectWriter) {
    if !parts.isEmpty { writer.literal(",") }
    parts.append(Part(start: offset(writer)))
  }

  /// Records that the name of a part was written, with its quotes, or the complete part if it has no name.
  @inlinable
  mutating func endCompared(_ writer: borrowing DirectWriter) {
    parts[parts.count &- 1].comparedEnd = offset(writer) &- (areNamed ? 1 : 0)
  }

  @inlinable
  func offset(_ writer: borrowing DirectWriter) -> UInt32 {
    UInt32(truncatingIfNeeded: writer.count &- start)
  }

  /// Sorts the parts by their bytes, names by their unescaped bytes.
  ///
  /// - Parameter mayRepeat: Whether two parts can have the same name. The writer declines then.
  /// - Complexity: O(*n* log *n*), O(*n*) if they are already sorted.
  @usableFromInline
  func sort(_ writer: inout DirectWriter, mayRepeat: Bool = false) {
    guard parts.count > 1, !writer.isDeclined else { return }
    let size = writer.count - start
    guard size <= UInt32.max else { return writer.decline() }
    let sorted = writer.withUnsafeBytes { bytes in
      sortedKeys(UnsafeRawBufferPointer(rebasing: bytes[start...]), mayRepeat: mayRepeat)
    }
    guard let keys = sorted else { return }
    if keys.isEmpty { return writer.decline() }
    withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { scratch in
      writer.withUnsafeBytes { bytes in
        scratch.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start...]))
      }
      writer.cut(to: start)
      for (place, key) in keys.enumerated() {
        if place > 0 { writer.literal(",") }
        writer.append(UnsafeRawBufferPointer(rebasing: scratch[range(Int(key.index), size)]))
      }
    }
  }
}

extension DirectParts {
  /// Returns the range of a part, up to the comma after it.
  private func range(_ index: Int, _ size: Int) -> Range<Int> {
    Int(parts[index].start)..<(index + 1 < parts.count ? Int(parts[index + 1].start) - 1 : size)
  }

  /// Returns the compared bytes of a part.
  private func compared(_ index: UInt32) -> (start: Int, count: Int) {
    let part = parts[Int(index)]
    let start = Int(part.start) + (areNamed ? 1 : 0)
    return (start, Int(part.comparedEnd) - start)
  }

  /// Returns the parts in order; `nil` if they are already sorted, and none if two that may not be are the same.
  private func sortedKeys(_ bytes: UnsafeRawBufferPointer, mayRepeat: Bool) -> [Key]? {
    // Two parts are not empty, so the buffer has an address.
    let base = bytes.baseAddress.unsafelyUnwrapped
    var keys: [Key] = []
    keys.reserveCapacity(parts.count)
    var areEscaped = false
    for index in parts.indices {
      let index = UInt32(truncatingIfNeeded: index)
      let (start, count) = compared(index)
      // An escape sorts as its character: `\n` as a line feed.
      if areNamed, memchr(base + start, 0x5C, count) != nil { areEscaped = true }
      keys.append(Key(prefix: DirectParts.prefix(base + start, count), index: index))
    }
    let precedes = { (left: Key, right: Key) -> Bool in
      if areEscaped { return precedesUnescaped(left, right, base) }
      return left.prefix == right.prefix ? precedesAfterPrefix(left, right, base) : left.prefix < right.prefix
    }
    let areSorted = zip(keys, keys.dropFirst()).allSatisfy { left, right in
      mayRepeat ? precedes(left, right) : !precedes(right, left)
    }
    if areSorted { return nil }
    keys.sort(by: precedes)
    let repeats = mayRepeat && !zip(keys, keys.dropFirst()).allSatisfy(precedes)
    return repeats ? [] : keys
  }

  /// Returns the first compared bytes; the first one is the most significant.
  private static func prefix(_ bytes: UnsafeRawPointer, _ count: Int) -> UInt64 {
    if count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
    var prefix: UInt64 = 0
    for index in 0..<8 {
      prefix = prefix << 8 | UInt64(index < count ? bytes.load(fromByteOffset: index, as: UInt8.self) : 0)
    }
    return prefix
  }

  private func precedesAfterPrefix(_ left: Key, _ right: Key, _ base: UnsafeRawPointer) -> Bool {
    let (left, right) = (compared(left.index), compared(right.index))
    let order = memcmp(base + left.start, base + right.start, min(left.count, right.count))
    return order == 0 ? left.count < right.count : order < 0
  }

  private func precedesUnescaped(_ left: Key, _ right: Key, _ base: UnsafeRawPointer) -> Bool {
    unescaped(left, base).lexicographicallyPrecedes(unescaped(right, base))
  }

  private func unescaped(_ key: Key, _ base: UnsafeRawPointer) -> [UInt8] {
    let (start, count) = compared(key.index)
    let bytes = UnsafeRawBufferPointer(start: base + start - 1, count: count + 2)
    let name = DirectReader.read(bytes) { reader throws(DirectMismatch) in try reader.string() }
    // The writer wrote these bytes.
    return name.map { Array($0.utf8) } ?? Array(bytes)
  }
}
