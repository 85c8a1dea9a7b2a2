public import FoodTruckData
public import Foundation
public import ImmutableData
public import ImmutableUI
public import Observation

/// The root of the list of orders: owns the local state of a window.
@MainActor @Observable
public final class OrdersView<Source: FoodTruckSource> {
  /// The search text.
  public var searchText = ""
  /// The order of the rows.
  public var sort = OrdersSort.status
  /// The selected orders.
  public var selection: Set<Order.ID> = []
  /// The order whose completion is shown.
  public var completion: Order.ID?

  private let container: OrdersContainer<Source>
  private let failures: Failures
  @ObservationIgnored private var preview: PreviewStore?

  /// Creates a root.
  ///
  /// - Parameters:
  ///   - source: The store, or a position in a history.
  ///   - dispatch: Dispatches actions.
  public init(_ source: Source, dispatch: ActionDispatch<FoodTruckAction>) {
    let failures = Failures()
    self.failures = failures
    container = OrdersContainer(source, dispatch: dispatch) { error in failures.last = error }
  }
}

extension OrdersView where Source == Store<FoodTruckState, FoodTruckAction> {
  /// Creates a root for the model of the legacy application, so that screens can be migrated one by one.
  ///
  /// - Parameter model: The model.
  @available(*, deprecated, message: "make the view with a store, for instance that of PreviewStore(model:)")
  public convenience init(model: FoodTruckModel) {
    let preview = PreviewStore(model: model)
    self.init(preview.store, dispatch: ActionDispatch(preview.store))
    self.preview = preview
  }
}

extension OrdersView {
  /// The error of the last rejected action. Reading is observed.
  public var lastError: (any Error)? { failures.last }

  /// The current presenter. Reading is observed.
  public var table: OrdersTable {
    OrdersTable(sort: sort, selection: selection, orders: container.orders(searchText: searchText, sort: sort)) {
      [weak self] order in
      self?.container.complete(order.id)
      self?.completion = order.id
    }
  }

  /// The current rules. Reading is observed.
  public var rules: OrdersRules { container.rules(selection: selection) }

  /// `Create Order`.
  public func createOrder() {
    container.createOrder()
  }

  /// `Complete Order`: completes the selected orders, and shows the completion of the first one that was not completed.
  public func completeOrder() {
    if let orderID = container.completeOrders(selection: selection) { completion = orderID }
  }
}

/// The last error.
@MainActor @Observable
private final class Failures {
  var last: (any Error)?
}

/// The container of the list of orders: selects values and dispatches actions.
@MainActor
public final class OrdersContainer<Source: FoodTruckSource> {
  private let selectOrders: SelectOrders<Source>
  private let selectStatuses: SelectStatuses<Source>
  private let dispatch: ActionDispatch<FoodTruckAction>
  private let report: @MainActor (any Error) -> Void

  /// Creates a container.
  ///
  /// - Parameters:
  ///   - source: The store, or a position in a history.
  ///   - dispatch: Dispatches actions.
  ///   - report: Called with the errors of rejected actions.
  public init(
    _ source: Source, dispatch: ActionDispatch<FoodTruckAction>, report: @escaping @MainActor (any Error) -> Void
  ) {
    selectOrders = SelectOrders(source, sortOrder: OrdersSort.status.comparators)
    selectStatuses = SelectStatuses(source)
    self.dispatch = dispatch
    self.report = report
  }

  /// The matching orders. Reading is observed.
  ///
  /// - Parameters:
  ///   - searchText: The search text.
  ///   - sort: The order.
  public func orders(searchText: String, sort: OrdersSort) -> [Order] {
    selectOrders.searchText = searchText
    selectOrders.sortOrder = sort.comparators
    return selectOrders.output
  }

  /// The rules of the list. Reading is observed.
  ///
  /// - Parameter selection: The selected orders.
  public func rules(selection: Set<Order.ID>) -> OrdersRules {
    selectStatuses.orderIDs = selection
    return OrdersRules(selection: selection, statuses: selectStatuses.output)
  }

  /// `Create Order`.
  public func createOrder() {
    send(.ui(.ordersView(.onTapAddOrderButton)))
  }

  /// `Complete Order`: completes all selected orders that exist.
  ///
  /// - Parameter selection: The selected orders.
  /// - Returns: The first order that was not completed before, to show its completion.
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

/// The presenter of the list of orders. It is independent of the store.
public struct OrdersTable {
  /// The order of the rows.
  public var sort: OrdersSort
  /// The selected orders.
  public var selection: Set<Order.ID>
  /// The rows, in order.
  public var orders: [Order]
  /// Completes an order and shows its completion.
  private let complete: @MainActor (Order) -> Void

  /// Creates a presenter.
  ///
  /// - Parameters:
  ///   - sort: The order of the rows.
  ///   - selection: The selected orders.
  ///   - orders: The rows, in order.
  ///   - complete: Completes an order.
  public init(
    sort: OrdersSort, selection: Set<Order.ID>, orders: [Order], complete: @escaping @MainActor (Order) -> Void
  ) {
    self.sort = sort
    self.selection = selection
    self.orders = orders
    self.complete = complete
  }

  /// Whether a row has a button that completes its order.
  ///
  /// - Parameter order: The order of the row.
  public func offersCompletion(of order: Order) -> Bool { !order.isComplete }

  /// Completes the order of a row, if the row has a button.
  ///
  /// - Parameter order: The order of the row.
  @MainActor public func completeOrder(_ order: Order) {
    if offersCompletion(of: order) { complete(order) }
  }
}

/// The orders of the list of orders.
public enum OrdersSort: String, Hashable, Codable, Sendable, CaseIterable {
  /// The last status first, and the newest order first within a status. This is the default.
  case status
  /// The newest order first.
  case newest
  /// The oldest order first.
  case oldest
  /// The order with the most donuts first.
  case donuts

  /// The title.
  public var title: String { rawValue }

  /// The next value. It wraps around.
  public var next: OrdersSort {
    let place = Self.allCases.firstIndex(of: self) ?? 0
    return Self.allCases[(place + 1) % Self.allCases.count]
  }

  /// The criteria.
  public var comparators: [KeyPathComparator<Order>] {
    let newest = KeyPathComparator(\Order.creationDate, order: .reverse)
    return switch self {
    case .status: [KeyPathComparator(\Order.status, order: .reverse), newest]
    case .newest: [newest]
    case .oldest: [KeyPathComparator(\Order.creationDate)]
    case .donuts: [KeyPathComparator(\Order.donutCount, order: .reverse), newest]
    }
  }
}
