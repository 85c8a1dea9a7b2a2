import ActionLog
import ActionLogTool
public import AnimalsData
import AnimalsUI
import EventSourcing
import Foundation
import ImmutableData
import ImmutableUI
import SampleSupport
public import Services
import TerminalUI

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
      text are kept in DIR/place.json, which is not a log.
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
    let recorder = try await Recorder<AnimalsModel>.open(
      at: folder.path("animals.log"),
      configuration: remarks.watching(RecordingConfiguration(onStatusChange: notices.statusObserver)))
    let ending: TerminalEnding
    do {
      ending = try await show(recorder, notices, remarks, address, folder)
    } catch {
      // The log is safe on disk; the first error is the one to report.
      do { try await recorder.close() } catch {}
      throw error
    }
    try await recorder.close()
    if case .signal = ending { ending.exitProcess() }
    return .success
  }

  /// Checks that an address is an HTTP URL.
  private nonisolated static func checked(_ text: String) throws -> String {
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host() != nil else {
      throw ToolFailure.usage("--remote takes a URL like http://localhost:8080/animals/api, not '\(text)'")
    }
    return text
  }

  private func show(
    _ recorder: Recorder<AnimalsModel>, _ notices: ScreenNotices, _ remarks: RecordingNotices, _ address: String?,
    _ folder: DataFolder
  ) async throws -> TerminalEnding {
    if let address {
      let session = NetworkSession(urlSession: URLSession(configuration: .ephemeral))
      let store = RemoteStore(session: session, address: address)
      return try await show(store, of: recorder, notices, remarks, folder, title: address)
    }
    let local = LocalStore<UUID>(
      path: folder.path("default.store"), configuration: remarks.watching(RecordingConfiguration()))
    let ending = try await show(local, of: recorder, notices, remarks, folder, title: folder.path)
    try await local.close()
    return ending
  }

  /// Shows the animals of a store until the screen is left.
  private func show(
    _ persistentStore: some PersistentSessionPersistentStore, of recorder: Recorder<AnimalsModel>,
    _ notices: ScreenNotices, _ remarks: RecordingNotices, _ folder: DataFolder, title: String
  ) async throws -> TerminalEnding {
    let store = try recorder.makeStore()
    let listener = Listener(store: persistentStore) { error in
      Task { @MainActor in notices.report("\(ErrorSummary(error))") }
    }
    listener.listen(to: store, catchesUp: true)
    let screen = AnimalsScreen(store, dispatch: ActionDispatch(store), title: title, notices: notices)
    let place = PlaceFile<AnimalsPlace>(in: folder)
    if let kept = await place.read() { screen.place = kept }
    let ending = try await context.run(PlaceKeeper(screen, in: place) { screen.place }, holding: remarks)
    await place.finish()
    withExtendedLifetime(listener) {}
    return ending
  }
}
