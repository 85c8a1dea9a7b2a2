#if canImport(SwiftUI)
import FoodTruckData
import FoodTruckUI
import ImmutableUI
import SwiftUI

/// The orders that match a text, sorted: all of them, or the first few without sorting all.
@MainActor @propertyWrapper struct SelectOrdersValues: DynamicProperty {
  @ImmutableUI.Selector<FoodTruckStore, FoodTruckQuery.Orders, [Order]> var wrappedValue: [Order]

  init(searchText: String = "", using comparators: [KeyPathComparator<Order>]) {
    _wrappedValue = ImmutableUI.Selector(FoodTruckQuery.orders(searchText: searchText, using: comparators))
  }

  init(searchText: String = "", min count: Int, using comparators: [KeyPathComparator<Order>]) {
    _wrappedValue = ImmutableUI.Selector(FoodTruckQuery.orders(searchText: searchText, min: count, using: comparators))
  }
}

/// The orders that match a text that the user changes, in an order that the user changes.
///
/// The parameters are local to the view: no action and no log contains them.
@MainActor @propertyWrapper struct SelectOrders {
  @ImmutableUI.Selector<FoodTruckStore, FoodTruckQuery.Orders, [Order]> var wrappedValue: [Order]
  @SwiftUI.State private var search: Search

  private struct Search {
    var text = ""
    var comparators: [KeyPathComparator<Order>]

    var parameters: SelectorParameters<FoodTruckState, FoodTruckAction, FoodTruckQuery.Orders, [Order]> {
      FoodTruckQuery.orders(searchText: text, using: comparators)
    }
  }

  init(sortOrder: [KeyPathComparator<Order>]) {
    let search = Search(comparators: sortOrder)
    _search = SwiftUI.State(wrappedValue: search)
    _wrappedValue = ImmutableUI.Selector(search.parameters)
  }

  /// The property itself, to change its parameters.
  var projectedValue: Self { self }

  /// The text that the order's id or the name of one of its donuts contains.
  var searchText: String {
    get { search.text }
    nonmutating set { search.text = newValue }
  }

  /// The values to sort by.
  var sortOrder: [KeyPathComparator<Order>] {
    get { search.comparators }
    nonmutating set { search.comparators = newValue }
  }
}

// SwiftUI updates on the main actor only, as for `ImmutableUI.Selector`.
extension SelectOrders: @preconcurrency DynamicProperty {
  /// Passes the parameters to the selection.
  mutating func update() { _wrappedValue.update(search.parameters) }
}

/// The statuses of orders that the user selects.
@MainActor @propertyWrapper struct SelectStatuses {
  @ImmutableUI.Selector<FoodTruckStore, [Order.ID: OrderStatus]> var wrappedValue: [Order.ID: OrderStatus]
  @SwiftUI.State private var selection: Set<Order.ID> = []

  init() {
    _wrappedValue = ImmutableUI.Selector(FoodTruckQuery.statuses(orderIDs: []))
  }

  /// The ids of the orders.
  var projectedValue: Set<Order.ID> {
    get { selection }
    nonmutating set { selection = newValue }
  }
}

// SwiftUI updates on the main actor only, as for `ImmutableUI.Selector`.
extension SelectStatuses: @preconcurrency DynamicProperty {
  /// Passes the ids to the selection.
  mutating func update() { _wrappedValue.update(FoodTruckQuery.statuses(orderIDs: selection)) }
}
#endif
