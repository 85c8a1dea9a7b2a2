import ActionLog
import EventSourcing
import Interchange
import JSONCoding
import TextDisplay

extension Command {
  static let export = Command(
    "export",
    group: .exchange,
    summary: "a log in a format of other programs",
    details: """
      cloudevents: CloudEvents 1.0, a JSON object a line. trace: a trace for Perfetto. csv: a table. redux-devtools: the
      file that Redux DevTools import, with every state, the times, skipped actions and the cursor. devtools-page: an HTML
      page that fills the Redux DevTools of the browser that opens it. A log itself is JSON Lines: see 'cat' for what reads
      those.
      \(PointResolver.forms)
      """,
    examples: [
      .init("export my-log --format cloudevents", "for a broker or an event store"),
      .init("export my-log --format trace > trace.json", "open it in ui.perfetto.dev"),
      .init("export my-log --format csv --from -100", "the last hundred, for a spreadsheet"),
      .init("export my-log --format redux-devtools > state.json", "for the Import button"),
      .init("export my-log --format devtools-page > page.html", "open it in a browser with the extension"),
    ],
    arguments: [.readLog],
    options: [ExportCommand.format, .from, .to, ExportCommand.cursor, ExportCommand.noStates, .model],
    blocking: { context in try ExportCommand(context: context).run() }
  )
}

/// `export`: one pass over the records, and for Redux DevTools one over the states.
private struct ExportCommand {
  enum Format: String, CaseIterable {
    case cloudEvents = "cloudevents"
    case trace
    case csv
    case reduxDevTools = "redux-devtools"
    case devToolsPage = "devtools-page"
  }

  static let format = CommandOption.choice(
    "format", letter: "f", of: Format.allCases.map(\.rawValue), "the format to write")
  static let cursor = CommandOption.value(
    "cursor", "POINT", "where the cursor of Redux DevTools stands (default: the end)")
  static let noStates = CommandOption.flag(
    "no-states", "leave the states out of redux-devtools; an application's own reducer makes them again")

  let context: CommandContext

  func run() throws -> ExitStatus {
    guard let format = context.arguments.value(of: Self.format).flatMap(Format.init(rawValue:)) else {
      let names = Format.allCases.map(\.rawValue).joined(separator: ", ")
      throw ToolFailure.usage("'export' needs --format", advice: "It is one of \(names).")
    }
    let isForDevTools = format == .reduxDevTools || format == .devToolsPage
    for option in [Self.cursor, .model, .unknownTypes] where !isForDevTools && context.arguments.has(option) {
      throw ToolFailure.usage("--\(option.name) belongs to --format redux-devtools and devtools-page")
    }
    guard format == .reduxDevTools || !context.arguments.has(Self.noStates) else {
      throw ToolFailure.usage("--no-states belongs to --format redux-devtools")
    }
    guard !context.isJSON || (format != .csv && format != .devToolsPage) else {
      throw ToolFailure.usage("--format \(format.rawValue) is not JSON: leave --json out, or take another format")
    }
    let reader = try context.openReader()
    switch format {
    case .cloudEvents: return try write(CloudEventsExport(reader.header), reader)
    case .trace: return try write(TraceExport(reader.header), reader)
    case .csv: return try write(CSVExport(), reader)
    case .reduxDevTools: return try writeForDevTools(reader) { bytes in bytes }
    case .devToolsPage: return try writePage(reader)
    }
  }

  private func write(_ export: some RecordExport, _ reader: LogReader) throws -> ExitStatus {
    var export = export
    var bytes: [UInt8] = []
    let range = try PointRange(actionsOf: context, reader: reader)
    export.begin(into: &bytes)
    try printAndClear(&bytes)
    let ending = try forEachRecord(of: reader, in: range) { record in
      try export.append(record, into: &bytes)
      try printAndClear(&bytes)
    }
    export.end(into: &bytes)
    try printAndClear(&bytes)
    try context.remarkOnEnding(ending)
    return .success
  }

