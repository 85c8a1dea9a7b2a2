import Platform

/// A command of the tool: the source of its parsing, help, suggestions and completions.
package struct Command: Sendable {
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

  /// What a command does, which decides where it can run.
  package enum Effect: Sendable {
    /// It reads one log, and prints an answer: `each` asks it about many, and the answer is paged.
    case readsLog
    /// It only prints an answer, which is paged.
    case reads
    /// It writes, follows a log, shows a screen, runs another program, or prints a file for one.
    case acts
  }

  package struct Example: Sendable {
    package let arguments: String
    package let meaning: String

    package init(_ arguments: String, _ meaning: String) {
      self.arguments = arguments
      self.meaning = meaning
    }
  }

  package let name: String
  package let group: Group
  package let effect: Effect
  /// A fragment for the list of commands.
  package let summary: String
  /// Full sentences for the help of the command.
  package let details: String
  package let examples: [Example]
  package let arguments: [CommandArgument]
  package let options: [CommandOption]
  /// The form of an answer that can grow, which options bound; `nil` for any other.
  package let answer: AnswerForm?
  private let makeSchema: @Sendable () -> AnswerSchema?
  /// The schema of the answer in JSON; `nil` for a command that prints none. It is made when it is asked for: most runs need none.
  var schema: AnswerSchema? { makeSchema() }
  let rules: [OptionRule]
  let tool: ToolDeclaration?
  package let body: @Sendable (CommandContext) async throws -> ExitStatus

  package init(
    _ name: String, group: Group = .start, effect: Effect = .acts, summary: String, details: String = "",
    examples: [Example], arguments: [CommandArgument] = [], options: [CommandOption] = [],
    rules: [OptionRule] = [], answer: AnswerForm? = nil, tool: ToolDeclaration? = nil,
    schema: @autoclosure @escaping @Sendable () -> AnswerSchema? = nil,
    asynchronous body: @escaping @Sendable (CommandContext) async throws -> ExitStatus
  ) {
    self.name = name
    self.group = group
    self.effect = effect
    self.summary = summary
    self.details = ([details] + Self.forms(arguments, options)).filter { text in !text.isEmpty }
      .joined(separator: "\n")
    self.examples = examples
    self.arguments = arguments
    let bounds =
      answer == nil
      ? []
      : CommandOption.bounds.filter { bound in
        !options.contains { option in option.name == bound.name }
      }
    // A command that folds with a model needs a policy for types that the model does not have.
    self.options = options + (options.contains(.model) ? [.unknownTypes] : []) + bounds
    // A projection belongs to the model that the log names.
    self.rules =
      rules + (options.contains(.projection) && options.contains(.model) ? [.oneOf([.projection, .model])] : [])
      + (bounds.isEmpty ? [] : [.needs(bounds, [.json])])
    self.answer = answer
    self.tool = tool
    self.makeSchema = schema
    self.body = body
  }

  /// What the help says about the points, ranges and conditions that a command takes.
  private static func forms(_ arguments: [CommandArgument], _ options: [CommandOption]) -> [String] {
    let values = options.compactMap(\.value) + arguments.map(\.name)
    return (values.contains(where: ["POINT", "A", "B"].contains) ? [PointResolver.forms] : [])
      + (options.contains(.from) && options.contains(.to) ? [PointRange.forms] : [])
      + (values.contains("CONDITION") ? [CommandContext.conditionForms] : [])
  }

  /// Creates a command that blocks on files. It runs on its own thread, never on the cooperative pool.
  package init(
    _ name: String, group: Group = .start, effect: Effect = .acts, summary: String, details: String = "",
    examples: [Example], arguments: [CommandArgument] = [], options: [CommandOption] = [],
    rules: [OptionRule] = [], answer: AnswerForm? = nil, tool: ToolDeclaration? = nil,
    schema: @autoclosure @escaping @Sendable () -> AnswerSchema? = nil,
    blocking body: @escaping @Sendable (CommandContext) throws -> ExitStatus
  ) {
    self.init(
      name, group: group, effect: effect, summary: summary, details: details, examples: examples,
      arguments: arguments, options: options, rules: rules, answer: answer, tool: tool, schema: schema()
    ) { context in try await BlockingWork.run { try body(context) } }
  }

  /// Creates a question: a command whose answer is a value. Its JSON, its schema and its text are made from the value.
  package init<Answer: Sendable>(
    _ name: String, group: Group, summary: String, details: String = "", examples: [Example],
    arguments: [CommandArgument], options: [CommandOption] = [], rules: [OptionRule] = [],
    tool: ToolDeclaration? = nil, shape: @autoclosure @escaping @Sendable () -> AnswerShape<Answer>,
    ask: @escaping @Sendable (CommandContext) throws -> (Answer?, status: () throws -> ExitStatus),
    print: @escaping @Sendable (Answer, CommandContext) throws -> Void
  ) {
    self.init(
      name, group: group, effect: .readsLog, summary: summary, details: details, examples: examples,
      arguments: arguments, options: options, rules: rules, answer: .object, tool: tool, schema: shape().schema,
      blocking: { context in
        let (answer, status) = try ask(context)
        if let answer { try context.answer(answer, shape()) { try print(answer, context) } }
        return try status()
      })
  }

  /// Creates a question whose answer is a list, of which each item is printed when it is found.
  package init<Item>(
    _ name: String, group: Group, summary: String, details: String = "", examples: [Example],
    arguments: [CommandArgument], options: [CommandOption] = [], tool: ToolDeclaration? = nil,
    row: @autoclosure @escaping @Sendable () -> AnswerRow<Item>,
    ask: @escaping @Sendable (CommandContext, inout AnswerRows<Item>) throws -> ExitStatus
  ) {
    self.init(
      name, group: group, effect: .readsLog, summary: summary, details: details, examples: examples,
      arguments: arguments, options: options, answer: .lines, tool: tool, schema: row().schema,
      blocking: { context in
        var rows = AnswerRows(row(), context)
        let status = try ask(context, &rows)
        try rows.finish()
        return status
      })
  }

  var allOptions: [CommandOption] { options + CommandOption.global }

  var positionalArguments: [CommandArgument] { arguments.filter { argument in argument.arity != .afterSeparator } }

  /// The argument that a word stands for; `nil` beyond the last one.
  func argument(_ index: Int) -> CommandArgument? {
    let known = positionalArguments
    return index < known.count ? known[index] : known.last.flatMap { last in last.isRepeatable ? last : nil }
  }

  /// Whether the words after `--` are a command line of their own.
  var takesCommandLine: Bool { arguments.last?.arity == .afterSeparator }

  func title(after toolName: String) -> String {
    name.isEmpty ? toolName : "\(toolName) \(name)"
  }

  /// The usage line without the tool's name.
  var usage: String {
    let (own, rest) = (positionalArguments.map(\.usage), arguments.dropFirst(positionalArguments.count).map(\.usage))
    return ([name].filter { name in !name.isEmpty } + own + ["[options]"] + rest).joined(separator: " ")
  }
}

