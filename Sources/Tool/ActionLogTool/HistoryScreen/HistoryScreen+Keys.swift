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
      KeyBinding("o", onlyChanged ? "all values" : "only changes", .onlyChanged),
      KeyBinding("x", "what if", .switchOff),
      KeyBinding("f", "follow", .follow), KeyBinding("y", "copy", .copy), KeyBinding("T", "test", .writeTest),
      KeyBinding("R", "report", .writeReport), KeyBinding("t", "", .times),
      KeyBinding("X", "", .switchAllOn), KeyBinding("r", "", .replace), KeyBinding("i", "", .insert),
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
    if case .mouse(let event) = key { return handle(event) }
    if prompt != nil { return type(key) }
    if isCopying { return copy(key) }
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
    case .filter: prompt = ScreenPrompt(kind: .filter, formerFilter: filter, formerPane: pane)
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
    case .onlyChanged: toggleOnlyChanged()
    case .times: showsTimes = !scrolls.showsTimes
    case .follow: toggleFollowing()
    case .copy:
      isCopying = true
      report("copy: y the path of the selected value, v its value, a the action, c the command for it; Esc nothing")
    case .switchOff: switchOff()
    case .switchAllOn: switchAllOn()
    case .replace: typeEdit(isReplacement: true)
    case .insert: typeEdit(isReplacement: false)
    case .writeTest: prompt = ScreenPrompt(kind: .testFile, last: "Revision\(place.revision)Tests.swift")
    case .writeReport: prompt = ScreenPrompt(kind: .reportFile, last: "revision-\(place.revision).jsonl")
    case .help: helpLine = 0
    case .leave: cancelInnermost()
    case .quit:
      endFollowing()
      return .finish
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
    case .replacement(let revision): try takeEdit(text, at: revision, isReplacement: true)
    case .insertion(let revision): try takeEdit(text, at: revision, isReplacement: false)
    case _ where text.isEmpty: break
    case .point: go(toPoint: text)
    case .search: search(text)
    case .until: try goUntil(text, isForward: true)
    case .reverseUntil: try goUntil(text, isForward: false)
    case .bisect: try bisect(text)
    case .testFile: write(text, "a test", services.writeTest)
    case .reportFile: write(text, "a bug report", services.writeReport)
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

// MARK: - Mouse

extension HistoryScreen {
  /// The rows that a turn of the wheel scrolls.
  private static let wheelRows = 3
  /// The columns of the sign in front of a container.
  private static let twistyColumns = 2

  /// Handles the mouse: a click selects a row, a point of the slider, or a pane; the wheel scrolls.
  private func handle(_ event: MouseEvent) -> KeyResponse {
    if event.kind != .press { return scroll(event, by: event.kind == .wheelUp ? -Self.wheelRows : Self.wheelRows) }
    guard prompt == nil else { return .ignored }
    if helpLine != nil {
      helpLine = nil
      return .handled
    }
    defer { pauseFollowing() }
    if let (_, column) = scrolls.slider.location(of: event) {
      go(to: revision(atColumn: column, of: scrolls.slider.width))
      return .handled
    }
    for (pane, frame) in scrolls.frames {
      if let (row, column) = frame.location(of: event) {
        let wasFocused = self.pane == pane
        self.pane = pane
        click(row, column, in: pane, wasFocused: wasFocused)
        return .handled
      }
      // The heading is above the rows.
      var heading = frame
      (heading.row, heading.height) = (frame.row - 1, 1)
      if heading.location(of: event) != nil {
        self.pane = pane
        return .handled
      }
    }
    return .ignored
  }

  private func click(_ row: Int, _ column: Int, in pane: Pane, wasFocused: Bool) {
    switch pane {
    case .actions:
      let index = scrolls.actions + row
      if let filter {
        if index < filter.revisions.count { go(to: filter.revisions[index]) }
      } else if first + index <= last {
        go(to: first + index)
      }
    case .state:
      let index = scrolls.state + row
      guard index < rows.count else { return }
      let twisty = Self.indent(of: rows[index])
      let isSame = wasFocused && index == selectedRow
      select(row: index)
      if isSame || (twisty..<twisty + Self.twistyColumns).contains(column) { toggle() }
    case .changes: break
    }
  }

  /// Scrolls the pane below the mouse, without moving its selection.
  private func scroll(_ event: MouseEvent, by step: Int) -> KeyResponse {
    if let line = helpLine {
      helpLine = max(0, line + step)
      return .handled
    }
    guard let pane = scrolls.frames.first(where: { _, frame in frame.location(of: event) != nil })?.key else {
      return .ignored
    }
    switch pane {
    case .actions:
      scrolls.isActionsFree = true
      scrolls.actions = max(0, scrolls.actions + step)
    case .state: scrolls.state = max(0, scrolls.state + step)
    case .changes: scrolls.changes = max(0, scrolls.changes + step)
    }
    return .handled
  }
}

// MARK: - Showing and copying

extension HistoryScreen {
  /// Shows only what changed, or everything again.
  private func toggleOnlyChanged() {
    onlyChanged.toggle()
    showChanges()
    report(onlyChanged ? "only what changed; o shows everything" : "")
  }

  /// Handles the key after `y`, as in the page of `inspect`.
  private func copy(_ key: Key) -> KeyResponse {
    isCopying = false
    do {
      switch key {
      case "y":
        if pointer == .root {
          report("the path of the whole state is empty: select a value")
        } else {
          copy(pointer.description, pointer.description)
        }
      case "v":
        guard let value = place.tree[pointer] else {
          report("the value does not exist")
          break
        }
        copy("\(value)", "the value of \(name(of: pointer))")
      case "a": try copyAction()
      case "c": copy(command, command)
      default: report("nothing was copied")
      }
    } catch {
      report(error)
    }
    return .handled
  }

  /// Copies the action as `record` takes it.
  private func copyAction() throws {
    guard let record = try window.record(at: place.revision, last: last) else {
      return report("there is no action here")
    }
    var object: JSONObject = ["type": .string(record.type), "data": try JSONValue(parsing: record.data)]
    if let meta = record.meta { object["meta"] = try JSONValue(parsing: meta) }
    copy("\(JSONValue.object(object))", "action \(record.revision)")
  }

  /// The command that prints what is shown: a comparison, a value that the user selected, or else the action.
  private var command: String {
    let (log, revision) = (ShellWord(history.reader.path).description, place.revision)
    if let base = place.base { return "\(services.toolName) diff \(log) \(base) \(revision)" }
    if isPointerChosen || revision == first {
      let path = pointer == .root ? "" : " --path \(ShellWord(pointer.description))"
      return "\(services.toolName) state \(log) --at \(revision)\(path)"
    }
    return "\(services.toolName) show \(log) \(revision)"
  }
}
