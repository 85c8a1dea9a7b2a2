import ActionLog

extension Command {
  static let cat = Command(
    "cat",
    group: .read,
    summary: "print the log's lines, for jq, DuckDB and other readers of JSON Lines",
    details: """
      Every line is checked before it is printed. Lines are not converted, and a torn tail is left out. Filters also apply to
      control records (@open, @digest …); conditions on the state match actions only.
      \(PointResolver.forms)
      \(PointRange.forms)
      \(CommandContext.conditionForms)
      """,
    examples: [
      .init("cat my-log --actions | jq -r .type | sort | uniq -c", "count the types with other tools"),
      .init("cat my-log --to 100 > first.jsonl", "the first hundred actions"),
      .init("cat my-log --where 'meta/actor exists'", "all actions with an actor"),
    ],
    arguments: [.readLog],
    options: [CatCommand.actionsOnly] + ActionSelection.filters + [.from, .to, .model, .projection],
    blocking: { context in try CatCommand(context: context).run() }
  )
}

/// `cat`: prints verified lines.
private struct CatCommand {
  static let actionsOnly = CommandOption.flag("actions", "leave out the control records")

  let context: CommandContext

  func run() throws -> ExitStatus {
    let reader = try context.openReader()
    let selection = try ActionSelection(
      context, reader: reader, control: context.arguments.has(Self.actionsOnly) ? .asked : .all)
    var count = 0
    let outcome = try selection.forEach("reading") { record in
      count += 1
      try context.output.jsonLine(record.rawLine)
      return true
    }
    return try selection.conclude(outcome, count: count)
  }
}
