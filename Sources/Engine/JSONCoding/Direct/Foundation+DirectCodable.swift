#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Date: DirectCodable {
  /// Writes the value.
  public func write(directly writer: inout DirectWriter) { writer.date(self) }

  /// Reads a value.
  public init(directly reader: inout DirectReader) throws(DirectMismatch) { self = try reader.date() }

  /// An empty shape: the type cannot change.
  public static var directShape: DirectShape { DirectShape() }
}

extension Data: DirectCodable {
  /// Writes the value.
  public func write(directly writer: inout DirectWriter) { writer.data(self) }

  /// Reads a value.
  public init(directly reader: inout DirectReader) throws(DirectMismatch) { self = try reader.data() }

  /// An empty shape: the type cannot change.
  public static var directShape: DirectShape { DirectShape() }
}

extension URL: DirectCodable {
  /// Writes the value.
  public func write(directly writer: inout DirectWriter) { writer.url(self) }

  /// Reads a value.
  public init(directly reader: inout DirectReader) throws(DirectMismatch) { self = try reader.url() }

  /// An empty shape: the type cannot change.
  public static var directShape: DirectShape { DirectShape() }
}

extension UUID: DirectCodable {
  /// Writes the value.
  public func write(directly writer: inout DirectWriter) { writer.uuid(self) }

  /// Reads a value.
  public init(directly reader: inout DirectReader) throws(DirectMismatch) { self = try reader.uuid() }

  /// An empty shape: the type cannot change.
  public static var directShape: DirectShape { DirectShape() }
}

extension Decimal: DirectCodable {
  /// Writes the value.
  public func write(directly writer: inout DirectWriter) { writer.decimal(self) }

  /// Reads a value.
  public init(directly reader: inout DirectReader) throws(DirectMismatch) { self = try reader.decimal() }

  /// An empty shape: the type cannot change.
  public static var directShape: DirectShape { DirectShape() }
}
