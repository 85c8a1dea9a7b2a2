/// The actions of the food truck, grouped by their source.
///
/// The names of cases and labels are the types and members of the records in a log. Changing one changes the format and
/// requires a new schema version.
public enum FoodTruckAction: Hashable, Codable, Sendable {
  case ui(_ action: UI)
  /// The data layer reports a change.
  case data(_ action: Data)
}

extension FoodTruckAction {
  /// Actions of the user, by screen.
  public enum UI: Hashable, Codable, Sendable {
    case orderDetailView(_ action: OrderDetailView)
    case ordersView(_ action: OrdersView)
    case donutEditor(_ action: DonutEditor)
  }
}

extension FoodTruckAction.UI {
  /// Actions on the screen of one order.
  public enum OrderDetailView: Hashable, Codable, Sendable {
    /// The user advanced the order to its next status, if it has one.
    case onTapStatusButton(orderID: Order.ID)
  }

  /// Actions on the list of orders.
  public enum OrdersView: Hashable, Codable, Sendable {
    /// The user completed an order: the customer has it.
    case onTapCompleteOrderButton(orderID: Order.ID)
    /// The user requested a new order. The data layer generates it and dispatches it as a complete value.
    case onTapAddOrderButton
  }

  /// Actions in the editor of donuts.
  public enum DonutEditor: Hashable, Codable, Sendable {
    /// The user saved a donut. A new id adds a donut.
    case onTapSaveDonutButton(donut: Donut)
  }
}

extension FoodTruckAction {
  /// Actions of the data layer. In extensions of `FoodTruckAction`, the name hides `Foundation.Data`.
  public enum Data: Hashable, Codable, Sendable {
    /// Tables of a model outside the store that is the source of truth.
    case modelListener(_ action: ModelListener)
    case storeListener(_ action: StoreListener)
  }
}

extension FoodTruckAction.Data {
  /// Complete tables: the guide's mirrored form. Each change costs a record of O(*n*) bytes.
  public enum ModelListener: Hashable, Codable, Sendable {
    case didReceiveOrders(_ orders: [Order])
    case didReceiveDonuts(_ donuts: [Donut])
  }

  /// Single changes: the event-sourced form.
  public enum StoreListener: Hashable, Codable, Sendable {
    case didPlaceOrder(order: Order.BackingData)
    case didStartActivity(orderID: Order.ID)
    case didEndActivity(orderID: Order.ID)
  }
}
