import FoodTruckData
import Foundation
import TreeCollections

extension FoodTruckState {
  /// Returns a state with lists of rows.
  static func with(
    _ orders: [Order], donuts: [Donut] = Donut.all, activities: Set<Order.ID> = []
  ) -> FoodTruckState {
    var state = FoodTruckState()
    state.orders = Table(orders.map { order in Order.BackingData(order) })
    state.donuts = Table(donuts)
    state.activities = activities
    return state
  }

  /// The samples, with an activity for the fifth order.
  static let samples = FoodTruckState.with(Order.previewArray, activities: ["Order#5"])

  /// Returns the order with an id, as displayed by the screens.
  func order(_ orderID: Order.ID) -> Order? { FoodTruckState.selectOrder(orderID: orderID)(self) }
}

extension Order {
  /// Returns the sample with a number.
  static func sample(_ number: Int) -> Order { previewArray[number - 1] }

  /// Returns the order with another status.
  func with(_ status: OrderStatus) -> Order {
    var order = self
    order.status = status
    return order
  }
}

extension Donut {
  /// Returns the donut with another name.
  func named(_ name: String) -> Donut {
    var donut = self
    donut.name = name
    return donut
  }
}
