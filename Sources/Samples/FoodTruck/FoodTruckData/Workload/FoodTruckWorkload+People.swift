import SampleSupport

// What people do.

extension FoodTruckWorkload {
  private static let names = ["Old Favourite", "Chef's Choice", "Café \"Noir\"", "Frühling", "三色", "Two\tTabs", ""]

  mutating func somebody() -> FoodTruckAction {
    if open.isEmpty { return placeOrder() }
    // In thousandths. Each order takes two taps, so that about as many are finished as are placed.
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

  /// The button of an order goes on with it.
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

  /// A tap on an order that is complete already, or that never was.
  private mutating func tapOnNothing() -> FoodTruckAction {
    let number = generator.next(below: orderCount + 2)
    let orderID = "\(Order.idPrefix)\(number)"
    guard open[orderID] == nil else { return tapStatus() }
    return .ui(.orderDetailView(.onTapStatusButton(orderID: orderID)))
  }

  private mutating func saveDonut() -> FoodTruckAction {
    let place = generator.next(below: donuts.count)
    donuts[place].name = generator.element(of: Self.names)
    return .ui(.donutEditor(.onTapSaveDonutButton(donut: donuts[place])))
  }

  private mutating func put(_ order: Order.BackingData) {
    if order.status == .completed {
      open.remove(id: order.id)
    } else {
      open.put(order)
    }
  }

  private mutating func end(_ orderID: Order.ID) {
    // An activity that starts only now ends after it started: effects keep their order.
    if activities.contains(orderID) || effects.contains(.start(orderID)) { effects.append(.end(orderID)) }
  }
}
