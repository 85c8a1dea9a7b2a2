import TerminalUI
import TimeTravel

extension HistoryScreen {
  /// From so many columns on, the three panes stand side by side, and from so many on, two.
  private static let columnsForThree = 110
  private static let columnsForTwo = 64
  /// Below that, a pane above another one would have no room.
  private static let rowsForTwo = 16

  /// Draws everything.
  func render(on canvas: Canvas) {
    let bindings = bindings.filter { binding in !binding.label.isEmpty }
    let parts = canvas.rows(.fixed(1), .fixed(1), .flexible(), .fixed(1), .fixed(1))
    StatusLine(StyledText(" " + title, .bold), trailing: StyledText("revision \(place.revision) of \(last) "))
      .draw(in: parts[0])
    drawSlider(in: parts[1])
    if let helpLine { drawHelp(in: parts[2], from: helpLine) } else { drawPanes(in: parts[2]) }
    drawLine(in: parts[3])
    KeyBinding.draw(bindings, in: parts[4])
  }

  private func drawPanes(in canvas: Canvas) {
    if canvas.width >= Self.columnsForThree {
      let columns = canvas.columns(.flexible(weight: 4), .flexible(weight: 4), .flexible(weight: 5), separator: true)
      drawActions(in: columns[0])
      drawState(in: columns[1])
      drawChanges(in: columns[2])
    } else if canvas.width >= Self.columnsForTwo, canvas.height >= Self.rowsForTwo {
      let columns = canvas.columns(.flexible(weight: 4), .flexible(weight: 5), separator: true)
      drawActions(in: columns[0])
      let right = columns[1].rows(.flexible(), .flexible())
      drawState(in: right[0])
      drawChanges(in: right[1])
    } else {
      switch pane {
      case .actions: drawActions(in: canvas)
      case .state: drawState(in: canvas)
      case .changes: drawChanges(in: canvas)
      }
    }
  }

  func heading(_ text: StyledText, of pane: Pane, in canvas: Canvas) -> Canvas {
    let isFocused = pane == self.pane
    canvas.write(
      StyledText(isFocused ? "━ " : "─ ", isFocused ? .color(.blue) : .dim)
        + text.styled(isFocused ? CellStyle(.blue, .bold) : .bold) + " ", row: 0)
    let end = min(canvas.width, text.width + 3)
    let line = String(repeating: isFocused ? "━" : "─", count: canvas.width - end)
    canvas.write(StyledText(line, isFocused ? .color(.blue) : .dim), row: 0, column: end)
    return canvas.part(row: 1)
  }

  /// Where in the history one is: the way from the start to the end, the marks on it, the place.
  private func drawSlider(in canvas: Canvas) {
    let width = canvas.width - 2
    guard width > 0 else { return }
    func column(_ revision: Int) -> Int {
      last == 0 ? 0 : Int((Double(revision) / Double(last) * Double(width - 1)).rounded())
    }
    let here = column(place.revision)
    canvas.write(StyledText(String(repeating: "━", count: here), .color(.blue)), row: 0, column: 1)
    canvas.write(StyledText(String(repeating: "─", count: width - here), .dim), row: 0, column: 1 + here)
    for mark in marks where (0...last).contains(mark.revision) {
      canvas.write(StyledText("⚑", .color(.yellow)), row: 0, column: 1 + column(mark.revision))
    }
    if let base = place.base { canvas.write(StyledText("◆", .color(.magenta)), row: 0, column: 1 + column(base)) }
    canvas.write(StyledText("●", CellStyle(.blue, .bold)), row: 0, column: 1 + here)
  }

  /// What is being typed, or what there is to say.
  private func drawLine(in canvas: Canvas) {
    if let (kind, field) = prompt {
      let (label, placeholder) =
        switch kind {
        case .point: ("go to", "42, -3, end, 2026-11-21T09:00:05Z, 5m ago")
        case .filter: ("filter", ActionSearch.forms)
        case .search: ("search the state", "a part of a name or value; S searches on")
        }
      field.draw(in: canvas, label: label, placeholder: placeholder)
    } else {
      canvas.write(StyledText(message, .color(.yellow)), row: 0)
    }
  }

  private static let help: [(keys: String, meaning: String)] = [
    ("→ n Space   ← p", "one action forward, back (in the state ← → close and open)"),
    ("↑ ↓ PgUp PgDn", "move in the pane that has the keyboard; among the actions that steps"),
    ("Home End", "to the first, the last; 0 and $ from everywhere"), ("Tab", "the next pane"),
    ("g", "go to a point: 42, -3, end, 2026-11-21T09:00:05Z, 5m ago"),
    ("/", "filter: " + ActionSearch.forms), ("s   S", "search the state, search on"),
    ("b   j", "which action last changed the selected value; jump there"),
    ("c", "compare with the state here, until c again"), ("[   ]", "the mark before, after"),
    ("Enter", "open or close a part of the state"), ("Esc", "leave an answer, the filter"), ("q", "quit"),
  ]

  private func drawHelp(in canvas: Canvas, from first: Int) {
    var lines: [StyledText] = [StyledText("Keys", .bold)]
    for (keys, meaning) in Self.help {
      let wrapped = TextWrapping.lines(meaning, columns: max(8, canvas.width - Self.helpColumn))
      for (index, line) in wrapped.enumerated() {
        lines.append(StyledText(index == 0 ? keys : "", .bold).fitted(to: Self.helpColumn) + StyledText(line))
      }
    }
    let first = max(0, min(first, lines.count - canvas.height))
    helpLine = first
    for (row, line) in lines[first...].prefix(canvas.height).enumerated() { canvas.write(line, row: row) }
    if first + canvas.height < lines.count { canvas.writeTrailing("↓", row: canvas.height - 1, style: .dim) }
    if first > 0 { canvas.writeTrailing("↑", row: 0, style: .dim) }
  }

  /// As wide as the keys, and two spaces.
  private static let helpColumn = 18
}
