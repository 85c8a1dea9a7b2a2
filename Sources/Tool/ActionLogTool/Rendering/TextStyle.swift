/// The colours of a rendering, as the bytes that switch them on and off.
///
/// Nothing here looks at a terminal: whoever prints decides between ``plain``, ``ansi`` and colours of their own.
package struct TextStyle: Hashable, Sendable {
  /// Before something that is only in the new state.
  package var added: String
  /// Before something that is only in the old state.
  package var removed: String
  /// Before something whose value changed.
  package var changed: String
  /// Before the name of a member or the heading of a group.
  package var name: String
  /// Before a remark that is not part of the state, such as what was left out.
  package var remark: String
  /// After each of these, unless what was before it is empty.
  package var reset: String

  /// Makes a style from its parts.
  package init(
    added: String = "",
    removed: String = "",
    changed: String = "",
    name: String = "",
    remark: String = "",
    reset: String = ""
  ) {
    self.added = added
    self.removed = removed
    self.changed = changed
    self.name = name
    self.remark = remark
    self.reset = reset
  }

  /// No colours.
  package static let plain = TextStyle()

  /// The colours that `diff` and `git` use, in the sequences that every terminal with colours knows.
  package static let ansi = TextStyle(
    added: "\u{1B}[32m",
    removed: "\u{1B}[31m",
    changed: "\u{1B}[33m",
    name: "\u{1B}[36m",
    remark: "\u{1B}[2m",
    reset: "\u{1B}[0m"
  )

  /// Puts `text` between a colour and the reset.
  func applying(_ colour: KeyPath<TextStyle, String>, to text: String) -> String {
    let on = self[keyPath: colour]
    return on.isEmpty ? text : on + text + reset
  }
}
