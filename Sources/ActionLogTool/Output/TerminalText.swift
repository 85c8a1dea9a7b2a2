/// Makes text from a log harmless before a terminal sees it: no byte of a log may move a cursor or change a colour.
package enum TerminalText {
  /// Replaces every control and every invisible direction mark by its `\u` escape, which inside a JSON string means the
  /// same value.
  ///
  /// - Parameter keepsLayout: Leaves line feeds and tabs as they are, for text that is laid out in lines.
  /// - Complexity: O(length of the text).
  package static func escaped(_ text: String, keepsLayout: Bool = false) -> String {
    guard text.unicodeScalars.contains(where: { scalar in isHarmful(scalar, keepsLayout: keepsLayout) }) else {
      return text
    }
    var result = ""
    result.reserveCapacity(text.utf8.count + 16)
    for scalar in text.unicodeScalars {
      if isHarmful(scalar, keepsLayout: keepsLayout) {
        for unit in String(scalar).utf16 {
          result += "\\u" + hex(unit)
        }
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func hex(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }

  private static func isHarmful(_ scalar: Unicode.Scalar, keepsLayout: Bool) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A: !keepsLayout
    // C0 controls, delete, and the C1 controls that some terminals obey.
    case 0x00...0x1F, 0x7F...0x9F: true
    // Line and paragraph separators, and the marks that reorder what follows them.
    case 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
