extension FoodTruckAction {
  /// What the data layer tells. Inside this type's extensions the name hides `Foundation.Data`.
  public enum Data: Hashable, Codable, Sendable {
    /// A model outside the store is the source of truth, and sends its tables.
    case modelListener(_ action: ModelListener)
    /// The side effects of this store.
    case storeListener(_ action: StoreListener)
  }
}

extension FoodTruckAction.Data {
  /// Whole tables: the guide's mirrored form. Each change costs a record in O(n).
  public enum ModelListener: Hashable, Codable, Sendable {
    /// These are all orders there are.
    case didReceiveOrders(_ orders: [Order])
    /// These are all donuts there are.
    case didReceiveDonuts(_ donuts: [Donut])
  }

  /// What happened: the event-sourced form.
  public enum StoreListener: Hashable, Codable, Sendable {
    /// An order came in, made up or real.
    case didPlaceOrder(order: Order.BackingData)
    /// An activity runs for an order.
    case didStartActivity(orderID: Order.ID)
    /// No activity runs for an order any more.
    case didEndActivity(orderID: Order.ID)
  }
}
