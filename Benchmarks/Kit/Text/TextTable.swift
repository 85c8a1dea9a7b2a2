/// A table for people, as plain text or as Markdown.
package struct TextTable: Equatable, Sendable {
  /// The column headers.
  package var header: [String]
  /// The rows, each with as many cells as there are columns.
  package var rows: [[String]] = []
  /// The right-aligned columns.
  package var numeric: Set<Int>

  /// Begins a table.
  package init(_ header: [String], numeric: Set<Int> = []) {
    self.header = header
    self.numeric = numeric
  }

  /// Adds a row; cells that are missing are empty.
  package mutating func add(_ cells: [String]) {
    precondition(cells.count <= header.count, "a row has more cells than the table has columns")
    rows.append(cells + Array(repeating: "", count: header.count - cells.count))
  }

  /// The table with columns of even width.
  package var plain: String {
    let widths = header.indices.map { column in
      ([header] + rows).map { row in row[column].count }.max() ?? 0
    }
    return ([header] + rows).map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        line += numeric.contains(column) ? padding + cell : cell + padding
        if column < row.count - 1 { line += "  " }
      }
      while line.last == " " { line.removeLast() }
      return line
    }.joined(separator: "\n")
  }

  /// The table as Markdown.
  package var markdown: String {
    let rule = header.indices.map { column in numeric.contains(column) ? "--:" : "---" }
    return ([header, rule] + rows).map { row in
      "| " + row.map { cell in cell.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }.joined(separator: "\n")
  }
}
