/// Completions for zsh, by its `_arguments`.
struct ZshCompletion {
  let table: CompletionTable

  var lines: [String] {
    [
      "#compdef \(table.toolName)",
      "# Completions of \(table.toolName) for zsh: put this file into a directory of $fpath, as _\(table.toolName).",
      "# Names in the first log on the line, of a kind, and the given words.",
      "\(table.functionName)_names() {",
      "  local -a names",
      "  local word kind=$1",
      "  shift",
      "  names=(\"$@\")",
      "  for word in ${words[2,-1]}; do",
      "    word=${(Q)word}",
      "    if [[ $word == '~/'* ]]; then word=$HOME${word#'~'}; fi",
      "    if [[ -e $word ]]; then",
      "      case $kind in",
      "        type) set -- completions types -q -- $word ;;",
      "        pointer) set -- completions pointers -q -- $word ${${(Q)PREFIX}:-/} ;;",
      "        *) set -- mark --names -q -- $word ;;",
      "      esac",
      "      names+=(${(f)\"$(\(table.toolName.shellQuoted) \"$@\" 2>/dev/null </dev/null)\"})",
      "      break",
      "    fi",
      "  done",
      "  compadd -a names",
      "}",
      "\(table.functionName)() {",
      "  local -a commands",
      "  commands=(",
    ]
      + table.commands.map { command in
        "    " + "\(command.name):\(escaped(command.summary))".shellQuoted
      } + [
        "  )",
        "  if (( CURRENT == 2 )); then",
        "    _describe -t commands command commands",
        "    return",
        "  fi",
        "  shift words",
        "  (( CURRENT-- ))",
        "  case $words[1] in",
      ] + table.commands.flatMap(entry) + [
        "  esac",
        "}",
        "if [ \"$funcstack[1]\" = \("_\(table.toolName)".shellQuoted) ]; then \(table.functionName) \"$@\"; "
          + "else compdef \(table.functionName) \(table.toolName.shellQuoted); fi",
      ]
  }

  private func entry(_ command: Command) -> [String] {
    var words: [String] = []
    for option in command.allOptions {
      let repeats = option.isRepeatable ? "*" : ""
      let value =
        option.value.map { value in ":\(escaped(value)):\(action(table.kind(of: option) ?? .anything))" } ?? ""
      for spelling in option.spellings { words.append("\(repeats)\(spelling)[\(escaped(option.help))]\(value)") }
    }
    for (index, argument) in command.positionalArguments.enumerated() {
      let place = argument.isRepeatable ? "*" : "\(index + 1)"
      let optional = argument.arity == .optional ? ":" : ""
      words.append("\(place):\(optional)\(escaped(argument.name)):\(action(table.kind(of: argument)))")
    }
    return ["    \(command.name)) _arguments -s : \\"]
      + words.enumerated().map { index, word in
        "      \(word.shellQuoted)" + (index < words.count - 1 ? " \\" : " ;;")
      }
  }

  private func action(_ kind: CompletionKind) -> String {
    switch kind {
    case .path: "_files"
    case .words(let words): "(\(words.joined(separator: " ")))"
    // With a space in front, zsh adds no words of its own.
    case .point: " \(table.functionName)_names mark \(CompletionTable.points)"
    case .mark: " \(table.functionName)_names mark"
    case .type: " \(table.functionName)_names type"
    case .pointer: " \(table.functionName)_names pointer"
    case .anything: " "
    }
  }

  /// Escapes the special characters of `_arguments`.
  private func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      if #"\:[]"#.contains(character) { escaped += "\\" }
      escaped.append(character)
    }
    return escaped
  }
}
