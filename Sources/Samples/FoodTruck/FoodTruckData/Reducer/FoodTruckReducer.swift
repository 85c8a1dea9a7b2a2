import TreeCollections

/// The rules of the food truck in the event-sourced form: the state is the source of truth.
///
/// Actions say what happened; the reducer advances, completes and appends. What it does not know (an order that is gone,
/// a status without a next one) leaves the state as it is, as in the guide: nothing is refused.
///
/// - SeeAlso: ``FoodTruckMirrorReducer``, the form of the walk-through.
public enum FoodTruckReducer {
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
  /// - Complexity: O(1); O(size of the table) for whole tables.
  public static func reduce(into state: inout FoodTruckState, action: FoodTruckAction) throws {
    switch action {
    case .ui(.orderDetailView(.onTapStatusButton(let orderID))):
      guard let next = state.orders[orderID]?.status.next else { return }
      state.orders[orderID]?.status = next
    case .ui(.ordersView(.onTapCompleteOrderButton(let orderID))):
      guard state.orders[orderID] != nil else { return }
      state.orders[orderID]?.status = .completed
    case .ui(.ordersView(.onTapAddOrderButton)):
      break
    case .ui(.donutEditor(.onTapSaveDonutButton(let donut))):
      state.donuts[donut.id] = donut
    case .data(.modelListener(let action)):
      reduce(into: &state, action: action)
    case .data(.storeListener(let action)):
      reduce(into: &state, action: action)
    }
  }

  private static func reduce(into state: inout FoodTruckState, action: FoodTruckAction.Data.ModelListener) {
    switch action {
    case .didReceiveOrders(let orders):
      state.orders = FoodTruckState.Table(orders.lazy.map { order in Order.BackingData(order) })
    case .didReceiveDonuts(let donuts):
      state.donuts = FoodTruckState.Table(donuts)
    }
  }

  private static func reduce(into state: inout FoodTruckState, action: FoodTruckAction.Data.StoreListener) {
    switch action {
    case .didPlaceOrder(let order): state.orders[order.id] = order
    case .didStartActivity(let orderID): state.activities.insert(orderID)
    case .didEndActivity(let orderID): state.activities.remove(orderID)
    }
  }
}
