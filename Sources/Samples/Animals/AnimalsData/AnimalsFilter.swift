import TreeCollections

/// Filters that decide in constant time, from the old state and the action, whether a selection can change.
///
/// A filter that is wrong loses updates silently; both filters are tested against every action.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 8.
public enum AnimalsFilter {
  /// Returns a filter for actions that can change the table of categories.
  ///
  /// - Complexity: O(1).
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

  /// Returns a filter for actions that can change the animals of one category.
  ///
  /// - Parameter categoryId: The id of the category. With `nil`, the filter only includes actions that replace complete
  ///   tables.
  /// - Complexity: O(1).
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
