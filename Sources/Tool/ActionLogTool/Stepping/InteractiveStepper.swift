import ActionLog
import TimeTravel

/// The loop of an interactive stepper: show, wait for keys, move.
@MainActor struct InteractiveStepper {
  private let context: CommandContext
  private let terminal: any ToolTerminal
  private let resolver: PointResolver
  private var stepper: Stepper
  private var screen: StepScreen
  private var isDone = false

  /// The alternate screen keeps what was on the terminal before, the cursor would only blink in the way, and lines that
  /// are too long must not be wrapped into the next row.
  private static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J"
  private static let leave = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
  /// More than anybody types between two readings.
  private nonisolated static let keyLimitBytes = 64

  init(_ stepper: Stepper, context: CommandContext, terminal: any ToolTerminal, resolver: PointResolver) {
    self.stepper = stepper
    self.context = context
    self.terminal = terminal
    self.resolver = resolver
    self.screen = StepScreen(style: context.output.style)
  }

  /// Runs until the person quits, or the input ends.
  mutating func run() async throws {
    context.environment.stop.accept()
    try terminal.beginKeyInput()
    defer { terminal.endKeyInput() }
    try context.output.text(Self.enter)
    do {
      try await loop()
    } catch {
      try context.output.text(Self.leave)
      throw error
    }
    try context.output.text(Self.leave)
  }

  private mutating func loop() async throws {
    let input = context.environment.standardInput
    while !isDone {
      let size = terminal.size
      try context.output.text(screen.frame(stepper.view, columns: size.columns, rows: size.rows))
      let bytes = try await OffPool.run { try input.read(limit: Self.keyLimitBytes) }
      guard !bytes.isEmpty else { return }
      for key in Key.keys(in: bytes) where !isDone {
        screen.message = nil
        if screen.prompt == nil { handle(key, rows: size.rows) } else { type(key) }
      }
    }
  }

  private mutating func handle(_ key: Key, rows: Int) {
    if screen.pane == .help, closesHelp(key) { return }
    switch key {
    case .character("q"), .escape: isDone = true
    case .character("n"), .character(" "), .right, .enter: move(to: stepper.view.revision + 1)
    case .character("p"), .character("b"), .left, .backspace: move(to: stepper.view.revision - 1)
    case .character("0"), .home: move(to: 0)
    case .character("$"), .character("G"), .end: move(to: stepper.view.lastRevision)
    case .character("g"): screen.prompt = ""
    case .character("s"): show(screen.pane == .state ? .changes : .state)
    case .character("?"), .character("h"): show(screen.pane == .help ? .changes : .help)
    case .up: scroll(by: -1)
    case .down: scroll(by: 1)
    case .pageUp: scroll(by: -max(1, rows / 2))
    case .pageDown: scroll(by: max(1, rows / 2))
    case .character: screen.message = "? shows the keys"
    }
  }

  /// Help lies above the steps: it goes with the next key but those that scroll it, and what that key does otherwise is seen.
  ///
  /// - Returns: Whether the key does nothing else.
  private mutating func closesHelp(_ key: Key) -> Bool {
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

  /// What is typed after `g`, until Enter or Escape.
  private mutating func type(_ key: Key) {
    switch key {
    case .enter:
      let text = screen.prompt ?? ""
      screen.prompt = nil
      guard !text.isEmpty else { return }
      attempt { [resolver] stepper in try stepper.jump(to: try resolver.revision(text)) }
    case .escape: screen.prompt = nil
    case .backspace: screen.prompt = screen.prompt.map { text in String(text.dropLast()) }
    case .character(let character): screen.prompt?.append(character)
    default: break
    }
  }

  private mutating func move(to revision: Int) {
    if revision < 0 {
      screen.message = "this is the start"
    } else {
      attempt { stepper in try stepper.jump(to: revision) }
    }
  }

  /// Does something that may fail; then everything stays, and the reason is shown.
  private mutating func attempt(_ action: (inout Stepper) throws -> Void) {
    do {
      try action(&stepper)
      screen.scroll = 0
    } catch {
      let failure = ToolFailure(any: error)
      let last = stepper.view.lastRevision
      screen.message =
        failure.code != LogError.Code.revisionOutOfRange.rawValue
        ? failure.message
        : stepper.view.revision == last ? "this is the end" : "there are the revisions 0…\(last) only"
    }
  }

  private mutating func show(_ pane: StepScreen.Pane) {
    screen.pane = pane
    screen.scroll = 0
  }

  private mutating func scroll(by lines: Int) {
    screen.scroll = min(max(0, screen.scroll + lines), max(0, screen.lineCount(stepper.view) - 1))
  }
}
