/// Formats numbers, sizes and durations for people.
package enum HumanText {
  /// A count with groups of thousands, for instance `12 345`.
  package static func count(_ value: Int) -> String {
    let digits = Array(String(value.magnitude))
    var text = value < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += " " }
      text.append(digit)
    }
    return text
  }

  /// A count and its noun, for instance `1 action`, `2 actions`.
  package static func count(_ value: Int, _ noun: String) -> String {
    "\(count(value)) \(noun)\(value == 1 ? "" : "s")"
  }

  /// A size in binary units with at most one decimal, for instance `512 B`, `1.5 KiB`.
  package static func bytes(_ value: Int) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    var size = Double(value)
    var unit = 0
    while size.magnitude >= 1024, unit < units.count - 1 {
      size /= 1024
      unit += 1
    }
    return unit == 0 ? "\(value) B" : "\(decimal(size)) \(units[unit])"
  }

  /// A duration in the largest unit that suits it, for instance `850 ms`, `4.2 s`, `3 min 5 s`, `2 d 3 h`.
  package static func duration(_ value: Duration) -> String {
    let seconds = value / .seconds(1)
    if seconds < 0.001 { return "\(Int(seconds * 1e6)) µs" }
    if seconds < 1 { return "\(Int(seconds * 1e3)) ms" }
    if seconds < 60 { return "\(decimal(seconds)) s" }
    let whole = seconds < 1e15 ? Int(seconds) : Int(1e15)
    if whole < 3_600 { return "\(whole / 60) min \(whole % 60) s" }
    if whole < 86_400 { return "\(whole / 3_600) h \(whole % 3_600 / 60) min" }
    return "\(count(whole / 86_400)) d \(whole % 86_400 / 3_600) h"
  }

  /// A rate, for instance `3.2 actions/s`, `4.5 actions/min`.
  package static func rate(_ count: Int, _ noun: String, in span: Duration) -> String {
    let perSecond = Double(count) / (span / .seconds(1))
    for (factor, unit) in [(1.0, "s"), (60, "min"), (3_600, "h")] where perSecond * factor >= 1 {
      return "\(decimal(perSecond * factor)) \(noun)/\(unit)"
    }
    return "\(decimal(perSecond * 86_400)) \(noun)/d"
  }

  /// A number with one decimal; none when it has three digits before the point.
  static func decimal(_ value: Double) -> String {
    if value.magnitude >= 100 { return count(Int(value.rounded())) }
    let tenths = Int((value.magnitude * 10).rounded())
    return "\(value < 0 ? "-" : "")\(tenths / 10).\(tenths % 10)"
  }
}

/// A shell-escaped word for a command that a message suggests: each special character has a backslash, as in shell
/// completion.
package struct ShellWord: Sendable, CustomStringConvertible {
  package let description: String

  /// Escapes a word. Control characters are escaped where the message is printed: a backslash cannot escape a line feed.
  package init(_ text: String) {
    // A word that begins with a dash would be an option.
    let text = text.hasPrefix("-") ? "./" + text : text
    description = Self.escaped(text)
  }

  static func escaped(_ text: String) -> String {
    String(text.flatMap { character in isPlain(character) ? [character] : ["\\", character] })
  }

  /// Letters of any script, and characters that are plain in every shell.
  private static func isPlain(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "/._-+,:@%".contains(character) || !character.isASCII
  }
}

extension ShellWord {
  /// The word in single quotes, if it needs them: more readable than ``description`` for text with many spaces. Line feeds are kept.
  static func quoted(_ text: String) -> String {
    let isPlain =
      !text.isEmpty
      && text.allSatisfy { character in
        character.isLetter || character.isNumber || "/._-+,:@%".contains(character)
      }
    return isPlain
      ? text : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}
