import TextDisplay

/// A rectangle of the screen to draw on, with columns and rows counted from its own top left.
///
/// A canvas is handed out for one drawing; parts of it (``rows(_:)``, ``columns(_:separator:)``, ``inset(_:)``) draw on the
/// same screen. What lies outside is cut off, so a screen that is too small is never an error. Control characters are
/// shown as escapes: text from a file cannot take over the terminal.
@MainActor public struct Canvas {
  /// The screen that all canvases of one drawing share.
  @MainActor final class Surface {
    var buffer: ScreenBuffer

    init(size: TerminalSize) {
      buffer = ScreenBuffer(size: size)
    }
  }

  let surface: Surface
  private let top: Int
  private let left: Int
  /// How many columns there are; 0 when there is no room at all.
  public let width: Int
  /// How many rows there are; 0 when there is no room at all.
  public let height: Int

  /// The whole of a new screen.
  init(size: TerminalSize) {
    self.init(surface: Surface(size: size), top: 0, left: 0, width: size.columns, height: size.rows)
  }

  private init(surface: Surface, top: Int, left: Int, width: Int, height: Int) {
    self.surface = surface
    self.top = top
    self.left = left
    self.width = max(0, width)
    self.height = max(0, height)
  }

  /// A rectangle inside this one; what would stick out is cut off.
  ///
  /// - Parameters:
  ///   - row: Its first row, at least 0.
  ///   - column: Its first column, at least 0.
  ///   - width: How many columns it has; `nil` for all that are left.
  ///   - height: How many rows it has; `nil` for all that are left.
  public func part(row: Int = 0, column: Int = 0, width: Int? = nil, height: Int? = nil) -> Canvas {
    let row = min(max(0, row), self.height)
    let column = min(max(0, column), self.width)
    return Canvas(
      surface: surface, top: top + row, left: left + column,
      width: min(width ?? .max, self.width - column), height: min(height ?? .max, self.height - row))
  }
}

// MARK: - Drawing

extension Canvas {
  /// Writes text in one row, cut off where the canvas ends; what was cut is told by an ellipsis.
  ///
  /// - Parameters:
  ///   - text: What is written.
  ///   - row: The row, from 0; outside the canvas nothing is written.
  ///   - column: The column of the first character, from 0.
  ///   - style: How it stands out, where the text does not say it.
  /// - Returns: The column after the last character.
  /// - Complexity: O(length of the text).
  @discardableResult
  public func write(_ text: StyledText, row: Int, column: Int = 0, style: CellStyle = .plain) -> Int {
    guard row >= 0, row < height, column >= 0, column < width else { return column }
    var place = column
    for span in text.truncated(to: width - column).spans {
      for character in TerminalText.escaping(span.text) {
        place += put(character, row: row, column: place, style: style.adding(span.style))
      }
    }
    return place
  }

  /// Writes text so that it ends in the last column.
  ///
  /// - Parameters:
  ///   - text: What is written.
  ///   - row: The row, from 0; outside the canvas nothing is written.
  ///   - style: How it stands out, where the text does not say it.
  public func writeTrailing(_ text: StyledText, row: Int, style: CellStyle = .plain) {
    write(text, row: row, column: max(0, width - text.width), style: style)
  }

  /// Writes text in the middle of a row.
  ///
  /// - Parameters:
  ///   - text: What is written.
  ///   - row: The row, from 0; outside the canvas nothing is written.
  ///   - style: How it stands out, where the text does not say it.
  public func writeCentred(_ text: StyledText, row: Int, style: CellStyle = .plain) {
    write(text, row: row, column: max(0, (width - text.width) / 2), style: style)
  }

  /// Writes text of any length, wrapped between words.
  ///
  /// - Parameters:
  ///   - text: What is written; line feeds begin a new row.
  ///   - row: The first row, from 0.
  ///   - style: How it stands out.
  /// - Returns: The row after the last one.
  @discardableResult
  public func paragraph(_ text: String, row: Int = 0, style: CellStyle = .plain) -> Int {
    var row = row
    for line in TextWrapping.lines(text, columns: width) {
      write(StyledText(line), row: row, style: style)
      row += 1
    }
    return row
  }

  /// Gives every cell a style, and writes spaces.
  ///
  /// - Parameter style: The style.
  public func fill(_ style: CellStyle = .plain) {
    for row in 0..<height {
      for column in 0..<width { put(" ", row: row, column: column, style: style) }
    }
  }

  /// Adds a style to the cells of a row, whatever is written there.
  ///
  /// - Parameters:
  ///   - row: The row; outside the canvas nothing happens.
  ///   - style: What is added.
  public func highlight(row: Int, style: CellStyle) {
    guard row >= 0, row < height else { return }
    for column in 0..<width {
      surface.buffer.restyle(row: top + row, column: left + column) { present in present.adding(style) }
    }
  }

  /// Shows the cursor, for instance in a field that is being typed into. At most one is shown, the last.
  ///
  /// - Parameters:
  ///   - row: The row; outside the canvas nothing happens.
  ///   - column: The column; one that is too far right becomes the last.
  public func placeCursor(row: Int, column: Int) {
    guard row >= 0, row < height, width > 0 else { return }
    surface.buffer.cursor = .init(row: top + row, column: left + min(max(0, column), width - 1))
  }

  /// Draws a frame around the canvas.
  ///
  /// - Parameters:
  ///   - title: Written into the upper edge.
  ///   - style: How the frame stands out.
  /// - Returns: What is inside.
  @discardableResult
  public func box(_ title: StyledText = "", style: CellStyle = .plain) -> Canvas {
    guard width >= 2, height >= 2 else { return part(width: 0, height: 0) }
    let edge = String(repeating: "─", count: width - 2)
    write(StyledText("┌" + edge + "┐"), row: 0, style: style)
    for row in 1..<height - 1 {
      put("│", row: row, column: 0, style: style)
      put("│", row: row, column: width - 1, style: style)
    }
    write(StyledText("└" + edge + "┘"), row: height - 1, style: style)
    if !title.spans.isEmpty {
      part(row: 0, column: 2, width: width - 4, height: 1).write(" " + title + " ", row: 0, style: style)
    }
    return inset(1)
  }

  @discardableResult
  func put(_ character: Character, row: Int, column: Int, style: CellStyle) -> Int {
    var character = character
    var columns = TextWidth.of(character)
    if columns == 0 {
      // What combines with nothing is shown with the circle that stands for a missing letter.
      character = Character("\u{25CC}" + String(character))
      columns = 1
    }
    guard column + columns <= width else { return columns }
    surface.buffer.put(character, width: columns, style: style, row: top + row, column: left + column)
    return columns
  }
}
