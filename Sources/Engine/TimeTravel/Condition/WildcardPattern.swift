/// A pattern for a text: `*` is any text, `?` one character, everything else itself.
struct WildcardPattern: Hashable, Sendable {
  /// The pattern as it was written.
  let text: String
  private let parts: [Unicode.Scalar]

  init(_ text: String) {
    self.text = text
    parts = Array(text.unicodeScalars)
  }

  /// Whether the whole of a text matches.
  ///
  /// - Complexity: O(length of the text · length of the pattern): a pattern of many stars costs no more.
  func matches(_ text: String) -> Bool {
    let text = Array(text.unicodeScalars)
    var (part, place) = (0, 0)
    // Where to go on when what follows the last star does not fit: the star takes one character more.
    var retry: (part: Int, place: Int)?
    while place < text.count {
      if part < parts.count, parts[part] == "*" {
        part += 1
        retry = (part, place)
      } else if part < parts.count, parts[part] == "?" || parts[part] == text[place] {
        part += 1
        place += 1
      } else if let last = retry {
        retry = (last.part, last.place + 1)
        (part, place) = (last.part, last.place + 1)
      } else {
        return false
      }
    }
    return parts[part...].allSatisfy { part in part == "*" }
  }
}
