import ActionLogTool
public import AnimalsData
import EventSourcing
import Foundation
public import Services

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension NetworkSession: RemoteStoreNetworkSession {}

/// Which store a command is about.
struct StoreOptions: Sendable {
  static let local = CommandOption.value(
    "local", letter: "l", "DIR",
    "the folder above the store, which is DIR/default.store, made where it is missing (default: the working directory)")
  static let remote = CommandOption.value(
    "remote", letter: "r", "URL", "the server at this address, for instance http://localhost:8080/animals/api")

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
    if let local { try LogPlaces(context).requireFolder(local, option: Self.local.name) }
  }

  /// Does something with the store, and gives it back.
  ///
  /// - Throws: `ToolFailure` with what the store said; errors of the log as they are.
  func use<Value>(_ body: (any PersistentSessionPersistentStore) async throws -> Value) async throws -> Value {
    guard let log else {
      let session = NetworkSession(urlSession: URLSession(configuration: .ephemeral))
      let store =
        if let remote { RemoteStore(session: session, address: remote) } else { RemoteStore(session: session) }
      return try await body(store)
    }
    let store = LocalStore<UUID>(
      path: log, makesFolders: true, configuration: remarks.watching(RecordingConfiguration()))
    let value = try await body(store)
    try await store.close()
    return value
  }
}
