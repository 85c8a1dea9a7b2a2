public import Foundation

/// Makes up orders, the same for the same numbers.
public struct OrderGenerator: Sendable {
  /// An order has at most this many kinds of donuts: as many as one box has rows.
  private static let kindLimit = 4
  /// And of each kind at most this many.
  private static let countLimit = 3

  private let knownDonuts: [Donut]
  private let cityID: City.ID

  /// Makes a generator.
  ///
  /// - Parameters:
  ///   - knownDonuts: What can be ordered; without any, orders are empty.
  ///   - cityID: Where the truck stands.
  public init(knownDonuts: [Donut], cityID: City.ID = City.all[0].id) {
    self.knownDonuts = knownDonuts
    self.cityID = cityID
  }

  /// Makes up a placed order.
  ///
  /// - Parameters:
  ///   - number: Its number, which its id is made of.
  ///   - date: When it is placed.
  ///   - generator: Where the choices come from.
  /// - Complexity: O(1), besides a copy of the list of donuts.
  public func generateOrder(number: Int, date: Date, generator: inout SeededRandomGenerator) -> Order {
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
