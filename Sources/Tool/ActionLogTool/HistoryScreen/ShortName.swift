import TextDisplay

/// Names that are too long for their place: shortened where it costs least.
enum ShortName {
  /// The type of an action, in so many columns.
  ///
  /// What happened is in the last part of `ui.animalEditor.onTapAddAnimalButton`, and where in the first: they stay, and what is
  /// between them goes first.
  static func type(_ type: String, columns: Int) -> String {
    let text = TerminalText.escaping(type)
    guard TextWidth.of(text) > columns, let dot = text.lastIndex(of: ".") else { return middle(text, columns: columns) }
    let room = columns - TextWidth.of(String(text[text.index(after: dot)...])) - 1
    guard room > 1 else { return middle(String(text[text.index(after: dot)...]), columns: columns) }
    return beginning(text, columns: room) + "…" + text[text.index(after: dot)...]
  }

  /// Any name in so many columns: beginning and end stay.
  static func middle(_ name: String, columns: Int) -> String {
    let text = TerminalText.escaping(name)
    guard TextWidth.of(text) > columns else { return text }
    guard columns > 4 else { return TextWidth.truncated(text, toColumns: columns) }
    let tail = TextWidth.truncatedHead(text, toColumns: columns / 2)
    return beginning(text, columns: columns - TextWidth.of(tail)) + tail
  }

  /// As much of the beginning of a text as fits.
  private static func beginning(_ text: String, columns: Int) -> String {
    var width = 0
    return String(
      text.prefix { character in
        width += TextWidth.of(character)
        return width <= columns
      })
  }
}
