public import EventSourcing

/// The counter as the engine sees it: what is needed to rebuild a ``CounterState`` from a log.
public enum CounterModel: Model {
  /// The name that logs of this model carry.
  public static let name = "counter"
  /// The version of the shape of ``CounterAction``.
  public static let schema = 1
  /// Zero.
  public static let initialState = CounterState()

  /// Folds one action into a state; see ``CounterReducer/reduce(into:action:)``.
  ///
  /// - Throws: The reducer's error, to refuse the action.
  public static func reduce(into state: inout CounterState, action: CounterAction) throws {
    try CounterReducer.reduce(into: &state, action: action)
  }
}
