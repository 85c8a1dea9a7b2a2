import JSONCoding
import TextDisplay

/// Follows a pointer and, where it ends in nothing, says why.
enum PointerLookup {
  static func value(at pointer: JSONPointer, in root: JSONValue) throws(TimeTravelError) -> JSONValue {
    var value = root
    for (depth, token) in pointer.tokens.enumerated() {
      guard let next = value[JSONPointer([token])] else {
        throw missing(token, at: JSONPointer(Array(pointer.tokens.prefix(depth))), holding: value, asked: pointer)
      }
      value = next
    }
    return value
  }

  /// Explains why the value at `place` has nothing at `token`.
  static func missing(
    _ token: String, at place: JSONPointer, holding value: JSONValue, asked pointer: JSONPointer
  ) -> TimeTravelError {
    var suggestions: [String] = []
    if case .object(let object) = value {
      suggestions = NameSuggestion.suggestions(for: token, among: object.lazy.map(\.name))
    }
    return TimeTravelError(
      .notFound,
      "nothing at \(describe(pointer)): \(reason(token, describe(place), value))",
      pointer: pointer,
      suggestions: suggestions
    )
  }

  /// A pointer in words: the root has no text of its own.
  static func describe(_ pointer: JSONPointer) -> String {
    pointer.tokens.isEmpty ? "the root" : TerminalText.escaping(pointer.description)
  }

  private static func reason(_ token: String, _ place: String, _ value: JSONValue) -> String {
    switch value {
    case .object: "the object at \(place) has no member \(TerminalText.quoting(token))"
    case .array(let elements): reason(token, place, elements)
    case .null: "the value at \(place) is null"
    case .bool: "the value at \(place) is a Boolean, which has no members"
    case .number: "the value at \(place) is a number, which has no members"
    case .string: "the value at \(place) is a string, which has no members"
    }
  }

  private static func reason(_ token: String, _ place: String, _ elements: [JSONValue]) -> String {
    if token == "-" {
      return "\"-\" is the place behind the last element of the array at \(place), where nothing is yet"
    }
    let isNumber = !token.isEmpty && token.utf8.allSatisfy { byte in (0x30...0x39).contains(byte) }
    guard isNumber, token == "0" || token.utf8.first != UInt8(ascii: "0") else {
      return "\(TerminalText.quoting(token)) is not an index of the array at \(place)"
    }
    switch elements.count {
    case 0: return "the array at \(place) is empty"
    case 1: return "the array at \(place) has only the element 0"
    default: return "the array at \(place) has the elements 0…\(elements.count - 1)"
    }
  }
}
