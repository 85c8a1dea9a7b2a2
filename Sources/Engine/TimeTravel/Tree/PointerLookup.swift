import JSONCoding
import Platform

/// Follows a pointer into the canonical form of a state, or explains why there is no value.
///
/// Pointers are those of RFC 6901 with one addition. A dictionary whose keys are not strings is encoded as an array of
/// alternating keys and values, and the index of an entry changes when others are added. So a token that is not an index also
/// addresses the value after the key that is that string: `/orders/4C1D…/status`. An array of only strings is a list, not a
/// dictionary.
enum PointerLookup {
  static func find(_ pointer: JSONPointer, in root: JSONValue) -> JSONValue? {
    var value = root
    for token in pointer.tokens {
      guard let next = member(token, of: value) else { return nil }
      value = next
    }
    return value
  }

  /// Finds a value without making those around it.
  static func find(_ pointer: JSONPointer, in root: JSONTape.Node) -> JSONValue? {
    var node = root
    for (depth, token) in pointer.tokens.enumerated() {
      guard node.kind == .object else {
        return find(JSONPointer(Array(pointer.tokens[depth...])), in: JSONValue(node))
      }
      guard let next = node[token] else { return nil }
      node = next
    }
    return JSONValue(node)
  }

  private static func member(_ token: String, of value: JSONValue) -> JSONValue? {
    switch value {
    case .object(let object): return object[token]
    case .array(let elements):
      guard let index = JSONPointer.index(of: token) else { return entry(token, of: elements) }
      // In a conditional expression `nil` would be a JSON null.
      if index < elements.count { return elements[index] }
      return nil
    case .null, .bool, .number, .string: return nil
    }
  }

  private static func entry(_ key: String, of elements: [JSONValue]) -> JSONValue? {
    guard elements.count.isMultiple(of: 2) else { return nil }
    let keys = stride(from: 0, to: elements.count, by: 2)
    let place = keys.first { place in
      guard case .string(let other) = elements[place] else { return false }
      return other.utf8.elementsEqual(key.utf8)
    }
    guard let place, keys.contains(where: { place in ValueKinds(elements[place + 1]) != .string }) else { return nil }
    return elements[place + 1]
  }

  /// - Throws: ``TimeTravelError/Code/notFound``, which explains why there is none.
  static func value(at pointer: JSONPointer, in root: JSONValue) throws(TimeTravelError) -> JSONValue {
    var value = root
    for (depth, token) in pointer.tokens.enumerated() {
      guard let next = member(token, of: value) else {
        throw missing(token, at: JSONPointer(Array(pointer.tokens.prefix(depth))), holding: value, asked: pointer)
      }
      value = next
    }
    return value
  }

  static func missing(
    _ token: String, at place: JSONPointer, holding value: JSONValue, asked pointer: JSONPointer
  ) -> TimeTravelError {
    var suggestions: [String] = []
    if case .object(let object) = value {
      suggestions = NameSuggestion.suggestions(for: token, among: object.lazy.map(\.name))
    }
    return TimeTravelError(
      .notFound,
      "nothing at \(describe(pointer)): \(reason(token, describe(place), value))\(hint(on: token, of: pointer))"
        + (suggestions.lazy.compactMap { name in ExactName(name).difference(from: token) }.first
          .map { difference in ": it has \(difference)" } ?? ""),
      pointer: pointer,
      suggestions: suggestions
    )
  }

  /// An explanation of a pointer that ends with a slash, which is no path of a folder.
  private static func hint(on token: String, of pointer: JSONPointer) -> String {
    guard token.isEmpty, pointer.tokens.last == "" else { return "" }
    return pointer.tokens.count == 1
      ? " (the pointer to the root is empty: '')" : " (a pointer to the value itself does not end with '/')"
  }

  /// The pointer for a message; the root has no text of its own.
  static func describe(_ pointer: JSONPointer) -> String {
    pointer.tokens.isEmpty ? "the root" : EscapedText.escaping(pointer.description)
  }

  private static func reason(_ token: String, _ place: String, _ value: JSONValue) -> String {
    switch value {
    case .object: "the object at \(place) has no member \(EscapedText.quoting(token))"
    case .array(let elements): reason(token, place, elements)
    case .null: "the value at \(place) is null"
    case .bool: "the value at \(place) is a Boolean, which has no members"
    case .number: "the value at \(place) is a number, which has no members"
    case .string: "the value at \(place) is a string, which has no members"
    }
  }

  private static func reason(_ token: String, _ place: String, _ elements: [JSONValue]) -> String {
    if token == "-" {
      return "\"-\" is the position after the last element of the array at \(place), which has no value"
    }
    let isNumber = !token.isEmpty && token.utf8.allSatisfy { byte in (0x30...0x39).contains(byte) }
    guard isNumber, token == "0" || token.utf8.first != UInt8(ascii: "0") else {
      return "\(EscapedText.quoting(token)) is not an index of the array at \(place)"
    }
    switch elements.count {
    case 0: return "the array at \(place) is empty"
    case 1: return "the array at \(place) has only the element 0"
    default: return "the array at \(place) has the elements 0…\(elements.count - 1)"
    }
  }
}

/// Finds the name that was probably meant when another one was typed.
package enum NameSuggestion {
  /// At most this many names are compared: with more of them a typing mistake is not the likely reason.
  static let candidateLimit = 10_000

  /// Longer names are only compared without regard to case: the distance costs the product of two lengths.
  private static let lengthLimit = 64

  /// More suggestions than this are noise.
  private static let suggestionLimit = 3

  /// Returns the candidates that are close to `name`, closest first, then in order of name.
  ///
  /// Close means: equal but for case, or one edit for every three characters, at least one. An edit inserts, removes or
  /// replaces a character, or swaps two neighbors.
  package static func suggestions(for name: String, among candidates: some Sequence<String>) -> [String] {
    let typed = Array(name)
    let folded = name.lowercased()
    let allowed = max(1, typed.count / 3)
    var found: [(distance: Int, name: String)] = []
    for candidate in candidates.prefix(candidateLimit) where !candidate.isEmpty {
      if candidate.lowercased() == folded {
        found.append((0, candidate))
      } else if let distance = distance(typed, Array(candidate)), distance <= allowed, distance < typed.count {
        found.append((distance, candidate))
      }
    }
    found.sort { left, right in (left.distance, left.name) < (right.distance, right.name) }
    return found.prefix(suggestionLimit).map(\.name)
  }

  /// The optimal string alignment distance, or `nil` when a text is too long to compare.
  package static func distance(_ left: [Character], _ right: [Character]) -> Int? {
    guard left.count <= lengthLimit, right.count <= lengthLimit else { return nil }
    var beforeLast = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        let substitution = last[column] + (left[row] == right[column] ? 0 : 1)
        var best = min(substitution, last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          best = min(best, beforeLast[column - 1] + 1)
        }
        current.append(best)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }
}
