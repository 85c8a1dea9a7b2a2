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
