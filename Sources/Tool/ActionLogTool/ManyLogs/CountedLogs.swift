import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

/// `stats` on many logs: the counts of all of them together.
struct CountedLogs {
  private let context: CommandContext
  private let logs: NamedLogs

  init(_ context: CommandContext, _ logs: NamedLogs) throws(ToolFailure) {
    try context.refuseCause(of: logs)
    (self.context, self.logs) = (context, logs)
  }

  func run() throws -> ExitStatus {
    try context.noteSkippedLinks(logs)
    var summary = try MergedLogs.Summary(context, .ofWholeLog)
    for (path, failure) in logs.failures { try summary.note(context.reportUnread(path, failure, isRow: false)) }
    var statistics = LogStatistics()
    var models: [ExactName: Int] = [:]
    let progress = context.progress("reading", unit: .logs)
    for (index, path) in logs.paths.enumerated() {
      do {
        let reader = try context.openReader(path)
        let selection = try ActionSelection(context, reader: reader, control: .ofWholeLog, sharing: summary.filter)
        statistics.beginLog()
        models[ExactName(reader.header.model), default: 0] += 1
        let outcome = try selection.forEach("reading") { record in
          try statistics.add(record)
          return true
        }
        if let damage = outcome.damage { throw damage }
        try context.warnOfTornTail(outcome.ending)
      } catch let failure as ToolFailure where failure.codeName == "usage" {
        throw failure
      } catch {
        try summary.note(context.reportUnread(path, error, isRow: false))
      }
      try progress.update(done: index + 1, total: logs.paths.count)
    }
    try progress.finish()
    summary.count = statistics.actionCount
    if context.isJSON {
      try context.output.json(.object(json(statistics, models)))
    } else {
      try printPage(statistics, models)
    }
    return try summary.conclude()
  }

  private func printPage(_ statistics: LogStatistics, _ models: [ExactName: Int]) throws {
    let style = context.output.style
    let names = models.sorted { left, right in (right.value, left.key) < (left.value, right.key) }
    let readCount = Self.readCount(models)
    let total = logs.paths.count + logs.failures.count
    let missing = readCount < total ? " of \(HumanText.count(total))" : ""
    try context.output.line(style.bold(HumanText.count(readCount, "log")) + missing)
    var table = TextTable([.left, .left])
    if !names.isEmpty {
      // The number of models on the page.
      let shown = names.prefix(8).map { name, count in "\(name.text) (\(HumanText.count(count)))" }
      let hidden = names.count - shown.count
      table.append([
        "models", (shown + (hidden > 0 ? ["and \(HumanText.count(hidden)) more"] : [])).joined(separator: ", "),
      ])
    }
    table.append(["actions", HumanText.count(statistics.actionCount)])
    if !ActionSelection.filters.contains(where: context.arguments.has) {
      table.append(["other records", HumanText.count(statistics.controlCount)])
    }
    table.append(["size", HumanText.bytes(statistics.byteCount)])
    if let times = statistics.times {
      table.append(["first", RecordText.time(times.lowerBound)])
      table.append(["last", RecordText.time(times.upperBound)])
      let span = Self.span(times)
      if span > .zero { table.append(["rate", HumanText.rate(statistics.actionCount, "actions", in: span)]) }
    }
    try context.output.lines(table.lines(indent: 2))
    try StatsCommand(context: context).printTables(statistics)
  }

  private func json(_ statistics: LogStatistics, _ models: [ExactName: Int]) -> JSONObject {
    var object: JSONObject = [
      "logs": .integer(Self.readCount(models)),
      "models": .array(
        models.sorted { left, right in left.key < right.key }.map { name, count in
          ["model": .string(name.text), "logs": .integer(count)]
        }),
      "actions": .integer(statistics.actionCount), "controlRecords": .integer(statistics.controlCount),
      "bytes": .integer(statistics.byteCount),
    ]
    if let times = statistics.times {
      object["first"] = ["time": .string(times.lowerBound.description)]
      object["last"] = ["time": .string(times.upperBound.description)]
      let seconds = Self.span(times) / .seconds(1)
      object["spanSeconds"] = .number(StatsCommand.number(seconds))
      if seconds > 0 {
        object["actionsPerSecond"] = .number(StatsCommand.number(Double(statistics.actionCount) / seconds))
      }
    }
    for (name, value) in StatsCommand.counts(statistics) { object[name] = value }
    return object
  }

  /// The number of logs that are counted, at least in part.
  private static func readCount(_ models: [ExactName: Int]) -> Int { models.values.reduce(0, +) }

  private static func span(_ times: ClosedRange<LogTime>) -> Duration {
    .microseconds(times.upperBound.microseconds - times.lowerBound.microseconds)
  }
}
