extension JSONScanner {
  /// Scans a string, beginning at its opening quote.
  @inline(__always)
  func scanString(_ start: Int) throws(JSONError) -> JSONToken {
    var position = start &+ 1
    // The end of nearly every string is found here: no escape, nothing beyond ASCII.
    while position &+ 8 <= count {
      let word = ByteWord.load(base + position)
      let marks = (ByteWord.special(word) | word) & ByteWord.highs
      if marks == 0 {
        position &+= 8
        continue
      }
      position &+= marks.trailingZeroBitCount >> 3
      guard base[position] == UInt8(ascii: "\"") else { break }
      return JSONToken(.string, start: start, value: position &+ 1 &- start)
    }
    return try scanRest(position, of: start)
  }

  /// Scans the part of a string that needs a closer look.
  @inline(never)
  private func scanRest(_ place: Int, of start: Int) throws(JSONError) -> JSONToken {
    var position = place
    var kind = JSONToken.Kind.string
    while true {
      position = skipPlain(position)
      guard position < count else { throw unexpectedEnd("the end of a string") }
      switch base[position] {
      case UInt8(ascii: "\""):
        return JSONToken(kind, start: start, value: position + 1 - start)
      case UInt8(ascii: "\\"):
        kind = .escapedString
        position = try scanEscape(position)
      case 0..<0x20:
        throw JSONError(.controlCharacter, "a control character stands unescaped in a string", byteOffset: position)
      case 0x80...:
        position += try scalarLength(position)
      default:
        position += 1
      }
    }
  }

  /// Skips bytes that stand for themselves, eight at a time.
  @inline(__always)
  private func skipPlain(_ place: Int) -> Int {
    var position = place
    while position &+ 8 <= count {
      let word = ByteWord.load(base + position)
      let marks = (ByteWord.special(word) | word) & ByteWord.highs
      if marks != 0 { return position &+ marks.trailingZeroBitCount >> 3 }
      position &+= 8
    }
    return position
  }

  private func scanEscape(_ start: Int) throws(JSONError) -> Int {
    guard start + 1 < count else { throw unexpectedEnd("an escape") }
    switch base[start + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return start + 2
    case UInt8(ascii: "u"):
      let unit = try scanHex(at: start + 2)
      return unit & 0xF800 == 0xD800 ? try scanLowSurrogate(after: unit, at: start) : start + 6
    default:
      throw JSONError(.invalidEscape, "a backslash begins no escape of RFC 8259", byteOffset: start)
    }
  }

  private func scanLowSurrogate(after unit: UInt16, at start: Int) throws(JSONError) -> Int {
    let position = start + 6
    let lone = JSONError(.loneSurrogate, "an escaped surrogate has no partner", byteOffset: start)
    guard unit < 0xDC00, position + 1 < count else { throw lone }
    guard base[position] == UInt8(ascii: "\\"), base[position + 1] == UInt8(ascii: "u") else { throw lone }
    let low = try scanHex(at: position + 2)
    guard low & 0xFC00 == 0xDC00 else { throw lone }
    return position + 6
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

  /// The length of a scalar beyond ASCII, by the table of well-formed byte sequences of the Unicode standard (table 3-7).
  private func scalarLength(_ position: Int) throws(JSONError) -> Int {
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
    return length
  }
}
