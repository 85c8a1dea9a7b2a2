/// One command of the tool: the row from which parsing, help, suggestions and completions are made.
struct Command: Sendable {
  /// The parts of the list of commands in help.
  enum Group: String, Sendable, CaseIterable {
    case start = "Start here"
    case record = "Record"
    case read = "Look at what happened"
    case travel = "Travel in time"
    case care = "Take care of a log"
    case about = "About the tool"
  }

  /// A command line that works, and what it does.
  struct Example: Sendable {
    /// What follows the tool's name.
    let arguments: String
    let meaning: String

    init(_ arguments: String, _ meaning: String) {
      self.arguments = arguments
      self.meaning = meaning
    }
  }

  let name: String
  let group: Group
  /// A fragment for the list of commands.
  let summary: String
  /// Whole sentences for the command's own help.
  let details: String
  let examples: [Example]
  let arguments: [CommandArgument]
  let options: [CommandOption]
  let body: @Sendable (CommandContext) async throws -> ExitStatus

  /// A command that awaits: it blocks nowhere.
  init(
    _ name: String,
    group: Group,
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
    self.options = options
    self.body = body
  }

  /// A command that reads and writes files as it goes: it runs on a thread of its own, never on the cooperative pool.
  init(
    _ name: String,
    group: Group,
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

  /// What follows the tool's name in a usage line.
  var usage: String {
    ([name] + arguments.map(\.usage) + ["[options]"]).joined(separator: " ")
  }
}
