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
