/// A number as its text stands in JSON, so that nothing is lost by reading and writing it.
///
/// Two numbers are equal if their texts are: `1` and `1.0` are two numbers.
public struct JSONNumber: Hashable, Sendable {
  /// The digits, in the grammar of RFC 8259.
  public let text: String

  /// Takes a text that is known to follow the grammar.
  init(checked text: String) {
    self.text = text
  }

  /// Reads a number.
  ///
  /// - Returns: `nil` unless the text follows the grammar of RFC 8259.
  public init?(_ text: String) {
    guard JSONDecimal.isNumber(text) else { return nil }
    self.text = text
  }

  /// Writes an integer.
  public init(_ value: some FixedWidthInteger) {
    text = String(value)
  }

  /// Writes a double in the form of RFC 8785, −0 as `-0`.
  ///
  /// - Returns: `nil` for NaN and the infinities, which are no numbers in JSON.
  public init?(_ value: Double) {
    guard value.isFinite else { return nil }
    var bytes: [UInt8] = []
    JSONText.appendDouble(value, to: &bytes)
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// The number as an integer, `1.0` and `1e2` included, or `nil` if it is none or does not fit.
  public var int: Int? {
    integer(Int.self)
  }

  /// The number as an integer of a type, or `nil` if it is not exactly one or does not fit.
  public func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
    var text = text
    return text.withUTF8 { JSONDecimal($0).integer(type) }
  }

  /// The nearest double; infinite if the number is beyond the range of doubles.
  public var double: Double {
    var text = text
    return text.withUTF8 { JSONDecimal($0).double }
  }

  /// Whether the text is an integer without fraction and exponent.
  public var isInteger: Bool {
    text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }
  }
}

extension JSONNumber: CustomStringConvertible {
  /// The text of the number.
  public var description: String { text }
}
