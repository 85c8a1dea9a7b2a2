import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

// The pane of the actions.
extension HistoryScreen {
  func drawActions(in canvas: Canvas, screenColumns: Int) {
    let list = heading(actionsHeading(columns: canvas.width), of: .actions, in: canvas)
    scrolls.note(.actions, in: list)
    scrolls.showsTimes = showsTimes ?? (screenColumns >= Self.columnsForTimes)
    let count = filter.map(\.revisions.count) ?? last - first + 1
    let here = here
    let selected = filter.map { filter in filter.index(atOrBefore: here) } ?? here - first
    var offset = scrolls[.actions].offset
    if selected >= 0 { offset = max(min(offset, selected), selected - list.height + 1) }
    offset = max(0, min(offset, count - list.height))
    scrolls[.actions].offset = offset
    for row in 0..<list.height where offset + row < count {
      let index = offset + row
      let revision = filter.map { filter in filter.revisions[index] } ?? first + index
      let isHere = revision == here
      let remark = filter.flatMap { filter in filter.details.isEmpty ? nil : filter.details[index] }
      let columnsForTimes = remark == nil ? Self.columnsForTimes : Self.columnsForTimesOfChanges
      let text = actionText(
        revision, remark: remark, columns: list.width - 1, showsTime: showsTimes ?? (screenColumns >= columnsForTimes))
      // A sign in addition to the style, for users who cannot distinguish it.
      let edit = edits.kind(at: revision)
      let sign: StyledText = edit.map { edit in StyledText(edit.rawValue, .color(.magenta)) } ?? (isHere ? "›" : " ")
      write(
        sign + (edit == .skip ? StyledText(text.text, .dim) : text), in: list, row: row, isSelected: isHere,
        isFocused: pane == .actions)
    }
    if count == 0 { list.write(StyledText(filter?.isRunning == true ? "looking…" : "none", .dim), row: 0) }
  }

  /// The heading of the list. A long filter is truncated, a path at its beginning.
  private func actionsHeading(columns: Int) -> StyledText {
    guard let filter else { return "Actions" }
    let isCut = filter.details.count == ActionSearch.historyLimit
    let count = HumanText.count(filter.revisions.count) + (filter.isRunning ? "…" : isCut ? ", and more" : "")
    let start = filter.search.isHistory ? "Changes (\(count)) of " : "Actions (\(count)) with "
    let text = TerminalText.escaping(filter.search.text)
    let room = max(1, columns - 3 - TextWidth.of(start))
    return StyledText(
      start
        + (filter.search.isHistory
          ? TextWidth.truncatedHead(text, toColumns: room) : TextWidth.truncated(text, toColumns: room)))
  }

  /// The least width of a screen whose list shows the time of each action. The bottom line shows it on every screen.
  ///
  /// This is the width of the screen and not of the list, which can be narrower on a wider screen with more panes.
  private static let columnsForTimes = 120
  /// The least width for times in a list of a value's changes, which also shows the values.
  private static let columnsForTimesOfChanges = 160

  private var beginning: String { first == 0 ? "the start" : "the log begins here" }

