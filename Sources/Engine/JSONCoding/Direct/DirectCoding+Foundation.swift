#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Date: DirectCodable {
  /// Writes a string of RFC 3339 if the date has one, otherwise the seconds since 2001.
  public func write(directly writer: inout DirectWriter) {
    let seconds = timeIntervalSinceReferenceDate
    guard let text = DateText(secondsSince2001: seconds) else { return writer.double(seconds) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(32)
    text.append(to: &bytes)
    writer.literal("\"")
    writer.append(bytes)
    writer.literal("\"")
  }

  /// Reads a date as it is written.
  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    let next = reader.next
    guard reader.left > 1, next.pointee == UInt8(ascii: "\""), next[1] &- 0x30 < 10 else {
      self.init(timeIntervalSinceReferenceDate: try reader.double())
      return
    }
    let text = Array(try reader.string().utf8)
    guard let seconds = DateText.secondsSince2001(parsing: text) else { throw DirectMismatch() }
    self.init(timeIntervalSinceReferenceDate: seconds)
  }

  /// An empty shape: the type cannot change.
  public static var directShape: DirectShape { DirectShape() }
}

extension Data: DirectCodable {
  /// Writes base64.
  public func write(directly writer: inout DirectWriter) { writer.string(base64EncodedString()) }

  /// Reads base64.
  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    guard let data = Data(base64Encoded: try reader.string()) else { throw DirectMismatch() }
    self = data
  }

  /// An empty shape: the type cannot change.
  public static var directShape: DirectShape { DirectShape() }
}

extension URL: DirectCodable {
  /// Writes the absolute string.
  public func write(directly writer: inout DirectWriter) { writer.string(absoluteString) }

  /// Reads an absolute string.
  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    guard let url = URL(string: try reader.string()) else { throw DirectMismatch() }
    self = url
  }

  /// An empty shape: the type cannot change.
  public static var directShape: DirectShape { DirectShape() }
}

extension UUID: DirectCodable {
  /// Writes the string of the identifier.
  public func write(directly writer: inout DirectWriter) { writer.string(uuidString) }

  /// Reads the string of an identifier.
  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    guard let uuid = UUID(uuidString: try reader.string()) else { throw DirectMismatch() }
    self = uuid
  }

  /// An empty shape: the type cannot change.
  public static var directShape: DirectShape { DirectShape() }
}

extension Decimal: DirectCodable {
  /// Writes the digits as a string.
  public func write(directly writer: inout DirectWriter) { writer.string(description) }

  /// Reads a string of digits.
  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    guard let value = Decimal(jsonText: try reader.string()) else { throw DirectMismatch() }
    self = value
  }

  /// An empty shape: the type cannot change.
  public static var directShape: DirectShape { DirectShape() }
}

extension Decimal {
  /// Creates the number that a JSON number or the string `NaN` stands for, or `nil` for any other text.
  init?(jsonText text: String) {
    if text == "NaN" {
      self = .nan
      return
    }
    // Foundation reads a prefix and ignores the rest.
    guard JSONDecimal.isNumber(text), let value = Decimal(string: text), value.isFinite else { return nil }
    self = value
  }
}
