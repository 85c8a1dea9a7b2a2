import Foundation
import SampleSupport

/// A made-up history of the food truck in its event-sourced form, the same for the same seed on every platform.
///
/// It imitates a day at the counter: customers come by themselves or ask for an order; orders are prepared and handed
/// over; a donut gets another name now and then; somebody taps on what is done already. What the side effects tell (the
/// order that was made up, the activity that was started) comes a little later. About one action in four places an order,
/// so that the table grows to some 250 000 orders after 10⁶ actions.
///
/// The actions of a shorter workload are the beginning of a longer one with the same seed. None is refused.
public struct FoodTruckWorkload: Sequence, IteratorProtocol, Sendable {
  /// More than this many effects never wait: the fastest finger is not that fast.
  private static let pendingLimit = 4

  private var remaining: Int
  private let source: OrderSource
  var generator: SplitMix64
  /// The orders that are not complete.
  var open = LiveRows<Order.BackingData>()
  var donuts = Donut.all
  /// What the side effects have not told yet, oldest first.
  var effects: [Effect] = []
  var activities: Set<Order.ID> = []
  /// How many orders there are.
  var orderCount = 0
  var hasBegun = false

  /// Makes a workload.
  ///
  /// - Parameters:
  ///   - seed: Any number; it alone decides what happens.
  ///   - count: How many actions there are, at least 0.
  public init(seed: UInt64, count: Int) {
    precondition(count >= 0, "a workload cannot hold \(count) actions")
    generator = SplitMix64(seed: seed)
    source = OrderSource(seed: seed) { number in Order.previewDate + 45 * Double(number) }
    remaining = count
  }

  /// How many actions are left.
  public var underestimatedCount: Int { remaining }

  /// The next action, or `nil` after the last one.
  ///
  /// - Complexity: O(1) amortised. The workload keeps the orders that are not complete, O(n) memory in their number.
  public mutating func next() -> FoodTruckAction? {
    guard remaining > 0 else { return nil }
    remaining -= 1
    guard hasBegun else {
      hasBegun = true
      return .data(.modelListener(.didReceiveDonuts(donuts)))
    }
    if let effect = effects.first, effects.count == Self.pendingLimit || generator.chance(2, in: 3) {
      effects.removeFirst()
      return tell(effect)
    }
    return somebody()
  }

  private mutating func tell(_ effect: Effect) -> FoodTruckAction {
    switch effect {
    case .place: return placeOrder()
    case .start(let orderID):
      activities.insert(orderID)
      return .data(.storeListener(.didStartActivity(orderID: orderID)))
    case .end(let orderID):
      activities.remove(orderID)
      return .data(.storeListener(.didEndActivity(orderID: orderID)))
    }
  }

  mutating func placeOrder() -> FoodTruckAction {
    orderCount += 1
    let order = Order.BackingData(source.order(number: orderCount, donuts: donuts))
    open.put(order)
    return .data(.storeListener(.didPlaceOrder(order: order)))
  }
}

extension FoodTruckWorkload {
  /// What a side effect will tell.
  enum Effect: Sendable, Equatable {
    case place
    case start(Order.ID)
    case end(Order.ID)
  }
}
