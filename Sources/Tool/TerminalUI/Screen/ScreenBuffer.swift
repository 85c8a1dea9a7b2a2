import TextDisplay

/// A whole screen as a value: a grid of cells, and the place of the cursor if it is shown.
///
/// Columns and rows are counted from 0 at the top left. Nothing can be written outside: it is cut off.
public struct ScreenBuffer: Hashable, Sendable {
  /// A place on the screen.
  public struct Position: Hashable, Sendable {
    /// The row, from 0 at the top.
    public var row: Int
    /// The column, from 0 at the left.
    public var column: Int

    /// Makes a place.
    ///
    /// - Parameters:
    ///   - row: The row, from 0 at the top.
    ///   - column: The column, from 0 at the left.
    public init(row: Int, column: Int) {
      self.row = row
      self.column = column
    }
  }

  /// How large it is.
  public let size: TerminalSize
  /// Where the cursor blinks; `nil` when it is hidden.
  public internal(set) var cursor: Position?
  private var cells: [ScreenCell]

  /// Makes a screen on which nothing is.
  ///
  /// - Parameter size: How large it is.
  public init(size: TerminalSize) {
    self.size = size
    cells = Array(repeating: .blank, count: size.columns * size.rows)
  }

  /// A cell.
  ///
  /// - Parameters:
  ///   - row: The row, from 0 at the top; it must be on the screen.
  ///   - column: The column, from 0 at the left; it must be on the screen.
  public subscript(row: Int, column: Int) -> ScreenCell {
    precondition(column >= 0 && column < size.columns, "there is no such column")
    return cells[row * size.columns + column]
  }

  /// The rows as text, without styles and without spaces at their ends.
  ///
  /// - Complexity: O(number of cells).
  public var lines: [String] {
    (0..<size.rows).map { row in
      var line = ""
      for cell in cells[row * size.columns..<(row + 1) * size.columns] where cell.width > 0 {
        line.append(cell.character)
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// The whole screen as text: its ``lines``, each with a line feed, but for empty ones at the end.
  ///
  /// - Complexity: O(number of cells).
  public var text: String {
    var lines = lines
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines.map { line in line + "\n" }.joined()
  }

  func cells(inRow row: Int) -> ArraySlice<ScreenCell> {
    cells[row * size.columns..<(row + 1) * size.columns]
  }

  /// Puts a character down, whose columns must all be on the screen.
  mutating func put(_ character: Character, width: Int, style: CellStyle, row: Int, column: Int) {
    let index = row * size.columns + column
    clearHalves(from: index, count: width, row: row)
    cells[index] = ScreenCell(character: character, style: style, width: width)
    if width == 2 { cells[index + 1] = ScreenCell(character: " ", style: style, width: 0) }
  }

  /// Changes the style of a cell, whatever stands there.
  mutating func restyle(row: Int, column: Int, _ change: (CellStyle) -> CellStyle) {
    let index = row * size.columns + column
    cells[index].style = change(cells[index].style)
  }

  /// Half a wide character cannot be shown: what is cut by writing over the other half becomes a space.
  private mutating func clearHalves(from index: Int, count: Int, row: Int) {
    if cells[index].width == 0 { blank(index - 1) }
    let next = index + count
    if next < (row + 1) * size.columns, cells[next].width == 0 { blank(next) }
  }

  private mutating func blank(_ index: Int) {
    cells[index].character = " "
    cells[index].width = 1
  }
}
