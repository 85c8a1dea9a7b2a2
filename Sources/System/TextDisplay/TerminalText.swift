/// Makes text from a log safe to show in a terminal.
///
/// A log can hold any character. Control characters could move the cursor or recolour the screen, and controls of
/// writing direction could make a line read as something that it is not. They are written as escapes of JSON.
public enum TerminalText {
  /// Replaces every character that a terminal obeys instead of showing.
  ///
  /// Those are: C0 controls, line feed and tab included, DEL, C1 controls, line and paragraph separators, controls of
  /// writing direction, and the invisible tag characters. Quotes and backslashes stay as they are.
  ///
  /// - Complexity: O(length of the text).
  public static func escaping(_ text: String) -> String {
    if text.isPrintableASCII { return text }
    guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if isUnsafe(scalar) {
        result.append(contentsOf: escape(of: scalar).unicodeScalars)
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }

  /// Writes a text as a JSON string in quotes, with everything escaped that ``escaping(_:)`` escapes.
  ///
  /// The result is a JSON string that reads back as `text`.
  ///
  /// - Complexity: O(length of the text).
  public static func quoting(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    result.append("\"")
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" {
        result.append("\\")
        result.append(scalar)
      } else if isUnsafe(scalar) {
        result.append(contentsOf: escape(of: scalar).unicodeScalars)
      } else {
        result.append(scalar)
      }
    }
    result.append("\"")
    return String(result)
  }

  /// Whether a terminal would obey the character, or a reader would be misled by it.
  ///
  /// U+202A–202E and U+2066–2069 override the writing direction, U+061C, U+200E and U+200F mark it; U+2028 and U+2029
  /// end a line for some programs. Joiners stay: names and pictographs need them.
  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F: true
    case 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x206F, 0xFEFF: true
    case 0xFFF9...0xFFFB, 0xE0000...0xE007F: true
    default: false
    }
  }

  private static func escape(of scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\u{8}": return "\\b"
    case "\t": return "\\t"
    case "\n": return "\\n"
    case "\u{C}": return "\\f"
    case "\r": return "\\r"
    default:
      return UTF16.encode(scalar).map { units in units.map(escape(ofUnit:)).joined() } ?? ""
    }
  }

  private static func escape(ofUnit unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
