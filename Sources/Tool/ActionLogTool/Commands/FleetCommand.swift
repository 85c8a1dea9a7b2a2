import ActionLog
import ActionLogMaintenance
import JSONCoding
import Platform
import TerminalUI

extension Command {
  static let fleet = Command(
    "fleet",
    group: .many,
    effect: .reads,
    summary: "list logs with their size, revisions, last action and damage",
    details: """
      Only the ends of the logs are read: their last segments, and the first lines of the others. 'verify' checks every byte.
      A directory is searched for logs; a symbolic link in it is not followed. \(CommandContext.manyLogsForm)
      With --json each log is one line, and the last line has the totals.
      The status is 1 if a log is damaged or has a torn tail, and that of the error if a log cannot be read.
      """,
    examples: [
      .init("fleet customers", "each log in a directory"),
      .init("fleet customers --json", "the same for a program"),
    ],
    arguments: [.namedLogs],
    options: [],
    answer: .lines,
    schema: .anyOf(
      "A line for each log, and a line with the totals.", [FleetRow.shape.schema, FleetTotals.shape.schema, .end]),
    blocking: { context in try FleetCommand(context: context).run() }
  )
}

struct FleetCommand {
  let context: CommandContext

  func run() throws -> ExitStatus {
    let logs = try context.namedLogs()
    try context.noteSkippedLinks(logs)
    var rows = logs.failures.map { path, failure in FleetRow(path: path, failure: failure) }
    let progress = context.progress("reading", unit: .logs)
    try logs.run { [files = context.files] path in
      FleetRow(path, files)
    } consume: { row in
      rows.append(row)
      try progress.update(done: rows.count, total: logs.paths.count)
    }
    try progress.finish()
    let totals = FleetTotals(rows)
    if context.isJSON {
      try context.output.countAnswerLines()
      for row in rows { try context.output.json(FleetRow.shape.json((row, context.wording))) }
      try context.output.json(FleetTotals.shape.json(totals))
    } else {
      try print(rows, totals)
    }
    return rows.map(\.status).max() ?? .success
  }

  private func print(_ rows: [FleetRow], _ totals: FleetTotals) throws {
    let style = context.output.style
    var table = PagedTable(
      [.left, .left, .left, .right, .right, .left, .left], printer: context.output, columns: context.outputColumns)
    let names = ["log", "end", "model", "revisions", "size", "last action", "type"]
    if !rows.isEmpty { try table.append(names.map { name in .init(name, paint: style.dim) }) }
    for row in rows { try table.append(row.cells(style, columns: context.outputColumns)) }
    try table.flush()
    try context.output.line(totals.text)
    if rows.contains(where: { row in row.status == .negative }) {
      try context.note("'\(context.tool.name) verify LOG' has the full report on a log.")
    }
  }
}

struct FleetRow: Sendable {
  enum End: String, Sendable {
    case open, closed, torn, damaged, unreadable
  }

  let path: String
  private(set) var header: LogHeader?
  private(set) var segmentCount = 0
  private(set) var sizeBytes = 0
  private(set) var lastRevision = 0
  private(set) var last: (revision: Int, time: LogTime, type: String)?
  private(set) var end = End.unreadable
  private(set) var failure: ToolFailure?

  init(path: String, failure: ToolFailure) {
    (self.path, self.failure) = (path, failure)
  }

  init(_ path: String, _ fileSystem: any LogFileSystem) {
    self.path = path
    do {
      let reader = try LogReader.open(at: path, fileSystem: fileSystem)
      header = reader.header
      segmentCount = reader.segments.count
      sizeBytes = reader.sizeBytes
      let extent = try reader.extent()
      lastRevision = extent.lastRevision
      last = try extent.lastAction.map { last in (last.revision, last.time, try reader.record(at: last.revision).type) }
      switch extent.ending {
      case .clean: end = .open
      case .closed: end = .closed
      case .torn: end = .torn
      case .damaged(let damage): take(ToolFailure(any: damage))
      }
    } catch {
      take(ToolFailure(any: error))
    }
  }

