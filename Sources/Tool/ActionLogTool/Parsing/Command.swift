import Platform

/// A command of the tool: the source of its parsing, help, suggestions and completions.
package struct Command: Sendable {
  /// The sections of the list of commands in help.
  package enum Group: String, Sendable, CaseIterable {
    case start = "Start here"
    case record = "Record"
    case read = "Read the log"
    case travel = "Travel in time"
    case question = "Query the past"
    case many = "Query many logs"
    case exchange = "Exchange with other programs"
    case care = "Maintain a log"
    case about = "About the tool"
  }

  /// A working command line with its meaning.
  package struct Example: Sendable {
    /// The words after the tool's name.
    package let arguments: String
    package let meaning: String

    package init(_ arguments: String, _ meaning: String) {
      self.arguments = arguments
      self.meaning = meaning
    }
  }

  package let name: String
  package let group: Group
  /// A fragment for the list of commands.
  package let summary: String
  /// Full sentences for the help of the command.
  package let details: String
  package let examples: [Example]
  package let arguments: [CommandArgument]
  package let options: [CommandOption]
  /// The form of an answer that can grow, which options bound; `nil` for any other.
  package let answer: AnswerForm?
  package let body: @Sendable (CommandContext) async throws -> ExitStatus

  /// Creates an asynchronous command, which never blocks.
  package init(
    _ name: String,
    group: Group = .start,
    summary: String,
    details: String = "",
    examples: [Example],
    arguments: [CommandArgument] = [],
    options: [CommandOption] = [],
    answer: AnswerForm? = nil,
    asynchronous body: @escaping @Sendable (CommandContext) async throws -> ExitStatus
  ) {
    self.name = name
    self.group = group
    self.summary = summary
    self.details = details
    self.examples = examples
    self.arguments = arguments
    // A command that folds with a model needs a policy for types that the model does not have.
    let bounds =
      answer == nil
      ? []
      : CommandOption.bounds.filter { bound in
        !options.contains { option in option.name == bound.name }
      }
    self.options = options + (options.contains(.model) ? [.unknownTypes] : []) + bounds
    self.answer = answer
    self.body = body
  }

  /// Creates a command that blocks on files. It runs on its own thread, never on the cooperative pool.
  package init(
    _ name: String,
    group: Group = .start,
    summary: String,
    details: String = "",
    examples: [Example],
    arguments: [CommandArgument] = [],
    options: [CommandOption] = [],
    answer: AnswerForm? = nil,
    blocking body: @escaping @Sendable (CommandContext) throws -> ExitStatus
  ) {
    self.init(
      name, group: group, summary: summary, details: details, examples: examples, arguments: arguments,
      options: options, answer: answer,
      asynchronous: { context in try await BlockingWork.run { try body(context) } }
    )
  }

  /// Its options and the global ones.
  var allOptions: [CommandOption] { options + CommandOption.global }

  /// The arguments before `--`.
  var positionalArguments: [CommandArgument] { arguments.filter { argument in argument.arity != .afterSeparator } }

  /// Whether the words after `--` are a command line of their own.
  var takesCommandLine: Bool { arguments.last?.arity == .afterSeparator }

  /// The tool's name and the command's; only the tool's for a program of one command.
  func title(after toolName: String) -> String {
    name.isEmpty ? toolName : "\(toolName) \(name)"
  }

  /// The usage line without the tool's name.
  var usage: String {
    let (own, rest) = (positionalArguments.map(\.usage), arguments.dropFirst(positionalArguments.count).map(\.usage))
    return ([name].filter { name in !name.isEmpty } + own + ["[options]"] + rest).joined(separator: " ")
  }
}

/// Every command, in the order of help. Parsing, help and suggestions use this table.
enum CommandTable {
  static let all: [Command] = [
    .demo,
    .record,
    .list, .show, .tail, .cat, .stats, .mark, .marks,
    .state, .diff, .step, .tui, .inspect, .replay, .report,
    .blame, .history, .watch, .until, .reverseUntil, .bisect, .minimize, .whatIf,
    .fleet, .each,
    .test, .bugReport,
    .consume, .subscriptions,
    .export, .importing, .ship, .mcp,
    .verify, .checkpoint, .prove, .repair, .salvage, .backup, .restore, .snapshot, .projections, .compat, .freeze,
    .redact,
    .prune,
    .models, .completions, .manual, .help, .version,
  ]
}

