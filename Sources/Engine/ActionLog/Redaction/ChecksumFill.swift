/// Eight letters that give a line a required checksum.
///
/// A redacted line keeps the checksum that it had, so that the next line, `HEAD` and other copies of the log still fit. The
/// letters are `H`…`O` and `h`…`o`: bits 0, 1, 2 and 5 of each are free. CRC-32C is linear in the bits of its input, and the
/// effects of these 32 bits on the checksum are linearly independent, so exactly one text has the required effect. Only the
/// distance from the end of the input matters for a bit's effect, so the system of equations is the same for all lines.
package enum ChecksumFill {
  /// The number of letters.
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

  /// Returns the letters.
  ///
  /// - Parameters:
  ///   - text: The line up to the letters.
  ///   - checksum: The checksum of the text, the letters and a quote.
  /// - Complexity: O(length of the text).
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
