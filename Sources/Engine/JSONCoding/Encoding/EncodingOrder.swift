#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

struct EncodingPart {
  let start: Int
  let end: Int
}

/// The result of sorting an object's members.
enum EncodingOrder {
  case kept
  case changed([EncodingPart])
  /// Two members have the same name; this is the later one.
  case duplicate(EncodingMember)

  /// Up to this number of members, comparing all pairs is faster than sorting.
  private static let pairwiseLimit = 12

  /// Compares the names of the members of an object.
  @inline(__always)
  static func find(
    _ names: UnsafeBufferPointer<EncodingMember>, _ base: UnsafePointer<UInt8>, end: Int, sorts: Bool
  ) -> EncodingOrder {
    if !sorts, names.count <= pairwiseLimit { return findPair(names, base) }
    if ascend(names, base) { return .kept }
    return sort(names, base, end: end, sorts: sorts)
  }

  private static func sort(
    _ names: UnsafeBufferPointer<EncodingMember>, _ base: UnsafePointer<UInt8>, end: Int, sorts: Bool
  ) -> EncodingOrder {
    let names = NameOrder(names, base)
    let order = names.sorted()
    if let duplicate = names.duplicate(in: order) { return .duplicate(duplicate) }
    return sorts ? .changed(order.map { names.part($0, end: end) }) : .kept
  }

  @inline(__always)
  private static func ascend(_ names: UnsafeBufferPointer<EncodingMember>, _ base: UnsafePointer<UInt8>) -> Bool {
    for index in 1..<max(1, names.count) where compare(names[index - 1], names[index], base) >= 0 { return false }
    return true
  }

  @inline(__always)
  private static func findPair(
    _ names: UnsafeBufferPointer<EncodingMember>, _ base: UnsafePointer<UInt8>
  ) -> EncodingOrder {
    for index in 1..<max(1, names.count) {
      let prefix = names[index].prefix
      for earlier in 0..<index where names[earlier].prefix == prefix {
        if compare(names[earlier], names[index], base) == 0 { return .duplicate(names[index]) }
      }
    }
    return .kept
  }

  @inline(__always)
  static func compare(_ left: EncodingMember, _ right: EncodingMember, _ base: UnsafePointer<UInt8>) -> Int {
    if left.prefix != right.prefix { return left.prefix < right.prefix ? -1 : 1 }
    return JSONStrings.order(left.token, right.token, base)
  }

  /// Whether a part's bytes precede those of another one.
  static func precedes(_ left: EncodingPart, _ right: EncodingPart, _ base: UnsafePointer<UInt8>) -> Bool {
    let (leftCount, rightCount) = (left.end - left.start, right.end - right.start)
    let order = memcmp(base + left.start, base + right.start, min(leftCount, rightCount))
    return order == 0 ? leftCount < rightCount : order < 0
  }
}

extension EncodingMember {
  /// The name as a token.
  var token: JSONToken {
    JSONToken(nameIsEscaped ? .escapedString : .string, start: start, value: nameLength)
  }
}

/// The order of the names of an object's members, by their unescaped bytes.
///
/// The names of a dictionary often have a common prefix (`animal-…`): the prefix is skipped, and the eight bytes after
/// it are compared first.
struct NameOrder {
  private let names: UnsafeBufferPointer<EncodingMember>
  private let base: UnsafePointer<UInt8>
  private let common: Int

  /// The index of a name, with the bytes that decide.
  struct Key {
    let word: UInt64
    let index: Int
  }

  init(_ names: UnsafeBufferPointer<EncodingMember>, _ base: UnsafePointer<UInt8>) {
    self.names = names
    self.base = base
    common = NameOrder.commonLength(names, base)
  }

  /// Returns the length of the common prefix; 0 if a name contains escapes.
  private static func commonLength(
    _ names: UnsafeBufferPointer<EncodingMember>, _ base: UnsafePointer<UInt8>
  ) -> Int {
    guard let first = names.first, !first.nameIsEscaped else { return 0 }
    var common = first.nameLength - 2
    for name in names {
      if name.nameIsEscaped { return 0 }
      common = min(common, name.nameLength - 2)
      // The first eight bytes of the names are known, and most pairs differ there.
      var length = min(common, (first.prefix ^ name.prefix).leadingZeroBitCount / 8)
      if length == 8 {
        while length < common, base[first.start + 1 + length] == base[name.start + 1 + length] { length += 1 }
      }
      common = length
    }
    return common
  }

