#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How values of a type are written.
enum EncodingShape {
  case date, data, url, uuid, decimal, json
  /// The type encodes itself, and its elements are sorted in units.
  case unordered(unit: Int)
  /// The type encodes itself.
  case plain

  init(_ type: any Encodable.Type) {
    if type == Date.self {
      self = .date
    } else if type == Data.self {
      self = .data
    } else if type == URL.self {
      self = .url
    } else if type == UUID.self {
      self = .uuid
    } else if type == Decimal.self {
      self = .decimal
    } else if type == JSONValue.self {
      self = .json
    } else if let type = type as? any UnorderedEncodable.Type {
      self = .unordered(unit: max(1, type.elementsPerUnit))
    } else {
      self = .plain
    }
  }
}

/// The shapes of the types that were met, since asking for a conformance costs more than writing a number.
struct EncodingShapes {
  private var known: [ObjectIdentifier: EncodingShape] = [:]
  private var last: (type: ObjectIdentifier, shape: EncodingShape)?

  mutating func shape<Value: Encodable>(of type: Value.Type) -> EncodingShape {
    let identifier = ObjectIdentifier(type)
    if let last, last.type == identifier { return last.shape }
    let shape = known[identifier] ?? EncodingShape(type)
    known[identifier] = shape
    last = (identifier, shape)
    return shape
  }
}
