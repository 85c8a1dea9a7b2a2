#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension DirectWriter {
  mutating func date(_ date: Date) {
    let seconds = date.timeIntervalSinceReferenceDate
    guard let text = DateText(secondsSince2001: seconds) else { return double(seconds) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(32)
    text.append(to: &bytes)
    literal("\"")
    append(bytes)
    literal("\"")
  }

  mutating func data(_ data: Data) {
    string(data.base64EncodedString())
  }

  mutating func url(_ url: URL) {
    string(url.absoluteString)
  }

  mutating func uuid(_ uuid: UUID) {
    string(uuid.uuidString)
  }

  mutating func decimal(_ decimal: Decimal) {
    string(decimal.description)
  }
}

extension DirectReader {
  mutating func date() throws(DirectMismatch) -> Date {
    guard next < end, next.pointee == UInt8(ascii: "\""), left > 1, next[1] &- 0x30 < 10 else {
      return Date(timeIntervalSinceReferenceDate: try double())
    }
    guard let seconds = DateText.secondsSince2001(parsing: Array(try string().utf8)) else { throw DirectMismatch() }
    return Date(timeIntervalSinceReferenceDate: seconds)
  }

  mutating func data() throws(DirectMismatch) -> Data {
    guard let data = Data(base64Encoded: try string()) else { throw DirectMismatch() }
    return data
  }

  mutating func url() throws(DirectMismatch) -> URL {
    guard let url = URL(string: try string()) else { throw DirectMismatch() }
    return url
  }

  mutating func uuid() throws(DirectMismatch) -> UUID {
    guard let uuid = UUID(uuidString: try string()) else { throw DirectMismatch() }
    return uuid
  }

  mutating func decimal() throws(DirectMismatch) -> Decimal {
    let text = try string()
    if text == "NaN" { return .nan }
    // Foundation reads a prefix and ignores the rest.
    guard JSONDecimal.isNumber(text), let value = Decimal(string: text), value.isFinite else { throw DirectMismatch() }
    return value
  }
}

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
