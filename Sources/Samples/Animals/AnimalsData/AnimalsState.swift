public import Foundation
import SampleSupport
public import TreeCollections

/// The state of the animals sample: two domains with one table each.
///
/// The fields are private to the package; other code reads them through the selectors.
public struct AnimalsState: Hashable, Codable, Sendable {
  package var categories = Categories()
  package var animals = Animals()

  /// Creates the state before any action: empty tables that were never fetched.
  public init() {}
}

extension AnimalsState {
  /// The type of the state's tables.
  ///
  /// A live store holds the old state while it computes the new one. A `Dictionary` would then be copied completely at
  /// every action; a `TreeDictionary` copies a few nodes. Both are encoded in the same form.
  public typealias Table<Key: Hashable, Value> = TreeDictionary<Key, Value>
}

extension AnimalsState {
  /// The categories: a table and the status of its last fetch.
  package struct Categories: Hashable, Codable, Sendable {
    package var data: Table<Category.ID, Category> = [:]
    package var status: Status?
  }
}

extension AnimalsState {
  /// The animals: a table, the status of its last fetch, and the status of the last operation on each row.
  package struct Animals: Hashable, Codable, Sendable {
    package var data: Table<Animal.ID, Animal> = [:]
    package var status: Status?
    /// The statuses by the id of a row, or by the temporary id of a row that is being added. Entries are never removed.
    package var queue: Table<Animal.ID, Status> = [:]
  }
}

/// The status of an asynchronous operation; `nil` if the operation was never requested.
public enum Status: Hashable, Codable, Sendable {
  /// No information. The reducer never sets it; it can occur in decoded data.
  case empty
  /// Requested, and not answered yet.
  case waiting
  case success
  /// Failed. The text is stored as reported and never recomputed, because it differs between platforms.
  case failure(error: String)
}

extension AnimalsState {
  /// A selector of the table of categories.
  public static func selectCategories() -> @Sendable (Self) -> Table<Category.ID, Category> {
    { state in state.categories.data }
  }

  /// A selector of all categories, sorted. Those with equal values are in ascending order of their ids, whatever
  /// `order` is.
  public static func selectCategoriesValues<Value: Comparable & SendableMetatype>(
    sort: any KeyPath<Category, Value> & Sendable,
    order: SortOrder = .forward
  ) -> @Sendable (Self) -> [Category] {
    { state in state.categories.data.values.sorted(by: sort, order: order) }
  }

  /// A selector of the status of the last fetch of the categories; `nil` before the first one.
  public static func selectCategoriesStatus() -> @Sendable (Self) -> Status? {
    { state in state.categories.status }
  }

  /// A selector of one category.
  public static func selectCategory(categoryId: Category.ID?) -> @Sendable (Self) -> Category? {
    { state in categoryId.flatMap { id in state.categories.data[id] } }
  }

  /// A selector of the category of an animal; `nil` if the animal or its category is missing.
  public static func selectCategory(animalId: Animal.ID?) -> @Sendable (Self) -> Category? {
    { state in
      guard let animalId, let animal = state.animals.data[animalId] else { return nil }
      return state.categories.data[animal.categoryId]
    }
  }
}

extension AnimalsState {
  /// A selector of the animals of one category, by id.
  public static func selectAnimals(categoryId: Category.ID?) -> @Sendable (Self) -> Table<Animal.ID, Animal> {
    { state in
      guard let categoryId else { return [:] }
      return state.animals.data.filter { _, animal in animal.categoryId == categoryId }
    }
  }

  /// A selector of the animals of one category, sorted. Those with equal values are in ascending order of their ids,
  /// whatever `order` is.
  public static func selectAnimalsValues<Value: Comparable & SendableMetatype>(
    categoryId: Category.ID?,
    sort: any KeyPath<Animal, Value> & Sendable,
    order: SortOrder = .forward
  ) -> @Sendable (Self) -> [Animal] {
    { state in
      guard let categoryId else { return [] }
      return state.animals.data.values
        .filter { animal in animal.categoryId == categoryId }
        .sorted(by: sort, order: order)
    }
  }

  /// A selector of the status of the last fetch of the animals; `nil` before the first one.
  public static func selectAnimalsStatus() -> @Sendable (Self) -> Status? {
    { state in state.animals.status }
  }

  /// A selector of one animal.
  public static func selectAnimal(animalId: Animal.ID?) -> @Sendable (Self) -> Animal? {
    { state in animalId.flatMap { id in state.animals.data[id] } }
  }

  /// A selector of the status of the last operation on a row; `nil` if there was none.
  public static func selectAnimalStatus(animalId: Animal.ID?) -> @Sendable (Self) -> Status? {
    { state in animalId.flatMap { id in state.animals.queue[id] } }
  }
}

/// Filters that decide in constant time, from the old state and the action, whether a selection can change.
///
/// A filter that is wrong loses updates silently; both filters are tested against every action.
public enum AnimalsFilter {
  /// Returns a filter for actions that can change the table of categories.
  public static func filterCategories() -> @Sendable (AnimalsState, AnimalsAction) -> Bool {
    { _, action in
      switch action {
      case .data(.persistentSession(.didFetchCategories(result: .success))),
        .data(.persistentSession(.didReloadSampleData(result: .success))):
        true
      default:
        false
      }
    }
  }

  /// Returns a filter for actions that can change the animals of one category. With `nil`, it only includes actions
  /// that replace complete tables.
  public static func filterAnimals(
    categoryId: Category.ID?
  ) -> @Sendable (AnimalsState, AnimalsAction) -> Bool {
    { oldState, action in
      switch action {
      case .data(.persistentSession(.didFetchAnimals(result: .success))),
        .data(.persistentSession(.didReloadSampleData(result: .success))):
        true
      case .data(.persistentSession(.didAddAnimal(id: _, result: .success(let animal)))),
        .data(.persistentSession(.didDeleteAnimal(animalId: _, result: .success(let animal)))):
        animal.categoryId == categoryId
      case .data(.persistentSession(.didUpdateAnimal(let animalId, result: .success(let animal)))):
        // An animal that moves to another category changes both. A missing row is in no category, not in `nil`.
        animal.categoryId == categoryId
          || oldState.animals.data[animalId].map { old in old.categoryId == categoryId } ?? false
      default:
        false
      }
    }
  }
}
