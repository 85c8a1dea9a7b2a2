package import ActionLog
package import EventSourcing
public import Foundation
import SampleSupport
import TreeCollections

/// The categories and animals that are kept on this device: an event-sourced store, with a log of its own.
///
/// Every change is one record of the log ``AnimalsStoreModel``, and is on disk when the call returns; what the store
/// holds is the fold of the log. So a process that is killed loses nothing that was acknowledged, snapshots can be
/// deleted, and `action-log` can say when an animal came and went.
///
/// The log is opened by the first operation, off the calling thread, and one process has it at a time. A store without
/// categories is given the sample data then. When a change cannot be written, the operation throws and the store goes
/// back to what is on disk: the next operation opens the log again.
///
/// Operations are carried out one after the other, in the order of the calls. They do not look at cancellation: a change
/// that was begun is completed.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 6, where the store is a database.
public actor LocalStore<UUID: IncrementalStoreUUID> {
  private let log: EventSourcedStore<AnimalsStoreModel>

  package init(
    path: String, makesFolders: Bool = false, fileSystem: any LogFileSystem = POSIXFileSystem(),
    configuration: RecordingConfiguration<AnimalsStoreModel> = RecordingConfiguration()
  ) {
    log = EventSourcedStore(
      path: path, makesFolders: makesFolders, fileSystem: fileSystem, configuration: configuration,
      seed: { state in
        state.categories.isEmpty
          ? .didInsertSampleData(animals: Animal.samples, categories: Category.samples) : nil
      })
  }

  /// Makes a store at a place of its own.
  ///
  /// - Parameter url: The directory of the log. It need not exist, but its parent must.
  /// - Throws: ``LocalStoreError/Code/urlError`` when it is not the address of a file.
  public init(url: URL) throws {
    guard let place = StorePlace(url: url) else {
      throw LocalStoreError(.urlError, "a store lies in a file", path: url.absoluteString)
    }
    self.init(place)
  }

  /// Makes a store at the standard place: `AnimalsData/default.store` among the application's support files, which
  /// programs of other products share on some platforms.
  ///
  /// - Parameter isStoredInMemoryOnly: Whether everything is forgotten with the store.
  public init(isStoredInMemoryOnly: Bool = false) throws {
    guard let place = StorePlace(standardOf: "AnimalsData", isStoredInMemoryOnly: isStoredInMemoryOnly) else {
      throw LocalStoreError(
        .urlError, "there is no folder for the support files of applications", path: StorePlace.standardName)
    }
    self.init(place)
  }

  private init(_ place: StorePlace) {
    self.init(path: place.path, makesFolders: place.makesFolders, fileSystem: place.fileSystem)
  }

  /// Gives the log back. Everything is on disk already; a later operation opens the log again.
  ///
  /// - Throws: `LogError` when the log could not be ended properly; it can be opened all the same.
  public func close() async throws {
    try await log.close()
  }

  /// Gives the log back as it is, as if the process had been killed.
  package func abandon() async throws {
    try await log.abandon()
  }
}

extension LocalStore: PersistentSessionPersistentStore {
  /// All categories, in ascending order of their ids.
  ///
  /// - Throws: `LogError` or `EventSourcingError` when the log cannot be opened.
  /// - Complexity: O(n log n).
  public func fetchCategoriesQuery() async throws -> [Category] {
    try await log.read { state in state.categories.values.sorted { lhs, rhs in lhs.id < rhs.id } }
  }

  /// All animals, in ascending order of their ids.
  ///
  /// - Throws: `LogError` or `EventSourcingError` when the log cannot be opened.
  /// - Complexity: O(n log n).
  public func fetchAnimalsQuery() async throws -> [Animal] {
    try await log.read { state in state.animals.values.sorted { lhs, rhs in lhs.id < rhs.id } }
  }

  /// Adds an animal.
  ///
  /// - Returns: The animal, under an id that `UUID` made.
  /// - Throws: `LogError` or `EventSourcingError`; nothing is changed then.
  public func addAnimalMutation(
    name: String, diet: Animal.Diet, categoryId: Category.ID
  ) async throws -> Animal {
    let animal = Animal(animalId: UUID().uuidString, name: name, diet: diet, categoryId: categoryId)
    return try await log.change { _ in (action: .didAddAnimal(animal: animal), value: animal) }
  }

  /// Changes an animal.
  ///
  /// - Returns: The animal as it is now.
  /// - Throws: ``LocalStoreError/Code/animalNotFound``; `LogError` or `EventSourcingError`. Nothing is changed then.
  public func updateAnimalMutation(
    animalId: Animal.ID, name: String, diet: Animal.Diet, categoryId: Category.ID
  ) async throws -> Animal {
    let animal = Animal(animalId: animalId, name: name, diet: diet, categoryId: categoryId)
    return try await log.change { state in
      guard let old = state.animals[animalId] else { throw LocalStoreError.animalNotFound(animalId) }
      return (action: old == animal ? nil : .didUpdateAnimal(animal: animal), value: animal)
    }
  }

  /// Deletes an animal.
  ///
  /// - Returns: The animal as it was.
  /// - Throws: ``LocalStoreError/Code/animalNotFound``; `LogError` or `EventSourcingError`. Nothing is changed then.
  public func deleteAnimalMutation(animalId: Animal.ID) async throws -> Animal {
    try await log.change { state in
      guard let animal = state.animals[animalId] else { throw LocalStoreError.animalNotFound(animalId) }
      return (action: .didDeleteAnimal(animalId: animalId), value: animal)
    }
  }

  /// Replaces everything with the sample data, in one step.
  ///
  /// - Returns: The sample data, in the guide's order.
  /// - Throws: `LogError` or `EventSourcingError`; nothing is changed then.
  public func reloadSampleDataMutation() async throws -> (animals: [Animal], categories: [Category]) {
    let reload = AnimalsStoreAction.didReloadSampleData(animals: Animal.samples, categories: Category.samples)
    return try await log.change { state in
      var reloaded = state
      AnimalsStoreModel.reduce(into: &reloaded, action: reload)
      return (action: reloaded == state ? nil : reload, value: (animals: Animal.samples, categories: Category.samples))
    }
  }
}
