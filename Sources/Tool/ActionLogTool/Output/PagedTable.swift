/// A table of any length that is printed as it grows: columns are aligned within a page, and never become narrower.
struct PagedTable {
  /// Enough rows that columns rarely jump, few enough that the first ones appear at once.
  private static let pageRows = 200
  /// 1 MiB: rows are as long as the lines of a log can be, and a page of those would be gigabytes.
  private static let pageBytes = 1 << 20

  private let printer: Printer
  /// Lines are cut to this many columns, if to any.
  private let columns: Int?
  private var table: TextTable
  /// What the texts of the rows that wait take.
  private var bytes = 0

  init(_ alignments: [TextTable.Alignment], printer: Printer, columns: Int?) {
    self.printer = printer
    self.columns = columns
    self.table = TextTable(alignments)
  }

  mutating func append(_ cells: [TextTable.Cell]) throws(ToolStreamError) {
    table.append(cells)
    bytes += cells.reduce(0) { sum, cell in sum + cell.byteCount }
    if table.rowCount >= Self.pageRows || bytes >= Self.pageBytes { try flush() }
  }

  /// Prints the rows that wait.
  mutating func flush() throws(ToolStreamError) {
    var lines: [UInt8] = []
    lines.reserveCapacity(2 * bytes)
    table.appendLines(columns: columns, to: &lines)
    try printer.write(lines)
    table.removeRows()
    bytes = 0
  }
}
