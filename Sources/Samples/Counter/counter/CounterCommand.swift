import ActionLogTool
import CounterData
import CounterUI
import EventSourcing
import TimeTravel

/// The counter: opens its log, shows its screen, closes its log.
enum CounterCommand {
  private static let preview = CommandOption.choice(
    "preview", of: CounterPreview.allCases.map(\.rawValue), "show the screen with a store that is not recorded")

  static let command = Command(
    "",
    group: .start,
    summary: "counts up and down, and remembers every step",
    details: """
      Every tap is an action in a log, the directory 'log' of the data directory. The counter comes back where it was, also
      after a crash, and '[' shows what it was before. Without a terminal it prints its screen, and takes keys from lines.
      """,
    examples: [
      .init("", "go on where you were"), .init("--data my-counter", "keep the data in a directory of your own"),
      .init("--preview refusing", "see what an error looks like"),
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

  private static func run(_ context: CommandContext) async throws {
    let folder = try await DataFolder.open(context, name: "counter")
    let fileSystem = context.environment.fileSystem
    let monitor = RecordingMonitor()
    let remarks = RecordingNotices(context)
    let recorder = try await Recorder<CounterModel>.open(
      folder.path("log"), configuration: remarks.watching(monitor.watching(RecordingConfiguration())),
      fileSystem: fileSystem)
    do {
      try await show(recorder, monitor, remarks, context)
    } catch {
      // The screen's failure is told; what was recorded is closed all the same.
      do { try await recorder.close() } catch {}
      throw error
    }
    try await recorder.close()
    try context.note("recorded in \(recorder.path) up to revision \(recorder.status.revision)")
  }

  @MainActor private static func show(
    _ recorder: Recorder<CounterModel>, _ monitor: RecordingMonitor, _ remarks: RecordingNotices,
    _ context: CommandContext
  ) async throws {
    let fileSystem = context.environment.fileSystem
    let recording = CounterRecording(
      recorder,
      openHistory: { try History(recorder.path, fileSystem: fileSystem) },
      problem: { monitor.problem },
      canResume: { monitor.canResume })
    try await context.run(CounterScreen(try recorder.makeStore(), recording: recording), holding: remarks)
  }
}
