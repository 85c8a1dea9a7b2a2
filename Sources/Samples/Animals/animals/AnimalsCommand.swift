import ActionLog
import ActionLogTool
public import AnimalsData
import AnimalsUI
import EventSourcing
import Foundation
import ImmutableData
import ImmutableUI
public import Services
import TerminalUI

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension NetworkSession: RemoteStoreNetworkSession {}

extension Command {
  static let animals = Command(
    "",
    summary: "the guide's animals in the terminal, recorded from the first key to the last",
    details: """
      What happens is recorded in the log DIR/animals.log, from which the next start goes on, however this one ends;
      'action-log' reads it. The animals themselves are in the store DIR/default.store, or behind a server. Where you were
      is kept in DIR/place.json, which is no log.
      """,
    examples: [
      .init("", "animals on this device"),
      .init("--data ~/zoo", "in another directory"),
      .init("--remote http://localhost:8080/animals/api", "those of 'animals-server'"),
    ],
    options: [DataFolder.option, AnimalsCommand.remote],
    asynchronous: { context in try await AnimalsCommand(context: context).run() }
  )
}

/// The only command of the program: wires store, listener, recorder and screen.
@MainActor private struct AnimalsCommand {
  nonisolated static let remote = CommandOption.value(
    "remote", letter: "r", "URL", "the animals of the server at this address")

  let context: CommandContext

  nonisolated init(context: CommandContext) {
    self.context = context
  }

  func run() async throws -> ExitStatus {
    try context.requireScreen()
    let address = try context.arguments.value(of: Self.remote).map { text in try Self.checked(text) }
    let folder = try await DataFolder.open(context, name: "animals")
    let problems = AnimalsProblems()
    let remarks = RecordingNotices(context)
    let recorder = try await Recorder<AnimalsModel>.open(
      folder.path("animals.log"),
      configuration: remarks.watching(RecordingConfiguration(onStatusChange: Self.tell(problems))))
    let ending: TerminalEnding
    do {
      ending = try await show(recorder, problems, remarks, address, folder)
    } catch {
      // What is on disk is safe; the error that counts is the one that is thrown on.
      do { try await recorder.close() } catch {}
      throw error
    }
    try await recorder.close()
    if case .signal = ending { ending.exitProcess() }
    return .success
  }

  /// Tells when what happens is not recorded any more, and when it is again.
  private static func tell(_ problems: AnimalsProblems) -> @Sendable (RecorderStatus.Phase) -> Void {
    { phase in
      // The changes come one at a time, and tasks of the main actor run in the order in which they were made.
      Task { @MainActor in problems.tell(recordingError: phase.failure) }
    }
  }

  /// An address that a request can be sent to.
  private nonisolated static func checked(_ text: String) throws -> String {
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host() != nil else {
      throw ToolFailure.usage("--remote takes an address like http://localhost:8080/animals/api, not '\(text)'")
    }
    return text
  }

  private func show(
    _ recorder: Recorder<AnimalsModel>, _ problems: AnimalsProblems, _ remarks: RecordingNotices, _ address: String?,
    _ folder: DataFolder
  ) async throws -> TerminalEnding {
    if let address {
      let session = NetworkSession(urlSession: URLSession(configuration: .ephemeral))
      let store = RemoteStore(session: session, address: address)
      return try await show(store, of: recorder, problems, remarks, folder, title: address)
    }
    let local = LocalStore<UUID>(
      path: folder.path("default.store"), configuration: remarks.watching(RecordingConfiguration()))
    let ending = try await show(local, of: recorder, problems, remarks, folder, title: folder.path)
    try await local.close()
    return ending
  }

  /// Shows the animals of a store until the screen is left.
  private func show(
    _ persistentStore: some PersistentSessionPersistentStore, of recorder: Recorder<AnimalsModel>,
    _ problems: AnimalsProblems, _ remarks: RecordingNotices, _ folder: DataFolder, title: String
  ) async throws -> TerminalEnding {
    let store = try recorder.makeStore()
    let listener = Listener(store: persistentStore) { error in
      Task { @MainActor in problems.tell(error) }
    }
    listener.listen(to: store, catchesUp: true)
    let screen = AnimalsScreen(store, dispatch: ActionDispatch(store), title: title, problems: problems)
    let place = PlaceFile<AnimalsPlace>(in: folder)
    if let kept = await place.read() { screen.place = kept }
    let ending = try await context.run(PlaceKeeper(screen, in: place) { screen.place }, holding: remarks)
    await place.finish()
    withExtendedLifetime(listener) {}
    return ending
  }
}
