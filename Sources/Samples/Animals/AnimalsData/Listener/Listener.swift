public import ImmutableData
import SampleSupport
import TreeCollections

/// The side effects of the animals sample: what people ask for is fetched and stored.
///
/// ```swift
/// let listener = Listener(store: try LocalStore<UUID>())
/// listener.listen(to: store)
/// ```
///
/// Effects are carried out one after the other, in the order of their actions. None waits for the store for longer than
/// the limit; a limit that is reached is a failure like any other, so no status waits for ever. Replaying a log starts no
/// effects: they come from a live store's stream only.
///
/// With the flag `com.northbronson.AnimalsData.Debug` in the user defaults, debug builds print the states around every
/// action. `action-log diff` shows the same as a difference.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 6.
@MainActor
public final class Listener<PersistentStore: PersistentSessionPersistentStore>: Sendable {
  private let session: PersistentSession<PersistentStore>
  private let onError: (@Sendable (any Error) -> Void)?
  private weak var store: AnyObject?
  private var task: Task<Void, Never>?

  /// What went wrong last. It is told to the state besides.
  public private(set) var lastError: (any Error)?

  /// Makes a listener.
  ///
  /// - Parameters:
  ///   - store: The store behind it.
  ///   - limit: How long it waits for each answer.
  ///   - clock: What measures the time.
  ///   - onError: Told of everything that goes wrong.
  public init(
    store: PersistentStore, limit: Duration = .seconds(60), clock: any Clock<Duration> = ContinuousClock(),
    onError: (@Sendable (any Error) -> Void)? = nil
  ) {
    self.session = PersistentSession(store: store, limit: TimeLimit(limit, clock: clock))
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
  /// A state that says that something is being waited for when listening begins, for instance one that was rebuilt from
  /// a log after a crash, waits in vain: fetches are made again, and operations on rows end with the failure
  /// `interrupted`.
  ///
  /// - Parameters:
  ///   - store: The store to listen to.
  ///   - catchesUp: Whether a state that was rebuilt from a log is brought up to what the persistent store holds now:
  ///     what was fetched before is fetched again, and animals that are gone are deleted.
  public func listen<Store>(to store: Store, catchesUp: Bool = false)
  where
    Store: ImmutableData.Dispatcher<AnimalsState, AnimalsAction> & ImmutableData.Selector<AnimalsState>
      & Streamer<AnimalsState, AnimalsAction> & AnyObject
  {
    guard self.store !== store else { return }
    self.store = store
    let stream = store.makeStream()
    let interruption = Interruption(store.select { state in state })
    task?.cancel()
    task = Task { [weak self, weak store] in
      if let store { await self?.recover(from: interruption, catchesUp: catchesUp, on: store) }
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
  /// Ends all waiting that the end of another process left behind.
  private func recover<Store>(from interruption: Interruption, catchesUp: Bool, on store: Store) async
  where
    Store: ImmutableData.Dispatcher<AnimalsState, AnimalsAction> & ImmutableData.Selector<AnimalsState>
  {
    for action in interruption.failures {
      do { try store.dispatch(action: action) } catch { report(error) }
    }
    guard catchesUp || interruption.isFetching else { return }
    do { try await store.dispatch(thunk: session.catchUpQuery(after: interruption)) } catch { report(error) }
  }

  private func react(
    to action: AnimalsAction, in oldState: AnimalsState,
    of store: some ImmutableData.Dispatcher<AnimalsState, AnimalsAction>
  ) async {
    do {
      DebugOutput.current.note(
        action, in: oldState, of: "AnimalsData", reduce: AnimalsReducer.reduce(state:action:))
      guard let effect = try AnimalsEffect(of: action, in: oldState) else { return }
      try await perform(effect, on: store)
    } catch {
      report(error)
    }
  }

  private func perform(
    _ effect: AnimalsEffect, on store: some ImmutableData.Dispatcher<AnimalsState, AnimalsAction>
  ) async throws {
    switch effect {
    case .fetchCategories:
      try await store.dispatch(thunk: session.fetchCategoriesQuery())
    case .fetchAnimals:
      try await store.dispatch(thunk: session.fetchAnimalsQuery())
    case .reloadSampleData:
      try await store.dispatch(thunk: session.reloadSampleDataMutation())
    case .add(let id, let name, let diet, let categoryId):
      try await store.dispatch(
        thunk: session.addAnimalMutation(id: id, name: name, diet: diet, categoryId: categoryId))
    case .update(let animalId, let name, let diet, let categoryId):
      try await store.dispatch(
        thunk: session.updateAnimalMutation(animalId: animalId, name: name, diet: diet, categoryId: categoryId))
    case .delete(let animalId):
      try await store.dispatch(thunk: session.deleteAnimalMutation(animalId: animalId))
    }
  }

  private func report(_ error: any Error) {
    lastError = error
    onError?(error)
  }
}
