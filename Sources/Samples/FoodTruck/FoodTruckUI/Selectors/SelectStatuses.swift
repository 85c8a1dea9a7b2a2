public import FoodTruckData
import ImmutableUI

/// How far some orders have come, kept up to date. Ids that are not known are skipped.
@MainActor
public struct SelectOrdersStatuses<Source: FoodTruckSource> {
  private let selection: Selection<Source, [Order.ID: OrderStatus]>

  /// Selects statuses.
  ///
  /// - Parameters:
  ///   - source: What is read.
  ///   - orderIDs: The orders.
  public init(_ source: Source, orderIDs: Set<Order.ID>) {
    selection = Selection(
      source, id: orderIDs, label: label(of: orderIDs), filter: FoodTruckFilter.filterOrders(),
      outputSelector: OutputSelector(select: FoodTruckState.selectOrdersStatuses(orderIDs: orderIDs)))
  }

  /// The statuses as they were published last. Reading is observed.
  public var output: [Order.ID: OrderStatus] { selection.output }
}

/// The same for a set of orders that people change: the selection of one window.
@MainActor
public final class SelectStatuses<Source: FoodTruckSource> {
  /// The orders.
  public var orderIDs: Set<Order.ID>

  private let selection: Selection<Source, [Order.ID: OrderStatus]>

  /// Makes a selector.
  ///
  /// - Parameters:
  ///   - source: What is read.
  ///   - orderIDs: The orders at first.
  public init(_ source: Source, orderIDs: Set<Order.ID> = []) {
    self.orderIDs = orderIDs
    selection = Selection(
      source, id: orderIDs, label: label(of: orderIDs), filter: FoodTruckFilter.filterOrders(),
      outputSelector: OutputSelector(select: FoodTruckState.selectOrdersStatuses(orderIDs: orderIDs)))
  }

  /// The statuses as they were published last. Reading is observed.
  public var output: [Order.ID: OrderStatus] {
    selection.update(
      id: orderIDs, label: label(of: orderIDs), filter: FoodTruckFilter.filterOrders(),
      outputSelector: OutputSelector(select: FoodTruckState.selectOrdersStatuses(orderIDs: orderIDs)))
    return selection.output
  }
}

private func label(of orderIDs: Set<Order.ID>) -> String {
  "SelectOrdersStatuses(orderIDs: \(orderIDs.sorted()))"
}

/// One order that people choose, kept up to date; `nil` when there is none.
@MainActor
public final class SelectOrder<Source: FoodTruckSource> {
  /// The id of the order.
  public var orderID: Order.ID?

  private let selection: Selection<Source, Order?>

  /// Makes a selector.
  ///
  /// - Parameters:
  ///   - source: What is read.
  ///   - orderID: The id of the order at first.
  public init(_ source: Source, orderID: Order.ID?) {
    self.orderID = orderID
    selection = Selection(
      source, id: orderID, label: "SelectOrder(orderID: \(orderID ?? "nil"))", filter: FoodTruckFilter.filterOrders(),
      outputSelector: OutputSelector(select: FoodTruckState.selectOrder(orderID: orderID)))
  }

  /// The order as it was published last. Reading is observed.
  public var output: Order? {
    selection.update(
      id: orderID, label: "SelectOrder(orderID: \(orderID ?? "nil"))", filter: FoodTruckFilter.filterOrders(),
      outputSelector: OutputSelector(select: FoodTruckState.selectOrder(orderID: orderID)))
    return selection.output
  }
}
