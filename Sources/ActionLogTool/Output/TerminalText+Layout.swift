import TimeTravel

extension TerminalText {
  /// Escapes each line of a text of several, and keeps the line feeds between them.
  static func escapingLines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { line in TerminalText.escaping(String(line)) }
      .joined(separator: "\n")
  }
}
