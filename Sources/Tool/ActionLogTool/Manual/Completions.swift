// `completions`: the script of a shell only asks the tool, so that all shells propose the same words.

import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let completions = Command(
    "completions",
    group: .about,
    summary: "print completions for a shell: commands, options, models, paths, and marks of a log",
    details: """
      The script asks 'completions SHELL -- WORD…' for the words to propose in place of the last one. They are those of the help, the
      models of this tool, and the marks of the log on the command line.
      """,
    examples: [
      .init("completions bash > ~/.local/share/bash-completion/completions/action-log", "for every new bash"),
      .init("completions zsh > ~/.zfunc/_action-log", "in a directory of $fpath"),
      .init("completions fish > ~/.config/fish/completions/action-log.fish", "for every new fish"),
    ],
    arguments: [
      CommandArgument("SHELL", choices: ["bash", "zsh", "fish"], "the shell"),
      CommandArgument("WORD", arity: .any, "the words of a command line, up to the one to complete"),
    ],
    schema: .anyOf("One object: the script, or the proposed words.", [script.schema, Completion.shape.schema]),
    blocking: { context in
      let shell = context.arguments.positionals[0]
      if context.arguments.positionals.count > 1 {
        let completion = try Completion(context, shell)
        try context.answer(completion, Completion.shape) { try context.output.lines(completion.lines) }
        return completion.isEmpty ? .negative : .success
      }
      let text = CompletionScript(toolName: context.tool.name).text(shell)
      try context.answer((shell, text), script) { try context.output.text(text) }
      return .success
    }
  )

  private static let script = AnswerShape<(shell: String, text: String)>.object([
    .member("shell", .word("bash", "zsh", "fish"), \.shell), .member("script", .text, \.text),
  ])
}

/// The scripts of the shells.
///
/// A line of the answer is a word, and for zsh and fish its description after a tab. A line with only a tab stands for paths.
private struct CompletionScript {
  let toolName: String

  /// The name of the shell function: only letters, digits and underscores.
  private var functionName: String {
    "_" + String(toolName.map { character in character.isASCII && character.isLetter ? character : "_" })
  }

  func text(_ shell: String) -> String {
    let (function, tool) = (functionName, ShellWord.quoted(toolName))
    return switch shell {
    case "bash":
      """
      # Completions of \(toolName) for bash: source this file, or put it into a directory of bash-completion.
      \(function)() {
        local line
        COMPREPLY=()
        while IFS= read -r line; do
          if [ "$line" = $'\\t' ]; then
            compopt -o filenames 2>/dev/null
            while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]#=}")
          else
            COMPREPLY+=("$line")
          fi
        done < <("${1:-\(toolName)}" completions bash -q -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)
      }
      complete -F \(function) \(tool)

      """
    case "zsh":
      """
      #compdef \(toolName)
      # Completions of \(toolName) for zsh: put this file into a directory of $fpath, as _\(toolName).
      \(function)() {
        local -a earlier names descriptions
        local line
        if (( CURRENT > 2 )); then earlier=("${(@Q)words[2,CURRENT-1]}"); fi
        for line in "${(@f)$(\(tool) completions zsh -q -- "${(@)earlier}" "${(Q)PREFIX}" 2>/dev/null </dev/null)}"; do
          if [[ $line == $'\\t' ]]; then
            compset -P '--*='
            _files
          elif [[ -n $line ]]; then
            names+=("${line%%$'\\t'*}")
            descriptions+=("${line/$'\\t'/  }")
          fi
        done
        compadd -l -d descriptions -a names
      }
      if [ "$funcstack[1]" = \(ShellWord.quoted("_\(toolName)")) ]; then \(function) "$@"; else compdef \(function) \(tool); fi

      """
    default:
      """
      # Completions of \(toolName) for fish: put this file into ~/.config/fish/completions.
      function \(function)
        set -l words (commandline -opc)
        set -l word (commandline -ct)
        type -q $words[1]; or return
        for line in (command $words[1] completions fish -q -- $words[2..-1] "$word" 2>/dev/null </dev/null)
          if test "$line" = \\t
            set -l option (string match -r '^--[^=]*=' -- $word)
            __fish_complete_path (string replace -- "$option" '' "$word") | string replace -r '^' -- "$option"
          else
            echo $line
          end
        end
      end
      complete -c \(tool) -f -a '(\(function))'

      """
    }
  }
}

/// The words that complete a command line.
private struct Completion {
  static let shape = AnswerShape<Completion>.object([
    .member("words", .texts) { completion in completion.words.map(\.text) },
    .optional("paths", .always, { completion in completion.hasPaths ? true : nil }),
  ])

  private struct Word {
    var text: String
    var description = ""
  }

  private let context: CommandContext
  private let shell: String
  /// The words before the one to complete.
  private let earlier: [String]
  /// The beginning of the word to complete, and the quote of bash that is open in it.
  private let beginning: String
  private let quote: Character?
  private var words: [Word] = []
  private var hasPaths = false

  var isEmpty: Bool { words.isEmpty && !hasPaths }

