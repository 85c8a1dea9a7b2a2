public import EventSourcing

/// The model of the animals sample, which replays an ``AnimalsState`` from a log.
public enum AnimalsModel: Model {
  /// The model name in logs.
  public static let name = "animals"
  /// The schema version of ``AnimalsAction``.
  public static let schema = 1
  /// Empty tables that were never fetched.
  public static let initialState = AnimalsState()

  /// Folds one action into a state; see ``AnimalsReducer/reduce(into:action:)``.
  ///
  /// - Throws: The reducer's error if it refuses the action.
  public static func reduce(into state: inout AnimalsState, action: AnimalsAction) throws {
    try AnimalsReducer.reduce(into: &state, action: action)
  }
}
