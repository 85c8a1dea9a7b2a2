import ActionLog
import Platform
import TerminalUI
import TimeTravel

extension Command {
  static let tui = Command(
    "tui",
    group: .travel,
    summary: "browse a log on a screen: actions, states, changes, and who changed a value",
    details: """
      Arrows step, g goes to a point, / filters, b finds the action that last changed the selected value, h lists all that did,
      u goes to where a condition holds, m marks a point, ? shows all keys, q quits. Long queries show their progress, and Escape
      cancels them. x switches an action off and shows what would be different without it, o shows only what changed, f follows a log
      that is being written, T and R write a test and a bug report.
      Without a terminal the screen is printed as text, once at the beginning and after each line of standard input, a line of keys.
      """,
    examples: [
      .init("tui my-log", "from the start"),
      .init("tui my-log --at end", "from the end"),
      .init("tui my-log <<< nn", "two steps, as text"),
    ],
    arguments: [.readLog],
    options: [TUICommand.at, .model, .projection],
    asynchronous: { context in try await TUICommand(context: context).run() }
  )
}

extension HistoryScreen {
  static func beginning(at revision: Int) -> String {
    revision == 0 ? "the state before any action" : "the state that the log begins with"
  }
}

struct TUICommand {
  static let at = CommandOption.value("at", letter: "a", "POINT", "the first point (default: the start)")

  let context: CommandContext

  func run() async throws -> ExitStatus {
    try context.requireScreen()
    let context = context
    // Only the minimum for the first screen: the state is folded while it is shown.
    let (history, place, first, marks, notice) = try await BlockingWork.run {
      let history = try context.openHistory()
      let place = try HistoryPlace(history.walk(at: history.reader.firstRevision))
      let first = try context.arguments.value(of: Self.at).map(PointResolver(context, reader: history.reader).revision)
      let (marks, failure) = try context.readableMarks(of: history.reader)
      let extent = try history.reader.extent()
      let damage: MessageText? = extent.ending.damage.map { damage in
        "the log can be read only up to revision \(extent.lastRevision): \(damage.text)"
      }
      let notice = damage ?? failure?.text ?? context.sentence(onFlawsOf: marks, of: history.reader)
      return (history, place, first ?? place.revision, marks.marks, notice.map(context.wording.message))
    }
    try await run(history, from: place, to: first, marks, notice)
    return .success
  }

  @MainActor private func run(
    _ history: any HistoryHandle, from place: HistoryPlace, to first: Int, _ marks: [Mark], _ notice: String?
  ) async throws {
    let screen = HistoryScreen(
      history, at: place, title: "\(history.subject)  \(try context.logPath())", marks: marks, context: context)
    screen.showsProgress = TerminalOptions(variables: context.environment.variables).isCapable
    screen.go(to: first)
    if let notice { screen.report(notice) }
    guard context.environment.showsScreens else { return try await TextScreen(screen, context: context).run() }
    defer { screen.endFollowing() }
    let ending = try await context.run(screen)
    if case .signal = ending { ending.exitProcess() }
  }
}