/// Every command, in the order of help. Parsing, help, suggestions, `each`, the schemas and the tools of `mcp` use this table.
enum CommandTable {
  /// The commands whose answers are values. Each of them reads one log.
  private static let questions: [Command] = [.show, .diff, .blame, .history, .find, .minimize]

  private static let readers: [Command] = [
    .stats, .mark, .tui, .inspect, .replay, .report, .whatIf, .fleet,
  ]
  private static let others: [Command] = [
    .test, .bugReport, .consume,
    .subscriptions, .export, .importing, .ship, .mcp, .verify, .checkpoint, .prove, .repair, .salvage, .backup,
    .restore,
    .snapshot, .projections, .compat, .branch, .redact, .prune, .completions, .help,
  ]

  static let all = all(with: [])

  static func all(with added: [Command]) -> [Command] {
    let first = [.demo, .record, .listen, .list, .state] + questions + added + readers
    let verbs = (first + others).filter { command in command.effect == .readsLog }.map(\.name)
    return first + [.each(verbs)] + others
  }
}

/// The kind of the value of an argument or an option, for clients that send values instead of words.
package enum ValueKind: Sendable {
  case text
  /// A revision as a number, or any other point as text.
  case point
  case count
  /// The name of a model, or of a projection, that the program knows.
  case model, projection
}

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
  package let choices: [String]
  package let help: String
  /// The name of the input of a client, which types no positions.
  let input: String
  let kind: ValueKind
  /// The word for one that is missing before another; `nil` if none can be.
  let defaultWord: String?
  var writes = false

  /// - Parameter input: The name of the input of a client; by default that of the argument in lower case.
  package init(
    _ name: String, arity: Arity = .one, choices: [String] = [], input: String? = nil, kind: ValueKind = .text,
    defaultWord: String? = nil, _ help: String
  ) {
    self.name = name
    self.arity = arity
    self.choices = choices
    self.help = help
    self.input = input ?? name.lowercased()
    self.kind = kind
    self.defaultWord = defaultWord
  }

  var writing: CommandArgument {
    var copy = self
    copy.writes = true
    return copy
  }

  var isRepeatable: Bool { arity == .several || arity == .any }

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
  package static let readLog = CommandArgument("LOG", "a log's directory, or one of its segment files")
  static let mergedLogs = CommandArgument(
    "LOG", arity: .several,
    "a log's directory, one of its segment files, several of them, a directory of logs, or - for paths on standard input"
  )
  static let namedLogs = CommandArgument(
    "LOG", arity: .several, "logs, directories of logs, or - for paths on standard input")
  static let wholeLog = CommandArgument("LOG", "a log's directory")
}

