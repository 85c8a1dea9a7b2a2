import EventSourcing
package import FoodTruckData
package import Foundation
package import ImmutableData
package import ImmutableUI
import TreeCollections

/// A store of the food truck, or a position in its history.
package typealias FoodTruckSource = ImmutableData.Selector<FoodTruckState>
  & Streamer<FoodTruckState, FoodTruckAction> & AnyObject

/// What the screens of the food truck select.
package enum FoodTruckQuery {
  /// Orders by id.
  package typealias Orders = FoodTruckState.Table<Order.ID, Order>
  /// A value.
  package typealias Value<Output: Sendable> = SelectorParameters<FoodTruckState, FoodTruckAction, Output>

  /// Sorted orders: all that match a search, or the first few of them without sorting all.
  ///
  /// After each action that can change orders, they are searched and joined in O(*n*), and sorted only if the result changed.
  package static func orders(
    searchText: String = "", min count: Int? = nil, using comparators: [KeyPathComparator<Order>]
  ) -> SelectorParameters<FoodTruckState, FoodTruckAction, Orders, [Order]> {
    let search = OrderSearch(text: searchText, count: count, comparators: comparators)
    return SelectorParameters(
      id: search, label: search.label, filter: FoodTruckFilter.filterOrders(),
      dependencySelector: FoodTruckState.selectOrders(searchText: searchText),
      outputSelector: FoodTruckState.selectOrdersValues(searchText: searchText, min: count, using: comparators))
  }

  /// The statuses of some orders. Unknown ids are skipped.
  package static func statuses(orderIDs: Set<Order.ID>) -> Value<[Order.ID: OrderStatus]> {
    Value(
      id: orderIDs, label: "SelectOrdersStatuses(orderIDs: \(orderIDs.sorted()))",
      filter: FoodTruckFilter.filterOrders(), outputSelector: FoodTruckState.selectOrdersStatuses(orderIDs: orderIDs))
  }

  /// One order; `nil` if there is none.
  package static func order(orderID: Order.ID?) -> Value<Order?> {
    Value(
      id: orderID, label: "SelectOrder(orderID: \(orderID ?? "nil"))", filter: FoodTruckFilter.filterOrders(),
      outputSelector: FoodTruckState.selectOrder(orderID: orderID))
  }

  /// The donuts of the gallery with their sales.
  package static func donuts(searchText: String = "", sort: DonutSort = .menu) -> Value<[DonutSales]> {
    // Both parts are in it.
    let label = "SelectDonuts(searchText: \"\(searchText)\", sort: \(sort.rawValue))"
    return Value(
      id: label, label: label, filter: FoodTruckFilter.filterSales(),
      outputSelector: FoodTruckState.selectDonutSales(searchText: searchText, sort: sort))
  }

  /// The most ordered donuts of a city.
  package static func topDonuts(cityID: City.ID?, min count: Int = 5) -> Value<[DonutSales]> {
    Value(
      id: cityID, label: "SelectTopDonuts(cityID: \(cityID ?? "nil"), min: \(count))",
      filter: FoodTruckFilter.filterSales(),
      outputSelector: FoodTruckState.selectTopDonuts(cityID: cityID, min: count))
  }
}

/// The parameters of a selection of orders, which are its id.
private struct OrderSearch: Hashable {
  var text: String
  var count: Int?
  var comparators: [KeyPathComparator<Order>]

  /// A short label, because a comparator's own description is very long without Objective-C.
  var label: String {
    let count = count.map { count in "min: \(count), " } ?? ""
    let directions = comparators.map { comparator in comparator.order == .forward ? "↑" : "↓" }.joined()
    return "SelectOrdersValues(searchText: \"\(text)\", \(count)using: \(directions))"
  }
}

/// A store for previews, with the listeners that update it.
@MainActor
package final class PreviewStore {
  /// The store.
  package let store: Store<FoodTruckState, FoodTruckAction>

  private let listeners: (ModelListener, StoreListener)?

  /// Creates a store that mirrors a mutable model asynchronously, and passes the user's actions to it.
  package init(model: FoodTruckModel) {
    store = Store(initialState: FoodTruckState(), reducer: FoodTruckMirrorLog.reducer)
    let listeners = (ModelListener(), StoreListener())
    listeners.0.listen(to: model, with: store)
    listeners.1.listen(to: store, with: model)
    self.listeners = listeners
  }

  /// Creates a store with orders and donuts.
  package init(orders: [Order] = Order.previewArray, donuts: [Donut] = Donut.all) throws {
    store = Store(initialState: FoodTruckState(), reducer: FoodTruckLog.reducer)
    listeners = nil
    try store.dispatch(action: .data(.modelListener(.didReceiveOrders(orders))))
    try store.dispatch(action: .data(.modelListener(.didReceiveDonuts(donuts))))
  }
}
