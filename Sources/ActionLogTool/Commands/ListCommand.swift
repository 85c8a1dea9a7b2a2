import ActionLog
import JSONCoding

extension Command {
  static let list = Command(
    "list",
    group: .read,
    summary: "what happened, one action a line",
    details: """
      Columns: revision, time (UTC), type, who did it, data. On a terminal lines are cut to its width; a pipe gets all of
      them. With - as LOG, paths are read from standard input, one a line, and each action is a line of JSON that names
      its log.
      \(PointResolver.forms)
      \(RecordFilter.conditionForms)
      """,
    examples: [
      .init("list my-log", "every action"),
      .init("list my-log --type onAppear --last 20", "the last 20 of a type"),
      .init("list my-log --from 2026-11-21T09:00:00Z --to '5m ago'", "a stretch of time"),
      .init("list my-log --grep Dog --json", "what speaks of a dog, for a program"),
      .init("list my-log --where 'meta/actor == \"ann\" and data/id exists'", "what fulfils a condition"),
      .init("list my-log --cause 4", "what led to action 4, and what it led to"),
    ],
    arguments: [.readLogs],
    options: RecordFilter.options + [CausalChain.option, .from, .to, ListCommand.limit, ListCommand.last, .csv],
    blocking: { context in try ListCommand(context: context).run() }
  )
}

/// `list`: reads forward, keeps what the filter wants.
private struct ListCommand {
  static let limit = CommandOption.value("limit", letter: "n", "COUNT", "show only the first so many")
  static let last = CommandOption.value("last", "COUNT", "show only the last so many")

  /// What `--last` keeps in memory is bounded.
  private static let lastLimit = 1_000_000

  let context: CommandContext

  func run() throws -> ExitStatus {
    guard !context.arguments.has(.csv) || !context.isJSON else {
      throw ToolFailure.usage("--csv is not JSON: give one of them")
    }
    if context.isForManyLogs {
      guard !context.arguments.has(.csv) else {
        throw ToolFailure.usage(
          "--csv prints one log", advice: "With - as LOG there is a line of JSON for each action.")
      }
      return try context.forEachPath { path in
        try list(path, with: RecordPrinter(context, naming: path))
      }
    }
    return try list(context.logPath(), with: RecordPrinter(context))
  }

  private func list(_ path: String, with recordPrinter: RecordPrinter) throws -> ExitStatus {
    let reader = try LogReader.open(path, fileSystem: context.files)
    let filter = try RecordFilter(context.arguments)
    let range = try PointRange(context, reader: reader)
    let limit = try context.arguments.integer(of: Self.limit, in: 0 ... .max) ?? .max
    let last = try context.arguments.integer(of: Self.last, in: 0...Self.lastLimit)
    guard !context.arguments.has(Self.limit) || last == nil else {
      throw ToolFailure.usage("--limit shows the first, --last shows the last: give one of them")
    }
    let chain = try context.causalChain(in: reader)
    var printer = recordPrinter
    var kept = RecentRecords(capacity: last ?? 0)
    var count = 0
    var records = try reader.records(from: range.first)
    do {
      while count < limit, let record = try records.next(), record.seq <= range.last {
        guard record.seq >= range.first, try filter.matches(record), chain?.contains(record) ?? true else { continue }
        count += 1
        if last == nil { try printer.print(record) } else { kept.append(record) }
      }
    } catch {
      // What is intact is shown first; the damage is told by whoever runs the command.
      for record in kept.records { try printer.print(record) }
      try printer.finish()
      throw error
    }
    for record in kept.records { try printer.print(record) }
    try printer.finish()
    // Who asked for none was not told that there are none.
    if limit == 0 || last == 0 { return .success }
    return try conclude(count: count, filter: filter, ending: records.ending)
  }

  private func conclude(count: Int, filter: RecordFilter, ending: LogEnding?) throws -> ExitStatus {
    try context.remarkOnEnding(ending)
    guard count == 0 else { return .success }
    let isSelective =
      filter.isSelective || context.arguments.has(.from) || context.arguments.has(.to)
      || context.arguments.has(CausalChain.option)
    try context.remark(isSelective ? "no action matches" : "no actions")
    return isSelective ? .negative : .success
  }
}
