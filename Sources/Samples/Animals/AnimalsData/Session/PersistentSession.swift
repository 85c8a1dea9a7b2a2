import ImmutableData
import SampleSupport
import TreeCollections

/// What talks to the store and tells the state of it. Each operation is a thunk: it waits for the store, for no longer
/// than the limit, and dispatches what came of it.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 6.
actor PersistentSession<PersistentStore: PersistentSessionPersistentStore> {
  private let store: PersistentStore
  private let limit: TimeLimit

  init(store: PersistentStore, limit: TimeLimit) {
    self.store = store
    self.limit = limit
  }

  typealias Thunk<Dispatcher, Selector> = @Sendable (Dispatcher, Selector) async throws -> Void
  where
    Dispatcher: ImmutableData.Dispatcher<AnimalsState, AnimalsAction>, Selector: ImmutableData.Selector<AnimalsState>
}

extension PersistentSession {
  private typealias Action = AnimalsAction.Data.PersistentSession

  /// - Returns: A thunk that dispatches `didFetchCategories`. When it fails it throws after that, too.
  func fetchCategoriesQuery<Dispatcher, Selector>() -> Thunk<Dispatcher, Selector> {
    thunk(
      { store in try await store.fetchCategoriesQuery() },
      success: { categories in .didFetchCategories(result: .success(categories: categories)) },
      failure: { error in .didFetchCategories(result: .failure(error: error)) })
  }

  /// - Returns: A thunk that dispatches `didFetchAnimals`. When it fails it throws after that, too.
  func fetchAnimalsQuery<Dispatcher, Selector>() -> Thunk<Dispatcher, Selector> {
    thunk(
      { store in try await store.fetchAnimalsQuery() },
      success: { animals in .didFetchAnimals(result: .success(animals: animals)) },
      failure: { error in .didFetchAnimals(result: .failure(error: error)) })
  }

  /// - Returns: A thunk that dispatches `didReloadSampleData`. When it fails it throws after that, too.
  func reloadSampleDataMutation<Dispatcher, Selector>() -> Thunk<Dispatcher, Selector> {
    thunk(
      { store in try await store.reloadSampleDataMutation() },
      success: { data in
        .didReloadSampleData(result: .success(animals: data.animals, categories: data.categories))
      },
      failure: { error in .didReloadSampleData(result: .failure(error: error)) })
  }

  /// - Parameter id: The temporary id under which the animal is waited for.
  /// - Returns: A thunk that dispatches `didAddAnimal`. When it fails it throws after that, too.
  func addAnimalMutation<Dispatcher, Selector>(
    id: Animal.ID, name: String, diet: Animal.Diet, categoryId: Category.ID
  ) -> Thunk<Dispatcher, Selector> {
    thunk(
      { store in try await store.addAnimalMutation(name: name, diet: diet, categoryId: categoryId) },
      success: { animal in .didAddAnimal(id: id, result: .success(animal: animal)) },
      failure: { error in .didAddAnimal(id: id, result: .failure(error: error)) })
  }

  /// - Returns: A thunk that dispatches `didUpdateAnimal`. When it fails it throws after that, too.
  func updateAnimalMutation<Dispatcher, Selector>(
    animalId: Animal.ID, name: String, diet: Animal.Diet, categoryId: Category.ID
  ) -> Thunk<Dispatcher, Selector> {
    thunk(
      { store in
        try await store.updateAnimalMutation(animalId: animalId, name: name, diet: diet, categoryId: categoryId)
      },
      success: { animal in .didUpdateAnimal(animalId: animalId, result: .success(animal: animal)) },
      failure: { error in .didUpdateAnimal(animalId: animalId, result: .failure(error: error)) },
      rejected: { error in .didAddAnimal(id: animalId, result: .failure(error: error)) })
  }

  /// - Returns: A thunk that dispatches `didDeleteAnimal`. When it fails it throws after that, too.
  func deleteAnimalMutation<Dispatcher, Selector>(animalId: Animal.ID) -> Thunk<Dispatcher, Selector> {
    thunk(
      { store in try await store.deleteAnimalMutation(animalId: animalId) },
      success: { animal in .didDeleteAnimal(animalId: animalId, result: .success(animal: animal)) },
      failure: { error in .didDeleteAnimal(animalId: animalId, result: .failure(error: error)) },
      rejected: { error in .didAddAnimal(id: animalId, result: .failure(error: error)) })
  }
}

