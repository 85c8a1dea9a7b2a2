import ActionLog

/// One command of the tool: the row from which parsing, help, suggestions and completions are made.
package struct Command: Sendable {
  /// The parts of the list of commands in help.
  package enum Group: String, Sendable, CaseIterable {
    case start = "Start here"
    case record = "Record"
    case read = "Look at what happened"
    case travel = "Travel in time"
    case question = "Ask the past"
    case exchange = "Exchange with other programs"
    case care = "Take care of a log"
    case about = "About the tool"
  }

  /// A command line that works, and what it does.
  package struct Example: Sendable {
    /// What follows the tool's name.
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
  /// Whole sentences for the command's own help.
  package let details: String
  package let examples: [Example]
  package let arguments: [CommandArgument]
  package let options: [CommandOption]
  package let body: @Sendable (CommandContext) async throws -> ExitStatus

  /// A command that awaits: it blocks nowhere.
  package init(
    _ name: String,
    group: Group = .start,
    summary: String,
    details: String = "",
    examples: [Example],
    arguments: [CommandArgument] = [],
    options: [CommandOption] = [],
    asynchronous body: @escaping @Sendable (CommandContext) async throws -> ExitStatus
  ) {
    self.name = name
    self.group = group
    self.summary = summary
    self.details = details
    self.examples = examples
    self.arguments = arguments
    // What folds with a model can be told what to do with types that the model does not have.
    self.options = options + (options.contains(.model) ? [.unknownTypes] : [])
    self.body = body
  }

  /// A command that reads and writes files as it goes: it runs on a thread of its own, never on the cooperative pool.
  package init(
    _ name: String,
    group: Group = .start,
    summary: String,
    details: String = "",
    examples: [Example],
    arguments: [CommandArgument] = [],
    options: [CommandOption] = [],
    blocking body: @escaping @Sendable (CommandContext) throws -> ExitStatus
  ) {
    self.init(
      name, group: group, summary: summary, details: details, examples: examples, arguments: arguments,
      options: options,
      asynchronous: { context in try await OffPool.run { try body(context) } }
    )
  }

  /// Its options and those that every command takes.
  var allOptions: [CommandOption] { options + CommandOption.global }

  /// The tool's name and the command's; of a program that is one command, the program's alone.
  func title(after toolName: String) -> String {
    name.isEmpty ? toolName : "\(toolName) \(name)"
  }

  /// What follows the tool's name in a usage line.
  var usage: String {
    ([name].filter { name in !name.isEmpty } + arguments.map(\.usage) + ["[options]"]).joined(separator: " ")
  }
}

/// Every command, in the order in which help lists them. Parsing, help and suggestions are made from this table.
enum CommandTable {
  static let all: [Command] = [
    .demo,
    .record,
    .list, .show, .tail, .cat, .stats, .mark, .marks,
    .state, .diff, .step, .tui, .replay, .report,
    .blame, .history, .watch, .until, .reverseUntil, .bisect, .minimise, .whatIf,
    .test, .bugReport,
    .export, .importing, .ship,
    .verify, .repair, .salvage, .backup, .snapshot, .compat, .freeze,
    .models, .completions, .manual, .help, .version,
  ]
}

/// A positional argument of a command.
package struct CommandArgument: Sendable, Equatable {
  package enum Arity: Sendable { case one, optional, several }

  /// What it is called in help, in capitals.
  package let name: String
  package let arity: Arity
  /// The only words it takes; empty when any will do.
  package let choices: [String]
  /// One line: what it is.
  package let help: String

  package init(_ name: String, arity: Arity = .one, choices: [String] = [], _ help: String) {
    self.name = name
    self.arity = arity
    self.choices = choices
    self.help = help
  }

  /// As it is written in a usage line.
  var usage: String {
    switch arity {
    case .one: name
    case .optional: "[\(name)]"
    case .several: "\(name)…"
    }
  }
}

extension CommandArgument {
  /// A log that is only read.
  static let readLog = CommandArgument("LOG", "a log's directory, or one of its segment files")
  /// A log, or many.
  static let readLogs = CommandArgument(
    "LOG", "a log's directory, one of its segment files, or - for paths on standard input")
  /// A log as a whole.
  static let wholeLog = CommandArgument("LOG", "a log's directory")
}

/// An option of a command: how it is written, what it takes, what it does.
package struct CommandOption: Sendable, Equatable {
  /// The name after `--`.
  package let name: String
  /// The letter after `-`, if it has one.
  package let letter: Character?
  /// What its value is called in help; `nil` for a flag, which takes none.
  package let value: String?
  /// The only values it takes; empty when any will do.
  package let choices: [String]
  package let isRepeatable: Bool
  /// One line: what it does.
  package let help: String

  /// An option that is there or not.
  package static func flag(_ name: String, letter: Character? = nil, _ help: String) -> CommandOption {
    CommandOption(name: name, letter: letter, value: nil, choices: [], isRepeatable: false, help: help)
  }

  /// An option with a value.
  package static func value(
    _ name: String, letter: Character? = nil, _ value: String, isRepeatable: Bool = false, _ help: String
  ) -> CommandOption {
    CommandOption(name: name, letter: letter, value: value, choices: [], isRepeatable: isRepeatable, help: help)
  }

  /// An option with one of a few values.
  package static func choice(_ name: String, letter: Character? = nil, of choices: [String], _ help: String)
    -> CommandOption
  {
    let value = choices.joined(separator: "|")
    return CommandOption(name: name, letter: letter, value: value, choices: choices, isRepeatable: false, help: help)
  }

  /// As it is written in help: `-n, --limit COUNT`.
  var usage: String {
    let prefix = letter.map { letter in "-\(letter), " } ?? "    "
    return prefix + "--" + name + (value.map { value in " " + value } ?? "")
  }
}

extension CommandOption {
  static let json = flag("json", "print JSON, one document or one line per item")
  static let quiet = flag("quiet", letter: "q", "print no remarks and no progress, only data and errors")
  static let noColor = flag("no-color", "print without colour (as NO_COLOR=1 does)")
  static let help = flag("help", letter: "h", "print how to use the command")
  static let version = flag("version", "print the version")

  /// What every command takes.
  static let global: [CommandOption] = [json, quiet, noColor, help]
}
