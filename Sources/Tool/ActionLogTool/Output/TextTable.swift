import TerminalUI

/// Rows in aligned columns, two spaces apart. The last column is as wide as its text; an empty column is omitted. Control characters
/// are escaped.
package struct TextTable {
  package enum Alignment { case left, right }

  /// A text with the style to apply after padding.
  package struct Cell {
    /// The text with control characters escaped.
    fileprivate let text: String
    fileprivate let width: Int
    fileprivate let paint: (@Sendable (String) -> String)?

    init(_ text: String, paint: (@Sendable (String) -> String)? = nil) {
      self.text = TerminalText.escaping(text)
      width = TextWidth.of(self.text)
      self.paint = paint
    }
  }

  /// A cell of a row that was added. Its text ends at `end` in the bytes of the table, and begins at the end of the cell before it.
  private struct StoredCell {
    let end: Int
    let width: Int
  }

  private static let gap = 2
  private static let space = UInt8(ascii: " ")

  private let alignments: [Alignment]
  /// The texts of all cells, one after the other, so that a row needs no memory of its own.
  private var bytes: [UInt8] = []
  private var cells: [StoredCell] = []
  /// The styles by the number of the cell. They are apart because most output has none, and copies of them count references.
  private var paints: [Int: @Sendable (String) -> String] = [:]
  private var widths: [Int]

  package init(_ alignments: [Alignment]) {
    self.alignments = alignments
    self.widths = alignments.map { _ in 0 }
  }

  /// Creates a table of labels and values. A label without a value has no row.
  init(facts: KeyValuePairs<String, String?>) {
    self.init([.left, .left])
    for case (let label, let value?) in facts { append([label, value]) }
  }

  var rowCount: Int { cells.count / alignments.count }

  var byteCount: Int { bytes.count }

  mutating func append(_ cells: [Cell]) {
    precondition(cells.count == alignments.count, "a row has one cell per column")
    for cell in cells { append(cell) }
  }

  package mutating func append(_ texts: [String]) {
    append(texts.map { text in Cell(text) })
  }

  mutating func append(_ cell: Cell) {
    bytes += cell.text.utf8
    add(width: cell.width, paint: cell.paint)
  }

  /// Adds the next cell of a row as the UTF-8 that `write` appends, without memory for text in printable ASCII.
  @inline(__always)
  mutating func appendCell(paint: (@Sendable (String) -> String)? = nil, _ write: (inout [UInt8]) -> Void) {
    let start = bytes.count
    write(&bytes)
    var width = bytes.count - start
    if !TerminalText.isPrintableASCII(bytes[start...]) {
      let text = TerminalText.escaping(String(decoding: bytes[start...], as: UTF8.self))
      bytes.removeSubrange(start...)
      bytes += text.utf8
      width = TextWidth.of(text)
    }
    add(width: width, paint: paint)
  }

  private mutating func add(width: Int, paint: (@Sendable (String) -> String)?) {
    let column = cells.count % alignments.count
    if let paint { paints[cells.count] = paint }
    cells.append(StoredCell(end: bytes.count, width: width))
    widths[column] = max(widths[column], width)
  }

  /// Removes the rows and keeps the widths of the columns.
  mutating func removeRows() {
    bytes.removeAll(keepingCapacity: true)
    cells.removeAll(keepingCapacity: true)
    paints.removeAll(keepingCapacity: true)
  }

  /// The rows as lines, without trailing spaces.
  package func lines(indent: Int = 0, columns: Int? = nil) -> [String] {
    (0..<rowCount).map { row in
      var line: [UInt8] = []
      append(row: row, indent: indent, columns: columns, to: &line)
      return String(decoding: line, as: UTF8.self)
    }
  }

  /// Appends the rows as lines, each with a line feed, without trailing spaces.
  func appendLines(columns: Int?, to output: inout [UInt8]) {
    for row in 0..<rowCount {
      append(row: row, indent: 0, columns: columns, to: &output)
      output.append(0x0A)
    }
  }

  private func append(row: Int, indent: Int, columns: Int?, to line: inout [UInt8]) {
    let first = row * alignments.count
    let lineStart = line.count
    var lastFilled = -1
    for column in alignments.indices where cells[first + column].width > 0 { lastFilled = column }
    line.append(contentsOf: repeatElement(Self.space, count: indent))
    var room = columns.map { columns in max(0, columns - indent) } ?? .max
    var isFirst = true
    var end = first > 0 ? cells[first - 1].end : 0
    for column in alignments.indices {
      let cell = cells[first + column]
      let text = end..<cell.end
      end = cell.end
      guard column <= lastFilled, room > 0, widths[column] > 0 else { continue }
      if !isFirst {
        line.append(contentsOf: repeatElement(Self.space, count: Self.gap))
        room -= Self.gap
      }
      isFirst = false
      let isCut = cell.width > room
      let cut =
        isCut ? TextWidth.truncated(String(decoding: bytes[text], as: UTF8.self), toColumns: max(0, room)) : ""
      let width = isCut ? TextWidth.of(cut) : cell.width
      let padding = repeatElement(Self.space, count: max(0, widths[column] - width))
      if alignments[column] == .right { line.append(contentsOf: padding) }
      if !paints.isEmpty, let paint = paints[first + column] {
        line.append(contentsOf: paint(isCut ? cut : String(decoding: bytes[text], as: UTF8.self)).utf8)
      } else if isCut {
        line.append(contentsOf: cut.utf8)
      } else {
        line.append(contentsOf: bytes[text])
      }
      if alignments[column] == .left, column != lastFilled { line.append(contentsOf: padding) }
      room -= max(widths[column], width)
    }
    // A truncated line may end in padding.
    while line.count > lineStart, line.last == Self.space { line.removeLast() }
  }
}

/// A table of any length that is printed in pages: columns are aligned within a page, and never become narrower.
struct PagedTable {
  /// Large enough that columns rarely move, and small enough that the first rows appear at once.
  private static let pageRows = 200
  /// The maximum size of a page: rows can be as long as the lines of a log.
  private static let pageBytes = 1 << 20

  private let printer: Printer
  private let columns: Int?
  private var table: TextTable

  init(_ alignments: [TextTable.Alignment], printer: Printer, columns: Int?) {
    self.printer = printer
    self.columns = columns
    self.table = TextTable(alignments)
  }

  mutating func append(_ cells: [TextTable.Cell]) throws(ToolStreamError) {
    table.append(cells)
    try flushIfFull()
  }

  /// Adds a row, whose cells `body` adds one by one.
  @inline(__always)
  mutating func appendRow(_ body: (inout TextTable) -> Void) throws(ToolStreamError) {
    body(&table)
    try flushIfFull()
  }

  private mutating func flushIfFull() throws(ToolStreamError) {
    if table.rowCount >= Self.pageRows || table.byteCount >= Self.pageBytes { try flush() }
  }

  mutating func flush() throws(ToolStreamError) {
    var lines: [UInt8] = []
    lines.reserveCapacity(2 * table.byteCount)
    table.appendLines(columns: columns, to: &lines)
    try printer.write(lines)
    table.removeRows()
  }
}
