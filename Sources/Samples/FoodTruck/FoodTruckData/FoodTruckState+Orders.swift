public import Foundation
public import TreeCollections

extension FoodTruckState {
  /// A selector of orders by id, each joined with its current donuts.
  ///
  /// Orders omit donuts that are not in the table. Before the donuts are received, every order has none.
  public static func selectOrders(searchText: String = "") -> @Sendable (Self) -> Table<Order.ID, Order> {
    { state in
      if searchText.isEmpty { return state.orders.mapValues(state.join) }
      return state.orders.compactMapValues { stored in
        let order = state.join(stored)
        return order.contains(searchText) ? order : nil
      }
    }
  }

  /// A selector of orders, sorted; the last criterion is the id, ascending.
  ///
  /// - Parameters:
  ///   - searchText: The text that the orders contain; an empty one selects all.
  ///   - count: The number of orders; the first few are found without sorting all. `nil` selects all.
  ///   - comparators: The criteria, the most important first.
  public static func selectOrdersValues(
    searchText: String = "", min count: Int? = nil, using comparators: [KeyPathComparator<Order>]
  ) -> @Sendable (Self) -> [Order] {
    { state in
      let orders = selectOrders(searchText: searchText)(state).values
      let compare = { (lhs: Order, rhs: Order) in lhs.compare(to: rhs, using: comparators) }
      if let count { return orders.min(count: count, by: compare) }
      return orders.sorted { lhs, rhs in compare(lhs, rhs) == .orderedAscending }
    }
  }

  /// A selector of the statuses of orders, without a join. Unknown ids are skipped.
  public static func selectOrdersStatuses(
    orderIDs: some Sequence<Order.ID> & Sendable
  ) -> @Sendable (Self) -> [Order.ID: OrderStatus] {
    { state in
      var statuses: [Order.ID: OrderStatus] = [:]
      for orderID in orderIDs { statuses[orderID] = state.orders[orderID]?.status }
      return statuses
    }
  }

  /// A selector of one order, joined with its current donuts.
  public static func selectOrder(orderID: Order.ID?) -> @Sendable (Self) -> Order? {
    { state in orderID.flatMap { id in state.orders[id] }.map(state.join) }
  }

  /// A selector of the number of orders.
  public static func selectOrdersCount() -> @Sendable (Self) -> Int {
    { state in state.orders.count }
  }

  /// A selector of the orders with a running activity.
  public static func selectActivities() -> @Sendable (Self) -> Set<Order.ID> {
    { state in state.activities }
  }

  private func join(_ stored: Order.BackingData) -> Order {
    Order(stored) { donutID in donuts[donutID] }
  }
}

extension Order {
  /// Whether the order or one of its donuts matches a search.
  func contains(_ searchText: String) -> Bool {
    matches(searchText: searchText) || donuts.contains { donut in donut.matches(searchText: searchText) }
  }
  /// Compares orders by several criteria and finally by their ids, so that the result never depends on the order of a
  /// table.
  func compare(to other: Order, using comparators: [KeyPathComparator<Order>]) -> ComparisonResult {
    for comparator in comparators {
      let result = comparator.compare(self, other)
      if result != .orderedSame { return result }
    }
    if id == other.id { return .orderedSame }
    return id < other.id ? .orderedAscending : .orderedDescending
  }
}
