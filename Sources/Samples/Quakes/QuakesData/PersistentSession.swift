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
  func fetchLocalQuakesQuery<Dispatcher, Selector>() -> Thunk<Dispatcher, Selector> {
    { dispatcher, _ in
      let quakes: [Quake]
      do {
        quakes = try await self.local { store in try await store.fetchLocalQuakesQuery() }
      } catch {
        try await dispatcher.dispatch(
          action: .localStore(.didFetchQuakes(result: .failure(error: FailureReason(error).description))))
        throw error
      }
      try await dispatcher.dispatch(action: .localStore(.didFetchQuakes(result: .success(quakes: quakes))))
    }
  }

  func fetchRemoteQuakesQuery<Dispatcher, Selector>(
    range: QuakesAction.UI.QuakeList.RefreshQuakesRange
  ) -> Thunk<Dispatcher, Selector> {
    { dispatcher, _ in
      let quakes: [Quake]
      do {
        quakes = try await self.remote { store in try await store.fetchRemoteQuakesQuery(range: range) }
      } catch {
        try await dispatcher.dispatch(
          action: .remoteStore(.didFetchQuakes(result: .failure(error: FailureReason(error).description))))
        throw error
      }
      try await dispatcher.dispatch(action: .remoteStore(.didFetchQuakes(result: .success(quakes: quakes))))
    }
  }

  func didFetchRemoteQuakesMutation<Dispatcher, Selector>(
    inserted: [Quake], updated: [Quake], deleted: [Quake]
  ) -> Thunk<Dispatcher, Selector> {
    { _, _ in
      try await self.local { store in
        try await store.didFetchRemoteQuakesMutation(inserted: inserted, updated: updated, deleted: deleted)
      }
    }
  }

  func deleteLocalQuakeMutation<Dispatcher, Selector>(
    quakeId: Quake.ID, rollingBack quakes: [Quake]
  ) -> Thunk<Dispatcher, Selector> {
    deletion(rollingBack: quakes) { store in try await store.deleteLocalQuakeMutation(quakeId: quakeId) }
  }

  func deleteLocalQuakesMutation<Dispatcher, Selector>(
    rollingBack quakes: [Quake]
  ) -> Thunk<Dispatcher, Selector> {
    deletion(rollingBack: quakes) { store in try await store.deleteLocalQuakesMutation() }
  }

  private func deletion<Dispatcher, Selector>(
    rollingBack quakes: [Quake], _ delete: @escaping @Sendable (LocalStore) async throws -> Void
  ) -> Thunk<Dispatcher, Selector> {
    { dispatcher, _ in
      do {
        try await self.local(delete)
      } catch {
        try await dispatcher.dispatch(
          action: .localStore(.didFailToDeleteQuakes(quakes: quakes, reason: FailureReason(error))))
        throw error
      }
    }
  }
}

extension PersistentSession {
  private func local<Value: Sendable>(
    _ operation: @escaping @Sendable (LocalStore) async throws -> Value
  ) async throws -> Value {
    try await TimeLimit(limits.local, clock: limits.clock).run(waitingFor: "local store") { [localStore] in
      try await operation(localStore)
    }
  }

  private func remote<Value: Sendable>(
    _ operation: @escaping @Sendable (RemoteStore) async throws -> Value
  ) async throws -> Value {
    try await TimeLimit(limits.remote, clock: limits.clock).run(waitingFor: "remote store") { [remoteStore] in
      try await operation(remoteStore)
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
