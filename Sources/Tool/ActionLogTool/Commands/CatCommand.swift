import ActionLog

extension Command {
  static let cat = Command(
    "cat",
    group: .read,
    summary: "the log's lines as they are, for jq, DuckDB and other readers of JSON Lines",
    details: """
      Every line is checked before it is printed. Nothing is converted; a torn tail is left out. What is asked for is asked of
      control records (@open, @digest …), too; the state is behind actions alone.
      \(PointResolver.forms)
      \(PointRange.forms)
      \(CommandContext.conditionForms)
      """,
    examples: [
      .init("cat my-log --actions | jq -r .type | sort | uniq -c", "count the types with other tools"),
      .init("cat my-log --to 100 > first.jsonl", "the first hundred"),
      .init("cat my-log --where 'meta/actor exists'", "whatever somebody did"),
    ],
    arguments: [.readLog],
    options: [CatCommand.actionsOnly] + ActionSelection.filters + [.from, .to, .model],
    blocking: { context in try CatCommand(context: context).run() }
  )
}

/// `cat`: copies checked lines.
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
