internal import CSystem

/// A running CRC-32C, the checksum at the end of every line of a log.
///
/// The polynomial is Castagnoli's, with reflected bits, and the register is inverted at both ends. The checksum of
/// `123456789` is `e3069283` (RFC 3720, appendix B.4). SSE 4.2 and ARMv8 have instructions for it; other processors use
/// ``CRC32CTables``.
package struct CRC32C: Sendable {
  private var register: UInt32

  package init() {
    register = .max
  }

  /// Continues from the result of another computation.
  package init(continuing checksum: UInt32) {
    register = ~checksum
  }

  package var checksum: UInt32 { ~register }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    if csystem_crc32c_is_available() {
      register = csystem_crc32c_update(register, start, bytes.count)
    } else {
      register = CRC32CTables.update(register, bytes)
    }
  }

  package mutating func update(_ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { buffer in update(buffer) }
  }

  package static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
    var crc = CRC32C()
    crc.update(bytes)
    return crc.checksum
  }

  package static func checksum(of bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.withUnsafeBytes { buffer in checksum(of: buffer) }
  }

  package static func checksum(of bytes: [UInt8]) -> UInt32 {
    bytes.withUnsafeBytes { buffer in checksum(of: buffer) }
  }
}

/// CRC-32C without special instructions: eight bytes at a time, with eight tables of 256 entries.
///
/// M. E. Kounavis and F. L. Berry, "Novel table lookup-based algorithms for high-performance CRC generation", IEEE
/// Transactions on Computers 57, 2008 ("slicing-by-8").
package enum CRC32CTables {
  /// Castagnoli's polynomial 1EDC6F41, with reflected bits.
  private static let polynomial: UInt32 = 0x82F6_3B78

  /// Table *k* starts at 256 *k*. It has the effect of a byte on the register after *k* more bytes.
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

  /// Adds bytes to a register that is not inverted.
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

/// The text of a checksum in a line: 8 lowercase hexadecimal digits.
package enum ChecksumDigits {
  package static let count = 8

  private static let digits = Array("0123456789abcdef".utf8)

  package static func append(_ checksum: UInt32, to bytes: inout [UInt8]) {
    for shift in stride(from: 28, through: 0, by: -4) {
      bytes.append(digits[Int(checksum >> UInt32(shift) & 0xF)])
    }
  }

  /// Returns the digits as a little-endian word.
  @inline(__always)
  static func word(_ checksum: UInt32) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    // Spread each byte over two, with its high half first.
    var halves = UInt64(checksum.byteSwapped)
    halves = (halves | halves << 16) & 0x0000_FFFF_0000_FFFF
    halves = (halves | halves << 8) & 0x00FF_00FF_00FF_00FF
    halves = (halves >> 4 & 0x000F_000F_000F_000F) | (halves & 0x000F_000F_000F_000F) << 8
    // 39 is the distance from the character after `9` to `a`.
    let letters = (halves &+ ones &* 6) >> 4 & ones
    return halves &+ ones &* 0x30 &+ letters &* 39
  }

  /// Returns the digits as text, for messages.
  package static func text(_ checksum: UInt32) -> String {
    var bytes: [UInt8] = []
    append(checksum, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the checksum; `nil` unless there are exactly eight lowercase digits.
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

/// Eight letters that give a line a required checksum.
///
/// A redacted line keeps the checksum that it had, so that the next line, `HEAD` and other copies of the log still fit. The
/// letters are `H`…`O` and `h`…`o`: bits 0, 1, 2 and 5 of each are free. CRC-32C is linear in the bits of its input, and the
/// effects of these 32 bits on the checksum are linearly independent, so exactly one text has the required effect. Only the
/// distance from the end of the input matters for a bit's effect, so the system of equations is the same for all lines.
package enum ChecksumFill {
  static let count = LineRedaction.fillSizeBytes

  /// The letter with all free bits clear.
  private static let base = UInt8(ascii: "H")
  private static let freeBits: [UInt8] = [0x01, 0x02, 0x04, 0x20]
  /// What follows the letters before the commit mark.
  private static let ending = [UInt8(ascii: "\"")]

  /// Combinations of free bits, by the highest bit that each changes in the checksum.
  private static let basis: [(effect: UInt32, bits: UInt32)] = {
    let plain = [UInt8](repeating: base, count: count) + ending
    let checksum = CRC32C.checksum(of: plain)
    var basis = [(effect: UInt32, bits: UInt32)](repeating: (0, 0), count: 32)
    for index in 0..<32 {
      var changed = plain
      changed[index / 4] ^= freeBits[index % 4]
      var vector = (effect: CRC32C.checksum(of: changed) ^ checksum, bits: UInt32(1) << UInt32(index))
      // Subtracts known combinations until the highest bit is new.
      while vector.effect != 0 {
        let pivot = 31 - vector.effect.leadingZeroBitCount
        guard basis[pivot].effect != 0 else {
          basis[pivot] = vector
          break
        }
        vector.effect ^= basis[pivot].effect
        vector.bits ^= basis[pivot].bits
      }
    }
    return basis
  }()

  package static func letters(after text: [UInt8], reaching checksum: UInt32) -> [UInt8] {
    var crc = CRC32C(continuing: CRC32C.checksum(of: text))
    crc.update(([UInt8](repeating: base, count: count) + ending)[...])
    var difference = crc.checksum ^ checksum
    var bits: UInt32 = 0
    while difference != 0 {
      let vector = basis[31 - difference.leadingZeroBitCount]
      // All 32 effects are independent, so that no vector is missing. A test computes the rank.
      precondition(vector.effect != 0, "the free bits do not reach every checksum")
      difference ^= vector.effect
      bits ^= vector.bits
    }
    return (0..<count).map { letter in
      (0..<4).reduce(base) { byte, bit in
        bits >> UInt32(letter * 4 + bit) & 1 == 1 ? byte ^ freeBits[bit] : byte
      }
    }
  }
}
