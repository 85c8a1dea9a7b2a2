import ActionLog
public import EventSourcing

/// A projection of the food truck's log: the sales of each city by day.
///
/// The model's state keeps orders; this keeps only their sums, so it stays small however long the log is.
public enum CitySales: Projection {
  /// The event-sourced food truck.
  public typealias Source = FoodTruckLog

  /// The name, for `action-log state LOG --projection city-sales`.
  public static let name = "city-sales"
  /// The version of ``State`` and ``apply(_:to:)``.
  public static let version = 1
  /// No sales.
  public static let initialState = State()

  /// The sales of one city on one day.
  public struct Sales: Hashable, Codable, Sendable {
    /// The number of orders.
    public var orders = 0
    /// The number of donuts in them.
    public var donuts = 0

    /// Creates the sales of a day without orders.
    public init() {}
  }

  /// The sales of all cities.
  public struct State: Hashable, Codable, Sendable {
    /// The sales by city and by day. A day is a date in UTC, such as `2026-11-21`.
    public var cities: [City.ID: [String: Sales]] = [:]

    /// Creates a state without sales.
    public init() {}
  }

  /// Counts the orders that were placed, on the days on which they were recorded.
  public static func apply(_ recorded: ProjectedAction<FoodTruckAction>, to state: inout State) {
    guard case .data(.storeListener(.didPlaceOrder(let order))) = recorded.action else { return }
    let day = String(recorded.time.description.prefix(10))
    var sales = state.cities[order.cityID]?[day] ?? Sales()
    sales.orders = sales.orders.addingSaturated(1)
    sales.donuts = order.sales.values.reduce(sales.donuts) { sum, count in sum.addingSaturated(count) }
    state.cities[order.cityID, default: [:]][day] = sales
  }
}

extension CitySales.State {
  /// The sales of one city on one day, with their names.
  public struct Row: Hashable, Sendable, Identifiable {
    /// The id of the city.
    public let cityID: City.ID
    /// The date in UTC.
    public let day: String
    /// The sales.
    public let sales: CitySales.Sales

    /// The city and the day.
    public var id: String { day + " " + cityID }
  }

  /// The rows of a table: the newest day first, and the cities of a day by id.
  public var rows: [Row] {
    cities.flatMap { cityID, days in days.map { day, sales in Row(cityID: cityID, day: day, sales: sales) } }
      .sorted { first, second in (second.day, first.cityID) < (first.day, second.cityID) }
  }
}
