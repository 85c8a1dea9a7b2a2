public import FoodTruckData
public import ImmutableUI

/// The container of the list of orders: selects and dispatches.
@MainActor
public final class OrdersContainer<Source: FoodTruckSource> {
  private let selectOrders: SelectOrders<Source>
  private let selectStatuses: SelectStatuses<Source>
  private let dispatch: ActionDispatch<FoodTruckAction>
  private let report: @MainActor (any Error) -> Void

  /// Makes a container.
  ///
  /// - Parameters:
  ///   - source: What is read.
  ///   - dispatch: Where actions go.
  ///   - report: Told of an action that was refused.
  public init(
    _ source: Source, dispatch: ActionDispatch<FoodTruckAction>, report: @escaping @MainActor (any Error) -> Void
  ) {
    selectOrders = SelectOrders(source, sortOrder: OrdersSort.status.comparators)
    selectStatuses = SelectStatuses(source)
    self.dispatch = dispatch
    self.report = report
  }

  /// The orders that are searched for. Reading is observed.
  ///
  /// - Parameters:
  ///   - searchText: What is searched for.
  ///   - sort: How they are sorted.
  public func orders(searchText: String, sort: OrdersSort) -> [Order] {
    selectOrders.searchText = searchText
    selectOrders.sortOrder = sort.comparators
    return selectOrders.output
  }

  /// What the list allows. Reading is observed.
  ///
  /// - Parameter selection: What is selected.
  public func rules(selection: Set<Order.ID>) -> OrdersRules {
    selectStatuses.orderIDs = selection
    return OrdersRules(selection: selection, statuses: selectStatuses.output)
  }

  /// `Create Order`.
  public func createOrder() {
    send(.ui(.ordersView(.onTapAddOrderButton)))
  }

  /// `Complete Order`: completes everything that is selected and known.
  ///
  /// - Parameter selection: What is selected.
  /// - Returns: The order whose completion is to be shown, judged by the statuses before.
  public func completeOrders(selection: Set<Order.ID>) -> Order.ID? {
    let rules = rules(selection: selection)
    guard rules.isCompleteOrderEnabled else { return nil }
    for orderID in rules.orderIDsToComplete { complete(orderID) }
    return rules.orderIDOfCompletion
  }

  /// Completes one order.
  ///
  /// - Parameter orderID: The id of the order.
  public func complete(_ orderID: Order.ID) {
    send(.ui(.ordersView(.onTapCompleteOrderButton(orderID: orderID))))
  }

  private func send(_ action: FoodTruckAction) {
    do { try dispatch(action) } catch { report(error) }
  }
}
