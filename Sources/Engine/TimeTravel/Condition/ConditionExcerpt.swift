import TextDisplay

/// A condition that was written, and the character at which it went wrong.
public struct ConditionExcerpt: Hashable, Sendable {
  /// The condition.
  public let text: String
  /// How many characters stand before the one that is wrong.
  public let offset: Int

  init(text: String, place: String.Index) {
    self.text = text
    self.offset = text.distance(from: text.startIndex, to: place)
  }

  /// - Parameter byte: Where the character begins, in bytes.
  init(text: String, byte: Int) {
    self.init(text: text, place: text.utf8.index(text.startIndex, offsetBy: min(byte, text.utf8.count)))
  }

  /// The condition in one line, and below it a mark at the character.
  public var lines: [String] {
    let characters = text.map { character in character.isNewline || character == "\t" ? " " : character }
    let shown = TerminalText.escaping(String(characters))
    let before = TerminalText.escaping(String(characters.prefix(offset)))
    return [shown, String(repeating: " ", count: TextWidth.of(before)) + "^"]
  }
}
