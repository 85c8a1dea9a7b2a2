import TextDisplay

/// Breaks text into lines between words, and words that are too long for a line where it ends.
public enum TextWrapping {
  /// The lines of a text.
  ///
  /// - Parameters:
  ///   - text: The text; line feeds begin a new line, other control characters are shown as escapes.
  ///   - columns: The most columns of a line.
  /// - Returns: The lines; none when there are no columns.
  /// - Complexity: O(length of the text).
  public static func lines(_ text: String, columns: Int) -> [String] {
    guard columns > 0 else { return [] }
    return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
      wrap(TerminalText.escaping(String(line)), columns: columns)
    }
  }

  private static func wrap(_ line: String, columns: Int) -> [String] {
    var lines: [String] = []
    var current = ""
    var width = 0
    for word in line.split(separator: " ", omittingEmptySubsequences: true) {
      let length = TextWidth.of(String(word))
      if width > 0, width + 1 + length > columns {
        lines.append(current)
        (current, width) = ("", 0)
      }
      if width > 0 {
        current += " "
        width += 1
      }
      for character in word {
        let next = TextWidth.of(character)
        if width + next > columns, width > 0 {
          lines.append(current)
          (current, width) = ("", 0)
        }
        current.append(character)
        width += next
      }
    }
    lines.append(current)
    return lines
  }
}
