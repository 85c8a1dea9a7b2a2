import ActionLog
import TerminalUI
import TextDisplay
import TimeTravel

// The list of actions.
extension HistoryScreen {
  func drawActions(in canvas: Canvas) {
    let list = heading(actionsHeading, of: .actions, in: canvas)
    scrolls.actionRows = max(1, list.height)
    let count = filter.map(\.revisions.count) ?? last + 1
    let selected = filter.map { filter in filter.index(atOrBefore: place.revision) } ?? place.revision
    if selected >= 0 {
      scrolls.actions = min(scrolls.actions, selected)
      scrolls.actions = max(scrolls.actions, selected - list.height + 1)
    }
    scrolls.actions = max(0, min(scrolls.actions, count - list.height))
    for row in 0..<list.height where scrolls.actions + row < count {
      let index = scrolls.actions + row
      let revision = filter.map { filter in filter.revisions[index] } ?? index
      let isHere = revision == place.revision
      list.write((isHere ? "›" : " ") + actionText(revision, columns: list.width - 1), row: row)
      if isHere { list.highlight(row: row, style: pane == .actions ? .reversed : .bold) }
    }
    if count == 0 { list.write(StyledText(filter?.isRunning == true ? "looking…" : "none", .dim), row: 0) }
  }

  private var actionsHeading: StyledText {
    guard let filter else { return "Actions" }
    let count = HumanText.count(filter.revisions.count)
    let progress = filter.isRunning ? " so far, at \(HumanText.count(filter.reached))" : ""
    return StyledText("Actions (\(count)\(progress)) with \(filter.search.text)")
  }

  private func actionText(_ revision: Int, columns: Int) -> StyledText {
    let number = StyledText(String(revision), .color(.cyan)).fitted(to: String(last).count, trailing: true)
    guard revision > 0 else { return number + StyledText(" the start", .dim) }
    do {
      guard let record = try window.record(at: revision, last: last) else { return number }
      let time = StyledText(" \(RecordText.time(record.time).dropFirst(11).prefix(8)) ", .dim)
      let mark = marks.first { mark in mark.revision == revision }.map { mark in
        StyledText(" ⚑ \(mark.name)", .color(.yellow))
      }
      let room = columns - number.width - time.width - (mark?.width ?? 0)
      let type = TextWidth.truncatedHead(TerminalText.escaping(record.type), toColumns: max(4, room))
      return number + time + StyledText(type) + (mark ?? "")
    } catch {
      return number + StyledText(" \(error.message)", .color(.red))
    }
  }
}
