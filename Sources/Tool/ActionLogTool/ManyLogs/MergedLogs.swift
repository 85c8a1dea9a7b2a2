import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

/// A pass over the actions of many logs, with the filter and the status that they share.
///
/// The status is the worst of an unreadable log, damage, and no match.
struct ManyLogsPass {
  private let context: CommandContext
  private let logs: NamedLogs
  private let filter: RecordFilter
  /// Whether the answer has a row for each log or action, and so for the error of a log.
  private let hasRows: Bool
  var count = 0
  private(set) var status = ExitStatus.success

  init(
    _ context: CommandContext, _ logs: NamedLogs, includesControl: Bool = false, hasRows: Bool
  ) throws {
    try context.refuseCause(of: logs)
    // A point that no log can have is reported once, and not for each log.
    let now = context.environment.logEnvironment.now()
    for option in [CommandOption.from, .to] {
      if let text = context.arguments.value(of: option) { _ = try HistoryPoint.form(text, now: now) }
    }
    filter = try ActionSelection.filter(context.arguments, includesControl: includesControl)
    (self.context, self.logs, self.hasRows) = (context, logs, hasRows)
  }

  /// Visits the selected actions in the order of their times, and reports the logs that cannot be read.
  ///
  /// - Parameter finish: Prints pending rows before an error.
  mutating func merge(
    first limit: Int = .max, finishing finish: () throws -> Void = {}, _ take: (LoggedRecord) throws -> Void
  ) throws {
    status = try context.reportUnfound(logs, isRow: hasRows)
    guard limit > 0 else { return }
    let progress = context.progress("reading", unit: .bytes)
    var records = try RecordMerge(
      logs.sortedPaths,
      selection: { [context, filter] path in
        let reader = try context.openReader(path)
        return (reader, try ActionSelection(context, reader: reader, sharing: filter))
      })
    while true {
      for (path, error) in records.takeFailures() {
        try finish()
        status = max(status, try context.reportUnread(path, error, isRow: hasRows))
      }
      guard count < limit, let element = try records.next() else { break }
      try take(element)
      count += 1
      try progress.update(done: records.bytesRead, total: records.totalBytes)
    }
    try progress.finish()
    for ending in records.endings { try context.warnOfTornTail(ending) }
  }

  /// Reads each log by itself, and reports those that cannot be read.
  mutating func forEachLog(
    _ body: (_ path: String, LogReader, ActionSelection) throws -> ActionSelection.Outcome
  ) throws {
    let (context, filter) = (context, filter)
    status = try context.reportUnfound(logs, isRow: hasRows)
    let progress = context.progress("reading", unit: .logs)
    for (index, path) in logs.sortedPaths.enumerated() {
      try context.read(path, &status, isRow: hasRows) {
        let reader = try context.openReader(path)
        let outcome = try body(path, reader, ActionSelection(context, reader: reader, sharing: filter))
        if let damage = outcome.damage { throw damage }
        try context.warnOfTornTail(outcome.ending)
      }
      try progress.update(done: index + 1, total: logs.paths.count)
    }
    try progress.finish()
  }

  func conclude() throws -> ExitStatus {
    try context.printHints(filter.hints)
    return status == .success ? try context.statusOfSelection(count: count) : status
  }
}

extension CommandContext {
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
