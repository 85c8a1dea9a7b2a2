/// The mutable model of the mirrored form as a value: tells which actions the mirrored form makes of what happened.
///
/// ``FoodTruckModel`` and its listeners do the same at their own time; here nothing is left out in between, so the result
/// is always the same.
public struct FoodTruckMirror: Sendable {
  private var orders: [Order] = []
  private var places: [Order.ID: Int] = [:]
  private var donuts: [Donut] = []

  /// Makes an empty model.
  public init() {}

  /// The actions of the mirrored form for one of the event-sourced form.
  ///
  /// - Returns: What people did, as it is, and the whole table that changed. None for activities, of which the mirrored
  ///   form says nothing.
  /// - Complexity: O(1), and O(size of the table) when a returned one is written.
  public mutating func actions(for action: FoodTruckAction) -> [FoodTruckAction] {
    switch action {
    case .ui(.orderDetailView(.onTapStatusButton(let orderID))):
      return [action] + change(orderID) { order in order.markAsNextStep { _ in } }
    case .ui(.ordersView(.onTapCompleteOrderButton(let orderID))):
      return [action] + change(orderID) { order in order.status = .completed }
    case .ui(.ordersView(.onTapAddOrderButton)):
      return [action]
    case .ui(.donutEditor(.onTapSaveDonutButton(let donut))):
      return [action] + save(donut)
    case .data(.modelListener(.didReceiveOrders(let orders))):
      self.orders = orders
      places = Dictionary(orders.indices.map { place in (orders[place].id, place) }) { _, last in last }
      return [action]
    case .data(.modelListener(.didReceiveDonuts(let donuts))):
      self.donuts = donuts
      return [action]
    case .data(.storeListener(.didPlaceOrder(let stored))):
      return place(Order(stored) { donutID in donuts.first { donut in donut.id == donutID } })
    case .data(.storeListener(.didStartActivity)), .data(.storeListener(.didEndActivity)):
      return []
    }
  }

  private mutating func place(_ order: Order) -> [FoodTruckAction] {
    if let place = places[order.id] {
      orders[place] = order
    } else {
      places[order.id] = orders.count
      orders.append(order)
    }
    return [table]
  }

  /// Tapping on an order that is not there reaches the model, which then tells nothing.
  private mutating func change(_ orderID: Order.ID, _ change: (inout Order) -> Void) -> [FoodTruckAction] {
    guard let place = places[orderID] else { return [] }
    change(&orders[place])
    return [table]
  }

  private mutating func save(_ donut: Donut) -> [FoodTruckAction] {
    if let place = donuts.firstIndex(where: { known in known.id == donut.id }) {
      donuts[place] = donut
    } else {
      donuts.append(donut)
    }
    return [.data(.modelListener(.didReceiveDonuts(donuts)))]
  }

  private var table: FoodTruckAction { .data(.modelListener(.didReceiveOrders(orders))) }
}