  func sorted() -> [Key] {
    var keys: [Key] = []
    keys.reserveCapacity(names.count)
    for index in names.indices { keys.append(Key(word: word(names[index]), index: index)) }
    keys.sort { left, right in
      guard left.word == right.word else { return left.word < right.word }
      let order = compare(left, right)
      return order == 0 ? left.index < right.index : order < 0
    }
    return keys
  }

  /// Returns the first member that has the name of an earlier one; `nil` if there is none.
  func duplicate(in order: [Key]) -> EncodingMember? {
    let later = zip(order, order.dropFirst()).filter { left, right in
      left.word == right.word && compare(left, right) == 0
    }
    return later.map(\.1.index).min().map { index in names[index] }
  }

  /// Returns the bytes of a member, without the comma after it.
  func part(_ key: Key, end: Int) -> EncodingPart {
    let next = key.index + 1
    return EncodingPart(start: names[key.index].start, end: next < names.count ? names[next].start - 1 : end)
  }

  private func compare(_ left: Key, _ right: Key) -> Int {
    EncodingOrder.compare(names[left.index], names[right.index], base)
  }

  private func word(_ name: EncodingMember) -> UInt64 {
    if common == 0 { return name.prefix }
    let count = name.nameLength - 2 - common
    // A quote, a colon and a value of at least one byte follow each name, so these bytes can be read.
    return ByteWord.prefix(base + name.start + 1 + common, count: count, limit: count + 3)
  }
}

extension EncodingStorage {
  /// Refuses duplicate names among the members of the innermost container, and sorts the members if the form or the
  /// type requires it.
  mutating func finishMembers(of node: EncodingNode) {
    guard members.count - node.firstMember > 1, failure == nil else { return }
    guard output.count < JSONToken.limit else {
      return fail(JSONError(.tooLarge, "the encoded value has more than \(JSONToken.limit) bytes", path: path))
    }
    let sorts = form == .canonical || node.unit > 0
    let names = UnsafeBufferPointer(rebasing: members.elements[node.firstMember...])
    switch EncodingOrder.find(names, output.start, end: output.count, sorts: sorts) {
    case .kept: break
    case .changed(let parts): write(parts)
    case .duplicate(let member): failDuplicate(member)
    }
  }

  /// Sorts the elements of the innermost container by their bytes, in units.
  mutating func sortElements(of node: EncodingNode) {
    let starts = members.elements[node.firstMember...].map(\.start)
    guard starts.count > node.unit, starts.count % node.unit == 0 else { return }
    var parts: [EncodingPart] = []
    parts.reserveCapacity(starts.count / node.unit)
    for first in stride(from: 0, to: starts.count, by: node.unit) {
      let next = first + node.unit
      parts.append(EncodingPart(start: starts[first], end: next < starts.count ? starts[next] - 1 : output.count))
    }
    let base = UnsafePointer(output.start)
    parts.sort { EncodingOrder.precedes($0, $1, base) }
    write(parts)
  }

  /// Writes the members or elements of the innermost container in another order.
  private mutating func write(_ parts: [EncodingPart]) {
    guard let start = parts.min(by: { $0.start < $1.start })?.start else { return }
    // If the output before the members is small, it is moved as well, and the two buffers are swapped.
    let swaps = start <= (output.count - start) / 2
    scratch.cut(to: 0)
    scratch.reserve(output.count)
    if swaps { scratch.append(output.raw(0..<start)) }
    for (index, part) in parts.enumerated() {
      if index > 0 { scratch.byte(UInt8(ascii: ",")) }
      scratch.append(output.raw(part.start..<part.end))
    }
    if swaps {
      swap(&output, &scratch)
    } else {
      output.cut(to: start)
      output.append(scratch.raw(0..<scratch.count))
    }
  }

  private mutating func failDuplicate(_ member: EncodingMember) {
    let name = JSONStrings.string(member.token, output.start)
    fail(JSONError(.duplicateName, "a value encodes two members of the name '\(name)'", path: path))
  }
}
