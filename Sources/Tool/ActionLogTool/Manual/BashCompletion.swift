/// Completions for bash 3.2 and newer: one function, with the table as `case` lists.
struct BashCompletion {
  let table: CompletionTable

  var lines: [String] {
    let commands = table.commands.map(\.name).joined(separator: " ")
    return [
      "# Completions of \(table.toolName) for bash: source this file, or put it into a directory of bash-completion.",
      "\(table.functionName)() {",
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command='' place=0 index kind=''",
      "  local options='' valued='' kinds=() tool=${1:-\(table.toolName)} log='' names=() name bare inner",
      "  COMPREPLY=()",
      "  # Bash makes three words of --name=value.",
      "  if [ \"$word\" = = ]; then word=''",
      "  elif [ \"$before\" = = ]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi",
      "  for ((index = 1; index < COMP_CWORD; index++)); do",
      "    case ${COMP_WORDS[index]} in -*) ;; *) command=${COMP_WORDS[index]}; break ;; esac",
      "  done",
      "  case $command in",
    ] + table.commands.flatMap(entry) + [
      "    *) options=\(words(of: CommandOption.global + [.version])); kinds=(\("= \(commands)".shellQuoted)) ;;",
      "  esac",
      "  for ((index++; index < COMP_CWORD; index++)); do",
      "    case ${COMP_WORDS[index]} in",
      "      -*) case \" $valued \" in *\" ${COMP_WORDS[index]} \"*) index=$((index + 1)) ;; esac ;;",
      "      =) index=$((index + 1)) ;;",
      "      *) place=$((place + 1)) ;;",
      "    esac",
      "  done",
      "  case \"$command $before\" in",
    ] + table.commands.flatMap(values) + [
      "    *)",
      "      case $word in",
      "        -*) kind=\"= $options\" ;;",
      "        *)",
      "          # A repeatable argument is the last one.",
      "          index=$((${#kinds[@]} - 1))",
      "          if [ $index -ge 0 ] && [ $place -ge $index ] && [ \"${kinds[index]}\" = several ]; then "
        + "place=$((index - 1)); fi",
      "          kind=${kinds[place]}",
      "          ;;",
      "      esac",
      "      ;;",
      "  esac",
      "  case $kind in",
      "    point|mark|type|pointer)",
      // Through variables: bash 5.2 does not match a pattern that contains the expansion of an empty word.
      "      # Names are compared without quotes and backslashes.",
      "      bare=${word//\\\\/}; inner=${word#?}",
      "      if [ \"$kind\" = point ]; then names=(\(CompletionTable.points)); fi",
      "      for ((index = 2; index < COMP_CWORD; index++)); do",
      "        log=${COMP_WORDS[index]//\\\\/}; log=${log#[\\'\\\"]}; log=${log%[\\'\\\"]}",
      "        case $log in '~/'*) log=$HOME${log#'~'} ;; esac",
      "        if [ -e \"$log\" ]; then break; fi",
      "        log=''",
      "      done",
      "      if [ -n \"$log\" ]; then",
      "        case $kind in",
      "          type) set -- completions types -q -- \"$log\" ;;",
      "          pointer)",
      "            case $word in [\\'\\\"]*) set -- \"$inner\" ;; *) set -- \"$bare\" ;; esac",
      "            set -- completions pointers -q -- \"$log\" \"${1:-/}\"",
      "            ;;",
      "          *) set -- mark --names -q -- \"$log\" ;;",
      "        esac",
      "        while IFS= read -r name; do names+=(\"$name\"); done < <(\"$tool\" \"$@\" 2>/dev/null </dev/null)",
      "      fi",
      "      for name in \"${names[@]}\"; do",
      "        case $word in",
      // Bash inserts a name into an open quote unchanged, so names that would end the quote are not proposed.
      "          [\\'\\\"]*) case $name in *[\\'\\\"\\$\\`\\\\!]*) ;; \"$inner\"*) COMPREPLY+=(\"$name\") ;; esac ;;",
      "          *) case $name in \"$bare\"*) COMPREPLY+=(\"$(printf %q \"$name\")\") ;; esac ;;",
      "        esac",
      "      done",
      "      ;;",
      "    path) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$word\")) ;;",
      "    '= '*) COMPREPLY=($(compgen -W \"${kind#= }\" -- \"$word\")) ;;",
      "  esac",
      "}",
      "complete -F \(table.functionName) \(table.toolName.shellQuoted)",
    ]
  }

  private func entry(_ command: Command) -> [String] {
    var kinds = command.positionalArguments.map { argument in word(table.kind(of: argument)) }
    if command.positionalArguments.last?.isRepeatable == true { kinds.append("several") }
    let valued = command.allOptions.filter { option in option.value != nil }
    return [
      "    \(command.name)) options=\(words(of: command.allOptions)) valued=\(valued.flatMap(\.spellings).joined(separator: " ").shellQuoted); "
        + "kinds=(\(kinds.map(\.shellQuoted).joined(separator: " "))) ;;"
    ]
  }

  private func values(_ command: Command) -> [String] {
    let afterSeparator = command.arguments.dropFirst(command.positionalArguments.count).map { argument in
      "    '\(command.name) --') kind=\(word(table.kind(of: argument)).shellQuoted) ;;"
    }
    return afterSeparator
      + command.allOptions.compactMap { option in
        guard let kind = table.kind(of: option) else { return nil }
        let patterns = option.spellings.map { spelling in "'\(command.name) \(spelling)'" }.joined(
          separator: "|")
        return "    \(patterns)) kind=\(word(kind).shellQuoted) ;;"
      }
  }

  private func words(of options: [CommandOption]) -> String {
    options.flatMap(\.spellings).joined(separator: " ").shellQuoted
  }

  private func word(_ kind: CompletionKind) -> String {
    switch kind {
    case .path: "path"
    case .words(let words): "= " + words.joined(separator: " ")
    case .point: "point"
    case .mark: "mark"
    case .type: "type"
    case .pointer: "pointer"
    case .anything: "anything"
    }
  }
}
