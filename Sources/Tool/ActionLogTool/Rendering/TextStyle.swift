import TerminalUI
package import TimeTravel

/// The colors of a rendering, as terminal sequences.
///
/// The caller decides between ``plain``, ``ansi`` and other colors.
package struct TextStyle: Hashable, Sendable {
  /// Precedes a value of only the new state.
  package var added: String
  /// Precedes a value of only the old state.
  package var removed: String
  /// Precedes a changed value.
  package var changed: String
  /// Precedes the name of a member or the heading of a group.
  package var name: String
  /// Precedes a note that is not part of the state, such as the number of omitted elements.
  package var note: String
  /// Follows each of these, unless the first sequence is empty.
  package var reset: String

  /// Creates a style.
  package init(
    added: String = "",
    removed: String = "",
    changed: String = "",
    name: String = "",
    note: String = "",
    reset: String = ""
  ) {
    self.added = added
    self.removed = removed
    self.changed = changed
    self.name = name
    self.note = note
    self.reset = reset
  }

  /// No colors.
  package static let plain = TextStyle()

  /// The colors of `diff` and `git`.
  package static let ansi = TextStyle(
    added: "\u{1B}[32m",
    removed: "\u{1B}[31m",
    changed: "\u{1B}[33m",
    name: "\u{1B}[36m",
    note: "\u{1B}[2m",
    reset: "\u{1B}[0m"
  )

  /// Encloses `text` in a color and the reset.
  func applying(_ color: KeyPath<TextStyle, String>, to text: String) -> String {
    let on = self[keyPath: color]
    return on.isEmpty ? text : on + text + reset
  }
}

extension ConditionExcerpt {
  /// The condition on one line, and a caret below the character.
  package var lines: [String] {
    let characters = text.map { character in character.isNewline || character == "\t" ? " " : character }
    let shown = TerminalText.escaping(String(characters))
    let before = TerminalText.escaping(String(characters.prefix(offset)))
    return [shown, String(repeating: " ", count: TextWidth.of(before)) + "^"]
  }
}
