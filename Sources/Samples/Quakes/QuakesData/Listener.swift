import EventSourcing
public import ImmutableData
import SampleSupport
import TreeCollections

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
/// after every action.
@MainActor
public final class Listener<
  LocalStore: PersistentSessionLocalStore, RemoteStore: PersistentSessionRemoteStore
>: Sendable {
  private let session: PersistentSession<LocalStore, RemoteStore>
  private let follower: StoreFollower

  /// The last error. Failed fetches and deletions are also dispatched to the store; a failure to save the changes of a
  /// feed is only reported here.
  public var lastError: (any Error)? { follower.lastError }

  /// Creates a listener.
  public init(
    localStore: LocalStore, remoteStore: RemoteStore, limits: TimeLimits = TimeLimits(),
    onError: (@Sendable (any Error) -> Void)? = nil
  ) {
    self.session = PersistentSession(localStore: localStore, remoteStore: remoteStore, limits: limits)
    follower = StoreFollower(onError: onError)
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
    let isInterrupted = store.select { state in state.quakes.status == .waiting }
    follower.follow(store) { [weak self] store in
      if isInterrupted { self?.endWaiting(of: store) }
    } react: { [weak self] store, oldState, action in
      try await self?.react(to: action, in: oldState, of: store)
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
      follower.report(error)
    }
  }

  private func react(
    to action: QuakesAction, in oldState: QuakesState,
    of store: some ImmutableData.Dispatcher<QuakesState, QuakesAction>
  ) async throws {
    DebugOutput.current.note(action, in: oldState, of: "QuakesData", reduce: QuakesModel.reducer)
    guard let effect = try QuakesEffect(of: action, in: oldState) else { return }
    try await store.dispatch(thunk: session.thunk(for: effect))
  }
}

/// A side effect of an action.
///
/// It is derived from the state before the action and the reduced state, never from the live state, which can include
/// later actions.
package enum QuakesEffect: Hashable, Sendable {
  case fetchStored
  case fetchFeed(range: QuakesAction.UI.QuakeList.RefreshQuakesRange)
  /// The lost quakes are restored if the store fails.
  case delete(quakeId: Quake.ID, lost: [Quake])
  case deleteAll(lost: [Quake])
  case save(QuakeChanges)

  /// Creates the effect of an accepted action.
  package init?(of action: QuakesAction, in oldState: QuakesState) throws {
    switch action {
    case .ui(.quakeList(.onAppear)):
      guard try Self.startsWaiting(action, in: oldState) else { return nil }
      self = .fetchStored
    case .ui(.quakeList(.onTapRefreshQuakesButton(let range))):
      guard try Self.startsWaiting(action, in: oldState) else { return nil }
      self = .fetchFeed(range: range)
    case .ui(.quakeList(.onTapDeleteSelectedQuakeButton(let quakeId))):
      self = .delete(quakeId: quakeId, lost: oldState.quakes.data[quakeId].map { quake in [quake] } ?? [])
    case .ui(.quakeList(.onTapDeleteAllQuakesButton)):
      self = .deleteAll(lost: oldState.quakes.data.values.sorted { lhs, rhs in lhs.id < rhs.id })
    case .data(.persistentSession(.remoteStore(.didFetchQuakes(result: .success(let quakes))))):
      let newState = try QuakesModel.reducer(oldState, action)
      self = .save(QuakeChanges(of: quakes, from: oldState, to: newState))
    case .data(.persistentSession(.localStore(.didFailToDeleteQuakes(let quakes, reason: _)))):
      // The quakes are still stored, unless a later deletion reached the store first. The store follows the order of
      // the actions, so the quakes restored in the state are saved again.
      let newState = try QuakesModel.reducer(oldState, action)
      let changes = QuakeChanges(of: quakes, from: oldState, to: newState)
      if changes.isEmpty { return nil }
      self = .save(changes)
    case .data(.persistentSession(.localStore(.didFetchQuakes))),
      .data(.persistentSession(.remoteStore(.didFetchQuakes(result: .failure)))):
      return nil
    }
  }

  private static func startsWaiting(_ action: QuakesAction, in oldState: QuakesState) throws -> Bool {
    let newState = try QuakesModel.reducer(oldState, action)
    return oldState.quakes.status != .waiting && newState.quakes.status == .waiting
  }
}

/// The changes of an action with quakes, to be saved in the local store.
package struct QuakeChanges: Hashable, Sendable {
  package var inserted: [Quake] = []
  package var updated: [Quake] = []
  package var deleted: [Quake] = []

  /// Compares the states before and after an action.
  package init(of quakes: [Quake], from oldState: QuakesState, to newState: QuakesState) {
    var lastPositions: [Quake.ID: Int] = [:]
    for (position, quake) in quakes.enumerated() { lastPositions[quake.id] = position }
    for (position, quake) in quakes.enumerated() where lastPositions[quake.id] == position {
      switch (oldState.quakes.data[quake.id], newState.quakes.data[quake.id]) {
      case (nil, let new?): inserted.append(new)
      case (let old?, let new?) where old != new: updated.append(new)
      case (_?, nil): deleted.append(quake)
      default: break
      }
    }
  }

  /// Computes the changes to stored quakes when a feed is merged in, by the rules of the reducer.
  package init(of fetched: [Quake], mergedInto stored: [Quake]) throws {
    let start = try QuakesModel.reducer(
      QuakesState(), .data(.persistentSession(.localStore(.didFetchQuakes(result: .success(quakes: stored))))))
    let end = try QuakesModel.reducer(
      start, .data(.persistentSession(.remoteStore(.didFetchQuakes(result: .success(quakes: fetched))))))
    self.init(of: fetched, from: start, to: end)
  }

  package var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}
