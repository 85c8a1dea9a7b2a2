import ActionLog
import JSONCoding
import TextDisplay
import TimeTravel

extension Command {
  static let stats = Command(
    "stats",
    group: .read,
    summary: "how many actions of which type, when, how large",
    details: PointResolver.forms,
    examples: [
      .init("stats my-log", "an overview"),
      .init("stats my-log --from '1d ago' --json", "of the last day, for a program"),
    ],
    arguments: [.readLog],
    options: [.from, .to],
    blocking: { context in try StatsCommand(context: context).run() }
  )
}

/// `stats`: one pass over the records, then a page.
private struct StatsCommand {
  let context: CommandContext

  func run() throws -> ExitStatus {
    let reader = try context.openReader()
    let range = try PointRange(actionsOf: context, reader: reader)
    let progress = context.progress("reading", unit: .bytes)
    let totalBytes = reader.sizeBytes
    var statistics = LogStatistics()
    var records = try reader.records(from: range.first)
    var damage: (any Error)?
    do {
      while let record = try records.next(), record.seq <= range.last {
        guard record.seq >= range.first else { continue }
        statistics.add(record)
        try progress.update(done: records.bytesRead, total: totalBytes)
      }
    } catch let error as LogError {
      damage = error
    }
    try progress.finish()
    if context.isJSON {
      try context.output.json(json(statistics, of: reader))
    } else {
      try printPage(statistics, of: reader)
    }
    if let damage { throw damage }
    try context.remarkOnEnding(records.ending)
    return .success
  }

  private func printPage(_ statistics: LogStatistics, of reader: LogReader) throws {
    let style = context.output.style
    try context.output.line(
      style.bold(TerminalText.escaping(reader.header.model))
        + ", schema \(reader.header.schema), log \(reader.header.log)")
    try context.output.lines(facts(statistics, of: reader).lines(indent: 2))
    guard statistics.actionCount > 0 else { return }
    try context.output.line()
    try context.output.lines(types(statistics).lines(indent: 2))
    let chart = TimeChart(statistics.timesPerBucket, style: style)
    if !chart.lines.isEmpty {
      try context.output.line()
      try context.output.lines(chart.lines)
    }
  }

  private func facts(_ statistics: LogStatistics, of reader: LogReader) -> TextTable {
    var table = TextTable([.left, .left])
    table.append(["actions", HumanText.count(statistics.actionCount)])
    table.append(["other records", HumanText.count(statistics.controlCount)])
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

  private func types(_ statistics: LogStatistics) -> TextTable {
    let style = context.output.style
    var table = TextTable([.right, .right, .right, .left])
    table.append(["actions", "share", "bytes", "type"].map { text in .init(text, paint: style.dim) })
    for (type, count) in statistics.typesByCount {
      let share = HumanText.decimal(100 * Double(count.actions) / Double(statistics.actionCount))
      table.append([
        HumanText.count(count.actions), share + "%", HumanText.bytes(count.bytes), TerminalText.escaping(type),
      ])
    }
    return table
  }

  private func json(_ statistics: LogStatistics, of reader: LogReader) -> JSONValue {
    var object: JSONObject = [
      "log": .string(reader.header.log), "model": .string(reader.header.model),
      "schema": .integer(reader.header.schema), "segments": .integer(reader.segments.count),
      "actions": .integer(statistics.actionCount), "controlRecords": .integer(statistics.controlCount),
      "bytes": .integer(statistics.byteCount),
    ]
    for (name, end) in [("first", statistics.first), ("last", statistics.last)] {
      guard let end else { continue }
      object[name] = ["seq": .integer(end.seq), "time": .string(end.time.description)]
    }
    object["types"] = .array(
      statistics.typesByCount.map { type, count in
        ["type": .string(type), "actions": .integer(count.actions), "bytes": .integer(count.bytes)]
      })
    return .object(object)
  }
}
