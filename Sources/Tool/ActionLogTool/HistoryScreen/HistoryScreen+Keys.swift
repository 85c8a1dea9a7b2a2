import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

extension HistoryScreen {
  /// The help line shows as many of the first ones as fit.
  var bindings: [KeyBinding<Command>] { shownBindings + otherBindings }

  /// Help and quit are visible even on a small screen.
  var shownBindings: [KeyBinding<Command>] {
    let isState = pane == .state
    return [
      KeyBinding(isState ? ["n"] : [.right, "n", " "], "next") { screen in screen.go(to: screen.here + 1) },
      KeyBinding(isState ? ["p"] : [.left, "p"], "back") { screen in screen.go(to: screen.here - 1) },
      KeyBinding("?", "help") { screen in screen.helpLine = 0 },
      KeyBinding("q", "quit") { screen in
        screen.endFollowing()
        screen.response = .finish
      },
      KeyBinding("g", "go to") { screen in screen.prompt = ScreenPrompt(kind: .point) },
      KeyBinding([.tab], "pane") { screen in screen.turnPane(by: 1) },
      KeyBinding("/", "filter") { screen in
        screen.prompt = ScreenPrompt(kind: .filter, formerFilter: screen.filter, formerPane: screen.pane)
      },
      KeyBinding("b", "blame") { screen in screen.askForBlame() },
      KeyBinding("s", "search") { screen in screen.prompt = ScreenPrompt(kind: .search) },
      KeyBinding("h", "history") { screen in screen.showHistory() },
      KeyBinding("u", "until") { screen in screen.prompt = ScreenPrompt(kind: .until, last: screen.condition) },
      KeyBinding("m", "mark") { screen in screen.prompt = ScreenPrompt(kind: .markName) },
      KeyBinding("B", "bisect") { screen in screen.prompt = ScreenPrompt(kind: .bisect, last: screen.condition) },
      KeyBinding("o", onlyChanged ? "all values" : "only changes") { screen in screen.toggleOnlyChanged() },
      KeyBinding("x", "what if") { screen in screen.switchOff() },
      KeyBinding("f", "follow") { screen in screen.toggleFollowing() },
      KeyBinding("T", "test") { screen in
        screen.prompt = ScreenPrompt(kind: .testFile, last: "Revision\(screen.place.revision)Tests.swift")
      },
      KeyBinding("R", "report") { screen in
        screen.prompt = ScreenPrompt(kind: .reportFile, last: "revision-\(screen.place.revision).jsonl")
      },
    ]
  }

  private var otherBindings: [KeyBinding<Command>] {
    let isState = pane == .state
    return [
      KeyBinding("t") { screen in screen.showsTimes = !screen.scrolls.showsTimes },
      KeyBinding("X") { screen in screen.switchAllOn() },
      KeyBinding("r") { screen in screen.typeEdit(.replace) },
      KeyBinding("i") { screen in screen.typeEdit(.insert) },
      KeyBinding([.up]) { screen in screen.move(by: -1) }, KeyBinding([.down]) { screen in screen.move(by: 1) },
      KeyBinding([.pageUp]) { screen in screen.move(by: -screen.pageRows) },
      KeyBinding([.pageDown]) { screen in screen.move(by: screen.pageRows) },
      KeyBinding([.home]) { screen in screen.move(by: -.max) }, KeyBinding([.end]) { screen in screen.move(by: .max) },
      KeyBinding([.left], isEnabled: isState) { screen in screen.close() },
      KeyBinding([.right], isEnabled: isState) { screen in screen.openOrEnter() },
      KeyBinding([.enter, " "]) { screen in screen.toggle() },
      KeyBinding([.backTab]) { screen in screen.turnPane(by: -1) },
      KeyBinding("0") { screen in screen.go(to: 0) }, KeyBinding(["$", "G"]) { screen in screen.go(to: .end) },
      KeyBinding("S") { screen in screen.search(screen.searched) },
      KeyBinding("U") { screen in screen.prompt = ScreenPrompt(kind: .reverseUntil, last: screen.condition) },
      KeyBinding("[") { screen in screen.goToMark(-1) }, KeyBinding("]") { screen in screen.goToMark(1) },
      KeyBinding("j") { screen in screen.goToBlamed() }, KeyBinding("c") { screen in screen.toggleComparison() },
      KeyBinding([.escape]) { screen in screen.cancelInnermost() },
    ]
  }

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
    defer { pauseFollowing() }
    response = .handled
    command(self)
    return response
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

  private func type(_ key: Key) -> KeyResponse {
    guard var prompt else { return .ignored }
    prompt.fault = nil
    defer { self.prompt = prompt.isOpen ? prompt : nil }
    switch key {
    case .escape:
      prompt.isOpen = false
      if prompt.kind == .filter {
        restore(prompt.formerFilter)
        pane = prompt.formerPane ?? pane
      }
    case .enter:
      do {
        prompt = try answer(prompt)
      } catch {
        prompt.note(error)
      }
    default:
      let before = prompt.field.text
      guard prompt.field.handle(key) else { return .ignored }
      if prompt.kind == .filter, prompt.field.text != before {
        filterWhileTyping(prompt.field.text, instead: prompt.formerFilter)
      }
    }
    return .handled
  }

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
    case .edit(let kind, let revision): try takeEdit(text, kind, at: revision)
    case _ where text.isEmpty: break
    case .point: go(toPoint: text)
    case .search: search(text)
    case .until, .reverseUntil, .bisect: try go(where: text, prompt.kind)
    case .testFile: writeTest(text)
    case .reportFile: writeReport(text)
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
    max(1, scrolls[pane].rows - 1)
  }

  private func move(by step: Int) {
    switch pane {
    case .actions: moveInActions(by: step)
    case .state: select(row: clamped(selectedRow, by: step, to: rows.count - 1))
    case .changes:
      let scroll = scrolls[.changes]
      scrolls[.changes].offset = clamped(scroll.offset, by: step, to: max(0, scrolls.changeLines - scroll.rows))
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

extension HistoryScreen {
  private func toggleOnlyChanged() {
    onlyChanged.toggle()
    showChanges()
    report(onlyChanged ? "only what changed; o shows everything" : "")
  }
}
