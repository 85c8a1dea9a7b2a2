import ActionLog
import TerminalUI
import TextDisplay
import TimeTravel

extension Command {
  static let tui = Command(
    "tui",
    group: .travel,
    summary: "walk through a log on a screen: actions, state, changes, who changed what",
    details: """
      Arrows step, g goes to a point, / filters, b asks which action last changed the selected value, ? shows all keys, q quits.
      Without a terminal the screen is printed as text; then each line of standard input is a line of keys.
      \(PointResolver.forms)
      """,
    examples: [
      .init("tui my-log", "from the start"),
      .init("tui my-log --at end", "from the end"),
      .init("tui my-log <<< nn", "two steps, as text"),
    ],
    arguments: [.readLog],
    options: [TUICommand.at, .model],
    asynchronous: { context in try await TUICommand(context: context).run() }
  )
}

/// `tui`: a screen, on a terminal or as text.
private struct TUICommand {
  static let at = CommandOption.value("at", letter: "a", "POINT", "where to begin (default: the start)")

  let context: CommandContext

  func run() async throws -> ExitStatus {
    try context.requireScreen()
    let context = context
    let (history, first, marks) = try await OffPool.run {
      let history = try context.openHistory()
      let resolver = PointResolver(context, reader: history.reader)
      let first = try context.arguments.value(of: Self.at).map(resolver.revision)
      return (history, first ?? 0, try context.markList(of: history.reader).marks)
    }
    try await run(history, at: first, marks)
    return .success
  }

  @MainActor private func run(_ history: any HistoryHandle, at revision: Int, _ marks: [Mark]) async throws {
    let screen = try HistoryScreen(
      history, title: "\(history.reader.header.model)  \(context.logPath())", at: revision, marks: marks,
      resolve: { [context] text in try PointResolver(context, reader: history.reader).revision(text) })
    guard context.environment.terminal != nil else { return try await TextScreen(screen, context: context).run() }
    let ending = try await context.run(screen)
    if case .signal = ending { ending.exitProcess() }
  }
}
