import ActionLogTool
import EventSourcing
import FoodTruckData
import FoodTruckUI
import Foundation
import ImmutableData
import ImmutableUI
import TerminalUI

/// The application: a recorded store, its side effects, and the screen.
@MainActor struct FoodTruckProgram {
  /// A tap and what it leads to are one hop apart, and the recorder reads on a thread of its own; where it does not, because
  /// the disk is full, nobody waits for it.
  private static let hopLimit = 1_000

  let context: CommandContext
  let options: FoodTruckOptions

  nonisolated init(context: CommandContext, options: FoodTruckOptions) {
    self.context = context
    self.options = options
  }

  func run() async throws -> ExitStatus {
    let folder = try await DataFolder.open(context, name: "foodtruck")
    let notices = FoodTruckNotices()
    let remarks = RecordingNotices(context)
    let recorder = try await Recorder<FoodTruckLog>.open(
      folder.path("log"), configuration: remarks.watching(RecordingConfiguration(onStatusChange: Self.tell(notices))))
    let ending: TerminalEnding
    do {
      ending = try await show(try recorder.makeStore(), notices, remarks, PlaceFile(in: folder))
    } catch {
      // What is on disk is safe; the error that counts is the one that is thrown on.
      do { try await recorder.close() } catch {}
      throw error
    }
    try await recorder.close()
    if case .signal = ending { ending.exitProcess() }
    return .success
  }

  private func show(
    _ store: Store<FoodTruckState, FoodTruckAction>, _ notices: FoodTruckNotices, _ remarks: RecordingNotices,
    _ place: PlaceFile<FoodTruckPlace>
  ) async throws -> TerminalEnding {
    let listener = StoreListener(session: TruckActivitySession()) { error in
      Task { @MainActor in notices.tell("\(error)") }
    }
    listener.listen(to: store, placing: options.source)
    // What the legacy application's table held is the first thing that happens.
    if store.select(FoodTruckState.selectDonutsValues()).isEmpty {
      try store.dispatch(action: .data(.modelListener(.didReceiveDonuts(Donut.all))))
    }
    let feed = OrderFeed(to: store, from: options.source, seed: options.seed)
    while feed.speed != options.speed { feed.changeSpeed() }
    if options.isLive { feed.start() }
    let screen = FoodTruckScreen(
      store, dispatch: ActionDispatch(store), feed: feed, notices: notices, timeZone: options.timeZone)
    defer { feed.pause() }
    if let place = await place.read() { screen.place = place }
    let ending = try await context.run(PlaceKeeper(screen, in: place) { screen.place }, holding: remarks)
    await place.finish()
    // What was tapped last has its effect before the log is closed.
    for _ in 0..<Self.hopLimit where store.streamCounts.contains(where: { counts in counts.buffered > 0 }) {
      await Task.yield()
    }
    withExtendedLifetime(listener) {}
    return ending
  }

  /// Tells when what happens is not recorded any more, and when it is again.
  private static func tell(_ notices: FoodTruckNotices) -> @Sendable (RecorderStatus.Phase) -> Void {
    { phase in
      let text = phase.failure.map { error in "not recorded: \(error)" }
      // The changes come one at a time, and tasks of the main actor run in the order in which they were made.
      Task { @MainActor in notices.tell(recordingFailure: text) }
    }
  }
}
