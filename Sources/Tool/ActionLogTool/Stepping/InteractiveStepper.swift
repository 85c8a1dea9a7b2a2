import ActionLog
import Platform
import TerminalUI
import TimeTravel

/// The loop of an interactive `step`: draws, waits for keys and moves.
///
/// Keys are handled during a move. A step begins after the moves before it; a jump cancels them.
@MainActor final class InteractiveStepper {
  /// An event of the loop.
  private enum Event: Sendable {
    /// Keys were read; empty at the end of the input.
    case input(Result<[UInt8], any Error>)
    /// A move has ended.
    case moved
  }

  private let context: CommandContext
  private let terminal: any ToolTerminal
  private let resolver: PointResolver
  private let stepper: Stepper
  private let events: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation
  private var screen: StepScreen
  /// The view of the current revision.
  private var view: StepView
  /// The moves that have not ended, in order.
  private var moves: [Task<Void, Never>] = []
  private var isDone = false

  /// Switches to the alternate screen, hides the cursor, and turns off line wrapping.
  private static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J"
  private static let leave = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
  /// The size of a read: more than a user types between two reads.
  private nonisolated static let keyLimitBytes = 64
  private static let escape: UInt8 = 0x1B

  init(
    _ stepper: Stepper, at view: StepView, context: CommandContext, terminal: any ToolTerminal, resolver: PointResolver
  ) {
    self.stepper = stepper
    self.view = view
    self.context = context
    self.terminal = terminal
    self.resolver = resolver
    self.screen = StepScreen(model: stepper.model, style: context.output.style)
    (events, continuation) = AsyncStream.makeStream()
  }

  /// Runs until the user quits or the input ends.
  func run() async throws {
    context.environment.stop.accept()
    try terminal.beginKeyInput()
    defer { terminal.endKeyInput() }
    try context.output.text(Self.enter)
    do {
      defer { cancelMoves() }
      try await loop()
    } catch {
      try context.output.text(Self.leave)
      throw error
    }
    try context.output.text(Self.leave)
  }

  private func loop() async throws {
    var decoder = KeyDecoder()
    var hasEnded = false
    var events = events.makeAsyncIterator()
    try draw()
    read()
    // At the end of the input, the moves that were requested are shown.
    while !isDone, !hasEnded || !moves.isEmpty, let event = await events.next() {
      switch event {
      case .moved: break
      case .input(let input):
        let bytes = try input.get()
        hasEnded = bytes.isEmpty
        var keys = decoder.decode(bytes)
        // An Escape byte at the end of a read is the Escape key.
        if bytes.last == Self.escape { keys += decoder.flush() }
        for key in keys where !isDone {
          screen.message = nil
          if screen.prompt == nil { handle(key) } else { type(key) }
        }
        if !isDone, !hasEnded { read() }
      }
      if !isDone { try draw() }
    }
  }

  /// Reads keys once. After the key that quits nothing more is read, so that the shell gets it.
  private func read() {
    let (input, continuation) = (context.environment.standardInput, continuation)
    BlockingWork.start { continuation.yield(.input(Result { try input.read(limit: Self.keyLimitBytes) })) }
  }

  private func draw() throws {
    let size = terminal.size
    try context.output.text(screen.frame(view, columns: size.columns, rows: size.rows))
  }
}

// MARK: - Keys

extension InteractiveStepper {
  private func handle(_ key: Key) {
    if screen.pane == .help, closesHelp(key) { return }
    switch key {
    case .character("q"), .escape: isDone = true
    case .character("n"), .character(" "), .right, .enter: step(by: 1)
    case .character("p"), .character("b"), .left, .backspace: step(by: -1)
    case .character("0"), .home:
      let first = view.firstRevision
      jump { first }
    case .character("$"), .character("G"), .end:
      let last = view.lastRevision
      jump { last }
    case .character("g"): screen.prompt = ""
    case .character("s"): show(screen.pane == .state ? .changes : .state)
    case .character("?"), .character("h"): show(screen.pane == .help ? .changes : .help)
    case .up: scroll(by: -1)
    case .down: scroll(by: 1)
    case .pageUp: scroll(by: -max(1, terminal.size.rows / 2))
    case .pageDown: scroll(by: max(1, terminal.size.rows / 2))
    default: screen.message = "? shows the keys"
    }
  }

  /// Closes the help at any key that does not scroll it.
  ///
  /// - Returns: Whether the key has no other effect.
  private func closesHelp(_ key: Key) -> Bool {
    switch key {
    case .up, .down, .pageUp, .pageDown, .character("?"), .character("h"): return false
    case .escape, .enter, .backspace:
      show(.changes)
      return true
    default:
      show(.changes)
      return false
    }
  }

  /// Handles a key of the prompt that `g` opens.
  private func type(_ key: Key) {
    switch key {
    case .enter:
      let text = screen.prompt ?? ""
      screen.prompt = nil
      guard !text.isEmpty else { return }
      jump { [resolver] in try await BlockingWork.run { try resolver.revision(text) } }
    case .escape: screen.prompt = nil
    case .backspace: screen.prompt = screen.prompt.map { text in String(text.dropLast()) }
    case .character(let character): screen.prompt?.append(character)
    default: break
    }
  }

