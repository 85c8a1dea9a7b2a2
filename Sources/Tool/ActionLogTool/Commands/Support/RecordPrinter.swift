package import ActionLog
import Interchange
import JSONCoding
import TerminalUI
import TimeTravel

/// A format with one line for each action, for other programs.
enum RecordFormat: String, CaseIterable, Sendable {
  case lines
  /// CloudEvents 1.0, a JSON object a line.
  case cloudEvents = "cloudevents"
  /// Comma-separated values, with a line of names first.
  case csv
}

/// A record of one of many logs, or of a log that is followed.
struct LoggedRecord {
  let record: LogRecord
  /// Whether the record survives a crash; `nil` unless the log is followed.
  var isDurable: Bool?
  var path: String?
  var header: LogHeader?

  var key: String? { path == nil ? nil : header?.key }

  static func schema(_ description: String) -> AnswerSchema {
    let shape = AnswerShape<LoggedRecord>.object(
      nil, isBounded: true,
      AnswerShape.actionMembers(\.record)
        + [
          .optional("durable", .flag, \.isDurable),
          .optional("path", .file, \.path, "The log, if there are several."),
          .optional("key", .text, \.key, "The key of a log of a set."),
        ])
    return .anyOf(
      description, [shape.schema, AnswerShape<(subject: RowSubject, failure: FailureReport)>.failure.schema, .end])
  }

  /// The bytes of the answer in JSON. They are made without a tree of values, because `list` prints millions. The values are those of the line, which is valid JSON without white space.
  var line: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(record.rawLine.count + 64)
    bytes += #"{"seq":"#.utf8
    RecordText.appendDecimal(record.revision, to: &bytes)
    bytes += #","time":""#.utf8
    record.time.append(to: &bytes)
    bytes += #"","type":"#.utf8
    bytes += JSONValue.string(record.type).bytes()
    bytes += #","data":"#.utf8
    bytes += record.dataBytes
    if let meta = record.meta {
      bytes += #","meta":"#.utf8
      bytes += meta
    }
    if let isDurable { bytes += ",\"durable\":\(isDurable)".utf8 }
    for (name, text) in [("path", path), ("key", key)] {
      guard let text else { continue }
      bytes += ",\"\(name)\":".utf8
      bytes += JSONValue.string(text).bytes()
    }
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }
}