  private func actionText(_ revision: Int, remark: String?, columns: Int, showsTime: Bool) -> StyledText {
    var text = StyledText(String(revision), .color(.cyan)).fitted(to: String(last).count, trailing: true) + " "
    let mark = marksByRevision[revision].map { marks in
      StyledText(" ⚑ \(marks.map(\.name).joined(separator: " ⚑ "))", .color(.yellow))
    }
    guard revision > first else { return text + StyledText(beginning, .dim) + (mark ?? "") }
    do {
      guard let record = try record(at: revision) else { return text }
      if showsTime {
        text += StyledText("\(RecordText.time(record.time).dropFirst(11).prefix(8)) ", .dim)
      }
      let room = columns - text.width
      let markRoom = min(mark?.width ?? 0, max(room / 2, room - TextWidth.of(record.type)))
      let mark = mark?.truncated(to: markRoom) ?? ""
      if let remark { return text + StyledText(remark) + mark }
      let summary = ActionSummary(record.dataBytes, limitBytes: 4 * max(1, room))
      let leaf = ShortName.leaf(record.type)
      // What the action is about says more than where it belongs.
      let rest = room - markRoom - TextWidth.of(leaf) - 1
      guard !summary.bytes.isEmpty, rest > 3 else {
        return text + StyledText(ShortName.type(record.type, columns: max(4, room - markRoom))) + mark
      }
      let style: CellStyle = summary.failureStart == nil ? .dim : .color(.red)
      let said = TextWidth.truncated(TerminalText.escaping(summary.text), toColumns: rest)
      return text + StyledText(leaf + " ") + StyledText(said, style) + mark
    } catch {
      return text + StyledText(error.message, .color(.red))
    }
  }
}

// The pane of the state.
extension HistoryScreen {
  func drawState(in canvas: Canvas) {
    // During a move, the state is still that of the old position.
    let title =
      (pendingMove == nil ? "State" : "State at revision \(place.revision)") + (onlyChanged ? ", only changes" : "")
    let list = heading(StyledText(title), of: .state, in: canvas)
    scrolls.note(.state, in: list)
    let offset = max(0, min(scrolls[.state].offset, rows.count - list.height))
    scrolls[.state].offset = offset
    let selected = selectedRow
    for row in 0..<list.height where offset + row < rows.count {
      let index = offset + row
      // The first and the last row may need room for an arrow.
      let isArrow = row == 0 && offset > 0 || row == list.height - 1 && index + 1 < rows.count
      let text = Self.text(rows[index], columns: isArrow ? list.width - 2 : list.width)
      write(text, in: list, row: row, isSelected: index == selected, isFocused: pane == .state)
    }
    list.markRest(of: rows.count, from: offset)
  }

  /// Before the sign of a row.
  static func indent(of row: StateRows.Row) -> Int { 2 * min(row.depth, 20) }

