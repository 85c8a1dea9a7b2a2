/// Turns bytes into tokens in one pass, refusing whatever RFC 8259 and the format page do not allow.
///
/// It does not recurse: while a container is open, its first token holds the index of the container around it, and the
/// second one counts. So depth costs no stack, and nothing is allocated but the tokens. What changes with every byte is kept in
/// local variables, because a write of a token might change a property for all that the compiler knows.
struct JSONScanner {
  let base: UnsafePointer<UInt8>
  let count: Int
  let maximumDepth: Int
  /// Where the scan begins, and after it the first byte behind the value.
  private(set) var position = 0
  var memory: ScannerMemory

  /// The deepest nesting met so far.
  private(set) var deepest = 0

  /// The container around the root.
  private static let none = JSONToken.limit - 1

  init(_ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int, memory: ScannerMemory = ScannerMemory()) {
    // An empty buffer has no address; nothing is read from this one.
    base = bytes.baseAddress ?? ("" as StaticString).utf8Start
    count = bytes.count
    self.maximumDepth = maximumDepth
    self.memory = memory
    self.memory.tokens.truncate(to: 0)
  }

  /// Makes a scanner that goes on at a value in the middle of a text, behind tokens that are there already.
  init(_ bytes: UnsafeBufferPointer<UInt8>, from position: Int, maximumDepth: Int, memory: ScannerMemory) {
    self.init(bytes, maximumDepth: maximumDepth)
    self.memory = memory
    self.position = position
  }

  /// Where something else than white space follows the value; the end of the text when nothing does.
  var nextByte: Int { skipWhitespace(position) }

  /// Whether nothing but white space follows the value.
  var isAtEnd: Bool { nextByte == count }

  /// Scans the whole text.
  ///
  /// - Complexity: O(*n*), plus O(*m* log *m*) for an object of *m* members whose names do not ascend.
  mutating func scan() throws(JSONError) {
    try scanValue()
    position = nextByte
    guard position == count else { throw trailingBytes(position) }
  }

  /// Scans the value at the position, which is the beginning of the text unless said otherwise.
  ///
  /// - Complexity: As for the whole text, in the length of the value.
  mutating func scanValue() throws(JSONError) {
    _ = try scanValue(isKept: true) { _, _, _ in }
  }

  /// Goes past the value at the position as strictly as ``scanValue()``, and keeps nothing of it.
  ///
  /// While it is under way, the tokens are those of the objects and arrays that are open, and the names of the objects among them,
  /// which must differ: memory is that of the names, eight bytes each.
  ///
  /// - Parameter visit: Is called with each member of an object that is the value itself, once it is past: its name, the first
  ///   token of its value, and the end of its value.
  /// - Returns: The first token of the value.
  /// - Complexity: As for ``scanValue()``.
  mutating func skimValue(
    _ visit: (_ name: JSONToken, _ value: JSONToken, _ end: Int) -> Void
  ) throws(JSONError) -> JSONToken {
    try scanValue(isKept: false, visit)
  }

