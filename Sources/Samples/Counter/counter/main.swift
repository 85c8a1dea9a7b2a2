import ActionLog
import ActionLogTool
import CounterData
import CounterUI
import DebugDrawer
import EventSourcing
import SampleSupport
import TimeTravel

/// The command of the counter: opens its log, shows its screen, and closes its log.
enum CounterCommand {
  private static let preview = CommandOption.choice(
    "preview", of: CounterPreview.allCases.map(\.rawValue), "show the screen with a store that is not recorded")

  static let command = Command(
    "",
    group: .start,
    summary: "counts up and down, and records every step",
    details: """
      Every tap is an action in a log, the directory 'log' of the data directory. The counter restores its value at the next
      start, also after a crash. '[' opens the past: earlier values, who changed them, and branches. Without a terminal, it prints its screen and reads keys from
      lines of its input.
      """,
    examples: [
      .init("", "continue with the last value"), .init("--data my-counter", "store the data in another directory"),
      .init("--preview refusing", "show the display of an error"),
    ],
    options: [DataFolder.option, preview],
    asynchronous: { context in
      try context.requireScreen()
      if let name = context.arguments.value(of: preview), let preview = CounterPreview(rawValue: name) {
        try await context.run(CounterScreen(preview.makeStore()))
      } else {
        try await run(context)
      }
      return .success
    })

  @MainActor private static func run(_ context: CommandContext) async throws {
    let folder = try await DataFolder.open(context, name: "counter")
    let notices = ScreenNotices()
    let remarks = RecordingNotices(context)
    let store = try await context.recording(
      at: folder.path("log"),
      configuration: remarks.watching(RecordingConfiguration<CounterModel>(onStatusChange: notices.statusObserver))
    ) { store in
      let screen = CounterScreen(store, recorded: store, notices: notices)
      try await context.run(DrawerScreen(screen, HistoryDrawer(store)))
      return store
    }
    try context.note("recorded in \(store.live.path) up to revision \(store.live.lastRevision)")
  }
}

await ActionLogTool(program: "counter", command: CounterCommand.command).main()
