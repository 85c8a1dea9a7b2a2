/// A rectangle of the screen to draw on, with its own coordinates from its top left corner.
///
/// A canvas is valid for one drawing. Its parts (``rows(_:)``, ``columns(_:separator:)``) draw on the same
/// screen. Drawing is clipped to the canvas, so a screen that is too small is never an error. Control characters are escaped:
/// text from a file cannot control the terminal.
@MainActor public struct Canvas {
  @MainActor final class Surface {
    var buffer: ScreenBuffer

    init(size: TerminalSize) {
      buffer = ScreenBuffer(size: size)
    }
  }

  let surface: Surface
  private let top: Int
  private let left: Int
  /// The number of columns; can be 0.
  public let width: Int
  /// The number of rows; can be 0.
  public let height: Int

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

  /// A rectangle inside this canvas, clipped to it; `nil` is all that remains.
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
  /// Writes text in one row. Text that does not fit is truncated and ends with `…`.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - row: The row, from 0. Outside the canvas nothing is written.
  ///   - column: The column of the first character, from 0.
  ///   - style: The style that the styles of the text are added to.
  /// - Returns: The column after the last character.
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

  /// Writes right-aligned text.
  public func writeTrailing(_ text: StyledText, row: Int, style: CellStyle = .plain) {
    write(text, row: row, column: max(0, width - text.width), style: style)
  }

  /// Draws arrows at the right edge if a list has more rows above or below the visible ones.
  package func markRest(of count: Int, from first: Int) {
    guard height > 0, width > 2 else { return }
    if first + height < count { writeTrailing("↓", row: height - 1, style: .dim) }
    if first > 0 { writeTrailing("↑", row: 0, style: .dim) }
  }

  /// Writes centered text.
  public func writeCentered(_ text: StyledText, row: Int, style: CellStyle = .plain) {
    write(text, row: row, column: max(0, (width - text.width) / 2), style: style)
  }

  /// Writes text over several rows, wrapped between words. A line feed begins a new row.
  ///
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

  /// Fills the canvas with spaces in a style.
  public func fill(_ style: CellStyle = .plain) {
    for row in 0..<height {
      for column in 0..<width { put(" ", row: row, column: column, style: style) }
    }
  }

  /// Adds a style to the cells of a row.
  public func highlight(row: Int, style: CellStyle) {
    guard row >= 0, row < height else { return }
    for column in 0..<width {
      surface.buffer.restyle(row: top + row, column: left + column) { present in present.adding(style) }
    }
  }

  /// Shows the cursor, for instance in a text field. The last call of a drawing wins.
  public func placeCursor(row: Int, column: Int) {
    guard row >= 0, row < height, width > 0 else { return }
    surface.buffer.cursor = .init(row: top + row, column: left + min(max(0, column), width - 1))
  }

  /// Draws a frame around the canvas, with the title in its upper edge.
  ///
  /// - Returns: The canvas inside the frame.
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
    return part(row: 1, column: 1, width: width - 2, height: height - 2)
  }

  @discardableResult
  func put(_ character: Character, row: Int, column: Int, style: CellStyle) -> Int {
    let columns = TextWidth.of(character)
    guard column + columns <= width else { return columns }
    let shown = TextWidth.onDottedCircle(character) ?? character
    surface.buffer.put(shown, width: columns, style: style, row: top + row, column: left + column)
    return columns
  }
}

/// The length of a part of a canvas.
public enum LayoutLength: Hashable, Sendable {
  /// A number of columns or rows, or fewer if there is no room.
  case fixed(Int)
  /// A share of the rest, in proportion to the weight, which is at least 1.
  case flexible(weight: Int = 1)

  static func divide(_ total: Int, into parts: [LayoutLength]) -> [Int] {
    var room = max(0, total)
    var weights = 0
    var lengths = parts.map { part -> Int in
      switch part {
      case .fixed(let length):
        let taken = min(max(0, length), room)
        room -= taken
        return taken
      case .flexible(let weight):
        weights += max(1, weight)
        return 0
      }
    }
    for (index, part) in parts.enumerated() {
      guard case .flexible(let weight) = part else { continue }
      // The last part gets the remainder.
      let share = room * max(1, weight) / weights
      lengths[index] = share
      room -= share
      weights -= max(1, weight)
    }
    return lengths
  }
}

extension Canvas {
  /// Divides the canvas into rows, from the top.
  public func rows(_ heights: LayoutLength...) -> [Canvas] {
    var row = 0
    return LayoutLength.divide(height, into: heights).map { height in
      defer { row += height }
      return part(row: row, height: height)
    }
  }

  /// Divides the canvas into columns, from the left.
  ///
  /// - Parameters:
  ///   - widths: The width of each part, from the left.
  ///   - separator: Whether to draw a line between the parts, with a space on either side.
  public func columns(_ widths: LayoutLength..., separator: Bool = false) -> [Canvas] {
    let gap = separator ? 3 : 0
    var column = 0
    return LayoutLength.divide(width - gap * (widths.count - 1), into: widths).enumerated().map { index, width in
      if separator, index > 0 {
        for row in 0..<height where column + 1 < self.width {
          put("│", row: row, column: column + 1, style: .dim)
        }
        column += gap
      }
      defer { column += width }
      return part(column: column, width: width)
    }
  }

  /// A rectangle in the middle of the canvas, for instance for a dialog. It is smaller if there is no room.
  public func centered(width: Int, height: Int) -> Canvas {
    let width = min(width, self.width)
    let height = min(height, self.height)
    return part(row: (self.height - height) / 2, column: (self.width - width) / 2, width: width, height: height)
  }
}
