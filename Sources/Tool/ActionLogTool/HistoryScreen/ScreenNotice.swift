import TerminalUI

/// What is said at the bottom of a screen: a text, and above it perhaps the line that it is about, with a sign below the character.
struct ScreenNotice {
  /// A line that was typed.
  struct Line {
    var text: StyledText
    /// The column of the character that is pointed at.
    var column: Int
  }

  private let line: Line?
  private let notice: Notice

  /// The line, and the row with the sign.
  private static let lineRows = 2

  /// - Parameters:
  ///   - text: The text.
  ///   - line: What it is about.
  init(_ text: String, about line: Line? = nil, style: CellStyle) {
    notice = Notice(text, style: style)
    self.line = line
  }

  /// How many rows it takes.
  ///
  /// - Parameter canvas: The whole screen.
  @MainActor func rowCount(in canvas: Canvas) -> Int {
    notice.rowCount(in: canvas) + (line == nil ? 0 : Self.lineRows)
  }

  /// Whether nothing of it has to be left out.
  ///
  /// - Parameter canvas: The whole screen.
  @MainActor func fits(in canvas: Canvas) -> Bool {
    let rows = TextWrapping.lines(notice.text, columns: canvas.width).count
    guard rows <= notice.rowCount(in: canvas) else { return false }
    guard let line else { return true }
    return line.text.width <= canvas.width && rowCount(in: canvas) <= canvas.height / 3
  }

  /// Draws as much of it as there is room for.
  ///
  /// - Parameter canvas: Where it is drawn.
  @MainActor func draw(in canvas: Canvas) {
    guard let line else { return notice.draw(in: canvas) }
    canvas.write(line.text, row: 0)
    canvas.write(StyledText("^", CellStyle(.red, .bold)), row: 1, column: line.column)
    notice.draw(in: canvas.part(row: Self.lineRows))
  }
}
