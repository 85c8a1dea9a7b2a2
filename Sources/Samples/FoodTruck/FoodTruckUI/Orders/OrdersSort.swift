public import FoodTruckData
public import Foundation

/// What people sort the list of orders by.
public enum OrdersSort: String, Hashable, Codable, Sendable, CaseIterable {
  /// The last status first, and in it the newest order: how the list opens.
  case status
  /// The newest order first.
  case newest
  /// The oldest order first.
  case oldest
  /// The order with the most donuts first.
  case donuts

  /// What people read.
  public var title: String { rawValue }

  /// The next one, around the end.
  public var next: OrdersSort {
    let place = Self.allCases.firstIndex(of: self) ?? 0
    return Self.allCases[(place + 1) % Self.allCases.count]
  }

  /// The criteria.
  public var comparators: [KeyPathComparator<Order>] {
    let newest = KeyPathComparator(\Order.creationDate, order: .reverse)
    return switch self {
    case .status: [KeyPathComparator(\Order.status, order: .reverse), newest]
    case .newest: [newest]
    case .oldest: [KeyPathComparator(\Order.creationDate)]
    case .donuts: [KeyPathComparator(\Order.donutCount, order: .reverse), newest]
    }
  }
}
