import JSONCoding

/// Where in the values of an action decoding failed, and what an upcaster could do about it.
struct DecodingFaultPlace {
  let words: String
  let remedy: CompatibilityReport.Remedy

  init(_ error: any Error, type: String) {
    // The values of `ui.list.onTap` lie below `ui`, `_0`, `list`, `_0`, `onTap`.
    let depth =
      type == "_" || type == "_0" ? 0 : 2 * type.split(separator: ".", omittingEmptySubsequences: false).count - 1
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      let place = context.codingPath.dropFirst(depth).map(\.stringValue)
      words = "'\(Self.text(place + [key.stringValue]))' is missing"
      remedy = place.isEmpty ? .add(name: key.stringValue) : .rewrite
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context):
      let place = context.codingPath.dropFirst(depth).map(\.stringValue)
      words = "'\(Self.text(place))' is of another type: \(context.debugDescription)"
      remedy = place.first.map { name in .change(name: name) } ?? .rewrite
    default:
      words = "\(error)"
      remedy = .rewrite
    }
  }

  private static func text(_ place: [String]) -> String { JSONPointer.excerpt(of: place.joined(separator: ".")) }
}
