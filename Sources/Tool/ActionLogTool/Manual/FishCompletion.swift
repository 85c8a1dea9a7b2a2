/// Completions for fish: a line for each proposal.
struct FishCompletion {
  let table: CompletionTable

  var lines: [String] {
    let name = table.toolName.shellQuoted
    return [
      "# Completions of \(table.toolName) for fish: put this file into ~/.config/fish/completions.",
      "# Names in the first log on the line, of a kind.",
      "function _\(table.functionName)_names",
      "  set -l words (commandline -opc)",
      "  type -q $words[1]; or return",
      "  for word in $words[3..-1]",
      "    if test -e $word",
      "      switch $argv[1]",
      "        case type",
      "          command $words[1] completions types -q -- $word 2>/dev/null </dev/null",
      "        case pointer",
      "          set -l prefix (commandline -ct)",
      "          test -n \"$prefix\"; or set prefix /",
      "          command $words[1] completions pointers -q -- $word $prefix 2>/dev/null </dev/null",
      "        case '*'",
      "          command $words[1] mark --names -q -- $word 2>/dev/null </dev/null",
      "      end",
      "      return",
      "    end",
      "  end",
      "end",
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
        case .point, .mark, .type, .pointer: "\(start) -a \(quoted(names(table.kind(of: argument))))"
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
    case .point?, .mark?, .type?, .pointer?: " -x -a \(quoted(names(kind ?? .mark)))"
    case .anything?: " -x"
    }
  }

  /// The command that lists the names to propose.
  private func names(_ kind: CompletionKind) -> String {
    switch kind {
    case .point: "\(CompletionTable.points) (_\(table.functionName)_names mark)"
    case .type: "(_\(table.functionName)_names type)"
    case .pointer: "(_\(table.functionName)_names pointer)"
    default: "(_\(table.functionName)_names mark)"
    }
  }

  /// The text in single quotes, where fish interprets backslashes before backslashes and quotes.
  private func quoted(_ text: String) -> String {
    var quoted = "'"
    for character in text {
      if character == "'" || character == "\\" { quoted += "\\" }
      quoted.append(character)
    }
    return quoted + "'"
  }
}
