import ActionLog
import ActionLogTool
import DebugDrawer
import EventSourcing
import FoodTruckData
import FoodTruckUI
import Foundation
import ImmutableData
import ImmutableUI
import Platform
import SampleSupport
import TerminalUI
import TimeTravel

extension Command {
  static let foodTruck = Command(
    "",
    summary: "a food truck in the terminal: incoming orders, their preparation, and sales",
    details: """
      All actions are recorded in DIR/log, which 'action-log' reads, so the next start continues where this one ended, also
      after a crash. The selection, sort order and search text are kept in DIR/place.json, which is not a log. Orders are
      generated; 'l' starts or stops automatic orders, '+' makes them faster. '[' opens the past of the application: its steps, who
      changed what, and branches.
      With --kitchen, the program is the printer in the kitchen instead: it appends a ticket for each placed order to FILE, from the
      first order on and then as they come, each exactly once, whatever happens to it in between. Ctrl-C ends it.
      """,
    examples: [
      .init("", "the truck with its last state"),
      .init("--live --speed 8", "automatic orders at eight times the speed"),
      .init("--data ~/truck --seed 7", "another directory; other orders"),
      .init("--data ~/truck --kitchen tickets.txt", "the kitchen printer of that truck, in another terminal"),
    ],
    options: FoodTruckOptions.all,
    asynchronous: { context in
      if let tickets = context.arguments.value(of: FoodTruckOptions.kitchen) {
        return try await KitchenProgram(context: context, tickets: tickets).run()
      }
      try context.requireScreen()
      return try await FoodTruckProgram(context: context, options: try FoodTruckOptions(context)).run()
    })
}

struct FoodTruckOptions: Sendable {
  private static let seed = CommandOption.value("seed", "NUMBER", "the seed of the generated orders (default: 5)")
  private static let from = CommandOption.value(
    "from", "TIME",
    "date the orders one minute apart from this time on, for instance 2026-11-21T09:00:00Z (default: now)")
  private static let live = CommandOption.flag("live", "place orders automatically from the start")
  private static let speed = CommandOption.choice(
    "speed", of: OrderFeed.speeds.map(String.init), "the speed of automatic orders; 1 is one every 3 to 8 seconds")

  static let kitchen = CommandOption.value(
    "kitchen", "FILE", "print a ticket for each placed order to FILE, without a screen")

  static let all = [DataFolder.option, seed, from, live, speed, kitchen]

  let source: OrderSource
  let seed: UInt64
  let isLive: Bool
  let speed: Int
  let timeZone: TimeZone

  init(_ context: CommandContext) throws {
    let arguments = context.arguments
    // The parser returns an Int, so only half of all seeds are available, which is enough.
    seed = UInt64(try arguments.integer(of: Self.seed, in: 0...Int.max) ?? 5)
    isLive = arguments.has(Self.live)
    speed = arguments.value(of: Self.speed).flatMap { text in Int(text) } ?? 1
    if let text = arguments.value(of: Self.from) {
      let start: Date
      do { start = try Date(text, strategy: .iso8601) } catch {
        throw ToolFailure.usage("--from takes a time like 2026-11-21T09:00:00Z, not '\(text)'")
      }
      source = OrderSource(seed: seed) { number in start.addingTimeInterval(60 * Double(number - 1)) }
      timeZone = .gmt
    } else {
      source = OrderSource(seed: seed)
      timeZone = .current
    }
  }
}

@MainActor struct FoodTruckProgram {
  /// The maximum number of yields to wait for pending effects. An effect takes one hop after its tap; the limit ends
  /// the wait for a recorder that does not consume its stream, for instance because the disk is full.
  private static let hopLimit = 1_000

  let context: CommandContext
  let options: FoodTruckOptions

  nonisolated init(context: CommandContext, options: FoodTruckOptions) {
    self.context = context
    self.options = options
  }

  func run() async throws -> ExitStatus {
    let folder = try await DataFolder.open(context, name: "foodtruck")
    let notices = ScreenNotices()
    let remarks = RecordingNotices(context)
    let ending = try await context.recording(
      at: folder.path("log"),
      configuration: remarks.watching(RecordingConfiguration<FoodTruckLog>(onStatusChange: notices.statusObserver))
    ) { store in
      let sales = SalesWindow(notices)
      await sales.follow(store.live)
      let ending: TerminalEnding
      do {
        ending = try await show(store, sales, notices, PlaceFile(in: folder))
      } catch {
        await sales.close()
        throw error
      }
      await sales.close()
      return ending
    }
    if case .signal = ending { ending.exitProcess() }
    return .success
  }

