#if canImport(SwiftUI)
public import FoodTruckData
import ImmutableUI
public import SwiftUI

/// The statuses of some orders. Unknown ids are skipped.
///
/// - SeeAlso: The FoodTruck walk-through of the ImmutableData guide.
@MainActor @propertyWrapper public struct SelectOrdersStatuses: DynamicProperty {
  @ImmutableUI.Selector<FoodTruckStore, [Order.ID: OrderStatus]> private var statuses: [Order.ID: OrderStatus]

  /// Creates a property for the orders with these ids.
  public init(orderIDs: Set<Order.ID>) {
    _statuses = ImmutableUI.Selector(
      id: orderIDs, label: "SelectOrdersStatuses(orderIDs: \(orderIDs.sorted()))",
      filter: FoodTruckFilter.filterOrders(),
      outputSelector: FoodTruckState.selectOrdersStatuses(orderIDs: orderIDs))
  }

  /// The statuses at the last update.
  public var wrappedValue: [Order.ID: OrderStatus] { statuses }
}

/// The statuses of orders that the user selects.
@MainActor @propertyWrapper public struct SelectStatuses {
  @ImmutableUI.Selector<FoodTruckStore, [Order.ID: OrderStatus]> private var statuses: [Order.ID: OrderStatus]
  @SwiftUI.State private var selection: Set<Order.ID> = []

  /// Creates a property without orders.
  public init() {
    _statuses = ImmutableUI.Selector(
      id: Set<Order.ID>(), outputSelector: FoodTruckState.selectOrdersStatuses(orderIDs: []))
  }

  /// The statuses at the last update.
  public var wrappedValue: [Order.ID: OrderStatus] { statuses }

  /// The ids of the orders.
  public var projectedValue: Set<Order.ID> {
    get { selection }
    nonmutating set { selection = newValue }
  }
}

// SwiftUI updates on the main actor only, as for `ImmutableUI.Selector`.
extension SelectStatuses: @preconcurrency DynamicProperty {
  /// Passes the ids to the selection.
  public mutating func update() {
    let selection = selection
    _statuses.update(
      id: selection, label: "SelectOrdersStatuses(orderIDs: \(selection.sorted()))",
      filter: FoodTruckFilter.filterOrders(),
      outputSelector: FoodTruckState.selectOrdersStatuses(orderIDs: selection))
  }
}
#endif
