public import FoodTruckData
public import Foundation
public import ImmutableData
import ImmutableUI

/// A store of the food truck, or a position in its history.
public typealias FoodTruckSource = ImmutableData.Selector<FoodTruckState>
  & Streamer<FoodTruckState, FoodTruckAction> & AnyObject

/// A selection of sorted orders: all that match a search, or the first few of them without sorting all.
///
/// After each action that can change orders, they are searched and joined in O(*n*), and sorted only if the result changed.
@MainActor
public struct SelectOrdersValues<Source: FoodTruckSource> {
  private let selection: Selection<Source, FoodTruckState.Table<Order.ID, Order>, [Order]>

  /// Selects all matching orders.
  ///
  /// - Parameters:
  ///   - source: The store, or a position in a history.
  ///   - searchText: The text that the order's id or the name of one of its donuts contains.
  ///   - comparators: The criteria to sort by.
  public init<Comparators: Sequence<KeyPathComparator<Order>> & Sendable>(
    _ source: Source, searchText: String = "", using comparators: Comparators
  ) {
    selection = OrdersQuery(searchText: searchText, comparators: Array(comparators)).selection(of: source)
  }

  /// Selects all matching orders, sorted by one criterion.
  ///
  /// - Parameters:
  ///   - source: The store, or a position in a history.
  ///   - searchText: The text that the order's id or the name of one of its donuts contains.
  ///   - comparator: The criterion to sort by.
  public init(_ source: Source, searchText: String = "", using comparator: KeyPathComparator<Order>) {
    self.init(source, searchText: searchText, using: [comparator])
  }

  /// Selects the first few matching orders.
  ///
  /// - Parameters:
  ///   - source: The store, or a position in a history.
  ///   - searchText: The text that the order's id or the name of one of its donuts contains.
  ///   - count: The most orders.
  ///   - comparators: The criteria to sort by.
  public init<Comparators: Sequence<KeyPathComparator<Order>> & Sendable>(
    _ source: Source, searchText: String = "", min count: Int, using comparators: Comparators
  ) {
    selection =
      OrdersQuery(searchText: searchText, count: count, comparators: Array(comparators)).selection(of: source)
  }

  /// Selects the first few matching orders, sorted by one criterion.
  ///
  /// - Parameters:
  ///   - source: The store, or a position in a history.
  ///   - searchText: The text that the order's id or the name of one of its donuts contains.
  ///   - count: The most orders.
  ///   - comparator: The criterion to sort by.
  public init(
    _ source: Source, searchText: String = "", min count: Int, using comparator: KeyPathComparator<Order>
  ) {
    self.init(source, searchText: searchText, min: count, using: [comparator])
  }

  /// The orders at the last update. Reading is observed.
  public var output: [Order] { selection.output }
}

/// A selection of sorted orders whose parameters the user changes: the search text and the order of a window.
///
/// The parameters are local state and not recorded.
@MainActor
public final class SelectOrders<Source: FoodTruckSource> {
  /// The search text.
  public var searchText: String
  /// The criteria to sort by.
  public var sortOrder: [KeyPathComparator<Order>]

  private let selection: Selection<Source, FoodTruckState.Table<Order.ID, Order>, [Order]>

  /// Creates a selector.
  ///
  /// - Parameters:
  ///   - source: The store, or a position in a history.
  ///   - searchText: The initial search text.
  ///   - sortOrder: The initial criteria.
  public init(_ source: Source, searchText: String = "", sortOrder: [KeyPathComparator<Order>]) {
    self.searchText = searchText
    self.sortOrder = sortOrder
    selection = OrdersQuery(searchText: searchText, comparators: sortOrder).selection(of: source)
  }

  /// The matching orders at the last update. Reading is observed.
  public var output: [Order] {
    OrdersQuery(searchText: searchText, comparators: sortOrder).update(selection)
    return selection.output
  }
}

/// The parameters of a selection of orders, which are its id.
private struct OrdersQuery: Hashable, Sendable {
  var searchText: String
  var count: Int?
  var comparators: [KeyPathComparator<Order>]

  init(searchText: String, count: Int? = nil, comparators: [KeyPathComparator<Order>]) {
    self.searchText = searchText
    self.count = count
    self.comparators = comparators
  }

