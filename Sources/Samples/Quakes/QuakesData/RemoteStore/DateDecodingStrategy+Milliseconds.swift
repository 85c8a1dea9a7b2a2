package import Foundation

extension JSONDecoder.DateDecodingStrategy {
  /// Dates as whole milliseconds since 1970, as the feeds have them, each read as the nearest `Date`.
  ///
  /// - SeeAlso: ``Foundation/Date/init(millisecondsSince1970:)``, which says what is wrong with Foundation's own
  ///   strategy.
  package static var exactMillisecondsSince1970: Self {
    .custom { decoder in
      let container = try decoder.singleValueContainer()
      guard let date = Date(millisecondsSince1970: try container.decode(Int64.self)) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "the date is out of range")
      }
      return date
    }
  }
}

extension JSONDecoder {
  /// What decodes a feed.
  package static var feed: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .exactMillisecondsSince1970
    return decoder
  }
}
