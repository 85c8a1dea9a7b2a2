package import FoodTruckData
import Foundation
package import ImmutableUI
import Observation

/// The rules of the list of orders: its enabled commands.
package struct OrdersRules: Hashable, Sendable {
  /// The selected orders, which need not exist.
  package var selection: Set<Order.ID>
  /// The statuses of the selected orders that exist.
  package var statuses: [Order.ID: OrderStatus]

  /// Creates the rules.
  package init(selection: Set<Order.ID>, statuses: [Order.ID: OrderStatus]) {
    self.selection = selection
    self.statuses = statuses
  }

  /// Whether `View Details` is enabled: for exactly one order.
  package var isViewDetailsEnabled: Bool { selection.count == 1 }

  /// Whether `Complete Order` is enabled: if a selected order is not completed.
  package var isCompleteOrderEnabled: Bool {
    statuses.contains { orderID, status in selection.contains(orderID) && status != .completed }
  }

  /// The orders that `Complete Order` completes: all that exist, sorted by id, including completed ones.
  package var orderIDsToComplete: [Order.ID] {
    statuses.keys.filter { orderID in selection.contains(orderID) }.sorted()
  }

  /// The order whose completion is shown: the first one that is not completed.
  package var orderIDOfCompletion: Order.ID? {
    orderIDsToComplete.first { orderID in statuses[orderID] != .completed }
  }
}

/// The rules of the screen of one order, which is also used for completions.
package struct OrderDetailRules: Hashable, Sendable {
  /// The title if the order no longer exists.
  package static let missingOrderText = "missing order"

  /// The order; `nil` if it no longer exists.
  package var order: Order?

  /// Creates the rules of an order.
  package init(_ order: Order?) {
    self.order = order
  }

  /// The title, which is the order's id.
  package var title: String { order?.id ?? Self.missingOrderText }

  /// Whether the status button is enabled. It is disabled if the order is completed, or waits to be picked up.
  package var isStatusButtonEnabled: Bool {
    guard let order else { return false }
    return !order.isComplete && order.status != .ready
  }

  /// The title of the status button, for instance `Prepare`.
  package var statusButtonTitle: String {
    switch order?.status {
    case .placed: "Prepare"
    case .preparing: "Hand over"
    case .ready, .completed, nil: "Done"
    }
  }
}

/// The rules of the card of the newest orders.
package struct TruckOrdersCardRules: Hashable, Sendable {
  /// The number of orders on the card.
  package static let count = 5

  /// The newest orders, the newest first.
  package var orders: [Order]

  /// Creates the rules.
  package init(_ orders: [Order]) {
    self.orders = orders
  }

  /// The highlighted order; `nil` if there is none.
  package var headline: Order? { orders.first }

  /// The orders below it.
  package var others: ArraySlice<Order> { orders.dropFirst() }
}

/// The view of an order with its status button. It is also used for completions.
@MainActor @Observable
package final class OrderDetailView<Source: FoodTruckSource> {
  /// The error of the last rejected action.
  package private(set) var lastError: (any Error)?

  private let selectOrder: Selection<Source, Order?>
  private let dispatch: ActionDispatch<FoodTruckAction>

  /// Creates a view.
  package init(_ source: Source, dispatch: ActionDispatch<FoodTruckAction>, orderID: Order.ID) {
    selectOrder = Selection(source, FoodTruckQuery.order(orderID: orderID))
    self.dispatch = dispatch
  }

  /// The current rules. Reading is observed.
  package var rules: OrderDetailRules { OrderDetailRules(selectOrder.output) }

  /// Presses the status button if it is enabled.
  package func tapStatusButton() {
    let rules = rules
    guard rules.isStatusButtonEnabled, let order = rules.order else { return }
    do {
      try dispatch(.ui(.orderDetailView(.onTapStatusButton(orderID: order.id))))
    } catch {
      lastError = error
    }
  }
}

/// The card of the newest orders.
@MainActor
package struct TruckOrdersCard<Source: FoodTruckSource> {
  private let selectOrders: Selection<Source, FoodTruckQuery.Orders, [Order]>

  /// Creates a card.
  package init(_ source: Source) {
    selectOrders = Selection(
      source,
      FoodTruckQuery.orders(
        min: TruckOrdersCardRules.count, using: [KeyPathComparator(\Order.creationDate, order: .reverse)]))
  }

  /// The current rules. Reading is observed.
  package var rules: TruckOrdersCardRules { TruckOrdersCardRules(selectOrders.output) }
}
