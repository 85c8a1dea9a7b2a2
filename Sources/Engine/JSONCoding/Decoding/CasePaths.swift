extension DecodingStorage {
  /// Joins a value and the names of the enum cases around it, and checks only the value.
  ///
  /// The text is the same as in Swift's coding of enums, so that errors have the locations in that text. The tokens
  /// around the value are known without scanning.
  ///
  /// - Parameters:
  ///   - path: The names, joined with `.`.
  ///   - content: The value of the innermost case.
  /// - Returns: Whether this fast path applies. If not, the storage is unchanged.
  mutating func scan(
    _ path: UnsafeBufferPointer<UInt8>, _ content: UnsafeBufferPointer<UInt8>, maximumDepth: Int
  ) -> Bool {
    nestedText.truncate(to: 0)
    memory.tokens.truncate(to: 0)
    guard let levels = writeCases(path), nestedText.count + content.count + levels < JSONToken.limit else {
      return false
    }
    let start = nestedText.count
    nestedText.append(contentsOf: content)
    let depthLimit = min(maximumDepth, JSONTape.depthLimit) - levels
    var scanner = JSONScanner(nestedText.elements, from: start, maximumDepth: depthLimit, memory: memory)
    do throws(JSONError) {
      try scanner.scanValue()
    } catch {
      memory = scanner.memory
      return false
    }
    memory = scanner.memory
    guard scanner.isAtEnd else { return false }
    for _ in 0..<levels { nestedText.append(UInt8(ascii: "}")) }
    closeCases(levels)
    let text = TokenText(
      base: UnsafePointer(nestedText.base), count: nestedText.count, tokens: UnsafePointer(memory.tokens.base))
    begin(text, depth: scanner.deepest + levels, tokenCount: memory.tokens.count)
    return true
  }

  /// Writes `{"NAME":` for the first case, `{"_0":{"NAME":` for each further one, with their tokens.
  ///
  /// - Returns: The number of objects; `nil` if a name must be escaped.
  private mutating func writeCases(_ path: UnsafeBufferPointer<UInt8>) -> Int? {
    nestedText.reserve(path.count * DecodingStorage.growth + DecodingStorage.growth)
    let (text, payload) = (nestedText.base, DecodingStorage.payload)
    var (next, name, levels) = (text, text + 1, 1)
    next[0] = UInt8(ascii: "{")
    next[1] = UInt8(ascii: "\"")
    next += 2
    beginCase(at: 0)
    for byte in path {
      if byte == UInt8(ascii: ".") {
        next.update(from: payload.utf8Start, count: payload.utf8CodeUnitCount)
        endCase(name: name - text, end: next + 1 - text)
        beginCase(at: next + 2 - text)
        endCase(name: next + 3 - text, end: next + 7 - text)
        beginCase(at: next + 8 - text)
        name = next + 9
        next += payload.utf8CodeUnitCount
        levels += 2
      } else {
        guard byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else { return nil }
        next.pointee = byte
        next += 1
      }
    }
    next[0] = UInt8(ascii: "\"")
    next[1] = UInt8(ascii: ":")
    endCase(name: name - text, end: next + 1 - text)
    nestedText.extend(to: next + 2 - text)
    return levels
  }

  /// The text between two names.
  private static let payload: StaticString = #"":{"_0":{""#
  /// The largest growth of a byte of the path, and the memory left over.
  private static let growth = 10

  @inline(__always)
  private mutating func beginCase(at start: Int) {
    memory.tokens.append(JSONToken(.object, start: start, value: 0))
    memory.tokens.append(JSONToken(.span, start: 0, value: 0))
  }

  @inline(__always)
  private mutating func endCase(name start: Int, end: Int) {
    memory.tokens.append(JSONToken(.string, start: start, value: end - start))
  }

  /// Completes the tokens of the objects around the value, three for each.
  @inline(__always)
  private func closeCases(_ levels: Int) {
    let tokens = memory.tokens
    for level in 0..<levels {
      let first = tokens[level &* 3]
      tokens[level &* 3] = JSONToken(.object, start: first.start, value: tokens.count)
      tokens[level &* 3 &+ 1] = JSONToken(.span, start: nestedText.count &- level, value: 1)
    }
  }
}
