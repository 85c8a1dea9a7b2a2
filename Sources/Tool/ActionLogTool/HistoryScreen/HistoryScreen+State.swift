import JSONCoding
import TerminalUI
import TimeTravel

// The state as a tree.
extension HistoryScreen {
  func drawState(in canvas: Canvas) {
    // While one goes elsewhere, the state is that of where one was.
    let title = travel == nil ? "State" : "State at revision \(place.revision)"
    let list = heading(StyledText(title), of: .state, in: canvas)
    scrolls.stateRows = max(1, list.height)
    scrolls.state = max(0, min(scrolls.state, rows.count - list.height))
    let selected = selectedRow
    for row in 0..<list.height where scrolls.state + row < rows.count {
      let index = scrolls.state + row
      // The last columns of the first and the last row may be those of an arrow.
      let isArrow = row == 0 && scrolls.state > 0 || row == list.height - 1 && index + 1 < rows.count
      let text = Self.text(rows[index], columns: isArrow ? list.width - 2 : list.width)
      write(text, in: list, row: row, isSelected: index == selected, hasKeys: pane == .state)
    }
    if scrolls.state + list.height < rows.count { list.writeTrailing("↓", row: list.height - 1, style: .dim) }
    if scrolls.state > 0 { list.writeTrailing("↑", row: 0, style: .dim) }
  }

  /// A name is cut only where it and its value have no room together: then both get half of it.
  private static func text(_ row: StateRows.Row, columns: Int) -> StyledText {
    let size = row.size
    let twisty = size ?? 0 > 0 ? (row.isOpen ? "▾ " : "▸ ") : "  "
    let style = row.change.map(style) ?? .plain
    var text = StyledText(String(repeating: "  ", count: min(row.depth, 20)) + twisty)
    // Signs beside the colours: not everybody sees those.
    if let change = row.change { text += StyledText(sign(change) + " ", style.adding(.bold)) }
    var value = StyledText(row.holdsChange ? " •" : "", .color(.yellow))
    switch row.value {
    case .object where size ?? 0 > 0: value += StyledText(" {\(size ?? 0)}", .dim)
    case .array where size ?? 0 > 0: value += StyledText(" [\(size ?? 0)]", .dim)
    default: value += StyledText(" " + StateText.line(row.value), style)
    }
    let room = columns - text.width
    let name = ShortName.middle(row.name ?? "state", columns: max(room / 2, room - value.width))
    return text + StyledText(name, row.change == nil ? .color(.cyan) : style) + value
  }

  static func style(_ kind: StateChange.Kind) -> CellStyle {
    switch kind {
    case .added: .color(.green)
    case .removed: .color(.red)
    case .changed: .color(.yellow)
    }
  }

  static func sign(_ kind: StateChange.Kind) -> String {
    switch kind {
    case .added: "+"
    case .removed: "−"
    case .changed: "~"
    }
  }
}
