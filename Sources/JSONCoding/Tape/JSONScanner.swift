/// Turns bytes into tokens in one pass, refusing whatever RFC 8259 and the format page do not allow.
///
/// It does not recurse: while a container is open, its first token holds the index of the container around it, and the
/// second one counts. So depth costs no stack, and nothing is allocated but the tokens.
struct JSONScanner {
  let base: UnsafePointer<UInt8>
  let count: Int
  let maximumDepth: Int
  var position = 0
  var tokens: [JSONToken] = []
  /// Scratch space for the check of names, kept between objects.
  var names: [JSONToken] = []

  /// The deepest nesting met so far.
  private(set) var deepest = 0

  private var open = JSONScanner.none
  private var depth = 0

  /// The container around the root.
  private static let none = JSONToken.limit - 1

  init(_ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) {
    // An empty buffer has no address; nothing is read from this one.
    base = bytes.baseAddress ?? ("" as StaticString).utf8Start
    count = bytes.count
    self.maximumDepth = maximumDepth
  }

  /// Scans the whole text.
  ///
  /// - Complexity: O(*n*), plus O(*m* log *m*) for an object of *m* members whose names do not ascend.
  mutating func scan() throws(JSONError) {
    guard count < JSONToken.limit else {
      throw JSONError(.tooLarge, "the text has \(count) bytes, more than \(JSONToken.limit - 1)", byteOffset: 0)
    }
    if count >= 3, base[0] == 0xEF, base[1] == 0xBB, base[2] == 0xBF {
      throw JSONError(.byteOrderMark, "the text begins with a byte order mark", byteOffset: 0)
    }
    tokens.reserveCapacity(count / 8 + 4)
    repeat {
      try scanValue()
    } while try scanAfterValue()
    guard position == count else {
      throw JSONError(.trailingBytes, "something follows the value", byteOffset: position)
    }
  }

  /// Scans scalars and opening brackets up to the next end of a value.
  private mutating func scanValue() throws(JSONError) {
    while true {
      skipWhitespace()
      guard position < count else { throw unexpectedEnd("a value") }
      switch base[position] {
      case UInt8(ascii: "{"):
        try openContainer(.object)
        if try closesAtOnce(UInt8(ascii: "}")) { return }
        try scanName()
      case UInt8(ascii: "["):
        try openContainer(.array)
        if try closesAtOnce(UInt8(ascii: "]")) { return }
      case UInt8(ascii: "\""):
        return try scanString()
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        return try scanNumber()
      case UInt8(ascii: "t"):
        return try scanLiteral("true", .true)
      case UInt8(ascii: "f"):
        return try scanLiteral("false", .false)
      case UInt8(ascii: "n"):
        return try scanLiteral("null", .null)
      default:
        throw unexpectedByte("a value")
      }
    }
  }

  /// Closes what ends here, and goes on to the place of the next value.
  ///
  /// - Returns: Whether another value has to follow.
  private mutating func scanAfterValue() throws(JSONError) -> Bool {
    while true {
      skipWhitespace()
      if open == JSONScanner.none { return false }
      let isObject = tokens[open].kind == .object
      tokens[open + 1].increment()
      guard position < count else { throw unexpectedEnd(isObject ? "',' or '}'" : "',' or ']'") }
      switch base[position] {
      case UInt8(ascii: ","):
        position += 1
        if isObject { try scanName() }
        return true
      case UInt8(ascii: "}") where isObject:
        try checkNames(of: open)
        closeContainer()
      case UInt8(ascii: "]") where !isObject:
        closeContainer()
      default:
        throw unexpectedByte(isObject ? "',' or '}'" : "',' or ']'")
      }
    }
  }

  private mutating func openContainer(_ kind: JSONToken.Kind) throws(JSONError) {
    depth += 1
    guard depth <= maximumDepth else {
      throw JSONError(.tooDeep, "the nesting is deeper than \(maximumDepth)", byteOffset: position)
    }
    deepest = max(deepest, depth)
    let index = tokens.count
    tokens.append(JSONToken(kind, start: position, value: open))
    tokens.append(JSONToken(.span, start: 0, value: 0))
    open = index
    position += 1
  }

  private mutating func closesAtOnce(_ bracket: UInt8) throws(JSONError) -> Bool {
    skipWhitespace()
    guard position < count, base[position] == bracket else { return false }
    closeContainer()
    return true
  }

  private mutating func closeContainer() {
    position += 1
    depth -= 1
    let first = tokens[open]
    tokens[open] = JSONToken(first.kind, start: first.start, value: tokens.count)
    tokens[open + 1] = JSONToken(.span, start: position, value: tokens[open + 1].value)
    open = first.value
  }

  private mutating func scanName() throws(JSONError) {
    skipWhitespace()
    guard position < count else { throw unexpectedEnd("a name") }
    guard base[position] == UInt8(ascii: "\"") else { throw unexpectedByte("a name") }
    try scanString()
    skipWhitespace()
    guard position < count else { throw unexpectedEnd("':'") }
    guard base[position] == UInt8(ascii: ":") else { throw unexpectedByte("':'") }
    position += 1
  }

  private mutating func scanLiteral(_ literal: StaticString, _ kind: JSONToken.Kind) throws(JSONError) {
    let start = position
    for index in 0..<literal.utf8CodeUnitCount {
      guard position < count else { throw unexpectedEnd("'\(literal)'") }
      guard base[position] == literal.utf8Start[index] else { throw unexpectedByte("'\(literal)'") }
      position += 1
    }
    tokens.append(JSONToken(kind, start: start, value: position - start))
  }

  @inline(__always)
  private mutating func skipWhitespace() {
    while position < count {
      let byte = base[position]
      if byte > 0x20 { return }
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
      position += 1
    }
  }
}

extension JSONScanner {
  /// The error for a text that ends too early.
  func unexpectedEnd(_ expected: String) -> JSONError {
    JSONError(.unexpectedEnd, "the text ends where \(expected) was expected", byteOffset: count)
  }

  /// The error for the byte at the position.
  func unexpectedByte(_ expected: String) -> JSONError {
    let byte = base[position]
    let found =
      (0x21..<0x7F).contains(byte)
      ? "'\(Unicode.Scalar(byte))'" : "the byte 0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    return JSONError(.unexpectedByte, "\(found) stands where \(expected) was expected", byteOffset: position)
  }
}
