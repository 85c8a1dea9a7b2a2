import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

/// `stats` on many logs: the counts of all of them together.
struct CountedLogs {
  private let context: CommandContext
  private let logs: NamedLogs

  static let shape = AnswerShape<(statistics: LogStatistics, models: [ExactName: Int])>.object(
    "Of several logs.", isBounded: true,
    [
      .member("logs", .count) { answer in readCount(answer.models) },
      .member("models", .array(of: modelCount)) { answer in
        answer.models.sorted { left, right in left.key < right.key }.map { name, count in (name.text, count) }
      },
    ] + AnswerShape.totals(\.statistics) + [
      .optional("first", time, \.statistics.times?.lowerBound), .optional("last", time, \.statistics.times?.upperBound),
      .optional("spanSeconds", .decimal) { answer in answer.statistics.times.map { times in span(times) / .seconds(1) }
      },
      .optional("actionsPerSecond", .decimal) { answer in
        let seconds = answer.statistics.times.map { times in span(times) / .seconds(1) } ?? 0
        return seconds > 0 ? Double(answer.statistics.actionCount) / seconds : nil
      },
    ] + AnswerShape.counts(\.statistics))

  private static let modelCount = AnswerShape<(model: String, logs: Int)>.object(
    nil, [.member("model", .text, \.model), .member("logs", .count, \.logs)])
  private static let time = AnswerShape<LogTime>.object(nil, [.member("time", .time, { time in time })])

  init(_ context: CommandContext, _ logs: NamedLogs) throws(ToolFailure) {
    try context.refuseCause(of: logs)
    (self.context, self.logs) = (context, logs)
  }

  func run() throws -> ExitStatus {
    var summary = try MergedLogs.Summary(context, .ofWholeLog)
    summary.status = try context.reportUnfound(logs, isRow: false)
    var statistics = LogStatistics()
    var models: [ExactName: Int] = [:]
    let filter = summary.filter
    let progress = context.progress("reading", unit: .logs)
    for (index, path) in logs.paths.enumerated() {
      try context.read(path, &summary.status, isRow: false) {
        let reader = try context.openReader(path)
        let selection = try ActionSelection(context, reader: reader, control: .ofWholeLog, sharing: filter)
        statistics.beginLog()
        models[ExactName(reader.header.model), default: 0] += 1
        let outcome = try selection.forEach("reading") { record in
          try statistics.add(record)
          return true
        }
        if let damage = outcome.damage { throw damage }
        try context.warnOfTornTail(outcome.ending)
      }
      try progress.update(done: index + 1, total: logs.paths.count)
    }
    try progress.finish()
    summary.count = statistics.actionCount
    try context.answer((statistics, models), Self.shape) { try printPage(statistics, models) }
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

  /// The number of logs that are counted, at least in part.
  private static func readCount(_ models: [ExactName: Int]) -> Int { models.values.reduce(0, +) }

  private static func span(_ times: ClosedRange<LogTime>) -> Duration {
    .microseconds(times.upperBound.microseconds - times.lowerBound.microseconds)
  }
}