  private func show(_ pane: StepScreen.Pane) {
    screen.pane = pane
    screen.scroll = 0
  }

  private func scroll(by lines: Int) {
    screen.scroll = max(0, screen.scroll + lines)
    limitScroll()
  }

  /// Scrolls back to the last line. During a move, the lines that will be shown are not known.
  private func limitScroll() {
    if moves.isEmpty { screen.scroll = min(screen.scroll, max(0, screen.lineCount(view) - 1)) }
  }
}

// MARK: - Moves

extension InteractiveStepper {
  /// Moves by one action, after the moves in progress.
  private func step(by distance: Int) {
    let first = view.firstRevision
    start { [stepper] revision in
      guard revision + distance >= first else { throw ToolFailure.usage(Self.start) }
      return try await stepper.jump(to: revision + distance)
    }
  }

  /// Moves to a revision instead of the moves in progress.
  private func jump(to target: @escaping @Sendable () async throws -> Int) {
    cancelMoves()
    start { [stepper] _ in try await stepper.jump(to: try await target()) }
  }

  private func cancelMoves() {
    for move in moves { move.cancel() }
  }

  /// Starts a move after the previous ones. If it fails, nothing changes and the error is shown.
  private func start(_ move: @escaping @Sendable (_ revision: Int) async throws -> StepView) {
    screen.scroll = 0
    let previous = moves.last
    moves.append(
      Task {
        await previous?.value
        do {
          try Task.checkCancellation()
          view = try await move(view.revision)
        } catch is CancellationError {
          // A later move replaced it.
        } catch {
          screen.message = message(for: error)
        }
        moves.removeFirst()
        limitScroll()
        continuation.yield(.moved)
      })
  }

  private nonisolated static let start = "this is the start"

  private func message(for error: any Error) -> String {
    let failure = ToolFailure(any: error)
    guard failure.codeName == LogError.Code.revisionOutOfRange.rawValue else { return failure.message }
    let last = view.lastRevision
    return view.revision == last ? "this is the end" : "the log has revisions \(view.firstRevision)…\(last)"
  }
}

/// The screen of an interactive `step`: a heading, the changes or the state, and the key bindings.
struct StepScreen {
  /// The contents of the middle of the screen.
  enum Pane: Equatable { case changes, state, help }

  var pane = Pane.changes
  /// The number of lines of the pane above the visible ones.
  var scroll = 0
  /// The message of the last key, if any.
  var message: String?
  /// The input of the prompt; `nil` if it is closed.
  var prompt: String?

  private let model: String
  private let style: Style

  init(model: String, style: Style) {
    self.model = model
    self.style = style
  }

  private static let help = [
    "n  →  space   one action forward",
    "p  ←          one action back",
    "0  Home       the start",
    "$  End        the end",
    "g             go to a point: 42, -3, end, 2026-11-21T09:00:05Z, 5m ago",
    "s             the whole state, or only what changed",
    "↑ ↓ PgUp PgDn scroll",
    "q             quit",
  ]

  /// The text to send for a terminal of a size.
  func frame(_ view: StepView, columns: Int, rows: Int) -> String {
    let heading = headingLines(view, columns: columns)
    let room = max(1, rows - heading.count - 2)
    let body = paneLines(view)
    let start = min(scroll, max(0, body.count - room))
    var lines = heading + [""] + body[start...].prefix(room)
    while lines.count < rows - 1 { lines.append("") }
    lines = Array(lines.prefix(max(0, rows - 1)))
    lines.append(footer(hidden: max(0, body.count - start - room), columns: columns))
    // Each line clears the rest of its row. The last one has no line feed, which would scroll the screen.
    return "\u{1B}[H" + lines.map { line in line + "\u{1B}[K" }.joined(separator: "\n")
  }

  /// The number of lines of the pane, which limits scrolling.
  func lineCount(_ view: StepView) -> Int { paneLines(view).count }

  private func headingLines(_ view: StepView, columns: Int) -> [String] {
    let place = "revision \(view.revision) of \(view.lastRevision)"
    guard let record = view.record else {
      return [style.bold(TerminalText.escaping(model)) + "  " + place, "the start", ""]
    }
    let data = String(decoding: record.dataBytes, as: UTF8.self)
    return [
      style.bold(TerminalText.escaping(model)) + "  " + place + "  " + style.dim(RecordText.time(record.time)),
      style.bold(TerminalText.escaping(record.type, columns: columns)),
      TerminalText.escaping(data, columns: columns),
    ]
  }

  private func paneLines(_ view: StepView) -> [String] {
    switch pane {
    case .changes: view.changeLines(style)
    case .state: view.stateLines(style)
    case .help: Self.help
    }
  }

  private func footer(hidden: Int, columns: Int) -> String {
    if let prompt { return "go to: " + TerminalText.escaping(prompt) + "▏" }
    let keys = "n next  p back  g go to  s \(pane == .state ? "changes" : "state")  ? help  q quit"
    let more = hidden > 0 ? "  (\(hidden) more lines)" : ""
    let text = message.map { message in TerminalText.escaping(message) } ?? keys + more
    return style.reverse(TextWidth.truncated(text, toColumns: columns))
  }
}