extension PersistentSession {
  /// Brings a state that was rebuilt from a log up to what the store holds now.
  ///
  /// A process can die between what the store did and the record of it, and other clients change a store, too. What was
  /// never asked for is not fetched.
  ///
  /// - Parameter interruption: What had been asked for when listening began. What is asked for later comes in the stream.
  /// - Returns: A thunk that dispatches `didFetchCategories`, `didFetchAnimals`, and `didDeleteAnimal` for each animal
  ///   that the store does not have any more, in ascending order of their ids. When the store fails, the fetch says so,
  ///   and it throws.
  func catchUpQuery<Dispatcher, Selector>(after interruption: Interruption) -> Thunk<Dispatcher, Selector> {
    { dispatcher, selector in
      let state = await selector.select { state in state }
      var failure: (any Error)?
      if interruption.hasAskedForCategories {
        // The animals may be waited for, too.
        do { try await self.fetchCategoriesQuery()(dispatcher, selector) } catch { failure = error }
      }
      if interruption.hasAskedForAnimals { try await self.catchUpAnimals(from: state, for: dispatcher) }
      if let failure { throw failure }
    }
  }

  private nonisolated func catchUpAnimals(
    from state: AnimalsState, for dispatcher: some ImmutableData.Dispatcher<AnimalsState, AnimalsAction>
  ) async throws {
    let stored = try await perform(
      { store in try await store.fetchAnimalsQuery() }, for: dispatcher,
      success: { animals in .didFetchAnimals(result: .success(animals: animals)) },
      failure: { error in .didFetchAnimals(result: .failure(error: error)) })
    let ids = Set(stored.map(\.id))
    let gone = state.animals.data.values.filter { animal in !ids.contains(animal.id) }
    for animal in gone.sorted(by: { lhs, rhs in lhs.id < rhs.id }) {
      try await dispatcher.dispatch(
        action: .data(.persistentSession(.didDeleteAnimal(animalId: animal.id, result: .success(animal: animal)))))
    }
  }

  private nonisolated func thunk<Value: Sendable, Dispatcher, Selector>(
    _ operation: @escaping @Sendable (PersistentStore) async throws -> Value,
    success: @escaping @Sendable (Value) -> Action,
    failure: @escaping @Sendable (String) -> Action,
    rejected: (@Sendable (String) -> Action)? = nil
  ) -> Thunk<Dispatcher, Selector> {
    { dispatcher, _ in
      _ = try await self.perform(
        operation, for: dispatcher, success: success, failure: failure, rejected: rejected)
    }
  }

  /// Runs an operation of the store and tells the state of it.
  ///
  /// - Parameter rejected: What to dispatch when the state does not take the result, because the row is gone: its entry
  ///   in the queue would wait for ever.
  private nonisolated func perform<Value: Sendable>(
    _ operation: @escaping @Sendable (PersistentStore) async throws -> Value,
    for dispatcher: some ImmutableData.Dispatcher<AnimalsState, AnimalsAction>,
    success: (Value) -> Action,
    failure: (String) -> Action,
    rejected: ((String) -> Action)? = nil
  ) async throws -> Value {
    let value: Value
    do {
      value = try await limit.run(orThrow: Self.timeLimitError) { [store] in try await operation(store) }
    } catch {
      let text = ErrorSummary(error).description
      try await Self.dispatch(failure(text), rejected: rejected?(text), to: dispatcher)
      throw error
    }
    let text = "animalNotFound: the animal is gone"
    try await Self.dispatch(success(value), rejected: rejected?(text), to: dispatcher)
    return value
  }

  private static func dispatch(
    _ action: Action, rejected: Action?, to dispatcher: some ImmutableData.Dispatcher<AnimalsState, AnimalsAction>
  ) async throws {
    do {
      try await dispatcher.dispatch(action: .data(.persistentSession(action)))
    } catch {
      if let rejected { try await dispatcher.dispatch(action: .data(.persistentSession(rejected))) }
      throw error
    }
  }

  private static func timeLimitError(_ message: String) -> any Error {
    TimeLimitError(code: .timeLimitReached, message: message, path: "persistent store")
  }
}
