package import ActionLog
import Interchange
import JSONCoding
import TerminalUI
import TimeTravel

extension CommandOption {
  static let csv = flag("csv", "print comma-separated values: seq, time, type, actor, data, meta")
}

/// Prints records: as a table, JSON lines, or comma-separated values.
package struct RecordPrinter {
  private let context: CommandContext
  /// The log to name in each line; `nil` if there is only one, or if each record comes with its log.
  private let path: String?
  /// Whether the first column has the log.
  private let hasLogs: Bool
  private var table: PagedTable
  private var csv = CSVExport(includesControl: true)
  private var isFirst = true

  /// - Parameter path: The log to name in each line, which is then JSON; `nil` if there is only one.
  package init(_ context: CommandContext, naming path: String? = nil) {
    self.context = context
    self.path = path
    self.hasLogs = false
    self.table = PagedTable(RecordText.alignments, printer: context.output, columns: context.outputColumns)
  }

  /// A printer of the records of many logs, each with its log: the path in `path`, and the key of a log of a set in
  /// `key`, with `--json`; the key, or else the path, in the first column of a table.
  init(ofManyLogs context: CommandContext) {
    self.context = context
    self.path = nil
    self.hasLogs = true
    self.table = PagedTable(
      [.left] + RecordText.alignments, printer: context.output, columns: context.outputColumns)
  }

  package mutating func print(_ record: LogRecord) throws { try print(record, of: path) }

  /// Prints a record of one of many logs.
  mutating func print(_ record: LogRecord, of log: String?, key: String? = nil) throws {
    if context.arguments.has(.csv) { return try printCSV(record, of: log) }
    guard context.isJSON || path != nil else {
      let (style, columns) = (context.output.style, context.outputColumns)
      let name = hasLogs ? [RecordText.log(key ?? log ?? "", style: style, columns: columns)] : []
      try table.append(name + (try RecordText.cells(record, style: style, columns: columns)))
      return
    }
    var object = try RecordText.json(record)
    object["path"] = log.map(JSONValue.string)
    object["key"] = key.map(JSONValue.string)
    try context.output.json(.object(object))
  }

  private mutating func printCSV(_ record: LogRecord, of log: String?) throws {
    try beginCSV()
    var bytes: [UInt8] = []
    if hasLogs, let log { CSVExport.append(cell: log, into: &bytes) }
    try csv.append(record, into: &bytes)
    try context.printExported(bytes)
  }

  /// Prints the names of the columns, even for an empty table.
  private mutating func beginCSV() throws(ToolStreamError) {
    guard isFirst else { return }
    isFirst = false
    var bytes: [UInt8] = []
    if hasLogs { CSVExport.append(cell: "path", into: &bytes) }
    csv.begin(into: &bytes)
    try context.printExported(bytes)
  }

  /// Prints the last rows.
  package mutating func finish() throws(ToolStreamError) {
    if context.arguments.has(.csv) { try beginCSV() }
    try table.flush()
  }
}

extension CommandContext {
  /// Prints all actions of a log.
  package func printActions(ofLogAt path: String) throws {
    var records = try LogReader.open(at: path).records(from: 1)
    var printer = RecordPrinter(self)
    while let record = try records.next() {
      if !record.isControl { try printer.print(record) }
    }
    try printer.finish()
  }
}

/// A ring of the last records.
struct RecentRecords {
  private let capacity: Int
  private var ring: [LogRecord] = []
  private var next = 0

  init(capacity: Int) {
    self.capacity = capacity
  }

  mutating func append(_ record: LogRecord) {
    guard capacity > 0 else { return }
    if ring.count < capacity {
      ring.append(record)
    } else {
      ring[next] = record
      next = (next + 1) % capacity
    }
  }

  /// The records in order.
  var records: [LogRecord] { Array(ring[next...] + ring[..<next]) }
}