  /// A short label, because a comparator's own description is very long without Objective-C.
  private var label: String {
    let count = count.map { count in "min: \(count), " } ?? ""
    let directions = comparators.map { comparator in comparator.order == .forward ? "↑" : "↓" }.joined()
    return "SelectOrdersValues(searchText: \"\(searchText)\", \(count)using: \(directions))"
  }

  private var dependency: DependencySelector<FoodTruckState, FoodTruckState.Table<Order.ID, Order>> {
    DependencySelector(select: FoodTruckState.selectOrders(searchText: searchText))
  }

  private var output: OutputSelector<FoodTruckState, [Order]> {
    guard let count else {
      return OutputSelector(select: FoodTruckState.selectOrdersValues(searchText: searchText, using: comparators))
    }
    return OutputSelector(
      select: FoodTruckState.selectOrdersValues(searchText: searchText, min: count, using: comparators))
  }

  @MainActor func selection<Source: FoodTruckSource>(
    of source: Source
  ) -> Selection<Source, FoodTruckState.Table<Order.ID, Order>, [Order]> {
    Selection(
      source, id: self, label: label, filter: FoodTruckFilter.filterOrders(), dependencySelector: dependency,
      outputSelector: output)
  }

  @MainActor func update<Source: FoodTruckSource>(
    _ selection: Selection<Source, FoodTruckState.Table<Order.ID, Order>, [Order]>
  ) {
    selection.update(
      id: self, label: label, filter: FoodTruckFilter.filterOrders(), dependencySelector: dependency,
      outputSelector: output)
  }
}

/// The statuses of some orders. Unknown ids are skipped.
@MainActor
public struct SelectOrdersStatuses<Source: FoodTruckSource> {
  private let selection: Selection<Source, [Order.ID: OrderStatus]>

  /// Selects statuses.
  ///
  /// - Parameters:
  ///   - source: The store, or a position in a history.
  ///   - orderIDs: The orders.
  public init(_ source: Source, orderIDs: Set<Order.ID>) {
    selection = Selection(
      source, id: orderIDs, label: label(of: orderIDs), filter: FoodTruckFilter.filterOrders(),
      outputSelector: OutputSelector(select: FoodTruckState.selectOrdersStatuses(orderIDs: orderIDs)))
  }

  /// The statuses at the last update. Reading is observed.
  public var output: [Order.ID: OrderStatus] { selection.output }
}

/// The statuses of orders that the user selects in a window.
@MainActor
public final class SelectStatuses<Source: FoodTruckSource> {
  /// The orders.
  public var orderIDs: Set<Order.ID>

  private let selection: Selection<Source, [Order.ID: OrderStatus]>

  /// Creates a selector.
  ///
  /// - Parameters:
  ///   - source: The store, or a position in a history.
  ///   - orderIDs: The initial orders.
  public init(_ source: Source, orderIDs: Set<Order.ID> = []) {
    self.orderIDs = orderIDs
    selection = Selection(
      source, id: orderIDs, label: label(of: orderIDs), filter: FoodTruckFilter.filterOrders(),
      outputSelector: OutputSelector(select: FoodTruckState.selectOrdersStatuses(orderIDs: orderIDs)))
  }

  /// The statuses at the last update. Reading is observed.
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

/// One order that the user selects; `nil` if there is none.
@MainActor
public final class SelectOrder<Source: FoodTruckSource> {
  /// The id of the order.
  public var orderID: Order.ID?

  private let selection: Selection<Source, Order?>

  /// Creates a selector.
  ///
  /// - Parameters:
  ///   - source: The store, or a position in a history.
  ///   - orderID: The initial id of the order.
  public init(_ source: Source, orderID: Order.ID?) {
    self.orderID = orderID
    selection = Selection(
      source, id: orderID, label: "SelectOrder(orderID: \(orderID ?? "nil"))", filter: FoodTruckFilter.filterOrders(),
      outputSelector: OutputSelector(select: FoodTruckState.selectOrder(orderID: orderID)))
  }

