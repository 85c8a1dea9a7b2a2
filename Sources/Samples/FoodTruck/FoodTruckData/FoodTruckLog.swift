public import EventSourcing
import TreeCollections

/// The model of the event-sourced food truck, whose state is the source of truth.
///
/// Actions describe single changes; the reducer advances, completes and appends orders. As in the guide, no action is
/// refused: an unknown order, or a status without a next one, leaves the state unchanged. The name `FoodTruckModel`
/// belongs to the mutable model of the walk-through.
public enum FoodTruckLog: Model {
  /// The model name in logs.
  public static let name = "foodtruck"
  /// The schema version of ``FoodTruckAction``.
  public static let schema = 1
  /// Empty tables.
  public static let initialState = FoodTruckState()
  /// The first version of the reducer: the text changes with it.
  public static let sourceFingerprint: String? = ""

  /// Folds `action` into `state`. It never throws.
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
    case .data(.modelListener(.didReceiveOrders(let orders))):
      state.orders = FoodTruckState.Table(orders.lazy.map { order in Order.BackingData(order) })
    case .data(.modelListener(.didReceiveDonuts(let donuts))):
      state.donuts = FoodTruckState.Table(donuts)
    case .data(.storeListener(.didPlaceOrder(let order))):
      state.orders[order.id] = order
    case .data(.storeListener(.didStartActivity(let orderID))):
      state.activities.insert(orderID)
    case .data(.storeListener(.didEndActivity(let orderID))):
      state.activities.remove(orderID)
    }
  }
}

/// The model of the walk-through, whose state mirrors a model outside the store that is the source of truth.
///
/// Actions of the user do not change the state: a ``StoreListener`` calls the model, and a ``ModelListener`` dispatches
/// the model's tables, which replace those of the state.
public enum FoodTruckMirrorLog: Model {
  /// The model name in logs.
  public static let name = "foodtruck-mirror"
  /// The schema version of ``FoodTruckAction``.
  public static let schema = 1
  /// Empty tables.
  public static let initialState = FoodTruckState()
  /// The first version of the reducer: the text changes with it.
  public static let sourceFingerprint: String? = ""

  /// Folds `action` into `state`. It never throws.
  public static func reduce(into state: inout FoodTruckState, action: FoodTruckAction) throws {
    if case .data(.modelListener) = action { try FoodTruckLog.reduce(into: &state, action: action) }
  }
}
