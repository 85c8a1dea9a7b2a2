public import FoodTruckData
public import ImmutableUI
public import Observation

/// One order, and the button that goes on with it. It tells of completions, too.
@MainActor @Observable
public final class OrderDetailView<Source: FoodTruckSource> {
  /// The error of the action that was refused last.
  public private(set) var lastError: (any Error)?

  private let selectOrder: SelectOrder<Source>
  private let dispatch: ActionDispatch<FoodTruckAction>

  /// Makes a view.
  ///
  /// - Parameters:
  ///   - source: What is read.
  ///   - dispatch: Where actions go.
  ///   - orderID: The id of the order.
  public init(_ source: Source, dispatch: ActionDispatch<FoodTruckAction>, orderID: Order.ID) {
    selectOrder = SelectOrder(source, orderID: orderID)
    self.dispatch = dispatch
  }

  /// What is shown and allowed at this moment. Reading is observed.
  public var rules: OrderDetailRules { OrderDetailRules(selectOrder.output) }

  /// The status button, if it is enabled.
  public func tapStatusButton() {
    let rules = rules
    guard rules.isStatusButtonEnabled, let order = rules.order else { return }
    do {
      try dispatch(.ui(.orderDetailView(.onTapStatusButton(orderID: order.id))))
    } catch {
      lastError = error
    }
  }
}
