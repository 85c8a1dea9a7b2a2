public import ImmutableData
public import QuakesData

/// A store that holds the eight sample quakes, brought there by the action that a local store's answer is.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12 (`PreviewStore`).
public enum PreviewStore {
  /// Makes the store.
  ///
  /// - Throws: What the reducer throws; it refuses none of the actions.
  @MainActor public static func make() throws -> Store<QuakesState, QuakesAction> {
    let store = Store(initialState: QuakesState(), reducer: QuakesReducer.reduce)
    try store.dispatch(
      action: .data(
        .persistentSession(.localStore(.didFetchQuakes(result: .success(quakes: Quake.previewQuakes))))))
    return store
  }
}
