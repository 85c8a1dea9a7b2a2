/// A shell-escaped word for a command that a message suggests: each special character has a backslash, as in shell
/// completion.
package struct ShellWord: Sendable, CustomStringConvertible {
  /// The escaped word.
  package let description: String

  /// Escapes a word.
  ///
  /// - Parameter text: The argument that the shell passes, for instance a path. Control characters are escaped where
  ///   the message is printed: a backslash cannot escape a line feed.
  package init(_ text: String) {
    // A word that begins with a dash would be an option.
    let text = text.hasPrefix("-") ? "./" + text : text
    description = String(text.flatMap { character in Self.isPlain(character) ? [character] : ["\\", character] })
  }

  /// Letters of any script, and characters that are plain in every shell.
  private static func isPlain(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "/._-+,:@%".contains(character) || !character.isASCII
  }
}

extension ShellWord {
  /// The word in single quotes, if it needs them: more readable than ``description`` for text with many spaces.
  ///
  /// Line feeds are kept; control characters are escaped where the line is printed.
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
