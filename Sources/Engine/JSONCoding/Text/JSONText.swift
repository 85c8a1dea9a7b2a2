/// The byte-exact encoding of strings and numbers.
///
/// It follows the format page: minimal escaping, and shortest numbers in the form of RFC 8785, with −0 as `-0`.
package enum JSONText {
  /// Appends a string with its quotes.
  package static func appendString(_ string: String, to output: inout [UInt8]) {
    // Native strings provide their bytes; only strings bridged from Objective-C are copied first.
    let isAppended: Void? = string.utf8.withContiguousStorageIfAvailable { appendString(utf8: $0, to: &output) }
    if isAppended == nil {
      var copy = string
      copy.withUTF8 { appendString(utf8: $0, to: &output) }
    }
  }

  /// Appends a string of valid UTF-8 with its quotes.
  package static func appendString(utf8 bytes: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    var start = 0
    for index in bytes.indices {
      let byte = bytes[index]
      guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
      output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<index]))
      appendEscape(byte, to: &output)
      start = index + 1
    }
    output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start...]))
    output.append(UInt8(ascii: "\""))
  }

  private static func appendEscape(_ byte: UInt8, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): output.append(byte)
    case 0x08: output.append(UInt8(ascii: "b"))
    case 0x09: output.append(UInt8(ascii: "t"))
    case 0x0A: output.append(UInt8(ascii: "n"))
    case 0x0C: output.append(UInt8(ascii: "f"))
    case 0x0D: output.append(UInt8(ascii: "r"))
    default:
      output.append(contentsOf: "u00".utf8)
      output.append(hexDigit(byte >> 4))
      output.append(hexDigit(byte & 15))
    }
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? 0x30 + value : 0x57 + value
  }

  package static func appendInt(_ value: some FixedWidthInteger, to output: inout [UInt8]) {
    output.append(contentsOf: String(value).utf8)
  }
}

extension JSONText {
  /// Appends a finite number with the shortest digits of its type in the form of RFC 8785, −0 as `-0`; NaN and the infinities as
  /// strings.
  package static func append<Number: BinaryFloatingPoint & CustomStringConvertible>(
    _ value: Number, to output: inout [UInt8]
  ) {
    // Fast path: exact integers do not need shortest-digits formatting.
    let exact = UInt64(1) << UInt64(Number.significandBitCount + 1)
    if value.magnitude < Number.Magnitude(exact), value == value.rounded(.towardZero) {
      output.append(contentsOf: (value.sign == .minus ? "-" : "").utf8)
      appendInt(UInt64(value.magnitude), to: &output)
    } else if value.isFinite {
      appendDecimal(value.description, to: &output)
    } else {
      output.append(contentsOf: (value.isNaN ? "\"NaN\"" : value < 0 ? "\"-Infinity\"" : "\"Infinity\"").utf8)
    }
  }

  /// Converts Swift's shortest-digits description, such as `-1.5e-07`, to the ECMAScript form.
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

/// The order of the members of encoded objects.
public enum JSONForm: Sendable, Hashable {
  /// The members of structs and enums in the order in which the type encodes them; those of dictionaries sorted.
  case declared
  /// All members sorted by the bytes of their unescaped names: the form of snapshots and digests.
  case canonical
}
