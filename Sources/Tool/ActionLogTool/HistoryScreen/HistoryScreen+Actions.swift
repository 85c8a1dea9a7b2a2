import ActionLog
import TerminalUI
import TextDisplay
import TimeTravel

// The list of actions.
extension HistoryScreen {
  /// - Parameters:
  ///   - canvas: The pane.
  ///   - screenColumns: The width of the whole screen.
  func drawActions(in canvas: Canvas, screenColumns: Int) {
    let list = heading(actionsHeading(columns: canvas.width), of: .actions, in: canvas)
    scrolls.actionRows = max(1, list.height)
    let count = filter.map(\.revisions.count) ?? last + 1
    let here = here
    let selected = filter.map { filter in filter.index(atOrBefore: here) } ?? here
    if selected >= 0 {
      scrolls.actions = min(scrolls.actions, selected)
      scrolls.actions = max(scrolls.actions, selected - list.height + 1)
    }
    scrolls.actions = max(0, min(scrolls.actions, count - list.height))
    for row in 0..<list.height where scrolls.actions + row < count {
      let index = scrolls.actions + row
      let revision = filter.map { filter in filter.revisions[index] } ?? index
      let isHere = revision == here
      let remark = filter.flatMap { filter in filter.remarks.isEmpty ? nil : filter.remarks[index] }
      let columnsForTimes = remark == nil ? Self.columnsForTimes : Self.columnsForTimesOfChanges
      let text = actionText(
        revision, remark: remark, columns: list.width - 1, showsTime: screenColumns >= columnsForTimes)
      write((isHere ? "›" : " ") + text, in: list, row: row, isSelected: isHere, hasKeys: pane == .actions)
    }
    if count == 0 { list.write(StyledText(filter?.isRunning == true ? "looking…" : "none", .dim), row: 0) }
  }

  /// What is listed; of what was looked for as much as fits, of a place in the state its end.
  private func actionsHeading(columns: Int) -> StyledText {
    guard let filter else { return "Actions" }
    let isCut = filter.remarks.count == ActionSearch.historyLimit
    let count = HumanText.count(filter.revisions.count) + (filter.isRunning ? "…" : isCut ? ", and more" : "")
    let start = filter.search.isHistory ? "Changes (\(count)) of " : "Actions (\(count)) with "
    let text = TerminalText.escaping(filter.search.text)
    let room = max(1, columns - 3 - TextWidth.of(start))
    return StyledText(
      start
        + (filter.search.isHistory
          ? TextWidth.truncatedHead(text, toColumns: room) : TextWidth.truncated(text, toColumns: room)))
  }

  /// The narrowest screen whose list shows the time of each action. The line at the bottom shows it on every screen.
  ///
  /// It is a width of the screen, not of the list: a wider screen has more panes and may have a narrower list, and must not show less.
  private static let columnsForTimes = 120
  /// The same for a list of a value's changes, which shows the values.
  private static let columnsForTimesOfChanges = 160

  private func actionText(_ revision: Int, remark: String?, columns: Int, showsTime: Bool) -> StyledText {
    var text = StyledText(String(revision), .color(.cyan)).fitted(to: String(last).count, trailing: true) + " "
    let mark = marksByRevision[revision].map { marks in
      StyledText(" ⚑ \(marks.map(\.name).joined(separator: " ⚑ "))", .color(.yellow))
    }
    guard revision > 0 else { return text + StyledText("the start", .dim) + (mark ?? "") }
    do {
      guard let record = try window.record(at: revision, last: last) else { return text }
      if showsTime {
        text += StyledText("\(RecordText.time(record.time).dropFirst(11).prefix(8)) ", .dim)
      }
      let room = columns - text.width
      let markRoom = min(mark?.width ?? 0, max(room / 2, room - TextWidth.of(record.type)))
      let name = remark ?? ShortName.type(record.type, columns: max(4, room - markRoom))
      return text + StyledText(name) + (mark?.truncated(to: markRoom) ?? "")
    } catch {
      return text + StyledText(error.message, .color(.red))
    }
  }
}
