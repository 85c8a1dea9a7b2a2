#if canImport(SwiftUI)
public import FoodTruckData
import FoodTruckUI
public import ImmutableUI
public import SwiftUI

/// The newest orders, and the list of all orders.
public struct Content: View {
  /// Creates the view. A ``Provider`` passes it the store.
  public init() {}

  /// The view's content.
  public var body: some View {
    VStack {
      NewestOrders()
      OrderList()
    }
  }
}

struct NewestOrders: View {
  @SelectOrdersValues(
    min: TruckOrdersCardRules.count, using: [KeyPathComparator(\Order.creationDate, order: .reverse)])
  private var orders: [Order]

  var body: some View { Text(TruckOrdersCardRules(orders).headline?.id ?? "") }
}

struct OrderList: View {
  @SelectOrders(sortOrder: OrdersSort.status.comparators) private var orders: [Order]
  @SelectStatuses private var statuses: [Order.ID: OrderStatus]
  @Dispatch private var dispatch
  @SwiftUI.State private var problem = ""

  var body: some View {
    let rules = OrdersRules(selection: $statuses, statuses: statuses)
    VStack {
      ForEach(orders) { order in
        Button("\(order.id) \(order.status)") { $statuses = [order.id] }
      }
      Text("\(orders.filter { order in !order.isComplete }.count) open orders")
      Button("Oldest First") { $orders.sortOrder = OrdersSort.oldest.comparators }
      Button("Complete Order") { complete(rules.orderIDsToComplete) }.disabled(!rules.isCompleteOrderEnabled)
      Text(problem)
    }
  }

  private func complete(_ orderIDs: [Order.ID]) {
    do {
      for orderID in orderIDs { try dispatch(.ui(.ordersView(.onTapCompleteOrderButton(orderID: orderID)))) }
    } catch {
      problem = "\(error)"
    }
  }
}

struct ContentPreviews: PreviewProvider {
  static var previews: some View {
    Provider(store) { Content() }
  }

  private static var store: FoodTruckStore {
    do { return FoodTruckStore(try PreviewStore().store) } catch {
      fatalError("the reducer rejected the sample data: \(error)")
    }
  }
}

/// The store that the views of this module read and dispatch to: a live one, or a `TimeTravelStore`.
public typealias FoodTruckStore = ViewStore<FoodTruckState, FoodTruckAction>

extension FoodTruckState: EnvironmentState {
  /// The actions of the store.
  public typealias EnvironmentAction = FoodTruckAction
}

/// A property of a view that dispatches actions, and no thunks.
public typealias Dispatch = ViewDispatch<FoodTruckState>
#endif
