import ActionLog
import ActionLogTool
import DebugDrawer
import EventSourcing
import Foundation
import ImmutableData
import ImmutableUI
import QuakesData
import QuakesUI
import QuakesWiring
import SampleSupport
import TerminalUI
import TimeTravel

extension Command {
  static let quakes = Command(
    "",
    summary: "earthquakes in the terminal: a list, a map, and a log of all actions",
    details: """
      All actions are recorded in DIR/log, which 'action-log' reads, and the earthquakes are stored in DIR/default.store, so
      the next start continues where this one ended, also after a crash. The selection, sort order and search text are kept in
      DIR/place.json, which is not a log. Press ? for the keys. '[' opens the past of the application: its steps, who changed what,
      and branches.
      """,
    examples: [
      .init("", "earthquakes of the United States Geological Survey; press r to fetch them"),
      .init("--sample", "generated, without a network"),
      .init("--data ~/quakes --map ascii", "another directory; a map of letters and digits"),
    ],
    options: ProgramOptions.all + FeedOptions.all,
    asynchronous: { context in
      do {
        try context.requireScreen()
        let options = try ProgramOptions(context)
        let feeds = try FeedOptions(context, now: options.now).store
        return try await QuakesProgram(context: context, options: options, feeds: feeds).run()
      } catch {
        throw ToolFailure(quakes: error) ?? error
      }
    })
}

struct ProgramOptions: Sendable {
  private static let map = CommandOption.choice(
    "map", of: MapStyle.allCases.map(\.rawValue), "the characters that draw the map")
  private static let timeZone = CommandOption.value(
    "time-zone", "ID", "the time zone of days, for instance UTC (default: that of this machine)")
  private static let now = CommandOption.value(
    "now", "TIME", "the current time, for instance 2026-11-21T12:00:00Z, to show recorded feeds")

  static let all = [DataFolder.option, map, timeZone, now]

  let mapStyle: MapStyle
  let calendar: Calendar
  let now: @Sendable () -> Date

  init(_ context: CommandContext) throws {
    let arguments = context.arguments
    mapStyle =
      arguments.value(of: Self.map).flatMap(MapStyle.init)
      ?? (Self.isPlain(context.environment.variables) ? .ascii : .braille)
    var calendar = Calendar(identifier: .gregorian)
    if let text = arguments.value(of: Self.timeZone) {
      guard let zone = TimeZone(identifier: text) else {
        throw ToolFailure.usage("--time-zone takes a name like UTC or Europe/Berlin, not '\(text)'")
      }
      calendar.timeZone = zone
    }
    self.calendar = calendar
    if let text = arguments.value(of: Self.now) {
      let date: Date
      do { date = try Date(text, strategy: .iso8601) } catch {
        throw ToolFailure.usage("--now takes a time like 2026-11-21T12:00:00Z, not '\(text)'")
      }
      now = { date }
    } else {
      now = { Date() }
    }
  }

  private static func isPlain(_ variables: [String: String]) -> Bool {
    let name = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { name in variables[name] }.first { value in !value.isEmpty }
    return name == "C" || name == "POSIX"
  }
}

@MainActor struct QuakesProgram {
  let context: CommandContext
  let options: ProgramOptions
  let feeds: any PersistentSessionRemoteStore

  /// The locale of dates, which matches the English texts of the screen.
  private static let language = Locale(identifier: "en_US")

  func run() async throws -> ExitStatus {
    let folder = try await DataFolder.open(context, name: "quakes")
    let notices = ScreenNotices()
    let remarks = RecordingNotices(context)
    let localStore = LocalStore(
      path: folder.path("default.store"), configuration: remarks.watching(RecordingConfiguration()))
    _ = try await localStore.fetchLocalQuakesQuery()
    let ending = try await context.recording(
      at: folder.path("log"),
      configuration: remarks.watching(RecordingConfiguration<QuakesModel>(onStatusChange: notices.statusObserver))
    ) { store in
      try await show(store, localStore, feeds, notices, PlaceFile(in: folder))
    }
    try await localStore.close()
    if case .signal = ending { ending.exitProcess() }
    return .success
  }

  private func show(
    _ store: TimeTravelStore<QuakesModel>, _ localStore: LocalStore, _ feeds: some PersistentSessionRemoteStore,
    _ notices: ScreenNotices, _ place: PlaceFile<QuakesPlace>
  ) async throws -> TerminalEnding {
    let listener = Listener(localStore: localStore, remoteStore: feeds) { error in
      Task { @MainActor in notices.reportFailure("\(FailureReason(error))") }
    }
    try await begin(store.live, localStore, listener)
    notices.listen(to: store)
    let screen = QuakesScreen(
      store, dispatch: ActionDispatch(store), notices: notices,
      surroundings: QuakesScreen.Surroundings(
        now: options.now, calendar: options.calendar, locale: Self.language, mapStyle: options.mapStyle))
    if let place = await place.read() { screen.place = place }
    let drawer = HistoryDrawer(store) { branch in
      Task {
        do { try await begin(branch, localStore, listener) } catch { notices.report("\(FailureReason(error))") }
      }
    }
    let keeper = PlaceKeeper(screen, in: place) { screen.place }
    let ending = try await context.run(DrawerScreen(keeper, drawer))
    await place.finish()
    withExtendedLifetime(listener) {}
    return ending
  }

  /// Makes the local store and the listener follow a live store.
  ///
  /// If a process was killed between writes to both logs, or a branch was begun, the logs differ: the application's log is the source of
  /// truth.
  private func begin(
    _ recorded: RecordedStore<QuakesModel>, _ localStore: LocalStore,
    _ listener: QuakesData.Listener<LocalStore, some PersistentSessionRemoteStore>
  ) async throws {
    guard case .store(let live, _) = recorded else { return }
    try await localStore.takeOver(live.state)
    try await fill(live, from: localStore)
    listener.listen(to: live)
  }

  /// Dispatches the stored quakes if the state requested them and its process ended before the answer.
  ///
  /// The list requests them only once, and at the next start the store would take over the state without them.
  private func fill(_ store: Store<QuakesState, QuakesAction>, from localStore: LocalStore) async throws {
    let status = store.select(QuakesState.selectQuakesStatus())
    guard status != nil, status != .success, store.select(QuakesState.selectQuakesCount()) == 0 else { return }
    let quakes = try await localStore.fetchLocalQuakesQuery()
    guard !quakes.isEmpty else { return }
    try store.dispatch(
      action: .data(.persistentSession(.localStore(.didFetchQuakes(result: .success(quakes: quakes))))))
  }
}

await ActionLogTool(program: "quakes", command: .quakes).main()