/// Prints records: as a table, JSON lines, or in a format for other programs.
package struct RecordPrinter {
  private let context: CommandContext
  private let format: RecordFormat?
  private let header: LogHeader?
  private let hasLogs: Bool
  private var table: PagedTable
  private var csv = CSVExport()
  private var isFirst = true
  private var knownTexts: [String: (leaf: String, place: String)] = [:]
  /// A log whose types are all different must not grow in memory.
  private static let textLimit = 1_000
  /// Whether days are headings.
  private var hasHeadings = true
  /// The time of the row before, of a list on a screen: it shows the day once, as a heading, and fractions only within a second.
  private var before = ""
  // Looked up once, and not for each record.
  private let isJSON: Bool
  private let columns: Int?

  /// Prints the few records of an answer, each with its day.
  package init(_ context: CommandContext) {
    self.init(context, nil)
    hasHeadings = false
  }

  /// - Parameter hasLogs: Whether each record comes with its log: the path in `path`, and the key of a log of a set in `key`, with
  ///   `--json`; the key, or else the path, in the first column of a table.
  init(
    _ context: CommandContext, _ format: RecordFormat?, header: LogHeader? = nil, hasLogs: Bool = false,
    isFollowing: Bool = false
  ) {
    (self.context, self.format, self.header, self.hasLogs) = (context, format, header, hasLogs)
    isJSON = context.isJSON
    columns = context.outputColumns
    let first: [TextTable.Alignment] = (isFollowing ? [.left] : []) + (hasLogs ? [.left] : [])
    table = PagedTable(first + RecordText.alignments, printer: context.output, columns: columns)
  }

  package mutating func print(_ record: LogRecord) throws { try print(LoggedRecord(record: record)) }

  /// The texts of a record's type on a screen. Types are few, and records are many.
  private mutating func texts(of record: LogRecord) -> (leaf: String, place: String)? {
    guard let columns else { return nil }
    if let known = knownTexts[record.type] { return known }
    let texts = RecordText.texts(of: record.type, columns: columns)
    if knownTexts.count < Self.textLimit { knownTexts[record.type] = texts }
    return texts
  }

  /// Prints a heading if the record begins a day.
  ///
  /// - Returns: The time of its row; `nil` if rows are not cut, because programs read them: they have the whole time.
  private mutating func clock(of record: LogRecord) throws -> String? {
    guard columns != nil, hasHeadings else { return nil }
    let time = RecordText.time(record.time)
    defer { before = time }
    if time.prefix(10) != before.prefix(10) {
      try table.flush()
      try context.output.line((before.isEmpty ? "" : "\n") + context.output.style.dim(String(time.prefix(10))))
    }
    return String(time.dropFirst(11).prefix(time.prefix(19) == before.prefix(19) && (columns ?? 0) >= 80 ? 12 : 8))
  }

  mutating func print(_ logged: LoggedRecord) throws {
    if let format { return try print(logged, as: format) }
    if isJSON { return try context.output.json(encoded: logged.line) }
    let style = context.output.style
    let sign = logged.isDurable.map { isDurable in TextTable.Cell(isDurable ? " " : "~", paint: style.yellow) }
    let log = hasLogs ? RecordText.log(logged.key ?? logged.path ?? "", style: style, columns: columns) : nil
    let clock = try clock(of: logged.record)
    try RecordText.append(
      logged.record, after: [sign, log].compactMap(\.self), at: clock, texts: texts(of: logged.record), to: &table,
      style: style, columns: columns)
  }

  private mutating func print(_ logged: LoggedRecord, as format: RecordFormat) throws {
    try begin()
    var bytes: [UInt8] = []
    switch format {
    case .lines: return try context.output.jsonLine(logged.record.rawLine)
    case .cloudEvents:
      guard let header = logged.header ?? header else { return }
      var export = CloudEventsExport(header)
      try export.append(logged.record, into: &bytes)
    case .csv:
      if hasLogs, let path = logged.path { CSVExport.append(cell: path, into: &bytes) }
      try csv.append(logged.record, into: &bytes)
    }
    try context.printExported(bytes)
  }

  /// Prints the names of the columns, even for an empty table.
  private mutating func begin() throws {
    guard isFirst, format == .csv else { return }
    isFirst = false
    var bytes: [UInt8] = []
    if hasLogs { CSVExport.append(cell: "path", into: &bytes) }
    csv.begin(into: &bytes)
    try context.printExported(bytes)
  }

  package mutating func finish() throws {
    try begin()
    try table.flush()
  }
}

enum RecordText {
  /// A time to the millisecond, in UTC: `2026-11-21 09:00:05.123`.
  static func time(_ time: LogTime) -> String {
    var bytes = Array(time.description.utf8.prefix(23))
    bytes[10] = UInt8(ascii: " ")
    return String(decoding: bytes, as: UTF8.self)
  }

  /// - Parameter columns: The width of the entire line, if limited: a long path keeps its end.
  static func log(_ path: String, style: Style, columns: Int?) -> TextTable.Cell {
    let path = TerminalText.escaping(path)
    return .init(
      columns.map { columns in TextWidth.truncatedHead(path, toColumns: max(12, columns / 4)) } ?? path,
      paint: style.dim)
  }

  /// - Parameter columns: The width of the entire line, if limited: a long type leaves room for the rest.
  static func heading(_ record: LogRecord, style: Style, columns: Int? = nil) -> [TextTable.Cell] {
    [
      .init(record.isControl ? "" : String(record.revision), paint: style.cyan),
      .init(time(record.time), paint: style.dim),
      .init(type(of: record, columns: columns), paint: record.isControl ? style.dim : style.bold),
    ]
  }

  private static func type(of record: LogRecord, columns: Int?) -> String {
    columns.map { columns in texts(of: record.type, columns: columns).leaf } ?? record.type
  }

  /// The last part of a type for a line of limited width, and what is in front of it.
  static func texts(of type: String, columns: Int) -> (leaf: String, place: String) {
    (TextWidth.truncated(ShortName.leaf(type), toColumns: max(16, columns * 3 / 8)), ShortName.place(type))
  }

