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

/// What became of the order of an object's members.
enum EncodingOrder {
  /// They stay where they are.
  case kept
  /// They are to be written in this order.
  case changed([EncodingPart])
  /// Two have the same name; this is the later one.
  case duplicate(EncodingMember)

  /// Up to so many members, comparing all pairs costs less than sorting.
  private static let pairwiseLimit = 12

  /// Compares the names of the members of an object.
  ///
  /// - Parameter end: Where the last member ends.
  static func find(
    _ names: ArraySlice<EncodingMember>, _ base: UnsafePointer<UInt8>, end: Int, sorts: Bool
  ) -> EncodingOrder {
    if ascend(names, base) { return .kept }
    if !sorts, names.count <= pairwiseLimit { return findPair(names, base) }
    let order = names.indices.sorted { compare(names[$0], names[$1], base) < 0 }
    for (left, right) in zip(order, order.dropFirst()) where compare(names[left], names[right], base) == 0 {
      return .duplicate(names[max(left, right)])
    }
    guard sorts else { return .kept }
    return .changed(
      order.map { index in
        let next = index + 1
        return EncodingPart(start: names[index].start, end: next < names.endIndex ? names[next].start - 1 : end)
      })
  }

  private static func ascend(_ names: ArraySlice<EncodingMember>, _ base: UnsafePointer<UInt8>) -> Bool {
    for index in names.indices.dropFirst() where compare(names[index - 1], names[index], base) >= 0 { return false }
    return true
  }

  private static func findPair(_ names: ArraySlice<EncodingMember>, _ base: UnsafePointer<UInt8>) -> EncodingOrder {
    for index in names.indices.dropFirst() {
      for earlier in names.startIndex..<index where compare(names[earlier], names[index], base) == 0 {
        return .duplicate(names[index])
      }
    }
    return .kept
  }

  /// Compares the unescaped bytes of two names.
  @inline(__always)
  private static func compare(
    _ left: EncodingMember, _ right: EncodingMember, _ base: UnsafePointer<UInt8>
  ) -> Int {
    JSONStrings.order(left.token, right.token, base)
  }

  /// Whether a part's bytes come before another one's.
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
