import TerminalUI

/// Help as text, made from the command table. Examples come first: most readers look for them.
struct HelpPage: Sendable {
  let toolName: String
  let style: Style
  let columns: Int

  /// Creates a page for the terminal of a command: between 40 and 100 columns wide, because longer lines are hard to read.
  init(_ context: CommandContext) {
    (toolName, style) = (context.tool.name, context.output.style)
    columns = max(40, min(100, context.outputColumns ?? 80))
  }

  static let purpose = "records actions on a state, and restores any earlier state"

  /// What the tool can do, on a screen of 25 lines: the commands without what they are for.
  func summary(of commands: [Command]) -> [String] {
    let groups = Command.Group.allCases.map { group in
      (group.rawValue, commands.filter { command in command.group == group }.map(\.name).joined(separator: " "))
    }
    return heading(toolName, Self.purpose) + section(firstSteps(commands))
      + section("Commands", groups.filter { group in !group.1.isEmpty }) + [""]
      + paragraphs("'\(toolName) help' says what each is for, '\(toolName) help COMMAND' how to use it.")
  }

  private func firstSteps(_ commands: [Command]) -> [Command.Example] {
    let names = Set(commands.map(\.name))
    let steps: [Command.Example] = [
      .init("demo", "see what this is for, on one screen"), .init("list my-log", "what happened"),
      .init("state my-log --at 42", "the state after the first 42 actions"),
      .init("diff my-log 42", "what the 42nd action changed"),
      .init("inspect my-log --open", "all of it, in the browser"),
    ]
    return steps.filter { step in names.contains(String(step.arguments.prefix { character in character != " " })) }
  }

  /// The list of commands.
  func overview(_ commands: [Command]) -> [String] {
    var lines = heading(toolName, Self.purpose) + section(firstSteps(commands))
    for group in Command.Group.allCases {
      let members = commands.filter { command in command.group == group }
      lines += section(group.rawValue, members.map { command in (command.name, command.summary) })
    }
    lines += globalOptions
    lines += section("Exit status", ExitStatus.meanings.map { entry in (entry.status, entry.meaning) })
    let topics = HelpTopic.all.map { topic in "'\(toolName) help \(topic.name)'" }.joined(separator: ", ")
    return lines + [""]
      + paragraphs(
        "Run '\(toolName) COMMAND --help' for the options of a command.\nSubjects of several commands: \(topics).")
  }

  func page(_ topic: HelpTopic) -> [String] {
    heading("\(toolName) help \(topic.name)", topic.summary) + section(topic.examples) + [""] + paragraphs(topic.text)
  }

  func page(_ command: Command) -> [String] {
    var lines = heading(command.title(after: toolName), command.summary) + section(command.examples)
    lines += ["", style.bold("Usage"), "  \(toolName) \(command.usage)"]
    if !command.details.isEmpty { lines += [""] + paragraphs(command.details) }
    lines += section("Arguments", command.arguments.map { argument in (argument.name, argument.help) })
    lines += section("Options", command.options.map { option in (option.usage, option.help) })
    return lines + globalOptions
  }

  /// The list of commands of a program with its own commands.
  func overview(_ commands: [Command], of summary: String) -> [String] {
    heading(toolName, summary) + section(commands.compactMap(\.examples.first))
      + section("Commands", commands.map { command in (command.name, command.summary) }) + globalOptions + [""]
      + paragraphs("Run '\(toolName) COMMAND --help' for the options of a command.")
  }

  private var globalOptions: [String] {
    section("Options of every command", CommandOption.global.map { option in (option.usage, option.help) })
  }

  /// A table with a heading; nothing without rows.
  private func section(_ title: String, _ rows: [(left: String, right: String)]) -> [String] {
    rows.isEmpty ? [] : ["", style.bold(title)] + table(rows)
  }

  private func section(_ examples: [Command.Example]) -> [String] {
    let rows = examples.map { example in
      ([toolName, example.arguments].filter { words in !words.isEmpty }.joined(separator: " "), example.meaning)
    }
    return rows.isEmpty
      ? [] : ["", style.bold("Examples")] + table(rows, leftLimit: columns * 5 / 8, paint: style.dim)
  }

  /// Two columns. A text too long for the left column gets its own line, above the right text.
  private func table(
    _ rows: [(left: String, right: String)], leftLimit: Int? = nil, paint: (String) -> String = { text in text }
  ) -> [String] {
    let limit = leftLimit ?? columns / 2
    let width = rows.map { row in TextWidth.of(row.left) }.filter { width in width <= limit }.max() ?? limit / 2
    let indent = Self.indent + width + Self.indent
    return rows.flatMap { row -> [String] in
      let right = TextWrapping.lines(row.right, columns: columns - indent).map(paint)
      let padding = width - TextWidth.of(row.left)
      guard padding >= 0, let first = right.first else {
        return [Self.spaces(Self.indent) + row.left] + right.map { line in Self.spaces(indent) + line }
      }
      return [Self.spaces(Self.indent) + row.left + Self.spaces(padding + Self.indent) + first]
        + right.dropFirst().map { line in Self.spaces(indent) + line }
    }
  }

  /// Wraps the details of a command as paragraphs. In the source, a line that ends a sentence ends a paragraph.
  private func paragraphs(_ text: String) -> [String] {
    var paragraphs = [""]
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      paragraphs[paragraphs.count - 1] += (paragraphs[paragraphs.count - 1].isEmpty ? "" : " ") + line
      if line.hasSuffix(".") || line.hasSuffix(":") || line.isEmpty { paragraphs.append("") }
    }
    if paragraphs.last == "" { paragraphs.removeLast() }
    return paragraphs.flatMap { paragraph in TextWrapping.lines(paragraph, columns: columns) }
  }

  /// The first line of a page: the name in bold, and its purpose.
  private func heading(_ name: String, _ summary: String) -> [String] {
    var lines = TextWrapping.lines("\(name): \(summary)", columns: columns)
    if let first = lines.first, first.hasPrefix(name) { lines[0] = style.bold(name) + first.dropFirst(name.count) }
    return lines
  }

  private static let indent = 2

  private static func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
}
