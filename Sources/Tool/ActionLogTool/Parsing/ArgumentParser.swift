import ActionLog
import TimeTravel

/// Parses a command line by the usual rules: `--name value`, `--name=value`, `-n value`, `-nvalue`, `-qn`, `--`. An unknown word is an
/// error that suggests a known one.
struct ArgumentParser: Sendable {
  let toolName: String
  let commands: [Command]

  enum Request: Sendable {
    /// The list of commands.
    case overview(ParsedArguments)
    case version(ParsedArguments)
    case help(Command, ParsedArguments)
    case run(Command, ParsedArguments)
  }

  func parse(_ words: [String]) throws(ToolFailure) -> Request {
    var words = words[...]
    var arguments = ParsedArguments()
    let leading = CommandOption.global + [.version]
    while let word = words.first, isOption(word) {
      words.removeFirst()
      do {
        try takeOption(word, rest: &words, options: leading, command: nil, into: &arguments)
      } catch {
        throw error.advised(Self.adviceOnCommands)
      }
    }
    if arguments.has(.version) { return .version(arguments) }
    guard let name = words.popFirst() else { return .overview(arguments) }
    let command = try command(named: name)
    do {
      try take(words, of: command, into: &arguments)
      if arguments.has(.help) { return .help(command, arguments) }
      try checkCount(of: arguments.positionals, for: command)
      try checkChoices(of: arguments.positionals, for: command)
      try arguments.checkRules(of: command)
    } catch {
      throw error.advisingHelp(on: command)
    }
    return .run(command, arguments)
  }

  private static let adviceOnCommands: MessageText = "Run \(command: .help) for the commands."

  func command(named name: String) throws(ToolFailure) -> Command {
    if let command = commands.first(where: { command in command.name == name }) { return command }
    let suggestion = Suggestion.sentence(for: name, among: commands.map(\.name))
    throw .usage("there is no command '\(name)'", advice: suggestion ?? Self.adviceOnCommands)
  }

  private func take(
    _ words: ArraySlice<String>, of command: Command, into arguments: inout ParsedArguments
  ) throws(ToolFailure) {
    var words = words
    while let word = words.popFirst() {
      if word == "--" {
        if command.takesCommandLine { arguments.trailing = Array(words) } else { arguments.positionals += words }
        return
      }
      if isOption(word) {
        try takeOption(word, rest: &words, options: command.allOptions, command: command, into: &arguments)
      } else if Self.countFromEnd(word) != nil,
        command.argument(arguments.positionals.count)?.name == CommandArgument.wholeLog.name
      {
        throw unknown(word, options: command.allOptions, command: command)
      } else {
        arguments.positionals.append(word)
      }
    }
  }

  /// Whether a word is an option: it begins with `-`, but is neither `-` nor a revision counted from the end (`-3`).
  private func isOption(_ word: String) -> Bool {
    guard word.hasPrefix("-"), word != "-", word != "--" else { return false }
    return !(word.dropFirst().first?.isASCIIDigit ?? false)
  }

  /// The number in `-3`; `nil` for any other word.
  private static func countFromEnd(_ word: String) -> Int? {
    word.hasPrefix("-") ? Int(word.dropFirst()).flatMap { count in count >= 0 ? count : nil } : nil
  }

  private func takeOption(
    _ word: String,
    rest: inout ArraySlice<String>,
    options: [CommandOption],
    command: Command?,
    into arguments: inout ParsedArguments
  ) throws(ToolFailure) {
    guard word.hasPrefix("--") else {
      try takeLetters(word, rest: &rest, options: options, command: command, into: &arguments)
      return
    }
    let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = options.first(where: { option in option.name == name }) else {
      throw unknown("--" + name, options: options, command: command)
    }
    if option.value == nil {
      guard parts.count == 1 else { throw .usage("\(option: option) takes no value") }
      try arguments.add(option, value: "")
    } else if parts.count == 2 {
      try arguments.add(option, value: String(parts[1]))
    } else {
      try arguments.add(option, value: try nextValue(of: option, as: "\(option: option)", rest: &rest))
    }
  }

  /// Parses a group of letters: flags, the last of which may be an option with its value.
  private func takeLetters(
    _ word: String,
    rest: inout ArraySlice<String>,
    options: [CommandOption],
    command: Command?,
    into arguments: inout ParsedArguments
  ) throws(ToolFailure) {
    var letters = word.dropFirst()
    while let letter = letters.popFirst() {
      guard let option = options.first(where: { option in option.letter == letter }) else {
        throw unknown("-\(letter)", options: options, command: command)
      }
      if option.value == nil {
        try arguments.add(option, value: "", as: letter)
      } else if letters.isEmpty {
        try arguments.add(option, value: try nextValue(of: option, as: "-\(letter)", rest: &rest), as: letter)
      } else {
        try arguments.add(option, value: String(letters.first == "=" ? letters.dropFirst() : letters), as: letter)
        return
      }
    }
  }

