package import ActionLog
package import EventSourcing
public import Foundation
import SampleSupport
import TreeCollections

/// The quakes that are kept on this device: an event-sourced store, with a log of its own.
///
/// Every change is one record of the log ``QuakesStoreModel``, and is on disk when the call returns; what the store
/// holds is the fold of the log. So a change is stored as a whole or not at all, a process that is killed loses nothing
/// that was acknowledged, snapshots can be deleted, and `action-log` can say when a quake came and went.
///
/// The log is opened by the first operation, off the calling thread, and one process has it at a time. When a change
/// cannot be written, the operation throws and the store goes back to what is on disk: the next operation opens the log
/// again.
///
/// Operations are carried out one after the other, in the order of the calls. They do not look at cancellation: a
/// change that was begun is completed.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 10, where the store is a database.
public actor LocalStore {
  private let log: EventSourcedStore<QuakesStoreModel>

  package init(
    path: String, makesFolders: Bool = false, fileSystem: any LogFileSystem = POSIXFileSystem(),
    configuration: RecordingConfiguration<QuakesStoreModel> = RecordingConfiguration()
  ) {
    log = EventSourcedStore(
      path: path, makesFolders: makesFolders, fileSystem: fileSystem, configuration: configuration)
  }

  /// Makes a store at a place of its own.
  ///
  /// - Parameter url: The directory of the log. It need not exist, but its parent must.
  /// - Throws: ``LocalStoreError/Code/urlError`` when it is not the address of a file.
  public init(url: URL) throws {
    guard let place = StorePlace(url: url) else {
      throw LocalStoreError(.urlError, "a store lies in a file", path: url.absoluteString)
    }
    self.init(place)
  }

  /// Makes a store at the standard place: `QuakesData/default.store` among the application's support files, which
  /// programs of other products share on some platforms.
  ///
  /// - Parameter isStoredInMemoryOnly: Whether everything is forgotten with the store.
  public init(isStoredInMemoryOnly: Bool = false) throws {
    guard let place = StorePlace(standardOf: "QuakesData", isStoredInMemoryOnly: isStoredInMemoryOnly) else {
      throw LocalStoreError(
        .urlError, "there is no folder for the support files of applications", path: StorePlace.standardName)
    }
    self.init(place)
  }

  private init(_ place: StorePlace) {
    self.init(path: place.path, makesFolders: place.makesFolders, fileSystem: place.fileSystem)
  }

  /// Gives the log back. Everything is on disk already; a later operation opens the log again.
  ///
  /// - Throws: `LogError` when the log could not be ended properly; it can be opened all the same.
  public func close() async throws {
    try await log.close()
  }

  /// Begins the log anew at what is stored, and puts the old one aside, whole: beside it, with `.1`, `.2` and so on after
  /// its name.
  ///
  /// A log grows with every change, for ever: with some 250 bytes for each quake that a feed brings or corrects, so a
  /// month of feeds is a few megabytes. Opening it does not become slower, because of the snapshots, and nothing is ever
  /// removed by itself, because the log is the record of what happened. When its size matters, this makes it small again;
  /// what lies aside can still be asked with `action-log`, moved away, or removed.
  ///
  /// A process that is killed in the middle leaves a store that holds what it held.
  ///
  /// - Parameter count: How many of the logs that lie aside are kept, the newest; `nil` for all.
  /// - Returns: The path of the log that was put aside.
  /// - Throws: `LogError`, `EventSourcingError` or `FileSystemError`. What is stored is the same then, and the store can
  ///   be used on.
  @discardableResult
  public func rollLog(keeping count: Int? = nil) async throws -> String {
    try await log.roll(keeping: count)
  }

  /// Gives the log back as it is, as if the process had been killed.
  package func abandon() async throws {
    try await log.abandon()
  }
}

extension LocalStore: PersistentSessionLocalStore {
  /// All quakes, in ascending order of their ids.
  ///
  /// - Throws: `LogError` or `EventSourcingError` when the log cannot be opened.
  /// - Complexity: O(n log n).
  public func fetchLocalQuakesQuery() async throws -> [Quake] {
    try await log.read { state in state.quakes.values.sorted { lhs, rhs in lhs.id < rhs.id } }
  }

  /// Stores new and changed quakes and removes others, in one step. What is there already as it should be is not
  /// touched.
  ///
  /// - Throws: `LogError` or `EventSourcingError`; nothing is changed then.
  /// - Complexity: O(number of quakes).
  public func didFetchRemoteQuakesMutation(inserted: [Quake], updated: [Quake], deleted: [Quake]) async throws {
    try await change { state in
      var saved = inserted
      let insertedIds = Set(inserted.map(\.id))
      saved += updated.filter { quake in state.quakes[quake.id] != nil || insertedIds.contains(quake.id) }
      return QuakesStoreAction(saving: saved, deleting: deleted.map(\.id), in: state)
    }
  }

  /// Deletes a quake. One that is not there is no error.
  ///
  /// - Throws: `LogError` or `EventSourcingError`; nothing is changed then.
  public func deleteLocalQuakeMutation(quakeId: Quake.ID) async throws {
    try await change { state in state.quakes[quakeId] == nil ? nil : .didDeleteQuake(quakeId: quakeId) }
  }

  /// Deletes all quakes.
  ///
  /// - Throws: `LogError` or `EventSourcingError`; nothing is changed then.
  public func deleteLocalQuakesMutation() async throws {
    try await change { state in state.quakes.isEmpty ? nil : .didDeleteAllQuakes }
  }
}

extension LocalStore {
  /// Makes the store hold what a state holds, in one step.
  ///
  /// An application that records its actions has two logs, its own and the store's, and a process can be killed between
  /// the two. The application's counts: when it starts again, the store takes over what came of it. A state that was
  /// never filled has nothing to say, and changes nothing: that of an application that has asked for nothing yet, or
  /// that ended before its first answer came.
  ///
  /// - Throws: `LogError` or `EventSourcingError`; nothing is changed then.
  /// - Complexity: O(number of quakes).
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
  /// What is to be recorded of a change; `nil` when it changes nothing.
  ///
  /// Of several quakes with one id the last one counts, and a deletion counts most.
  init?(saving quakes: [Quake], deleting quakeIds: [Quake.ID], in state: QuakesStoreState) {
    let goes = Set(quakeIds)
    var places: [Quake.ID: Int] = [:]
    for (place, quake) in quakes.enumerated() { places[quake.id] = place }
    let saved = quakes.enumerated().filter { place, quake in
      places[quake.id] == place && !goes.contains(quake.id) && state.quakes[quake.id] != quake
    }
    let deleted = goes.filter { quakeId in state.quakes[quakeId] != nil }.sorted()
    if saved.isEmpty, deleted.isEmpty { return nil }
    self = .didSaveQuakes(saved: saved.map(\.element), deleted: deleted)
  }
}
