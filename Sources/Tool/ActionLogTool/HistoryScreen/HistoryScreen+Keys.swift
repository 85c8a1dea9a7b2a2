import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

extension HistoryScreen {
  /// The current key bindings. The help line shows as many of the first ones as fit.
  var bindings: [KeyBinding<Command>] {
    let isState = pane == .state
    return [
      KeyBinding(isState ? ["n"] : [.right, "n", " "], "next", .forward),
      KeyBinding(isState ? ["p"] : [.left, "p"], "back", .back),
      // Help and quit are visible even on a small screen.
      KeyBinding("?", "help", .help), KeyBinding("q", "quit", .quit), KeyBinding("g", "go to", .goTo),
      KeyBinding([.tab], "pane", .nextPane), KeyBinding("/", "filter", .filter), KeyBinding("b", "blame", .blame),
      KeyBinding("s", "search", .search), KeyBinding("h", "history", .history), KeyBinding("u", "until", .until),
      KeyBinding("m", "mark", .mark), KeyBinding("B", "bisect", .bisect),
      KeyBinding([.up], "", .up), KeyBinding([.down], "", .down), KeyBinding([.pageUp], "", .pageUp),
      KeyBinding([.pageDown], "", .pageDown), KeyBinding([.home], "", .first), KeyBinding([.end], "", .last),
      KeyBinding([.left], "", .close, isEnabled: isState), KeyBinding([.right], "", .open, isEnabled: isState),
      KeyBinding([.enter, " "], "", .toggle), KeyBinding([.backTab], "", .previousPane),
      KeyBinding("0", "", .start), KeyBinding(["$", "G"], "", .end), KeyBinding("S", "", .searchAgain),
      KeyBinding("U", "", .reverseUntil), KeyBinding("[", "", .previousMark), KeyBinding("]", "", .nextMark),
      KeyBinding("j", "", .goToBlamed), KeyBinding("c", "", .compare), KeyBinding([.escape], "", .leave),
    ]
  }

  /// Handles a key.
  func handle(_ key: Key) -> KeyResponse {
    message = ScreenMessage()
    if prompt != nil { return type(key) }
    if let line = helpLine, key != "q" {
      switch key {
      case .down, .pageDown: helpLine = line + 1
      case .up, .pageUp: helpLine = max(0, line - 1)
      default: helpLine = nil
      }
      return .handled
    }
    guard let command = KeyBinding.command(of: key, in: bindings) else {
      report("? shows the keys")
      return .ignored
    }
    return perform(command)
  }

  private func perform(_ command: Command) -> KeyResponse {
    switch command {
    case .back: go(to: here - 1)
    case .forward: go(to: here + 1)
    case .start: go(to: 0)
    case .end: go(to: .end)
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
    case .goTo: prompt = ScreenPrompt(kind: .point)
    case .filter: prompt = ScreenPrompt(kind: .filter)
    case .search: prompt = ScreenPrompt(kind: .search)
    case .searchAgain: search(searched)
    case .until: prompt = ScreenPrompt(kind: .until, last: condition)
    case .reverseUntil: prompt = ScreenPrompt(kind: .reverseUntil, last: condition)
    case .bisect: prompt = ScreenPrompt(kind: .bisect, last: condition)
    case .mark: prompt = ScreenPrompt(kind: .markName)
    case .previousMark: goToMark(-1)
    case .nextMark: goToMark(1)
    case .blame: askForBlame()
    case .goToBlamed: goToBlamed()
    case .history: showHistory()
    case .compare: toggleComparison()
    case .help: helpLine = 0
    case .leave: cancelInnermost()
    case .quit: return .finish
    }
    return .handled
  }

  /// Cancels the move or the query in progress, or else closes the answer or the filter. Escape never ends the screen, because
  /// the user's next keys would go to the shell.
  private func cancelInnermost() {
    if cancelMove() {
      report("stayed at revision \(place.revision)")
    } else if cancelQuestion() {
      report("the query was canceled")
    } else if blamed != nil {
      forgetBlame()
    } else if filter != nil {
      leaveFilter()
    } else {
      report("q quits")
    }
  }

  /// Handles a key while a prompt is open.
  private func type(_ key: Key) -> KeyResponse {
    guard var prompt else { return .ignored }
    prompt.fault = nil
    defer { self.prompt = prompt.isOpen ? prompt : nil }
    switch key {
    case .escape: prompt.isOpen = false
    case .enter:
      do {
        prompt = try answer(prompt)
      } catch {
        prompt.note(error)
      }
    default: return prompt.field.handle(key) ? .handled : .ignored
    }
    return .handled
  }

  /// Executes the input of a prompt.
  ///
  /// - Returns: The prompt, closed, or the next one.
  /// - Throws: If the input is invalid. The prompt stays open for corrections.
  private func answer(_ prompt: ScreenPrompt) throws -> ScreenPrompt {
    var prompt = prompt
    prompt.isOpen = false
    let text = prompt.field.isEmpty ? prompt.last : prompt.field.text
    // Only some prompts accept empty input.
    switch prompt.kind {
    case .filter: try startFilter(text)
    case .markRemark(let name): mark(name, remark: text)
    case _ where text.isEmpty: break
    case .point: go(toPoint: text)
    case .search: search(text)
    case .until: try goUntil(text, isForward: true)
    case .reverseUntil: try goUntil(text, isForward: false)
    case .bisect: try bisect(text)
    case .markName:
      // An invalid name is reported before the remark is requested.
      return ScreenPrompt(kind: .markRemark(name: try Mark(text, at: here, time: .earliest).name))
    }
    return prompt
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

  /// Moves the selection of the focused pane, clamped to its rows.
  private func move(by step: Int) {
    switch pane {
    case .actions: moveInActions(by: step)
    case .state: select(row: clamped(selectedRow, by: step, to: rows.count - 1))
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
      if abs(step) == 1 { return go(to: here + step) }
      return step == .max ? go(to: .end) : go(to: clamped(here, by: step, to: last))
    }
    guard !filter.revisions.isEmpty else { return }
    let place = filter.index(atOrBefore: here)
    // Between two matches, one step back leads to the previous one.
    let isBetween = place < 0 || filter.revisions[place] != here
    let start = isBetween && step < 0 ? place + 1 : place
    go(to: filter.revisions[clamped(max(start, step < 0 ? 0 : -1), by: step, to: filter.revisions.count - 1)])
  }

  private func close() {
    let row = rows[selectedRow]
    guard row.isOpen else {
      if let parent = row.pointer.parent { select(parent) }
      return
    }
    open.remove(row.pointer)
    autoOpened.remove(row.pointer)
    updateRows()
    reveal(selectedRow)
  }

  private func openOrEnter() {
    let row = rows[selectedRow]
    guard row.size ?? 0 > 0 else { return }
    if row.isOpen { return select(row: selectedRow + 1) }
    open.insert(row.pointer)
    updateRows()
  }

  private func toggle() {
    guard pane == .state else { return go(to: here + 1) }
    if rows[selectedRow].isOpen { close() } else { openOrEnter() }
  }
}
