/// A word for a command that is told to be typed: with a backslash before each character that a shell would take for something
/// else, as completion writes it.
package struct ShellWord: Sendable, CustomStringConvertible {
  /// The word as it is typed.
  package let description: String

  /// Makes a word.
  ///
  /// - Parameter text: What the shell is to hand over, for instance a path. What a terminal obeys is escaped where the whole
  ///   message is printed; no backslash makes a line feed a part of a word.
  package init(_ text: String) {
    // What begins with a dash is an option.
    let text = text.hasPrefix("-") ? "./" + text : text
    description = String(text.flatMap { character in Self.isPlain(character) ? [character] : ["\\", character] })
  }

  /// Letters of any script, and what no shell gives a meaning to within a word.
  private static func isPlain(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "/._-+,:@%".contains(character) || !character.isASCII
  }
}

extension ShellWord {
  /// A word between single quotes, if it needs them: easier to read than ``description`` where there are many spaces.
  ///
  /// Lines that end within the word are kept; what a terminal obeys is escaped where the whole line is printed.
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
