/// A JSON number with its exact text, which round-trips without loss.
///
/// Two numbers are equal if their texts are equal: `1` and `1.0` differ.
public struct JSONNumber: Hashable, Sendable {
  /// The digits, in the grammar of RFC 8259.
  public let text: String

  /// Creates a number from a text that is known to be valid.
  init(checked text: String) {
    self.text = text
  }

  /// Parses a number.
  ///
  /// - Returns: `nil` unless the text follows the grammar of RFC 8259.
  public init?(_ text: String) {
    guard JSONDecimal.isNumber(text) else { return nil }
    self.text = text
  }

  /// Creates a number from an integer.
  public init(_ value: some FixedWidthInteger) {
    text = String(value)
  }

  /// Creates a number from a double in the form of RFC 8785, with −0 as `-0`.
  ///
  /// - Returns: `nil` for NaN and the infinities, which JSON cannot represent.
  public init?(_ value: Double) {
    guard value.isFinite else { return nil }
    var bytes: [UInt8] = []
    JSONText.appendDouble(value, to: &bytes)
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// The number as an `Int`, including `1.0` and `1e2`, or `nil` if it is not exactly an `Int`.
  public var int: Int? {
    integer(Int.self)
  }

  /// The number as an integer of a type, or `nil` if it is not exactly representable.
  public func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
    var text = text
    return text.withUTF8 { JSONDecimal($0).integer(type) }
  }

  /// The nearest double; infinite if the number is out of range.
  public var double: Double {
    var text = text
    return text.withUTF8 { JSONDecimal($0).double }
  }

  /// Whether the number has no fraction and no exponent.
  public var isInteger: Bool {
    text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }
  }
}

extension JSONNumber: CustomStringConvertible {
  /// The text of the number.
  public var description: String { text }
}
