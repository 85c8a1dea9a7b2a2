public import TreeCollections

/// The state of the food truck: orders, donuts, and the orders with a running activity.
///
/// The fields are private to the package; other code reads them through the selectors.
///
/// Both forms of actions store orders without their donuts: every selector that returns an order joins it with the
/// current donuts.
public struct FoodTruckState: Hashable, Codable, Sendable {
  package var orders: Table<Order.ID, Order.BackingData> = [:]
  package var donuts: Table<Donut.ID, Donut> = [:]
  /// The orders with a running activity.
  package var activities: Set<Order.ID> = []

  /// Creates the state before any action: empty tables.
  public init() {}
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
  package init(_ values: some Sequence<Value>) {
    self.init()
    for value in values { self[value.id] = value }
  }
}

/// The truck: its name and current city.
public struct Truck: Hashable, Codable, Sendable {
  /// The displayed name.
  public var name: String
  /// The id of the current city.
  public var cityID: City.ID

  /// Creates a truck.
  public init(name: String = "The Rolling Ring", cityID: City.ID = City.all[0].id) {
    self.name = name
    self.cityID = cityID
  }
}

/// A city that the food truck serves.
public struct City: Hashable, Codable, Sendable, Identifiable {
  /// The unique id of the city.
  public let id: String
  /// The displayed name.
  public let name: String
}

extension City {
  /// All cities, in the order in which the truck visits them.
  public static let all = [
    City(id: "harbour", name: "Old Harbour"),
    City(id: "hills", name: "Seven Hills"),
    City(id: "market", name: "Market Cross"),
    City(id: "mill", name: "Millbrook"),
  ]

  /// Returns the name of a city; the id of an unknown one, which can be in a log.
  package static func name(of id: City.ID) -> String { all.first { city in city.id == id }?.name ?? id }
}

/// Filters that decide in constant time, from the old state and the action, whether a selection can change.
///
/// A filter that is wrong loses updates silently; each filter is tested against every action. These filters include
/// every action that the mirrored form's filter includes, so a screen that uses them works with both forms.
public enum FoodTruckFilter {
  /// Returns a filter for actions that can change orders, or the donuts that are joined with them.
  public static func filterOrders() -> @Sendable (FoodTruckState, FoodTruckAction) -> Bool {
    { _, action in
      switch action {
      case .ui(.orderDetailView(.onTapStatusButton)),
        .ui(.ordersView(.onTapCompleteOrderButton)),
        .ui(.donutEditor(.onTapSaveDonutButton)),
        .data(.modelListener),
        .data(.storeListener(.didPlaceOrder)):
        true
      case .ui(.ordersView(.onTapAddOrderButton)),
        .data(.storeListener(.didStartActivity)),
        .data(.storeListener(.didEndActivity)):
        false
      }
    }
  }

  /// Returns a filter for actions that can change the sales, or the names of donuts.
  public static func filterSales() -> @Sendable (FoodTruckState, FoodTruckAction) -> Bool {
    { _, action in
      switch action {
      case .ui(.donutEditor(.onTapSaveDonutButton)),
        .data(.modelListener),
        .data(.storeListener(.didPlaceOrder)):
        true
      case .ui(.orderDetailView), .ui(.ordersView),
        .data(.storeListener(.didStartActivity)),
        .data(.storeListener(.didEndActivity)):
        false
      }
    }
  }

  /// Returns a filter for actions that start or end activities.
  public static func filterActivities() -> @Sendable (FoodTruckState, FoodTruckAction) -> Bool {
    { _, action in
      switch action {
      case .data(.storeListener(.didStartActivity)), .data(.storeListener(.didEndActivity)): true
      case .ui, .data(.modelListener), .data(.storeListener(.didPlaceOrder)): false
      }
    }
  }
}

/// The filter of the mirrored form in the walk-through.
public enum FoodTruckMirrorFilter {
  /// Returns a filter for complete tables, including the table of donuts, which changes orders through the join.
  public static func filterOrders() -> @Sendable (FoodTruckState, FoodTruckAction) -> Bool {
    { _, action in
      switch action {
      case .data(.modelListener): true
      case .ui, .data(.storeListener): false
      }
    }
  }
}
