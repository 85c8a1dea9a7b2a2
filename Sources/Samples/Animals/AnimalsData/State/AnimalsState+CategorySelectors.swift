public import Foundation
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
  ///   - sort: What to sort by. Categories that are equal in it stand in ascending order of their ids, whatever `order`
  ///     is, so that the result never depends on the order of a table.
  ///   - order: Ascending (`forward`) or descending.
  /// - Complexity: O(n log n) in the number of categories.
  public static func selectCategoriesValues<Value: Comparable & SendableMetatype>(
    sort: any KeyPath<Category, Value> & Sendable,
    order: SortOrder = .forward
  ) -> @Sendable (Self) -> [Category] {
    { state in state.categories.data.values.sorted(by: sort, order: order) }
  }

  /// A selector of how far fetching the categories has come; `nil` before it was asked for.
  ///
  /// - Complexity: O(1).
  public static func selectCategoriesStatus() -> @Sendable (Self) -> Status? {
    { state in state.categories.status }
  }

  /// A selector of one category.
  ///
  /// - Parameter categoryId: Its id; `nil` selects nothing.
  /// - Complexity: O(1).
  public static func selectCategory(categoryId: Category.ID?) -> @Sendable (Self) -> Category? {
    { state in categoryId.flatMap { id in state.categories.data[id] } }
  }

  /// A selector of the category of an animal; `nil` when the animal or its category is missing.
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
