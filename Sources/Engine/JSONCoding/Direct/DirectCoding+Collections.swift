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
    let isObject = Key.self == String.self || Key.self == Int.self || Key.self is any CodingKeyRepresentable.Type
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

  /// Sorts the parts. Declines if two names are equal, which `Codable` reports.
  @usableFromInline
  func sort(_ writer: inout DirectWriter) {
    guard parts.count > 1, !writer.isDeclined else { return }
    guard writer.count < JSONToken.limit else { return writer.decline() }
    let base = UnsafePointer(writer.start)
    var sorted: [EncodingPart]
    if areNamed {
      let names = parts.map { part in name(part, base) }
      let order = names.withUnsafeBufferPointer { names in
        EncodingOrder.find(names, base, end: writer.count, sorts: true)
      }
      switch order {
      case .kept: return
      case .changed(let parts): sorted = parts
      case .duplicate: return writer.decline()
      }
    } else {
      sorted = parts.map { part in EncodingPart(start: start + Int(part.start), end: start + Int(part.comparedEnd)) }
      sorted.sort { left, right in EncodingOrder.precedes(left, right, base) }
    }
    var scratch = DirectWriter(capacity: writer.count - start)
    for (place, part) in sorted.enumerated() {
      if place > 0 { scratch.literal(",") }
      scratch.append(writer.raw(part.start..<part.end))
    }
    writer.cut(to: start)
    writer.append(scratch.raw(0..<scratch.count))
  }

  private func name(_ part: Part, _ base: UnsafePointer<UInt8>) -> EncodingMember {
    // With its quotes.
    let (first, length) = (start + Int(part.start), Int(part.comparedEnd - part.start) + 1)
    let isEscaped = memchr(base + first, 0x5C, length) != nil
    var member = EncodingMember(start: first, nameLength: length, nameIsEscaped: isEscaped)
    // A colon and a value of at least one byte follow the name.
    member.prefix = JSONStrings.prefix(member.token, base, limit: length + 1)
    return member
  }
}
