/// A list that keeps its selected row in view.
///
/// The selection is an identifier, not an index: it follows its row when rows are inserted or removed, and is cleared
/// when its row is removed.
///
/// ```swift
/// list.draw(animals.map(\.id), in: canvas) { id in StyledText(name(of: id)) }
/// if list.handle(key, animals.map(\.id)) { return .handled }
/// ```
public struct SelectableList<ID: Hashable & Sendable>: Sendable {
  /// The selected row; `nil` for none.
  public var selection: ID?
  private var offset = 0
  private var pageRows = 1

  /// Creates a list.
  public init(selection: ID? = nil) {
    self.selection = selection
  }

  /// Moves the selection with ↑, ↓, PgUp, PgDn, Home and End. Without a selection, ↓ selects the first row, ↑ the last.
  ///
  /// - Returns: Whether the list uses the key.
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

  /// Draws the visible rows. The selected one is marked with `›`, and reversed if the list has the keyboard focus.
  ///
  /// - Parameters:
  ///   - ids: The identifiers of all rows, in order, without duplicates.
  ///   - canvas: The canvas.
  ///   - isFocused: Whether the list has the keyboard focus.
  ///   - row: Returns the text of a row. Called for visible rows only.
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
    canvas.markRest(of: ids.count, from: offset)
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
}