  /// One grammar for both: where it is inlined, it is known which.
  @inline(__always)
  private mutating func scanValue(
    isKept: Bool, _ visit: (_ name: JSONToken, _ value: JSONToken, _ end: Int) -> Void
  ) throws(JSONError) -> JSONToken {
    guard count < JSONToken.limit else {
      throw JSONError(.tooLarge, "the text has \(count) bytes, more than \(JSONToken.limit - 1)", byteOffset: 0)
    }
    if count >= 3, base[0] == 0xEF, base[1] == 0xBB, base[2] == 0xBF {
      throw JSONError(.byteOrderMark, "the text begins with a byte order mark", byteOffset: 0)
    }
    var tokens = memory.tokens
    var (position, open, depth) = (self.position, JSONScanner.none, 0)
    defer {
      memory.tokens = tokens
      self.position = position
    }
    var isObject = false
    // The value that is past, of those that are not kept.
    var last = JSONToken(.null, start: 0, value: 0)
    while true {
      position = skipWhitespace(position)
      guard position < count else { throw unexpectedEnd("a value") }
      switch base[position] {
      case UInt8(ascii: "\""):
        let token = try scanString(position)
        position = token.start &+ token.value
        if isKept { tokens.append(token) } else { last = token }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        isObject = base[position] == UInt8(ascii: "{")
        depth += 1
        guard depth <= maximumDepth else {
          throw JSONError(.tooDeep, "the nesting is deeper than \(maximumDepth)", byteOffset: position)
        }
        if depth > deepest { deepest = depth }
        let index = tokens.count
        tokens.append(JSONToken(isObject ? .object : .array, start: position, value: open))
        tokens.append(JSONToken(.span, start: 0, value: 0))
        open = index
        position = skipWhitespace(position &+ 1)
        if position < count, base[position] == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          position &+= 1
          depth &-= 1
          if !isKept { last = tokens[open] }
          open = JSONScanner.close(open, &tokens, position, isKept: isKept)
          if open != JSONScanner.none { isObject = tokens[open].kind == .object }
        } else {
          if isObject { position = try scanName(position, &tokens) }
          continue
        }
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        let token = try scanNumber(position)
        position = token.start &+ token.value
        if isKept { tokens.append(token) } else { last = token }
      case UInt8(ascii: "t"):
        position = try scanLiteral("true", .true, position, &tokens)
        if !isKept { last = tokens.removeLast() }
      case UInt8(ascii: "f"):
        position = try scanLiteral("false", .false, position, &tokens)
        if !isKept { last = tokens.removeLast() }
      case UInt8(ascii: "n"):
        position = try scanLiteral("null", .null, position, &tokens)
        if !isKept { last = tokens.removeLast() }
      default:
        throw unexpectedByte("a value", position)
      }
      // A value has ended; so may containers around it.
      while true {
        if open == JSONScanner.none { return last }
        if !isKept, open == 0, isObject { visit(tokens[tokens.count &- 1], last, position) }
        position = skipWhitespace(position)
        tokens[open &+ 1].increment()
        guard position < count else { throw unexpectedEnd(isObject ? "',' or '}'" : "',' or ']'") }
        let byte = base[position]
        if byte == UInt8(ascii: ",") {
          position &+= 1
          if isObject { position = try scanName(position, &tokens) }
          break
        }
        guard byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
          throw unexpectedByte(isObject ? "',' or '}'" : "',' or ']'", position)
        }
        if isObject, tokens[open &+ 1].value > 1 {
          if isKept { try checkNames(of: open, tokens) } else { try checkOnlyNames(of: open, tokens) }
        }
        position &+= 1
        depth &-= 1
        if !isKept { last = tokens[open] }
        open = JSONScanner.close(open, &tokens, position, isKept: isKept)
        if open != JSONScanner.none { isObject = tokens[open].kind == .object }
      }
    }
  }

  /// Completes the two tokens of a container, or forgets them.
  ///
  /// - Returns: The container around it.
  @inline(__always)
  private static func close(_ open: Int, _ tokens: inout RawStack<JSONToken>, _ end: Int, isKept: Bool) -> Int {
    let first = tokens[open]
    guard isKept else {
      tokens.truncate(to: open)
      return first.value
    }
    tokens[open] = JSONToken(first.kind, start: first.start, value: tokens.count)
    tokens[open &+ 1] = JSONToken(.span, start: end, value: tokens[open &+ 1].value)
    return first.value
  }

  @inline(__always)
  private func scanName(_ start: Int, _ tokens: inout RawStack<JSONToken>) throws(JSONError) -> Int {
    var position = skipWhitespace(start)
    guard position < count else { throw unexpectedEnd("a name") }
    guard base[position] == UInt8(ascii: "\"") else { throw unexpectedByte("a name", position) }
    let token = try scanString(position)
    tokens.append(token)
    position = skipWhitespace(token.start &+ token.value)
    guard position < count else { throw unexpectedEnd("':'") }
    guard base[position] == UInt8(ascii: ":") else { throw unexpectedByte("':'", position) }
    return position &+ 1
  }

  private func scanLiteral(
    _ literal: StaticString, _ kind: JSONToken.Kind, _ start: Int, _ tokens: inout RawStack<JSONToken>
  ) throws(JSONError) -> Int {
    for index in 0..<literal.utf8CodeUnitCount {
      guard start + index < count else { throw unexpectedEnd("'\(literal)'") }
      guard base[start + index] == literal.utf8Start[index] else { throw unexpectedByte("'\(literal)'", start + index) }
    }
    tokens.append(JSONToken(kind, start: start, value: literal.utf8CodeUnitCount))
    return start + literal.utf8CodeUnitCount
  }

  @inline(__always)
  private func skipWhitespace(_ start: Int) -> Int {
    var position = start
    while position < count {
      let byte = base[position]
      if byte > 0x20 { break }
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { break }
      position &+= 1
    }
    return position
  }
}

extension JSONScanner {
  /// The error for what stands behind the value.
  @inline(never)
  func trailingBytes(_ position: Int) -> JSONError {
    JSONError(.trailingBytes, "something follows the value", byteOffset: position)
  }

  /// The error for a text that ends too early.
  @inline(never)
  func unexpectedEnd(_ expected: String) -> JSONError {
    JSONError(.unexpectedEnd, "the text ends where \(expected) was expected", byteOffset: count)
  }

  /// The error for the byte at a position.
  @inline(never)
  func unexpectedByte(_ expected: String, _ position: Int) -> JSONError {
    let byte = base[position]
    let found =
      (0x21..<0x7F).contains(byte)
      ? "'\(Unicode.Scalar(byte))'" : "the byte 0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    return JSONError(.unexpectedByte, "\(found) stands where \(expected) was expected", byteOffset: position)
  }
}
