import ActionLog
import JSONCoding

extension Command {
  static let list = Command(
    "list",
    group: .read,
    effect: .reads,
    summary: "list the actions, one a line, and with -f new ones",
    details: """
      Columns: revision, time (UTC), type, actor, data. On a terminal, lines are truncated to its width.
      \(CommandContext.mergedLogsForm)
      \(CommandContext.manyLogsForm)
      A condition on the state, and --touching, fold the actions and check the state after each; without them nothing is folded.
      With --follow, an action that is not known to be durable is marked with ~ (with --json: "durable":false); Ctrl-C ends. At most
      \(FollowedLogs.limit) logs are followed.
      With --format, actions are printed for other programs: as CloudEvents, as comma-separated values, or as the log's own lines, whose
      checksums are verified. A torn tail is left out. With
      --follow, an action is then printed only once it is known to be durable, so that no printed action is lost in a crash; --from
      continues after the last printed action, and may name a future one.
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
      .init("list my-log --follow --where '/value > 3'", "the actions that lead to such a state, as they happen"),
      .init("list my-log --format lines | jq -r .type | sort | uniq -c", "count the types with other tools"),
      .init("list my-log --format lines --all --to 100 > first.jsonl", "all lines up to the hundredth action"),
      .init("list my-log --format csv --actor ann > ann.csv", "the actions of one actor, for a spreadsheet"),
      .init("list my-log -f --from 4712 --format cloudevents | kcat -P -t actions", "feed a broker"),
      .init("list customers --type refund --from '1d ago'", "the actions of many logs, in the order of their times"),
    ],
    arguments: [.mergedLogs],
    options: RecordFilter.options + [
      ActionSelection.touching, CausalChain.option, .from, .to, ListCommand.limit, ListCommand.last,
      ListCommand.follow, ListCommand.format, .model, .projection,
    ],
    rules: ListCommand.rules,
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
    schema: LoggedRecord.schema(
      "A line for each action. Of several logs, each line names its log. With --follow, durable reports whether the action survives a "
        + "crash."),
    blocking: { context in try ListCommand(context: context).run() }
  )
}

struct ListCommand {
  static let limit = CommandOption.value("limit", letter: "n", "COUNT", "show only the first COUNT actions")
  static let last = CommandOption.value("last", "COUNT", kind: .count, "show only the last COUNT actions")
  static let follow = CommandOption.flag(
    "follow", letter: "f", "continue with new actions (default: after --last 10, unless --from is given)")
  static let format = CommandOption.choice(
    "format", of: RecordFormat.allCases.map(\.rawValue), "print the actions for other programs, a line each")
  static let rules: [OptionRule] = [
    .excludes(format, [.json]), .excludes(follow, [limit, .to, .maxBytes, .cursor]),
  ]
  /// Bounds the memory of `--last`.
  private static let lastLimit = 1_000_000
  private static let followedCount = 10
  let context: CommandContext

  func run() throws -> ExitStatus {
    let logs = try context.namedLogs()
    let (limit, last) = try limits()
    let format = context.arguments.value(of: Self.format).flatMap(RecordFormat.init)
    if logs.only == nil, format == .lines {
      throw ToolFailure.usage(
        "\(option: Self.format, "lines") prints one log",
        advice: "The lines of a log do not name it; \(option: .json) does.")
    }
    if context.arguments.has(Self.follow) {
      let count = last ?? (context.arguments.has(.from) ? nil : Self.followedCount)
      return try FollowedLogs(context, logs, format).run(last: count)
    }
    if logs.only == nil { try context.output.countAnswerLines() }
    return try print(logs, first: limit, last: last, format)
  }

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

  /// Prints the selected actions of one log, or of many in the order of their times.
  private func print(
    _ logs: NamedLogs, first limit: Int, last: Int?, _ format: RecordFormat?
  ) throws -> ExitStatus {
    guard let path = logs.only else { return try printMany(logs, first: limit, last: last, format) }
    let reader = try context.openReader(path)
    let selection = try ActionSelection(context, reader: reader)
    var printer = RecordPrinter(context, format, header: reader.header)
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

  private func printMany(
    _ logs: NamedLogs, first limit: Int, last: Int?, _ format: RecordFormat?
  ) throws -> ExitStatus {
    var pass = try ManyLogsPass(context, logs, hasRows: format == nil)
    var printer = RecordPrinter(context, format, hasLogs: true)
    if let last {
      // Only the ends of the logs are read.
      var latest = LatestRecords(capacity: last)
      try pass.forEachLog { path, reader, selection in
        latest.beginLog(path, reader.header)
        return try selection.forEachOfLast(last) { record in latest.append(record) }
      }
      for element in latest.elements {
        try printer.print(element)
        pass.count += 1
      }
    } else {
      try pass.merge(first: limit, finishing: { try printer.finish() }) { element in try printer.print(element) }
    }
    try printer.finish()
    return (last ?? limit) == 0 ? pass.status : try pass.conclude()
  }
}