  init(_ context: CommandContext, _ shell: String) throws {
    (self.context, self.shell) = (context, shell)
    var typed = context.arguments.positionals.dropFirst()
    let last = typed.popLast() ?? ""
    if shell == "bash" {
      // Bash makes three words of --name=value.
      earlier = typed.filter { word in word != "=" }.map { word in Self.unquoted(word, context).text }
    } else {
      earlier = Array(typed)
    }
    // The other shells pass words without quotes, but fish not the last one.
    (beginning, quote) =
      switch shell {
      case "bash": last == "=" ? ("", nil) : Self.unquoted(last, context)
      case "fish": (Self.unquoted(last, context).text, nil)
      default: (last, nil)
      }
    try propose()
  }

  /// The text of a word of a shell, and the quote that is open at its end.
  private static func unquoted(_ word: String, _ context: CommandContext) -> (text: String, quote: Character?) {
    var text = ""
    var quote: Character?
    var isEscaped = false
    for character in word {
      if isEscaped {
        text.append(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if character == quote {
        quote = nil
      } else if quote == nil, "'\"".contains(character) {
        quote = character
      } else {
        text.append(character)
      }
    }
    if word.hasPrefix("~/"), let home = context.environment.variables["HOME"] { text = home + text.dropFirst() }
    return (text, quote)
  }

  var lines: [String] {
    if hasPaths { return ["\t"] }
    return words.compactMap { word in
      guard shell == "bash" else {
        return TerminalText.escaping(word.text) + (word.description.isEmpty ? "" : "\t" + word.description)
      }
      guard quote == nil else {
        // Bash inserts a word into an open quote unchanged, so words that would end the quote are not proposed.
        return word.text.contains(where: { character in "'\"$`\\!".contains(character) }) ? nil : word.text
      }
      return TerminalText.escaping(ShellWord.escaped(word.text))
    }
  }
}

extension Completion {
  private mutating func propose() throws {
    guard let position = earlier.firstIndex(where: { word in !word.hasPrefix("-") }) else {
      guard beginning.hasPrefix("-") else {
        return propose(context.tool.commands.map { command in Word(text: command.name, description: command.summary) })
      }
      return propose(CommandOption.global + [.version])
    }
    guard let command = context.tool.commands.first(where: { command in command.name == earlier[position] }) else {
      return
    }
    func option(_ word: some StringProtocol) -> CommandOption? {
      command.allOptions.first { option in option.value != nil && option.spellings.contains(String(word)) }
    }
    var positionalCount = 0
    var pending: CommandOption?
    for word in earlier[(position + 1)...] {
      if pending != nil {
        pending = nil
      } else if word == "--", command.takesCommandLine {
        guard earlier.last == "--", let argument = command.arguments.last else { return }
        return try propose(argument.name, argument.choices)
      } else if word.hasPrefix("-"), word != "-" {
        pending = option(word)
      } else {
        positionalCount += 1
      }
    }
    if let pending { return try propose(valueOf: pending) }
    if let sign = beginning.firstIndex(of: "="), let option = option(beginning[..<sign]) {
      return try propose(valueOf: option, after: String(beginning[...sign]))
    }
    if beginning.hasPrefix("-") { return propose(command.allOptions) }
    let arguments = command.positionalArguments
    guard let argument = positionalCount < arguments.count ? arguments[positionalCount] : arguments.last,
      positionalCount < arguments.count || argument.isRepeatable
    else { return }
    try propose(argument.name, argument.choices)
  }

  private mutating func propose(valueOf option: CommandOption, after prefix: String = "") throws {
    try propose(option.value ?? "", option.choices, after: prefix)
  }

  /// Proposes values of an argument or an option, which its name tells from others.
  private mutating func propose(
    _ name: String, _ choices: [String], after prefix: String = ""
  ) throws {
    var texts = choices
    if choices.isEmpty {
      switch name {
      case "LOG", "NEW", "FILE", "DEST", "DIR": hasPaths = true
      case "MODEL": texts = context.tool.models.map(\.name)
      case "COMMAND": texts = context.tool.commands.map(\.name) + HelpTopic.all.map(\.name)
      case "POINT", "A", "B": texts = try ["start", "end"] + marks()
      case "MARK": texts = try marks()
      default: break
      }
    }
    propose(texts.map { text in Word(text: prefix + text) })
  }

  private mutating func propose(_ options: [CommandOption]) {
    propose(options.flatMap { option in option.spellings.map { text in Word(text: text, description: option.help) } })
  }

  /// Proposes the words that bash filters by nothing; the other shells have ways of their own to compare them.
  private mutating func propose(_ words: [Word]) {
    self.words = words.filter { word in shell != "bash" || word.text.hasPrefix(beginning) }
  }

  private func log() throws -> String? {
    try earlier.dropFirst().first { word in try !word.isEmpty && context.files.status(of: word) != nil }
  }

  private func marks() throws -> [String] {
    try log().map { log in try context.markList(of: context.openReader(log)).marks.map(\.name) } ?? []
  }
}

extension CommandOption {
  /// All its spellings: `--format`, `-f`.
  fileprivate var spellings: [String] { ["--" + name] + (letter.map { letter in ["-\(letter)"] } ?? []) }
}
