public import Foundation
import ImmutableData
package import Platform
import SampleSupport
import TreeCollections

/// Generates the orders of the event-sourced form outside the reducer, and dispatches them as complete values.
///
/// An order depends only on the seed and its number, so the sequence of orders continues after a restart. The truck
/// moves to the next city after some orders.
public struct OrderSource: Sendable {
  private static let ordersPerCity = 8

  private let seed: UInt64
  private let date: @Sendable (_ number: Int) -> Date

  /// Creates a source.
  public init(seed: UInt64 = 5, date: @escaping @Sendable (_ number: Int) -> Date = { _ in Date() }) {
    self.seed = seed
    self.date = date
  }

  /// Generates the order with a number.
  public func order(number: Int, donuts: [Donut]) -> Order {
    // An odd factor that differs from the generator's increment, so consecutive orders have unrelated random numbers.
    let mixed = seed ^ (UInt64(bitPattern: Int64(number)) &* 0xD134_2543_DE82_EF95)
    var generator = SplitMix64(seed: mixed)
    return OrderGenerator(knownDonuts: donuts, cityID: Self.cityID(number: number))
      .generateOrder(number: number, date: date(number), generator: &generator)
  }

  /// Places the next order.
  @MainActor public func placeOrder(in store: some FoodTruckDispatcher) throws {
    let order = store.select { state in
      // Orders are never deleted, but a received table can contain any numbers.
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

/// Generates orders from random numbers.
public struct OrderGenerator: Sendable {
  /// The maximum number of kinds of donuts in an order.
  private static let kindLimit = 4
  /// The maximum number of each kind.
  private static let countLimit = 3

  private let knownDonuts: [Donut]
  private let cityID: City.ID

  /// Creates a generator.
  public init(knownDonuts: [Donut], cityID: City.ID = City.all[0].id) {
    self.knownDonuts = knownDonuts
    self.cityID = cityID
  }

  package func generateOrder(number: Int, date: Date, generator: inout SplitMix64) -> Order {
    var remaining = knownDonuts
    var donuts: [Donut] = []
    var sales: [Donut.ID: Int] = [:]
    for _ in 0..<min(1 + generator.next(below: Self.kindLimit), knownDonuts.count) {
      let donut = remaining.remove(at: generator.next(below: remaining.count))
      donuts.append(donut)
      sales[donut.id] = 1 + generator.next(below: Self.countLimit)
    }
    return Order(
      id: "\(Order.idPrefix)\(number)", status: .placed, donuts: donuts, sales: sales, cityID: cityID,
      creationDate: date)
  }
}

extension SplitMix64 {
  /// Returns a duration within a range of seconds, in milliseconds.
  mutating func seconds(in range: ClosedRange<Int>) -> Duration {
    .milliseconds(1_000 * range.lowerBound + next(below: 1_000 * (range.upperBound - range.lowerBound) + 1))
  }
}
