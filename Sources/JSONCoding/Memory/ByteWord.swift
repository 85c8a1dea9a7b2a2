/// Eight bytes at once, in the order of memory: the first byte is the lowest one on every platform.
enum ByteWord {
  static let ones: UInt64 = 0x0101_0101_0101_0101
  static let highs: UInt64 = 0x8080_8080_8080_8080

  @inline(__always)
  static func load(_ address: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(address).loadUnaligned(as: UInt64.self))
  }

  /// Marks with its high bit each byte that ends a run of plain characters of a string: a quote, a backslash, a control character.
  ///
  /// The lowest mark is exact; borrows can mark too many bytes above it, and bytes beyond ASCII may be marked.
  @inline(__always)
  static func special(_ word: UInt64) -> UInt64 {
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    return ((word &- ones &* 0x20) | (quote &- ones) | (backslash &- ones)) & highs
  }

  /// The first up to eight bytes of a name as a number that sorts like them; shorter names are filled up with zeros.
  ///
  /// - Parameter limit: How many bytes may be read from the address, at least `count`.
  @inline(__always)
  static func prefix(_ address: UnsafePointer<UInt8>, count: Int, limit: Int) -> UInt64 {
    if limit >= 8 {
      let word = load(address).byteSwapped
      return count >= 8 ? word : count == 0 ? 0 : word & ~(.max >> UInt64(count &* 8))
    }
    var word: UInt64 = 0
    for index in 0..<min(count, 8) { word |= UInt64(address[index]) << UInt64(56 &- index &* 8) }
    return word
  }
}
