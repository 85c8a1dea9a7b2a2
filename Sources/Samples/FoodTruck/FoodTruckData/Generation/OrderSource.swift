public import Foundation
public import ImmutableData
import TreeCollections

/// Where the orders of the event-sourced form come from: made up outside the reducer, and dispatched as finished values.
///
/// The order with a certain number is always the same one for a seed, so a truck that was stopped goes on as if nothing
/// had happened. The truck moves on to the next city after some orders.
public struct OrderSource: Sendable {
  /// How many orders are placed in one city before the truck moves on.
  private static let ordersPerCity = 8

  private let seed: UInt64
  private let date: @Sendable (_ number: Int) -> Date

  /// Makes a source.
  ///
  /// - Parameters:
  ///   - seed: Any number; it alone decides what is ordered.
  ///   - date: Returns when the order with a number is placed; now, when it is not given.
  public init(seed: UInt64 = 5, date: @escaping @Sendable (_ number: Int) -> Date = { _ in Date() }) {
    self.seed = seed
    self.date = date
  }

  /// Makes up the order with a number.
  ///
  /// - Parameters:
  ///   - number: The number, from 1.
  ///   - donuts: What can be ordered.
  public func order(number: Int, donuts: [Donut]) -> Order {
    // An odd factor other than the generator's own step, so that neighbours do not share their numbers.
    let mixed = seed ^ (UInt64(bitPattern: Int64(number)) &* 0xD134_2543_DE82_EF95)
    var generator = SeededRandomGenerator(seed: mixed)
    return OrderGenerator(knownDonuts: donuts, cityID: Self.cityID(number: number))
      .generateOrder(number: number, date: date(number), generator: &generator)
  }

  /// Places the next order.
  ///
  /// - Parameter store: The store. Its state of this moment says which number is free.
  /// - Throws: The reducer's error.
  /// - Complexity: O(number of donuts), and that of dispatching.
  @MainActor public func placeOrder<Store>(in store: Store) throws
  where Store: Dispatcher<FoodTruckState, FoodTruckAction> & ImmutableData.Selector<FoodTruckState> {
    let order = store.select { state in
      // Nobody deletes orders, but a table that came as a whole can have numbers of its own.
      var number = state.orders.count + 1
      while state.orders["\(Order.idPrefix)\(number)"] != nil { number += 1 }
      return self.order(number: number, donuts: FoodTruckState.selectDonutsValues()(state))
    }
    try store.dispatch(action: .data(.storeListener(.didPlaceOrder(order: Order.BackingData(order)))))
  }

  private static func cityID(number: Int) -> City.ID {
    City.all[(max(1, number) - 1) / ordersPerCity % City.all.count].id
  }
}
