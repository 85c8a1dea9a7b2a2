extension TerminalText {
  /// Escapes each line of a text of several, and keeps the line feeds between them.
  ///
  /// - Parameter text: Any text.
  /// - Returns: As many lines as before, in which nothing is left that a terminal would obey.
  /// - Complexity: O(length of the text).
  public static func escapingLines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { line in TerminalText.escaping(String(line)) }
      .joined(separator: "\n")
  }
}
