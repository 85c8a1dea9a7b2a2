#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A cache of the text and tokens of the enum cases around a value, for recently used paths.
///
/// A log names the same few cases in line after line, so rendering their nesting each time would be a large part of
/// decoding an action with `Codable` (benchmark `decode line, Codable`). A path replaces a cached path with the same
/// hash. As with `RawStack`, one owner frees the memory.
struct CasePaths {
  struct Known: BitwiseCopyable {
    fileprivate let path: UnsafeMutableBufferPointer<UInt8>
    let text: UnsafeMutableBufferPointer<UInt8>
    let tokens: UnsafeMutableBufferPointer<JSONToken>
    /// The number of objects around the value.
    let levels: Int
  }

  private let slots: UnsafeMutablePointer<Known?>

  /// 128, the highest seven bits of a hash: the cases of an application seldom share a slot.
  private static let slotCount = 128
  private static let slotShift = UInt64(UInt64.bitWidth - 7)
  /// The lengths of cached paths. Rendering a shorter path takes no longer than finding it; longer ones are not worth their memory.
  private static let lengths = 8...128

  init() {
    slots = .allocate(capacity: CasePaths.slotCount)
    slots.initialize(repeating: nil, count: CasePaths.slotCount)
  }

  func deallocate() {
    for slot in 0..<CasePaths.slotCount { forget(slots + slot) }
    slots.deallocate()
  }

  @inline(__always)
  func find(_ path: UnsafeBufferPointer<UInt8>) -> Known? {
    guard let slot = slot(path), let known = slot.pointee, known.path.count == path.count,
      let found = known.path.baseAddress, let wanted = path.baseAddress, memcmp(found, wanted, path.count) == 0
    else { return nil }
    return known
  }

  func note(
    _ path: UnsafeBufferPointer<UInt8>, _ text: UnsafeBufferPointer<UInt8>, _ tokens: UnsafeBufferPointer<JSONToken>,
    levels: Int
  ) {
    guard let slot = slot(path) else { return }
    forget(slot)
    slot.pointee = Known(
      path: CasePaths.copy(path), text: CasePaths.copy(text), tokens: CasePaths.copy(tokens), levels: levels)
  }

  /// Returns the slot of a path. All bytes are hashed, because cases often begin and end alike, such as `didUpdateAnimal` and
  /// `didDeleteAnimal`.
  @inline(__always)
  private func slot(_ path: UnsafeBufferPointer<UInt8>) -> UnsafeMutablePointer<Known?>? {
    guard CasePaths.lengths.contains(path.count), let base = path.baseAddress else { return nil }
    let last = path.count &- 8
    var hash = UInt64(truncatingIfNeeded: path.count)
    var index = 0
    while index < last {
      hash = (hash ^ ByteWord.load(base + index)) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash >> 29
      index &+= 8
    }
    hash = (hash ^ ByteWord.load(base + last)) &* 0x9E37_79B9_7F4A_7C15
    return slots + Int(truncatingIfNeeded: hash >> CasePaths.slotShift)
  }

  private func forget(_ slot: UnsafeMutablePointer<Known?>) {
    guard let known = slot.pointee else { return }
    known.path.deallocate()
    known.text.deallocate()
    known.tokens.deallocate()
    slot.pointee = nil
  }

  private static func copy<Element: BitwiseCopyable>(
    _ elements: UnsafeBufferPointer<Element>
  ) -> UnsafeMutableBufferPointer<Element> {
    let copy = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
    _ = copy.initialize(from: elements)
    return copy
  }
}

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
    guard let levels = beginCases(path), nestedText.count + content.count + levels < JSONToken.limit else {
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

  /// Begins the objects of the cases, as ``writeCases(_:)`` does.
  @inline(__always)
  private mutating func beginCases(_ path: UnsafeBufferPointer<UInt8>) -> Int? {
    if let known = casePaths.find(path) {
      nestedText.append(contentsOf: UnsafeBufferPointer(known.text))
      memory.tokens.append(contentsOf: UnsafeBufferPointer(known.tokens))
      return known.levels
    }
    guard let levels = writeCases(path) else { return nil }
    casePaths.note(path, nestedText.elements, memory.tokens.elements, levels: levels)
    return levels
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
