/// Rows in aligned columns, two spaces apart. The last column is as wide as its text.
struct TextTable {
  enum Alignment { case left, right }

  /// A text, and how it is painted once it has been padded.
  struct Cell {
    var text: String
    var paint: (@Sendable (String) -> String)?

    init(_ text: String, paint: (@Sendable (String) -> String)? = nil) {
      self.text = text
      self.paint = paint
    }
  }

  private let alignments: [Alignment]
  private var rows: [[Cell]] = []

  init(_ alignments: [Alignment]) {
    self.alignments = alignments
  }

  mutating func append(_ cells: [Cell]) {
    precondition(cells.count == alignments.count, "a row has one cell per column")
    rows.append(cells)
  }

  mutating func append(_ texts: [String]) {
    append(texts.map { text in Cell(text) })
  }

  /// The rows as lines, without trailing spaces.
  ///
  /// - Parameter indent: Spaces before each line.
  /// - Complexity: O(size of the table).
  func lines(indent: Int = 0) -> [String] {
    let widths = alignments.indices.map { column in
      rows.reduce(0) { width, row in max(width, TextWidth.of(row[column].text)) }
    }
    return rows.map { row in
      String(repeating: " ", count: indent) + line(row, widths: widths)
    }
  }

  private func line(_ row: [Cell], widths: [Int]) -> String {
    let lastFilled = row.lastIndex { cell in !cell.text.isEmpty } ?? -1
    var line = ""
    for (column, cell) in row.enumerated() where column <= lastFilled {
      if column > 0 { line += "  " }
      let padding = String(repeating: " ", count: widths[column] - TextWidth.of(cell.text))
      let text = cell.paint.map { paint in paint(cell.text) } ?? cell.text
      switch alignments[column] {
      case .right: line += padding + text
      case .left: line += column == lastFilled ? text : text + padding
      }
    }
    return line
  }
}
