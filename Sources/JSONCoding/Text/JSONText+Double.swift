extension JSONText {
  /// Appends a finite double in the form of RFC 8785, −0 as `-0`; NaN and the infinities as strings.
  package static func appendDouble(_ value: Double, to output: inout [UInt8]) {
    // Integers that a double holds exactly need no search for the shortest digits.
    if value.magnitude < 9_007_199_254_740_992, value == value.rounded(.towardZero) {
      appendMagnitude(UInt64(value.magnitude), isNegative: value.sign == .minus, to: &output)
    } else if value.isFinite {
      appendDecimal(value.description, to: &output)
    } else {
      appendNonFinite(isNaN: value.isNaN, isNegative: value < 0, to: &output)
    }
  }

  /// Appends a finite float with its own shortest digits in the form of RFC 8785; NaN and the infinities as strings.
  package static func appendFloat(_ value: Float, to output: inout [UInt8]) {
    if value.magnitude < 16_777_216, value == value.rounded(.towardZero) {
      appendMagnitude(UInt64(value.magnitude), isNegative: value.sign == .minus, to: &output)
    } else if value.isFinite {
      appendDecimal(value.description, to: &output)
    } else {
      appendNonFinite(isNaN: value.isNaN, isNegative: value < 0, to: &output)
    }
  }

  private static func appendNonFinite(isNaN: Bool, isNegative: Bool, to output: inout [UInt8]) {
    output.append(contentsOf: (isNaN ? "\"NaN\"" : isNegative ? "\"-Infinity\"" : "\"Infinity\"").utf8)
  }

  /// Takes the shortest digits from Swift's description, `-1.5e-07`, and lays them out as ECMAScript does.
  private static func appendDecimal(_ description: String, to output: inout [UInt8]) {
    var digits: [UInt8] = []
    digits.reserveCapacity(32)
    var pointPlace: Int?
    var exponent = 0
    var rest = description.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "-"): output.append(byte)
      case UInt8(ascii: "."): pointPlace = digits.count
      case UInt8(ascii: "e"):
        exponent = Int(Substring(rest)) ?? 0
        rest = rest[rest.endIndex...]
      default: digits.append(byte)
      }
    }
    // The value is 0.DIGITS × 10^point.
    var point = (pointPlace ?? digits.count) + exponent
    let leadingZeros = digits.prefix { $0 == 0x30 }.count
    digits.removeFirst(leadingZeros)
    point -= leadingZeros
    while digits.last == 0x30 { digits.removeLast() }
    layOut(digits[...], point: point, to: &output)
  }

  /// ECMAScript's `Number::toString`, steps 6 to 10, with `point` as its *n* and the count of digits as its *k*.
  private static func layOut(_ digits: ArraySlice<UInt8>, point: Int, to output: inout [UInt8]) {
    switch point {
    case digits.count...21 where digits.count <= 21:
      output.append(contentsOf: digits)
      output.append(contentsOf: repeatElement(0x30, count: point - digits.count))
    case 1...21:
      output.append(contentsOf: digits.prefix(point))
      output.append(UInt8(ascii: "."))
      output.append(contentsOf: digits.dropFirst(point))
    case -5...0:
      output.append(contentsOf: "0.".utf8)
      output.append(contentsOf: repeatElement(0x30, count: -point))
      output.append(contentsOf: digits)
    default:
      output.append(contentsOf: digits.prefix(1))
      if digits.count > 1 {
        output.append(UInt8(ascii: "."))
        output.append(contentsOf: digits.dropFirst())
      }
      output.append(contentsOf: point > 0 ? "e+".utf8 : "e-".utf8)
      output.append(contentsOf: String((point - 1).magnitude).utf8)
    }
  }
}