  /// The text of a row. If the name and the value do not fit together, each gets half of the room.
  private static func text(_ row: StateRows.Row, columns: Int) -> StyledText {
    let size = row.size
    let twisty = size ?? 0 > 0 ? (row.isOpen ? "▾ " : "▸ ") : "  "
    let style = row.change.map(style) ?? .plain
    var text = StyledText(String(repeating: " ", count: indent(of: row)) + twisty)
    // Signs in addition to colors, for users who cannot distinguish them.
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

// The pane of the changes: the answer of `blame`, the marks, the changes, and the action.
extension HistoryScreen {
  func drawChanges(in canvas: Canvas) {
    let list = heading(changesHeading, of: .changes, in: canvas)
    let end = min(scrolls[.changes].offset, Self.longestText) + list.height
    var (lines, isWhole) = changeLines(columns: list.width, past: end)
    // If the text is longer than the pane, an arrow needs the last columns.
    if lines.count > list.height { (lines, isWhole) = changeLines(columns: list.width - 2, past: end) }
    scrolls.note(.changes, in: list)
    scrolls.changeLines = isWhole ? lines.count : Self.longestText
    let offset = max(0, min(scrolls[.changes].offset, lines.count - list.height))
    scrolls[.changes].offset = offset
    for (row, line) in lines[offset...].prefix(list.height).enumerated() { list.write(line, row: row) }
    list.markRest(of: lines.count, from: offset)
  }

  private var changesHeading: StyledText {
    if let base = place.base { return StyledText("From revision \(base) to \(place.revision)") }
    return place.revision == first ? "The start" : StyledText("What action \(place.revision) changed")
  }

  private static let longestText = 1 << 30

  /// The lines of the pane. The cost of a step would otherwise be that of lines that nobody sees.
  ///
  /// - Parameter end: The number of lines after which the rest may be omitted.
  private func changeLines(columns: Int, past end: Int) -> (lines: [StyledText], isWhole: Bool) {
    var lines = blameLines(columns) + whatIfLines(columns) + markLines(columns)
    for change in changes.prefix(Self.listedLimit) {
      guard lines.count <= end else { return (lines, false) }
      lines += self.lines(of: change, columns)
    }
    // Only here, because counting takes O(number of changes).
    if changes.count >= Self.listedLimit { lines += self.lines(ofMore: place.edit?.changeCount ?? 0) }
    if changes.isEmpty {
      lines.append(StyledText(place.revision == first ? Self.beginning(at: first) : "nothing", .dim))
    }
    return (lines + actionLines(columns), true)
  }

  private func lines(of change: StateChange, _ columns: Int) -> [StyledText] {
    let style = Self.style(change.kind)
    let names = TextWrapping.lines(name(of: change.pointer), columns: max(8, columns - 2)).enumerated().map {
      index, line in
      StyledText((index == 0 ? Self.sign(change.kind) : " ") + " ", style.adding(.bold)) + StyledText(line, style)
    }
    return names + Self.valueLines(change.old, "− ", .color(.red), columns)
      + Self.valueLines(change.new, "+ ", .color(.green), columns)
  }

  /// - Parameter count: The number of all changes.
  private func lines(ofMore count: Int) -> [StyledText] {
    guard count > Self.listedLimit else { return [] }
    return [StyledText("… and \(HumanText.count(count - Self.listedLimit, "more change"))", .dim)]
  }

  /// What would be different with the edits, and which actions the reducer would refuse.
  private func whatIfLines(_ columns: Int) -> [StyledText] {
    guard let whatIf else { return [] }
    let summary = edits.summary(upTo: whatIf.revision, limit: Self.namedLimit)
    var lines = Self.wrapped("\(summary), at revision \(whatIf.revision)", columns, .bold)
    switch whatIf.result {
    case nil: lines.append(StyledText("folding…", .dim))
    case .failure(let error): lines += Self.wrapped(ToolFailure(any: error).message, columns, .color(.red))
    case .success(let result):
      let changes = result.difference.changes
      for change in changes.prefix(Self.listedLimit) { lines += self.lines(of: change, columns) }
      lines += self.lines(ofMore: changes.count)
      if result.difference.isEmpty { lines.append(StyledText("the same state", .dim)) }
      for refusal in result.refusals.prefix(Self.namedLimit) {
        lines += Self.wrapped(
          "refused: action \(refusal.revision) \(refusal.type): \(ToolFailure(any: refusal.error).message)", columns,
          .color(.yellow))
      }
      let more = result.refusedCount - min(result.refusals.count, Self.namedLimit)
      if more > 0 { lines.append(StyledText("and \(HumanText.count(more)) more", .dim)) }
    }
    return lines + [""]
  }

  private static let namedLimit = 8

  private static func valueLines(
    _ value: JSONValue?, _ sign: String, _ style: CellStyle, _ columns: Int
  ) -> [StyledText] {
    guard let value else { return [] }
    let text = StateText.line(value, limit: value.size == nil ? StateText.lineLimit : containerLimit)
    let lines = TextWrapping.lines(text, columns: max(8, columns - 4))
    return lines.enumerated().map { index, line in StyledText("  " + (index == 0 ? sign : "  ") + line, style) }
  }

  /// The most characters of a container. The pane of the state shows its members.
  private static let containerLimit = 160

  private func blameLines(_ columns: Int) -> [StyledText] {
    guard let blamed else { return [] }
    var lines = Self.wrapped("Who changed \(name(of: blamed.pointer))?", columns, .bold)
    guard let answer = blamed.answer else { return lines + [StyledText("looking…", .dim), ""] }
    if let change = answer.change {
      lines += Self.wrapped("action \(change.record.revision) \(change.record.type)", columns, .bold)
      lines.append(StyledText(RecordText.time(change.record.time) + Self.actor(change.record), .dim))
      lines += Self.valueLines(change.old, "− ", .color(.red), columns)
      lines += Self.valueLines(change.new, "+ ", .color(.green), columns)
      if change.record.revision != place.revision { lines.append(StyledText("j goes there", .dim)) }
    } else {
      lines.append(StyledText("unchanged from the beginning to revision \(answer.revision)"))
    }
    return lines + [""]
  }

  private func markLines(_ columns: Int) -> [StyledText] {
    let marks = marksByRevision[place.revision] ?? []
    let lines = marks.flatMap { mark in
      Self.wrapped("⚑ \(mark.name)\(mark.remark.map { remark in ": \(remark)" } ?? "")", columns, .color(.yellow))
    }
    return lines.isEmpty ? [] : lines + [""]
  }

  private func actionLines(_ columns: Int) -> [StyledText] {
    guard place.revision > first else { return [] }
    do {
      guard let record = try record(at: place.revision) else { return [] }
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
    do { return try record.actor().map { actor in " by \(actor)" } ?? "" } catch { return "" }
  }
}

/// Shortens names, and keeps their most specific parts.
enum ShortName {
  /// Shortens the type of an action to a number of columns.
  ///
  /// In `ui.animalEditor.onTapAddAnimalButton`, the last part says what happened and the first part where: the middle is
  /// shortened first. What is in brackets belongs to a part: in `Cart.Change<Shop.Item>.insert` the last part is `insert`, and in
  /// `Cart.Change<Shop.Item>` it is `Change<…>`.
  static func type(_ type: String, columns: Int) -> String {
    let text = TerminalText.escaping(type)
    guard TextWidth.of(text) > columns else { return middle(text, columns: columns) }
    let start = leafStart(of: text)
    var leaf = String(text[start...])
    if TextWidth.of(leaf) > columns { leaf = withoutArguments(leaf) }
    // A separator and an ellipsis.
    let room = columns - TextWidth.of(leaf) - 1
    guard room > 1, start > text.startIndex else { return middle(leaf, columns: columns) }
    return beginning(text, columns: room) + "…" + leaf
  }

  /// The last part of the type of an action: what happened, without where.
  static func leaf(_ type: String) -> String {
    let text = TerminalText.escaping(type)
    return String(text[leafStart(of: text)...])
  }

  /// What is in front of ``leaf(_:)``, without the separator.
  static func place(_ type: String) -> String {
    let text = TerminalText.escaping(type)
    return String(text[..<leafStart(of: text)].dropLast())
  }

  private static func leafStart(of text: String) -> String.Index {
    var depth = 0
    var start = text.startIndex
    for index in text.indices {
      switch text[index] {
      case "<", "(", "[": depth += 1
      case ">", ")", "]": depth = max(0, depth - 1)
      case ".", "/", ":":
        let next = text.index(after: index)
        if depth == 0, next < text.endIndex { start = next }
      default: break
      }
    }
    return start
  }

  private static func withoutArguments(_ name: String) -> String {
    guard let open = name.firstIndex(where: { character in "<([".contains(character) }), let last = name.last,
      ">)]".contains(last)
    else { return name }
    return "\(name[...open])…\(last)"
  }

  static func middle(_ name: String, columns: Int) -> String {
    let text = TerminalText.escaping(name)
    guard TextWidth.of(text) > columns else { return text }
    guard columns > 4 else { return TextWidth.truncated(text, toColumns: columns) }
    let tail = TextWidth.truncatedHead(text, toColumns: columns / 2)
    return beginning(text, columns: columns - TextWidth.of(tail)) + tail
  }

  private static func beginning(_ text: String, columns: Int) -> String {
    var width = 0
    return String(
      text.prefix { character in
        width += TextWidth.of(character)
        return width <= columns
      })
  }
}
