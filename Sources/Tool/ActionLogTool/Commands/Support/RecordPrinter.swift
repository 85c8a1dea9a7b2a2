package import ActionLog
import Interchange
import JSONCoding
import TextDisplay

extension CommandOption {
  static let csv = flag("csv", "print comma-separated values: seq, time, type, actor, data, meta")
}

/// Prints records one after the other: a table for people, JSON lines for programs, comma-separated values for spreadsheets.
package struct RecordPrinter {
  private let context: CommandContext
  /// The log to name in each line; `nil` when there is only one.
  private let path: String?
  private var table: PagedTable
  private var csv = CSVExport(includesControl: true)
  private var isFirst = true

  /// - Parameter path: The log to name in each line, which is then JSON; `nil` when there is only one log.
  package init(_ context: CommandContext, naming path: String? = nil) {
    self.context = context
    self.path = path
    self.table = PagedTable(RecordText.alignments, printer: context.output, columns: context.outputColumns)
  }

  package mutating func print(_ record: LogRecord) throws {
    if context.arguments.has(.csv) { return try printCSV(record) }
    guard context.isJSON || path != nil else {
      try table.append(try RecordText.cells(record, style: context.output.style, columns: context.outputColumns))
      return
    }
    var object = try RecordText.json(record)
    object["path"] = path.map(JSONValue.string)
    try context.output.json(.object(object))
  }

  private mutating func printCSV(_ record: LogRecord) throws {
    try beginCSV()
    var bytes: [UInt8] = []
    try csv.append(record, into: &bytes)
    try context.printExported(bytes)
  }

  /// The names of the columns: a table without rows has them, too.
  private mutating func beginCSV() throws(ToolStreamError) {
    guard isFirst else { return }
    isFirst = false
    var bytes: [UInt8] = []
    csv.begin(into: &bytes)
    try context.printExported(bytes)
  }

  /// Prints what waits for its page to be full.
  package mutating func finish() throws(ToolStreamError) {
    if context.arguments.has(.csv) { try beginCSV() }
    try table.flush()
  }
}

/// The last few of many records.
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

  /// In the order in which they came.
  var records: [LogRecord] { Array(ring[next...] + ring[..<next]) }
}
