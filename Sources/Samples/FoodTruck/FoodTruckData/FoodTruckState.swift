public import TreeCollections

/// The state of the food truck: orders, donuts, and the orders with a running activity.
///
/// The fields are private to the package; other code reads them through the selectors.
///
/// Both forms of actions store orders without their donuts: every selector that returns an order joins it with the
/// current donuts.
///
/// - SeeAlso: The FoodTruck walk-through of the ImmutableData guide.
public struct FoodTruckState: Hashable, Codable, Sendable {
  package var orders: Table<Order.ID, Order.BackingData>
  package var donuts: Table<Donut.ID, Donut>
  /// The orders with a running activity.
  package var activities: Set<Order.ID>

  package init(
    orders: Table<Order.ID, Order.BackingData>, donuts: Table<Donut.ID, Donut>, activities: Set<Order.ID> = []
  ) {
    self.orders = orders
    self.donuts = donuts
    self.activities = activities
  }

  /// Creates the state before any action: empty tables.
  public init() {
    self.init(orders: [:], donuts: [:])
  }
}

extension FoodTruckState {
  /// The type of the state's tables.
  ///
  /// A live store holds the old state while it computes the new one. A `Dictionary` would then be copied completely at
  /// every action; a `TreeDictionary` copies a few nodes. Both are encoded in the same form.
  public typealias Table<Key: Hashable, Value> = TreeDictionary<Key, Value>
}

extension TreeDictionary where Value: Identifiable, Key == Value.ID {
  /// Creates a table of rows. The last of several rows with the same id wins; `init(uniqueKeysWithValues:)` would trap.
  ///
  /// - Complexity: O(*n*) in the number of rows.
  package init(_ values: some Sequence<Value>) {
    self.init()
    for value in values { self[value.id] = value }
  }
}
