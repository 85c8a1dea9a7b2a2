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
      \(CommandContext.conditionForms)
      A condition on the state, and --touching, fold the actions and look at the state behind each; without them nothing is
      folded.
      """,
    examples: [
      .init("list my-log", "every action"),
      .init("list my-log --type onAppear --last 20", "the last 20 of a type"),
      .init("list my-log --from 2026-11-21T09:00:00Z --to '5m ago'", "a stretch of time"),
      .init("list my-log --grep Dog --json", "what speaks of a dog, for a program"),
      .init("list my-log --where 'meta/actor == \"ann\" and data/id exists'", "what fulfils a condition"),
      .init("list my-log --where '/value > 3 and type like \"*Tap*\"'", "the same, looking at the state that followed"),
      .init("list my-log --touching /animals/data/Dog", "what changed a value"),
      .init("list my-log --cause 4", "what led to action 4, and what it led to"),
    ],
    arguments: [.readLogs],
    options: RecordFilter.options + [
      ListCommand.touching, CausalChain.option, .from, .to, ListCommand.limit, ListCommand.last, .csv, .model,
    ],
    blocking: { context in try ListCommand(context: context).run() }
  )
}

/// `list`: reads forward, keeps what the filter wants.
private struct ListCommand {
  static let touching = CommandOption.value(
    "touching", "POINTER", isRepeatable: true, "only actions that changed this value of the state, or one within it")
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
    let filter = try RecordFilter(context.arguments, looksAtStates: true)
    let range = try PointRange(actionsOf: context, reader: reader)
    let limit = try context.arguments.integer(of: Self.limit, in: 0 ... .max) ?? .max
    let last = try context.arguments.integer(of: Self.last, in: 0...Self.lastLimit)
    guard !context.arguments.has(Self.limit) || last == nil else {
      throw ToolFailure.usage("--limit shows the first, --last shows the last: give one of them")
    }
    let chain = try context.causalChain(in: reader)
    let pointers = try context.arguments.values(of: Self.touching).map(context.pointer)
    let looksAtStates = !pointers.isEmpty || filter.stateCondition != nil
    for option in [CommandOption.model, .unknownTypes] where !looksAtStates && context.arguments.has(option) {
      throw ToolFailure.usage("--\(option.name) belongs to a question about the state, and none is asked")
    }
    var printer = recordPrinter
    if let last, !looksAtStates {
      let found = try context.lastRecords(last, of: reader, in: range) { record in
        try filter.matches(record) && chain?.contains(record) ?? true
      }
      for record in found.records { try printer.print(record) }
      try printer.finish()
      if let damage = found.damage(in: range) { throw damage }
      return try conclude(count: found.records.count, limit: last, filter: filter, ending: found.ending(in: range))
    }
    var kept = RecentRecords(capacity: last ?? 0)
    var count = 0
    let take: (LogRecord) throws -> Bool = { record in
      guard count < limit else { return false }
      guard try filter.matches(record), chain?.contains(record) ?? true else { return true }
      count += 1
      if last == nil { try printer.print(record) } else { kept.append(record) }
      return count < limit
    }
    let ending: LogEnding?
    do {
      ending =
        try looksAtStates ? fold(reader, path, filter, pointers, range, take) : scan(reader, range, take)
    } catch {
      // What is intact is shown first; the damage is told by whoever runs the command.
      for record in kept.records { try printer.print(record) }
      try printer.finish()
      throw error
    }
    for record in kept.records { try printer.print(record) }
    try printer.finish()
    return try conclude(count: count, limit: last ?? limit, filter: filter, ending: ending)
  }

  /// Reads the records of the stretch, with progress meanwhile.
  ///
  /// - Parameter take: Takes each, and says whether to go on.
  /// - Returns: How the log ends, if it was read up to there.
  private func scan(
    _ reader: LogReader, _ range: PointRange, _ take: (LogRecord) throws -> Bool
  ) throws -> LogEnding? {
    let progress = context.progress("reading", unit: .bytes)
    let totalBytes = reader.sizeBytes
    var records = try reader.records(from: range.first)
    while let record = try records.next(), record.seq <= range.last {
      guard record.seq >= range.first else { continue }
      guard try take(record) else { break }
      try progress.update(done: records.bytesRead, total: totalBytes)
    }
    try progress.finish()
    return records.ending
  }

  /// Folds the actions of the stretch, and takes those of which a question about the state is answered with yes.
  private func fold(
    _ reader: LogReader, _ path: String, _ filter: RecordFilter, _ pointers: [JSONPointer], _ range: PointRange,
    _ take: (LogRecord) throws -> Bool
  ) throws -> LogEnding? {
    guard !filter.includesControl else {
      throw ToolFailure.usage(
        "--all shows control records, which lead to no state: leave it out, or ask nothing about the state")
    }
    let history = try context.openHistory(path)
    let extent = try reader.extent()
    let last = min(range.last, extent.lastSeq)
    guard range.first <= last else { return extent.ending }
    let work = try context.ask { options in
      try history.actions(
        where: filter.stateCondition, touching: pointers, in: range.first...last, options: options, take)
    }
    try context.remark(on: work)
    try context.remarkOnHints(of: work, in: history, at: last)
    if range.last > last, let damage = extent.ending.damage { throw damage }
    return extent.ending
  }

  private func conclude(count: Int, limit: Int, filter: RecordFilter, ending: LogEnding?) throws -> ExitStatus {
    // Who asked for none was not told that there are none.
    guard limit > 0 else { return .success }
    try context.remarkOnEnding(ending)
    try context.remark(on: filter.hints)
    guard count == 0 else { return .success }
    let isSelective =
      filter.isSelective
      || [.from, .to, CausalChain.option, Self.touching].contains(where: context.arguments.has)
    try context.remark(isSelective ? "no action matches" : "no actions")
    return isSelective ? .negative : .success
  }
}
