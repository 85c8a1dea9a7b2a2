import ActionLog
import ActionLogTool
import AnimalsData
public import AnimalsRemote
import AnimalsUI
import DebugDrawer
import EventSourcing
import Foundation
import ImmutableData
import ImmutableUI
import SampleSupport
public import Services
import TerminalUI
import TimeTravel

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension NetworkSession: RemoteStoreNetworkSession {}

extension Command {
  static let animals = Command(
    "",
    summary: "the guide's animals in the terminal, with a log of all actions",
    details: """
      All actions are recorded in DIR/animals.log, which 'action-log' reads, so the next start continues where this one ended,
      also after a crash. The animals are stored in DIR/default.store, or on a server. The selection, sort order and search
      text are kept in DIR/place.json, which is not a log. '[' opens the past of the application: its steps, who changed what, and
      branches, which get the animals of the store.
      """,
    examples: [
      .init("", "the animals on this device"),
      .init("--data ~/zoo", "another directory"),
      .init("--remote http://localhost:8080/animals/api", "the animals of 'animals-server'"),
    ],
    options: [DataFolder.option, AnimalsCommand.remote],
    asynchronous: { context in try await AnimalsCommand(context: context).run() }
  )
}

/// The only command of the program: connects store, listener, recorder and screen.
@MainActor private struct AnimalsCommand {
  nonisolated static let remote = CommandOption.value(
    "remote", letter: "r", "URL", "use the animals of the server at this URL")

  let context: CommandContext

  nonisolated init(context: CommandContext) {
    self.context = context
  }

  func run() async throws -> ExitStatus {
    try context.requireScreen()
    let address = try context.arguments.value(of: Self.remote).map { text in try Self.checked(text) }
    let folder = try await DataFolder.open(context, name: "animals")
    let notices = ScreenNotices()
    let remarks = RecordingNotices(context)
    let ending = try await context.recording(
      at: folder.path("animals.log"),
      configuration: remarks.watching(RecordingConfiguration<AnimalsModel>(onStatusChange: notices.statusObserver))
    ) { store in
      try await show(store, notices, remarks, address, folder)
    }
    if case .signal = ending { ending.exitProcess() }
    return .success
  }

  private nonisolated static func checked(_ text: String) throws -> String {
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host() != nil else {
      throw ToolFailure.usage("--remote takes a URL like http://localhost:8080/animals/api, not '\(text)'")
    }
    return text
  }

  private func show(
    _ store: TimeTravelStore<AnimalsModel>, _ notices: ScreenNotices, _ remarks: RecordingNotices, _ address: String?,
    _ folder: DataFolder
  ) async throws -> TerminalEnding {
    if let address {
      let session = NetworkSession(urlSession: URLSession(configuration: .ephemeral))
      let remote = RemoteStore(session: session, address: address)
      return try await show(remote, in: store, notices, folder, title: address)
    }
    let local = LocalStore<UUID>(
      path: folder.path("default.store"), configuration: remarks.watching(RecordingConfiguration()))
    let ending = try await show(local, in: store, notices, folder, title: folder.path)
    try await local.close()
    return ending
  }

  private func show(
    _ persistentStore: some PersistentSessionPersistentStore, in store: TimeTravelStore<AnimalsModel>,
    _ notices: ScreenNotices, _ folder: DataFolder, title: String
  ) async throws -> TerminalEnding {
    let listener = Listener(store: persistentStore) { error in
      Task { @MainActor in notices.report("\(ErrorSummary(error))") }
    }
    // Effects belong to the present, and to the log that is recorded now.
    let listen: @MainActor (RecordedStore<AnimalsModel>) -> Void = { live in
      guard case .store(let live, _) = live else { return }
      listener.listen(to: live, catchesUp: true)
    }
    listen(store.live)
    let screen = AnimalsScreen(store, dispatch: ActionDispatch(store), title: title, notices: notices)
    let place = PlaceFile<AnimalsPlace>(in: folder)
    if let kept = await place.read() { screen.place = kept }
    let keeper = PlaceKeeper(screen, in: place) { screen.place }
    let ending = try await context.run(DrawerScreen(keeper, HistoryDrawer(store, onBranch: listen)))
    await place.finish()
    withExtendedLifetime(listener) {}
    return ending
  }
}

await ActionLogTool(program: "animals", command: .animals).main()
