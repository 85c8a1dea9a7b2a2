public import Foundation

/// An order of donuts, as screens show it.
///
/// - SeeAlso: ``BackingData``, which is what is stored.
public struct Order: Hashable, Codable, Sendable, Identifiable {
  /// What identifies the order: `Order#` and its number.
  public let id: String
  /// How far it has come.
  public var status: OrderStatus
  /// What was ordered, each kind once.
  public var donuts: [Donut]
  /// How many of each kind were ordered.
  public var sales: [Donut.ID: Int]
  /// Where the truck stood.
  public let cityID: City.ID
  /// When it was placed.
  public let creationDate: Date

  /// Makes an order.
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
  /// What every id begins with.
  static let idPrefix = "Order#"

  /// Whether the customer has it.
  public var isComplete: Bool { status == .completed }

  /// The id without what all ids begin with.
  public var number: String { String(id.dropFirst(Self.idPrefix.count)) }

  /// How many donuts were ordered.
  ///
  /// Numbers from a log can be any; what is beyond the range of numbers is told as its end.
  public var donutCount: Int {
    sales.values.reduce(0) { sum, count in sum.addingSaturated(count) }
  }

  /// Whether the id contains a text, ignoring case.
  ///
  /// - Parameter searchText: The text. Every id contains the empty one.
  /// - Complexity: O(length of the id).
  public func matches(searchText: String) -> Bool {
    id.contains(ignoringCase: searchText)
  }

  /// Goes on to the next status, if there is one.
  ///
  /// - Parameter didChange: Is given the new status; it is not called when there is none.
  public mutating func markAsNextStep(_ didChange: (OrderStatus) -> Void) {
    guard let next = status.next else { return }
    status = next
    didChange(next)
  }
}

extension Int {
  /// The sum, or the number of the range that is nearest to it.
  func addingSaturated(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}
