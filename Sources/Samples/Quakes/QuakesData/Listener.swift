import EventSourcing
public import ImmutableData
import SampleSupport

/// Performs the side effects of the quakes sample: fetches quakes on request of the user and stores changes.
///
/// ```swift
/// let listener = Listener(localStore: try LocalStore(), remoteStore: RemoteStore(session: session))
/// listener.listen(to: store)
/// ```
///
/// Effects run one at a time, in the order of their actions, so the local store makes the same changes as the state.
/// Calls are limited by ``TimeLimits``.
///
/// Each result names the action that requested it in `meta.cause` of its record, so `action-log list --cause` shows them
/// together.
///
/// With the flag `com.northbronson.QuakesData.Debug` in the user defaults, debug builds print the states before and
/// after every action. `action-log diff` shows the differences between these states.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 10.
@MainActor
public final class Listener<
  LocalStore: PersistentSessionLocalStore, RemoteStore: PersistentSessionRemoteStore
>: Sendable {
  private let session: PersistentSession<LocalStore, RemoteStore>
  private let onError: (@Sendable (any Error) -> Void)?
  private weak var store: AnyObject?
  private var task: Task<Void, Never>?

  /// The last error. Failed fetches and deletions are also dispatched to the store; a failure to save the changes of a
  /// feed is only reported here.
  public private(set) var lastError: (any Error)?

  /// Creates a listener.
  ///
  /// - Parameters:
  ///   - localStore: The store on this device.
  ///   - remoteStore: The feeds.
  ///   - limits: The time limits of their calls.
  ///   - onError: A function that is called with every error.
  public init(
    localStore: LocalStore, remoteStore: RemoteStore, limits: TimeLimits = TimeLimits(),
    onError: (@Sendable (any Error) -> Void)? = nil
  ) {
    self.session = PersistentSession(localStore: localStore, remoteStore: remoteStore, limits: limits)
    self.onError = onError
  }

  deinit {
    task?.cancel()
  }

  /// Listens to the accepted actions of `store`, and stops listening to the previous store.
  ///
  /// The stream is created before the call returns, so no later action is missed. The call does nothing if the listener
  /// already listens to `store`.
  ///
  /// A status that is waiting at this moment will never be answered: its process has ended, for instance in a crash.
  /// The failure `interrupted` is dispatched, so the user can request the data again.
  public func listen<Store>(to store: Store)
  where
    Store: ImmutableData.Dispatcher<QuakesState, QuakesAction> & ImmutableData.Selector<QuakesState>
      & Streamer<QuakesState, QuakesAction> & AnyObject
  {
    guard self.store !== store else { return }
    self.store = store
    let stream = store.makeStream()
    let isInterrupted = store.select { state in state.quakes.status == .waiting }
    task?.cancel()
    task = Task { [weak self, weak store] in
      if isInterrupted, let store { self?.endWaiting(of: store) }
      do {
        for try await (oldState, action) in stream {
          guard let self, let store else { return }
          await RecordMeta.withCause(latestIn: stream) { await self.react(to: action, in: oldState, of: store) }
        }
      } catch {
        self?.report(error)
      }
    }
  }
}

extension Listener {
  private func endWaiting(of store: some ImmutableData.Dispatcher<QuakesState, QuakesAction>) {
    let reason = FailureReason(code: "interrupted", message: "the application ended before an answer came")
    do {
      try store.dispatch(
        action: .data(
          .persistentSession(.localStore(.didFetchQuakes(result: .failure(error: reason.description))))))
    } catch {
      report(error)
    }
  }

  private func react(
    to action: QuakesAction, in oldState: QuakesState,
    of store: some ImmutableData.Dispatcher<QuakesState, QuakesAction>
  ) async {
    do {
      DebugOutput.current.note(
        action, in: oldState, of: "QuakesData", reduce: QuakesReducer.reduce(state:action:))
      guard let effect = try QuakesEffect(of: action, in: oldState) else { return }
      try await perform(effect, on: store)
    } catch {
      report(error)
    }
  }

  private func perform(
    _ effect: QuakesEffect, on store: some ImmutableData.Dispatcher<QuakesState, QuakesAction>
  ) async throws {
    switch effect {
    case .fetchStored:
      try await store.dispatch(thunk: session.fetchLocalQuakesQuery())
    case .fetchFeed(let range):
      try await store.dispatch(thunk: session.fetchRemoteQuakesQuery(range: range))
    case .delete(let quakeId, let lost):
      try await store.dispatch(thunk: session.deleteLocalQuakeMutation(quakeId: quakeId, rollingBack: lost))
    case .deleteAll(let lost):
      try await store.dispatch(thunk: session.deleteLocalQuakesMutation(rollingBack: lost))
    case .save(let changes):
      try await store.dispatch(
        thunk: session.didFetchRemoteQuakesMutation(
          inserted: changes.inserted, updated: changes.updated, deleted: changes.deleted))
    }
  }

  private func report(_ error: any Error) {
    lastError = error
    onError?(error)
  }
}
