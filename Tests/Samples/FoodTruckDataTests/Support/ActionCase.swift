import FoodTruckData
import Testing

/// An action with its type and data in a log.
struct ActionCase: Sendable, CustomTestStringConvertible {
  let action: FoodTruckAction
  let type: String
  let data: String

  init(_ action: FoodTruckAction, type: String, data: String) {
    self.action = action
    self.type = type
    self.data = data
  }

  var kind: ActionKind { ActionKind(action) }

  var testDescription: String { type }
}

extension ActionCase {
  /// Every kind of action once; actions on an order name the fifth sample.
  static let all = ui + modelListener + storeListener

  private static let order = Order.previewArray[4]

  private static let ui = [
    ActionCase(.tapStatus("Order#5"), type: "ui.orderDetailView.onTapStatusButton", data: #"{"orderID":"Order#5"}"#),
    ActionCase(.complete("Order#5"), type: "ui.ordersView.onTapCompleteOrderButton", data: #"{"orderID":"Order#5"}"#),
    ActionCase(.add, type: "ui.ordersView.onTapAddOrderButton", data: "{}"),
    ActionCase(
      .ui(.donutEditor(.onTapSaveDonutButton(donut: Donut.all[0]))), type: "ui.donutEditor.onTapSaveDonutButton",
      data: #"{"donut":{"id":1,"name":"Plain Ring","dough":"yeast"}}"#),
  ]

  private static let modelListener = [
    ActionCase(
      .data(.modelListener(.didReceiveOrders([order]))), type: "data.modelListener.didReceiveOrders",
      data: """
        {"_0":[{"id":"Order#5","status":"preparing","donuts":[{"id":8,"name":"Green Tea","dough":"rice",\
        "glaze":"matcha","topping":"sesame"},{"id":9,"name":"Coconut Beach","dough":"rice","glaze":"coconut",\
        "topping":"coconut flakes"}],"sales":{"8":1,"9":1},"cityID":"harbour",\
        "creationDate":"2026-11-21T09:05:00Z"}]}
        """),
    ActionCase(
      .data(.modelListener(.didReceiveDonuts([Donut.all[1]]))), type: "data.modelListener.didReceiveDonuts",
      data: #"{"_0":[{"id":2,"name":"Honey Dip","dough":"yeast","glaze":"honey"}]}"#),
  ]

  private static let storeListener = [
    ActionCase(
      .place(order), type: "data.storeListener.didPlaceOrder",
      data: """
        {"order":{"id":"Order#5","status":"preparing","donutIDs":[8,9],"sales":{"8":1,"9":1},"cityID":"harbour",\
        "creationDate":"2026-11-21T09:05:00Z"}}
        """),
    ActionCase(
      .data(.storeListener(.didStartActivity(orderID: "Order#5"))), type: "data.storeListener.didStartActivity",
      data: #"{"orderID":"Order#5"}"#),
    ActionCase(
      .data(.storeListener(.didEndActivity(orderID: "Order#5"))), type: "data.storeListener.didEndActivity",
      data: #"{"orderID":"Order#5"}"#),
  ]
}

extension FoodTruckAction {
  /// A tap on the status button of an order.
  static func tapStatus(_ orderID: Order.ID) -> FoodTruckAction {
    .ui(.orderDetailView(.onTapStatusButton(orderID: orderID)))
  }

  /// A tap that completes an order.
  static func complete(_ orderID: Order.ID) -> FoodTruckAction {
    .ui(.ordersView(.onTapCompleteOrderButton(orderID: orderID)))
  }

  /// A tap that adds an order.
  static let add = FoodTruckAction.ui(.ordersView(.onTapAddOrderButton))

  /// A placed order.
  static func place(_ order: Order) -> FoodTruckAction {
    .data(.storeListener(.didPlaceOrder(order: Order.BackingData(order))))
  }

  /// The complete table of orders.
  static func orders(_ orders: [Order]) -> FoodTruckAction { .data(.modelListener(.didReceiveOrders(orders))) }

  /// The complete table of donuts.
  static func donuts(_ donuts: [Donut]) -> FoodTruckAction { .data(.modelListener(.didReceiveDonuts(donuts))) }

  /// A saved donut.
  static func save(_ donut: Donut) -> FoodTruckAction { .ui(.donutEditor(.onTapSaveDonutButton(donut: donut))) }
}

/// All actions as a flat list.
enum ActionKind: CaseIterable {
  case statusTapped, completeTapped, addTapped, donutSaved
  case ordersReceived, donutsReceived
  case orderPlaced, activityStarted, activityEnded

  init(_ action: FoodTruckAction) {
    self =
      switch action {
      case .ui(.orderDetailView(.onTapStatusButton)): .statusTapped
      case .ui(.ordersView(.onTapCompleteOrderButton)): .completeTapped
      case .ui(.ordersView(.onTapAddOrderButton)): .addTapped
      case .ui(.donutEditor(.onTapSaveDonutButton)): .donutSaved
      case .data(.modelListener(.didReceiveOrders)): .ordersReceived
      case .data(.modelListener(.didReceiveDonuts)): .donutsReceived
      case .data(.storeListener(.didPlaceOrder)): .orderPlaced
      case .data(.storeListener(.didStartActivity)): .activityStarted
      case .data(.storeListener(.didEndActivity)): .activityEnded
      }
  }
}
