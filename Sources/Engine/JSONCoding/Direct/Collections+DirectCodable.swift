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
