package import ActionLog
import JSONCoding

/// Prints records one after the other: a table for people, JSON lines for programs.
package struct RecordPrinter {
  private let context: CommandContext
  /// The log to name in each line; `nil` when there is only one.
  private let path: String?
  private var table: PagedTable

  /// - Parameter path: The log to name in each line, which is then JSON; `nil` when there is only one log.
  package init(_ context: CommandContext, naming path: String? = nil) {
    self.context = context
    self.path = path
    self.table = PagedTable(RecordText.alignments, printer: context.output, columns: context.outputColumns)
  }

  package mutating func print(_ record: LogRecord) throws {
    guard context.isJSON || path != nil else {
      try table.append(try RecordText.cells(record, style: context.output.style, columns: context.outputColumns))
      return
    }
    var object = try RecordText.json(record)
    object["log"] = path.map(JSONValue.string)
    try context.output.json(.object(object))
  }

  /// Prints what waits for its page to be full.
  package mutating func finish() throws(ToolStreamError) {
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
