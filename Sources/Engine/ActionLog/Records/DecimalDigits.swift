/// Eight digits in one word, the first one lowest: what a loop over bytes needs eight rounds for.
///
/// After D. Lemire, "Quickly parsing eight digits" (2018).
enum DecimalDigits {
  /// Eight characters `0`.
  static let zeros: UInt64 = 0x3030_3030_3030_3030

  /// Marks, by their high bits, the bytes of a word that are no digits. The word has had ``zeros`` taken out by
  /// exclusive or.
  @inline(__always)
  static func nonDigits(_ word: UInt64) -> UInt64 {
    // A byte above 9 and below 0x80 gets its high bit by the sum. A carry out of a byte is out of one that is marked.
    ((word &+ 0x7676_7676_7676_7676) | word) & 0x8080_8080_8080_8080
  }

  /// The number that eight digits make, each 0 to 9.
  @inline(__always)
  static func value(_ digits: UInt64) -> Int {
    let pairs = digits &* 10 &+ digits >> 8
    let low = (pairs & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064
    let high = (pairs >> 16 & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001
    return Int(truncatingIfNeeded: (low &+ high) >> 32)
  }
}

extension DecimalDigits {
  /// 10⁸: one more than what eight digits can say.
  static let limit = 100_000_000

  /// The eight digits of a number below ``limit``, each 0 to 9, the first one lowest.
  @inline(__always)
  static func digits(of value: Int) -> UInt64 {
    let value = UInt64(truncatingIfNeeded: value)
    // Halves, quarters, digits: each step divides all parts at once by multiplying with the reciprocal.
    let halves = value / 10_000 | (value % 10_000) << 32
    let hundreds = ((halves &* 10_486) >> 20) & 0x0000_007F_0000_007F
    let quarters = hundreds | (halves &- hundreds &* 100) << 16
    let tens = ((quarters &* 103) >> 10) & 0x000F_000F_000F_000F
    return tens | (quarters &- tens &* 10) << 8
  }
}
