import ImmutableData

/// What talks to both stores and tells the state of it. Each operation is a thunk: it waits for a store, for no longer
/// than the limit, and dispatches what came of it.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 10.
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
  /// Fetches what is stored on this device.
  ///
  /// - Returns: A thunk that dispatches `localStore(didFetchQuakes)`. When it fails it throws after that, too.
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

  /// Fetches a feed.
  ///
  /// - Returns: A thunk that dispatches `remoteStore(didFetchQuakes)`. When it fails it throws after that, too.
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

  /// Stores what changed.
  ///
  /// - Returns: A thunk that dispatches nothing.
  func didFetchRemoteQuakesMutation<Dispatcher, Selector>(
    inserted: [Quake], updated: [Quake], deleted: [Quake]
  ) -> Thunk<Dispatcher, Selector> {
    { _, _ in
      try await self.local { store in
        try await store.didFetchRemoteQuakesMutation(inserted: inserted, updated: updated, deleted: deleted)
      }
    }
  }

  /// Deletes a quake.
  ///
  /// - Parameters:
  ///   - quakeId: The quake's id.
  ///   - rollingBack: What the state lost by showing the deletion at once.
  /// - Returns: A thunk that dispatches nothing, or, when the store fails, `localStore(didFailToDeleteQuakes)`, and
  ///   throws.
  func deleteLocalQuakeMutation<Dispatcher, Selector>(
    quakeId: Quake.ID, rollingBack quakes: [Quake]
  ) -> Thunk<Dispatcher, Selector> {
    deletion(rollingBack: quakes) { store in try await store.deleteLocalQuakeMutation(quakeId: quakeId) }
  }

  /// Deletes all quakes.
  ///
  /// - Parameter rollingBack: What the state lost by showing the deletion at once.
  /// - Returns: A thunk that dispatches nothing, or, when the store fails, `localStore(didFailToDeleteQuakes)`, and
  ///   throws.
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
    try await limits.run(limits.local, waitingFor: "local store") { [localStore] in try await operation(localStore) }
  }

  private func remote<Value: Sendable>(
    _ operation: @escaping @Sendable (RemoteStore) async throws -> Value
  ) async throws -> Value {
    try await limits.run(limits.remote, waitingFor: "remote store") { [remoteStore] in try await operation(remoteStore)
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
