/// A position in the members that every record begins with.
struct EnvelopeCursor {
  let bytes: UnsafeRawBufferPointer
  var position = 0

  init(bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// Goes past a literal, if it stands here.
  @inline(__always)
  mutating func skip(_ literal: StaticString) -> Bool {
    guard ByteSearch.has(literal, in: bytes, at: position) else { return false }
    position += literal.utf8CodeUnitCount
    return true
  }

  /// Goes past an integer without sign, leading zero, fraction or exponent, up to the limit of `seq`.
  mutating func integer() -> Int? {
    let start = position
    var value = 0
    // 16 digits are enough for the limit and cannot overflow.
    while position < bytes.count, position - start < 17 {
      let digit = bytes[position] &- UInt8(ascii: "0")
      guard digit <= 9 else { break }
      value = value * 10 + Int(digit)
      position += 1
    }
    let size = position - start
    guard size > 0, value <= LogFormat.seqLimit, size == 1 || bytes[start] != UInt8(ascii: "0") else { return nil }
    return value
  }

  /// Goes past 27 bytes of time.
  mutating func time() -> LogTime? {
    guard LogTime.textSizeBytes <= bytes.count - position else { return nil }
    let end = position + LogTime.textSizeBytes
    defer { position = end }
    return LogTime.parse(UnsafeRawBufferPointer(rebasing: bytes[position..<end]))
  }

  /// Goes past 8 hexadecimal digits.
  mutating func checksum() -> UInt32? {
    guard ChecksumDigits.count <= bytes.count - position else { return nil }
    let end = position + ChecksumDigits.count
    defer { position = end }
    return ChecksumDigits.parse(bytes[position..<end])
  }

  /// Goes past a string of printable ASCII without escapes.
  ///
  /// - Returns: Where it stands, with its quotes.
  mutating func plainString() -> Range<Int>? {
    let start = position
    guard skip("\"") else { return nil }
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\"") { return start..<position }
      guard byte >= 0x20, byte < 0x80, byte != UInt8(ascii: "\\") else { return nil }
    }
    return nil
  }
}
