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
  public static func selectOrdersValues<Comparators: Sequence<KeyPathComparator<Order>> & Sendable>(
    searchText: String = "", using comparators: Comparators
  ) -> @Sendable (Self) -> [Order] {
    { state in
      selectOrders(searchText: searchText)(state).values.sorted(using: OrderComparator(comparators))
    }
  }

  /// A selector of orders, sorted by one criterion and then by id.
  public static func selectOrdersValues(
    searchText: String = "", using comparator: KeyPathComparator<Order>
  ) -> @Sendable (Self) -> [Order] {
    selectOrdersValues(searchText: searchText, using: [comparator])
  }

  /// A selector of orders, sorted; the last criterion is the id, ascending.
  public static func selectOrdersValues<Comparators: Sequence<KeyPathComparator<Order>> & Sendable>(
    searchText: String = "", min count: Int, using comparators: Comparators
  ) -> @Sendable (Self) -> [Order] {
    { state in
      selectOrders(searchText: searchText)(state).values.min(count: count, using: OrderComparator(comparators))
    }
  }

  /// A selector of the first orders by one criterion and then by id, which does not sort all orders.
  public static func selectOrdersValues(
    searchText: String = "", min count: Int, using comparator: KeyPathComparator<Order>
  ) -> @Sendable (Self) -> [Order] {
    selectOrdersValues(searchText: searchText, min: count, using: [comparator])
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
}

/// Compares orders by several criteria and finally by their ids, so the result never depends on the order of a table.
struct OrderComparator: SortComparator {
  private let comparators: [KeyPathComparator<Order>]
  /// The direction of all criteria except the id, which is always ascending.
  var order = SortOrder.forward

  init(_ comparators: some Sequence<KeyPathComparator<Order>>) {
    self.comparators = Array(comparators)
  }

  func compare(_ lhs: Order, _ rhs: Order) -> ComparisonResult {
    for comparator in comparators {
      switch (comparator.compare(lhs, rhs), order) {
      case (.orderedSame, _): continue
      case (let result, .forward): return result
      case (.orderedAscending, .reverse): return .orderedDescending
      case (.orderedDescending, .reverse): return .orderedAscending
      }
    }
    if lhs.id == rhs.id { return .orderedSame }
    return lhs.id < rhs.id ? .orderedAscending : .orderedDescending
  }
}
