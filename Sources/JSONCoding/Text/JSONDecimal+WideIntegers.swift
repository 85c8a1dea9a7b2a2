extension JSONDecimal {
  /// The number as an integer of more than 64 bits, or `nil` if it is not exactly one or does not fit.
  func wideInteger<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
    var digits: [UInt8] = []
    var pointShift = 0
    var (afterPoint, index) = (false, isNegative ? 1 : 0)
    while index < text.count, text[index] | 0x20 != UInt8(ascii: "e") {
      if text[index] == UInt8(ascii: ".") {
        afterPoint = true
      } else {
        if !digits.isEmpty || text[index] != 0x30 { digits.append(text[index]) }
        if afterPoint { pointShift -= 1 }
      }
      index += 1
    }
    if digits.isEmpty { return 0 }
    var exponent = pointShift
    if index < text.count { exponent += JSONDecimal.exponent(text[(index + 1)...]) }
    while digits.last == 0x30 {
      digits.removeLast()
      exponent += 1
    }
    // The digits end in another one than zero here, so that a negative exponent means a fraction. Three bits make less than a digit.
    guard exponent >= 0, exponent + digits.count <= Integer.bitWidth / 3 + 1 else { return nil }
    let sign = isNegative ? "-" : ""
    return Integer(sign + String(decoding: digits, as: UTF8.self) + String(repeating: "0", count: exponent))
  }
}
