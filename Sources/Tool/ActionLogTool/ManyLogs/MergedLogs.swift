import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

/// The actions of many logs as one list, for `list` and `export`.
struct MergedLogs {
  private let context: CommandContext
  private let logs: NamedLogs

  init(_ context: CommandContext, _ logs: NamedLogs) throws(ToolFailure) {
    try context.refuseCause(of: logs)
    (self.context, self.logs) = (context, logs)
  }

  /// Prints the selected actions in the order of their times.
  ///
  /// - Parameters:
  ///   - limit: The number of first actions to print.
  ///   - last: The number of last actions to print instead.
  /// - Returns: The status: the worst of an unreadable log, damage, and no match.
  func print(first limit: Int, last: Int?, _ format: RecordFormat?) throws -> ExitStatus {
    var printer = RecordPrinter(context, format, hasLogs: true)
    if let last { return try printLast(last, &printer) }
    let status = try forEach(
      limit: limit,
      report: { path, failure in
        try printer.finish()
        return try context.reportUnread(path, failure)
      }
    ) { element in try printer.print(element) }
    try printer.finish()
    return try status.conclude()
  }

  /// Visits the selected actions in the order of their times.
  ///
  /// - Parameters:
  ///   - limit: The number of actions after which to stop.
  ///   - control: The control records to include.
  ///   - report: Takes the error of a log. The others are still read.
  ///   - take: Takes an action.
  /// - Returns: The summary, whose status the caller returns after printing.
  func forEach(
    limit: Int = .max, control: ActionSelection.ControlRecords = .asked,
    report: (String, any Error) throws -> ExitStatus,
    _ take: (LoggedRecord) throws -> Void
  ) throws -> Summary {
    try context.noteSkippedLinks(logs)
    var summary = try Summary(context, control)
    for (path, failure) in logs.failures { try summary.note(report(path, failure)) }
    guard limit > 0 else { return summary }
    let progress = context.progress("reading", unit: .bytes)
    var merge = try RecordMerge(
      logs.sortedPaths,
      selection: { path in
        let reader = try context.openReader(path)
        return (reader, try ActionSelection(context, reader: reader, sharing: summary.filter))
      })
    func reportUnread() throws {
      for (path, error) in merge.takeFailures() { try summary.note(report(path, error)) }
    }
    try reportUnread()
    while summary.count < limit, let element = try merge.next() {
      try take(element)
      summary.count += 1
      try reportUnread()
      try progress.update(done: merge.bytesRead, total: merge.totalBytes)
    }
    try reportUnread()
    try progress.finish()
    for (_, ending) in merge.endings { try context.warnOfTornTail(ending) }
    return summary
  }

  /// Prints the last selected actions of all logs together. Only the ends of the logs are read.
  private func printLast(_ count: Int, _ printer: inout RecordPrinter) throws -> ExitStatus {
    var summary = try Summary(context, .asked)
    summary.status = try context.reportUnfound(logs)
    let filter = summary.filter
    var latest = LatestRecords(capacity: count)
    let progress = context.progress("reading", unit: .logs)
    let paths = logs.sortedPaths
    for (index, path) in paths.enumerated() {
      try context.read(path, &summary.status) {
        let reader = try context.openReader(path)
        let selection = try ActionSelection(context, reader: reader, sharing: filter)
        latest.beginLog(path, reader.header)
        let outcome = try selection.forEachOfLast(count) { record in latest.append(record) }
        if let damage = outcome.damage { throw damage }
        try context.warnOfTornTail(outcome.ending)
      }
      try progress.update(done: index + 1, total: paths.count)
    }
    try progress.finish()
    for element in latest.elements {
      try printer.print(element)
      summary.count += 1
    }
    try printer.finish()
    // For a count of 0, an empty list is not worth a note.
    return count == 0 ? summary.status : try summary.conclude()
  }

  /// The result of a pass over many logs.
  struct Summary {
    private let context: CommandContext
    /// The filter that all logs share.
    let filter: RecordFilter
    /// The number of selected actions.
    var count = 0
    /// The worst status of a log.
    var status = ExitStatus.success

    init(_ context: CommandContext, _ control: ActionSelection.ControlRecords) throws {
      self.context = context
      // A point that no log can have is reported once, and not for each log.
      let now = context.environment.logEnvironment.now()
      for option in [CommandOption.from, .to] {
        if let text = context.arguments.value(of: option) { _ = try HistoryPoint.form(text, now: now) }
      }
      filter = try ActionSelection.filter(context.arguments, control)
    }

    mutating func note(_ status: ExitStatus) { self.status = max(self.status, status) }

    /// Prints hints on the options, and that nothing matched.
    func conclude() throws -> ExitStatus {
      try context.printHints(filter.hints)
      return status == .success ? try context.statusOfSelection(count: count) : status
    }
  }
}

extension CommandContext {
  /// Throws if `--cause` is given for many logs.
  func refuseCause(of logs: NamedLogs) throws(ToolFailure) {
    guard let cause = arguments.value(of: CausalChain.option) else { return }
    // A point such as a time is no number that an action can record.
    let number = Int(cause).map(String.init) ?? "N"
    let log = logs.paths.first.map { path in ShellWord(path).description } ?? "LOG"
    throw .usage(
      "--cause names an action of one log: a recorded cause is a revision of the same log",
      advice:
        "Name only the log of that action, for instance \(log), or find the actions with that cause in all of them: "
        + "--where 'meta/cause == \(number)'."
    )
  }
}

/// The latest records of many logs, in the order of ``RecordMerge``.
struct LatestRecords {
  private struct Entry {
    var key: Int64
    var order: Int
    var number: Int
    var record: LogRecord
    var isDurable: Bool?
  }

  private let capacity: Int
  private var entries: [Entry] = []
  private var logs: [(path: String, header: LogHeader)] = []
  private var latest = Int64.min
  private var number = 0

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Begins the records of a log, which follows the others in the order of paths.
  mutating func beginLog(_ path: String, _ header: LogHeader) {
    logs.append((path, header))
    latest = .min
    if entries.count / 2 > capacity { trim() }
  }

  mutating func append(_ record: LogRecord, isDurable: Bool? = nil) {
    latest = max(latest, record.time.microseconds)
    number += 1
    entries.append(Entry(key: latest, order: logs.count - 1, number: number, record: record, isDurable: isDurable))
  }

  /// Sorts the records, those of one log by their revisions, and keeps the latest.
  private mutating func trim() {
    entries.sort { left, right in (left.key, left.order, left.number) < (right.key, right.order, right.number) }
    entries.removeFirst(max(0, entries.count - capacity))
  }

  /// The records in order, with the paths of their logs.
  var elements: [LoggedRecord] {
    var copy = self
    copy.trim()
    return copy.entries.map { entry in
      LoggedRecord(
        record: entry.record, isDurable: entry.isDurable, path: logs[entry.order].path,
        header: logs[entry.order].header)
    }
  }
}
