extension JSONScanner {
  /// Scans a string, beginning at its opening quote.
  @inline(__always)
  func scanString(_ start: Int) throws(JSONError) -> JSONToken {
    var position = start &+ 1
    // The fast path for strings without escapes and non-ASCII characters, which are nearly all.
    while position &+ 8 <= count {
      let marks = DirectBytes.unusual(ByteWord.load(base + position))
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

  /// Scans the rest of a string that contains escapes, non-ASCII or invalid characters.
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
        throw JSONError(.controlCharacter, "a string contains an unescaped control character", byteOffset: position)
      case 0x80...:
        let size = UTF8Scalar.size(at: base + position, limit: count - position)
        guard size > 0 else { throw JSONError(.invalidUTF8, "a string is not UTF-8", byteOffset: position) }
        position += size
      default:
        position += 1
      }
    }
  }

  @inline(__always)
  private func skipPlain(_ place: Int) -> Int {
    var position = place
    while position &+ 8 <= count {
      let marks = DirectBytes.unusual(ByteWord.load(base + position))
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
}

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

extension JSONScanner {
  /// The largest number of members for which comparing all pairs is faster than sorting.
  private static let pairwiseLimit = 12
  /// The maximum number of scalars of a name that are quoted in a message.
  private static let quotedScalars = 100

  /// Rejects an object with duplicate names.
  ///
  /// If the names are in strictly ascending order, as in dictionaries and the canonical form, comparing neighbors is enough. Otherwise
  /// the names are sorted rather than hashed, so that no input can cause quadratic time.
  mutating func checkNames(of object: Int, _ tokens: RawStack<JSONToken>) throws(JSONError) {
    memory.names.truncate(to: 0)
    var ascends = true
    var index = object &+ 2
    var last = name(tokens[index])
    memory.names.append(last)
    index = JSONScanner.next(after: index &+ 1, tokens)
    while index < tokens.count {
      let name = name(tokens[index])
      if ascends { ascends = last.prefix < name.prefix || (last.prefix == name.prefix && order(last, name) < 0) }
      memory.names.append(name)
      last = name
      index = JSONScanner.next(after: index &+ 1, tokens)
    }
    if ascends { return }
    if memory.names.count <= JSONScanner.pairwiseLimit {
      try checkPairs()
    } else {
      try checkSorted()
    }
  }

  @inline(__always)
  private static func next(after value: Int, _ tokens: RawStack<JSONToken>) -> Int {
    let token = tokens[value]
    return token.isContainer ? token.value : value &+ 1
  }

  @inline(__always)
  private func name(_ token: JSONToken) -> ScannedName {
    ScannedName(prefix: JSONStrings.prefix(token, base, limit: count &- token.start &- 1), token: token)
  }

  private func checkPairs() throws(JSONError) {
    let names = memory.names
    for index in 1..<names.count {
      let name = names[index]
      for earlier in 0..<index where names[earlier].prefix == name.prefix {
        if order(names[earlier], name) == 0 { throw duplicateName(name.token) }
      }
    }
  }

  private func checkSorted() throws(JSONError) {
    let sorted = memory.names.elements.sorted { left, right in
      let order = left.prefix == right.prefix ? self.order(left, right) : left.prefix < right.prefix ? -1 : 1
      return order == 0 ? left.token.start < right.token.start : order < 0
    }
    var duplicate: JSONToken?
    for (left, right) in zip(sorted, sorted.dropFirst()) where left.prefix == right.prefix && order(left, right) == 0 {
      if right.token.start < duplicate?.start ?? count { duplicate = right.token }
    }
    if let duplicate { throw duplicateName(duplicate) }
  }

  func duplicateName(_ token: JSONToken) -> JSONError {
    // A name can be as long as the text.
    let name = JSONStrings.string(token, base)
    let start = String(String.UnicodeScalarView(name.unicodeScalars.prefix(JSONScanner.quotedScalars)))
    let quoted = start.utf8.count == name.utf8.count ? "the name '\(name)'" : "a name that begins with '\(start)'"
    return JSONError(.duplicateName, "two members of an object have \(quoted)", byteOffset: token.start)
  }

  private func order(_ left: ScannedName, _ right: ScannedName) -> Int {
    JSONStrings.order(left.token, right.token, base)
  }
}
