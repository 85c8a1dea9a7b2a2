/// How strings and numbers are written, byte for byte.
///
/// The rules are those of the format page: few escapes, the shortest numbers in the form of RFC 8785, −0 as `-0`.
package enum JSONText {
  /// Appends a string with its quotes.
  ///
  /// - Complexity: O(length).
  package static func appendString(_ string: String, to output: inout [UInt8]) {
    // Native strings lend their bytes; only those bridged from another runtime are copied first.
    let isAppended: Void? = string.utf8.withContiguousStorageIfAvailable { appendString(utf8: $0, to: &output) }
    if isAppended == nil {
      var copy = string
      copy.withUTF8 { appendString(utf8: $0, to: &output) }
    }
  }

  /// Appends a string of valid UTF-8 with its quotes.
  ///
  /// - Complexity: O(length).
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

  /// Appends an integer.
  package static func appendInt(_ value: some FixedWidthInteger, to output: inout [UInt8]) {
    if let value = Int64(exactly: value) {
      appendMagnitude(value.magnitude, isNegative: value < 0, to: &output)
    } else if let value = UInt64(exactly: value) {
      appendMagnitude(value, isNegative: false, to: &output)
    } else {
      output.append(contentsOf: String(value).utf8)
    }
  }

  static func appendMagnitude(_ magnitude: UInt64, isNegative: Bool, to output: inout [UInt8]) {
    if isNegative { output.append(UInt8(ascii: "-")) }
    var count = 1
    var rest = magnitude / 10
    while rest > 0 {
      count += 1
      rest /= 10
    }
    let first = output.count
    for _ in 0..<count { output.append(0x30) }
    rest = magnitude
    for index in stride(from: first + count - 1, through: first, by: -1) {
      output[index] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }
}
