import TextDisplay

/// Texts as string literals of Swift.
enum SwiftLiteral {
  /// A literal in one line.
  static func line(_ text: String) -> String {
    let signs = signs(for: text)
    return "\(signs)\"\(escaped(text, signs))\"\(signs)"
  }

  /// A literal of several lines.
  ///
  /// - Parameters:
  ///   - text: Lines that each end with a line feed; the last line feed is no part of what the literal holds.
  ///   - indentation: What stands before each line of the literal but the first.
  static func lines(_ text: String, indentation: String) -> String {
    let signs = signs(for: text)
    var literal = "\(signs)\"\"\"\n"
    for line in text.split(separator: "\n") { literal += "\(indentation)\(escaped(String(line), signs))\n" }
    return literal + "\(indentation)\"\"\"\(signs)"
  }

  /// One more number sign than the text has in a row: then no quote and no backslash in it ends or escapes anything.
  private static func signs(for text: String) -> String {
    var (longest, length) = (0, 0)
    for byte in text.utf8 {
      length = byte == UInt8(ascii: "#") ? length + 1 : 0
      longest = max(longest, length)
    }
    return String(repeating: "#", count: longest + 1)
  }

  /// The text with escapes for what an editor would obey, hide or turn around.
  private static func escaped(_ text: String, _ signs: String) -> String {
    guard TerminalText.escaping(text) != text else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      let character = String(Character(scalar))
      result +=
        TerminalText.escaping(character) == character ? character : "\\\(signs)u{\(String(scalar.value, radix: 16))}"
    }
    return result
  }
}
