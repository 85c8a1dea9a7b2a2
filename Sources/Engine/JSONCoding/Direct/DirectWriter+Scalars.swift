extension DirectWriter {
  /// Appends a string with its quotes.
  @inlinable
  public mutating func string(_ string: String) {
    // Native strings provide their bytes. Only strings bridged from another runtime are copied first.
    let isWritten: Void? = string.utf8.withContiguousStorageIfAvailable { bytes in self.string(utf8: bytes) }
    if isWritten == nil { bridged(string) }
  }

  @usableFromInline @inline(never)
  mutating func bridged(_ string: String) {
    var copy = string
    copy.withUTF8 { bytes in self.string(utf8: bytes) }
  }

  /// Appends a string of valid UTF-8 with its quotes, eight bytes at a time while none needs an escape.
  @inlinable
  mutating func string(utf8 bytes: UnsafeBufferPointer<UInt8>) {
    let count = bytes.count
    // Two quotes, and the excess of the last word.
    reserve(count &+ 10)
    next[0] = UInt8(ascii: "\"")
    guard let source = bytes.baseAddress else { return finish(0) }
    let target = UnsafeMutableRawPointer(next + 1)
    let raw = UnsafeRawPointer(source)
    guard count >= 8 else { return short(bytes) }
    var index = 0
    let last = count &- 8
    while index < last {
      let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      guard DirectBytes.unusual(word) == 0 || DirectBytes.special(word) == 0 else {
        return escaping(bytes)
      }
      target.storeBytes(of: word, toByteOffset: index, as: UInt64.self)
      index &+= 8
    }
    // The last word overlaps the one before it.
    let word = raw.loadUnaligned(fromByteOffset: last, as: UInt64.self)
    guard DirectBytes.unusual(word) == 0 || DirectBytes.special(word) == 0 else {
      return escaping(bytes)
    }
    target.storeBytes(of: word, toByteOffset: last, as: UInt64.self)
    finish(count)
  }

  /// Appends a string of less than eight bytes. The memory is reserved.
  @inlinable mutating func short(_ bytes: UnsafeBufferPointer<UInt8>) {
    let count = bytes.count
    guard count > 0, let source = bytes.baseAddress else { return finish(0) }
    let raw = UnsafeRawPointer(source)
    var word: UInt64
    if count >= 4 {
      // Two overlapping halves.
      let tail = count &- 4
      let first = UInt32(littleEndian: raw.loadUnaligned(as: UInt32.self))
      let last = UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: tail, as: UInt32.self))
      word = UInt64(first) | UInt64(last) &<< UInt64(truncatingIfNeeded: tail &* 8)
    } else {
      // The first, middle and last byte, which may be the same.
      let (middle, last) = (count &>> 1, count &- 1)
      word =
        UInt64(source[0]) | UInt64(source[middle]) &<< UInt64(truncatingIfNeeded: middle &* 8)
        | UInt64(source[last]) &<< UInt64(truncatingIfNeeded: last &* 8)
    }
    // Padding that is not marked.
    let padded = word | 0x2020_2020_2020_2020 &<< UInt64(truncatingIfNeeded: count &* 8)
    guard DirectBytes.special(padded) == 0 else { return escaping(bytes) }
    // There is memory for a word after the quote.
    UnsafeMutableRawPointer(next + 1).storeBytes(of: word.littleEndian, as: UInt64.self)
    finish(count)
  }

  @inlinable @inline(__always)
  mutating func finish(_ count: Int) {
    next[count &+ 1] = UInt8(ascii: "\"")
    next += count &+ 2
  }

  @usableFromInline @inline(never)
  mutating func escaping(_ bytes: UnsafeBufferPointer<UInt8>) {
    var text: [UInt8] = []
    JSONText.appendString(utf8: bytes, to: &text)
    append(text)
  }
}

extension DirectWriter {
  /// Appends an integer of at most 64 bits.
  @inlinable
  public mutating func integer<Integer: FixedWidthInteger>(_ value: Integer) {
    let magnitude = UInt64(truncatingIfNeeded: value.magnitude)
    // A sign and at most 20 digits.
    reserve(21)
    if value < 0 {
      next.pointee = UInt8(ascii: "-")
      next += 1
    }
    if magnitude < 10 {
      next.pointee = 0x30 &+ UInt8(truncatingIfNeeded: magnitude)
      next += 1
    } else {
      digits(magnitude)
    }
  }

  @usableFromInline
  mutating func digits(_ magnitude: UInt64) {
    var count = 0
    var rest = magnitude
    repeat {
      count &+= 1
      rest /= 10
    } while rest > 0
    rest = magnitude
    for index in stride(from: count - 1, through: 0, by: -1) {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      next[index] = 0x30 &+ UInt8(truncatingIfNeeded: digit)
      rest = quotient
    }
    next += count
  }

  /// Appends `true` or `false`.
  @inlinable
  public mutating func bool(_ value: Bool) {
    if value { literal("true") } else { literal("false") }
  }

  /// Appends a number that need not be an integer, in the form of RFC 8785.
  public mutating func double(_ value: Double) {
    // Zero may be negative, so the general rule applies.
    if value.magnitude < 9_007_199_254_740_992, value != 0, value == value.rounded(.towardZero) {
      integer(Int64(value))
    } else {
      var text: [UInt8] = []
      JSONText.append(value, to: &text)
      append(text)
    }
  }

  /// Appends a number that need not be an integer, with a float's own shortest digits.
  public mutating func float(_ value: Float) {
    var text: [UInt8] = []
    JSONText.append(value, to: &text)
    append(text)
  }
}