  private mutating func take(_ failure: ToolFailure) {
    self.failure = failure
    end = failure.status == .negative ? .damaged : .unreadable
  }

  var status: ExitStatus { failure?.status ?? (end == .torn ? .negative : .success) }

  func cells(_ style: Style, columns: Int?) -> [TextTable.Cell] {
    let word: TextTable.Cell =
      switch end {
      case .open, .closed: .init(end.rawValue, paint: style.dim)
      case .torn: .init("torn tail", paint: style.yellow)
      case .damaged, .unreadable: .init(end.rawValue, paint: style.red)
      }
    return [
      RecordText.log(header?.key ?? path, style: style, columns: columns), word, .init(header?.model ?? ""),
      .init(header == nil ? "" : HumanText.count(lastRevision), paint: style.cyan),
      .init(header == nil ? "" : HumanText.bytes(sizeBytes)),
      .init((last?.time).map(RecordText.time) ?? "", paint: style.dim),
      failure.map { failure in .init(failure.message, paint: style.red) }
        ?? .init(last.map { last in columns == nil ? last.type : ShortName.leaf(last.type) } ?? ""),
    ]
  }

  static let shape = AnswerShape<(row: FleetRow, wording: MessageWording)>.object(
    "A log. end is closed, open, torn, damaged or unreadable.", isBounded: true,
    [
      .member("path", .file, \.row.path), .optional("key", .text, \.row.header?.key),
      .optional("log", .text, \.row.header?.log), .optional("model", .text, \.row.header?.model),
      .optional("schema", .integer, \.row.header?.schema),
      .optional("revision", .revision) { answer in answer.row.header.map { _ in answer.row.lastRevision } },
      .optional("segments", .count) { answer in answer.row.header.map { _ in answer.row.segmentCount } },
      .optional("bytes", .count) { answer in answer.row.header.map { _ in answer.row.sizeBytes } },
      .optional("last", last, \.row.last),
      .member("end", .text, \.row.end.rawValue),
      .optional("error", .error) { answer in
        answer.row.failure.map { failure in FailureReport(failure, answer.wording) }
      },
    ])

  private static let last = AnswerShape<(revision: Int, time: LogTime, type: String)>.object([
    .member("seq", .revision, \.revision), .member("time", .time, \.time), .member("type", .text, \.type),
  ])
}

private struct FleetTotals {
  private let logCount: Int
  private var revisions = 0
  private var bytes = 0
  private var ends: [FleetRow.End: Int] = [:]

  init(_ rows: [FleetRow]) {
    logCount = rows.count
    for row in rows {
      // Numbers from files: a sum of damaged headers must not trap.
      revisions = revisions.addingReportingOverflow(row.lastRevision).partialValue
      bytes = bytes.addingReportingOverflow(row.sizeBytes).partialValue
      ends[row.end, default: 0] += 1
    }
  }

  var text: String {
    let problems = [FleetRow.End.torn, .damaged, .unreadable].compactMap { end in
      ends[end].map { count in "\(HumanText.count(count)) \(end == .torn ? "with a torn tail" : end.rawValue)" }
    }
    return
      (["\(HumanText.count(logCount, "log")), \(HumanText.count(revisions, "action")), \(HumanText.bytes(bytes))"]
      + problems).joined(separator: ", ")
  }

  static let shape = AnswerShape<FleetTotals>.object("The totals.", [.member("total", totals, { totals in totals })])

  private static let totals = AnswerShape<FleetTotals>.object([
    .member("logs", .count, \.logCount), .member("actions", .count, \.revisions), .member("bytes", .count, \.bytes),
    .member("torn", .count) { totals in totals.ends[.torn] ?? 0 },
    .member("damaged", .count) { totals in totals.ends[.damaged] ?? 0 },
    .member("unreadable", .count) { totals in totals.ends[.unreadable] ?? 0 },
  ])
}
