import ActionLog
import Platform
import TerminalUI
import TimeTravel

extension HistoryScreen {
  private static let columnsForThree = 110
  private static let columnsForTwo = 64
  private static let rowsForTwo = 16

  func render(on canvas: Canvas) {
    let notice = notice(in: canvas)
    let rowCount = prompt?.height(in: canvas) ?? (notice?.rowCount(in: canvas) ?? 1) + 1
    let parts = canvas.rows(.fixed(1), .fixed(1), .flexible(), .fixed(rowCount))
    StatusLine(StyledText(" " + title, .bold), trailing: followingText + "revision \(here) of \(last) ")
      .draw(in: parts[0])
    drawSlider(in: parts[1])
    if let helpLine { drawHelp(in: parts[2], from: helpLine) } else { drawPanes(in: parts[2]) }
    if let prompt {
      prompt.draw(in: parts[3], of: canvas)
      if prompt.fault != nil { return }
    } else if let notice {
      notice.draw(in: parts[3].part(height: rowCount - 1))
    } else {
      parts[3].write(line(columns: canvas.width), row: 0)
    }
    KeyBinding.draw(shownBindings, in: parts[3].part(row: rowCount - 1))
  }

  private func notice(in canvas: Canvas) -> Notice? {
    guard prompt == nil, pendingMove == nil, pendingQuestion == nil, !message.isEmpty else { return nil }
    return message.notice(in: canvas, style: .color(.yellow))
  }

  /// Whether new actions are followed, and how many have arrived since the user went elsewhere.
  private var followingText: StyledText {
    switch following {
    case .off: ""
    case .on: "● live  "
    case .paused: newest > last ? "○ +\(HumanText.count(newest - last)) new  " : "○ paused  "
    }
  }

