import Foundation
import TreeCollections

extension FoodTruckState {
  /// A selector of all donuts, in ascending order of their ids.
  public static func selectDonutsValues() -> @Sendable (Self) -> [Donut] {
    { state in state.donuts.values.sorted { lhs, rhs in lhs.id < rhs.id } }
  }

  /// A selector of one donut.
  public static func selectDonut(donutID: Donut.ID?) -> @Sendable (Self) -> Donut? {
    { state in donutID.flatMap { id in state.donuts[id] } }
  }

  /// A selector of an unused id for a new donut; `nil` if the largest number is used.
  public static func selectNewDonutID() -> @Sendable (Self) -> Donut.ID? {
    { state in
      let (id, overflow) = (state.donuts.keys.max() ?? 0).addingReportingOverflow(1)
      return overflow ? nil : id
    }
  }

  /// A selector of the donuts of a gallery, each with its number of orders, which can be 0.
  public static func selectDonutSales(
    searchText: String = "", sort: DonutSort = .menu
  ) -> @Sendable (Self) -> [DonutSales] {
    { state in
      let sales = selectSales()(state)
      return sort.sorted(
        state.donuts.values.filter { donut in donut.matches(searchText: searchText) }.map { donut in
          DonutSales(donut: donut, count: sales[donut.id] ?? 0)
        })
    }
  }

  /// A selector of the ordered number of each donut.
  public static func selectSales(cityID: City.ID? = nil) -> @Sendable (Self) -> [Donut.ID: Int] {
    { state in
      var sales: [Donut.ID: Int] = [:]
      for order in state.orders.values where cityID == nil || order.cityID == cityID {
        for (donutID, count) in order.sales {
          sales[donutID] = sales[donutID, default: 0].addingSaturated(count)
        }
      }
      return sales
    }
  }

  /// A selector of the most ordered donuts, which does not sort all donuts.
  ///
  /// The result omits donuts that are not in the table or were never ordered.
  public static func selectTopDonuts(
    cityID: City.ID? = nil, min count: Int
  ) -> @Sendable (Self) -> [DonutSales] {
    { state in
      selectSales(cityID: cityID)(state).lazy
        .compactMap { donutID, count in state.donuts[donutID].map { donut in DonutSales(donut: donut, count: count) } }
        .min(count: count, using: DonutSales.popularity)
    }
  }
}

extension CaseIterable where Self: Equatable, AllCases == [Self] {
  /// The next value; after the last one, the first.
  package var nextCase: Self {
    let index = Self.allCases.firstIndex(of: self) ?? 0
    return Self.allCases[(index + 1) % Self.allCases.count]
  }
}

/// A donut and the number sold.
public struct DonutSales: Hashable, Sendable, Identifiable {
  /// The donut.
  public let donut: Donut
  /// The number sold.
  public let count: Int

  /// The id of the donut.
  public var id: Donut.ID { donut.id }
}

/// The sort order of donuts in a gallery.
public enum DonutSort: String, Hashable, Codable, Sendable, CaseIterable {
  /// By id: the order in which donuts were added to the menu.
  case menu
  case name
  /// By number sold, descending.
  case popularity

  /// Sorts donuts. Equal donuts are in ascending order of their ids.
  func sorted(_ donuts: [DonutSales]) -> [DonutSales] {
    switch self {
    case .menu: donuts.sorted { lhs, rhs in lhs.id < rhs.id }
    case .name: donuts.sorted { lhs, rhs in (lhs.donut.name, lhs.id) < (rhs.donut.name, rhs.id) }
    case .popularity: donuts.sorted(using: DonutSales.popularity)
    }
  }
}

extension DonutSales {
  /// By number sold, descending, and then by id.
  static let popularity = [KeyPathComparator(\Self.count, order: .reverse), KeyPathComparator(\Self.id)]
}
