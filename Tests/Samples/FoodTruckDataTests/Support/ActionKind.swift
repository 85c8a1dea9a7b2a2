import FoodTruckData

/// Every action value as a flat list.
///
/// The switch has no default: an action that is new does not compile until it is listed here, and then every table of
/// these tests has to say what it does.
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
