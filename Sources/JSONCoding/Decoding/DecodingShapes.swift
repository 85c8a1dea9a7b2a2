#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How values of a type are read.
enum DecodingShape {
  case date, data, url, uuid, decimal, json
  /// A dictionary, whose keys are checked.
  case dictionary(any DecodableDictionary.Type)
  /// The type decodes itself.
  case plain

  init(_ type: any Decodable.Type) {
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
    } else if let type = type as? any DecodableDictionary.Type {
      self = .dictionary(type)
    } else {
      self = .plain
    }
  }
}

/// The shapes of the types that were met, since asking for a conformance costs more than reading a number.
struct DecodingShapes {
  private var known: [ObjectIdentifier: DecodingShape] = [:]
  private var last: (type: ObjectIdentifier, shape: DecodingShape)?

  mutating func shape<Value: Decodable>(of type: Value.Type) -> DecodingShape {
    let identifier = ObjectIdentifier(type)
    if let last, last.type == identifier { return last.shape }
    let shape = known[identifier] ?? DecodingShape(type)
    known[identifier] = shape
    last = (identifier, shape)
    return shape
  }
}
