/// What a word on the command line can be, as far as a shell can propose it.
enum CompletionKind: Equatable {
  /// A file or directory.
  case path
  /// One of a few words.
  case words([String])
  /// A point of the log that is named before: a word for it, or a mark.
  case point
  /// A mark of the log that is named before.
  case mark
  /// Whatever a person thinks of.
  case anything
}

/// What the words of a tool's command lines can be: read off the command table, in which the name of a value says what
/// it is.
struct CompletionTable {
  /// What the tool is called.
  let toolName: String
  let commands: [Command]
  /// The models that the tool knows, those with a name that no shell takes apart.
  let models: [String]

  /// Names of arguments and values that are paths.
  private static let pathNames: Set<String> = ["LOG", "NEW", "FILE", "DEST", "DIR"]
  /// Names of arguments and values that are points.
  private static let pointNames: Set<String> = ["POINT", "A", "B"]
  /// The points that have words of their own.
  static let points = "start end"

  init(_ tool: ActionLogTool) {
    toolName = tool.name
    commands = tool.commands
    models = tool.models.map(\.name).filter(Self.isPlain)
  }

  /// The name of the shell function, in which only letters, digits and underscores can stand.
  var functionName: String {
    "_" + String(toolName.map { character in character.isASCII && character.isLetter ? character : "_" })
  }

  func kind(of argument: CommandArgument) -> CompletionKind {
    argument.choices.isEmpty ? kind(named: argument.name) : .words(argument.choices)
  }

  /// What the value of an option is; `nil` for a flag.
  func kind(of option: CommandOption) -> CompletionKind? {
    guard let value = option.value else { return nil }
    return option.choices.isEmpty ? kind(named: value) : .words(option.choices)
  }

  private func kind(named name: String) -> CompletionKind {
    switch name {
    case "MODEL": .words(models)
    case "COMMAND": .words(commands.map(\.name))
    case "MARK": .mark
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
  /// Every way to write it: `--format`, `-f`.
  var spellings: [String] { ["--" + name] + (letter.map { letter in ["-\(letter)"] } ?? []) }
}

extension String {
  /// The text as one word of a shell, in single quotes.
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
      "# Completions of \(table.toolName) for bash: source this file, or put it where bash-completion looks.",
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
      "          # What there can be several of stands last.",
      "          index=$((${#kinds[@]} - 1))",
      "          if [ $index -ge 0 ] && [ $place -ge $index ] && [ \"${kinds[index]}\" = several ]; then "
        + "place=$((index - 1)); fi",
      "          kind=${kinds[place]}",
      "          ;;",
      "      esac",
      "      ;;",
      "  esac",
      "  case $kind in",
      "    point|mark)",
      "      # Names are compared without what the shell would take away again.",
      "      if [ \"$kind\" = point ]; then names=(\(CompletionTable.points)); fi",
      "      for ((index = 2; index < COMP_CWORD; index++)); do",
      "        log=${COMP_WORDS[index]//\\\\/}; log=${log#[\\'\\\"]}; log=${log%[\\'\\\"]}",
      "        case $log in '~/'*) log=$HOME${log#'~'} ;; esac",
      "        if [ -e \"$log\" ]; then break; fi",
      "        log=''",
      "      done",
      "      if [ -n \"$log\" ]; then",
      "        while IFS= read -r name; do names+=(\"$name\"); done < "
        + "<(\"$tool\" marks --names -q -- \"$log\" 2>/dev/null </dev/null)",
      "      fi",
      // By way of variables: inside of a pattern bash 5.2 takes what is left of an empty word for no match.
      "      bare=${word//\\\\/}; inner=${word#?}",
      "      for name in \"${names[@]}\"; do",
      "        case $word in",
      // Bash puts a name into an open quote as it is; what would end the quote or run there is not proposed.
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
    var kinds = command.arguments.map { argument in word(table.kind(of: argument)) }
    if command.arguments.last?.arity == .several { kinds.append("several") }
    let valued = command.allOptions.filter { option in option.value != nil }
    return [
      "    \(command.name)) options=\(words(of: command.allOptions)) valued=\(words(of: valued)); "
        + "kinds=(\(kinds.map(\.shellQuoted).joined(separator: " "))) ;;"
    ]
  }

  private func values(_ command: Command) -> [String] {
    command.options.compactMap { option in
      guard let kind = table.kind(of: option) else { return nil }
      let patterns = option.spellings.map { spelling in "'\(command.name) \(spelling)'" }.joined(separator: "|")
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
      "# The marks of the first log on the line, and the words that are given.",
      "\(table.functionName)_points() {",
      "  local -a names",
      "  local word",
      "  names=(\"$@\")",
      "  for word in ${words[2,-1]}; do",
      "    word=${(Q)word}",
      "    if [[ $word == '~/'* ]]; then word=$HOME${word#'~'}; fi",
      "    if [[ -e $word ]]; then",
      "      names+=(${(f)\"$(\(table.toolName.shellQuoted) marks --names -q -- $word 2>/dev/null </dev/null)\"})",
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
    for (index, argument) in command.arguments.enumerated() {
      let place = argument.arity == .several ? "*" : "\(index + 1)"
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
    case .point: "\(table.functionName)_points \(CompletionTable.points)"
    case .mark: "\(table.functionName)_points"
    case .anything: " "
    }
  }

  /// What `_arguments` reads otherwise.
  private func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      if #"\:[]"#.contains(character) { escaped += "\\" }
      escaped.append(character)
    }
    return escaped
  }
}

/// Completions for fish: a line for everything that can be proposed.
struct FishCompletion {
  let table: CompletionTable

  var lines: [String] {
    let name = table.toolName.shellQuoted
    return [
      "# Completions of \(table.toolName) for fish: put this file into ~/.config/fish/completions.",
      "# The marks of the first log on the line.",
      "function _\(table.functionName)_marks",
      "  set -l words (commandline -opc)",
      "  type -q $words[1]; or return",
      "  for word in $words[3..-1]",
      "    if test -e $word",
      "      command $words[1] marks --names -q -- $word 2>/dev/null </dev/null",
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
        case .point, .mark: "\(start) -a \(quoted(names(argument.name == "MARK" ? .mark : .point)))"
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
    case .point?: " -x -a \(quoted(names(.point)))"
    case .mark?: " -x -a \(quoted(names(.mark)))"
    case .anything?: " -x"
    }
  }

  /// What finds the names that can be proposed.
  private func names(_ kind: CompletionKind) -> String {
    (kind == .point ? CompletionTable.points + " " : "") + "(_\(table.functionName)_marks)"
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
