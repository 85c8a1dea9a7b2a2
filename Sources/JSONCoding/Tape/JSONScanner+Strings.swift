extension JSONScanner {
  /// Scans a string; the position is at its opening quote.
  mutating func scanString() throws(JSONError) {
    let start = position
    var kind = JSONToken.Kind.string
    position += 1
    while true {
      skipPlain()
      guard position < count else { throw unexpectedEnd("the end of a string") }
      switch base[position] {
      case UInt8(ascii: "\""):
        position += 1
        tokens.append(JSONToken(kind, start: start, value: position - start))
        return
      case UInt8(ascii: "\\"):
        kind = .escapedString
        try scanEscape()
      case 0..<0x20:
        throw JSONError(.controlCharacter, "a control character stands unescaped in a string", byteOffset: position)
      case 0x80...:
        try scanScalar()
      default:
        position += 1
      }
    }
  }

  /// Skips bytes that stand for themselves, eight at a time.
  @inline(__always)
  private mutating func skipPlain() {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    while position &+ 8 <= count {
      let word = UnsafeRawPointer(base + position).loadUnaligned(as: UInt64.self)
      let quote = word ^ (ones &* 0x22)
      let backslash = word ^ (ones &* 0x5C)
      // A high bit in a byte marks: less than 0x20, a quote, a backslash, or not ASCII. Borrows can only mark too many.
      let special = (word &- ones &* 0x20) | (quote &- ones) | (backslash &- ones) | word
      let marks = special & highs
      if marks == 0 {
        position &+= 8
      } else {
        position &+= UInt64(littleEndian: marks).trailingZeroBitCount >> 3
        return
      }
    }
  }

  private mutating func scanEscape() throws(JSONError) {
    let start = position
    guard start + 1 < count else { throw unexpectedEnd("an escape") }
    switch base[start + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 2
    case UInt8(ascii: "u"):
      let unit = try scanHex(at: start + 2)
      position += 6
      if unit & 0xF800 == 0xD800 { try scanLowSurrogate(after: unit, at: start) }
    default:
      throw JSONError(.invalidEscape, "a backslash begins no escape of RFC 8259", byteOffset: start)
    }
  }

  private mutating func scanLowSurrogate(after unit: UInt16, at start: Int) throws(JSONError) {
    let lone = JSONError(.loneSurrogate, "an escaped surrogate has no partner", byteOffset: start)
    guard unit < 0xDC00, position + 1 < count else { throw lone }
    guard base[position] == UInt8(ascii: "\\"), base[position + 1] == UInt8(ascii: "u") else { throw lone }
    let low = try scanHex(at: position + 2)
    guard low & 0xFC00 == 0xDC00 else { throw lone }
    position += 6
  }

  private func scanHex(at start: Int) throws(JSONError) -> UInt16 {
    var unit: UInt16 = 0
    for index in start..<start + 4 {
      guard index < count else { throw unexpectedEnd("four hexadecimal digits") }
      guard let digit = JSONScanner.hexValue(base[index]) else {
        throw JSONError(.invalidEscape, "an escape has no four hexadecimal digits", byteOffset: index)
      }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }

  static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 0x30
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 0x57
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - 0x37
    default: nil
    }
  }

  /// Scans a scalar beyond ASCII, by the table of well-formed byte sequences of the Unicode standard (table 3-7).
  private mutating func scanScalar() throws(JSONError) {
    let first = base[position]
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch first {
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: length = 4
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: length = 0
    }
    let invalid = length == 0 || position + length > count || !second.contains(base[position + 1])
    if invalid || (2..<max(2, length)).contains(where: { base[position + $0] & 0xC0 != 0x80 }) {
      throw JSONError(.invalidUTF8, "a string is not UTF-8", byteOffset: position)
    }
    position += length
  }
}
