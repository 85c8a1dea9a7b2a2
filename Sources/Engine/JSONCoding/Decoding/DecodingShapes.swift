#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The way to decode values of a type.
enum DecodingShape: UInt8 {
  case date, data, url, uuid, decimal, json
  /// A dictionary, whose keys are checked.
  case dictionary
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
    } else if type is any DecodableDictionary.Type {
      self = .dictionary
    } else {
      self = .plain
    }
  }
}
