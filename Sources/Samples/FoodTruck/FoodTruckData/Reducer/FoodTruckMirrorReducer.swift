/// The rules of the food truck as the walk-through has them: a model outside the store is the source of truth, and the
/// state mirrors it.
///
/// What people do changes nothing; a ``StoreListener`` tells it to the model, and a ``ModelListener`` sends the model's
/// tables back, which replace those of the state.
///
/// - SeeAlso: ``FoodTruckReducer``, the event-sourced form.
public enum FoodTruckMirrorReducer {
  /// Returns the state after `action`. It never throws.
  ///
  /// - Complexity: That of ``reduce(into:action:)``.
  @Sendable public static func reduce(state: FoodTruckState, action: FoodTruckAction) throws -> FoodTruckState {
    var state = state
    try reduce(into: &state, action: action)
    return state
  }

  /// Folds `action` into `state`. It never throws.
  ///
  /// - Complexity: O(size of the table), which the walk-through names as its cost.
  public static func reduce(into state: inout FoodTruckState, action: FoodTruckAction) throws {
    switch action {
    case .ui, .data(.storeListener): break
    case .data(.modelListener): try FoodTruckReducer.reduce(into: &state, action: action)
    }
  }
}