  /// The order at the last update. Reading is observed.
  public var output: Order? {
    selection.update(
      id: orderID, label: "SelectOrder(orderID: \(orderID ?? "nil"))", filter: FoodTruckFilter.filterOrders(),
      outputSelector: OutputSelector(select: FoodTruckState.selectOrder(orderID: orderID)))
    return selection.output
  }
}

/// The donuts of the gallery with their sales. The selection is updated when the store changes.
@MainActor
public final class SelectDonuts<Source: FoodTruckSource> {
  private struct Query: Hashable, Sendable {
    var searchText = ""
    var sort = DonutSort.menu

    var label: String { "SelectDonuts(searchText: \"\(searchText)\", sort: \(sort.rawValue))" }

    var selector: OutputSelector<FoodTruckState, [DonutSales]> {
      OutputSelector(select: FoodTruckState.selectDonutSales(searchText: searchText, sort: sort))
    }
  }

  private let selection: Selection<Source, [DonutSales]>

  /// Selects all donuts.
  ///
  /// - Parameter source: The store, or a position in a history.
  public init(_ source: Source) {
    let query = Query()
    selection = Selection(
      source, id: query, label: query.label, filter: FoodTruckFilter.filterSales(), outputSelector: query.selector)
  }

  /// The donuts at the last update. Reading is observed.
  ///
  /// - Parameters:
  ///   - searchText: The text that their names contain.
  ///   - sort: Their order.
  public func output(searchText: String, sort: DonutSort) -> [DonutSales] {
    let query = Query(searchText: searchText, sort: sort)
    selection.update(
      id: query, label: query.label, filter: FoodTruckFilter.filterSales(), outputSelector: query.selector)
    return selection.output
  }
}

/// The most ordered donuts of a city that the user selects.
@MainActor
public final class SelectTopDonuts<Source: FoodTruckSource> {
  /// The city; `nil` for all.
  public var cityID: City.ID?

  private let count: Int
  private let selection: Selection<Source, [DonutSales]>

  /// Creates a selector.
  ///
  /// - Parameters:
  ///   - source: The store, or a position in a history.
  ///   - cityID: The initial city; `nil` for all.
  ///   - count: The most donuts.
  public init(_ source: Source, cityID: City.ID? = nil, min count: Int = 5) {
    self.cityID = cityID
    self.count = count
    selection = Selection(
      source, id: cityID, label: "SelectTopDonuts(cityID: \(cityID ?? "nil"), min: \(count))",
      filter: FoodTruckFilter.filterSales(),
      outputSelector: OutputSelector(select: FoodTruckState.selectTopDonuts(cityID: cityID, min: count)))
  }

  /// The donuts at the last update. Reading is observed.
  public var output: [DonutSales] {
    selection.update(
      id: cityID, label: "SelectTopDonuts(cityID: \(cityID ?? "nil"), min: \(count))",
      filter: FoodTruckFilter.filterSales(),
      outputSelector: OutputSelector(select: FoodTruckState.selectTopDonuts(cityID: cityID, min: count)))
    return selection.output
  }
}

/// A store for previews, with the listeners that update it.
///
/// - SeeAlso: The FoodTruck walk-through of the ImmutableData guide (`PreviewStore`).
@MainActor
public final class PreviewStore {
  /// The store.
  public let store: Store<FoodTruckState, FoodTruckAction>

  private let listeners: (ModelListener, StoreListener<Never>)?

  /// Creates a store that mirrors a mutable model asynchronously, and passes the user's actions to it.
  ///
  /// - Parameter model: The model.
  public init(model: FoodTruckModel) {
    store = Store(initialState: FoodTruckState(), reducer: FoodTruckMirrorReducer.reduce)
    let listeners = (ModelListener(), StoreListener())
    listeners.0.listen(to: model, with: store)
    listeners.1.listen(to: store, with: model)
    self.listeners = listeners
  }

  /// Creates a store with orders and donuts.
  ///
  /// - Parameters:
  ///   - orders: The orders.
  ///   - donuts: The donuts.
  /// - Throws: The reducer's error. It accepts these actions.
  public init(orders: [Order] = Order.previewArray, donuts: [Donut] = Donut.all) throws {
    store = Store(initialState: FoodTruckState(), reducer: FoodTruckReducer.reduce)
    listeners = nil
    try store.dispatch(action: .data(.modelListener(.didReceiveOrders(orders))))
    try store.dispatch(action: .data(.modelListener(.didReceiveDonuts(donuts))))
  }
}
