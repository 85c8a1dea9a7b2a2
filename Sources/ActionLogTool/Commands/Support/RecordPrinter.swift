import ActionLog
import JSONCoding

/// Prints records one after the other: a table for people, JSON lines for programs.
struct RecordPrinter {
  private let context: CommandContext
  private var table: PagedTable

  init(_ context: CommandContext) {
    self.context = context
    self.table = PagedTable(RecordText.alignments, printer: context.output, columns: context.outputColumns)
  }

  mutating func print(_ record: LogRecord) throws {
    if context.isJSON {
      try context.output.json(.object(try RecordText.json(record)))
    } else {
      try table.append(try RecordText.cells(record, style: context.output.style))
    }
  }

  /// Prints what waits for its page to be full.
  mutating func finish() throws(ToolStreamError) {
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
