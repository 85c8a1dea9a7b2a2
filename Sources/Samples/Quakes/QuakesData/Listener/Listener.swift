public import ImmutableData
import SampleSupport

/// The side effects of the quakes sample: what people ask for is fetched, and what changes is stored.
///
/// ```swift
/// let listener = Listener(localStore: try LocalStore(), remoteStore: RemoteStore(session: session))
/// listener.listen(to: store)
/// ```
///
/// Effects are carried out one after the other, in the order of their actions, so that the store on this device sees
/// what the state saw. None takes longer than ``TimeLimits`` say.
///
/// With the flag `com.northbronson.QuakesData.Debug` in the user defaults, debug builds print the states around every action.
/// `action-log diff` shows the same as a difference.
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

  /// What went wrong last. A failed fetch or deletion is told to the state besides; a failure to store what a feed
  /// brought is told here alone.
  public private(set) var lastError: (any Error)?

  /// Makes a listener.
  ///
  /// - Parameters:
  ///   - localStore: The store on this device.
  ///   - remoteStore: The feeds.
  ///   - limits: How long it waits for them.
  ///   - onError: Told of everything that goes wrong.
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

  /// Listens to everything that `store` accepts from now on, and to no other store any more.
  ///
  /// The stream is made before the call returns, so nothing dispatched afterwards is missed. Listening again to the
  /// store that is listened to does nothing.
  ///
  /// A state that says that an answer is awaited when listening begins, for instance one that was rebuilt from a log
  /// after a crash, awaits it in vain: the failure `interrupted` is dispatched, so that people can ask again.
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
          await self.react(to: action, in: oldState, of: store)
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
