/// A reversed row at the edge of a screen, with a title on the left and a status on the right.
public struct StatusLine: Hashable, Sendable {
  /// The text on the left, truncated if there is no room for both.
  public var leading: StyledText
  /// The text on the right, omitted if the row has no room for it.
  public var trailing: StyledText

  /// The fewest columns for the text on the left, including a gap of two spaces.
  private static let shortestLeading = 12

  /// Creates a line.
  public init(_ leading: StyledText, trailing: StyledText = "") {
    self.leading = leading
    self.trailing = trailing
  }

  /// Draws the line in the first row of a canvas.
  @MainActor public func draw(in canvas: Canvas) {
    let row = canvas.part(height: 1)
    row.fill(.reversed)
    let trailingWidth = trailing.width
    guard trailingWidth > 0, trailingWidth + Self.shortestLeading <= row.width else {
      row.write(leading, row: 0, style: .reversed)
      return
    }
    row.part(width: row.width - trailingWidth - 2).write(leading, row: 0, style: .reversed)
    row.writeTrailing(trailing, row: 0, style: .reversed)
  }
}

/// A row of tabs, for screens that show one of several panes.
public struct TabBar: Hashable, Sendable {
  /// The titles of the tabs.
  public var titles: [String]
  /// The index of the selected tab.
  public var selectedIndex: Int

  /// Creates a bar.
  public init(_ titles: [String], selectedIndex: Int = 0) {
    self.titles = titles
    self.selectedIndex = selectedIndex
  }

  /// Selects a tab: Tab and Shift-Tab wrap around, a digit selects a tab by its number.
  ///
  /// - Returns: Whether the tab bar uses the key.
  public mutating func handle(_ key: Key) -> Bool {
    guard !titles.isEmpty else { return false }
    switch key {
    case .tab: selectedIndex = (selectedIndex + 1) % titles.count
    case .backTab: selectedIndex = (selectedIndex + titles.count - 1) % titles.count
    case .character(let character):
      guard let number = character.wholeNumberValue, titles.indices.contains(number - 1) else { return false }
      selectedIndex = number - 1
    default: return false
    }
    return true
  }

  /// Draws the titles in one row, the selected one in brackets.
  @MainActor public func draw(in canvas: Canvas) {
    var text: StyledText = ""
    for (index, title) in titles.enumerated() {
      text += index == selectedIndex ? StyledText("[\(title)]", .reversed) : StyledText(" \(title) ")
    }
    canvas.write(text, row: 0)
  }
}

/// A text wrapped over several rows, such as an error message above the key bindings.
///
/// ```swift
/// let notice = Notice(problem, style: .color(.red))
/// let rows = canvas.rows(.flexible(), .fixed(notice.rowCount(in: canvas)), .fixed(1))
/// notice.draw(in: rows[1])
/// ```
public struct Notice: Hashable, Sendable {
  /// The text.
  public let text: String
  /// The style.
  public let style: CellStyle

  /// The most rows, so that the rest of the screen stays visible.
  private static let rowLimit = 8

  /// Creates a notice. Without a text it is one blank row.
  public init(_ text: String, style: CellStyle = .plain) {
    self.text = text
    self.style = style
  }

  /// The number of rows of the notice: at least one, at most a third of the complete screen.
  @MainActor public func rowCount(in canvas: Canvas) -> Int {
    let lines = TextWrapping.lines(text, columns: canvas.width)
    return max(1, min(lines.count, Self.rowLimit, canvas.height / 3))
  }

  /// Draws the text. If it does not fit, its last row ends with `…`.
  @MainActor public func draw(in canvas: Canvas) {
    let lines = TextWrapping.lines(text, columns: canvas.width)
    for (row, line) in lines.prefix(canvas.height).enumerated() {
      // The last row gets the rest of the text, which `write` truncates.
      let isLast = row == canvas.height - 1
      canvas.write(StyledText(isLast ? lines[row...].joined(separator: " ") : line, style), row: row)
    }
  }
}
