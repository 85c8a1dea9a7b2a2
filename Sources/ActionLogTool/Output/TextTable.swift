import TextDisplay

/// Rows in aligned columns, two spaces apart. The last column is as wide as its text; a column without text is left out.
///
/// Texts can come from a log, a feed or a server: characters that a terminal would obey are shown as escapes.
package struct TextTable {
  package enum Alignment { case left, right }

  /// A text, and how it is painted once it has been padded.
  package struct Cell {
    var text: String
    var paint: (@Sendable (String) -> String)?

    init(_ text: String, paint: (@Sendable (String) -> String)? = nil) {
      // What is escaped already stays as it is.
      self.text = TerminalText.escaping(text)
      self.paint = paint
    }
  }

  private static let gap = "  "

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
    for (column, cell) in cells.enumerated() { widths[column] = max(widths[column], TextWidth.of(cell.text)) }
  }

  package mutating func append(_ texts: [String]) {
    append(texts.map { text in Cell(text) })
  }

  /// Forgets the rows, but not how wide the columns were.
  mutating func removeRows() {
    rows = []
  }

  /// The rows as lines, without trailing spaces.
  ///
  /// - Parameters:
  ///   - indent: Spaces before each line.
  ///   - columns: Where lines are cut, if anywhere.
  /// - Complexity: O(size of the table).
  package func lines(indent: Int = 0, columns: Int? = nil) -> [String] {
    rows.map { row in line(row, indent: indent, columns: columns) }
  }

  private func line(_ row: [Cell], indent: Int, columns: Int?) -> String {
    let lastFilled = row.lastIndex { cell in !cell.text.isEmpty } ?? -1
    var line = String(repeating: " ", count: indent)
    var room = columns.map { columns in max(0, columns - indent) } ?? .max
    var isFirst = true
    for (column, cell) in row.enumerated() where column <= lastFilled && room > 0 && widths[column] > 0 {
      if !isFirst {
        line += Self.gap
        room -= Self.gap.count
      }
      isFirst = false
      let text = TextWidth.truncated(cell.text, toColumns: max(0, min(room, TextWidth.of(cell.text))))
      let padding = String(repeating: " ", count: max(0, widths[column] - TextWidth.of(text)))
      let painted = cell.paint.map { paint in paint(text) } ?? text
      switch alignments[column] {
      case .right: line += padding + painted
      case .left: line += column == lastFilled ? painted : painted + padding
      }
      room -= max(widths[column], TextWidth.of(text))
    }
    // A line that was cut may end in the padding of a column.
    while line.last == " " { line.removeLast() }
    return line
  }
}
