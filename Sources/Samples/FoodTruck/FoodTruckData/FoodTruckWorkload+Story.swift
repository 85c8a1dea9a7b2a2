import Foundation
public import SampleSupport

extension FoodTruckWorkload {
  /// A step of the story.
  public typealias Step = StoryStep<FoodTruckAction>

  /// A morning at the counter: the truck opens with twelve donuts, customers place orders, three orders are prepared,
  /// two are completed from the list, and the Maple Walk is renamed, also in the orders.
  ///
  /// The final state has six orders, three of them complete, and one running activity.
  public static let story: [Step] = open + firstCustomers + prepare + rename + handOver + moreCustomers

  private static let open = [
    Step(.milliseconds(300), .data(.modelListener(.didReceiveDonuts(Donut.all))))
  ]

  private static let firstCustomers = [
    Step(.milliseconds(4_200), ui: .ordersView(.onTapAddOrderButton)),
    Step(.milliseconds(2), store: .didPlaceOrder(order: storyOrder(1))),
    Step(.milliseconds(5_750), store: .didPlaceOrder(order: storyOrder(2))),
    Step(.milliseconds(3_310), store: .didPlaceOrder(order: storyOrder(3))),
  ]

  private static let prepare = [
    Step(.milliseconds(2_480), ui: .orderDetailView(.onTapStatusButton(orderID: "Order#1"))),
    Step(.milliseconds(3), store: .didStartActivity(orderID: "Order#1")),
    Step(.seconds(8), ui: .orderDetailView(.onTapStatusButton(orderID: "Order#2"))),
    Step(.milliseconds(2), store: .didStartActivity(orderID: "Order#2")),
    Step(.seconds(49), ui: .orderDetailView(.onTapStatusButton(orderID: "Order#1"))),
    Step(.milliseconds(3), store: .didEndActivity(orderID: "Order#1")),
    // Another tap: a completed order has no next status.
    Step(.milliseconds(400), ui: .orderDetailView(.onTapStatusButton(orderID: "Order#1"))),
  ]

  private static let rename = [
    Step(
      .seconds(21),
      ui: .donutEditor(
        .onTapSaveDonutButton(
          donut: Donut(
            id: 5, name: "Winter Maple", dough: "rye", glaze: "maple", topping: "candied pecans"))))
  ]

  private static let handOver = [
    Step(.seconds(12), ui: .ordersView(.onTapCompleteOrderButton(orderID: "Order#2"))),
    Step(.milliseconds(3), store: .didEndActivity(orderID: "Order#2")),
    Step(.milliseconds(1_900), ui: .ordersView(.onTapCompleteOrderButton(orderID: "Order#3"))),
  ]

  private static let moreCustomers = [
    Step(.milliseconds(6_040), store: .didPlaceOrder(order: storyOrder(4))),
    Step(.milliseconds(3_700), store: .didPlaceOrder(order: storyOrder(5))),
    Step(.milliseconds(1_200), ui: .orderDetailView(.onTapStatusButton(orderID: "Order#4"))),
    Step(.milliseconds(2), store: .didStartActivity(orderID: "Order#4")),
    Step(.milliseconds(7_980), store: .didPlaceOrder(order: storyOrder(6))),
  ]

  /// The orders of a source with seed 5, with the times at which the story places them.
  private static func storyOrder(_ number: Int) -> Order.BackingData {
    let seconds = [4.5, 10.25, 13.5, 114.25, 118, 127.25]
    let source = OrderSource(seed: 5) { number in Order.previewDate + seconds[number - 1] }
    return Order.BackingData(source.order(number: number, donuts: Donut.all))
  }
}

extension FoodTruckWorkload {
  /// Bursts of taps in a busy application, as a ``StoreListener`` answers them: all taps of a burst are accepted before
  /// the effect of the first one, so a result does not follow its cause directly, but names it.
  ///
  /// A test plays the taps to a listener, and compares what it records. The final state has three orders, two of them
  /// complete, and no running activity.
  public static let rush: [Step] = openForTheRush + placeTwo + startTwo + finishTwo

  private static let openForTheRush = [
    Step(.milliseconds(300), .data(.modelListener(.didReceiveDonuts(Donut.all))))
  ]

  private static let placeTwo = [
    Step(.milliseconds(4_200), ui: .ordersView(.onTapAddOrderButton)),
    Step(.milliseconds(120), ui: .ordersView(.onTapAddOrderButton)),
    Step(.milliseconds(2), store: .didPlaceOrder(order: rushOrder(1)), stepsSinceCause: 2),
    Step(.milliseconds(1), store: .didPlaceOrder(order: rushOrder(2)), stepsSinceCause: 2),
    // A customer's order has no cause in the log.
    Step(.milliseconds(5_250), store: .didPlaceOrder(order: rushOrder(3))),
  ]

  private static let startTwo = [
    Step(.milliseconds(2_480), ui: .orderDetailView(.onTapStatusButton(orderID: "Order#1"))),
    Step(.milliseconds(90), ui: .orderDetailView(.onTapStatusButton(orderID: "Order#3"))),
    Step(.milliseconds(3), store: .didStartActivity(orderID: "Order#1"), stepsSinceCause: 2),
    Step(.milliseconds(2), store: .didStartActivity(orderID: "Order#3"), stepsSinceCause: 2),
  ]

  private static let finishTwo = [
    Step(.seconds(31), ui: .ordersView(.onTapCompleteOrderButton(orderID: "Order#3"))),
    Step(.milliseconds(140), ui: .orderDetailView(.onTapStatusButton(orderID: "Order#1"))),
    // Another tap: a completed order has no next status.
    Step(.milliseconds(110), ui: .orderDetailView(.onTapStatusButton(orderID: "Order#1"))),
    Step(.milliseconds(2), store: .didEndActivity(orderID: "Order#3"), stepsSinceCause: 3),
    Step(.milliseconds(2), store: .didEndActivity(orderID: "Order#1"), stepsSinceCause: 3),
  ]

  /// The source of the orders of the rush.
  package static let rushSource = OrderSource(seed: 8) { number in
    Order.previewDate + [4.5, 4.5, 9.75][Swift.min(number, 3) - 1]
  }

  private static func rushOrder(_ number: Int) -> Order.BackingData {
    Order.BackingData(rushSource.order(number: number, donuts: Donut.all))
  }
}

extension StoryStep where Action == FoodTruckAction {
  init(_ pause: Duration, ui action: FoodTruckAction.UI) {
    self.init(pause, .ui(action))
  }

  init(_ pause: Duration, store action: FoodTruckAction.Data.StoreListener, stepsSinceCause: Int? = nil) {
    self.init(pause, .data(.storeListener(action)), stepsSinceCause: stepsSinceCause)
  }
}
