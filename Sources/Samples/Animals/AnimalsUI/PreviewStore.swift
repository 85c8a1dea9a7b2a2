public import AnimalsData
public import ImmutableData

/// Makes stores to show: brought to a state by the actions that lead there, a replay in miniature.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 8.
public enum PreviewStore {
  /// What happened before: the sample data was fetched.
  public static let actions: [AnimalsAction] = [
    .data(
      .persistentSession(
        .didFetchCategories(
          result: .success(categories: [.amphibian, .bird, .fish, .invertebrate, .mammal, .reptile])))),
    .data(
      .persistentSession(
        .didFetchAnimals(result: .success(animals: [.dog, .cat, .kangaroo, .gibbon, .sparrow, .newt])))),
  ]

  /// Makes a store with the six categories and the six animals.
  ///
  /// - Throws: The reducer's error, which these actions do not meet.
  @MainActor public static func make() throws -> Store<AnimalsState, AnimalsAction> {
    let store = Store(initialState: AnimalsState(), reducer: AnimalsReducer.reduce)
    for action in actions { try store.dispatch(action: action) }
    return store
  }
}
