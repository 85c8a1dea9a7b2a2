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

  /// The digits in one word, the first one lowest: as they lie in memory, read little-endian.
  @inline(__always)
  static func word(_ checksum: UInt32) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    // Each byte goes to two, its high half first.
    var halves = UInt64(checksum.byteSwapped)
    halves = (halves | halves << 16) & 0x0000_FFFF_0000_FFFF
    halves = (halves | halves << 8) & 0x00FF_00FF_00FF_00FF
    halves = (halves >> 4 & 0x000F_000F_000F_000F) | (halves & 0x000F_000F_000F_000F) << 8
    // 39 lies between the characters after `9` and `a`.
    let letters = (halves &+ ones &* 6) >> 4 & ones
    return halves &+ ones &* 0x30 &+ letters &* 39
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
