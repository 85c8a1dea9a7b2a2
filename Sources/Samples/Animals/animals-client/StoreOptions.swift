import ActionLog
import ActionLogTool
public import AnimalsData
import EventSourcing
import Foundation
public import Services

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension NetworkSession: RemoteStoreNetworkSession {}

/// The options that select a store.
struct StoreOptions: Sendable {
  static let local = CommandOption.value(
    "local", letter: "l", "DIR",
    "use the store DIR/default.store, created if missing (default: the working directory)")
  static let remote = CommandOption.value(
    "remote", letter: "r", "URL", "use the server at this URL, for instance http://localhost:8080/animals/api")

  static let all = [local, remote]

  /// The log of the store on this device; `nil` for a server.
  let log: String?
  private let remote: String?
  private let remarks: RecordingNotices

  /// Reads the options. Blocks.
  init(_ context: CommandContext) throws {
    let (local, remote) = (context.arguments.value(of: Self.local), context.arguments.value(of: Self.remote))
    guard local == nil || remote == nil else { throw ToolFailure.usage("--local and --remote exclude each other") }
    self.remote = remote
    remarks = RecordingNotices(context)
    log = remote == nil ? (local ?? ".") + "/default.store" : nil
    if let local { try LogLocator(context).requireFolder(local, option: Self.local.name) }
  }

  /// Runs a function with the store, and then closes it.
  func use<Value>(_ body: (any PersistentSessionPersistentStore) async throws -> Value) async throws -> Value {
    guard let log else {
      let session = NetworkSession(urlSession: URLSession(configuration: .ephemeral))
      let store =
        if let remote { RemoteStore(session: session, address: remote) } else { RemoteStore(session: session) }
      return try await body(store)
    }
    let store = LocalStore<UUID>(
      path: log, createsDirectories: true, configuration: remarks.watching(RecordingConfiguration()))
    let value = try await body(store)
    try await store.close()
    return value
  }
}

extension ToolFailure {
  /// Creates a failure from an error of a store, with advice; `nil` for errors that the tool handles itself.
  init?(store error: any Error) {
    switch error {
    case let error as LocalStoreError:
      self.init(error, .negative, advice: error.code == .animalNotFound ? ClientCommand.listAdvice : nil)
    case let error as RemoteStoreError:
      self.init(error, .usage, message: error.message)
    case let error as RemoteResponseError:
      self.init(error, .environment)
    case let error as NetworkSessionError where error.statusCode == 404:
      self.init(
        error, .environment, message: "the server has no animals at this address",
        advice: "'animals-server' prints its address when it starts. Nothing was changed.")
    case let error as NetworkSessionError:
      self.init(
        error, .environment, message: error.headline,
        advice: error.code == .transportError ? "Check that 'animals-server' is running there." : nil)
      // The headline contains it.
      path = nil
    default: return nil
    }
  }
}
