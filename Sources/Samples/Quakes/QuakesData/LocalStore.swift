package import ActionLog
public import EventSourcing
public import Foundation
public import SampleSupport
import TreeCollections

/// The quakes stored on this device, as an event-sourced store with its own log.
///
/// Every change is one record in a log of ``QuakesStoreModel`` and is on disk when the call returns. The first operation
/// opens the log. Only one process can open it at a time. Operations run one at a time, in the order of the calls, and
/// ignore cancellation.
public actor LocalStore {
  private let log: EventSourcedStore<QuakesStoreModel>

  package init(
    path: String, createsDirectories: Bool = false, fileSystem: any LogFileSystem = POSIXFileSystem(),
    configuration: RecordingConfiguration<QuakesStoreModel> = RecordingConfiguration()
  ) {
    log = EventSourcedStore(
      path: path, createsDirectories: createsDirectories, fileSystem: fileSystem, configuration: configuration)
  }

  /// Creates a store at a file URL: the directory of its log, which need not exist, unlike its parent.
  public init(url: URL) throws {
    self.init(try StoreLocation(url: url, orThrow: LocalStoreErrorCode.urlError))
  }

  /// Creates a store at the default location: `QuakesData/default.store` in the application support directory, which
  /// other programs share on some platforms.
  public init(isStoredInMemoryOnly: Bool = false) throws {
    self.init(
      try StoreLocation(
        defaultOf: "QuakesData", isStoredInMemoryOnly: isStoredInMemoryOnly, orThrow: LocalStoreErrorCode.urlError))
  }

  private init(_ location: StoreLocation) {
    self.init(path: location.path, createsDirectories: location.createsDirectories, fileSystem: location.fileSystem)
  }

  /// Closes the log. All changes are already on disk; a later operation opens the log again.
  public func close() async throws {
    try await log.close()
  }

  /// Replaces the log by a new one that starts at the current state, and keeps the old log next to it, with the suffix
  /// `.1`, `.2` and so on.
  ///
  /// A log grows by about 250 bytes for each quake that a feed adds or corrects, and nothing is removed automatically. If
  /// the call fails or the process is killed, the contents of the store are unchanged.
  ///
  /// - Parameter count: The number of old logs to keep, newest first; `nil` for all.
  /// - Returns: The new path of the old log.
  @discardableResult
  public func rollLog(keeping count: Int? = nil) async throws -> String {
    try await log.roll(keeping: count)
  }

  /// Releases the log without closing it, as if the process had been killed.
  package func abandon() async throws {
    try await log.abandon()
  }
}

extension LocalStore: PersistentSessionLocalStore {
  /// Fetches all quakes, in ascending order of their ids.
  public func fetchLocalQuakesQuery() async throws -> [Quake] {
    try await log.read { state in state.quakes.values.sorted { lhs, rhs in lhs.id < rhs.id } }
  }

  /// Stores new and changed quakes and removes others, in one step. Quakes that are already stored unchanged are
  /// skipped.
  public func didFetchRemoteQuakesMutation(inserted: [Quake], updated: [Quake], deleted: [Quake]) async throws {
    try await change { state in
      var saved = inserted
      let insertedIds = Set(inserted.map(\.id))
      saved += updated.filter { quake in state.quakes[quake.id] != nil || insertedIds.contains(quake.id) }
      return QuakesStoreAction(saving: saved, deleting: deleted.map(\.id), in: state)
    }
  }

  /// Deletes a quake, if it is stored.
  public func deleteLocalQuakeMutation(quakeId: Quake.ID) async throws {
    try await change { state in state.quakes[quakeId] == nil ? nil : .didDeleteQuake(quakeId: quakeId) }
  }

  /// Deletes all quakes.
  public func deleteLocalQuakesMutation() async throws {
    try await change { state in state.quakes.isEmpty ? nil : .didDeleteAllQuakes }
  }
}