/// A positional argument of a command.
package struct CommandArgument: Sendable, Equatable {
  package enum Arity: Sendable {
    case one, optional, several
    /// Any number of words, also none.
    case any
    /// All words after `--`, at least one: a command line of its own.
    case afterSeparator
  }

  /// The name in help, in capitals.
  package let name: String
  package let arity: Arity
  /// The allowed words; empty for any word.
  package let choices: [String]
  /// A description of one line.
  package let help: String

  package init(_ name: String, arity: Arity = .one, choices: [String] = [], _ help: String) {
    self.name = name
    self.arity = arity
    self.choices = choices
    self.help = help
  }

  /// Whether it stands for more than one word.
  var isRepeatable: Bool { arity == .several || arity == .any }

  /// Whether it may be missing.
  var isOptional: Bool { arity == .optional || arity == .any }

  /// The form in a usage line.
  var usage: String {
    switch arity {
    case .one: name
    case .optional: "[\(name)]"
    case .several: "\(name)…"
    case .any: "[\(name)…]"
    case .afterSeparator: "-- \(name)…"
    }
  }
}

extension CommandArgument {
  /// A log to read.
  static let readLog = CommandArgument("LOG", "a log's directory, or one of its segment files")
  /// One log or many.
  static let readLogs = CommandArgument(
    "LOG", "a log's directory, one of its segment files, or - for paths on standard input")
  /// One log or many, whose answers are printed together.
  static let mergedLogs = CommandArgument(
    "LOG", arity: .several,
    "a log's directory, one of its segment files, several of them, a directory of logs, or - for paths on standard input"
  )
  /// One log or many, also by directory.
  static let namedLogs = CommandArgument(
    "LOG", arity: .several, "logs, directories of logs, or - for paths on standard input")
  /// A complete log.
  static let wholeLog = CommandArgument("LOG", "a log's directory")
}

/// An option of a command.
package struct CommandOption: Sendable, Equatable {
  /// The name after `--`.
  package let name: String
  /// The letter after `-`, if it has one. A letter has one meaning in all commands.
  package let letter: Character?
  /// A letter of older versions that means something else in other commands. It is accepted, and not shown.
  package var formerLetter: Character?
  /// The name of its value in help; `nil` for a flag.
  package let value: String?
  /// The allowed values; empty for any value.
  package let choices: [String]
  /// Values of older versions, which are still accepted.
  package var formerChoices: [String] = []
  package let isRepeatable: Bool
  /// A description of one line.
  package let help: String

  /// An option without a value.
  package static func flag(
    _ name: String, letter: Character? = nil, formerLetter: Character? = nil, _ help: String
  ) -> CommandOption {
    CommandOption(
      name: name, letter: letter, formerLetter: formerLetter, value: nil, choices: [], isRepeatable: false, help: help)
  }

  /// An option with a value.
  package static func value(
    _ name: String, letter: Character? = nil, formerLetter: Character? = nil, _ value: String,
    isRepeatable: Bool = false, _ help: String
  ) -> CommandOption {
    CommandOption(
      name: name, letter: letter, formerLetter: formerLetter, value: value, choices: [], isRepeatable: isRepeatable,
      help: help)
  }

  /// An option with one of a few values.
  ///
  /// - Parameter formerChoices: Values of older versions, which are accepted, and not shown.
  package static func choice(
    _ name: String, letter: Character? = nil, formerLetter: Character? = nil, of choices: [String],
    formerly formerChoices: [String] = [], _ help: String
  ) -> CommandOption {
    CommandOption(
      name: name, letter: letter, formerLetter: formerLetter, value: choices.joined(separator: "|"), choices: choices,
      formerChoices: formerChoices, isRepeatable: false, help: help)
  }

  /// The form in help: `-n, --limit COUNT`.
  var usage: String {
    let prefix = letter.map { letter in "-\(letter), " } ?? "    "
    return prefix + "--" + name + (value.map { value in " " + value } ?? "")
  }
}

extension CommandOption {
  static let json = flag("json", "print JSON, one document or one line per item")
  static let quiet = flag("quiet", letter: "q", "print no notes and no progress, only data and errors")
  static let color = choice(
    "color", of: ["auto", "always", "never"], "print with color (default: auto, on a terminal)")
  static let noColor = flag("no-color", "print without color (as NO_COLOR=1 does)")
  static let noPager = flag("no-pager", "print long output without a pager (as PAGER=cat does)")
  static let help = flag("help", letter: "h", "print how to use the command")
  static let version = flag("version", "print the version")

  /// The options of every command.
  static let global: [CommandOption] = [json, quiet, color, noColor, noPager, help]
}
