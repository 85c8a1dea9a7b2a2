import ActionLog
import EventSourcing
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let help = Command(
    "help",
    group: .about,
    effect: .reads,
    summary: "explain the tool, a command, or a subject: points, conditions, json",
    examples: [
      .init("help", "the commands"), .init("help diff", "one command"), .init("help points", "how to name a revision"),
    ],
    arguments: [CommandArgument("COMMAND", arity: .optional, "the command or subject to explain")],
    schema: .anyOf(
      "A line for each command, or one object for one; 'help json' prints this schema.",
      [Command.shape.schema, HelpTopic.shape.schema, AnswerSchemas.schema]),
    blocking: { context in
      if let name = context.arguments.positional(0) {
        if context.tool.program == nil, let topic = HelpTopic.named(name) {
          try topic.print(context)
          return .success
        }
        let command = try context.parser.command(named: name)
        try context.answer(command, Command.shape) { try context.tool.printHelp(for: command, context: context) }
      } else if context.isJSON {
        for command in context.tool.commands { try context.output.json(Command.shape.json(command)) }
      } else {
        try context.tool.printOverview(context: context)
      }
      return .success
    }
  )
}

extension AnswerShape<Command.Example> {
  static let example = object(nil, [.member("arguments", .text, \.arguments), .member("meaning", .text, \.meaning)])
}

extension Command {
  fileprivate static let shape = AnswerShape<Command>.object(
    nil,
    [
      .member("name", .text, \.name), .member("summary", .text, \.summary), .member("usage", .text, \.usage),
      .member("details", .text, \.details), .member("examples", .array(of: .example), \.examples),
      .member("arguments", .array(of: argument), \.arguments), .member("options", .array(of: option), \.allOptions),
    ])

  private static let argument = AnswerShape<CommandArgument>.object(
    nil, [.member("name", .text, \.name), .member("help", .text, \.help)])
  private static let option = AnswerShape<CommandOption>.object(
    nil, [.member("usage", .text, \.usage), .member("help", .text, \.help)])
}

extension Command {
  static let version = Command(
    "version",
    group: .about,
    summary: "print the version of the tool and of its log format",
    examples: [.init("version", "name, version and format")],
    schema: ActionLogTool.versionShape.schema,
    blocking: { context in
      try context.tool.printVersion(context: context)
      return .success
    }
  )
}

extension Command {
  static let manual = Command(
    "manual",
    group: .about,
    summary: "print the manual page, for man",
    examples: [
      .init("manual > action-log.1 && man ./action-log.1", "read it"),
      .init("manual > ~/.local/share/man/man1/action-log.1", "install it"),
    ],
    schema: page.schema,
    blocking: { context in
      let lines = ManualPage(tool: context.tool).lines
      try context.answer(lines, page) { try context.output.lines(lines) }
      return .success
    }
  )

  private static let page = AnswerShape<[String]>.object(
    "One object: the page.",
    [
      .member("section", .integer) { _ in 1 },
      .member("page", .text) { lines in lines.map { line in line + "\n" }.joined() },
    ])
}

extension Command {
  static let models = Command(
    "models",
    group: .about,
    effect: .reads,
    summary: "list the models whose logs this tool can replay",
    details: """
      The first line of a log names its model. Commands that need states (state, step, diff, replay, snapshot) work for the models
      listed here; list, show, cat, verify and others work for any log. 'what-if --with' folds the log of one model with another.
      """,
    examples: [.init("models", "name and schema version of each")],
    schema: .anyOf(modelRow.help, [modelRow.shape.schema]),
    blocking: { context in
      _ = try context.print(context.tool.models, as: modelRow, noneText: "no models")
      return .success
    }
  )

  private static let modelRow = AnswerRow<RegisteredModel>(
    help: "A line for each model.", shape: .model, columns: [.left, .left, .left], isTruncated: false
  ) { model, table, context in
    let names = model.projections.map { projection in projection.name }.joined(separator: ", ")
    let note =
      model.bug.map { bug in "has a bug that '\(bug.story.mended)' does not have: see 'demo --bug'" }
      ?? (names.isEmpty ? "" : "projections: \(names)")
    try table.append([
      .init(model.name), .init("schema \(model.schema)"), .init(note, paint: context.output.style.dim),
    ])
  }
}

extension AnswerShape<RegisteredModel> {
  fileprivate static let model = object(
    nil,
    [
      .member("name", .text, \.name), .member("schema", .integer, \.schema),
      .optional("projections", .array(of: projection)) { model in
        model.projections.isEmpty ? nil : model.projections.map { projection in projection.identity }
      },
      .optional("mended", .text, \.bug?.story.mended),
    ])

  private static let projection = AnswerShape<ProjectionIdentity>.object(
    nil, [.member("name", .text, \.name), .member("version", .integer, \.version)])
}
