/// Text with its control characters written as the escapes that JSON has for them.
///
/// A log can hold any character. A control character could end the line of a message or be obeyed by a terminal, and a control of
/// writing direction could make a line read as something that it is not.
package enum EscapedText {
  /// Replaces every character that a terminal interprets instead of displaying. Quotes and backslashes stay.
  ///
  /// These are C0 controls including line feed and tab, DEL, C1 controls, line and paragraph separators, controls of the writing
  /// direction, and all characters that are invisible, such as the zero width space, the byte order mark and tags. Joiners and
  /// selectors of a variant are no controls: names and emoji need them. `keepsC0` is for text whose C0 controls are the sender's own.
  package static func escaping(_ text: String, keepsC0: Bool = false) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    // Appending a text to a string's scalars copies the string each time, so the result is built in bytes.
    var bytes: [UInt8] = []
    for scalar in text.unicodeScalars {
      if keepsC0, scalar.value < 0x20 { bytes.append(UInt8(scalar.value)) } else { append(scalar, to: &bytes) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the text as a JSON string in quotes, which decodes to `text`, with every control character escaped.
  package static func quoting(_ text: String) -> String {
    var bytes = [UInt8(ascii: "\"")]
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { bytes.append(UInt8(ascii: "\\")) }
      append(scalar, to: &bytes)
    }
    bytes.append(UInt8(ascii: "\""))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends a character in UTF-8, or its escape if it is a control.
  private static func append(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    if isControl(scalar) {
      bytes.append(contentsOf: escape(of: scalar).utf8)
    } else if let unit = UTF8.encode(scalar) {
      bytes.append(contentsOf: unit)
    }
  }

  /// Whether a terminal interprets the character, or it could mislead a reader.
  ///
  /// U+2028 and U+2029 end a line in some programs. The others beyond the C1 controls are those of the category Cf that are not
  /// displayed, and the four invisible letters. Signs of the category Cf that are displayed, such as the Arabic sign for a year, and
  /// U+200C and U+200D, the joiners, are allowed.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F: true
    case 0xAD, 0x61C, 0x115F, 0x1160, 0x180E, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x206F: true
    case 0x3164, 0xFEFF, 0xFFA0, 0xFFF9...0xFFFB, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE007F: true
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
