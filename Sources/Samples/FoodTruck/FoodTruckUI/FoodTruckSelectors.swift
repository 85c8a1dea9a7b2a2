public import FoodTruckData
public import Foundation
public import ImmutableData
import ImmutableUI

/// What screens of the food truck read from: a live store, or a place in a history.
public typealias FoodTruckSource = ImmutableData.Selector<FoodTruckState>
  & Streamer<FoodTruckState, FoodTruckAction> & AnyObject

/// Orders in an order, kept up to date: all of them, or the first few without sorting all.
///
/// They are searched for and joined in O(*n*) after each action that can change them, and sorted only if that changed
/// something.
@MainActor
public struct SelectOrdersValues<Source: FoodTruckSource> {
  private let selection: Selection<Source, FoodTruckState.Table<Order.ID, Order>, [Order]>

  /// Selects all orders that are searched for.
  ///
  /// - Parameters:
  ///   - source: What is read.
  ///   - searchText: What the order's id or the name of one of its donuts contains.
  ///   - comparators: What to sort by.
  public init<Comparators: Sequence<KeyPathComparator<Order>> & Sendable>(
    _ source: Source, searchText: String = "", using comparators: Comparators
  ) {
    selection = OrdersQuery(searchText: searchText, comparators: Array(comparators)).selection(of: source)
  }

  /// Selects all orders that are searched for, by one criterion.
  ///
  /// - Parameters:
  ///   - source: What is read.
  ///   - searchText: What the order's id or the name of one of its donuts contains.
  ///   - comparator: What to sort by.
  public init(_ source: Source, searchText: String = "", using comparator: KeyPathComparator<Order>) {
    self.init(source, searchText: searchText, using: [comparator])
  }

  /// Selects the first few orders that are searched for.
  ///
  /// - Parameters:
  ///   - source: What is read.
  ///   - searchText: What the order's id or the name of one of its donuts contains.
  ///   - count: How many at most.
  ///   - comparators: What to sort by.
  public init<Comparators: Sequence<KeyPathComparator<Order>> & Sendable>(
    _ source: Source, searchText: String = "", min count: Int, using comparators: Comparators
  ) {
    selection =
      OrdersQuery(searchText: searchText, count: count, comparators: Array(comparators)).selection(of: source)
  }

  /// Selects the first few orders that are searched for, by one criterion.
  ///
  /// - Parameters:
  ///   - source: What is read.
  ///   - searchText: What the order's id or the name of one of its donuts contains.
  ///   - count: How many at most.
  ///   - comparator: What to sort by.
  public init(
    _ source: Source, searchText: String = "", min count: Int, using comparator: KeyPathComparator<Order>
  ) {
    self.init(source, searchText: searchText, min: count, using: [comparator])
  }

  /// The orders as they were published last. Reading is observed.
  public var output: [Order] { selection.output }
}

/// The same with parameters that people change: the search text and the order of one window.
///
/// The parameters are local: no action and no log holds them.
@MainActor
public final class SelectOrders<Source: FoodTruckSource> {
  /// What is searched for.
  public var searchText: String
  /// What is sorted by.
  public var sortOrder: [KeyPathComparator<Order>]

  private let selection: Selection<Source, FoodTruckState.Table<Order.ID, Order>, [Order]>

  /// Makes a selector.
  ///
  /// - Parameters:
  ///   - source: What is read.
  ///   - searchText: What is searched for at first.
  ///   - sortOrder: What is sorted by at first.
  public init(_ source: Source, searchText: String = "", sortOrder: [KeyPathComparator<Order>]) {
    self.searchText = searchText
    self.sortOrder = sortOrder
    selection = OrdersQuery(searchText: searchText, comparators: sortOrder).selection(of: source)
  }

  /// The orders that are searched for now, as they were published last. Reading is observed.
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

  /// A comparator's own description is very long where there is no Objective-C.
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

/// The donuts of the gallery with their sales, kept up to date.
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

  /// The donuts as they were published last. Reading is observed.
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

/// The donuts that are ordered most, of a city that people choose, kept up to date.
@MainActor
public final class SelectTopDonuts<Source: FoodTruckSource> {
  /// The city; `nil` for all.
  public var cityID: City.ID?

  private let count: Int
  private let selection: Selection<Source, [DonutSales]>

  /// Makes a selector.
  ///
  /// - Parameters:
  ///   - source: What is read.
  ///   - cityID: The city at first; `nil` for all.
  ///   - count: How many donuts at most.
  public init(_ source: Source, cityID: City.ID? = nil, min count: Int = 5) {
    self.cityID = cityID
    self.count = count
    selection = Selection(
      source, id: cityID, label: "SelectTopDonuts(cityID: \(cityID ?? "nil"), min: \(count))",
      filter: FoodTruckFilter.filterSales(),
      outputSelector: OutputSelector(select: FoodTruckState.selectTopDonuts(cityID: cityID, min: count)))
  }

  /// The donuts as they were published last. Reading is observed.
  public var output: [DonutSales] {
    selection.update(
      id: cityID, label: "SelectTopDonuts(cityID: \(cityID ?? "nil"), min: \(count))",
      filter: FoodTruckFilter.filterSales(),
      outputSelector: OutputSelector(select: FoodTruckState.selectTopDonuts(cityID: cityID, min: count)))
    return selection.output
  }
}

/// A store that is brought to a state, with what keeps it up to date.
///
/// - SeeAlso: The FoodTruck walk-through of the ImmutableData guide (`PreviewStore`).
@MainActor
public final class PreviewStore {
  /// The store.
  public let store: Store<FoodTruckState, FoodTruckAction>

  private let listeners: (ModelListener, StoreListener<Never>)?

  /// Makes a store that mirrors a mutable model, a moment later, and tells it what people do. Nothing shows outside.
  ///
  /// - Parameter model: The model.
  public init(model: FoodTruckModel) {
    store = Store(initialState: FoodTruckState(), reducer: FoodTruckMirrorReducer.reduce)
    let listeners = (ModelListener(), StoreListener())
    listeners.0.listen(to: model, with: store)
    listeners.1.listen(to: store, with: model)
    self.listeners = listeners
  }

  /// Makes a store that holds orders and donuts.
  ///
  /// - Parameters:
  ///   - orders: The orders.
  ///   - donuts: The donuts.
  /// - Throws: What the reducer throws; it refuses none of the actions.
  public init(orders: [Order] = Order.previewArray, donuts: [Donut] = Donut.all) throws {
    store = Store(initialState: FoodTruckState(), reducer: FoodTruckReducer.reduce)
    listeners = nil
    try store.dispatch(action: .data(.modelListener(.didReceiveOrders(orders))))
    try store.dispatch(action: .data(.modelListener(.didReceiveDonuts(donuts))))
  }
}
