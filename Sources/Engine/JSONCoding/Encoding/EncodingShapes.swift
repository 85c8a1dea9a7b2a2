#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

enum CodingForm: UInt8 {
  case date, data, url, uuid, decimal, json
  /// A dictionary whose members are coded directly.
  case dictionary
  /// The type encodes itself, and its elements are sorted in units.
  case unordered
  case primitive
  /// The type encodes itself, and none of its cases is part of an action's type.
  case payload
  case plain

  /// The types of the first cases, in their order.
  private static let special: [any Any.Type] = [
    Date.self, Data.self, URL.self, UUID.self, Decimal.self, JSONValue.self,
  ]

  init?(special type: any Any.Type) {
    guard let index = CodingForm.special.firstIndex(where: { $0 == type }) else { return nil }
    self.init(rawValue: UInt8(index))
  }
}

struct EncodingShape: BitwiseCopyable {
  let kind: CodingForm
  /// The number of elements that are sorted as one; 0 if the type determines the order.
  let unit: Int

  private static let primitives: [any Any.Type] = [
    String.self, Int.self, Bool.self, Double.self, Float.self, Int64.self, Int32.self, Int16.self, Int8.self, UInt.self,
    UInt64.self, UInt32.self, UInt16.self, UInt8.self,
  ]

  init(_ type: any Encodable.Type) {
    let unordered = type as? any UnorderedEncodable.Type
    unit = unordered.map { max(1, $0.elementsPerUnit) } ?? 0
    if let special = CodingForm(special: type) {
      kind = special
    } else if type is any EncodableDictionary.Type {
      kind = .dictionary
    } else if unordered != nil {
      kind = .unordered
    } else if EncodingShape.primitives.contains(where: { $0 == type }) {
      kind = .primitive
    } else if type is any ActionPayload.Type {
      kind = .payload
    } else {
      kind = .plain
    }
  }
}

extension EncodingStorage {
  @inline(__always)
  mutating func shape(of type: any Encodable.Type) -> EncodingShape {
    if let shape = shapes[ObjectIdentifier(type)] { return shape }
    return newShape(of: type)
  }

  @inline(never)
  private mutating func newShape(of type: any Encodable.Type) -> EncodingShape {
    let shape = EncodingShape(type)
    shapes[ObjectIdentifier(type)] = shape
    return shape
  }
}

/// A dictionary with string keys, which is written member by member.
///
/// The standard library's own coding creates a key and calls a container for each member; the result is the same.
protocol EncodableDictionary {
  func encodeMembers(to state: EncodingState, _ object: EncodingHandle) throws
}

extension Dictionary: EncodableDictionary where Key == String, Value: Encodable {
  func encodeMembers(to state: EncodingState, _ object: EncodingHandle) throws {
    // An iterator would create a pair for each member, whose type is looked up each time if the value's type is not
    // known.
    let (names, values) = (self.keys, self.values)
    var index = startIndex
    while index != endIndex {
      try state.encodeMember(values[index], names[index], in: object)
      formIndex(after: &index)
    }
  }
}
