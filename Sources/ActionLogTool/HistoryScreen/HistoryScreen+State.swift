import JSONCoding
import TerminalUI
import TimeTravel

// The state as a tree.
extension HistoryScreen {
  func drawState(in canvas: Canvas) {
    let list = heading("State", of: .state, in: canvas)
    scrolls.stateRows = max(1, list.height)
    let all = rows.rows
    scrolls.state = max(0, min(scrolls.state, all.count - list.height))
    let selected = selectedRow
    for row in 0..<list.height where scrolls.state + row < all.count {
      let index = scrolls.state + row
      list.write(Self.text(all[index]), row: row)
      if index == selected { list.highlight(row: row, style: pane == .state ? .reversed : .bold) }
    }
    if scrolls.state + list.height < all.count { list.writeTrailing("↓", row: list.height - 1, style: .dim) }
    if scrolls.state > 0 { list.writeTrailing("↑", row: 0, style: .dim) }
  }

  private static func text(_ row: StateRows.Row) -> StyledText {
    let size = row.size
    let twisty = size ?? 0 > 0 ? (row.isOpen ? "▾ " : "▸ ") : "  "
    let style = row.change.map(style) ?? .plain
    var text = StyledText(String(repeating: "  ", count: min(row.depth, 20)) + twisty)
    // Signs beside the colours: not everybody sees those.
    if let change = row.change { text += StyledText(sign(change) + " ", style.adding(.bold)) }
    text += StyledText(row.name ?? "state", row.change == nil ? .color(.cyan) : style)
    if row.holdsChange { text += StyledText(" •", .color(.yellow)) }
    switch row.value {
    case .object where size ?? 0 > 0: text += StyledText(" {\(size ?? 0)}", .dim)
    case .array where size ?? 0 > 0: text += StyledText(" [\(size ?? 0)]", .dim)
    default: text += StyledText(" " + StateText.line(row.value), style)
    }
    return text
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
