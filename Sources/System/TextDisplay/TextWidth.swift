/// How many columns of a terminal a text takes.
///
/// Terminals do not agree about every character; this follows Unicode's East Asian Width and emoji presentation, as most
/// of them do. Text is expected to be escaped (``TerminalText``): a control character counts as one column here.
///
/// - SeeAlso: Unicode Standard Annex 11, "East Asian Width"; Unicode Technical Standard 51, "Unicode Emoji".
public enum TextWidth {
  /// The columns of a text.
  ///
  /// - Parameter text: Any text.
  /// - Complexity: O(length of the text); for plain ASCII a count of its bytes.
  public static func of(_ text: String) -> Int {
    if text.isASCII { return text.utf8.count }
    return text.reduce(into: 0) { width, character in width += of(character) }
  }

  /// The columns of a character: two for those of East Asian scripts and for emoji, none for a lone accent or joiner,
  /// one for all others.
  ///
  /// - Parameter character: Any character; what combines with its first part takes no room of its own.
  /// - Complexity: O(number of its scalars).
  public static func of(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    if first.value < 0x300 { return scalars.count > 1 && scalars.contains(emojiSelector) ? 2 : 1 }
    if isWide(first) { return 2 }
    if scalars.count > 1, scalars.contains(emojiSelector) { return 2 }
    return isInvisible(first) ? 0 : 1
  }

  /// Cuts a text to a number of columns; what was cut is told by an ellipsis.
  ///
  /// - Parameters:
  ///   - text: Any text.
  ///   - limit: The most columns that the result takes, at least 0.
  /// - Complexity: O(*limit*), or O(characters that take no column).
  public static func truncated(_ text: String, toColumns limit: Int) -> String {
    // Most texts fit. A character takes at least a byte for each of its columns, so their bytes say it at once.
    if text.utf8.count <= limit { return text }
    var width = 0
    var end = text.startIndex
    var index = text.startIndex
    while index < text.endIndex {
      width += of(text[index])
      index = text.index(after: index)
      if width > limit { return limit > 0 ? String(text[..<end]) + "…" : "" }
      if width < limit { end = index }
    }
    return text
  }

  /// Cuts a text to a number of columns from its beginning: for names whose end says most.
  ///
  /// - Parameters:
  ///   - text: Any text.
  ///   - limit: The most columns that the result takes, at least 0.
  /// - Complexity: O(length of the text).
  public static func truncatedHead(_ text: String, toColumns limit: Int) -> String {
    var width = of(text)
    guard width > limit, limit > 0 else { return limit > 0 ? text : "" }
    // Forward: to find the character before an index can take a search from the beginning.
    var start = text.startIndex
    while width >= limit {
      width -= of(text[start])
      start = text.index(after: start)
    }
    return "…" + text[start...]
  }
}

extension TextWidth {
  /// The variation selector that asks for the coloured, wide form of a character.
  private static let emojiSelector: Unicode.Scalar = "\u{FE0F}"

  /// The blocks whose characters are all wide, and the scattered pictographs that are shown as emoji.
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF: true
    case 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD: true
    case 0x2000...0x2BFF, 0x1F000...0x1FAFF: scalar.properties.isEmojiPresentation
    default: false
    }
  }

  /// Accents, joiners and the like that stand alone because nothing came before them.
  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: true
    default: false
    }
  }
}

extension String {
  /// Whether every character is ASCII.
  ///
  /// - Complexity: O(length), several bytes at a time.
  var isASCII: Bool {
    utf8.withContiguousStorageIfAvailable { bytes in
      var all: UInt8 = 0
      for byte in bytes { all |= byte }
      return all < 0x80
    } ?? utf8.allSatisfy { byte in byte < 0x80 }
  }

  /// Whether every character is a printable one of ASCII.
  ///
  /// - Complexity: O(length), several bytes at a time.
  var isPrintableASCII: Bool {
    utf8.withContiguousStorageIfAvailable { bytes in
      // Without branches, so that the compiler compares several bytes at a time.
      var others: UInt8 = 0
      for byte in bytes { others |= byte &- 0x20 > 0x5E ? 1 : 0 }
      return others == 0
    } ?? utf8.allSatisfy { byte in (0x20...0x7E).contains(byte) }
  }
}
