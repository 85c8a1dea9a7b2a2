/// How many columns of a terminal a text takes, near enough for tables.
package enum TextWidth {
  /// Characters of East Asian scripts and emoji take two columns, all others one.
  ///
  /// - Complexity: O(length of the text).
  package static func of(_ text: String) -> Int {
    if text.utf8.count == text.unicodeScalars.count { return text.utf8.count }
    return text.reduce(into: 0) { width, character in width += columns(of: character) }
  }

  /// Cuts a text to a number of columns; what was cut is told by an ellipsis.
  package static func truncated(_ text: String, toColumns limit: Int) -> String {
    guard of(text) > limit else { return text }
    guard limit > 1 else { return limit == 1 ? "…" : "" }
    var result = ""
    var width = 0
    for character in text {
      let next = columns(of: character)
      if width + next > limit - 1 { break }
      result.append(character)
      width += next
    }
    return result + "…"
  }

  /// Cuts a text to a number of columns from its beginning: for names whose end says most.
  package static func truncatedHead(_ text: String, toColumns limit: Int) -> String {
    guard of(text) > limit, limit > 0 else { return limit > 0 ? text : "" }
    var width = 1
    var start = text.endIndex
    while start > text.startIndex {
      let before = text.index(before: start)
      width += columns(of: text[before])
      if width > limit { break }
      start = before
    }
    return "…" + text[start...]
  }

  private static func columns(of character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    return switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF: 2
    case 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD: 2
    default: 1
    }
  }
}
