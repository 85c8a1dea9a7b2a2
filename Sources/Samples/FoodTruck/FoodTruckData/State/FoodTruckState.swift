public import TreeCollections

/// The whole state of the food truck: orders, donuts, and the activities that were started for orders.
///
/// The fields are private to the package; people read them through the selectors.
///
/// Orders are kept without their donuts, whichever form of the actions filled the table: every selector that returns an
/// order joins it with the donuts of this moment anyway.
///
/// - SeeAlso: The FoodTruck walk-through of the ImmutableData guide.
public struct FoodTruckState: Hashable, Codable, Sendable {
  package var orders: Table<Order.ID, Order.BackingData>
  package var donuts: Table<Donut.ID, Donut>
  /// The orders for which an activity runs.
  package var activities: Set<Order.ID>

  package init(
    orders: Table<Order.ID, Order.BackingData>, donuts: Table<Donut.ID, Donut>, activities: Set<Order.ID> = []
  ) {
    self.orders = orders
    self.donuts = donuts
    self.activities = activities
  }

  /// Makes the state before any action: empty tables.
  public init() {
    self.init(orders: [:], donuts: [:])
  }
}

extension FoodTruckState {
  /// How the tables of the state are stored, named in this one place.
  ///
  /// A live store holds the old state while it makes the new one. A `Dictionary` would be copied as a whole at every
  /// action then; of a `TreeDictionary` a few nodes are. Both have one coded form.
  public typealias Table<Key: Hashable, Value> = TreeDictionary<Key, Value>
}

extension TreeDictionary where Value: Identifiable, Key == Value.ID {
  /// Makes a table of rows. Of rows with one id the last one wins: data never traps.
  ///
  /// - Complexity: O(number of rows).
  package init(_ values: some Sequence<Value>) {
    self.init()
    for value in values { self[value.id] = value }
  }
}
