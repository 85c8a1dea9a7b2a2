/// Help as text, made from the command table: examples first, because that is what people look for.
struct HelpPage: Sendable {
  let toolName: String
  let style: Style

  /// What a tool for logs is for.
  static let purpose = "records what happens to a state, and shows any moment of it again"

  /// The list of commands.
  func overview(_ commands: [Command]) -> [String] {
    var lines = ["\(style.bold(toolName)): \(Self.purpose)", ""]
    lines.append(style.bold("Examples"))
    var firstSteps: [Command.Example] = [
      .init("list my-log", "what happened"),
      .init("state my-log --at 42", "the state after the first 42 actions"),
      .init("diff my-log 41 42", "what the 42nd action changed"),
    ]
    if commands.contains(where: { command in command.name == Command.demo.name }) {
      firstSteps.insert(.init("demo", "see the whole thing work, in under a minute"), at: 0)
    }
    lines += examples(firstSteps)
    for group in Command.Group.allCases {
      let members = commands.filter { command in command.group == group }
      guard !members.isEmpty else { continue }
      lines += ["", style.bold(group.rawValue)]
      lines += table(members.map { command in (command.name, command.summary) })
    }
    lines += ["", style.bold("Options of every command")]
    lines += table(CommandOption.global.map { option in (option.usage, option.help) })
    lines += ["", style.bold("Exit status")]
    lines += table(ExitStatus.allCases.map { status in (String(status.rawValue), status.meaning) })
    lines += ["", "Run '\(toolName) COMMAND --help' for the options of a command."]
    return lines
  }

  /// The help of one command.
  func page(_ command: Command) -> [String] {
    var lines = ["\(style.bold(command.title(after: toolName))): \(command.summary)"]
    if !command.examples.isEmpty {
      lines += ["", style.bold("Examples")]
      lines += examples(command.examples)
    }
    lines += ["", style.bold("Usage"), "  \(toolName) \(command.usage)"]
    if !command.details.isEmpty {
      lines.append("")
      lines += command.details.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
    if !command.arguments.isEmpty {
      lines += ["", style.bold("Arguments")]
      lines += table(command.arguments.map { argument in (argument.name, argument.help) })
    }
    if !command.options.isEmpty {
      lines += ["", style.bold("Options")]
      lines += table(command.options.map { option in (option.usage, option.help) })
    }
    lines += ["", style.bold("Options of every command")]
    lines += table(CommandOption.global.map { option in (option.usage, option.help) })
    return lines
  }

  /// The list of commands of a program that is no tool for logs.
  func overview(of program: ToolProgram) -> [String] {
    var lines = ["\(style.bold(toolName)): \(program.summary)", "", style.bold("Examples")]
    lines += examples(program.commands.compactMap(\.examples.first))
    lines += ["", style.bold("Commands")]
    lines += table(program.commands.map { command in (command.name, command.summary) })
    lines += ["", style.bold("Options of every command")]
    lines += table(CommandOption.global.map { option in (option.usage, option.help) })
    lines += ["", "Run '\(toolName) COMMAND --help' for the options of a command."]
    return lines
  }

  private func examples(_ examples: [Command.Example]) -> [String] {
    var table = TextTable([.left, .left])
    let dim = style.dim
    for example in examples {
      let words = ([toolName, example.arguments]).filter { words in !words.isEmpty }.joined(separator: " ")
      table.append([.init(words), .init(example.meaning, paint: { text in dim(text) })])
    }
    return table.lines(indent: 2)
  }

  private func table(_ rows: [(String, String)]) -> [String] {
    var table = TextTable([.left, .left])
    for (left, right) in rows { table.append([left, right]) }
    return table.lines(indent: 2)
  }
}