package struct CommandOption: Sendable, Equatable {
  package let name: String
  /// The letter after `-`, if it has one. A letter has one meaning in all commands.
  package let letter: Character?
  /// The name of its value in help; `nil` for a flag.
  package let value: String?
  package let choices: [String]
  package let isRepeatable: Bool
  package let help: String
  var kind = ValueKind.text
  /// Whether a command that otherwise reads writes with it.
  var writes = false

  /// This option of a command that writes with it, and otherwise reads.
  var writing: CommandOption {
    var copy = self
    copy.writes = true
    return copy
  }

  /// The name of the input of a client: `maxBytes` for `--max-bytes`.
  var input: String {
    let words = name.split(separator: "-")
    return words.dropFirst().reduce(String(words[0])) { text, word in
      text + word.prefix(1).uppercased() + word.dropFirst()
    }
  }

  package static func flag(_ name: String, letter: Character? = nil, _ help: String) -> CommandOption {
    CommandOption(name: name, letter: letter, value: nil, choices: [], isRepeatable: false, help: help)
  }

  package static func value(
    _ name: String, letter: Character? = nil, _ value: String, isRepeatable: Bool = false, kind: ValueKind = .text,
    _ help: String
  ) -> CommandOption {
    CommandOption(
      name: name, letter: letter, value: value, choices: [], isRepeatable: isRepeatable, help: help, kind: kind)
  }

  package static func choice(
    _ name: String, letter: Character? = nil, of choices: [String], _ help: String
  ) -> CommandOption {
    CommandOption(
      name: name, letter: letter, value: choices.joined(separator: "|"), choices: choices, isRepeatable: false,
      help: help)
  }

  /// The form in help: `-n, --limit COUNT`.
  var usage: String {
    let prefix = letter.map { letter in "-\(letter), " } ?? "    "
    return prefix + "--" + name + (value.map { value in " " + value } ?? "")
  }
}

package enum OptionRule: Sendable {
  /// At most one of these options is given.
  case oneOf([CommandOption])
  /// None of the others is given with an option.
  case excludes(CommandOption, [CommandOption])
  /// The options mean nothing without one of the others.
  case needs([CommandOption], [CommandOption])
  /// The options mean nothing unless another one has a value.
  case needsValue([CommandOption], CommandOption, String)
  case requires(CommandOption)
}

extension CommandOption {
  static let json = flag("json", "print JSON, one document or one line per item")
  static let quiet = flag("quiet", letter: "q", "print no notes and no progress, only data and errors")
  static let color = choice(
    "color", of: ["auto", "always", "never"], "print with color (default: auto, on a terminal)")
  static let noColor = flag("no-color", "print without color (as NO_COLOR=1 does)")
  static let help = flag("help", letter: "h", "print how to use the command")
  static let version = flag("version", "print the version")

  static let global: [CommandOption] = [json, quiet, color, noColor, help]
}
