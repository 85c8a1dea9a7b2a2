public import EventSourcing
import JSONCoding
public import TerminalUI
import TimeTravel

/// A screen of a terminal application with a debug drawer.
///
/// `[` opens the drawer unless the screen uses the key, for instance in a text field. The screen keeps the upper part and shows the
/// past in it. While the drawer is open, it handles all keys: `?` lists them. They mean the same as in `action-log tui`, except `[`
/// and `]`, which step.
@MainActor public final class DrawerScreen<M: Model>: TerminalScreen {
  private typealias Command = @MainActor @Sendable (DrawerScreen) -> Void

  private enum Prompt {
    case blame, branch

    var label: String {
      switch self {
      case .blame: "who changed"
      case .branch: "continue in the new log"
      }
    }
  }

  private let content: any TerminalScreen
  private let drawer: HistoryDrawer<M>
  private var list = SelectableList<Int>()
  private var selectedChange = 0
  private var prompt: Prompt?
  private var field = TextField()
  private var showsHelp = false
  private var pageRows = 1
  private var response = KeyResponse.handled

  /// The rows of the drawer: its title, its keys, and some actions; more are not needed, and the screen above must remain useful.
  private static var heights: ClosedRange<Int> { 6...16 }
  /// The least columns for the changes next to the actions.
  private static var wideColumns: Int { 50 }

  /// Creates a screen with a drawer.
  public init(_ content: any TerminalScreen, _ drawer: HistoryDrawer<M>) {
    self.content = content
    self.drawer = drawer
  }

  /// Whether the screen is done.
  public var isFinished: Bool { content.isFinished }
}

// MARK: - Keys

extension DrawerScreen {
  private var bindings: [KeyBinding<Command>] {
    let (drawer, isPast) = (drawer, drawer.revision != nil)
    let found = drawer.blame?.change
    return [
      KeyBinding("?", "help") { screen in screen.showsHelp = true },
      // Keys that are pressed before the log is read take effect after it.
      KeyBinding(["[", "p", .left, .up], "back", isEnabled: drawer.revision != drawer.revisions.lowerBound) { screen in
        screen.move(drawer.stepBackward)
      },
      KeyBinding(["]", "n", " ", .right, .down], "forward") { screen in screen.move(drawer.stepForward) },
      KeyBinding([.escape], drawer.blame == nil ? "live" : "close the answer") { _ in
        if drawer.blame != nil { drawer.dismissBlame() } else { drawer.close() }
      },
      KeyBinding("q", "quit") { screen in screen.response = .finish },
      KeyBinding("b", found == nil ? "who changed" : "earlier change", isEnabled: isPast) { screen in
        if found != nil { return drawer.askForEarlierChange() }
        screen.ask(.blame, drawer.blame?.pointer.description ?? screen.selectedPointer)
      },
      KeyBinding("C", "continue here", isEnabled: isPast) { screen in screen.ask(.branch, drawer.suggestedBranchPath) },
      KeyBinding([.tab], "next change", isEnabled: drawer.changes.count > 1) { screen in
        screen.selectedChange = (screen.selectedChange + 1) % max(1, drawer.changes.count)
      },
      KeyBinding(["j", .enter], "go there", isEnabled: found != nil) { screen in
        screen.move(drawer.moveToFoundChange)
      },
      KeyBinding([.pageUp], "page back") { screen in screen.move { drawer.move(by: -screen.pageRows) } },
      KeyBinding([.pageDown], "page forward") { screen in screen.move { drawer.move(by: screen.pageRows) } },
      KeyBinding(["0", .home], "start") { screen in screen.move { drawer.move(to: .start) } },
      KeyBinding(["$", "G", .end], "end") { screen in screen.move { drawer.move(to: .end) } },
      KeyBinding("f", "follow the present") { _ in drawer.close() },
    ]
  }

  private func move(_ move: () -> Void) {
    selectedChange = 0
    move()
  }

  /// Handles a key.
  public func handle(_ key: Key) -> KeyResponse {
    guard drawer.isOpen else {
      drawer.dismissMessage()
      let response = content.handle(key)
      guard response == .ignored, key == "[" else { return response }
      selectedChange = 0
      drawer.open()
      return .handled
    }
    if showsHelp {
      showsHelp = false
      return .handled
    }
    if let prompt { return answer(prompt, key) }
    guard let command = KeyBinding.command(of: key, in: bindings) else { return .ignored }
    response = .handled
    command(self)
    return response
  }

  private var selectedPointer: String {
    let changes = drawer.changes
    return changes.indices.contains(selectedChange) ? changes[selectedChange].pointer.description : "/"
  }

