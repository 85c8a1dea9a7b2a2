import EventSourcing
package import ImmutableData

/// The task of a side-effect listener, which follows one store at a time, and its errors.
///
/// The follower retains neither the store nor, if its closures do not, the listener. It stops when it is deinitialized.
@MainActor package final class StoreFollower: Sendable {
  private let onError: (@Sendable (any Error) -> Void)?
  private weak var store: AnyObject?
  private var task: Task<Void, Never>?

  package private(set) var lastError: (any Error)?

  package init(onError: (@Sendable (any Error) -> Void)? = nil) {
    self.onError = onError
  }

  deinit {
    task?.cancel()
  }

  /// Reacts to the accepted actions of `store`, one after the other, instead of those of the previous store.
  ///
  /// The stream is created before the call returns, so no later action is missed. Each reaction is the cause of the actions that it
  /// dispatches.
  ///
  /// - Parameter begin: Runs before the first reaction.
  /// - Returns: Whether `store` was not followed already. If it was, nothing changes.
  @discardableResult package func follow<Store: Streamer & AnyObject>(
    _ store: Store, begin: @escaping @MainActor (Store) async -> Void = { _ in },
    react: @escaping @MainActor (Store, Store.State, Store.Action) async throws -> Void
  ) -> Bool {
    guard self.store !== store else { return false }
    self.store = store
    let stream = store.makeStream()
    task?.cancel()
    task = Task { [weak self, weak store] in
      if let store { await begin(store) }
      do {
        for try await (oldState, action) in stream {
          guard let self, let store else { return }
          do {
            try await RecordMeta.withCause(latestIn: stream) { try await react(store, oldState, action) }
          } catch {
            self.report(error)
          }
        }
      } catch {
        self?.report(error)
      }
      // A store whose stream has ended can be followed again.
      if let self, let store, self.store === store { self.store = nil }
    }
    return true
  }

  package func report(_ error: any Error) {
    lastError = error
    onError?(error)
  }
}
