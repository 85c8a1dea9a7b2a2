import Foundation

/// A donut, and how many of it were sold.
public struct DonutSales: Hashable, Sendable, Identifiable {
  /// The donut.
  public let donut: Donut
  /// How many were sold.
  public let count: Int

  /// The id of the donut.
  public var id: Donut.ID { donut.id }

  package init(donut: Donut, count: Int) {
    self.donut = donut
    self.count = count
  }
}

extension DonutSales {
  /// What is sold most comes first; the id decides between equals.
  struct Popularity: SortComparator {
    var order = SortOrder.forward

    func compare(_ lhs: DonutSales, _ rhs: DonutSales) -> ComparisonResult {
      if lhs.count == rhs.count && lhs.id == rhs.id { return .orderedSame }
      let comesBefore = lhs.count == rhs.count ? lhs.id < rhs.id : lhs.count > rhs.count
      return comesBefore == (order == .forward) ? .orderedAscending : .orderedDescending
    }
  }
}
