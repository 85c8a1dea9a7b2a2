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
