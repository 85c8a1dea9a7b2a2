extension FoodTruckAction {
  /// What people did, by screen.
  public enum UI: Hashable, Codable, Sendable {
    /// One order.
    case orderDetailView(_ action: OrderDetailView)
    /// The list of orders.
    case ordersView(_ action: OrdersView)
    /// The editor of donuts.
    case donutEditor(_ action: DonutEditor)
  }
}

extension FoodTruckAction.UI {
  /// What happened on the screen of one order.
  public enum OrderDetailView: Hashable, Codable, Sendable {
    /// Somebody worked on the order: it goes on to its next status, if it has one.
    case onTapStatusButton(orderID: Order.ID)
  }

  /// What happened on the list of orders.
  public enum OrdersView: Hashable, Codable, Sendable {
    /// The customer has the order.
    case onTapCompleteOrderButton(orderID: Order.ID)
    /// Somebody wants an order. It is made up outside the reducer and comes as a finished value.
    case onTapAddOrderButton
  }

  /// What happened in the editor of donuts.
  public enum DonutEditor: Hashable, Codable, Sendable {
    /// A donut is now like this; a new id makes a new one.
    case onTapSaveDonutButton(donut: Donut)
  }
}
