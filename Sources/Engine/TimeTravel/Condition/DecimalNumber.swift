/// A decimal number in the one form that each value has: a sign, digits without zeros at either end, times a power of ten.
struct DecimalNumber: Equatable {
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

  /// Compares two numbers in the grammar of RFC 8259; `nil` if their texts differ and one cannot be computed with.
  static func order(_ left: String, _ right: String) -> ValueOrder? {
    if left == right { return .same }
    if let left = Int(left), let right = Int(right) { return left == right ? .same : left < right ? .before : .after }
    guard let left = DecimalNumber(left), let right = DecimalNumber(right) else { return nil }
    return left == right ? .same : left.precedes(right) ? .before : .after
  }

  private func precedes(_ other: DecimalNumber) -> Bool {
    if isNegative != other.isNegative { return isNegative }
    return isNegative ? other.isSmaller(than: self) : isSmaller(than: other)
  }

  /// Whether it is smaller without regard to the signs.
  private func isSmaller(than other: DecimalNumber) -> Bool {
    guard !digits.isEmpty, !other.digits.isEmpty else { return digits.isEmpty && !other.digits.isEmpty }
    let (size, otherSize) = (digits.count + exponent, other.digits.count + other.exponent)
    return size == otherSize ? digits.lexicographicallyPrecedes(other.digits) : size < otherSize
  }
}
