public import Foundation

/// An order of donuts, as displayed by the screens.
public struct Order: Hashable, Codable, Sendable, Identifiable {
  /// The unique id of the order: `Order#` and its number.
  public let id: String
  /// The status of the order.
  public var status: OrderStatus
  /// The ordered donuts, each kind once.
  public var donuts: [Donut]
  /// The ordered number of each kind.
  public var sales: [Donut.ID: Int]
  /// The city in which it was placed.
  public let cityID: City.ID
  /// The time at which it was placed.
  public let creationDate: Date

  /// Creates an order.
  public init(
    id: String, status: OrderStatus, donuts: [Donut], sales: [Donut.ID: Int], cityID: City.ID, creationDate: Date
  ) {
    self.id = id
    self.status = status
    self.donuts = donuts
    self.sales = sales
    self.cityID = cityID
    self.creationDate = creationDate
  }
}

extension Order {
  static let idPrefix = "Order#"

  /// Whether the customer has the order.
  public var isComplete: Bool { status == .completed }

  /// The number of the order: its id without the prefix.
  public var number: String { String(id.dropFirst(Self.idPrefix.count)) }

  /// The number of ordered donuts.
  ///
  /// Counts from a log can have any value, so the sum saturates instead of trapping.
  public var donutCount: Int {
    sales.values.reduce(0) { sum, count in sum.addingSaturated(count) }
  }

  /// Whether the id contains a text, ignoring case.
  public func matches(searchText: String) -> Bool {
    id.contains(ignoringCase: searchText)
  }

  /// Advances to the next status, if there is one.
  public mutating func markAsNextStep(_ didChange: (OrderStatus) -> Void) {
    guard let next = status.next else { return }
    status = next
    didChange(next)
  }
}

extension Int {
  func addingSaturated(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}

/// The status of an order. The order of the cases is the sort order.
public enum OrderStatus: String, Hashable, Codable, Sendable, CaseIterable {
  case placed
  case preparing
  case ready
  case completed

  /// The next status for the status button; `nil` if there is none.
  ///
  /// No status is followed by ``ready``: an order can only be placed with it.
  public var next: OrderStatus? {
    switch self {
    case .placed: .preparing
    case .preparing: .completed
    case .ready, .completed: nil
    }
  }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension OrderStatus: Comparable {
  /// Whether the first status comes before the second one.
  public static func < (lhs: OrderStatus, rhs: OrderStatus) -> Bool { lhs.rank < rhs.rank }
}

extension Order {
  /// The stored form of an order. It contains the ids of the donuts, so it has no stale copy of an edited donut.
  ///
  /// Selectors join it with the table of donuts.
  public struct BackingData: Hashable, Codable, Sendable, Identifiable {
    /// The unique id of the order.
    public let id: String
    /// The status of the order.
    public var status: OrderStatus
    /// The ids of the ordered donuts, each kind once.
    public var donutIDs: [Donut.ID]
    /// The ordered number of each kind.
    public var sales: [Donut.ID: Int]
    /// The city in which it was placed.
    public let cityID: City.ID
    /// The time at which it was placed.
    public let creationDate: Date

    /// Creates the stored form from its fields.
    public init(
      id: String, status: OrderStatus, donutIDs: [Donut.ID], sales: [Donut.ID: Int], cityID: City.ID,
      creationDate: Date
    ) {
      self.id = id
      self.status = status
      self.donutIDs = donutIDs
      self.sales = sales
      self.cityID = cityID
      self.creationDate = creationDate
    }

    /// Creates the stored form of an order.
    public init(_ order: Order) {
      self.init(
        id: order.id, status: order.status, donutIDs: order.donuts.map(\.id), sales: order.sales,
        cityID: order.cityID, creationDate: order.creationDate)
    }
  }

  /// Creates an order from its stored form.
  init(_ stored: BackingData, donut: (Donut.ID) -> Donut?) {
    self.init(
      id: stored.id, status: stored.status, donuts: stored.donutIDs.compactMap(donut), sales: stored.sales,
      cityID: stored.cityID, creationDate: stored.creationDate)
  }
}

extension Order {
  /// The time of the first sample: 2026-11-21 09:00:00 UTC. The samples have fixed times, so results are reproducible.
  public static let previewDate = Date(timeIntervalSinceReferenceDate: 816_944_400)

  /// An order that can be picked up.
  public static let preview = sample(11, .ready, [2: 1, 10: 2, 11: 1], "harbour", minute: 11)

  /// Twelve orders for previews, oldest first.
  public static let previewArray = [
    sample(1, .completed, [1: 2, 3: 1], "harbour", minute: 0),
    sample(2, .completed, [6: 3], "harbour", minute: 1),
    sample(3, .ready, [4: 1, 5: 1, 12: 2], "harbour", minute: 2),
    sample(4, .completed, [7: 2], "harbour", minute: 4),
    sample(5, .preparing, [8: 1, 9: 1], "harbour", minute: 5),
    sample(6, .placed, [10: 4], "market", minute: 6),
    sample(7, .preparing, [1: 1, 2: 1, 3: 1, 4: 1], "market", minute: 7),
    sample(8, .placed, [11: 2], "market", minute: 8),
    sample(9, .placed, [3: 2, 7: 1], "market", minute: 9),
    // Same time as number 9: the id determines the order.
    sample(10, .placed, [5: 1], "market", minute: 9),
    preview,
    sample(12, .placed, [12: 1, 9: 2], "harbour", minute: 12),
  ]

  private static func sample(
    _ number: Int, _ status: OrderStatus, _ sales: [Donut.ID: Int], _ cityID: City.ID, minute: Double
  ) -> Order {
    Order(
      id: "\(idPrefix)\(number)", status: status, donuts: Donut.all.filter { donut in sales[donut.id] != nil },
      sales: sales, cityID: cityID, creationDate: previewDate + 60 * minute)
  }
}
