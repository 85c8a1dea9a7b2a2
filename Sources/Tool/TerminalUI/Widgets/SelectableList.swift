/// A list of rows of which one is selected, that scrolls so that the selected one is seen.
///
/// The selection is an identity, not a place: when rows come and go it stays with its row, and it is gone with its row.
///
/// ```swift
/// list.draw(animals.map(\.id), in: canvas) { id in StyledText(name(of: id)) }
/// if list.handle(key, animals.map(\.id)) { return .handled }
/// ```
public struct SelectableList<ID: Hashable & Sendable>: Sendable {
  /// The row that is selected; `nil` for none.
  public var selection: ID?
  /// How many rows lie above the first one that is shown.
  private var offset = 0
  /// How many rows were shown at the last drawing, which is how far a page is.
  private var pageRows = 1

  /// Makes a list.
  ///
  /// - Parameter selection: The row that is selected at first.
  public init(selection: ID? = nil) {
    self.selection = selection
  }

  /// Moves the selection with ↑, ↓, PgUp, PgDn, Home and End. Without a selection ↓ selects the first row, ↑ the last.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - ids: The identities of all rows, in order.
  /// - Returns: Whether the key was one of those.
  /// - Complexity: O(number of rows).
  public mutating func handle(_ key: Key, _ ids: [ID]) -> Bool {
    let current = index(in: ids)
    let target: Int
    switch key {
    case .up: target = (current ?? ids.count) - 1
    case .down: target = (current ?? -1) + 1
    case .pageUp: target = (current ?? ids.count) - pageRows
    case .pageDown: target = (current ?? -1) + pageRows
    case .home: target = 0
    case .end: target = ids.count - 1
    default: return false
    }
    if !ids.isEmpty { selection = ids[min(max(0, target), ids.count - 1)] }
    return true
  }

  /// Draws the rows that fit. The selected one is marked with `›`, and reversed where the list has the keyboard.
  ///
  /// - Parameters:
  ///   - ids: The identities of all rows, in order, each once.
  ///   - canvas: Where the list is drawn.
  ///   - isFocused: Whether keys go to this list.
  ///   - row: Makes the text of a row; called for those that are shown only.
  /// - Complexity: O(number of rows), to find the selected one.
  @MainActor public mutating func draw(
    _ ids: [ID], in canvas: Canvas, isFocused: Bool = true, row: (ID) -> StyledText
  ) {
    pageRows = max(1, canvas.height)
    let selected = index(in: ids)
    if selected == nil { selection = nil }
    scroll(to: selected, count: ids.count, height: canvas.height)
    for (place, id) in ids[offset...].prefix(canvas.height).enumerated() {
      let isSelected = offset + place == selected
      let text = (isSelected ? "› " : "  ") + row(id)
      canvas.write(text, row: place, style: isSelected && !isFocused ? .bold : .plain)
      if isSelected, isFocused { canvas.highlight(row: place, style: .reversed) }
    }
    drawMore(in: canvas, count: ids.count)
  }

  private func index(in ids: [ID]) -> Int? {
    selection.flatMap { selection in ids.firstIndex(of: selection) }
  }

  private mutating func scroll(to selected: Int?, count: Int, height: Int) {
    if let selected {
      offset = min(offset, selected)
      offset = max(offset, selected - height + 1)
    }
    offset = max(0, min(offset, count - height))
  }

  /// Arrows at the right edge tell that there is more above and below.
  @MainActor private func drawMore(in canvas: Canvas, count: Int) {
    guard canvas.height > 0, canvas.width > 2 else { return }
    if offset > 0 { canvas.writeTrailing("↑", row: 0, style: .dim) }
    if offset + canvas.height < count { canvas.writeTrailing("↓", row: canvas.height - 1, style: .dim) }
  }
}
