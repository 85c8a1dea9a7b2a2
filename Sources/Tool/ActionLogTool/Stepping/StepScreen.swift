import ActionLog
import TextDisplay
import TimeTravel

/// What an interactive stepper shows on a terminal: a heading, changes or state, and a line of keys.
struct StepScreen {
  /// What the middle of the screen shows.
  enum Pane: Equatable { case changes, state, help }

  var pane = Pane.changes
  /// Lines of the pane that lie above the screen.
  var scroll = 0
  /// What the last key led to, if that is worth saying.
  var message: String?
  /// What is being typed after `g`; `nil` when nothing is.
  var prompt: String?

  private let style: Style

  init(style: Style) {
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

  /// The frame for a terminal of a size, as bytes to send.
  func frame(_ view: StepView, columns: Int, rows: Int) -> String {
    let heading = headingLines(view, columns: columns)
    let room = max(1, rows - heading.count - 2)
    let body = paneLines(view)
    let start = min(scroll, max(0, body.count - room))
    var lines = heading + [""] + body[start...].prefix(room)
    while lines.count < rows - 1 { lines.append("") }
    lines = Array(lines.prefix(max(0, rows - 1)))
    lines.append(footer(hidden: max(0, body.count - start - room), columns: columns))
    // Home, then each line with the rest of its row wiped; the last row has no line feed, or the screen would scroll.
    return "\u{1B}[H" + lines.map { line in line + "\u{1B}[K" }.joined(separator: "\n")
  }

  /// How many lines the pane has, which bounds scrolling.
  func lineCount(_ view: StepView) -> Int { paneLines(view).count }

  private func headingLines(_ view: StepView, columns: Int) -> [String] {
    let place = "revision \(view.revision) of \(view.lastRevision)"
    guard let record = view.record else {
      return [style.bold(TerminalText.escaping(view.model)) + "  " + place, "the start", ""]
    }
    let data = String(decoding: record.dataBytes, as: UTF8.self)
    return [
      style.bold(TerminalText.escaping(view.model)) + "  " + place + "  " + style.dim(RecordText.time(record.time)),
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
