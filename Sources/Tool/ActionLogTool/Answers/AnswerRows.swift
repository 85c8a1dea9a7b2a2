import ActionLog

/// The form of an item of a list: its JSON, and its row in a table.
package struct AnswerRow<Item>: Sendable {
  /// The meaning of a line of the answer in JSON.
  let help: String
  let shape: AnswerShape<Item>
  /// The names of the columns, which are a row of their own; empty for none.
  var heading: [String] = []
  let columns: [TextTable.Alignment]
  /// Whether a row has at most the width of the terminal.
  var isTruncated = true
  let append: @Sendable (Item, inout PagedTable, CommandContext) throws -> Void

  var schema: AnswerSchema { shape.schema.orEnd(help) }
}

extension AnswerRow<LogRecord> {
  static func action(_ help: String) -> AnswerRow {
    AnswerRow(help: help, shape: .action, columns: RecordText.alignments) { record, table, context in
      try RecordText.append(record, to: &table, style: context.output.style, columns: context.outputColumns)
    }
  }
}

/// The items of an answer on their way to the output.
package struct AnswerRows<Item> {
  private let row: AnswerRow<Item>
  private let context: CommandContext
  private var table: PagedTable
  private(set) var count = 0

  init(_ row: AnswerRow<Item>, _ context: CommandContext) {
    (self.row, self.context) = (row, context)
    table = PagedTable(
      row.columns, printer: context.output, columns: row.isTruncated ? context.outputColumns : nil)
  }

  /// Adds an item, and returns whether to continue: a bounded answer is full at some point.
  package mutating func add(_ item: Item) throws -> Bool {
    count += 1
    if context.isJSON {
      try context.output.json(row.shape.json(item))
    } else {
      if count == 1, !row.heading.isEmpty {
        try table.append(row.heading.map { name in .init(name, paint: context.output.style.dim) })
      }
      try row.append(item, &table, context)
    }
    return !isFull
  }

  /// Whether the bounds of the answer are met, so that further items are dropped.
  var isFull: Bool { context.output.boundedAnswer?.isFull == true }

  mutating func finish() throws { try table.flush() }
}
