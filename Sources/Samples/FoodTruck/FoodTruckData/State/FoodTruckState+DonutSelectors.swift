import TreeCollections

extension FoodTruckState {
  /// A selector of all donuts, in ascending order of their ids.
  ///
  /// - Complexity: O(*n* log *n*).
  public static func selectDonutsValues() -> @Sendable (Self) -> [Donut] {
    { state in state.donuts.values.sorted { lhs, rhs in lhs.id < rhs.id } }
  }

  /// A selector of one donut.
  ///
  /// - Parameter donutID: Its id; `nil` selects nothing.
  /// - Complexity: O(1).
  public static func selectDonut(donutID: Donut.ID?) -> @Sendable (Self) -> Donut? {
    { state in donutID.flatMap { id in state.donuts[id] } }
  }

  /// A selector of an unused id for a new donut; `nil` if the largest number is used.
  ///
  /// - Complexity: O(number of donuts).
  public static func selectNewDonutID() -> @Sendable (Self) -> Donut.ID? {
    { state in
      let (id, overflow) = (state.donuts.keys.max() ?? 0).addingReportingOverflow(1)
      return overflow ? nil : id
    }
  }

  /// A selector of all donuts of a gallery, each with the number that was ordered, also 0.
  ///
  /// - Parameters:
  ///   - searchText: Text that the names contain, ignoring case. The empty text selects all.
  ///   - sort: The order.
  /// - Complexity: O(*n* + *d* log *d*) for *n* orders and *d* donuts.
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

  /// A selector of how many of each donut were ordered.
  ///
  /// - Parameter cityID: The city in which they were; `nil` for all cities.
  /// - Complexity: O(*n*) in the number of orders.
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

  /// A selector of the donuts that are ordered most, without sorting all.
  ///
  /// Donuts that are not in the table, or were never ordered, are not among them.
  ///
  /// - Parameters:
  ///   - cityID: The city in which they were ordered; `nil` for all cities.
  ///   - count: How many donuts at most.
  /// - Complexity: O(*n* + *d* log(count)) for *n* orders and *d* donuts.
  public static func selectTopDonuts(
    cityID: City.ID? = nil, min count: Int
  ) -> @Sendable (Self) -> [DonutSales] {
    { state in
      selectSales(cityID: cityID)(state).lazy
        .compactMap { donutID, count in state.donuts[donutID].map { donut in DonutSales(donut: donut, count: count) } }
        .min(count: count, using: DonutSales.Popularity())
    }
  }
}
