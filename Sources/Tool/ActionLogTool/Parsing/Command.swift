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
