import ImmutableData
import SampleSupport

/// The local store of a session.
public protocol PersistentSessionLocalStore: Sendable {
  func fetchLocalQuakesQuery() async throws -> [Quake]

  /// Stores the changes of a feed or of a rolled-back deletion, atomically.
  ///
  /// - Parameters:
  ///   - inserted: New quakes. A quake that is already stored is replaced; the last one of several with the same id is
  ///     used.
  ///   - updated: Changed quakes. A quake that is not stored is skipped.
  ///   - deleted: Quakes to delete. A quake that is not stored is skipped.
  func didFetchRemoteQuakesMutation(inserted: [Quake], updated: [Quake], deleted: [Quake]) async throws

  /// Deletes a quake, if it is stored.
  func deleteLocalQuakeMutation(quakeId: Quake.ID) async throws

  func deleteLocalQuakesMutation() async throws
}

/// The remote store of a session: the feeds.
public protocol PersistentSessionRemoteStore: Sendable {
  func fetchRemoteQuakesQuery(range: QuakesAction.UI.QuakeList.RefreshQuakesRange) async throws -> [Quake]
}

/// Performs operations of both stores and dispatches their results.
///
/// Each operation is a thunk: it calls a store, waits for at most the time limit, and dispatches the result.
actor PersistentSession<LocalStore: PersistentSessionLocalStore, RemoteStore: PersistentSessionRemoteStore> {
  private let localStore: LocalStore
  private let remoteStore: RemoteStore
  private let limits: TimeLimits

  init(localStore: LocalStore, remoteStore: RemoteStore, limits: TimeLimits) {
    self.localStore = localStore
    self.remoteStore = remoteStore
    self.limits = limits
  }

  typealias Thunk<Dispatcher, Selector> = @Sendable (Dispatcher, Selector) async throws -> Void
  where Dispatcher: ImmutableData.Dispatcher<QuakesState, QuakesAction>, Selector: ImmutableData.Selector<QuakesState>
}

extension PersistentSession {
  /// Returns a thunk that performs an effect. If it fails, the thunk dispatches the failure and then throws.
  nonisolated func thunk<Dispatcher, Selector>(for effect: QuakesEffect) -> Thunk<Dispatcher, Selector> {
    { dispatcher, _ in try await self.perform(effect, for: dispatcher) }
  }

  private nonisolated func perform(
    _ effect: QuakesEffect, for dispatcher: some ImmutableData.Dispatcher<QuakesState, QuakesAction>
  ) async throws {
    switch effect {
    case .fetchStored:
      let quakes = try await local(
        { store in try await store.fetchLocalQuakesQuery() }, for: dispatcher,
        failure: { reason in .localStore(.didFetchQuakes(result: .failure(error: reason.description))) })
      try await dispatcher.dispatch(action: .localStore(.didFetchQuakes(result: .success(quakes: quakes))))
    case .fetchFeed(let range):
      let quakes = try await limited(
        limits.remote, "remote store", for: dispatcher,
        { [remoteStore] in try await remoteStore.fetchRemoteQuakesQuery(range: range) },
        failure: { reason in .remoteStore(.didFetchQuakes(result: .failure(error: reason.description))) })
      try await dispatcher.dispatch(action: .remoteStore(.didFetchQuakes(result: .success(quakes: quakes))))
    case .save(let changes):
      try await local(
        { store in
          try await store.didFetchRemoteQuakesMutation(
            inserted: changes.inserted, updated: changes.updated, deleted: changes.deleted)
        }, for: dispatcher, failure: { _ in nil })
    case .delete(let quakeId, let lost):
      try await local(
        { store in try await store.deleteLocalQuakeMutation(quakeId: quakeId) }, for: dispatcher,
        failure: { reason in .localStore(.didFailToDeleteQuakes(quakes: lost, reason: reason)) })
    case .deleteAll(let lost):
      try await local(
        { store in try await store.deleteLocalQuakesMutation() }, for: dispatcher,
        failure: { reason in .localStore(.didFailToDeleteQuakes(quakes: lost, reason: reason)) })
    }
  }

  private nonisolated func local<Value: Sendable>(
    _ operation: @escaping @Sendable (LocalStore) async throws -> Value,
    for dispatcher: some ImmutableData.Dispatcher<QuakesState, QuakesAction>,
    failure: (FailureReason) -> QuakesAction?
  ) async throws -> Value {
    try await limited(
      limits.local, "local store", for: dispatcher, { [localStore] in try await operation(localStore) },
      failure: failure)
  }

  /// Runs an operation within a time limit. If it fails, `failure` returns the action to dispatch, if there is one.
  private nonisolated func limited<Value: Sendable>(
    _ limit: Duration, _ name: String, for dispatcher: some ImmutableData.Dispatcher<QuakesState, QuakesAction>,
    _ operation: @escaping @Sendable () async throws -> Value, failure: (FailureReason) -> QuakesAction?
  ) async throws -> Value {
    do {
      return try await TimeLimit(limit, clock: limits.clock).run(waitingFor: name, operation)
    } catch {
      if let action = failure(FailureReason(error)) { try await dispatcher.dispatch(action: action) }
      throw error
    }
  }
}

extension QuakesAction {
  fileprivate static func localStore(_ action: Data.PersistentSession.LocalStore) -> QuakesAction {
    .data(.persistentSession(.localStore(action)))
  }

  fileprivate static func remoteStore(_ action: Data.PersistentSession.RemoteStore) -> QuakesAction {
    .data(.persistentSession(.remoteStore(action)))
  }
}

/// The time limits of a session's calls. A call that exceeds its limit fails like any other call, so no status waits
/// forever and a call that hangs does not block later ones.
public struct TimeLimits: Sendable {
  /// The limit of the local store: 30 seconds, enough for a disk that has to spin up.
  public var local: Duration
  /// The limit of a feed: 60 seconds, the default timeout of `URLSession`. A feed of a month has several megabytes.
  public var remote: Duration
  /// The clock that measures the limits.
  public var clock: any Clock<Duration>

  /// Creates limits.
  public init(
    local: Duration = .seconds(30), remote: Duration = .seconds(60), clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.local = local
    self.remote = remote
    self.clock = clock
  }
}
