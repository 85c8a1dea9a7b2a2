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
    summary: "explain the tool, a command, or a subject: points, conditions, json, models",
    details: """
      'help models' lists the models that this tool knows. The first line of a log names its model. Commands that need states (state,
      diff, replay, snapshot) work for these models; list, show, verify and others work for any log. 'what-if --with' folds the log of
      one model with another.
      """,
    examples: [
      .init("help", "the commands"), .init("help diff", "one command"), .init("help points", "how to name a revision"),
      .init("help models", "name and schema version of each model"),
    ],
    arguments: [CommandArgument("COMMAND", arity: .optional, "the command or subject to explain")],
    options: [],
    schema: .anyOf(
      "A line for each command or model, or one object for one; 'help json' prints this schema.",
      [Command.shape.schema, modelRow.shape.schema, HelpTopic.shape.schema, AnswerSchemas.schema]),
    blocking: { context in
      if let name = context.arguments.positional(0) {
        if context.tool.programSummary == nil, name == "models" {
          _ = try context.print(context.tool.models, as: modelRow, noneText: "no models")
        } else if context.tool.programSummary == nil, let topic = HelpTopic.named(name) {
          try topic.print(context)
        } else {
          let command = try context.parser.command(named: name)
          try context.answer(command, Command.shape) { try context.tool.printHelp(for: command, context: context) }
        }
      } else if context.isJSON {
        for command in context.tool.commands { try context.output.json(Command.shape.json(command)) }
      } else {
        try context.tool.printOverview(context: context)
      }
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

extension AnswerShape<Command.Example> {
  static let example = object([.member("arguments", .text, \.arguments), .member("meaning", .text, \.meaning)])
}

extension Command {
  fileprivate static let shape = AnswerShape<Command>.object([
    .member("name", .text, \.name), .member("summary", .text, \.summary), .member("usage", .text, \.usage),
    .member("details", .text, \.details), .member("examples", .array(of: .example), \.examples),
    .member("arguments", .array(of: argument), \.arguments), .member("options", .array(of: option), \.allOptions),
  ])

  private static let argument = AnswerShape<CommandArgument>.object([
    .member("name", .text, \.name), .member("help", .text, \.help),
  ])
  private static let option = AnswerShape<CommandOption>.object([
    .member("usage", .text, \.usage), .member("help", .text, \.help),
  ])
}

extension AnswerShape<RegisteredModel> {
  fileprivate static let model = object([
    .member("name", .text, \.name), .member("schema", .integer, \.schema),
    .optional("projections", .array(of: projection)) { model in
      model.projections.isEmpty ? nil : model.projections.map { projection in projection.identity }
    },
    .optional("mended", .text, \.bug?.story.mended),
  ])

  private static let projection = AnswerShape<ProjectionIdentity>.object([
    .member("name", .text, \.name), .member("version", .integer, \.version),
  ])
}
