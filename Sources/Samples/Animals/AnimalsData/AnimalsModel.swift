public import EventSourcing

/// The animals sample as the engine sees it: what is needed to rebuild an ``AnimalsState`` from a log.
public enum AnimalsModel: Model {
  /// The name that logs of this model carry.
  public static let name = "animals"
  /// The version of the shape of ``AnimalsAction``.
  public static let schema = 1
  /// Empty tables that were never asked for.
  public static let initialState = AnimalsState()

  /// Folds one action into a state; see ``AnimalsReducer/reduce(into:action:)``.
  ///
  /// - Throws: The reducer's error, to refuse the action.
  public static func reduce(into state: inout AnimalsState, action: AnimalsAction) throws {
    try AnimalsReducer.reduce(into: &state, action: action)
  }
}
