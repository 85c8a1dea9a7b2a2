import FoodTruckData
import Foundation
import TreeCollections

extension FoodTruckState {
  /// A state from lists of rows, to be read in one line.
  static func with(
    _ orders: [Order], donuts: [Donut] = Donut.all, activities: Set<Order.ID> = []
  ) -> FoodTruckState {
    FoodTruckState(
      orders: Table(orders.map { order in Order.BackingData(order) }), donuts: Table(donuts), activities: activities)
  }

  /// The samples, with an activity for the fifth order.
  static let samples = FoodTruckState.with(Order.previewArray, activities: ["Order#5"])

  /// The order with an id, as screens show it.
  func order(_ orderID: Order.ID) -> Order? { FoodTruckState.selectOrder(orderID: orderID)(self) }
}

extension Order {
  /// The sample with a number.
  static func sample(_ number: Int) -> Order { previewArray[number - 1] }

  /// The same order with another status.
  func with(_ status: OrderStatus) -> Order {
    var order = self
    order.status = status
    return order
  }
}

extension Donut {
  /// The same donut with another name.
  func named(_ name: String) -> Donut {
    var donut = self
    donut.name = name
    return donut
  }
}
