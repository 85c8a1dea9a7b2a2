/// The beginning of a text, found without reading all of it.
public struct TextBeginning: Sendable {
  /// The characters.
  public let text: Substring
  /// Whether they are all of the text.
  public let isComplete: Bool
  /// Scalars that were read to find them.
  public let scalarsRead: Int
}

extension TerminalText {
  /// A character of a text has at most this many scalars before it is cut: a family of emoji has 7.
  private static let scalarsPerCharacter = 16

  /// The first characters of a text.
  ///
  /// A character can have any number of scalars. So there is a limit for those, too: 16 for each character that is requested.
  ///
  /// - Parameters:
  ///   - text: Any text.
  ///   - limit: The most characters that are returned, at least 0.
  /// - Complexity: O(`limit`), whatever the length of the text.
  public static func beginning(of text: String, characters limit: Int) -> TextBeginning {
    // Every character takes a byte at least.
    if text.utf8.count <= limit { return TextBeginning(text: text[...], isComplete: true, scalarsRead: 0) }
    let scalars = text.unicodeScalars
    let scalarLimit = limit.multipliedReportingOverflow(by: scalarsPerCharacter)
    guard !scalarLimit.overflow else { return TextBeginning(text: text[...], isComplete: true, scalarsRead: 0) }
    var end = scalars.startIndex
    var count = 0
    while end < scalars.endIndex, count < scalarLimit.partialValue {
      scalars.formIndex(after: &end)
      count += 1
    }
    let beginning = text[..<end].prefix(limit)
    return TextBeginning(text: beginning, isComplete: beginning.endIndex == text.endIndex, scalarsRead: count)
  }

  /// Escapes as much of a text as fits into one line.
  ///
  /// - Parameters:
  ///   - text: Any text.
  ///   - limit: The columns of the line, at least 0.
  /// - Complexity: O(`limit`), whatever the length of the text.
  public static func escaping(_ text: String, columns limit: Int) -> String {
    TextWidth.truncated(escaping(String(beginning(of: text, characters: limit + 1).text)), toColumns: limit)
  }
}
