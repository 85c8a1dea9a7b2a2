import JSONCoding
import TerminalUI
import TimeTravel

extension HistoryScreen {
  /// What the keys mean at this moment; the first ones are named in the line of help.
  var bindings: [KeyBinding<Command>] {
    let isState = pane == .state
    return [
      KeyBinding(isState ? ["n"] : [.right, "n", " "], "next", .forward),
      KeyBinding(isState ? ["p"] : [.left, "p"], "back", .back),
      // What is known helps with the rest, so it stands where a small screen has room.
      KeyBinding("?", "help", .help), KeyBinding("q", "quit", .quit), KeyBinding("g", "go to", .goTo),
      KeyBinding([.tab], "pane", .nextPane), KeyBinding("/", "filter", .filter), KeyBinding("b", "blame", .blame),
      KeyBinding("s", "search", .search),
      KeyBinding([.up], "", .up), KeyBinding([.down], "", .down), KeyBinding([.pageUp], "", .pageUp),
      KeyBinding([.pageDown], "", .pageDown), KeyBinding([.home], "", .first), KeyBinding([.end], "", .last),
      KeyBinding([.left], "", .close, isEnabled: isState), KeyBinding([.right], "", .open, isEnabled: isState),
      KeyBinding([.enter, " "], "", .toggle), KeyBinding([.backTab], "", .previousPane),
      KeyBinding("0", "", .start), KeyBinding("$", "", .end), KeyBinding("S", "", .searchAgain),
      KeyBinding("j", "", .goToBlamed), KeyBinding("c", "", .compare), KeyBinding([.escape], "", .leave),
    ]
  }

  /// Does what a key asks for.
  func handle(_ key: TerminalUI.Key) -> KeyResponse {
    message = ""
    if prompt != nil { return type(key) }
    if let line = helpLine, key != "q" {
      switch key {
      case .down, .pageDown: helpLine = line + 1
      case .up, .pageUp: helpLine = max(0, line - 1)
      default: helpLine = nil
      }
      return .handled
    }
    if let step = markStep(key) { return goToMark(step) }
    guard let command = KeyBinding.command(of: key, in: bindings) else {
      tell("? shows the keys")
      return .ignored
    }
    return perform(command)
  }

  private func perform(_ command: Command) -> KeyResponse {
    switch command {
    case .back: go(to: place.revision - 1)
    case .forward: go(to: place.revision + 1)
    case .start: go(to: 0)
    case .end: goToEnd()
    case .up: move(by: -1)
    case .down: move(by: 1)
    case .pageUp: move(by: -pageRows)
    case .pageDown: move(by: pageRows)
    case .first: move(by: -.max)
    case .last: move(by: .max)
    case .close: close()
    case .open: openOrEnter()
    case .toggle: toggle()
    case .nextPane: turnPane(by: 1)
    case .previousPane: turnPane(by: -1)
    case .goTo: prompt = (.point, TextField())
    case .filter: prompt = (.filter, TextField())
    case .search: prompt = (.search, TextField())
    case .searchAgain: search(searched)
    case .blame: askForBlame()
    case .goToBlamed: goToBlamed()
    case .compare: toggleComparison()
    case .help: helpLine = 0
    case .leave:
      // Escape leaves what is nearest: a remark, which every key wipes, an answer, a filter. Never the screen: who presses it
      // once too often would type the next keys into a shell.
      if blamed != nil { forgetBlame() } else if filter != nil { startFilter("") } else { tell("q quits") }
    case .quit: return .finish
    }
    return .handled
  }

  /// What is typed into the line at the bottom, until Enter or Escape.
  private func type(_ key: TerminalUI.Key) -> KeyResponse {
    guard let (kind, field) = prompt else { return .ignored }
    switch key {
    case .escape: prompt = nil
    case .enter:
      prompt = nil
      let text = field.text
      switch kind {
      case .point: if !text.isEmpty { goTo(text) }
      case .filter: startFilter(text)
      case .search: search(text)
      }
    default: return prompt?.field.handle(key) == true ? .handled : .ignored
    }
    return .handled
  }

  private func goTo(_ text: String) {
    do {
      go(to: try resolve(text))
    } catch {
      tell(error)
    }
  }

  private func goToEnd() {
    do {
      try place.refresh()
      go(to: last)
    } catch {
      tell(error)
    }
  }
}

// MARK: - Panes

extension HistoryScreen {
  private func turnPane(by step: Int) {
    let all = Pane.allCases
    guard let index = all.firstIndex(of: pane) else { return }
    pane = all[(index + step + all.count) % all.count]
  }

  private var pageRows: Int {
    switch pane {
    case .actions: max(1, scrolls.actionRows - 1)
    case .state: max(1, scrolls.stateRows - 1)
    case .changes: max(1, scrolls.changeRows - 1)
    }
  }

  /// Moves the selection of the pane that has the keyboard; as far as possible for a step that is too long.
  private func move(by step: Int) {
    switch pane {
    case .actions: moveInActions(by: step)
    case .state: select(row: clamped(selectedRow, by: step, to: rows.rows.count - 1))
    case .changes:
      scrolls.changes = clamped(scrolls.changes, by: step, to: max(0, scrolls.changeLines - scrolls.changeRows))
    }
  }

  private func clamped(_ value: Int, by step: Int, to limit: Int) -> Int {
    let (sum, isOverflow) = value.addingReportingOverflow(step)
    return isOverflow ? (step < 0 ? 0 : limit) : min(max(0, sum), limit)
  }

  private func moveInActions(by step: Int) {
    guard let filter else {
      if abs(step) == 1 { return go(to: place.revision + step) }
      return step == .max ? goToEnd() : go(to: clamped(place.revision, by: step, to: last))
    }
    guard !filter.revisions.isEmpty else { return }
    let here = filter.index(atOrBefore: place.revision)
    // Between two that were found, one step back leads to the one before.
    let isBetween = here < 0 || filter.revisions[here] != place.revision
    let start = isBetween && step < 0 ? here + 1 : here
    go(to: filter.revisions[clamped(max(start, step < 0 ? 0 : -1), by: step, to: filter.revisions.count - 1)])
  }

  private func close() {
    let row = rows.rows[selectedRow]
    guard row.isOpen else {
      if let parent = row.pointer.parent { select(parent) }
      return
    }
    open.remove(row.pointer)
    opened.remove(row.pointer)
    updateRows()
    reveal(selectedRow)
  }

  private func openOrEnter() {
    let row = rows.rows[selectedRow]
    guard row.size ?? 0 > 0 else { return }
    if row.isOpen { return select(row: selectedRow + 1) }
    open.insert(row.pointer)
    updateRows()
  }

  private func toggle() {
    guard pane == .state else { return go(to: place.revision + 1) }
    if rows.rows[selectedRow].isOpen { close() } else { openOrEnter() }
  }

  private func markStep(_ key: TerminalUI.Key) -> Int? { key == "[" ? -1 : key == "]" ? 1 : nil }

  private func goToMark(_ step: Int) -> KeyResponse {
    let revisions = marks.map(\.revision).sorted()
    let found =
      step > 0
      ? revisions.first { revision in revision > place.revision }
      : revisions.last { revision in revision < place.revision }
    if let found { go(to: found) } else { tell(marks.isEmpty ? "the log has no marks" : "there is no mark further on") }
    return .handled
  }
}
