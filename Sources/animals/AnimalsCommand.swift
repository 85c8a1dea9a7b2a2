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
      'action-log' reads it. The animals themselves are in the store DIR/default.store, or behind a server.
      """,
    examples: [
      .init("", "animals on this device"),
      .init("--data ~/zoo", "in another directory"),
      .init("--remote http://localhost:8080/animals/api", "those of 'animals-server'"),
    ],
    options: [AnimalsCommand.data, AnimalsCommand.remote],
    asynchronous: { context in try await AnimalsCommand(context: context).run() }
  )
}

/// The only command of the program: wires store, listener, recorder and screen.
@MainActor private struct AnimalsCommand {
  nonisolated static let data = CommandOption.value(
    "data", letter: "d", "DIR", "keep everything here (default: animals in the folder for applications' data)")
  nonisolated static let remote = CommandOption.value(
    "remote", letter: "r", "URL", "the animals of the server at this address")

  let context: CommandContext

  nonisolated init(context: CommandContext) {
    self.context = context
  }

  func run() async throws -> ExitStatus {
    let directory = try Self.directory(context.arguments.value(of: Self.data))
    // The screen listens to signals itself, and gives the terminal back first.
    context.environment.stop.accept()
    let recorder = try await Recorder<AnimalsModel>.open(directory.appending(path: "animals.log").path)
    let ending: TerminalEnding
    if let address = context.arguments.value(of: Self.remote) {
      let session = NetworkSession(urlSession: URLSession(configuration: .ephemeral))
      ending = try await show(RemoteStore(session: session, address: address), of: recorder, place: address)
    } else {
      let local = try LocalStore<UUID>(url: directory.appending(path: "default.store"))
      ending = try await show(local, of: recorder, place: directory.path)
      try await local.close()
    }
    try await recorder.close()
    if case .signal = ending { ending.exitProcess() }
    return .success
  }

  /// Shows the animals of a store until the screen is left.
  private func show(
    _ persistentStore: some PersistentSessionPersistentStore, of recorder: Recorder<AnimalsModel>, place: String
  ) async throws -> TerminalEnding {
    let store = try recorder.makeStore()
    let problems = AnimalsProblems()
    let listener = Listener(store: persistentStore) { error in
      Task { @MainActor in problems.tell(error) }
    }
    listener.listen(to: store, catchesUp: true)
    let screen = AnimalsScreen(store, dispatch: ActionDispatch(store), place: place, problems: problems)
    let ending = try await TerminalApplication(screen).run()
    withExtendedLifetime(listener) {}
    return ending
  }

  /// The directory for everything, which is made when there is none.
  private static func directory(_ path: String?) throws -> URL {
    let directory: URL
    if let path {
      directory = URL(filePath: path, directoryHint: .isDirectory)
    } else {
      let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
      guard let folder = folders.first else {
        throw ToolFailure(
          "notFound", .environment, "there is no folder for applications' data", advice: "Name one with --data.")
      }
      directory = folder.appending(path: "animals", directoryHint: .isDirectory)
    }
    do {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    } catch {
      throw ToolFailure(
        "inputOutput", .environment, "the directory cannot be made", path: directory.path,
        advice: "Check that the directory above it exists and may be written.")
    }
    return directory
  }
}
