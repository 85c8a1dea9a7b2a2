import ActionLog
import JSONCoding

extension Command {
  static let list = Command(
    "list",
    group: .read,
    effect: .reads,
    summary: "list the actions, one a line",
    details: """
      Columns: revision, time (UTC), type, actor, data. On a terminal, lines are truncated to its width.
      \(CommandContext.mergedLogsForm)
      \(CommandContext.manyLogsForm)
      \(PointResolver.forms)
      \(PointRange.forms)
      \(CommandContext.conditionForms)
      A condition on the state, and --touching, fold the actions and check the state after each; without them nothing is folded.
      """,
    examples: [
      .init("list my-log", "every action"),
      .init("list my-log --type onAppear --last 20", "the last 20 of a type"),
      .init("list my-log --from 2026-11-21T09:00:00Z --to '5m ago'", "a range of time"),
      .init("list my-log --grep Dog --json", "actions that mention a dog, for a program"),
      .init("list my-log --where 'meta/actor == \"ann\" and data/id exists'", "actions that match a condition"),
      .init(
        "list my-log --where '/value > 3 and type like \"*Tap*\"'",
        "the same, with a condition on the state after the action"),
      .init("list my-log --touching /animals/data/Dog", "actions that changed a value"),
      .init("list my-log --cause 4", "the causes and effects of action 4"),
      .init("list my-log --cause 4 --tree", "each effect under its cause"),
      .init("list customers --type refund --from '1d ago'", "the actions of many logs, in the order of their times"),
    ],
    arguments: [.mergedLogs],
    options: RecordFilter.options + [
      ActionSelection.touching, CausalChain.option, .from, .to, ListCommand.tree, ListCommand.limit, ListCommand.last,
      .csv, .model, .projection,
    ],
    answer: .lines,
    tool: ToolDeclaration(
      title: "List actions",
      help:
        "Lists actions in order: seq, time, type, data and meta of each. where has a condition, as for find; grep a text that the "
        + "data or the metadata contain.",
      inputs: [
        .from, .to, RecordFilter.type, RecordFilter.actor, RecordFilter.text, RecordFilter.condition,
        ActionSelection.touching, CausalChain.option, ListCommand.last,
      ]),
    schema: LoggedRecord.schema("A line for each action. Of several logs, each line names its log."),
    blocking: { context in try ListCommand(context: context).run() }
  )
}

/// `list`: prints the selected actions.
private struct ListCommand {
  static let limit = CommandOption.value("limit", letter: "n", "COUNT", "show only the first COUNT actions")
  static let last = CommandOption.value("last", "COUNT", kind: .count, "show only the last COUNT actions")
  static let tree = CommandOption.flag("tree", "with --cause: draw the actions as a tree, each effect under its cause")

  /// Bounds the memory of `--last`.
  private static let lastLimit = 1_000_000

  let context: CommandContext

  func run() throws -> ExitStatus {
    guard !context.arguments.has(.csv) || !context.isJSON else {
      throw ToolFailure.usage("\(option: .csv) is not JSON: give one of them")
    }
    if context.arguments.has(Self.tree) { return try drawTree() }
    if let logs = try context.manyLogs() {
      let (limit, last) = try limits()
      try context.output.countAnswerLines()
      return try MergedLogs(context, logs).print(first: limit, last: last)
    }
    return try list(context.logPath())
  }

  /// The number of first or last actions to show.
  private func limits() throws -> (limit: Int, last: Int?) {
    let limit = try context.arguments.integer(of: Self.limit, in: 0 ... .max) ?? .max
    let last = try context.arguments.integer(of: Self.last, in: 0...Self.lastLimit)
    let isBounded = context.output.boundedAnswer != nil
    guard !context.arguments.has(Self.limit) || last == nil || isBounded else {
      throw ToolFailure.usage(
        "\(option: Self.limit) shows the first, \(option: Self.last) shows the last: give one of them")
    }
    // The bounded answer counts itself, and reports where to continue.
    return (isBounded ? .max : limit, last)
  }

  /// `--tree`: the complete chain of an action.
  private func drawTree() throws -> ExitStatus {
    let arguments = context.arguments
    let others = RecordFilter.options + [ActionSelection.touching, .from, .to, Self.limit, Self.last, .csv]
    if let other = others.first(where: arguments.has) {
      throw ToolFailure.usage(
        "\(option: Self.tree) draws all causes and effects of an action: leave out \(option: other)")
    }
    guard !context.isJSON else {
      throw ToolFailure.usage(
        "\(option: Self.tree) draws text", advice: "With \(option: .json), meta.cause of each action has its cause.")
    }
    guard try context.manyLogs() == nil else {
      throw ToolFailure.usage("\(option: Self.tree) draws the actions of one log")
    }
    let reader = try context.openReader()
    guard let chain = try context.causalChain(in: reader) else {
      throw ToolFailure.usage("\(option: Self.tree) needs \(option: CausalChain.option, "N")")
    }
    var printer = RecordPrinter(drawingTreeFor: context)
    for (revision, branch) in chain.drawing() { try printer.print(reader.record(at: revision), on: branch) }
    try printer.finish()
    return .success
  }

  private func list(_ path: String) throws -> ExitStatus {
    let reader = try context.openReader(path)
    let selection = try ActionSelection(context, reader: reader)
    let (limit, last) = try limits()
    var printer = RecordPrinter(context)
    var outcome = ActionSelection.Outcome()
    var count = 0
    let answer = context.output.boundedAnswer
    if let last {
      outcome = try selection.forEachOfLast(last) { record in
        count += 1
        try printer.print(record)
      }
    } else if limit > 0 {
      outcome = try selection.forEach("reading") { record in
        count += 1
        try printer.print(record)
        return count < limit && answer?.isFull != true
      }
    }
    try printer.finish()
    // For a count of 0, an empty list is not worth a note.
    if (last ?? limit) == 0, outcome.damage == nil { return .success }
    return try selection.conclude(outcome, count: count)
  }
}

extension Command {
  static let cat = Command(
    "cat",
    group: .read,
    effect: .reads,
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
    schema: AnswerShape.container.described("The lines of the log: see record.schema.json.").schema,
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