  /// Adds the row of a record in a list: revision, time, type, actor; and the cause, the data and other metadata of the log.
  ///
  /// The cause is first, as an arrow to its revision: `← 12  {"orderID":"Order#1"}`. Long data cannot push it off the line.
  ///
  /// - Parameters:
  ///   - first: The cells before them.
  ///   - clock: The time, if a heading has the day.
  ///   - texts: Those of the type, if the caller keeps them.
  ///   - columns: The width of a line, if limited. Such a line is for people: it has the last part of the type, and the values of the
  ///     data without names and braces.
  static func append(
    _ record: LogRecord, after first: [TextTable.Cell] = [], at clock: String? = nil,
    texts: (leaf: String, place: String)? = nil, to table: inout PagedTable, style: Style, columns: Int?
  ) throws {
    let remarks = try Remarks(record.meta)
    let isColored = style.isColored
    // Read before the closures, each of which would copy the record.
    let (isControl, isSkipped, revision, time) = (record.isControl, record.isSkipped, record.revision, record.time)
    let texts = texts ?? columns.map { columns in Self.texts(of: record.type, columns: columns) }
    let (type, place, data) = (texts?.leaf ?? record.type, texts?.place ?? "", record.dataBytes)
    let summary = columns.map { columns in ActionSummary(data, limitBytes: bytesPerColumn * columns) }
    let isFailure = summary?.failureStart != nil
    try table.appendRow { row in
      for cell in first { row.append(cell) }
      row.appendCell(paint: isColored ? style.cyan : nil) { bytes in
        if !isControl { appendDecimal(revision, to: &bytes) }
      }
      row.appendCell(paint: isColored ? style.dim : nil) { bytes in
        if let clock { bytes += clock.utf8 } else { appendTime(time, to: &bytes) }
      }
      row.appendCell(paint: isColored ? isControl ? style.dim : style.bold : nil) { bytes in bytes += type.utf8 }
      row.appendCell(paint: isColored ? style.yellow : nil) { bytes in bytes += remarks.actor.utf8 }
      let paint = isControl || isSkipped ? style.dim : isFailure ? style.red : nil
      row.appendCell(paint: isColored ? paint : nil) { bytes in
        if isSkipped { bytes += "skipped ".utf8 }
        appendValues(summary?.bytes[...] ?? (data.count > 2 ? data : []), remarks, place, to: &bytes)
      }
    }
  }

  static let alignments: [TextTable.Alignment] = [.right, .left, .left, .left, .left]

  private struct Remarks {
    var actor = ""
    var cause: Int?
    var rest = ""

    init(_ meta: [UInt8]?) throws(JSONError) {
      guard let meta, case .object(var object) = try JSONValue(parsing: meta) else { return }
      if case .string(let name)? = object["actor"] {
        actor = name
        object["actor"] = nil
      }
      if case .number(let number)? = object["cause"], let revision = number.int {
        cause = revision
        object["cause"] = nil
      }
      if !object.isEmpty { rest = "meta \(JSONValue.object(object))" }
    }
  }

  private static func appendValues(
    _ values: ArraySlice<UInt8>, _ remarks: Remarks, _ place: String, to bytes: inout [UInt8]
  ) {
    let start = bytes.count
    func add(_ part: some Collection<UInt8>) {
      if !part.isEmpty { bytes += (bytes.count > start ? Array("  ".utf8) : []) + part }
    }
    if let cause = remarks.cause { add("← \(cause)".utf8) }
    add(values)
    add(remarks.rest.utf8)
    if !place.isEmpty { add("in \(place)".utf8) }
  }

  private static func appendTime(_ time: LogTime, to bytes: inout [UInt8]) {
    let start = bytes.count
    time.append(to: &bytes)
    bytes.removeLast(4)
    bytes[start + 10] = UInt8(ascii: " ")
  }

  static func appendDecimal(_ value: Int, to bytes: inout [UInt8]) {
    if value >= 10 { appendDecimal(value / 10, to: &bytes) }
    bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
  }

  /// The bytes of a summary for a column of the screen: letters of any script take at most two, as pictographs do. What is beyond the
  /// screen costs as much as what is seen, because its width is measured.
  private static let bytesPerColumn = 2
}

extension CommandContext {
  /// Prints exported bytes: unchanged to a program, and with control characters escaped on a terminal.
  func printExported(_ bytes: [UInt8]) throws(ToolStreamError) {
    guard output.isTerminal else { return try output.write(bytes) }
    try output.text(TerminalText.escapingLines(String(decoding: bytes, as: UTF8.self)))
  }
}
