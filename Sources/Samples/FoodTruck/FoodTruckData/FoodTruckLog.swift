public import EventSourcing

/// The model of the event-sourced food truck, which replays a ``FoodTruckState`` from a log of single changes.
///
/// The name `FoodTruckModel` belongs to the mutable model of the walk-through.
public enum FoodTruckLog: Model {
  /// The model name in logs.
  public static let name = "foodtruck"
  /// The schema version of ``FoodTruckAction``.
  public static let schema = 1
  /// Empty tables.
  public static let initialState = FoodTruckState()

  /// Folds one action into a state; see ``FoodTruckReducer/reduce(into:action:)``.
  public static func reduce(into state: inout FoodTruckState, action: FoodTruckAction) throws {
    try FoodTruckReducer.reduce(into: &state, action: action)
  }
}

/// The model of the food truck in the mirrored form, for comparison.
public enum FoodTruckMirrorLog: Model {
  /// The model name in logs.
  public static let name = "foodtruck-mirror"
  /// The schema version of ``FoodTruckAction``.
  public static let schema = 1
  /// Empty tables.
  public static let initialState = FoodTruckState()

  /// Folds one action into a state; see ``FoodTruckMirrorReducer/reduce(into:action:)``.
  public static func reduce(into state: inout FoodTruckState, action: FoodTruckAction) throws {
    try FoodTruckMirrorReducer.reduce(into: &state, action: action)
  }
}
