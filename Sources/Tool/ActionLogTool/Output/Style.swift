/// The few ways in which text can stand out, and whether it may.
package struct Style: Sendable {
  /// Whether the reader is a terminal that wants colour.
  let isColoured: Bool

  /// The codes of ECMA-48's "select graphic rendition"; the sixteen basic colours follow the person's own theme.
  private enum Code: String {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case cyan = "36"
    case reverse = "7"
  }

  package func bold(_ text: String) -> String { paint(text, .bold) }
  package func dim(_ text: String) -> String { paint(text, .dim) }
  package func red(_ text: String) -> String { paint(text, .red) }
  package func green(_ text: String) -> String { paint(text, .green) }
  package func yellow(_ text: String) -> String { paint(text, .yellow) }
  package func cyan(_ text: String) -> String { paint(text, .cyan) }
  package func reverse(_ text: String) -> String { paint(text, .reverse) }

  private func paint(_ text: String, _ code: Code) -> String {
    isColoured && !text.isEmpty ? "\u{1B}[\(code.rawValue)m\(text)\u{1B}[0m" : text
  }
}

extension Style {
  /// Decides as clig.dev and no-color.org ask: colour only on a terminal, and only when nobody objects.
  init(isTerminal: Bool, variables: [String: String], isRefused: Bool) {
    let objects = !(variables["NO_COLOR"] ?? "").isEmpty || variables["TERM"] == "dumb"
    self.init(isColoured: isTerminal && !isRefused && !objects)
  }
}