  /// Shows every record of the range, with progress meanwhile.
  ///
  /// - Returns: How the log ends, if its end was reached.
  private func forEachRecord(
    of reader: LogReader, in range: PointRange, _ body: (LogRecord) throws -> Void
  ) throws -> LogEnding? {
    let progress = context.progress("exporting", unit: .bytes)
    let totalBytes = reader.sizeBytes
    var records = try reader.records(from: range.first)
    while let record = try records.next(), record.seq <= range.last {
      guard record.seq >= range.first else { continue }
      try body(record)
      try progress.update(done: records.bytesRead, total: totalBytes)
    }
    try progress.finish()
    return records.ending
  }

  private func printAndClear(_ bytes: inout [UInt8]) throws {
    try context.printExported(bytes)
    bytes.removeAll(keepingCapacity: true)
  }
}

// MARK: - Redux DevTools

extension ExportCommand {
  /// The revisions that were exported, and the state that the log says it begins with.
  private struct Exported {
    var first: Int?
    var last = 0
    var base: [UInt8]?

    mutating func note(_ record: LogRecord) throws(JSONError) {
      if record.type == "@base" {
        base = try JSONTape(parsing: record.dataBytes).root["state"].map { node in Array(node.bytes) }
      }
      guard !record.isControl else { return }
      first = first ?? record.seq
      last = record.seq
    }
  }

  private func writePage(_ reader: LogReader) throws -> ExitStatus {
    let page = DevToolsPage(reader.header)
    var bytes: [UInt8] = []
    page.begin(into: &bytes)
    let status = try writeForDevTools(reader, after: bytes) { json in
      var escaped: [UInt8] = []
      page.append(json, into: &escaped)
      return escaped
    }
    bytes.removeAll()
    page.end(into: &bytes)
    try context.printExported(bytes)
    return status
  }

  /// Writes a lifted state.
  ///
  /// - Parameters:
  ///   - beginning: What stands before it.
  ///   - change: What becomes of its bytes.
  private func writeForDevTools(
    _ reader: LogReader, after beginning: [UInt8] = [], _ change: @escaping ([UInt8]) -> [UInt8]
  ) throws -> ExitStatus {
    // Whatever is wrong with the call is told before anything is printed.
    let range = try PointRange(actionsOf: context, reader: reader)
    let cursor = try cursor(reader, in: range)
    let history = context.arguments.has(Self.noStates) ? nil : try statesSource()
    var export = ReduxDevToolsExport(reader.header)
    var exported = Exported()
    var bytes: [UInt8] = []
    try context.printExported(beginning)
    export.begin(into: &bytes)
    let ending = try forEachRecord(of: reader, in: range) { record in
      try exported.note(record)
      try export.append(record, into: &bytes)
      try context.printExported(change(bytes))
      bytes.removeAll(keepingCapacity: true)
    }
    export.endActions(cursor: cursor, into: &bytes)
    try context.printExported(change(bytes))
    try writeStates(&export, exported, history, change)
    try context.remarkOnEnding(ending)
    return .success
  }

  private func cursor(_ reader: LogReader, in range: PointRange) throws -> Int? {
    guard let text = context.arguments.value(of: Self.cursor) else { return nil }
    let cursor = try PointResolver(context, reader: reader).revision(text)
    let last = min(range.last, try reader.extent().lastSeq)
    guard cursor <= last else { throw ToolFailure.usage("--cursor \(cursor) lies behind the last revision, \(last)") }
    return cursor
  }

  private func statesSource() throws -> any HistoryHandle {
    do {
      return try context.openHistory()
    } catch let failure as ToolFailure where failure.code == "unknownModel" {
      var failure = failure
      failure.advice = (failure.advice ?? "") + " Without states: --format redux-devtools --no-states."
      throw failure
    }
  }

  private func writeStates(
    _ export: inout ReduxDevToolsExport, _ exported: Exported, _ history: (any HistoryHandle)?,
    _ change: @escaping ([UInt8]) -> [UInt8]
  ) throws {
    var bytes: [UInt8] = []
    if let history {
      let first = exported.first.map { seq in seq - 1 } ?? exported.last
      var states = export
      try history.states(in: first...max(first, exported.last), options: ReplayOptions()) { state in
        try states.append(state: state, into: &bytes)
        try context.printExported(change(bytes))
        bytes.removeAll(keepingCapacity: true)
      }
      export = states
    } else if let base = exported.base {
      try export.append(base: base, into: &bytes)
    }
    export.end(into: &bytes)
    try context.printExported(change(bytes))
  }
}
