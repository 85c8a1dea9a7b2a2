import JSONCoding

/// Equality as the `test` operation of RFC 6902, section 4.6, asks for: numbers are equal if their values are, so that
/// `1`, `1.0` and `10e-1` pass for each other. Everywhere else in this module their texts are compared.
enum NumericEquality {
  static func areEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
    switch (left, right) {
    case (.number(let left), .number(let right)):
      left == right || Decimal(left.text).map { left in left == Decimal(right.text) } ?? false
    case (.array(let left), .array(let right)):
      left.count == right.count && zip(left, right).allSatisfy(areEqual)
    case (.object(let left), .object(let right)):
      left.count == right.count
        && left.allSatisfy { member in right[member.name].map { value in areEqual(member.value, value) } ?? false }
    default:
      left == right
    }
  }

  /// A decimal number in the one form that each value has: digits without zeros at either end, times a power of ten.
  private struct Decimal: Equatable {
    private var isNegative: Bool
    private var digits: [UInt8]
    private var exponent: Int

    /// Reads a number in the grammar of RFC 8259; `nil` if its exponent cannot be computed with.
    init?(_ text: String) {
      let unsigned = text.utf8.drop { byte in byte == UInt8(ascii: "-") }
      let parts = unsigned.split(maxSplits: 1) { byte in byte | 0x20 == UInt8(ascii: "e") }
      guard let mantissa = parts.first else { return nil }
      var exponent = 0
      if parts.count == 2 {
        guard let stated = Int(Substring(parts[1])), stated.magnitude < Int.max / 4 else { return nil }
        exponent = stated
      }
      let pointed = mantissa.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      exponent -= pointed.count == 2 ? pointed[1].count : 0
      var digits = Array(pointed.joined().drop { byte in byte == UInt8(ascii: "0") })
      while digits.last == UInt8(ascii: "0") {
        digits.removeLast()
        exponent += 1
      }
      // Zero is one value, whatever its sign and exponent.
      self.isNegative = !digits.isEmpty && unsigned.startIndex != text.utf8.startIndex
      self.digits = digits
      self.exponent = digits.isEmpty ? 0 : exponent
    }
  }
}
