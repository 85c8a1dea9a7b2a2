package import FoodTruckData
package import Foundation
package import ImmutableData
package import ImmutableUI
import Observation

/// The list of orders: the local state of a window, selections of a store, and what the user can do.
@MainActor @Observable
package final class OrdersView<Source: FoodTruckSource> {
  /// The search text.
  package var searchText = ""
  /// The order of the rows.
  package var sort = OrdersSort.status
  /// The selected orders.
  package var selection: Set<Order.ID> = []
  /// The order whose completion is shown.
  package var completion: Order.ID?
  /// The error of the last rejected action. Reading is observed.
  package private(set) var lastError: (any Error)?

  @ObservationIgnored private let selectOrders: Selection<Source, FoodTruckQuery.Orders, [Order]>
  @ObservationIgnored private let selectStatuses: Selection<Source, [Order.ID: OrderStatus]>
  private let dispatch: ActionDispatch<FoodTruckAction>
  @ObservationIgnored private var preview: PreviewStore?

  /// Creates a list.
  package init(_ source: Source, dispatch: ActionDispatch<FoodTruckAction>) {
    selectOrders = Selection(source, FoodTruckQuery.orders(using: OrdersSort.status.comparators))
    selectStatuses = Selection(source, FoodTruckQuery.statuses(orderIDs: []))
    self.dispatch = dispatch
  }
}

extension OrdersView {
  /// Creates a list for the model of the legacy application, so that screens can be migrated one by one.
  @available(*, deprecated, message: "make the view with a store, for instance that of PreviewStore(model:)")
  package convenience init(model: FoodTruckModel) where Source == Store<FoodTruckState, FoodTruckAction> {
    let preview = PreviewStore(model: model)
    self.init(preview.store, dispatch: ActionDispatch(preview.store))
    self.preview = preview
  }
}

extension OrdersView {
  /// The rows, in order. Reading is observed.
  package var orders: [Order] {
    selectOrders.output(for: FoodTruckQuery.orders(searchText: searchText, using: sort.comparators))
  }

  /// The current rules. Reading is observed.
  package var rules: OrdersRules {
    OrdersRules(
      selection: selection, statuses: selectStatuses.output(for: FoodTruckQuery.statuses(orderIDs: selection)))
  }

  /// `Create Order`.
  package func createOrder() {
    send(.onTapAddOrderButton)
  }

  /// `Complete Order`: completes the selected orders that exist, and shows the completion of the first one that was not completed.
  package func completeOrder() {
    let rules = rules
    guard rules.isCompleteOrderEnabled else { return }
    for orderID in rules.orderIDsToComplete { send(.onTapCompleteOrderButton(orderID: orderID)) }
    if let orderID = rules.orderIDOfCompletion { completion = orderID }
  }

  private func send(_ action: FoodTruckAction.UI.OrdersView) {
    do { try dispatch(.ui(.ordersView(action))) } catch { lastError = error }
  }
}

/// The orders of the list of orders.
package enum OrdersSort: String, Hashable, Codable, Sendable, CaseIterable {
  /// The last status first, and the newest order first within a status. This is the default.
  case status
  case newest
  case oldest
  case donuts

  /// The title.
  package var title: String { rawValue }

  /// The criteria.
  package var comparators: [KeyPathComparator<Order>] {
    let newest = KeyPathComparator(\Order.creationDate, order: .reverse)
    return switch self {
    case .status: [KeyPathComparator(\Order.status, order: .reverse), newest]
    case .newest: [newest]
    case .oldest: [KeyPathComparator(\Order.creationDate)]
    case .donuts: [KeyPathComparator(\Order.donutCount, order: .reverse), newest]
    }
  }
}
