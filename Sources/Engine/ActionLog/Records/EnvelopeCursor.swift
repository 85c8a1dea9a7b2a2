/// A position in the members that every record begins with, in the order in which the writer puts them.
///
/// Every load is at a place that was compared with the length before.
struct EnvelopeCursor {
  let base: UnsafeRawPointer
  let count: Int
  var position = 0

  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return nil }
    self.base = base
    count = bytes.count
  }

  @inline(__always)
  func byte(at index: Int) -> UInt8 { base.load(fromByteOffset: index, as: UInt8.self) }

  /// The eight bytes from an index on, the first one lowest. The caller has seen that they are there.
  @inline(__always)
  func word(at index: Int) -> UInt64 {
    UInt64(littleEndian: base.loadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  @inline(__always)
  func has(_ size: Int) -> Bool { size <= count &- position }

  /// Goes past a literal of nine bytes, if it stands here.
  @inline(__always)
  mutating func skip(_ first: UInt64, _ last: UInt8) -> Bool {
    guard has(9), word(at: position) == first, byte(at: position &+ 8) == last else { return false }
    position &+= 9
    return true
  }

  /// Goes past an integer without sign, leading zero, fraction or exponent, up to the limit of `seq`.
  @inline(__always)
  mutating func integer() -> Int? {
    // A number of up to seven digits and what ends it; longer ones take the loop.
    guard has(8) else { return nil }
    let digits = word(at: position) ^ DecimalDigits.zeros
    let ends = DecimalDigits.nonDigits(digits)
    guard ends != 0 else { return longInteger() }
    let bits = ends.trailingZeroBitCount & ~7
    // No digit at all, or a leading zero that is not the whole number.
    guard bits > 0, bits == 8 || digits & 0xFF != 0 else { return nil }
    position &+= bits >> 3
    return DecimalDigits.value(digits << UInt64(truncatingIfNeeded: 64 &- bits))
  }

  private mutating func longInteger() -> Int? {
    let start = position
    var value = 0
    // 16 digits are enough for the limit and cannot overflow.
    while position < count, position - start < 17 {
      let digit = byte(at: position) &- UInt8(ascii: "0")
      guard digit <= 9 else { break }
      value = value * 10 + Int(digit)
      position += 1
    }
    guard value <= LogFormat.seqLimit, byte(at: start) != UInt8(ascii: "0") else { return nil }
    return value
  }

  /// Goes past a string of printable ASCII without escapes, and its closing quote.
  ///
  /// It is not inlined: within all that is, the compiler would leave a call for each word that is loaded.
  ///
  /// - Returns: Where it stands, with its quotes; the opening one lies before the position.
  @inline(never)
  mutating func plainString() -> Range<Int>? {
    let start = position &- 1
    // Behind a type there is more than that in every line.
    while has(16) {
      let first = EnvelopeCursor.unusual(word(at: position))
      let second = EnvelopeCursor.unusual(word(at: position &+ 8))
      if (first | second) & EnvelopeCursor.highs == 0 {
        position &+= 16
        continue
      }
      var marks = first & EnvelopeCursor.highs
      if marks == 0 {
        marks = second & EnvelopeCursor.highs
        position &+= 8
      }
      position &+= marks.trailingZeroBitCount >> 3
      guard byte(at: position) == UInt8(ascii: "\"") else { return nil }
      position &+= 1
      return start..<position
    }
    return nil
  }

  private static var ones: UInt64 { 0x0101_0101_0101_0101 }
  private static var highs: UInt64 { 0x8080_8080_8080_8080 }

  /// Marks, by their high bits, the bytes of a word that are no printable ASCII, or a quote, or a backslash.
  ///
  /// Borrows can mark too many bytes, but only above one that is marked rightly; other bits mean nothing.
  @inline(__always)
  private static func unusual(_ word: UInt64) -> UInt64 {
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    return (word &- ones &* 0x20) | (quote &- ones) | (backslash &- ones) | word
  }
}
