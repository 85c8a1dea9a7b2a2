#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Where the elements or members of a collection without an order stand, to be put into the order of their bytes.
@usableFromInline
struct DirectParts {
  private struct Part {
    /// The first eight bytes of what is compared, which decide most comparisons.
    var prefix: UInt64 = 0
    var start: Int
    /// What is compared: the content of the name, without its quotes, or the whole part.
    var nameStart: Int
    var nameEnd = -1
    var end = -1

    var isName: Bool { nameStart > start }
  }

  private let start: Int
  private var parts: [Part] = []

  @usableFromInline
  init(start: Int) {
    self.start = start
  }

  /// Begins a part: a comma, if it is not the first.
  @usableFromInline
  mutating func begin(_ writer: inout DirectWriter) {
    if !parts.isEmpty { writer.literal(",") }
    parts.append(Part(start: writer.count, nameStart: writer.count))
  }

  /// Notes where the name of a part ends, behind its quote; without it, the whole part is compared.
  @usableFromInline
  mutating func endName(_ place: Int) {
    parts[parts.count - 1].nameStart += 1
    parts[parts.count - 1].nameEnd = place - 1
  }

  /// Notes where a part ends.
  @usableFromInline
  mutating func end(_ place: Int) {
    parts[parts.count - 1].end = place
    if parts[parts.count - 1].nameEnd < 0 { parts[parts.count - 1].nameEnd = place }
  }

  /// Puts the parts in the order of their bytes, names in that of their unescaped bytes.
  ///
  /// - Complexity: O(*n* log *n*), O(*n*) if they stand so already.
  @usableFromInline
  mutating func sort(_ writer: inout DirectWriter) {
    guard parts.count > 1, !writer.isDeclined else { return }
    let isSorted = writer.withUnsafeBytes { bytes in
      let base = bytes.baseAddress.unsafelyUnwrapped
      return sort(base)
    }
    if isSorted { return }
    let size = writer.count - start
    withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { scratch in
      writer.withUnsafeBytes { bytes in
        scratch.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start...]))
      }
      writer.cut(to: start)
      for (index, part) in parts.enumerated() {
        if index > 0 { writer.literal(",") }
        writer.append(UnsafeRawBufferPointer(rebasing: scratch[part.start - start..<part.end - start]))
      }
    }
  }

  /// Sorts the parts.
  ///
  /// - Returns: Whether they were in order already.
  private mutating func sort(_ base: UnsafeRawPointer) -> Bool {
    // An escape is written differently from what it stands for: `\n` sorts as a line feed.
    let areEscaped = parts.contains { part in
      part.isName && memchr(base + part.nameStart, 0x5C, part.nameEnd - part.nameStart) != nil
    }
    for index in parts.indices { parts[index].prefix = DirectParts.prefix(parts[index], base) }
    let precedes = { (left: Part, right: Part) -> Bool in
      if areEscaped { return DirectParts.precedesUnescaped(left, right, base) }
      return left.prefix == right.prefix ? DirectParts.precedes(left, right, base) : left.prefix < right.prefix
    }
    if !zip(parts, parts.dropFirst()).contains(where: { left, right in precedes(right, left) }) { return true }
    parts.sort(by: precedes)
    return false
  }

  /// The first bytes of a part, the first one the most significant.
  private static func prefix(_ part: Part, _ base: UnsafeRawPointer) -> UInt64 {
    if part.nameEnd - part.nameStart >= 8 {
      return UInt64(bigEndian: base.loadUnaligned(fromByteOffset: part.nameStart, as: UInt64.self))
    }
    var prefix: UInt64 = 0
    for index in 0..<8 {
      let place = part.nameStart + index
      let byte = place < part.nameEnd ? base.load(fromByteOffset: place, as: UInt8.self) : 0
      prefix = prefix << 8 | UInt64(byte)
    }
    return prefix
  }

  private static func precedes(_ left: Part, _ right: Part, _ base: UnsafeRawPointer) -> Bool {
    let (leftCount, rightCount) = (left.nameEnd - left.nameStart, right.nameEnd - right.nameStart)
    let order = memcmp(base + left.nameStart, base + right.nameStart, min(leftCount, rightCount))
    return order == 0 ? leftCount < rightCount : order < 0
  }

  private static func precedesUnescaped(_ left: Part, _ right: Part, _ base: UnsafeRawPointer) -> Bool {
    unescaped(left, base).lexicographicallyPrecedes(unescaped(right, base))
  }

  private static func unescaped(_ part: Part, _ base: UnsafeRawPointer) -> [UInt8] {
    let bytes = UnsafeRawBufferPointer(start: base + part.start, count: part.nameEnd + 1 - part.start)
    let name = DirectReader.read(bytes) { reader throws(DirectMismatch) in try reader.string() }
    // What stands here was written by the writer.
    return name.map { Array($0.utf8) } ?? Array(bytes)
  }
}
