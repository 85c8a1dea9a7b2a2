// The scalar types, of which all other types consist.

extension String: DirectCodable {
  /// Writes the value.
  @inlinable public func write(directly writer: inout DirectWriter) { writer.string(self) }

  /// Reads a value.
  @inlinable public init(directly reader: inout DirectReader) throws(DirectMismatch) { self = try reader.string() }

  /// An empty shape: the type cannot change.
  public static var directShape: DirectShape { DirectShape() }
}

extension Bool: DirectCodable {
  /// Writes the value.
  @inlinable public func write(directly writer: inout DirectWriter) { writer.bool(self) }

  /// Reads a value.
  @inlinable public init(directly reader: inout DirectReader) throws(DirectMismatch) { self = try reader.bool() }

  /// An empty shape: the type cannot change.
  public static var directShape: DirectShape { DirectShape() }
}

extension Double: DirectCodable {
  /// Writes the value.
  @inlinable public func write(directly writer: inout DirectWriter) { writer.double(self) }

  /// Reads a value.
  @inlinable public init(directly reader: inout DirectReader) throws(DirectMismatch) { self = try reader.double() }

  /// An empty shape: the type cannot change.
  public static var directShape: DirectShape { DirectShape() }
}

extension Float: DirectCodable {
  /// Writes the value.
  @inlinable public func write(directly writer: inout DirectWriter) { writer.float(self) }

  /// Reads a value.
  @inlinable public init(directly reader: inout DirectReader) throws(DirectMismatch) { self = try reader.float() }

  /// An empty shape: the type cannot change.
  public static var directShape: DirectShape { DirectShape() }
}

extension DirectCodable where Self: FixedWidthInteger {
  /// Writes the value.
  @inlinable public func write(directly writer: inout DirectWriter) { writer.integer(self) }

  /// Reads a value.
  @inlinable public init(directly reader: inout DirectReader) throws(DirectMismatch) { self = try reader.integer() }

  /// An empty shape: the type cannot change.
  public static var directShape: DirectShape { DirectShape() }
}

extension Int: DirectCodable {}
extension Int8: DirectCodable {}
extension Int16: DirectCodable {}
extension Int32: DirectCodable {}
extension Int64: DirectCodable {}
extension UInt: DirectCodable {}
extension UInt8: DirectCodable {}
extension UInt16: DirectCodable {}
extension UInt32: DirectCodable {}
extension UInt64: DirectCodable {}
