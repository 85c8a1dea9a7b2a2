import Foundation
import Platform
import SampleSupport

/// A generated sequence of actions for the event-sourced food truck; equal seeds give equal actions on every platform.
///
/// It simulates a day at the counter: orders are placed by customers or with the button, prepared and completed; donuts
/// are sometimes renamed; some taps are on completed orders. Results of side effects (a generated order, a started
/// activity) follow with a delay. About one action in four places an order, so the table grows to some 250 000 orders
/// after 10⁶ actions.
///
/// The sequence is infinite: take a prefix. No action is refused.
public struct FoodTruckWorkload: Sequence, IteratorProtocol, Sendable {
  /// The maximum number of pending effects: users do not tap faster than that.
  private static let pendingLimit = 4

  private let source: OrderSource
  var generator: SplitMix64
  var open = LiveRows<Order.BackingData>()
  var donuts = Donut.all
  /// The effects whose results are pending, oldest first.
  var effects: [Effect] = []
  var activities: Set<Order.ID> = []
  var orderCount = 0
  var hasBegun = false

  /// Creates a workload.
  public init(seed: UInt64) {
    generator = SplitMix64(seed: seed)
    source = OrderSource(seed: seed) { number in Order.previewDate + 45 * Double(number) }
  }

  /// The next action. It is never `nil`.
  public mutating func next() -> FoodTruckAction? {
    guard hasBegun else {
      hasBegun = true
      return .data(.modelListener(.didReceiveDonuts(donuts)))
    }
    if let effect = effects.first, effects.count == Self.pendingLimit || generator.chance(2, in: 3) {
      effects.removeFirst()
      return result(of: effect)
    }
    return userAction()
  }

  private mutating func result(of effect: Effect) -> FoodTruckAction {
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
  /// A side effect with a pending result.
  enum Effect: Sendable, Equatable {
    case place
    case start(Order.ID)
    case end(Order.ID)
  }
}

// MARK: - Actions of the user

extension FoodTruckWorkload {
  private static let names = ["Old Favourite", "Chef's Choice", "Café \"Noir\"", "Frühling", "三色", "Two\tTabs", ""]

  mutating func userAction() -> FoodTruckAction {
    if open.isEmpty { return placeOrder() }
    // Probabilities in thousandths. An order takes two taps, so about as many orders are completed as are placed.
    switch generator.next(below: 1_000) {
    case ..<300: return placeOrder()
    case ..<380:
      effects.append(.place)
      return .ui(.ordersView(.onTapAddOrderButton))
    case ..<385: return saveDonut()
    case ..<395: return tapOnNothing()
    case ..<900: return tapStatus()
    default: return complete()
    }
  }

  private mutating func tapStatus() -> FoodTruckAction {
    var order = open.pick(using: &generator)
    if order.status == .placed { effects.append(.start(order.id)) }
    if order.status == .preparing { end(order.id) }
    order.status = order.status.next ?? order.status
    put(order)
    return .ui(.orderDetailView(.onTapStatusButton(orderID: order.id)))
  }

  private mutating func complete() -> FoodTruckAction {
    var order = open.pick(using: &generator)
    end(order.id)
    order.status = .completed
    put(order)
    return .ui(.ordersView(.onTapCompleteOrderButton(orderID: order.id)))
  }

  /// A tap on an order that is complete or does not exist.
  private mutating func tapOnNothing() -> FoodTruckAction {
    let number = generator.next(below: orderCount + 2)
    let orderID = "\(Order.idPrefix)\(number)"
    guard open[orderID] == nil else { return tapStatus() }
    return .ui(.orderDetailView(.onTapStatusButton(orderID: orderID)))
  }

  private mutating func saveDonut() -> FoodTruckAction {
    let index = generator.next(below: donuts.count)
    donuts[index].name = generator.element(of: Self.names)
    return .ui(.donutEditor(.onTapSaveDonutButton(donut: donuts[index])))
  }

  private mutating func put(_ order: Order.BackingData) {
    if order.status == .completed {
      open.remove(id: order.id)
    } else {
      open.put(order)
    }
  }

  private mutating func end(_ orderID: Order.ID) {
    // A pending activity also has to end; effects keep their order, so it starts first.
    if activities.contains(orderID) || effects.contains(.start(orderID)) { effects.append(.end(orderID)) }
  }
}
