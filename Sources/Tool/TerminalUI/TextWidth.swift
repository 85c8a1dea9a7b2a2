/// The width of text in columns of a terminal.
///
/// Terminals disagree about some characters. This follows Unicode's East Asian Width and emoji presentation, as most terminals
/// do. Text should be escaped by ``TerminalText``: a control character counts as one column.
///
/// - SeeAlso: Unicode Standard Annex 11, "East Asian Width"; Unicode Technical Standard 51, "Unicode Emoji".
package enum TextWidth {
  /// The width of a text.
  ///
  /// - Parameter text: The text.
  /// - Complexity: O(length of the text); fast for ASCII.
  package static func of(_ text: String) -> Int {
    if text.isASCII { return text.utf8.count }
    return text.reduce(into: 0) { width, character in width += of(character) }
  }

  /// The width of a character: two for East Asian scripts and emoji, zero for a lone accent or joiner, one for all others.
  ///
  /// - Parameter character: The character. Combining scalars after the first one take no columns.
  /// - Complexity: O(number of its scalars).
  package static func of(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    if first.value < 0x300 { return scalars.count > 1 && scalars.contains(emojiSelector) ? 2 : 1 }
    if isWide(first) { return 2 }
    if scalars.count > 1, scalars.contains(emojiSelector) { return 2 }
    return isInvisible(first) ? 0 : 1
  }

  /// Truncates a text at its end. A truncated text ends with `…`.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - limit: The most columns of the result, at least 0.
  /// - Complexity: O(*limit*), or O(characters of width zero).
  package static func truncated(_ text: String, toColumns limit: Int) -> String {
    // Most texts fit. A character has at least one byte for each of its columns.
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

  /// Truncates a text at its beginning, for names whose end is more specific.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - limit: The most columns of the result, at least 0.
  /// - Complexity: O(length of the text).
  package static func truncatedHead(_ text: String, toColumns limit: Int) -> String {
    var width = of(text)
    guard width > limit, limit > 0 else { return limit > 0 ? text : "" }
    // Iterates forward, because finding the character before an index can take a search from the beginning.
    var start = text.startIndex
    while width >= limit {
      width -= of(text[start])
      start = text.index(after: start)
    }
    return "…" + text[start...]
  }
}

extension TextWidth {
  /// The variation selector for the colored, wide form of a character.
  private static let emojiSelector: Unicode.Scalar = "\u{FE0F}"

  /// Whether a scalar is in a block of wide characters, or is shown as an emoji.
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF: true
    case 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD: true
    case 0x2000...0x2BFF, 0x1F000...0x1FAFF: scalar.properties.isEmojiPresentation
    default: false
    }
  }

  /// Whether a scalar is a lone accent, joiner or format character.
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

  /// Whether every character is printable ASCII.
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
