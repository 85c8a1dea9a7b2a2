import TerminalUI

/// Rows in aligned columns, two spaces apart. The last column is as wide as its text; an empty column is omitted.
///
/// Text may come from a log, a feed or a server, so control characters are escaped.
package struct TextTable {
  package enum Alignment { case left, right }

  /// A text with the style to apply after padding.
  package struct Cell {
    /// The text with control characters escaped.
    fileprivate let text: String
    fileprivate let width: Int
    fileprivate let paint: (@Sendable (String) -> String)?

    /// - Complexity: O(length of the text).
    init(_ text: String, paint: (@Sendable (String) -> String)? = nil) {
      self.text = TerminalText.escaping(text)
      width = TextWidth.of(self.text)
      self.paint = paint
    }

    /// The length of the text in UTF-8.
    var byteCount: Int { text.utf8.count }
  }

  /// The number of spaces between two columns.
  private static let gap = 2
  private static let space = UInt8(ascii: " ")

  private let alignments: [Alignment]
  private var rows: [[Cell]] = []
  private var widths: [Int]

  package init(_ alignments: [Alignment]) {
    self.alignments = alignments
    self.widths = alignments.map { _ in 0 }
  }

  var rowCount: Int { rows.count }

  mutating func append(_ cells: [Cell]) {
    precondition(cells.count == alignments.count, "a row has one cell per column")
    rows.append(cells)
    for (column, cell) in cells.enumerated() { widths[column] = max(widths[column], cell.width) }
  }

  package mutating func append(_ texts: [String]) {
    append(texts.map { text in Cell(text) })
  }

  /// Removes the rows and keeps the widths of the columns.
  mutating func removeRows() {
    rows = []
  }

  /// The rows as lines, without trailing spaces.
  ///
  /// - Parameters:
  ///   - indent: Spaces before each line.
  ///   - columns: The width at which lines are truncated; `nil` for no limit.
  /// - Complexity: O(size of the table).
  package func lines(indent: Int = 0, columns: Int? = nil) -> [String] {
    rows.map { row in
      var line: [UInt8] = []
      append(row, indent: indent, columns: columns, to: &line)
      return String(decoding: line, as: UTF8.self)
    }
  }

  /// Appends the rows as lines, each with a line feed, without trailing spaces.
  ///
  /// - Parameters:
  ///   - columns: The width at which lines are truncated; `nil` for no limit.
  ///   - bytes: The bytes to append to.
  /// - Complexity: O(size of the table).
  func appendLines(columns: Int?, to bytes: inout [UInt8]) {
    for row in rows {
      append(row, indent: 0, columns: columns, to: &bytes)
      bytes.append(0x0A)
    }
  }

  private func append(_ row: [Cell], indent: Int, columns: Int?, to line: inout [UInt8]) {
    let start = line.count
    let lastFilled = row.lastIndex { cell in cell.width > 0 } ?? -1
    line.append(contentsOf: repeatElement(Self.space, count: indent))
    var room = columns.map { columns in max(0, columns - indent) } ?? .max
    var isFirst = true
    for (column, cell) in row.enumerated() where column <= lastFilled && room > 0 && widths[column] > 0 {
      if !isFirst {
        line.append(contentsOf: repeatElement(Self.space, count: Self.gap))
        room -= Self.gap
      }
      isFirst = false
      var (text, width) = (cell.text, cell.width)
      if width > room {
        text = TextWidth.truncated(text, toColumns: max(0, room))
        width = TextWidth.of(text)
      }
      let padding = repeatElement(Self.space, count: max(0, widths[column] - width))
      if alignments[column] == .right { line.append(contentsOf: padding) }
      line.append(contentsOf: (cell.paint.map { paint in paint(text) } ?? text).utf8)
      if alignments[column] == .left, column != lastFilled { line.append(contentsOf: padding) }
      room -= max(widths[column], width)
    }
    // A truncated line may end in padding.
    while line.count > start, line.last == Self.space { line.removeLast() }
  }
}

/// A table of any length that is printed in pages: columns are aligned within a page, and never become narrower.
struct PagedTable {
  /// Large enough that columns rarely move, and small enough that the first rows appear at once.
  private static let pageRows = 200
  /// The maximum size of a page: rows can be as long as the lines of a log.
  private static let pageBytes = 1 << 20

  private let printer: Printer
  /// The width at which lines are truncated; `nil` for no limit.
  private let columns: Int?
  private var table: TextTable
  /// The size of the pending rows.
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

  /// Prints the pending rows.
  mutating func flush() throws(ToolStreamError) {
    var lines: [UInt8] = []
    lines.reserveCapacity(2 * bytes)
    table.appendLines(columns: columns, to: &lines)
    try printer.write(lines)
    table.removeRows()
    bytes = 0
  }
}
