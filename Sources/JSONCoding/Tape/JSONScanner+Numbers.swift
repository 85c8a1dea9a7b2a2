extension JSONScanner {
  /// Scans `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`; the position is at a digit or a minus sign.
  mutating func scanNumber() throws(JSONError) {
    let start = position
    var kind = JSONToken.Kind.integer
    if base[position] == UInt8(ascii: "-") { position += 1 }
    let firstDigit = position
    try scanDigits()
    if base[firstDigit] == UInt8(ascii: "0"), position > firstDigit + 1 {
      throw JSONError(.invalidNumber, "a number has a leading zero", byteOffset: firstDigit)
    }
    if position < count, base[position] == UInt8(ascii: ".") {
      kind = .decimal
      position += 1
      try scanDigits()
    }
    if position < count, base[position] | 0x20 == UInt8(ascii: "e") {
      kind = .decimal
      position += 1
      if position < count, base[position] == UInt8(ascii: "+") || base[position] == UInt8(ascii: "-") { position += 1 }
      try scanDigits()
    }
    tokens.append(JSONToken(kind, start: start, value: position - start))
  }

  private mutating func scanDigits() throws(JSONError) {
    let first = position
    while position < count, (0x30...0x39).contains(base[position]) { position += 1 }
    if position == first {
      throw JSONError(.invalidNumber, "a digit is missing in a number", byteOffset: position)
    }
  }
}
