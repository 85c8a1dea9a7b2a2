/// Operations on eight bytes at once.
@usableFromInline
enum DirectBytes {
  /// Marks bytes that a string cannot contain unescaped: less than 0x20, a quote, a backslash.
  ///
  /// - Returns: Zero if there is none. Otherwise the high bit is set in the first such byte, and possibly in bytes
  ///   after it: a borrow can mark too many, but only after a byte that is marked correctly.
  @inlinable @inline(__always)
  static func special(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    let low = (word &- ones &* 0x20) & ~word
    return (low | ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)) & highs
  }

  /// Marks bytes that a string cannot contain unescaped, and bytes that are not ASCII, in fewer steps.
  ///
  /// - Returns: As ``special(_:)``.
  @inlinable @inline(__always)
  static func unusual(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    return ((word &- ones &* 0x20) | (quote &- ones) | (backslash &- ones) | word) & highs
  }

  /// The high bit of each byte.
  @inlinable @inline(__always)
  static var highs: UInt64 { 0x8080_8080_8080_8080 }
}
