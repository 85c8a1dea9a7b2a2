/// A check as it stands in a line: 8 hex digits, the lower-case ones.
package enum ChecksumDigits {
  /// How many digits there always are.
  package static let count = 8

  private static let digits = Array("0123456789abcdef".utf8)

  /// Writes the digits at the end of `bytes`.
  package static func append(_ checksum: UInt32, to bytes: inout [UInt8]) {
    for shift in stride(from: 28, through: 0, by: -4) {
      bytes.append(digits[Int(checksum >> UInt32(shift) & 0xF)])
    }
  }

  /// The digits as text, for messages.
  package static func text(_ checksum: UInt32) -> String {
    var bytes: [UInt8] = []
    append(checksum, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The check that the digits stand for; `nil` unless there are exactly eight of them, none an upper-case one.
  package static func parse(_ bytes: some Collection<UInt8>) -> UInt32? {
    var checksum: UInt32 = 0
    var count = 0
    for byte in bytes {
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      default: return nil
      }
      count += 1
      if count > Self.count { return nil }
      checksum = checksum << 4 | UInt32(digit)
    }
    return count == Self.count ? checksum : nil
  }
}
