#if canImport(SwiftUI)
public import FoodTruckData
import FoodTruckUI
import ImmutableUI
public import SwiftUI

/// The orders that match a text, sorted: all of them, or the first few without sorting all.
@MainActor @propertyWrapper public struct SelectOrdersValues: DynamicProperty {
  @ImmutableUI.Selector<FoodTruckStore, FoodTruckState.Table<Order.ID, Order>, [Order]> private var orders: [Order]

  /// Creates a property for all orders that match.
  public init(searchText: String = "", using comparators: [KeyPathComparator<Order>]) {
    _orders = ImmutableUI.Selector(FoodTruckQuery.orders(searchText: searchText, using: comparators))
  }

  /// Creates a property for the first few orders that match.
  public init(searchText: String = "", min count: Int, using comparators: [KeyPathComparator<Order>]) {
    _orders = ImmutableUI.Selector(FoodTruckQuery.orders(searchText: searchText, min: count, using: comparators))
  }

  /// The orders at the last update.
  public var wrappedValue: [Order] { orders }
}

/// The orders that match a text that the user changes, in an order that the user changes.
///
/// The parameters are local to the view: no action and no log contains them.
@MainActor @propertyWrapper public struct SelectOrders {
  @ImmutableUI.Selector<FoodTruckStore, FoodTruckState.Table<Order.ID, Order>, [Order]> private var orders: [Order]
  @SwiftUI.State private var search: Search

  private struct Search {
    var text = ""
    var comparators: [KeyPathComparator<Order>]

    var parameters: SelectorParameters<FoodTruckState, FoodTruckAction, FoodTruckQuery.Orders, [Order]> {
      FoodTruckQuery.orders(searchText: text, using: comparators)
    }
  }

  /// Creates the property.
  public init(sortOrder: [KeyPathComparator<Order>]) {
    let search = Search(comparators: sortOrder)
    _search = SwiftUI.State(wrappedValue: search)
    _orders = ImmutableUI.Selector(search.parameters)
  }

  /// The orders at the last update.
  public var wrappedValue: [Order] { orders }

  /// The property itself, to change its parameters.
  public var projectedValue: Self { self }

  /// The text that the order's id or the name of one of its donuts contains.
  public var searchText: String {
    get { search.text }
    nonmutating set { search.text = newValue }
  }

  /// The values to sort by.
  public var sortOrder: [KeyPathComparator<Order>] {
    get { search.comparators }
    nonmutating set { search.comparators = newValue }
  }
}

// SwiftUI updates on the main actor only, as for `ImmutableUI.Selector`.
extension SelectOrders: @preconcurrency DynamicProperty {
  /// Passes the parameters to the selection.
  public mutating func update() { _orders.update(search.parameters) }
}

/// One order.
@MainActor @propertyWrapper public struct SelectOrder: DynamicProperty {
  @ImmutableUI.Selector<FoodTruckStore, Order?> private var order: Order?

  /// Creates a property for the order with an id; `nil` selects none.
  public init(orderID: Order.ID?) {
    _order = ImmutableUI.Selector(FoodTruckQuery.order(orderID: orderID))
  }

  /// The order at the last update; `nil` if there is none.
  public var wrappedValue: Order? { order }
}

/// The statuses of some orders. Unknown ids are skipped.
@MainActor @propertyWrapper public struct SelectOrdersStatuses: DynamicProperty {
  @ImmutableUI.Selector<FoodTruckStore, [Order.ID: OrderStatus]> private var statuses: [Order.ID: OrderStatus]

  /// Creates a property for the orders with these ids.
  public init(orderIDs: Set<Order.ID>) {
    _statuses = ImmutableUI.Selector(FoodTruckQuery.statuses(orderIDs: orderIDs))
  }

  /// The statuses at the last update.
  public var wrappedValue: [Order.ID: OrderStatus] { statuses }
}

/// The statuses of orders that the user selects.
@MainActor @propertyWrapper public struct SelectStatuses {
  @ImmutableUI.Selector<FoodTruckStore, [Order.ID: OrderStatus]> private var statuses: [Order.ID: OrderStatus]
  @SwiftUI.State private var selection: Set<Order.ID> = []

  /// Creates a property without orders.
  public init() {
    _statuses = ImmutableUI.Selector(FoodTruckQuery.statuses(orderIDs: []))
  }

  /// The statuses at the last update.
  public var wrappedValue: [Order.ID: OrderStatus] { statuses }

  /// The ids of the orders.
  public var projectedValue: Set<Order.ID> {
    get { selection }
    nonmutating set { selection = newValue }
  }
}

// SwiftUI updates on the main actor only, as for `ImmutableUI.Selector`.
extension SelectStatuses: @preconcurrency DynamicProperty {
  /// Passes the ids to the selection.
  public mutating func update() { _statuses.update(FoodTruckQuery.statuses(orderIDs: selection)) }
}
#endif
