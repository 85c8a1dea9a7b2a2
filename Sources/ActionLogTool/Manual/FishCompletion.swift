/// Completions for fish: a line for everything that can be proposed.
struct FishCompletion {
  let table: CompletionTable

  var lines: [String] {
    let name = table.toolName.shellQuoted
    return [
      "# Completions of \(table.toolName) for fish: put this file into ~/.config/fish/completions.",
      "complete -c \(name) -f",
    ]
      + table.commands.map { command in
        "complete -c \(name) -n __fish_use_subcommand -a \(command.name) -d \(quoted(command.summary))"
      } + table.commands.flatMap { command in entry(command, name) }
  }

  private func entry(_ command: Command, _ name: String) -> [String] {
    let start = "complete -c \(name) -n '__fish_seen_subcommand_from \(command.name)'"
    let options = command.allOptions.map { option in
      let letter = option.letter.map { letter in " -s \(letter)" } ?? ""
      return "\(start)\(letter) -l \(option.name)\(value(table.kind(of: option))) -d \(quoted(option.help))"
    }
    var arguments: [String] = []
    for argument in command.arguments {
      let line: String? =
        switch table.kind(of: argument) {
        case .path: "\(start) -F"
        case .words(let words): words.isEmpty ? nil : "\(start) -a \(quoted(words.joined(separator: " ")))"
        case .anything: nil
        }
      if let line, !arguments.contains(line) { arguments.append(line) }
    }
    return options + arguments
  }

  private func value(_ kind: CompletionKind?) -> String {
    switch kind {
    case nil: ""
    case .path?: " -r -F"
    case .words(let words)?: " -x -a \(quoted(words.joined(separator: " ")))"
    case .anything?: " -x"
    }
  }

  /// In single quotes, within which fish takes backslashes before backslashes and quotes for escapes.
  private func quoted(_ text: String) -> String {
    var quoted = "'"
    for character in text {
      if character == "'" || character == "\\" { quoted += "\\" }
      quoted.append(character)
    }
    return quoted + "'"
  }
}
