internal import CSystem

/// A CRC-32C in the making: the check that every line of a log ends in.
///
/// Castagnoli's polynomial, bits reflected, register inverted at both ends; the check of `123456789` is `e3069283`
/// (RFC 3720, appendix B.4; the instructions of SSE 4.2 and ARMv8 compute it). Where the processor has no such
/// instructions ``CRC32CTables`` takes their place.
package struct CRC32C: Sendable {
  /// The register, inverted as it is while bytes come in.
  private var register: UInt32

  /// Begins with no bytes.
  package init() {
    register = .max
  }

  /// Goes on where another computation ended.
  package init(continuing checksum: UInt32) {
    register = ~checksum
  }

  /// The check of all bytes so far.
  package var checksum: UInt32 { ~register }

  /// Takes in the bytes that follow.
  ///
  /// - Complexity: O(*n*), some 8 bytes in three cycles with the instructions.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    if csystem_crc32c_is_available() {
      register = csystem_crc32c_update(register, start, bytes.count)
    } else {
      register = CRC32CTables.update(register, bytes)
    }
  }

  /// Takes in the bytes that follow.
  package mutating func update(_ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { buffer in update(buffer) }
  }

  /// The check of bytes that lie in one place.
  package static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
    var crc = CRC32C()
    crc.update(bytes)
    return crc.checksum
  }

  /// The check of bytes that lie in one place.
  package static func checksum(of bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.withUnsafeBytes { buffer in checksum(of: buffer) }
  }

  /// The check of bytes that lie in one place.
  package static func checksum(of bytes: [UInt8]) -> UInt32 {
    bytes.withUnsafeBytes { buffer in checksum(of: buffer) }
  }
}

/// CRC-32C without instructions for it: eight bytes at a time, by eight tables of 256 entries.
///
/// M. E. Kounavis and F. L. Berry, "Novel table lookup-based algorithms for high-performance CRC generation", IEEE
/// Transactions on Computers 57, 2008 ("slicing-by-8").
package enum CRC32CTables {
  /// Castagnoli's polynomial 1EDC6F41, its bits reflected.
  private static let polynomial: UInt32 = 0x82F6_3B78

  /// Table *k* at 256 *k*: what a byte does to the register when *k* more bytes follow it.
  private static let tables: [UInt32] = {
    var tables: [UInt32] = (0..<256).map { byte in
      (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ polynomial : value >> 1 }
    }
    for index in 256..<(8 * 256) {
      let before = tables[index - 256]
      tables.append(before >> 8 ^ tables[Int(before & 0xFF)])
    }
    return tables
  }()

  /// Takes bytes into a register that is inverted at neither end.
  ///
  /// - Complexity: O(*n*).
  package static func update(_ register: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
    tables.withUnsafeBufferPointer { tables in
      var register = register
      var offset = 0
      while bytes.count - offset >= 8 {
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        register = afterWord(word ^ UInt64(register), tables)
        offset += 8
      }
      for byte in bytes[offset...] {
        register = register >> 8 ^ tables[Int((register ^ UInt32(byte)) & 0xFF)]
      }
      return register
    }
  }

  @inline(__always)
  private static func afterWord(_ word: UInt64, _ tables: UnsafeBufferPointer<UInt32>) -> UInt32 {
    func entry(_ table: Int, _ shift: UInt64) -> UInt32 { tables[table << 8 | Int(word >> shift & 0xFF)] }
    return entry(7, 0) ^ entry(6, 8) ^ entry(5, 16) ^ entry(4, 24)
      ^ entry(3, 32) ^ entry(2, 40) ^ entry(1, 48) ^ entry(0, 56)
  }
}

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
