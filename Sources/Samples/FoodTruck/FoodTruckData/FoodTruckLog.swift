public import EventSourcing

/// The food truck as the engine sees it: what is needed to rebuild a ``FoodTruckState`` from a log of what happened.
///
/// The name `FoodTruckModel` belongs to the walk-through's mutable model.
public enum FoodTruckLog: Model {
  /// The name that logs of this model carry.
  public static let name = "foodtruck"
  /// The version of the shape of ``FoodTruckAction``.
  public static let schema = 1
  /// Empty tables.
  public static let initialState = FoodTruckState()

  /// Folds one action into a state; see ``FoodTruckReducer/reduce(into:action:)``.
  public static func reduce(into state: inout FoodTruckState, action: FoodTruckAction) throws {
    try FoodTruckReducer.reduce(into: &state, action: action)
  }
}

/// The mirrored form of the food truck as the engine sees it: the second variant, kept to be measured.
public enum FoodTruckMirrorLog: Model {
  /// The name that logs of this model carry.
  public static let name = "foodtruck-mirror"
  /// The version of the shape of ``FoodTruckAction``.
  public static let schema = 1
  /// Empty tables.
  public static let initialState = FoodTruckState()

  /// Folds one action into a state; see ``FoodTruckMirrorReducer/reduce(into:action:)``.
  public static func reduce(into state: inout FoodTruckState, action: FoodTruckAction) throws {
    try FoodTruckMirrorReducer.reduce(into: &state, action: action)
  }
}
