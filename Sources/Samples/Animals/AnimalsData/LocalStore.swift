package import ActionLog
public import EventSourcing
public import Foundation
public import SampleSupport
import TreeCollections

/// The categories and animals stored on this device, as an event-sourced store with its own log.
///
/// Every change is one record in a log of ``AnimalsStoreModel`` and is on disk when the call returns. The first operation
/// opens the log and inserts the sample data if there are no categories. Only one process can open the log at a time.
/// Operations run one at a time, in the order of the calls, and ignore cancellation.
public actor LocalStore<UUID: IncrementalStoreUUID> {
  private let log: EventSourcedStore<AnimalsStoreModel>

  package init(
    path: String, createsDirectories: Bool = false, fileSystem: any LogFileSystem = POSIXFileSystem(),
    configuration: RecordingConfiguration<AnimalsStoreModel> = RecordingConfiguration()
  ) {
    log = EventSourcedStore(
      path: path, createsDirectories: createsDirectories, fileSystem: fileSystem, configuration: configuration,
      seed: { state in Self.seed(state) })
  }

  /// Returns the change that an empty store begins with.
  private static func seed(_ state: AnimalsStoreState) -> AnimalsStoreAction? {
    state.categories.isEmpty ? .didInsertSampleData(animals: Animal.samples, categories: Category.samples) : nil
  }

  /// Creates a store at a file URL: the directory of its log, which need not exist, unlike its parent.
  public init(url: URL) throws {
    self.init(try StoreLocation(url: url, orThrow: LocalStoreErrorCode.urlError))
  }

  /// Creates a store at the default location: `AnimalsData/default.store` in the application support directory, which
  /// other programs share on some platforms.
  public init(isStoredInMemoryOnly: Bool = false) throws {
    self.init(
      try StoreLocation(
        defaultOf: "AnimalsData", isStoredInMemoryOnly: isStoredInMemoryOnly, orThrow: LocalStoreErrorCode.urlError))
  }

  private init(_ location: StoreLocation) {
    self.init(path: location.path, createsDirectories: location.createsDirectories, fileSystem: location.fileSystem)
  }

  /// Closes the log. All changes are already on disk; a later operation opens the log again.
  public func close() async throws {
    try await log.close()
  }

  /// Releases the log without closing it, as if the process had been killed.
  package func abandon() async throws {
    try await log.abandon()
  }
}

extension LocalStore: PersistentSessionPersistentStore {
  /// Fetches all categories, in ascending order of their ids.
  public func fetchCategoriesQuery() async throws -> [Category] {
    try await log.read { state in state.categories.values.sorted { lhs, rhs in lhs.id < rhs.id } }
  }

  /// Fetches all animals, in ascending order of their ids.
  public func fetchAnimalsQuery() async throws -> [Animal] {
    try await log.read { state in state.animals.values.sorted { lhs, rhs in lhs.id < rhs.id } }
  }

  /// Adds an animal.
  public func addAnimalMutation(
    name: String, diet: Animal.Diet, categoryId: Category.ID
  ) async throws -> Animal {
    let animal = Animal(animalId: UUID().uuidString, name: name, diet: diet, categoryId: categoryId)
    return try await log.change { _ in (action: .didAddAnimal(animal: animal), value: animal) }
  }

  /// Changes an animal.
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
  public func deleteAnimalMutation(animalId: Animal.ID) async throws -> Animal {
    try await log.change { state in
      guard let animal = state.animals[animalId] else { throw LocalStoreError.animalNotFound(animalId) }
      return (action: .didDeleteAnimal(animalId: animalId), value: animal)
    }
  }

  /// Replaces everything with the sample data, in one step.
  public func reloadSampleDataMutation() async throws -> (animals: [Animal], categories: [Category]) {
    let reload = AnimalsStoreAction.didReloadSampleData(animals: Animal.samples, categories: Category.samples)
    return try await log.change { state in
      var reloaded = state
      AnimalsStoreModel.reduce(into: &reloaded, action: reload)
      return (action: reloaded == state ? nil : reload, value: (animals: Animal.samples, categories: Category.samples))
    }
  }
}

/// The type of the ids that a ``LocalStore`` creates: `Foundation.UUID`, or a stub in tests.
public protocol IncrementalStoreUUID: Sendable {
  var uuidString: String { get }

  init()
}

extension UUID: IncrementalStoreUUID {}

/// An error of a store on this device.
public typealias LocalStoreError = SampleError<LocalStoreErrorCode>

/// The failures of a store on this device.
public enum LocalStoreErrorCode: String, Sendable, CaseIterable {
  case animalNotFound
  /// The address is not a file URL, or there is no directory for the store.
  case urlError
}

extension LocalStoreError {
  static func animalNotFound(_ animalId: Animal.ID) -> LocalStoreError {
    LocalStoreError(.animalNotFound, "there is no animal with the id '\(animalId)'")
  }
}

extension LocalStore {
  /// The store's own error.
  public typealias Error = LocalStoreError
}

/// The model of a ``LocalStore``, whose log is separate from the application's log.
public enum AnimalsStoreModel: Model {
  /// The model name in logs.
  public static let name = "animals-store"
  /// The schema version of ``AnimalsStoreAction``.
  public static let schema = 1
  /// Empty tables.
  public static let initialState = AnimalsStoreState()
  /// The first version of the reducer: the text changes with it.
  public static let sourceFingerprint: String? = ""

  /// Folds one action into a state. No action is refused.
  public static func reduce(into state: inout AnimalsStoreState, action: AnimalsStoreAction) {
    switch action {
    case .didInsertSampleData(let animals, let categories), .didReloadSampleData(let animals, let categories):
      // The last of two rows with the same id wins. `init(uniqueKeysWithValues:)` would trap.
      state = AnimalsStoreState()
      for category in categories { state.categories[category.id] = category }
      for animal in animals { state.animals[animal.id] = animal }
    case .didAddAnimal(let animal), .didUpdateAnimal(let animal):
      state.animals[animal.id] = animal
    case .didDeleteAnimal(let animalId):
      state.animals[animalId] = nil
    }
  }
}

/// The contents of a ``LocalStore``.
public struct AnimalsStoreState: Hashable, Codable, Sendable {
  package var categories: AnimalsState.Table<Category.ID, Category> = [:]
  package var animals: AnimalsState.Table<Animal.ID, Animal> = [:]

  /// Creates an empty state.
  public init() {}
}

/// The changes of a ``LocalStore``. An operation that changes nothing is not recorded.
///
/// The names of cases and labels are the types and members of the records in a log. Changing one changes the format and
/// requires a new schema version.
public enum AnimalsStoreAction: Hashable, Codable, Sendable {
  /// The store had no categories, so the sample data was inserted.
  case didInsertSampleData(animals: [Animal], categories: [Category])
  case didReloadSampleData(animals: [Animal], categories: [Category])
  case didAddAnimal(animal: Animal)
  case didUpdateAnimal(animal: Animal)
  case didDeleteAnimal(animalId: Animal.ID)
}
