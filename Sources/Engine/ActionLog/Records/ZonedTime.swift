/// Reads a time as RFC 3339 writes it, with any offset and any number of digits in the fraction.
///
/// What is finer than a microsecond is cut off, as a point stands for what is at or before it.
package enum ZonedTime {
  /// Why a text that begins like a date is no time.
  package enum Fault: Error {
    /// It does not say its time zone.
    case noZone
    /// It is written otherwise.
    case malformed
    /// There is no such day or second.
    case notOnCalendar
  }

  /// The length of `2026-11-21T09:00:05`.
  private static let secondSizeBytes = 19

  /// Reads a text.
  ///
  /// - Returns: `nil` if the text does not begin like a date.
  /// - Throws: ``Fault`` for a text that does, and is no time.
  package static func parse(_ text: String) throws(Fault) -> LogTime? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 5, bytes[..<4].allSatisfy(isDigit), bytes[4] == UInt8(ascii: "-") else { return nil }
    guard hasShape(bytes) else { throw .malformed }
    var rest = bytes[secondSizeBytes...]
    let fraction = try fraction(&rest)
    let offset = try offset(rest)

    var canonical = Array(bytes[..<secondSizeBytes])
    canonical[10] = UInt8(ascii: "T")
    canonical += [UInt8(ascii: ".")] + fraction + [UInt8(ascii: "Z")]
    guard let time = LogTime(parsing: canonical) else { throw .notOnCalendar }
    return time.advanced(by: .zero - offset)
  }

  /// Whether the text begins `dddd-dd-ddTdd:dd:dd`; RFC 3339 allows a small letter or a space for the `T`.
  private static func hasShape(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= secondSizeBytes else { return false }
    return zip(bytes, "dddd-dd-ddTdd:dd:dd".utf8).allSatisfy { byte, shape in
      switch shape {
      case UInt8(ascii: "d"): isDigit(byte)
      case UInt8(ascii: "T"): byte == shape || byte == UInt8(ascii: "t") || byte == UInt8(ascii: " ")
      default: byte == shape
      }
    }
  }

  /// Takes the fraction off, as exactly six digits.
  private static func fraction(_ rest: inout ArraySlice<UInt8>) throws(Fault) -> [UInt8] {
    let zeros = [UInt8](repeating: UInt8(ascii: "0"), count: 6)
    guard rest.first == UInt8(ascii: ".") else { return zeros }
    let digits = rest.dropFirst().prefix(while: isDigit)
    guard !digits.isEmpty else { throw .malformed }
    rest = rest[digits.endIndex...]
    return Array((digits + zeros).prefix(6))
  }

  private static func offset(_ rest: ArraySlice<UInt8>) throws(Fault) -> Duration {
    if rest.isEmpty { throw .noZone }
    if rest.count == 1, let byte = rest.first, byte | 0x20 == UInt8(ascii: "z") { return .zero }
    let offset = Array(rest)
    guard offset.count == 6, offset[0] == UInt8(ascii: "+") || offset[0] == UInt8(ascii: "-"),
      offset[3] == UInt8(ascii: ":"), let hours = number(offset[1...2]), let minutes = number(offset[4...5]),
      hours < 24, minutes < 60
    else { throw .malformed }
    let seconds = (hours * 60 + minutes) * 60
    return .seconds(offset[0] == UInt8(ascii: "-") ? -seconds : seconds)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    digits.allSatisfy(isDigit) ? digits.reduce(0) { value, digit in value * 10 + Int(digit - 0x30) } : nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
