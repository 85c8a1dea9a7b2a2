public import FoodTruckData
import Foundation
public import ImmutableUI
public import Observation

/// What the list of orders allows, as functions of what is selected.
///
/// - SeeAlso: The FoodTruck walk-through of the ImmutableData guide (`OrdersView`).
public struct OrdersRules: Hashable, Sendable {
  /// What is selected, known or not.
  public var selection: Set<Order.ID>
  /// How far the known ones of them have come.
  public var statuses: [Order.ID: OrderStatus]

  /// Makes the rules of a moment.
  ///
  /// - Parameters:
  ///   - selection: What is selected.
  ///   - statuses: How far the known ones of them have come.
  public init(selection: Set<Order.ID>, statuses: [Order.ID: OrderStatus]) {
    self.selection = selection
    self.statuses = statuses
  }

  /// `View Details`: for exactly one.
  public var isViewDetailsEnabled: Bool { selection.count == 1 }

  /// `Complete Order`: when at least one of those that are selected is not completed.
  public var isCompleteOrderEnabled: Bool {
    statuses.contains { orderID, status in selection.contains(orderID) && status != .completed }
  }

  /// The orders that `Complete Order` completes: all that are known, in the order of their ids, the completed ones, too.
  public var orderIDsToComplete: [Order.ID] {
    statuses.keys.filter { orderID in selection.contains(orderID) }.sorted()
  }

  /// The order whose completion is shown then: the first of them that is not completed yet.
  public var orderIDOfCompletion: Order.ID? {
    orderIDsToComplete.first { orderID in statuses[orderID] != .completed }
  }
}

/// What the screen of one order shows and allows; also the one that tells of a completion.
public struct OrderDetailRules: Hashable, Sendable {
  /// What stands there when the order is gone.
  public static let missingOrderText = "missing order"

  /// The order, if there is one.
  public var order: Order?

  /// Makes the rules of an order.
  ///
  /// - Parameter order: The order; `nil` when it is gone.
  public init(_ order: Order?) {
    self.order = order
  }

  /// The title: the order's id.
  public var title: String { order?.id ?? Self.missingOrderText }

  /// The status button: disabled when there is no next status, because the order is complete or waits to be picked up.
  public var isStatusButtonEnabled: Bool {
    guard let order else { return false }
    return !order.isComplete && order.status != .ready
  }

  /// What the status button does, for instance `Prepare`.
  public var statusButtonTitle: String {
    switch order?.status {
    case .placed: "Prepare"
    case .preparing: "Hand over"
    case .ready, .completed, nil: "Done"
    }
  }
}

/// What the card of the newest orders shows.
public struct TruckOrdersCardRules: Hashable, Sendable {
  /// How many orders it shows.
  public static let count = 5

  /// The newest orders, the newest first.
  public var orders: [Order]

  /// Makes the rules of a moment.
  ///
  /// - Parameter orders: The newest orders, the newest first.
  public init(_ orders: [Order]) {
    self.orders = orders
  }

  /// The order that stands out; `nil` when there is none.
  public var headline: Order? { orders.first }

  /// The orders below it.
  public var others: ArraySlice<Order> { orders.dropFirst() }

  /// Whether going over to other orders is animated: when another one is the newest.
  ///
  /// - Parameter next: The rules of the next moment.
  public func isAnimated(to next: TruckOrdersCardRules) -> Bool { headline?.id != next.headline?.id }
}

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

/// The card of the newest orders.
@MainActor
public struct TruckOrdersCard<Source: FoodTruckSource> {
  private let selectOrders: SelectOrdersValues<Source>

  /// Makes a card.
  ///
  /// - Parameter source: What is read.
  public init(_ source: Source) {
    selectOrders = SelectOrdersValues(
      source, min: TruckOrdersCardRules.count, using: KeyPathComparator(\Order.creationDate, order: .reverse))
  }

  /// What is shown at this moment. Reading is observed.
  public var rules: TruckOrdersCardRules { TruckOrdersCardRules(selectOrders.output) }
}
