import Platform

/// Escapes text for terminals.
///
/// A log can contain any character. Control characters could move the cursor or change colors, and bidirectional controls could
/// make a line read differently. They are written as JSON escapes.
package enum TerminalText {
  /// Escapes C0 controls including line feed and tab, DEL, C1 controls, line and paragraph separators, bidirectional controls, and the
  /// invisible tag characters. Quotes and backslashes are not changed.
  package static func escaping(_ text: String) -> String {
    text.isPrintableASCII ? text : EscapedText.escaping(text)
  }

  /// Whether ``escaping(_:)`` changes nothing in a text that takes one column for each byte.
  package static func isPrintableASCII(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.withUnsafeBufferPointer(isPrintableASCII)
  }

  static func isPrintableASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    // Without branches, so that the compiler compares several bytes at a time.
    var others: UInt8 = 0
    for byte in bytes { others |= byte &- 0x20 > 0x5E ? 1 : 0 }
    return others == 0
  }

  /// Writes a text as a JSON string in quotes, and escapes every character that ``escaping(_:)`` escapes.
  package static func quoting(_ text: String) -> String { EscapedText.quoting(text) }
}

extension TerminalText {
  /// Escapes a text of several lines, and keeps the line feeds between them.
  package static func escapingLines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { line in TerminalText.escaping(String(line)) }
      .joined(separator: "\n")
  }
}

extension TerminalText {
  /// The most scalars of a character before it is truncated: a family emoji has 7.
  private static let scalarsPerCharacter = 16

  /// The first characters of a text, and whether they are all. A character can have any number of scalars, so these are limited as well.
  ///
  /// - Complexity: O(`limit`), whatever the length of the text.
  package static func beginning(of text: String, characters limit: Int) -> (text: Substring, isComplete: Bool) {
    let (scalarLimit, isBeyond) = limit.multipliedReportingOverflow(by: scalarsPerCharacter)
    // A character has at least one byte.
    if text.utf8.count <= limit || isBeyond { return (text[...], true) }
    let scalars = text.unicodeScalars
    let end = scalars.index(scalars.startIndex, offsetBy: scalarLimit, limitedBy: scalars.endIndex) ?? scalars.endIndex
    let beginning = text[..<end].prefix(limit)
    return (beginning, beginning.endIndex == text.endIndex)
  }

  /// Escapes a text and truncates it to one line, as ``beginning(of:characters:)`` does.
  package static func escaping(_ text: String, columns limit: Int) -> String {
    TextWidth.truncated(escaping(String(beginning(of: text, characters: limit + 1).text)), toColumns: limit)
  }
}
