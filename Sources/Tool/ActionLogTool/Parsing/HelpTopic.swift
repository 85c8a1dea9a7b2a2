import JSONCoding

/// A page of help on a subject of several commands.
struct HelpTopic: Sendable {
  let name: String
  /// A fragment for the first line.
  let summary: String
  let examples: [Command.Example]
  /// Full sentences. A line that ends a sentence ends a paragraph.
  let text: String

  static let all = [points, conditions, json]

  static func named(_ name: String) -> HelpTopic? { all.first { topic in topic.name == name } }

  private static let points = HelpTopic(
    name: "points",
    summary: "how to name a revision, and a range",
    examples: [
      .init("state my-log --at 42", "after the first 42 actions"),
      .init("diff my-log -3 end", "the last three actions"),
      .init("list my-log --from yesterday --to '5m ago'", "a range of time"),
    ],
    text: "\(PointResolver.forms)\n\(PointRange.forms)")

  private static let conditions = HelpTopic(
    name: "conditions",
    summary: "how to ask where something holds",
    examples: [
      .init("find my-log '/value > 10'", "a value of the state"),
      .init("list my-log --where 'type like \"ui.*\" and meta/actor == \"ann\"'", "members of an action"),
      .init("find my-log 'not /animals/data/Dog exists' --bisect", "when a value disappeared"),
    ],
    text: """
      \(CommandContext.conditionForms)
      'find' finds the first or the last point where a condition holds, 'list --where' all of them, and 'minimize' the actions that it
      takes.
      """)

  private static let json = HelpTopic(
    name: "json",
    summary: "the answers with --json",
    examples: [
      .init("state my-log --json", "one object"),
      .init("list my-log --json --max-bytes 4096", "the first lines, and where to continue"),
      .init("list my-log --json --max-bytes 4096 --cursor 57", "the lines that follow"),
      .init("help json --json > answers.schema.json", "the schema of all answers"),
    ],
    text: """
      A command prints one object, or one object a line for several items. Errors, warnings and progress are objects on standard
      error; the exit status is the same as without --json.
      'help json --json' prints the JSON Schema (2020-12) of the answers, with a definition for each command. Its version changes if a
      member changes its meaning.
      A member has the same meaning everywhere: 'path' is a path in the file system, 'pointer' is a JSON Pointer into the state, 'seq'
      numbers an action, and 'revision' the state after it. The operations of a JSON Patch have a 'path' that is a JSON Pointer, as in
      RFC 6902.
      --limit and --max-bytes bound an answer that can grow. A truncated answer has "truncated":true and "next": the same command line
      with --cursor NEXT continues it. Of several lines, the last one reports that. A value that alone exceeds the bound is left
      out, and listed in "omitted".
      Without these options nothing is truncated. The --limit of 'list' is a selection: the first actions are the complete answer,
      unless --max-bytes or --cursor is given, too.
      """)
}

extension HelpTopic {
  /// Prints the page, or with `--json` the topic's document.
  func print(_ context: CommandContext) throws {
    guard name != Self.json.name || !context.isJSON else {
      return try context.output.json(.object(AnswerSchemas.document(of: context.tool.commands)))
    }
    try context.answer(self, Self.shape) {
      try context.output.lines(HelpPage(context).page(self))
    }
  }

  static let shape = AnswerShape<HelpTopic>.object(
    "A subject.",
    [
      .member("name", .text, \.name), .member("summary", .text, \.summary), .member("details", .text, \.text),
      .member("examples", .array(of: .example), \.examples),
    ])
}
