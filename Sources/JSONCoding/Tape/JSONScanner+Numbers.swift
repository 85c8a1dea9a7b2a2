extension JSONScanner {
  /// Scans `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`, beginning at a digit or a minus sign.
  func scanNumber(_ start: Int) throws(JSONError) -> JSONToken {
    var position = start
    var kind = JSONToken.Kind.integer
    if base[position] == UInt8(ascii: "-") { position &+= 1 }
    let firstDigit = position
    position = try scanDigits(position)
    if base[firstDigit] == UInt8(ascii: "0"), position > firstDigit &+ 1 {
      throw JSONError(.invalidNumber, "a number has a leading zero", byteOffset: firstDigit)
    }
    if position < count, base[position] == UInt8(ascii: ".") {
      kind = .decimal
      position = try scanDigits(position &+ 1)
    }
    if position < count, base[position] | 0x20 == UInt8(ascii: "e") {
      kind = .decimal
      position &+= 1
      if position < count, base[position] == UInt8(ascii: "+") || base[position] == UInt8(ascii: "-") { position &+= 1 }
      position = try scanDigits(position)
    }
    return JSONToken(kind, start: start, value: position &- start)
  }

  @inline(__always)
  private func scanDigits(_ first: Int) throws(JSONError) -> Int {
    var position = first
    while position < count, base[position] &- 0x30 < 10 { position &+= 1 }
    if position == first {
      throw JSONError(.invalidNumber, "a digit is missing in a number", byteOffset: position)
    }
    return position
  }
}
