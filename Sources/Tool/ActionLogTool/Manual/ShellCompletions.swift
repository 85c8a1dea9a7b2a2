/// The kind of a word on the command line, for completion.
enum CompletionKind: Equatable {
  /// A file or directory.
  case path
  /// One of a few words.
  case words([String])
  /// A point of the log named earlier: a keyword or a mark.
  case point
  /// A mark of the log named earlier.
  case mark
  /// A type of an action in the log named earlier, and a path in its state.
  case type, pointer
  /// Any text.
  case anything
}

/// The kinds of words in a tool's command lines, derived from the command table by the names of values.
struct CompletionTable {
  /// The name of the tool.
  let toolName: String
  let commands: [Command]
  /// The models whose names need no quoting.
  let models: [String]

  /// Names of arguments and values that are paths.
  private static let pathNames: Set<String> = ["LOG", "NEW", "FILE", "DEST", "DIR"]
  /// Names of arguments and values that are points.
  private static let pointNames: Set<String> = ["POINT", "A", "B"]
  /// The keywords for points.
  static let points = "start end"

  init(_ tool: ActionLogTool) {
    toolName = tool.name
    commands = tool.commands
    models = tool.models.map(\.name).filter(Self.isPlain)
  }

  /// The name of the shell function: only letters, digits and underscores.
  var functionName: String {
    "_" + String(toolName.map { character in character.isASCII && character.isLetter ? character : "_" })
  }

  func kind(of argument: CommandArgument) -> CompletionKind {
    argument.choices.isEmpty ? kind(named: argument.name) : .words(argument.choices)
  }

  /// The kind of an option's value; `nil` for a flag.
  func kind(of option: CommandOption) -> CompletionKind? {
    guard let value = option.value else { return nil }
    // The paths of a line are not those of the state.
    if option.name == "hide" { return .anything }
    return option.choices.isEmpty ? kind(named: value) : .words(option.choices)
  }

  private func kind(named name: String) -> CompletionKind {
    switch name {
    case "MODEL": .words(models)
    case "COMMAND": .words(commands.map(\.name) + HelpTopic.all.map(\.name))
    case "MARK": .mark
    case "PATTERN": .type
    case "POINTER": .pointer
    default: Self.pathNames.contains(name) ? .path : Self.pointNames.contains(name) ? .point : .anything
    }
  }

  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
        default: false
        }
      }
  }
}

extension CommandOption {
  /// All its spellings: `--format`, `-f`.
  var spellings: [String] { ["--" + name] + (letter.map { letter in ["-\(letter)"] } ?? []) }
  /// Its spellings, and that of older versions, whose value is completed, too.
  fileprivate var acceptedSpellings: [String] { spellings + (formerLetter.map { letter in ["-\(letter)"] } ?? []) }
}

extension String {
  /// The text as a shell word in single quotes.
  var shellQuoted: String {
    "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}

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
      "          *) set -- marks --names -q -- \"$log\" ;;",
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
      "    \(command.name)) options=\(words(of: command.allOptions)) valued=\(valued.flatMap(\.acceptedSpellings).joined(separator: " ").shellQuoted); "
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
        let patterns = option.acceptedSpellings.map { spelling in "'\(command.name) \(spelling)'" }.joined(
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
      "        *) set -- marks --names -q -- $word ;;",
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
      "          command $words[1] marks --names -q -- $word 2>/dev/null </dev/null",
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
