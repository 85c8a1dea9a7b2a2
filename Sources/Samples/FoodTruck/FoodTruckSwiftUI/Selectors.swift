#if canImport(SwiftUI)
public import FoodTruckData
import ImmutableUI
public import SwiftUI

/// The orders that match a text, sorted: all of them, or the first few without sorting all.
///
/// - SeeAlso: The FoodTruck walk-through of the ImmutableData guide.
@MainActor @propertyWrapper public struct SelectOrdersValues: DynamicProperty {
  @ImmutableUI.Selector<FoodTruckStore, FoodTruckState.Table<Order.ID, Order>, [Order]> private var orders: [Order]

  /// Creates a property for all orders that match.
  ///
  /// - Parameters:
  ///   - searchText: The text that the order's id or the name of one of its donuts contains.
  ///   - comparators: The values to sort by.
  public init(searchText: String = "", using comparators: [KeyPathComparator<Order>]) {
    let search = OrderSearch(text: searchText, comparators: comparators)
    _orders = ImmutableUI.Selector(
      id: search, label: search.label, filter: FoodTruckFilter.filterOrders(),
      dependencySelector: FoodTruckState.selectOrders(searchText: searchText),
      outputSelector: FoodTruckState.selectOrdersValues(searchText: searchText, using: comparators))
  }

  /// Creates a property for the first few orders that match.
  ///
  /// - Parameters:
  ///   - searchText: The text that the order's id or the name of one of its donuts contains.
  ///   - count: The maximum number of orders.
  ///   - comparators: The values to sort by.
  public init(searchText: String = "", min count: Int, using comparators: [KeyPathComparator<Order>]) {
    let search = OrderSearch(text: searchText, count: count, comparators: comparators)
    _orders = ImmutableUI.Selector(
      id: search, label: search.label, filter: FoodTruckFilter.filterOrders(),
      dependencySelector: FoodTruckState.selectOrders(searchText: searchText),
      outputSelector: FoodTruckState.selectOrdersValues(searchText: searchText, min: count, using: comparators))
  }

  /// The orders at the last update.
  public var wrappedValue: [Order] { orders }
}

/// The orders that match a text that the user changes, in an order that the user changes.
///
/// The parameters are local to the view: no action and no log contains them.
@MainActor @propertyWrapper public struct SelectOrders {
  @ImmutableUI.Selector<FoodTruckStore, FoodTruckState.Table<Order.ID, Order>, [Order]> private var orders: [Order]
  @SwiftUI.State private var search: OrderSearch

  /// Creates the property.
  ///
  /// - Parameter sortOrder: The values to sort by at first.
  public init(sortOrder: [KeyPathComparator<Order>]) {
    let search = OrderSearch(text: "", comparators: sortOrder)
    _search = SwiftUI.State(wrappedValue: search)
    _orders = ImmutableUI.Selector(
      id: search, dependencySelector: FoodTruckState.selectOrders(),
      outputSelector: FoodTruckState.selectOrdersValues(using: sortOrder))
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
  public mutating func update() {
    let search = search
    _orders.update(
      id: search, label: search.label, filter: FoodTruckFilter.filterOrders(),
      dependencySelector: FoodTruckState.selectOrders(searchText: search.text),
      outputSelector: FoodTruckState.selectOrdersValues(searchText: search.text, using: search.comparators))
  }
}

/// One order.
@MainActor @propertyWrapper public struct SelectOrder: DynamicProperty {
  @ImmutableUI.Selector<FoodTruckStore, Order?> private var order: Order?

  /// Creates a property for the order with an id; `nil` selects none.
  public init(orderID: Order.ID?) {
    _order = ImmutableUI.Selector(
      id: orderID, label: "SelectOrder(orderID: \(orderID ?? "nil"))", filter: FoodTruckFilter.filterOrders(),
      outputSelector: FoodTruckState.selectOrder(orderID: orderID))
  }

  /// The order at the last update; `nil` if there is none.
  public var wrappedValue: Order? { order }
}

/// The id of a selection of orders: its parameters.
private struct OrderSearch: Hashable {
  var text: String
  var count: Int?
  var comparators: [KeyPathComparator<Order>]

  var label: String {
    let count = count.map { count in "min: \(count), " } ?? ""
    let directions = comparators.map { comparator in comparator.order == .forward ? "↑" : "↓" }.joined()
    return "SelectOrdersValues(searchText: \"\(text)\", \(count)using: \(directions))"
  }
}

/// The statuses of some orders. Unknown ids are skipped.
///
/// - SeeAlso: The FoodTruck walk-through of the ImmutableData guide.
@MainActor @propertyWrapper public struct SelectOrdersStatuses: DynamicProperty {
  @ImmutableUI.Selector<FoodTruckStore, [Order.ID: OrderStatus]> private var statuses: [Order.ID: OrderStatus]

  /// Creates a property for the orders with these ids.
  public init(orderIDs: Set<Order.ID>) {
    _statuses = ImmutableUI.Selector(
      id: orderIDs, label: "SelectOrdersStatuses(orderIDs: \(orderIDs.sorted()))",
      filter: FoodTruckFilter.filterOrders(),
      outputSelector: FoodTruckState.selectOrdersStatuses(orderIDs: orderIDs))
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
    _statuses = ImmutableUI.Selector(
      id: Set<Order.ID>(), outputSelector: FoodTruckState.selectOrdersStatuses(orderIDs: []))
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
  public mutating func update() {
    let selection = selection
    _statuses.update(
      id: selection, label: "SelectOrdersStatuses(orderIDs: \(selection.sorted()))",
      filter: FoodTruckFilter.filterOrders(),
      outputSelector: FoodTruckState.selectOrdersStatuses(orderIDs: selection))
  }
}
#endif
