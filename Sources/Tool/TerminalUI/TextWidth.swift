/// The width of text in columns of a terminal.
///
/// Terminals disagree about some characters. The width is the most columns that a common terminal uses, so that no terminal shows
/// a character over the next one: the sum of the character's scalars, by Unicode's East Asian Width and emoji presentation.
/// Characters of ambiguous width, such as `°` and `─`, count as narrow, as they are outside of old East Asian encodings.
/// Text should be escaped by ``TerminalText``: a control character counts as one column.
///
/// - SeeAlso: Unicode Standard Annex 11, "East Asian Width"; Unicode Technical Standard 51, "Unicode Emoji".
package enum TextWidth {
  package static func of(_ text: String) -> Int {
    if text.isASCII { return text.utf8.count }
    return text.reduce(into: 0) { width, character in width += of(character) }
  }

  /// At least 1. A lone accent or joiner counts with the dotted circle that a screen shows below it.
  package static func of(_ character: Character) -> Int {
    var width = onDottedCircle(character) == nil ? 0 : 1
    var previous = 0
    for scalar in character.unicodeScalars {
      // The selector of the colored form widens a narrow character.
      previous = scalar == "\u{FE0F}" ? max(0, 2 - previous) : columns(of: scalar)
      width += previous
    }
    // One half of a flag is shown as a letter of any width.
    if width == 1, character.unicodeScalars.first.map(isRegionalIndicator) == true { return 2 }
    return max(1, width)
  }

  /// A character with a dotted circle below it, if it begins with a mark or a joiner, which a terminal combines with the character
  /// before it; `nil` for all others.
  static func onDottedCircle(_ character: Character) -> Character? {
    guard let first = character.unicodeScalars.first, first.value >= 0x300 else { return nil }
    let properties = first.properties
    guard
      columns(of: first) == 0 || properties.generalCategory == .spacingMark || properties.isGraphemeExtend
        || properties.isEmojiModifier || first == "\u{E33}" || first == "\u{EB3}"
    else { return nil }
    // Some invisible characters combine with nothing.
    let text = "\u{25CC}" + String(character)
    return text.count == 1 ? Character(text) : nil
  }

  /// Whether terminals disagree about the width of a character, other than one of ambiguous width.
  ///
  /// They agree about single scalars that are older than their tables, except emoji and invisible ones.
  static func isDisputed(_ character: Character) -> Bool {
    let scalars = character.unicodeScalars
    guard let scalar = scalars.first, scalars.dropFirst().isEmpty else { return true }
    if scalar.isASCII { return false }
    guard let age = scalar.properties.age, age.major <= 5 else { return true }
    return scalar.properties.isDefaultIgnorableCodePoint || isWideSymbol(scalar) || columns(of: scalar) == 0
  }

  /// Truncates a text at its end. A truncated text ends with `…`.
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
  private static func columns(of scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 || isRegionalIndicator(scalar) { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    case .format: return isSignOfNumber(scalar) ? 1 : 0
    // A newer terminal may show it as an emoji.
    case .unassigned: return 2
    default: break
    }
    switch scalar.value {
    // Vowels and final consonants of Korean syllables.
    case 0x1160...0x11FF, 0xD7B0...0xD7FF: return 0
    default: return isEastAsian(scalar) || isWideSymbol(scalar) ? 2 : 1
    }
  }

  private static func isEastAsian(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3: true
    case 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD: true
    default: false
    }
  }

  /// Whether a scalar is shown as an emoji, or is wide only in newer versions of Unicode.
  private static func isWideSymbol(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x2329...0x232A, 0x2630...0x2637, 0x268A...0x268F, 0x4DC0...0x4DFF, 0xFE10...0xFE19: true
    case 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1D300...0x1D37F, 0x1F200...0x1F2FF: true
    case 0x2000...0x2BFF, 0x1F000...0x1FAFF: scalar.properties.isEmojiPresentation
    default: false
    }
  }

  private static func isRegionalIndicator(_ scalar: Unicode.Scalar) -> Bool {
    (0x1F1E6...0x1F1FF).contains(scalar.value)
  }

  /// Whether a format character is visible: a sign below or before the digits that follow it.
  private static func isSignOfNumber(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x600...0x605, 0x6DD, 0x70F, 0x890...0x891, 0x8E2, 0x110BD, 0x110CD: true
    default: false
    }
  }
}

extension String {
  var isASCII: Bool {
    utf8.withContiguousStorageIfAvailable { bytes in
      var all: UInt8 = 0
      for byte in bytes { all |= byte }
      return all < 0x80
    } ?? utf8.allSatisfy { byte in byte < 0x80 }
  }

  var isPrintableASCII: Bool {
    utf8.withContiguousStorageIfAvailable(TerminalText.isPrintableASCII)
      ?? utf8.allSatisfy { byte in (0x20...0x7E).contains(byte) }
  }
}
