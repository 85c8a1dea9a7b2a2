public import EventSourcing

/// The model of the quakes sample, which replays a ``QuakesState`` from a log.
public enum QuakesModel: Model {
  /// The model name in logs.
  public static let name = "quakes"
  /// The schema version of ``QuakesAction``.
  public static let schema = 1
  /// An empty table that was never fetched.
  public static let initialState = QuakesState()

  /// Folds one action into a state; see ``QuakesReducer/reduce(into:action:)``.
  ///
  /// - Throws: The reducer's error if it refuses the action.
  public static func reduce(into state: inout QuakesState, action: QuakesAction) throws {
    try QuakesReducer.reduce(into: &state, action: action)
  }
}
