import ActionLog
import JSONCoding
import TextDisplay
import TimeTravel

extension Command {
  static let stats = Command(
    "stats",
    group: .read,
    summary: "how many actions of which type, by whom, when, how large",
    details: """
      \(PointResolver.forms)
      \(PointRange.forms)
      \(CommandContext.conditionForms)
      What is left out by an option counts nowhere; then control records do not count, either.
      \(CommandContext.manyLogsForm) Each log gets one line of JSON.
      """,
    examples: [
      .init("stats my-log", "an overview"),
      .init("stats my-log --actor ann", "what somebody did"),
      .init("stats my-log --from '1d ago' --json", "of the last day, for a program"),
      .init("stats - < paths.txt", "many logs, one line of JSON for each"),
    ],
    arguments: [.readLogs],
    options: ActionSelection.filters + [.from, .to, .model],
    blocking: { context in try StatsCommand(context: context).run() }
  )
}

/// `stats`: one pass over the records, then a page.
private struct StatsCommand {
  /// More actors than that nobody reads on a screen.
  private static let actorLimit = 20

  let context: CommandContext

  func run() throws -> ExitStatus {
    if context.isForManyLogs { return try context.forEachPath { path in try stats(path, asJSON: true) } }
    return try stats(context.logPath(), asJSON: context.isJSON)
  }

  private func stats(_ path: String, asJSON: Bool) throws -> ExitStatus {
    let reader = try context.openReader(path)
    let selection = try ActionSelection(context, path: reader.path, reader: reader, control: .ofWholeLog)
    var statistics = LogStatistics()
    let outcome = try selection.forEach("reading") { record in
      try statistics.add(record)
      return true
    }
    if asJSON {
      try context.output.json(json(statistics, of: reader))
    } else {
      try printPage(statistics, of: reader)
    }
    return try selection.conclude(outcome, count: statistics.actionCount)
  }

  private func printPage(_ statistics: LogStatistics, of reader: LogReader) throws {
    let style = context.output.style
    try context.output.line(
      style.bold(TerminalText.escaping(reader.header.model))
        + ", schema \(reader.header.schema), log \(reader.header.log)")
    try context.output.lines(facts(statistics, of: reader).lines(indent: 2))
    guard statistics.actionCount > 0 else { return }
    try context.output.line()
    try context.output.lines(
      table(of: "type", statistics.typesByCount.map { type, count in (type, count) }, of: statistics))
    let actors = statistics.actorsByCount
    if !actors.isEmpty {
      try context.output.line()
      let named = actors.prefix(Self.actorLimit).map { actor, count in (actor ?? "(not named)", count) }
      try context.output.lines(table(of: "actor", Array(named), of: statistics))
      if actors.count > named.count {
        try context.output.line("  … and \(HumanText.count(actors.count - named.count)) more; --json has all")
      }
    }
    let chart = TimeChart(statistics.timesPerBucket, style: style)
    if !chart.lines.isEmpty {
      try context.output.line()
      try context.output.lines(chart.lines)
    }
  }

  private func facts(_ statistics: LogStatistics, of reader: LogReader) -> TextTable {
    var table = TextTable([.left, .left])
    table.append(["actions", HumanText.count(statistics.actionCount)])
    // What leaves actions out leaves control records out, too.
    if !ActionSelection.filters.contains(where: context.arguments.has) {
      table.append(["other records", HumanText.count(statistics.controlCount)])
    }
    let segments = HumanText.count(reader.segments.count, "segment")
    table.append(["size", "\(HumanText.bytes(statistics.byteCount)) in \(segments)"])
    if let first = statistics.first, let last = statistics.last {
      table.append(["revisions", "\(first.seq)…\(last.seq)"])
      table.append(["first", RecordText.time(first.time)])
      table.append(["last", RecordText.time(last.time)])
      let span = statistics.span
      if span > .zero { table.append(["rate", HumanText.rate(statistics.actionCount, "actions", in: span)]) }
    }
    if let gap = statistics.longestGap {
      table.append(["longest gap", "\(HumanText.duration(gap.duration)) before revision \(gap.seq)"])
    }
    return table
  }

  /// Counts by a name, with its share of all.
  private func table(
    of name: String, _ counts: [(String, LogStatistics.Count)], of statistics: LogStatistics
  ) -> [String] {
    let style = context.output.style
    var table = TextTable([.right, .right, .right, .left])
    table.append(["actions", "share", "bytes", name].map { text in .init(text, paint: style.dim) })
    for (name, count) in counts {
      let share = HumanText.decimal(100 * Double(count.actions) / Double(statistics.actionCount))
      table.append([
        HumanText.count(count.actions), share + "%", HumanText.bytes(count.bytes), TerminalText.escaping(name),
      ])
    }
    return table.lines(indent: 2)
  }

  private func json(_ statistics: LogStatistics, of reader: LogReader) -> JSONValue {
    var object: JSONObject = [
      "path": .string(reader.path), "log": .string(reader.header.log), "model": .string(reader.header.model),
      "schema": .integer(reader.header.schema), "segments": .integer(reader.segments.count),
      "actions": .integer(statistics.actionCount), "controlRecords": .integer(statistics.controlCount),
      "bytes": .integer(statistics.byteCount),
    ]
    for (name, end) in [("first", statistics.first), ("last", statistics.last)] {
      guard let end else { continue }
      object[name] = ["seq": .integer(end.seq), "time": .string(end.time.description)]
    }
    object["spanSeconds"] = statistics.first.map { _ in .number(Self.number(statistics.span / .seconds(1))) }
    if statistics.span > .zero {
      object["actionsPerSecond"] = .number(
        Self.number(Double(statistics.actionCount) / (statistics.span / .seconds(1))))
    }
    object["longestGap"] = statistics.longestGap.map { gap in
      ["seconds": .number(Self.number(gap.duration / .seconds(1))), "seq": .integer(gap.seq)]
    }
    let buckets = statistics.timesPerBucket
    object["histogram"] = [
      "secondsPerBucket": .integer(Int(buckets.lengthSeconds)),
      "buckets": .array(
        buckets.rows.map { row in ["time": .string(row.start.description), "actions": .integer(row.count)] }),
    ]
    object["types"] = .array(
      statistics.typesByCount.map { type, count in
        ["type": .string(type), "actions": .integer(count.actions), "bytes": .integer(count.bytes)]
      })
    object["actors"] = .array(
      statistics.actorsByCount.map { actor, count in
        [
          "actor": actor.map(JSONValue.string) ?? .null, "actions": .integer(count.actions),
          "bytes": .integer(count.bytes),
        ]
      })
    if context.isForManyLogs { object["path"] = .string(reader.path) }
    return .object(object)
  }

  /// A number with at most six decimals, as the times of a log have.
  private static func number(_ value: Double) -> JSONNumber {
    JSONNumber((value * 1e6).rounded() / 1e6) ?? JSONNumber(Int(value))
  }
}
