#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The bytes of a member or of a unit of elements in the output.
struct EncodingPart {
  let start: Int
  let end: Int
}

/// The result of sorting an object's members.
enum EncodingOrder {
  /// The order is unchanged.
  case kept
  /// The members must be written in this order.
  case changed([EncodingPart])
  /// Two members have the same name; this is the later one.
  case duplicate(EncodingMember)

  /// Up to this number of members, comparing all pairs is faster than sorting.
  private static let pairwiseLimit = 12

  /// Compares the names of the members of an object.
  ///
  /// - Parameter end: The end of the last member.
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

  /// Compares the unescaped bytes of two names.
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
