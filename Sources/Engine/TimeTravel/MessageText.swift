/// Text from logs and users, made safe for error messages.
///
/// A log can hold any character. A control character could end the line of a message or be obeyed by a terminal, and a control of
/// writing direction could make a line read as something that it is not.
enum MessageText {
  /// Replaces control characters by the escapes that JSON has for them. Quotes and backslashes stay.
  ///
  /// - Complexity: O(length of the text).
  static func escaping(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    return text.unicodeScalars.map { scalar in isControl(scalar) ? escape(of: scalar) : String(scalar) }.joined()
  }

  /// Returns the text as a JSON string in quotes, with control characters escaped.
  ///
  /// - Complexity: O(length of the text).
  static func quoting(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": "\\" + String(scalar)
      default: isControl(scalar) ? escape(of: scalar) : String(scalar)
      }
    }
    return "\"" + escaped.joined() + "\""
  }

  /// Whether a character controls a terminal, the writing direction, or the end of a line.
  ///
  /// C0 and C1 controls, marks and overrides of the writing direction, line and paragraph separators, the byte order mark,
  /// annotation characters and tags. Joiners are no controls: names and emoji need them.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F: true
    case 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x206F, 0xFEFF: true
    case 0xFFF9...0xFFFB, 0xE0000...0xE007F: true
    default: false
    }
  }

  private static func escape(of scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\u{8}": "\\b"
    case "\t": "\\t"
    case "\n": "\\n"
    case "\u{C}": "\\f"
    case "\r": "\\r"
    default:
      UTF16.encode(scalar).map { units in
        units.map { unit in
          let digits = String(unit, radix: 16)
          return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
      } ?? ""
    }
  }
}

/// Finds the name that was probably meant when another one was typed.
enum NameSuggestion {
  /// At most this many names are compared: with more of them a typing mistake is not the likely reason.
  private static let candidateLimit = 10_000

  /// Longer names are only compared without regard to case: the distance costs the product of two lengths.
  private static let lengthLimit = 64

  /// More suggestions than this are noise.
  private static let suggestionLimit = 3

  /// Returns the candidates that are close to `name`, closest first, then in order of name.
  ///
  /// Close means: equal but for case, or one edit for every three characters, at least one. An edit inserts, removes or
  /// replaces a character, or swaps two neighbours.
  ///
  /// - Complexity: O(*n* · *k*²) for *n* candidates of *k* characters, bounded by the limits above.
  static func suggestions(for name: String, among candidates: some Sequence<String>) -> [String] {
    let typed = Array(name)
    let folded = name.lowercased()
    let allowed = max(1, typed.count / 3)
    var found: [(distance: Int, name: String)] = []
    for candidate in candidates.prefix(candidateLimit) where !candidate.isEmpty {
      if candidate.lowercased() == folded {
        found.append((0, candidate))
      } else if let distance = distance(typed, Array(candidate)), distance <= allowed, distance < typed.count {
        found.append((distance, candidate))
      }
    }
    found.sort { left, right in (left.distance, left.name) < (right.distance, right.name) }
    return found.prefix(suggestionLimit).map(\.name)
  }

  /// The optimal string alignment distance, or `nil` when a text is too long to compare.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int? {
    guard left.count <= lengthLimit, right.count <= lengthLimit else { return nil }
    var beforeLast = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        let substitution = last[column] + (left[row] == right[column] ? 0 : 1)
        var best = min(substitution, last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          best = min(best, beforeLast[column - 1] + 1)
        }
        current.append(best)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }
}
