public import EventSourcing

/// The quakes sample as the engine sees it: what is needed to rebuild a ``QuakesState`` from a log.
public enum QuakesModel: Model {
  /// The name that logs of this model carry.
  public static let name = "quakes"
  /// The version of the shape of ``QuakesAction``.
  public static let schema = 1
  /// An empty table that was never asked for.
  public static let initialState = QuakesState()

  /// Folds one action into a state; see ``QuakesReducer/reduce(into:action:)``.
  ///
  /// - Throws: The reducer's error, to refuse the action.
  public static func reduce(into state: inout QuakesState, action: QuakesAction) throws {
    try QuakesReducer.reduce(into: &state, action: action)
  }
}
