import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

// What changed, by which action, and who changed the selected value.
extension HistoryScreen {
  func drawChanges(in canvas: Canvas) {
    let list = heading(changesHeading, of: .changes, in: canvas)
    var lines = changeLines(columns: list.width)
    // Where there is more than is shown, an arrow needs the last columns.
    if lines.count > list.height { lines = changeLines(columns: list.width - 2) }
    scrolls.changeRows = max(1, list.height)
    scrolls.changeLines = lines.count
    scrolls.changes = max(0, min(scrolls.changes, lines.count - list.height))
    for (row, line) in lines[min(scrolls.changes, lines.count)...].prefix(list.height).enumerated() {
      list.write(line, row: row)
    }
    if scrolls.changes + list.height < lines.count { list.writeTrailing("↓", row: list.height - 1, style: .dim) }
    if scrolls.changes > 0 { list.writeTrailing("↑", row: 0, style: .dim) }
  }

  private var changesHeading: StyledText {
    if let base = place.base { return StyledText("From revision \(base) to \(place.revision)") }
    return place.revision == 0 ? "The start" : StyledText("What action \(place.revision) changed")
  }

  private func changeLines(columns: Int) -> [StyledText] {
    var lines = blameLines(columns) + markLines(columns)
    let changes = place.changes
    for change in changes.prefix(Self.changeLimit) {
      let style = Self.style(change.kind)
      for (index, line) in TextWrapping.lines(name(of: change.pointer), columns: max(8, columns - 2)).enumerated() {
        let sign = index == 0 ? Self.sign(change.kind) : " "
        lines.append(StyledText(sign + " ", style.adding(.bold)) + StyledText(line, style))
      }
      lines += Self.valueLines(change.old, "− ", .color(.red), columns)
      lines += Self.valueLines(change.new, "+ ", .color(.green), columns)
    }
    if changes.count > Self.changeLimit {
      lines.append(StyledText("… and \(HumanText.count(changes.count - Self.changeLimit, "more change"))", .dim))
    }
    if changes.isEmpty {
      lines.append(StyledText(place.revision == 0 ? "the state before any action" : "nothing", .dim))
    }
    return lines + actionLines(columns)
  }

  /// More than anybody scrolls through.
  private static let changeLimit = 200

  private static func valueLines(
    _ value: JSONValue?, _ sign: String, _ style: CellStyle, _ columns: Int
  ) -> [StyledText] {
    guard let value else { return [] }
    let text = StateText.line(value, limit: value.size == nil ? StateText.usualLimit : containerLimit)
    let lines = TextWrapping.lines(text, columns: max(8, columns - 4))
    return lines.enumerated().map { index, line in StyledText("  " + (index == 0 ? sign : "  ") + line, style) }
  }

  /// A few lines: what is in a container is read in the state.
  private static let containerLimit = 160

  /// Who changed the selected value.
  private func blameLines(_ columns: Int) -> [StyledText] {
    guard let blamed else { return [] }
    var lines = Self.wrapped("Who changed \(name(of: blamed.pointer))?", columns, .bold)
    guard let answer = blamed.answer else { return lines + [StyledText("looking…", .dim), ""] }
    if let change = answer.change {
      lines += Self.wrapped("action \(change.record.seq) \(change.record.type)", columns, .bold)
      lines.append(StyledText(RecordText.time(change.record.time) + Self.actor(change.record), .dim))
      lines += Self.valueLines(change.old, "− ", .color(.red), columns)
      lines += Self.valueLines(change.new, "+ ", .color(.green), columns)
      if change.record.seq != place.revision { lines.append(StyledText("j goes there", .dim)) }
    } else {
      lines.append(StyledText("unchanged from the beginning to revision \(answer.revision)"))
    }
    return lines + [""]
  }

  /// What people said of the revision.
  private func markLines(_ columns: Int) -> [StyledText] {
    let marks = marksByRevision[place.revision] ?? []
    let lines = marks.flatMap { mark in
      Self.wrapped("⚑ \(mark.name)\(mark.remark.map { remark in ": \(remark)" } ?? "")", columns, .color(.yellow))
    }
    return lines.isEmpty ? [] : lines + [""]
  }

  /// The action itself: when, by whom, with what.
  private func actionLines(_ columns: Int) -> [StyledText] {
    guard place.revision > 0 else { return [] }
    do {
      guard let record = try window.record(at: place.revision, last: last) else { return [] }
      var lines: [StyledText] = [""] + Self.wrapped(record.type, columns, .bold)
      lines.append(StyledText(RecordText.time(record.time) + Self.actor(record), .dim))
      for (name, bytes) in [("", record.data), ("meta ", record.meta ?? [])] where !bytes.isEmpty {
        guard case .object(let object) = try JSONValue(parsing: bytes) else { continue }
        for (member, value) in object where name.isEmpty || member != "actor" {
          lines += Self.wrapped("\(name)\(member): \(StateText.line(value))", columns)
        }
      }
      return lines
    } catch {
      return [StyledText(ToolFailure(any: error).message, .color(.red))]
    }
  }

  private static func wrapped(_ text: String, _ columns: Int, _ style: CellStyle = .plain) -> [StyledText] {
    TextWrapping.lines(text, columns: max(8, columns)).map { line in StyledText(line, style) }
  }

  static func actor(_ record: LogRecord) -> String {
    guard let bytes = record.meta, case .object(let object)? = StateText.value(bytes),
      case .string(let actor)? = object["actor"]
    else { return "" }
    return " by \(actor)"
  }
}
