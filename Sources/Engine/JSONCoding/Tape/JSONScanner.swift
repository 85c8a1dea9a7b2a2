/// A tokenizer that rejects everything that RFC 8259 and the format page do not allow.
///
/// The scanner works in one pass without recursion. While a container is open, its first token stores the index of the enclosing
/// container, and its second token counts children. Only the tokens are allocated. State that changes with every byte is kept in local
/// variables, because the compiler must assume that writing a token can modify a property.
struct JSONScanner {
  let base: UnsafePointer<UInt8>
  let count: Int
  let maximumDepth: Int
  /// The start of the value; after the scan, the first byte past it.
  private(set) var position = 0
  var memory: ScannerMemory

  private(set) var deepest = 0

  private static let none = JSONToken.limit - 1

  init(_ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int, memory: ScannerMemory = ScannerMemory()) {
    // An empty buffer has no address. This placeholder is never read.
    base = bytes.baseAddress ?? ("" as StaticString).utf8Start
    count = bytes.count
    self.maximumDepth = maximumDepth
    self.memory = memory
    self.memory.tokens.truncate(to: 0)
  }

  /// Creates a scanner that continues at a value within a text, after existing tokens.
  init(_ bytes: UnsafeBufferPointer<UInt8>, from position: Int, maximumDepth: Int, memory: ScannerMemory) {
    self.init(bytes, maximumDepth: maximumDepth)
    self.memory = memory
    self.position = position
  }

  /// The position of the first byte after the value that is not white space, or the end of the text.
  var nextByte: Int { skipWhitespace(position) }

  /// Whether only white space follows the value.
  var isAtEnd: Bool { nextByte == count }

  /// Scans the whole text.
  mutating func scan() throws(JSONError) {
    try scanValue()
    position = nextByte
    guard position == count else { throw trailingBytes(position) }
  }

  /// Scans the value at the current position, by default the start of the text.
  mutating func scanValue() throws(JSONError) {
    _ = try scanValue(isKept: true) { _, _, _ in }
  }

  /// Validates the value at the position as strictly as ``scanValue()``, without keeping its tokens.
  ///
  /// During the scan, the stack contains the open objects and arrays, and the names of the open objects to detect duplicates, at
  /// eight bytes per name.
  ///
  /// - Parameter visit: Called for each member if the value is an object, with the name, the first token of the member's value, and the
  ///   end of that value.
  /// - Returns: The first token of the value.
  mutating func skimValue(
    _ visit: (_ name: JSONToken, _ value: JSONToken, _ end: Int) -> Void
  ) throws(JSONError) -> JSONToken {
    try scanValue(isKept: false, visit)
  }

  /// The grammar of both scans. It is inlined, so the compiler specializes it for each.
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
    // The last complete value of a skimming scan.
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
      // A value has ended, and possibly some of its containers.
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

  /// Completes the two tokens of a container, or drops them when skimming.
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
  @inline(never)
  func trailingBytes(_ position: Int) -> JSONError {
    JSONError(.trailingBytes, "something follows the value", byteOffset: position)
  }

  @inline(never)
  func unexpectedEnd(_ expected: String) -> JSONError {
    JSONError(.unexpectedEnd, "the text ends where \(expected) was expected", byteOffset: count)
  }

  @inline(never)
  func unexpectedByte(_ expected: String, _ position: Int) -> JSONError {
    let byte = base[position]
    let found =
      (0x21..<0x7F).contains(byte)
      ? "'\(Unicode.Scalar(byte))'" : "the byte 0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    return JSONError(.unexpectedByte, "\(found) stands where \(expected) was expected", byteOffset: position)
  }
}

struct ScannerMemory {
  var tokens = RawStack<JSONToken>()
  /// Scratch space for the duplicate check of names.
  var names = RawStack<ScannedName>()

  /// The number of tokens to keep allocated between texts, enough for a few hundred kilobytes of text.
  private static let tokenLimit = 1 << 16
  private static let nameLimit = 1 << 12

  func deallocate() {
    tokens.deallocate()
    names.deallocate()
  }

  mutating func trim() {
    if tokens.capacity > ScannerMemory.tokenLimit {
      tokens.deallocate()
      tokens = RawStack()
    }
    if names.capacity > ScannerMemory.nameLimit {
      names.deallocate()
      names = RawStack()
    }
  }
}

/// A name with its first bytes, which decide nearly every comparison.
struct ScannedName {
  var prefix: UInt64
  var token: JSONToken
}

/// A thread's memory for texts that are validated without calling foreign code.
final class ScannerScratch {
  private var memory = ScannerMemory()

  private static let slot = ThreadSlot<ScannerScratch>()

  deinit {
    memory.deallocate()
  }

  @inline(__always)
  static func withScanner<Result>(
    _ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int,
    _ body: (inout JSONScanner) throws(JSONError) -> Result
  ) throws(JSONError) -> Result {
    let scratch = slot.take() ?? ScannerScratch()
    var scanner = JSONScanner(bytes, maximumDepth: min(maximumDepth, JSONTape.depthLimit), memory: scratch.memory)
    defer {
      scanner.memory.trim()
      scratch.memory = scanner.memory
      slot.put(scratch)
    }
    return try body(&scanner)
  }
}
