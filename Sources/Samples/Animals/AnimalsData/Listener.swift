import EventSourcing
public import ImmutableData
import SampleSupport
import TreeCollections

/// Performs the side effects of the animals sample: fetches and stores data on request of the user.
///
/// ```swift
/// let listener = Listener(store: try LocalStore<UUID>())
/// listener.listen(to: store)
/// ```
///
/// Effects run one at a time, in the order of their actions. A call that exceeds the time limit fails like any other
/// call, so no status waits forever. Replaying a log starts no effects: only the stream of a live store does.
///
/// Each result names the action that requested it in `meta.cause` of its record, so `action-log list --cause` shows them
/// together.
///
/// With the flag `com.northbronson.AnimalsData.Debug` in the user defaults, debug builds print the states before and
/// after every action.
@MainActor
public final class Listener<PersistentStore: PersistentSessionPersistentStore>: Sendable {
  private let session: PersistentSession<PersistentStore>
  private let follower: StoreFollower

  /// The last error. Errors of operations are also dispatched to the store.
  public var lastError: (any Error)? { follower.lastError }

  /// Creates a listener.
  public init(
    store: PersistentStore, limit: Duration = .seconds(60), clock: any Clock<Duration> = ContinuousClock(),
    onError: (@Sendable (any Error) -> Void)? = nil
  ) {
    self.session = PersistentSession(store: store, limit: TimeLimit(limit, clock: clock))
    follower = StoreFollower(onError: onError)
  }

  /// Listens to the accepted actions of `store`, and stops listening to the previous store.
  ///
  /// The stream is created before the call returns, so no later action is missed. The call does nothing if the listener
  /// already listens to `store`.
  ///
  /// A status that is waiting at this moment will never be answered: its process has ended, for instance in a crash.
  /// Fetches are repeated, and operations on rows end with the failure `interrupted`.
  ///
  /// With `catchesUp`, a replayed state is updated to the contents of the persistent store: tables that were fetched
  /// before are fetched again, and missing animals are deleted.
  public func listen<Store>(to store: Store, catchesUp: Bool = false)
  where
    Store: ImmutableData.Dispatcher<AnimalsState, AnimalsAction> & ImmutableData.Selector<AnimalsState>
      & Streamer<AnimalsState, AnimalsAction> & AnyObject
  {
    let interruption = Interruption(store.select { state in state })
    follower.follow(store) { [weak self] store in
      await self?.recover(from: interruption, catchesUp: catchesUp, on: store)
    } react: { [weak self] store, oldState, action in
      try await self?.react(to: action, in: oldState, of: store)
    }
  }
}

extension Listener {
  /// Resolves the statuses that a previous process left waiting.
  private func recover<Store>(from interruption: Interruption, catchesUp: Bool, on store: Store) async
  where
    Store: ImmutableData.Dispatcher<AnimalsState, AnimalsAction> & ImmutableData.Selector<AnimalsState>
  {
    for action in interruption.failures {
      do { try store.dispatch(action: action) } catch { follower.report(error) }
    }
    guard catchesUp || interruption.isFetching else { return }
    do {
      try await store.dispatch(thunk: session.catchUpQuery(after: interruption))
    } catch {
      follower.report(error)
    }
  }

  private func react(
    to action: AnimalsAction, in oldState: AnimalsState,
    of store: some ImmutableData.Dispatcher<AnimalsState, AnimalsAction>
  ) async throws {
    DebugOutput.current.note(action, in: oldState, of: "AnimalsData", reduce: AnimalsModel.reducer)
    guard let effect = try AnimalsEffect(of: action, in: oldState) else { return }
    try await store.dispatch(thunk: session.thunk(for: effect))
  }
}

/// The operations of a state whose process ended before they were answered.
struct Interruption: Sendable {
  /// Whether a fetch is pending. A fetch can be repeated safely.
  let isFetching: Bool
  let hasRequestedCategories: Bool
  let hasRequestedAnimals: Bool
  /// The failures of the pending operations on rows, in ascending order of the rows' ids. These operations are not
  /// repeated, because they may have been completed.
  let failures: [AnimalsAction]

  init(_ state: AnimalsState) {
    hasRequestedCategories = state.categories.status != nil
    hasRequestedAnimals = state.animals.status != nil
    isFetching = state.categories.status == .waiting || state.animals.status == .waiting
    let text = ErrorSummary(code: "interrupted", message: "the application ended before an answer came").description
    let waiting = state.animals.queue.compactMap { id, status in status == .waiting ? id : nil }
    failures = waiting.sorted().map { id in
      .data(
        .persistentSession(
          state.animals.data[id] == nil
            ? .didAddAnimal(id: id, result: .failure(error: text))
            : .didUpdateAnimal(animalId: id, result: .failure(error: text))))
    }
  }
}

/// A side effect of an action.
///
/// It is derived from the state before the action and the reduced state, never from the live state, which can include
/// later actions.
package enum AnimalsEffect: Hashable, Sendable {
  case fetchCategories
  case fetchAnimals
  case reloadSampleData
  /// Add an animal, which the state tracks under a temporary id.
  case add(id: Animal.ID, name: String, diet: Animal.Diet, categoryId: Category.ID)
  case update(animalId: Animal.ID, name: String, diet: Animal.Diet, categoryId: Category.ID)
  case delete(animalId: Animal.ID)

  /// Creates the effect of an accepted action.
  package init?(of action: AnimalsAction, in oldState: AnimalsState) throws {
    guard case .ui(let ui) = action else { return nil }
    let newState = try AnimalsModel.reducer(oldState, action)
    let (effect, isDue) = Self.candidate(ui, from: oldState, to: newState)
    guard isDue else { return nil }
    self = effect
  }

  /// Returns the requested effect, and whether this action was the first to request it.
  private static func candidate(
    _ action: AnimalsAction.UI, from oldState: AnimalsState, to newState: AnimalsState
  ) -> (effect: AnimalsEffect, isDue: Bool) {
    func begins(_ animalId: Animal.ID) -> Bool {
      oldState.animals.queue[animalId] != .waiting && newState.animals.queue[animalId] == .waiting
    }
    let (oldCategories, newCategories) = (oldState.categories.status, newState.categories.status)
    let (oldAnimals, newAnimals) = (oldState.animals.status, newState.animals.status)
    switch action {
    case .categoryList(.onAppear):
      return (.fetchCategories, oldCategories == nil && newCategories == .waiting)
    case .categoryList(.onTapReloadSampleDataButton):
      let wereIdle = oldCategories != .waiting && oldAnimals != .waiting
      return (.reloadSampleData, wereIdle && newCategories == .waiting && newAnimals == .waiting)
    case .animalList(.onAppear):
      return (.fetchAnimals, oldAnimals == nil && newAnimals == .waiting)
    case .animalList(.onTapDeleteSelectedAnimalButton(let animalId)),
      .animalDetail(.onTapDeleteSelectedAnimalButton(let animalId)):
      return (.delete(animalId: animalId), begins(animalId))
    case .animalEditor(.onTapAddAnimalButton(let id, let name, let diet, let categoryId)):
      return (.add(id: id, name: name, diet: diet, categoryId: categoryId), begins(id))
    case .animalEditor(.onTapUpdateAnimalButton(let animalId, let name, let diet, let categoryId)):
      return (.update(animalId: animalId, name: name, diet: diet, categoryId: categoryId), begins(animalId))
    }
  }
}