  private func nextValue(
    of option: CommandOption, as spelling: MessageText, rest: inout ArraySlice<String>
  ) throws(ToolFailure) -> String {
    guard let value = rest.first, !isOption(value), value != "--" else {
      throw .usage("\(spelling) needs a value: \(spelling) \(option.value ?? "")")
    }
    rest.removeFirst()
    return value
  }

  private func name(of command: Command) -> String { command.name.isEmpty ? toolName : command.name }

  private func unknown(_ word: String, options: [CommandOption], command: Command?) -> ToolFailure {
    let place: MessageText =
      command.map { command in "'\(name(of: command))' has no option '\(word)'" } ?? "there is no option '\(word)'"
    let names = options.map { option in "--" + option.name }
    return .usage(
      place,
      advice: Suggestion.sentence(for: word, among: names) ?? advice(onUnknown: word, options, command)
        ?? command.flatMap(adviceOnSeparator))
  }

  /// Advice on an option that the command does not have.
  private func advice(onUnknown word: String, _ options: [CommandOption], _ command: Command?) -> MessageText? {
    if let count = Self.countFromEnd(word), options.contains(ListCommand.last) {
      return "The last actions are an option: \(option: ListCommand.last, "\(count)")."
    }
    guard word == "--" + CommandOption.projection.name, let command, command.options.contains(.model) else {
      return nil
    }
    return "'\(name(of: command))' is about the state of the model. \(Self.adviceOnProjections)"
  }

  private static let adviceOnProjections: MessageText =
    "'state', 'list', 'blame', 'inspect' and other questions have \(option: .projection)."

  /// Advice on a point that was given as an argument, for a command with an option for it.
  private func adviceOnPoint(_ word: String, _ command: Command) -> MessageText? {
    let isPoint = ["start", "end"].contains(word) || (Int(word) != nil)
    guard isPoint, command.options.contains(where: { option in option.name == "at" }) else { return nil }
    return "The point is an option: \(.option("at", "\(word)"))."
  }

  /// Advice for a command line that was perhaps given without `--`.
  private func adviceOnSeparator(_ command: Command) -> MessageText? {
    guard command.takesCommandLine, let argument = command.arguments.last else { return nil }
    return "\(argument.name) comes after '--': \(command: command, "…", "\(argument.usage)")."
  }

  private func checkChoices(of positionals: [String], for command: Command) throws(ToolFailure) {
    for (argument, word) in zip(command.positionalArguments, positionals) where !argument.choices.isEmpty {
      guard !argument.choices.contains(word) else { continue }
      throw .usage(
        "\(argument.name) is one of \(argument.choices.joined(separator: ", ")), not '\(word)'",
        advice: Suggestion.sentence(for: word, among: argument.choices))
    }
  }

  private func checkCount(of positionals: [String], for command: Command) throws(ToolFailure) {
    let known = command.positionalArguments
    let required = known.filter { argument in !argument.isOptional }.count
    if positionals.count < required {
      throw .missing(known[positionals.count], for: name(of: command))
    }
    if positionals.count > known.count, known.last?.isRepeatable != true {
      let takesOneLog = known.count == 1 && command.effect == .readsLog
      let words: [MessageText.Operation.Word] =
        positionals.prefix(2).map { path in .path(path) } + ["--", "\(command.name)"]
      throw .usage(
        "'\(name(of: command))' takes no argument '\(positionals[known.count])'",
        advice: adviceOnPoint(positionals[known.count], command)
          ?? (takesOneLog
            ? "It reads one log; \(MessageText.Operation("each", words)) reads several."
            : adviceOnSeparator(command)))
    }
  }
}

extension Character {
  /// Whether it is one of `0` to `9`.
  var isASCIIDigit: Bool { isASCII && isWholeNumber }
}

extension ArgumentParser.Request {
  var arguments: ParsedArguments {
    switch self {
    case .overview(let arguments), .version(let arguments), .help(_, let arguments), .run(_, let arguments): arguments
    }
  }
}

/// "Did you mean": the known word closest to a mistyped one.
package enum Suggestion {
  /// The nearest candidate, or the only one that begins with the word.
  package static func closest(to word: String, among candidates: [String]) -> String? {
    // Numbers have no typing errors: 3 is not a mistyped 1.
    guard !word.contains(where: \.isNumber) || word.contains(where: \.isLetter) else { return nil }
    if let near = NameSuggestion.suggestions(for: word, among: candidates).first { return near }
    let lowered = word.lowercased()
    let completions = candidates.filter { candidate in lowered.count >= 2 && candidate.lowercased().hasPrefix(lowered) }
    return completions.count == 1 ? completions[0] : nil
  }

  /// The suggestion as a sentence, for an error's advice.
  static func sentence(for word: String, among candidates: [String]) -> MessageText? {
    closest(to: word, among: candidates).map { candidate in "Did you mean '\(candidate)'?" }
  }
}
