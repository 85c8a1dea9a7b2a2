public import FoodTruckData
public import ImmutableData

/// A store that is brought to a state, with what keeps it up to date.
///
/// - SeeAlso: The FoodTruck walk-through of the ImmutableData guide (`PreviewStore`).
@MainActor
public final class PreviewStore {
  /// The store.
  public let store: Store<FoodTruckState, FoodTruckAction>

  private let listeners: (ModelListener, StoreListener<Never>)?

  /// Makes a store that mirrors a mutable model, a moment later, and tells it what people do. Nothing shows outside.
  ///
  /// - Parameter model: The model.
  public init(model: FoodTruckModel) {
    store = Store(initialState: FoodTruckState(), reducer: FoodTruckMirrorReducer.reduce)
    let listeners = (ModelListener(), StoreListener())
    listeners.0.listen(to: model, with: store)
    listeners.1.listen(to: store, with: model)
    self.listeners = listeners
  }

  /// Makes a store that holds orders and donuts.
  ///
  /// - Parameters:
  ///   - orders: The orders.
  ///   - donuts: The donuts.
  /// - Throws: What the reducer throws; it refuses none of the actions.
  public init(orders: [Order] = Order.previewArray, donuts: [Donut] = Donut.all) throws {
    store = Store(initialState: FoodTruckState(), reducer: FoodTruckReducer.reduce)
    listeners = nil
    try store.dispatch(action: .data(.modelListener(.didReceiveOrders(orders))))
    try store.dispatch(action: .data(.modelListener(.didReceiveDonuts(donuts))))
  }
}
