public import Foundation
public import TreeCollections

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
  ///   - sort: What to sort by. Animals that are equal in it stand in ascending order of their ids, whatever `order` is,
  ///     so that the result never depends on the order of a table.
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

  /// A selector of how far fetching the animals has come; `nil` before it was asked for.
  ///
  /// - Complexity: O(1).
  public static func selectAnimalsStatus() -> @Sendable (Self) -> Status? {
    { state in state.animals.status }
  }

  /// A selector of one animal.
  ///
  /// - Parameter animalId: Its id; `nil` selects nothing.
  /// - Complexity: O(1).
  public static func selectAnimal(animalId: Animal.ID?) -> @Sendable (Self) -> Animal? {
    { state in animalId.flatMap { id in state.animals.data[id] } }
  }

  /// A selector of how far the last operation on a row has come; `nil` when there was none.
  ///
  /// - Parameter animalId: The id of the row, or the temporary id under which it is being added; `nil` selects nothing.
  /// - Complexity: O(1).
  public static func selectAnimalStatus(animalId: Animal.ID?) -> @Sendable (Self) -> Status? {
    { state in animalId.flatMap { id in state.animals.queue[id] } }
  }
}