  private func drawPanes(in canvas: Canvas) {
    if canvas.width >= Self.columnsForThree {
      let columns = canvas.columns(.flexible(weight: 4), .flexible(weight: 4), .flexible(weight: 5), separator: true)
      drawActions(in: columns[0], screenColumns: canvas.width)
      drawState(in: columns[1])
      drawChanges(in: columns[2])
    } else if canvas.width >= Self.columnsForTwo, canvas.height >= Self.rowsForTwo {
      let columns = canvas.columns(.flexible(weight: 4), .flexible(weight: 5), separator: true)
      drawActions(in: columns[0], screenColumns: canvas.width)
      let right = columns[1].rows(.flexible(), .flexible())
      drawState(in: right[0])
      drawChanges(in: right[1])
    } else {
      switch pane {
      case .actions: drawActions(in: canvas, screenColumns: canvas.width)
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

  /// Writes a row of a list. The selected row of the focused pane is reversed and drawn without colors.
  func write(_ text: StyledText, in list: Canvas, row: Int, isSelected: Bool, isFocused: Bool) {
    list.write(isSelected && isFocused ? StyledText(text.text) : text, row: row)
    if isSelected { list.highlight(row: row, style: isFocused ? .reversed : .bold) }
  }

  private func drawSlider(in canvas: Canvas) {
    let width = canvas.width - 2
    guard width > 0 else { return }
    func column(_ revision: Int) -> Int {
      let fraction = last == first ? 0 : Double(max(0, revision - first)) / Double(last - first)
      return Int((fraction * Double(width - 1)).rounded())
    }
    let (here, reached) = (
      column(here), column(pendingMove.map { pendingMove in pendingMove.progress.reached ?? first } ?? here)
    )
    canvas.write(StyledText(String(repeating: "━", count: reached), .color(.blue)), row: 0, column: 1)
    canvas.write(StyledText(String(repeating: "─", count: width - reached), .dim), row: 0, column: 1 + reached)
    for mark in marks where (first...last).contains(mark.revision) {
      canvas.write(StyledText("⚑", .color(.yellow)), row: 0, column: 1 + column(mark.revision))
    }
    if let base = place.base { canvas.write(StyledText("◆", .color(.magenta)), row: 0, column: 1 + column(base)) }
    canvas.write(StyledText("●", CellStyle(.blue, .bold)), row: 0, column: 1 + here)
  }

  /// The operation in progress, or else the complete text of the selected row.
  private func line(columns: Int) -> StyledText {
    if let pendingMove {
      let target = pendingMove.progress.target.map { target in HumanText.count(target) } ?? "…"
      let reached =
        pendingMove.progress.reached.map { reached in ": folded \(HumanText.count(reached)) of \(target)" } ?? "…"
      return StyledText("going to revision \(target)\(reached)  Esc stays at \(place.revision)", .color(.yellow))
    }
    if let pendingQuestion {
      return waiting(for: pendingQuestion.text, reached: pendingQuestion.reached, columns: columns)
    }
    if let filter, filter.isRunning {
      return waiting(for: "looking for \(filter.search.text)", reached: filter.reached, columns: columns)
    }
    return pane == .state ? selectedValue : selectedAction(columns: columns)
  }

  private func waiting(for text: String, reached: Int?, columns: Int) -> StyledText {
    let total = HumanText.count(last)
    let reached = reached.map { reached in ", at \(HumanText.count(reached)) of \(total)" } ?? "…"
    let end = StyledText("\(reached)  Esc ends it", .color(.yellow))
    return StyledText(text, .color(.yellow)).truncated(to: max(8, columns - end.width)) + end
  }

  private var selectedValue: StyledText {
    let value = place.tree[pointer].map { value in StateText.line(value) } ?? "does not exist"
    return StyledText(name(of: pointer), .color(.cyan)) + StyledText(" " + value, .dim)
  }

  private func selectedAction(columns: Int) -> StyledText {
    let marks = marksByRevision[here]?.map { mark in
      StyledText("⚑ \(mark.name)\(mark.remark.map { remark in ": \(remark)" } ?? "")  ", .color(.yellow))
    }
    let start = marks?.reduce("", +) ?? ""
    do {
      guard here > first else { return start + StyledText(Self.beginning(at: first), .dim) }
      guard let record = try record(at: here) else {
        return start + StyledText("action \(here) is missing in the log", .color(.red))
      }
      let time = "  \(RecordText.time(record.time))\(Self.actor(record))"
      // The end of a type says what happened, so a type that is too long for the line is shortened before it.
      let type = ShortName.type(record.type, columns: max(8, columns - start.width))
      return start + StyledText(type, .color(.cyan)) + StyledText(time, .dim)
    } catch {
      return StyledText(error.message, .color(.red))
    }
  }

  private static let help: [(keys: String, meaning: String)] = [
    ("→ n Space   ← p", "one action forward, back (in the state ← → collapse and expand)"),
    ("↑ ↓ PgUp PgDn", "move in the focused pane; among the actions, step"),
    ("Home End", "to the first, the last; 0 and $ in every pane"), ("Tab", "the next pane"),
    ("g   G", "go to a point: 42, -3, end, 2026-11-21T09:00:05Z, 5m ago, the name of a mark; to the end"),
    ("/", "filter: " + ActionSearch.forms), ("s   S", "search the state; repeat the search"),
    ("b   j", "find the action that last changed the selected value; go there"),
    ("h", "list the actions that changed the selected value, with old and new values"),
    ("u   U", "go forward, back, to a revision at which a condition holds, such as /count > 3 or /status changed"),
    ("B", "bisect: find the first revision at which a condition on the state holds"),
    ("c", "compare with this state, until c is pressed again"),
    ("m   [   ]", "mark this revision with a name and a remark; go to the previous, the next mark"),
    ("x   r   i", "what if: switch the action off, or on again; replace it; insert an action after it"),
    ("X", "end the what-if: switch all actions on, and remove the others"),
    ("o", "show only what changed in the state, or everything"),
    ("t", "show times in the list, or not"),
    ("f", "follow the log while it is written; moving back pauses that"),
    ("T   R", "write a test, a bug report, of the actions since the compared state, or since the start"),
    ("Enter", "expand or collapse a value of the state"),
    ("Esc", "cancel a move or a query; then close an answer, the filter"),
    ("q", "quit, at any time"),
  ]

  private static func helpLines(columns: Int) -> [StyledText] {
    var lines: [StyledText] = [StyledText("Keys", .bold)]
    for (keys, meaning) in help {
      let wrapped = TextWrapping.lines(meaning, columns: max(8, columns - helpColumn))
      for (index, line) in wrapped.enumerated() {
        lines.append(StyledText(index == 0 ? keys : "", .bold).fitted(to: helpColumn) + StyledText(line))
      }
    }
    return lines
  }

  private func drawHelp(in canvas: Canvas, from first: Int) {
    var lines = Self.helpLines(columns: canvas.width)
    // If the text is longer than the pane, an arrow needs the last columns.
    if lines.count > canvas.height { lines = Self.helpLines(columns: canvas.width - 2) }
    let first = max(0, min(first, lines.count - canvas.height))
    helpLine = first
    for (row, line) in lines[first...].prefix(canvas.height).enumerated() { canvas.write(line, row: row) }
    canvas.markRest(of: lines.count, from: first)
  }

  private static let helpColumn = 18
}
