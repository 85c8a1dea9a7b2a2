public import Foundation
public import TreeCollections

extension FoodTruckState {
  /// A selector of orders by id, each with its donuts of this moment: the join.
  ///
  /// Donuts that are not in the table vanish from the orders; before donuts arrive, every order shows none.
  ///
  /// - Parameter searchText: What the order's id or the name of one of its donuts contains, ignoring case. The empty
  ///   text selects all.
  /// - Complexity: O(*n*) in the number of orders.
  public static func selectOrders(searchText: String = "") -> @Sendable (Self) -> Table<Order.ID, Order> {
    { state in
      if searchText.isEmpty { return state.orders.mapValues(state.join) }
      return state.orders.compactMapValues { stored in
        let order = state.join(stored)
        return order.contains(searchText) ? order : nil
      }
    }
  }

  /// A selector of orders, sorted.
  ///
  /// - Parameters:
  ///   - searchText: As for ``selectOrders(searchText:)``.
  ///   - comparators: What to sort by: each one decides where those before it do not, and the id, ascending, where none
  ///     does.
  /// - Complexity: O(*n* + *m* log *m*) for *m* of *n* orders.
  public static func selectOrdersValues<Comparators: Sequence<KeyPathComparator<Order>> & Sendable>(
    searchText: String = "", using comparators: Comparators
  ) -> @Sendable (Self) -> [Order] {
    { state in
      selectOrders(searchText: searchText)(state).values.sorted(using: OrderComparator(comparators))
    }
  }

  /// A selector of orders, sorted by one criterion and by id where it does not decide.
  ///
  /// - Parameters:
  ///   - searchText: As for ``selectOrders(searchText:)``.
  ///   - comparator: What to sort by.
  /// - Complexity: O(*n* + *m* log *m*) for *m* of *n* orders.
  public static func selectOrdersValues(
    searchText: String = "", using comparator: KeyPathComparator<Order>
  ) -> @Sendable (Self) -> [Order] {
    selectOrdersValues(searchText: searchText, using: [comparator])
  }

  /// A selector of the first few orders in an order, without sorting all.
  ///
  /// - Parameters:
  ///   - searchText: As for ``selectOrders(searchText:)``.
  ///   - count: How many orders at most.
  ///   - comparators: What to sort by: each one decides where those before it do not, and the id, ascending, where none
  ///     does.
  /// - Complexity: O(*n* + *m* log *k*) for *m* of *n* orders, of which *k* are returned.
  public static func selectOrdersValues<Comparators: Sequence<KeyPathComparator<Order>> & Sendable>(
    searchText: String = "", min count: Int, using comparators: Comparators
  ) -> @Sendable (Self) -> [Order] {
    { state in
      selectOrders(searchText: searchText)(state).values.min(count: count, using: OrderComparator(comparators))
    }
  }

  /// A selector of the first few orders by one criterion, and by id where it does not decide, without sorting all.
  ///
  /// - Parameters:
  ///   - searchText: As for ``selectOrders(searchText:)``.
  ///   - count: How many orders at most.
  ///   - comparator: What to sort by.
  /// - Complexity: O(*n* + *m* log *k*) for *m* of *n* orders, of which *k* are returned.
  public static func selectOrdersValues(
    searchText: String = "", min count: Int, using comparator: KeyPathComparator<Order>
  ) -> @Sendable (Self) -> [Order] {
    selectOrdersValues(searchText: searchText, min: count, using: [comparator])
  }

  /// A selector of how far orders have come. Nothing is joined, and ids that are not known are skipped.
  ///
  /// - Parameter orderIDs: The ids; one that comes twice counts once.
  /// - Complexity: O(number of ids).
  public static func selectOrdersStatuses(
    orderIDs: some Sequence<Order.ID> & Sendable
  ) -> @Sendable (Self) -> [Order.ID: OrderStatus] {
    { state in
      var statuses: [Order.ID: OrderStatus] = [:]
      for orderID in orderIDs { statuses[orderID] = state.orders[orderID]?.status }
      return statuses
    }
  }

  /// A selector of one order, with its donuts of this moment.
  ///
  /// - Parameter orderID: Its id; `nil` selects nothing.
  /// - Complexity: O(number of its donuts).
  public static func selectOrder(orderID: Order.ID?) -> @Sendable (Self) -> Order? {
    { state in orderID.flatMap { id in state.orders[id] }.map(state.join) }
  }

  /// A selector of the number of orders.
  ///
  /// - Complexity: O(1).
  public static func selectOrdersCount() -> @Sendable (Self) -> Int {
    { state in state.orders.count }
  }

  /// A selector of the orders for which an activity runs.
  ///
  /// - Complexity: O(1).
  public static func selectActivities() -> @Sendable (Self) -> Set<Order.ID> {
    { state in state.activities }
  }

  private func join(_ stored: Order.BackingData) -> Order {
    Order(stored) { donutID in donuts[donutID] }
  }
}

extension Order {
  /// Whether the order, or one of its donuts, is what people look for.
  func contains(_ searchText: String) -> Bool {
    matches(searchText: searchText) || donuts.contains { donut in donut.matches(searchText: searchText) }
  }
}
