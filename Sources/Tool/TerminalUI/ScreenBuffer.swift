/// The size of a screen in characters.
public struct TerminalSize: Hashable, Sendable {
  /// The number of columns, 1…2 000.
  public let columns: Int
  /// The number of rows, 1…1 000.
  public let rows: Int

  /// 80 columns and 24 rows: the size of a terminal that does not report its size.
  public static let standard = TerminalSize(columns: 80, rows: 24)

  /// Limits far above every screen, so that a terminal that reports a huge size cannot exhaust the memory.
  private static let columnLimit = 2_000
  private static let rowLimit = 1_000

  /// Creates a size, clamped to the limits.
  public init(columns: Int, rows: Int) {
    self.columns = min(max(1, columns), Self.columnLimit)
    self.rows = min(max(1, rows), Self.rowLimit)
  }
}

/// A cell of the screen: a character and its style.
package struct ScreenCell: Hashable, Sendable {
  /// The character. The other columns of a wide character contain spaces that are not sent.
  package internal(set) var character: Character
  package internal(set) var style: CellStyle
  /// The width in columns, and 0 for the columns of a wide character after its first one.
  package internal(set) var width: Int

  package static let blank = ScreenCell(character: " ", style: .plain, width: 1)
}

/// The contents of a screen: a grid of cells, and the position of the cursor.
///
/// Columns and rows are counted from 0 at the top left.
package struct ScreenBuffer: Hashable, Sendable {
  package struct Position: Hashable, Sendable {
    package var row: Int
    package var column: Int

    package init(row: Int, column: Int) {
      self.row = row
      self.column = column
    }
  }

  package let size: TerminalSize
  /// The position of the cursor; `nil` if it is hidden.
  package internal(set) var cursor: Position?
  private var cells: [ScreenCell]

  package init(size: TerminalSize) {
    self.size = size
    cells = Array(repeating: .blank, count: size.columns * size.rows)
  }

  package subscript(row: Int, column: Int) -> ScreenCell {
    precondition(column >= 0 && column < size.columns, "column \(column) is outside of the screen")
    return cells[row * size.columns + column]
  }

  /// The rows as text, without styles and trailing spaces.
  package var lines: [String] {
    (0..<size.rows).map { row in
      var line = ""
      for cell in cells[row * size.columns..<(row + 1) * size.columns] where cell.width > 0 {
        line.append(cell.character)
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// The screen as text: its ``lines`` without empty ones at the end, each with a line feed.
  package var text: String {
    var lines = lines
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines.map { line in line + "\n" }.joined()
  }

  func cells(inRow row: Int) -> ArraySlice<ScreenCell> {
    cells[row * size.columns..<(row + 1) * size.columns]
  }

  /// Writes a character. All of its columns must be on the screen.
  mutating func put(_ character: Character, width: Int, style: CellStyle, row: Int, column: Int) {
    let index = row * size.columns + column
    blankCharacter(covering: index)
    blankCharacter(covering: index + width - 1)
    cells[index] = ScreenCell(character: character, style: style, width: width)
    for next in index + 1..<index + width { cells[next] = ScreenCell(character: " ", style: style, width: 0) }
  }

  mutating func restyle(row: Int, column: Int, _ change: (CellStyle) -> CellStyle) {
    let index = row * size.columns + column
    cells[index].style = change(cells[index].style)
  }

  /// Replaces a partly overwritten character with spaces.
  private mutating func blankCharacter(covering index: Int) {
    var start = index
    while cells[start].width == 0 { start -= 1 }
    for place in start..<start + cells[start].width {
      cells[place].character = " "
      cells[place].width = 1
    }
  }
}
