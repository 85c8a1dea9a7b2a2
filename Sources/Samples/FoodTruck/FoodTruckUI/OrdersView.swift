public import FoodTruckData
public import Foundation
public import ImmutableData
public import ImmutableUI
public import Observation

/// The root of the list of orders: owns what is local to one window, and gives it to container and presenter.
@MainActor @Observable
public final class OrdersView<Source: FoodTruckSource> {
  /// What is searched for.
  public var searchText = ""
  /// How the rows are sorted.
  public var sort = OrdersSort.status
  /// What is selected.
  public var selection: Set<Order.ID> = []
  /// The order whose completion is shown.
  public var completion: Order.ID?

  private let container: OrdersContainer<Source>
  private let failures: Failures
  @ObservationIgnored private var preview: PreviewStore?

  /// Makes a root.
  ///
  /// - Parameters:
  ///   - source: What is read.
  ///   - dispatch: Where actions go.
  public init(_ source: Source, dispatch: ActionDispatch<FoodTruckAction>) {
    let failures = Failures()
    self.failures = failures
    container = OrdersContainer(source, dispatch: dispatch) { error in failures.last = error }
  }
}

extension OrdersView where Source == Store<FoodTruckState, FoodTruckAction> {
  /// Makes a root for the legacy application's model, so that screens can be migrated one after the other.
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
  /// The error of the action that was refused last. Reading is observed.
  public var lastError: (any Error)? { failures.last }

  /// The presenter of this moment. Reading is observed.
  public var table: OrdersTable {
    OrdersTable(sort: sort, selection: selection, orders: container.orders(searchText: searchText, sort: sort)) {
      [weak self] order in
      self?.container.complete(order.id)
      self?.completion = order.id
    }
  }

  /// What is allowed at this moment. Reading is observed.
  public var rules: OrdersRules { container.rules(selection: selection) }

  /// `Create Order`.
  public func createOrder() {
    container.createOrder()
  }

  /// `Complete Order`: completes what is selected, and shows the completion of the first that was not completed.
  public func completeOrder() {
    if let orderID = container.completeOrders(selection: selection) { completion = orderID }
  }
}

/// What went wrong last.
@MainActor @Observable
private final class Failures {
  var last: (any Error)?
}

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

/// What people sort the list of orders by.
public enum OrdersSort: String, Hashable, Codable, Sendable, CaseIterable {
  /// The last status first, and in it the newest order: how the list opens.
  case status
  /// The newest order first.
  case newest
  /// The oldest order first.
  case oldest
  /// The order with the most donuts first.
  case donuts

  /// What people read.
  public var title: String { rawValue }

  /// The next one, around the end.
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