/// Formats records as text and as JSON.
enum RecordText {
  /// A time to the millisecond, in UTC: `2026-11-21 09:00:05.123`.
  static func time(_ time: LogTime) -> String {
    var bytes = Array(time.description.utf8.prefix(23))
    bytes[10] = UInt8(ascii: " ")
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The cell of a log's key or path.
  ///
  /// - Parameter columns: The width of the entire line, if limited: a long path keeps its end.
  static func log(_ path: String, style: Style, columns: Int?) -> TextTable.Cell {
    let path = TerminalText.escaping(path)
    return .init(
      columns.map { columns in TextWidth.truncatedHead(path, toColumns: max(12, columns / 4)) } ?? path,
      paint: style.dim)
  }

  /// The first cells of a record: revision, time, type.
  ///
  /// - Parameter columns: The width of the entire line, if limited: a long type leaves room for the rest.
  static func heading(_ record: LogRecord, style: Style, columns: Int? = nil) -> [TextTable.Cell] {
    let type =
      columns.map { columns in
        TextWidth.truncatedHead(TerminalText.escaping(record.type), toColumns: max(16, columns * 3 / 8))
      } ?? record.type
    return [
      .init(record.isControl ? "" : String(record.revision), paint: style.cyan),
      .init(time(record.time), paint: style.dim),
      .init(type, paint: record.isControl ? style.dim : style.bold),
    ]
  }

  /// The cells of a record in a list: ``heading(_:style:)``, the actor and the values.
  static func cells(
    _ record: LogRecord, style: Style, columns: Int? = nil
  ) throws(JSONError) -> [TextTable.Cell] {
    let (actor, values) = try values(record, columns: columns)
    return heading(record, style: style, columns: columns) + [
      .init(actor, paint: style.yellow),
      .init(
        record.isSkipped ? "skipped " + values : values, paint: record.isControl || record.isSkipped ? style.dim : nil),
    ]
  }

  /// The alignments of ``cells(_:style:)``.
  static let alignments: [TextTable.Alignment] = [.right, .left, .left, .left, .left]

  /// The actor, and the cause, the data and other metadata of the log; empty texts for empty values.
  ///
  /// The cause is first, as an arrow to its revision: `← 12  {"orderID":"Order#1"}`. Long data cannot push it off the line.
  ///
  /// - Parameter columns: The width of a line, if limited: only the visible part of long data is decoded.
  private static func values(_ record: LogRecord, columns: Int?) throws(JSONError) -> (actor: String, text: String) {
    var text = ""
    let data = record.dataBytes
    if !data.elementsEqual("{}".utf8) {
      text = String(decoding: columns.map { columns in data.prefix(bytesPerColumn * columns) } ?? data, as: UTF8.self)
    }
    guard let meta = record.meta, case .object(var object) = try JSONValue(parsing: meta) else { return ("", text) }
    var (actor, texts) = ("", [text])
    if case .string(let name)? = object["actor"] {
      actor = name
      object["actor"] = nil
    }
    if case .number(let number)? = object["cause"], let cause = number.int {
      texts.insert("← \(cause)", at: 0)
      object["cause"] = nil
    }
    if !object.isEmpty { texts.append("meta \(JSONValue.object(object))") }
    return (actor, texts.filter { text in !text.isEmpty }.joined(separator: "  "))
  }

  /// The maximum number of bytes decoded for a column of the screen: a pictograph of several people takes 25 bytes
  /// and two columns.
  private static let bytesPerColumn = 64

  /// The JSON output: the record without the members that only the log needs.
  static func json(_ record: LogRecord) throws(JSONError) -> JSONObject {
    var object: JSONObject = [
      "seq": .integer(record.revision), "time": .string(record.time.description), "type": .string(record.type),
      "data": try JSONValue(parsing: record.dataBytes),
    ]
    if let meta = record.meta { object["meta"] = try JSONValue(parsing: meta) }
    return object
  }
}

/// A format with one line for each action, which can be printed as actions arrive.
enum ActionLineFormat: String, CaseIterable, Sendable {
  /// CloudEvents 1.0, a JSON object a line.
  case cloudEvents = "cloudevents"
  /// Comma-separated values, with a line of names first.
  case csv
  /// The lines of the log.
  case lines
}

/// Prints actions on one line each.
struct ActionLinePrinter {
  private let context: CommandContext
  /// `nil` for the lines of the log.
  private var export: (any RecordExport)?

  init(_ format: ActionLineFormat, _ header: LogHeader, _ context: CommandContext) {
    self.context = context
    export =
      switch format {
      case .cloudEvents: CloudEventsExport(header)
      case .csv: CSVExport()
      case .lines: nil
      }
  }

  /// Prints the beginning of the output: the names of a table, even if it is empty.
  mutating func begin() throws(ToolStreamError) {
    var bytes: [UInt8] = []
    export?.begin(into: &bytes)
    if !bytes.isEmpty { try context.printExported(bytes) }
  }

  mutating func print(_ record: LogRecord) throws {
    guard export != nil else { return try context.output.jsonLine(record.rawLine) }
    var bytes: [UInt8] = []
    try export?.append(record, into: &bytes)
    try context.printExported(bytes)
  }
}

extension CommandContext {
  /// Prints exported bytes: unchanged to a program, and with control characters escaped on a terminal.
  func printExported(_ bytes: [UInt8]) throws(ToolStreamError) {
    guard output.isTerminal else { return try output.write(bytes) }
    try output.text(TerminalText.escapingLines(String(decoding: bytes, as: UTF8.self)))
  }
}
