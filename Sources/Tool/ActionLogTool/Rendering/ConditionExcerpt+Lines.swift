import TerminalUI
package import TimeTravel

extension ConditionExcerpt {
  /// The condition on one line, and a caret below the character.
  package var lines: [String] {
    let characters = text.map { character in character.isNewline || character == "\t" ? " " : character }
    let shown = TerminalText.escaping(String(characters))
    let before = TerminalText.escaping(String(characters.prefix(offset)))
    return [shown, String(repeating: " ", count: TextWidth.of(before)) + "^"]
  }
}
