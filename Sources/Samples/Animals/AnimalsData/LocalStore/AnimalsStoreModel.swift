public import EventSourcing
import TreeCollections

/// What a ``LocalStore`` keeps, as the engine sees it: the store is a log of its own, apart from the application's.
public enum AnimalsStoreModel: Model {
  /// The name that logs of this model carry.
  public static let name = "animals-store"
  /// The version of the shape of ``AnimalsStoreAction``.
  public static let schema = 1
  /// Nothing.
  public static let initialState = AnimalsStoreState()

  /// Folds one action into a state. It refuses none.
  ///
  /// - Complexity: O(number of rows in the action).
  public static func reduce(into state: inout AnimalsStoreState, action: AnimalsStoreAction) {
    switch action {
    case .didInsertSampleData(let animals, let categories), .didReloadSampleData(let animals, let categories):
      // The last of two rows with one id wins; building a table from unique keys would trap.
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

/// What a ``LocalStore`` holds.
public struct AnimalsStoreState: Hashable, Codable, Sendable {
  package var categories: AnimalsState.Table<Category.ID, Category> = [:]
  package var animals: AnimalsState.Table<Animal.ID, Animal> = [:]

  /// Makes an empty state.
  public init() {}
}

/// What can happen to what a ``LocalStore`` holds. Only what changes something is recorded.
///
/// The names of cases and labels are the types and members of the records in a log: changing one changes the format and
/// needs a new schema version.
public enum AnimalsStoreAction: Hashable, Codable, Sendable {
  /// The store had no categories, and was given the sample data.
  case didInsertSampleData(animals: [Animal], categories: [Category])
  /// Everything was replaced by the sample data.
  case didReloadSampleData(animals: [Animal], categories: [Category])
  /// An animal was added.
  case didAddAnimal(animal: Animal)
  /// An animal was changed.
  case didUpdateAnimal(animal: Animal)
  /// An animal was deleted.
  case didDeleteAnimal(animalId: Animal.ID)
}
