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

/// The orders in which a gallery shows donuts.
public enum DonutSort: String, Hashable, Codable, Sendable, CaseIterable {
  /// In the order in which they were added to the menu: by id.
  case menu
  /// By name.
  case name
  /// The most sold donut first.
  case popularity

  /// The next order; the first one after the last.
  public var next: DonutSort {
    let index = Self.allCases.firstIndex(of: self) ?? 0
    return Self.allCases[(index + 1) % Self.allCases.count]
  }

  /// Sorts donuts; the id decides between equal ones.
  func sorted(_ donuts: [DonutSales]) -> [DonutSales] {
    switch self {
    case .menu: donuts.sorted { lhs, rhs in lhs.id < rhs.id }
    case .name: donuts.sorted { lhs, rhs in (lhs.donut.name, lhs.id) < (rhs.donut.name, rhs.id) }
    case .popularity: donuts.sorted(using: DonutSales.Popularity())
    }
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
