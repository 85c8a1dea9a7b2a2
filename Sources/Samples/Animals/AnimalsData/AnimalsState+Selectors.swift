public import Foundation
import SampleSupport
public import TreeCollections

extension AnimalsState {
  /// A selector of the table of categories.
  ///
  /// - Complexity: O(1).
  public static func selectCategories() -> @Sendable (Self) -> Table<Category.ID, Category> {
    { state in state.categories.data }
  }

  /// A selector of all categories, sorted.
  ///
  /// - Parameters:
  ///   - sort: The property to sort by. Categories with equal values are in ascending order of their ids, whatever
  ///     `order` is, so the result never depends on the order of a table.
  ///   - order: Ascending (`forward`) or descending.
  /// - Complexity: O(n log n) in the number of categories.
  public static func selectCategoriesValues<Value: Comparable & SendableMetatype>(
    sort: any KeyPath<Category, Value> & Sendable,
    order: SortOrder = .forward
  ) -> @Sendable (Self) -> [Category] {
    { state in state.categories.data.values.sorted(by: sort, order: order) }
  }

  /// A selector of the status of the last fetch of the categories; `nil` before the first one.
  ///
  /// - Complexity: O(1).
  public static func selectCategoriesStatus() -> @Sendable (Self) -> Status? {
    { state in state.categories.status }
  }

  /// A selector of one category.
  ///
  /// - Parameter categoryId: The id of the category; `nil` selects nothing.
  /// - Complexity: O(1).
  public static func selectCategory(categoryId: Category.ID?) -> @Sendable (Self) -> Category? {
    { state in categoryId.flatMap { id in state.categories.data[id] } }
  }

  /// A selector of the category of an animal; `nil` if the animal or its category is missing.
  ///
  /// - Parameter animalId: The id of the animal; `nil` selects nothing.
  /// - Complexity: O(1).
  public static func selectCategory(animalId: Animal.ID?) -> @Sendable (Self) -> Category? {
    { state in
      guard let animalId, let animal = state.animals.data[animalId] else { return nil }
      return state.categories.data[animal.categoryId]
    }
  }
}

extension AnimalsState {
  /// A selector of the animals of one category, by id.
  ///
  /// - Parameter categoryId: The id of the category; `nil` selects none.
  /// - Complexity: O(n) in the number of all animals; O(1) for `nil`.
  public static func selectAnimals(categoryId: Category.ID?) -> @Sendable (Self) -> Table<Animal.ID, Animal> {
    { state in
      guard let categoryId else { return [:] }
      return state.animals.data.filter { _, animal in animal.categoryId == categoryId }
    }
  }

  /// A selector of the animals of one category, sorted.
  ///
  /// - Parameters:
  ///   - categoryId: The id of the category; `nil` selects none.
  ///   - sort: The property to sort by. Animals with equal values are in ascending order of their ids, whatever `order`
  ///     is, so the result never depends on the order of a table.
  ///   - order: Ascending (`forward`) or descending.
  /// - Complexity: O(n + m log m) for *m* of *n* animals in the category; O(1) for `nil`.
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
  ///
  /// - Complexity: O(1).
  public static func selectAnimalsStatus() -> @Sendable (Self) -> Status? {
    { state in state.animals.status }
  }

  /// A selector of one animal.
  ///
  /// - Parameter animalId: The id of the animal; `nil` selects nothing.
  /// - Complexity: O(1).
  public static func selectAnimal(animalId: Animal.ID?) -> @Sendable (Self) -> Animal? {
    { state in animalId.flatMap { id in state.animals.data[id] } }
  }

  /// A selector of the status of the last operation on a row; `nil` if there was none.
  ///
  /// - Parameter animalId: The id of the row, or the temporary id under which it is being added; `nil` selects nothing.
  /// - Complexity: O(1).
  public static func selectAnimalStatus(animalId: Animal.ID?) -> @Sendable (Self) -> Status? {
    { state in animalId.flatMap { id in state.animals.queue[id] } }
  }
}