  private func show(
    _ store: TimeTravelStore<FoodTruckLog>, _ sales: SalesWindow, _ notices: ScreenNotices,
    _ place: PlaceFile<FoodTruckPlace>
  ) async throws -> TerminalEnding {
    guard case .store(let live, _) = store.live else { preconditionFailure("the program records with a recorder") }
    let listener = StoreListener(session: TruckActivitySession()) { error in
      Task { @MainActor in notices.report("\(error)") }
    }
    listener.listen(to: live, placing: options.source)
    // The first action is the table of the legacy application.
    if live.select(FoodTruckState.selectDonutsValues()).isEmpty {
      try live.dispatch(action: .data(.modelListener(.didReceiveDonuts(Donut.all))))
    }
    let feed = OrderFeed(to: live, from: options.source, seed: options.seed)
    while feed.speed != options.speed { feed.changeSpeed() }
    if options.isLive { feed.start() }
    let screen = FoodTruckScreen(
      store, dispatch: ActionDispatch(store), feed: feed, board: sales.board, notices: notices,
      timeZone: options.timeZone)
    defer { feed.pause() }
    if let place = await place.read() { screen.place = place }
    let drawer = HistoryDrawer(store) { branch in
      guard case .store(let live, _) = branch else { return }
      listener.listen(to: live, placing: options.source)
      feed.place(in: live, from: options.source)
      sales.change(to: branch)
    }
    let keeper = PlaceKeeper(screen, in: place) { screen.place }
    let ending = try await context.run(DrawerScreen(keeper, drawer))
    await place.finish()
    // Wait for the effects of the last taps before the log is closed.
    for _ in 0..<Self.hopLimit where hasWaitingEffects(store) { await Task.yield() }
    withExtendedLifetime(listener) {}
    return ending
  }

  private func hasWaitingEffects(_ store: TimeTravelStore<FoodTruckLog>) -> Bool {
    guard case .store(let live, _) = store.live else { return false }
    return live.streamCounts.contains { counts in counts.buffered > 0 }
  }
}

/// The sales by city and day of the log that is recorded now. The truck works without them.
@MainActor private final class SalesWindow {
  /// The board; `nil` if the sales of the first log cannot be computed.
  private(set) var board: SalesBoard?
  private let notices: ScreenNotices
  private var runner: ProjectionRunner<CitySales>?
  /// Ends when the projection is closed.
  private var updates: Task<Void, Never>?
  private var lastChange: Task<Void, Never>?

  init(_ notices: ScreenNotices) {
    self.notices = notices
  }

  /// Begins to show the sales of another log, after all earlier changes.
  func change(to store: RecordedStore<FoodTruckLog>) {
    let earlier = lastChange
    lastChange = Task {
      await earlier?.value
      await follow(store)
    }
  }

  /// Shows the sales of a log, instead of those of an earlier one.
  func follow(_ store: RecordedStore<FoodTruckLog>) async {
    guard case .store(_, let recorder) = store else { return }
    await closeRunner()
    let runner: ProjectionRunner<CitySales>
    do {
      runner = try await ProjectionGroup.open(on: recorder).run(CitySales.self)
    } catch {
      notices.report("no sales by city and day: \(error)")
      return
    }
    self.runner = runner
    let board = self.board ?? makeBoard()
    self.board = board
    updates = Task {
      var states = runner.states.makeAsyncIterator()
      while let sales = await states.next() { board.take(sales, at: states.revision ?? 0) }
    }
  }

  private func makeBoard() -> SalesBoard {
    SalesBoard { [weak self] revision in
      guard let runner = await self?.runner else { return CitySales.State() }
      return try await runner.state(at: revision)
    }
  }

  func close() async {
    await lastChange?.value
    await closeRunner()
  }

  private func closeRunner() async {
    await runner?.close()
    await updates?.value
    (runner, updates) = (nil, nil)
  }
}

/// The kitchen printer: a program of its own, next to the one with the screen.
private struct KitchenProgram {
  let context: CommandContext
  let tickets: String

  func run() async throws -> ExitStatus {
    guard !tickets.isEmpty else { throw ToolFailure.usage("--kitchen needs the path of a file") }
    let folder = try await DataFolder.open(context, name: "foodtruck")
    var configuration = SubscriptionConfiguration()
    // A printer without paper is refilled; until then, orders wait.
    configuration.onFailure = .custom { [context] failure in
      await BlockingWork.run {
        do {
          try context.warn("order of revision \(failure.revision) is not printed yet: \(failure.error)")
          try context.flush()
        } catch {
          // Printing continues without a reader of messages.
        }
      }
      // An action that does not decode, or a file that is not one of tickets, stays so.
      return failure.error is FileSystemError ? .retry(after: .seconds(1)) : .stop
    }
    let printer = KitchenPrinter(
      log: folder.path("log"), printingTo: tickets, configuration: configuration, fileSystem: context.files)
    context.environment.stop.accept()
    let task = Task { try await printer.run() }
    context.environment.stop.onRequest { task.cancel() }
    try await task.value
    return .success
  }
}

await ActionLogTool(program: "foodtruck", command: .foodTruck).main()
