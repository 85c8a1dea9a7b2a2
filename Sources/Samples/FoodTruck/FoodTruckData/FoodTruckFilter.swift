/// Filters that decide in constant time, from the old state and the action, whether a selection can change.
///
/// A filter that is wrong loses updates silently; each filter is tested against every action. These filters include
/// every action that the mirrored form's filter includes, so a screen that uses them works with both forms.
public enum FoodTruckFilter {
  /// Returns a filter for actions that can change orders, or the donuts that are joined with them.
  ///
  /// - Complexity: O(1).
  public static func filterOrders() -> @Sendable (FoodTruckState, FoodTruckAction) -> Bool {
    { _, action in
      switch action {
      case .ui(.orderDetailView(.onTapStatusButton)),
        .ui(.ordersView(.onTapCompleteOrderButton)),
        .ui(.donutEditor(.onTapSaveDonutButton)),
        .data(.modelListener),
        .data(.storeListener(.didPlaceOrder)):
        true
      case .ui(.ordersView(.onTapAddOrderButton)),
        .data(.storeListener(.didStartActivity)),
        .data(.storeListener(.didEndActivity)):
        false
      }
    }
  }

  /// Returns a filter for actions that can change the sales, or the names of donuts.
  ///
  /// - Complexity: O(1).
  public static func filterSales() -> @Sendable (FoodTruckState, FoodTruckAction) -> Bool {
    { _, action in
      switch action {
      case .ui(.donutEditor(.onTapSaveDonutButton)),
        .data(.modelListener),
        .data(.storeListener(.didPlaceOrder)):
        true
      case .ui(.orderDetailView), .ui(.ordersView),
        .data(.storeListener(.didStartActivity)),
        .data(.storeListener(.didEndActivity)):
        false
      }
    }
  }

  /// Returns a filter for actions that start or end activities.
  ///
  /// - Complexity: O(1).
  public static func filterActivities() -> @Sendable (FoodTruckState, FoodTruckAction) -> Bool {
    { _, action in
      switch action {
      case .data(.storeListener(.didStartActivity)), .data(.storeListener(.didEndActivity)): true
      case .ui, .data(.modelListener), .data(.storeListener(.didPlaceOrder)): false
      }
    }
  }
}

/// The filter of the mirrored form in the walk-through.
///
/// - SeeAlso: ``FoodTruckMirrorReducer``
public enum FoodTruckMirrorFilter {
  /// Returns a filter for complete tables, including the table of donuts, which changes orders through the join.
  ///
  /// - Complexity: O(1).
  public static func filterOrders() -> @Sendable (FoodTruckState, FoodTruckAction) -> Bool {
    { _, action in
      switch action {
      case .data(.modelListener): true
      case .ui, .data(.storeListener): false
      }
    }
  }
}
