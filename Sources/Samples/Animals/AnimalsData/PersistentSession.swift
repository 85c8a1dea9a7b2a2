import ImmutableData
import SampleSupport
import TreeCollections

/// The persistent store of a session: on this device, or on a server.
///
/// A mutation is stored when its call returns.
public protocol PersistentSessionPersistentStore: Sendable {
  func fetchCategoriesQuery() async throws -> [Category]

  func fetchAnimalsQuery() async throws -> [Animal]

  /// Adds an animal.
  func addAnimalMutation(name: String, diet: Animal.Diet, categoryId: Category.ID) async throws -> Animal

  /// Changes an animal.
  func updateAnimalMutation(
    animalId: Animal.ID, name: String, diet: Animal.Diet, categoryId: Category.ID
  ) async throws -> Animal

  /// Deletes an animal.
  func deleteAnimalMutation(animalId: Animal.ID) async throws -> Animal

  /// Replaces everything with the sample data, in one step.
  func reloadSampleDataMutation() async throws -> (animals: [Animal], categories: [Category])
}

/// Performs operations of a persistent store and dispatches their results.
///
/// Each operation is a thunk: it calls the store, waits for at most the time limit, and dispatches the result.
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

  /// Returns a thunk that dispatches the result of an operation, and then throws if the operation failed.
  nonisolated func thunk<Dispatcher, Selector>(for effect: AnimalsEffect) -> Thunk<Dispatcher, Selector> {
    { dispatcher, _ in try await self.perform(effect, for: dispatcher) }
  }

  private nonisolated func perform(
    _ effect: AnimalsEffect, for dispatcher: some ImmutableData.Dispatcher<AnimalsState, AnimalsAction>
  ) async throws {
    switch effect {
    case .fetchCategories:
      try await perform(
        { store in try await store.fetchCategoriesQuery() }, for: dispatcher,
        success: { categories in .didFetchCategories(result: .success(categories: categories)) },
        failure: { error in .didFetchCategories(result: .failure(error: error)) })
    case .fetchAnimals:
      try await fetchAnimals(for: dispatcher)
    case .reloadSampleData:
      try await perform(
        { store in try await store.reloadSampleDataMutation() }, for: dispatcher,
        success: { data in
          .didReloadSampleData(result: .success(animals: data.animals, categories: data.categories))
        },
        failure: { error in .didReloadSampleData(result: .failure(error: error)) })
    case .add(let id, let name, let diet, let categoryId):
      try await perform(
        { store in try await store.addAnimalMutation(name: name, diet: diet, categoryId: categoryId) },
        for: dispatcher,
        success: { animal in .didAddAnimal(id: id, result: .success(animal: animal)) },
        failure: { error in .didAddAnimal(id: id, result: .failure(error: error)) })
    case .update(let animalId, let name, let diet, let categoryId):
      try await perform(
        { store in
          try await store.updateAnimalMutation(animalId: animalId, name: name, diet: diet, categoryId: categoryId)
        }, for: dispatcher,
        success: { animal in .didUpdateAnimal(animalId: animalId, result: .success(animal: animal)) },
        failure: { error in .didUpdateAnimal(animalId: animalId, result: .failure(error: error)) },
        rejected: { error in .didAddAnimal(id: animalId, result: .failure(error: error)) })
    case .delete(let animalId):
      try await perform(
        { store in try await store.deleteAnimalMutation(animalId: animalId) }, for: dispatcher,
        success: { animal in .didDeleteAnimal(animalId: animalId, result: .success(animal: animal)) },
        failure: { error in .didDeleteAnimal(animalId: animalId, result: .failure(error: error)) },
        rejected: { error in .didAddAnimal(id: animalId, result: .failure(error: error)) })
    }
  }

  @discardableResult private nonisolated func fetchAnimals(
    for dispatcher: some ImmutableData.Dispatcher<AnimalsState, AnimalsAction>
  ) async throws -> [Animal] {
    try await perform(
      { store in try await store.fetchAnimalsQuery() }, for: dispatcher,
      success: { animals in .didFetchAnimals(result: .success(animals: animals)) },
      failure: { error in .didFetchAnimals(result: .failure(error: error)) })
  }
}

extension PersistentSession {
  /// Updates a replayed state to the contents of the store.
  ///
  /// They can differ: a process can be killed between an operation of the store and its record, and other clients
  /// change a store as well. Tables that were never requested are not fetched; animals that are missing from the store
  /// are deleted, in ascending order of their ids.
  nonisolated func catchUpQuery<Dispatcher, Selector>(after interruption: Interruption) -> Thunk<Dispatcher, Selector> {
    { dispatcher, selector in
      let state = await selector.select { state in state }
      var failure: (any Error)?
      if interruption.hasRequestedCategories {
        // After a failure, the animals are still fetched: their status may be waiting as well.
        do { try await self.perform(.fetchCategories, for: dispatcher) } catch { failure = error }
      }
      if interruption.hasRequestedAnimals { try await self.catchUpAnimals(from: state, for: dispatcher) }
      if let failure { throw failure }
    }
  }

  private nonisolated func catchUpAnimals(
    from state: AnimalsState, for dispatcher: some ImmutableData.Dispatcher<AnimalsState, AnimalsAction>
  ) async throws {
    let ids = Set(try await fetchAnimals(for: dispatcher).map(\.id))
    let gone = state.animals.data.values.filter { animal in !ids.contains(animal.id) }
    for animal in gone.sorted(by: { lhs, rhs in lhs.id < rhs.id }) {
      try await dispatcher.dispatch(
        action: .data(.persistentSession(.didDeleteAnimal(animalId: animal.id, result: .success(animal: animal)))))
    }
  }

  /// Runs an operation of the store and dispatches its result. `rejected` is dispatched if the reducer refuses the
  /// result because the row is gone: without it, the row's status would wait forever.
  @discardableResult private nonisolated func perform<Value: Sendable>(
    _ operation: @escaping @Sendable (PersistentStore) async throws -> Value,
    for dispatcher: some ImmutableData.Dispatcher<AnimalsState, AnimalsAction>,
    success: (Value) -> Action,
    failure: (String) -> Action,
    rejected: ((String) -> Action)? = nil
  ) async throws -> Value {
    let value: Value
    do {
      value = try await limit.run(waitingFor: "persistent store") { [store] in try await operation(store) }
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
}