extension LocalStore {
  /// Replaces the contents of the store with the quakes of a state, in one step.
  ///
  /// An application that records its actions has two logs, its own and the store's, and can be killed between two
  /// writes. Its own log is the source of truth: at the next start, the store takes over the replayed state. A state
  /// whose quakes were never fetched is ignored, because its process made no request yet or ended before the first
  /// answer.
  public func takeOver(_ state: QuakesState) async throws {
    let quakes = state.quakes.data
    guard !quakes.isEmpty || state.quakes.status == .success else { return }
    try await change { stored in
      let gone = stored.quakes.keys.filter { quakeId in quakes[quakeId] == nil }
      return QuakesStoreAction(
        saving: quakes.values.sorted { lhs, rhs in lhs.id < rhs.id }, deleting: gone.sorted(), in: stored)
    }
  }
}

extension LocalStore {
  private func change(_ decide: @escaping @Sendable (QuakesStoreState) -> QuakesStoreAction?) async throws {
    try await log.change { state in (action: decide(state), value: ()) }
  }
}

extension QuakesStoreAction {
  /// Creates the action for a change; `nil` if it changes nothing.
  ///
  /// The last one of several quakes with the same id is used. A deletion takes precedence over a saved quake.
  init?(saving quakes: [Quake], deleting quakeIds: [Quake.ID], in state: QuakesStoreState) {
    let deletedIds = Set(quakeIds)
    var lastPositions: [Quake.ID: Int] = [:]
    for (position, quake) in quakes.enumerated() { lastPositions[quake.id] = position }
    let saved = quakes.enumerated().filter { position, quake in
      lastPositions[quake.id] == position && !deletedIds.contains(quake.id) && state.quakes[quake.id] != quake
    }
    let deleted = deletedIds.filter { quakeId in state.quakes[quakeId] != nil }.sorted()
    if saved.isEmpty, deleted.isEmpty { return nil }
    self = .didSaveQuakes(saved: saved.map(\.element), deleted: deleted)
  }
}

/// An error in the address of a ``LocalStore``. Later failures are a `LogError` or an `EventSourcingError`.
public typealias LocalStoreError = SampleError<LocalStoreErrorCode>

/// The failures of a ``LocalStore``.
public enum LocalStoreErrorCode: String, Sendable, CaseIterable {
  /// The address is not a file URL, or there is no directory for the store.
  case urlError
}

/// The model of a ``LocalStore``, whose log is separate from the application's log.
public enum QuakesStoreModel: Model {
  /// The model name in logs.
  public static let name = "quakes-store"
  /// The schema version of ``QuakesStoreAction``.
  public static let schema = 1
  /// An empty table.
  public static let initialState = QuakesStoreState()
  /// The first version of the reducer: the text changes with it.
  public static let sourceFingerprint: String? = ""

  /// Folds one action into a state. No action is refused.
  public static func reduce(into state: inout QuakesStoreState, action: QuakesStoreAction) {
    switch action {
    case .didSaveQuakes(let saved, let deleted):
      for quake in saved { state.quakes[quake.id] = quake }
      for quakeId in deleted { state.quakes[quakeId] = nil }
    case .didDeleteQuake(let quakeId):
      state.quakes[quakeId] = nil
    case .didDeleteAllQuakes:
      state.quakes = [:]
    }
  }
}

/// The contents of a ``LocalStore``.
public struct QuakesStoreState: Hashable, Codable, Sendable {
  package var quakes: QuakesState.Table<Quake.ID, Quake> = [:]

  /// Creates an empty state.
  public init() {}
}

/// The changes of a ``LocalStore``. An operation that changes nothing is not recorded.
///
/// The names of cases and labels are the types and members of the records in a log. Changing one changes the format and
/// requires a new schema version.
public enum QuakesStoreAction: Hashable, Codable, Sendable {
  case didSaveQuakes(saved: [Quake], deleted: [Quake.ID])
  case didDeleteQuake(quakeId: Quake.ID)
  case didDeleteAllQuakes
}