  private func ask(_ prompt: Prompt, _ text: String) {
    self.prompt = prompt
    field.text = text
  }

  private func answer(_ prompt: Prompt, _ key: Key) -> KeyResponse {
    switch key {
    case .escape: self.prompt = nil
    case .enter:
      self.prompt = nil
      switch prompt {
      case .blame: drawer.askWhoChanged(field.text)
      case .branch: drawer.branch(to: field.text)
      }
    default: return field.handle(key) ? .handled : .ignored
    }
    return .handled
  }
}

// MARK: - Drawing

extension DrawerScreen {
  /// Draws the screen, and the drawer below it.
  public func render(on canvas: Canvas) {
    guard drawer.isOpen else {
      content.render(on: canvas)
      guard let message = drawer.message, canvas.height > 1 else { return }
      // The result of a branch, until the next command.
      canvas.part(row: canvas.height - 1, height: 1).fill()
      canvas.write(StyledText(message, .color(.yellow)), row: canvas.height - 1)
      return
    }
    let height = min(max(canvas.height / 2, Self.heights.lowerBound), Self.heights.upperBound)
    let parts = canvas.rows(.flexible(), .fixed(height))
    content.render(on: parts[0])
    drawDrawer(in: parts[1])
    if showsHelp { InfoDialog("Keys of the past", keysOf: bindings).draw(in: canvas) }
  }

  private func drawDrawer(in canvas: Canvas) {
    let rows = canvas.rows(.fixed(1), .flexible(), .fixed(1))
    StatusLine(StyledText(" the past of \(drawer.store.live.path)", .bold), trailing: position).draw(in: rows[0])
    if canvas.width >= Self.wideColumns {
      let columns = rows[1].columns(.flexible(), .flexible(), separator: true)
      drawActions(in: columns[0])
      drawChanges(in: columns[1])
    } else {
      drawActions(in: rows[1])
    }
    if let prompt {
      field.draw(in: rows[2], label: prompt.label)
    } else if showsHelp {
      rows[2].write("any key closes", row: 0, style: .dim)
    } else if let message = drawer.message {
      rows[2].write(StyledText(message, .color(.yellow)), row: 0)
    } else {
      KeyBinding.draw(bindings, in: rows[2])
    }
  }

  private var position: StyledText {
    guard let revision = drawer.revision else { return drawer.pendingCount > 0 ? "reading… " : "live " }
    return StyledText("revision \(revision) of \(drawer.revisions.upperBound) ")
  }

  private func drawActions(in canvas: Canvas) {
    pageRows = max(1, canvas.height)
    let actions = Dictionary(drawer.actions.map { action in (action.revision, action) }) { first, _ in first }
    var ids = drawer.actions.map(\.revision)
    let beginning = drawer.revisions.lowerBound
    // The start of the log has no action.
    if let first = ids.first, first == beginning + 1 { ids.insert(beginning, at: 0) }
    let columns = String(ids.last ?? 0).count
    list.selection = drawer.revision
    list.draw(ids, in: canvas) { id in
      let number = StyledText(String(id), .color(.cyan)).fitted(to: columns, trailing: true) + " "
      guard let action = actions[id] else { return number + StyledText("the start", .dim) }
      let cause = action.cause.map { cause in StyledText(" ← \(cause)", .color(.magenta)) } ?? ""
      let time = StyledText("\(action.time.dropFirst(11).prefix(8)) ", .dim)
      return number + time + StyledText(action.type) + cause + StyledText(" \(action.data)", .dim)
    }
  }

  private func drawChanges(in canvas: Canvas) {
    var row = 0
    if let text = drawer.blameText { row = canvas.paragraph(text, row: row, style: .bold) }
    let changes = drawer.changes
    if changes.isEmpty {
      canvas.write(StyledText(drawer.revision == nil ? "" : "nothing changed", .dim), row: row)
      return
    }
    let room = max(1, canvas.height - row)
    let first = max(0, min(selectedChange - room + 1, changes.count - room))
    for (index, change) in changes.enumerated().dropFirst(first).prefix(room) {
      let mark = index == selectedChange && changes.count > 1 ? "› " : "  "
      canvas.write(StyledText(mark + change.description, Self.style(change.kind)), row: row)
      row += 1
    }
    let more = drawer.changeCount - changes.count
    if more > 0, row < canvas.height { canvas.write("  … and \(more) more", row: row, style: .dim) }
  }

  private static func style(_ kind: StateChange.Kind) -> CellStyle {
    switch kind {
    case .added: .color(.green)
    case .removed: .color(.red)
    case .changed: .color(.yellow)
    }
  }
}
