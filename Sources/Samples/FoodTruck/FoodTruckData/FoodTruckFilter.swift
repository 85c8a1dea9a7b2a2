/// Which actions can change what a selection shows, decided in constant time from the state before and the action.
///
/// A filter that is wrong loses updates silently; each is tested against every action. Those of the event-sourced form
/// are true wherever the mirrored form's is, so a screen that uses them works with both.
public enum FoodTruckFilter {
  /// A filter that is true for actions that can change orders, or the donuts that are joined with them.
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

  /// A filter that is true for actions that can change what was sold, or how donuts are called.
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

  /// A filter that is true for actions that start or end activities.
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

/// The filter of the mirrored form, as the walk-through has it.
///
/// - SeeAlso: ``FoodTruckMirrorReducer``
public enum FoodTruckMirrorFilter {
  /// A filter that is true for whole tables: also that of the donuts, which change orders through the join.
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
