/// A text that is to be read as a whole, in as many rows as it takes: an error above the line of keys.
///
/// ```swift
/// let notice = Notice(problem, style: .color(.red))
/// let rows = canvas.rows(.flexible(), .fixed(notice.rowCount(in: canvas)), .fixed(1))
/// notice.draw(in: rows[1])
/// ```
public struct Notice: Hashable, Sendable {
  /// What stands there.
  public let text: String
  /// How it stands out.
  public let style: CellStyle

  /// What is longer says no more to a person, and the rest of the screen has to be seen, too.
  private static let rowLimit = 8

  /// Makes a notice.
  ///
  /// - Parameters:
  ///   - text: What stands there; empty for a row that is kept free.
  ///   - style: How it stands out.
  public init(_ text: String, style: CellStyle = .plain) {
    self.text = text
    self.style = style
  }

  /// How many rows it takes on a screen: one at least, a third of them at most.
  ///
  /// - Parameter canvas: The whole screen.
  /// - Complexity: O(length of the text).
  @MainActor public func rowCount(in canvas: Canvas) -> Int {
    let lines = TextWrapping.lines(text, columns: canvas.width)
    return max(1, min(lines.count, Self.rowLimit, canvas.height / 3))
  }

  /// Draws as much of it as there is room for; what is cut ends with `…`.
  ///
  /// - Parameter canvas: Where it is drawn.
  @MainActor public func draw(in canvas: Canvas) {
    let lines = TextWrapping.lines(text, columns: canvas.width)
    for (row, line) in lines.prefix(canvas.height).enumerated() {
      // What is left over in the last row is too long for it, and cut there.
      let isLast = row == canvas.height - 1
      canvas.write(StyledText(isLast ? lines[row...].joined(separator: " ") : line, style), row: row)
    }
  }
}
