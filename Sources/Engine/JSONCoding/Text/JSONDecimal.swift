/// The decimal value of a JSON number: digits × 10^exponent.
///
/// The first 19 significant digits are kept as an integer, which is enough for nearly every number.
struct JSONDecimal {
  /// The text, which must outlive the value.
  let text: UnsafeBufferPointer<UInt8>
  let isNegative: Bool
  /// The significant digits without leading zeros; valid if `digitsFit`.
  private var digits: UInt64 = 0
  private var digitsFit = true
  /// The power of ten to multiply `digits` with, saturated.
  private var exponent = 0

  /// The limit of the exponent: far beyond any exponent that matters, and small enough that adding a text's length cannot overflow.
  private static let exponentLimit = 1 << 40

  init(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
    isNegative = text.first == UInt8(ascii: "-")
    var index = isNegative ? 1 : 0
    var afterPoint = false
    var pendingZeros = 0
    scan: while index < text.count {
      let byte = text[index]
      switch byte {
      case UInt8(ascii: "."): afterPoint = true
      case UInt8(ascii: "0"):
        pendingZeros += 1
        if afterPoint { exponent -= 1 }
      case UInt8(ascii: "1")...UInt8(ascii: "9"):
        append(zeros: pendingZeros, digit: UInt64(byte &- 0x30))
        pendingZeros = 0
        if afterPoint { exponent -= 1 }
      default: break scan
      }
      index += 1
    }
    // Trailing zeros of the digits, before or after the point, become a power of ten.
    exponent += pendingZeros
    if index < text.count { exponent += JSONDecimal.exponent(text[(index + 1)...]) }
  }

  private mutating func append(zeros: Int, digit: UInt64) {
    guard digitsFit else { return }
    for _ in 0..<(digits == 0 ? 0 : zeros) where digitsFit { append(0) }
    append(digit)
  }

  private mutating func append(_ digit: UInt64) {
    let (product, overflow) = digits.multipliedReportingOverflow(by: 10)
    let (sum, carry) = product.addingReportingOverflow(digit)
    if overflow || carry { digitsFit = false } else { digits = sum }
  }

  private static func exponent(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
    var value = 0
    for byte in text where byte >= 0x30 {
      if value < exponentLimit { value = value * 10 + Int(byte - 0x30) }
    }
    return text.first == UInt8(ascii: "-") ? -value : value
  }

  /// The value, if it is exactly an integer of at most 64 bits.
  func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
    guard digitsFit else { return nil }
    if digits == 0 { return 0 }
    // The digits have no trailing zeros, so a negative exponent means a fraction. UInt64 has at most 20 digits.
    guard (0..<20).contains(exponent) else { return nil }
    var magnitude = digits
    for _ in 0..<exponent {
      let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
      if overflow { return nil }
      magnitude = product
    }
    if !isNegative { return Integer(exactly: magnitude) }
    if magnitude == 1 << 63 { return Integer(exactly: Int64.min) }
    guard let positive = Int64(exactly: magnitude) else { return nil }
    return Integer(exactly: -positive)
  }

  var double: Double {
    // Clinger's fast path: both factors are exact, so one operation rounds correctly.
    if digitsFit, digits <= 1 << 53, (-22...22).contains(exponent) {
      let value = Double(digits)
      let power = JSONDecimal.powersOfTen[exponent.magnitude.asInt]
      let result = exponent < 0 ? value / power : value * power
      return isNegative ? -result : result
    }
    return Double(String(decoding: text, as: UTF8.self)) ?? .nan
  }

  var float: Float {
    if digitsFit, digits <= 1 << 24, (-10...10).contains(exponent) {
      let value = Float(digits)
      let power = Float(JSONDecimal.powersOfTen[exponent.magnitude.asInt])
      let result = exponent < 0 ? value / power : value * power
      return isNegative ? -result : result
    }
    return Float(String(decoding: text, as: UTF8.self)) ?? .nan
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]
}

extension JSONDecimal {
  /// Whether a text is exactly one JSON number.
  static func isNumber(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      guard !bytes.isEmpty else { return false }
      do {
        return try JSONScanner(bytes, maximumDepth: 0).scanNumber(0).value == bytes.count
      } catch {
        return false
      }
    }
  }
}

extension UInt {
  /// The value as an `Int`. The caller guarantees that it fits.
  fileprivate var asInt: Int { Int(truncatingIfNeeded: self) }
}
