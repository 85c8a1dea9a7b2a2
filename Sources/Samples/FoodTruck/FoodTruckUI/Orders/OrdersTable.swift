public import FoodTruckData

/// The presenter of the list of orders: knows rows, and nothing of a store.
public struct OrdersTable {
  /// How the rows are sorted.
  public var sort: OrdersSort
  /// What is selected.
  public var selection: Set<Order.ID>
  /// The rows, in order.
  public var orders: [Order]
  /// Completes one order; whoever gives it dispatches, then shows the completion.
  private let complete: @MainActor (Order) -> Void

  /// Makes a presenter.
  ///
  /// - Parameters:
  ///   - sort: How the rows are sorted.
  ///   - selection: What is selected.
  ///   - orders: The rows, in order.
  ///   - complete: Completes one order.
  public init(
    sort: OrdersSort, selection: Set<Order.ID>, orders: [Order], complete: @escaping @MainActor (Order) -> Void
  ) {
    self.sort = sort
    self.selection = selection
    self.orders = orders
    self.complete = complete
  }

  /// Whether a row offers to complete its order.
  ///
  /// - Parameter order: The order of the row.
  public func offersCompletion(of order: Order) -> Bool { !order.isComplete }

  /// Completes the order of a row, if the row offers it.
  ///
  /// - Parameter order: The order of the row.
  @MainActor public func completeOrder(_ order: Order) {
    if offersCompletion(of: order) { complete(order) }
  }
}
