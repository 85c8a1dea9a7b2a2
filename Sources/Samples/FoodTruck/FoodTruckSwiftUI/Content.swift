#if canImport(SwiftUI)
public import FoodTruckData
import FoodTruckUI
public import DebugDrawer
import ImmutableData
public import ImmutableUI
public import SwiftUI

/// The newest orders, and the list of all orders.
///
/// - SeeAlso: The FoodTruck walk-through of the ImmutableData guide (`TruckOrdersCard`, `OrdersView`).
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

/// The sample orders.
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

// SwiftUI reads environment values on the main actor only, as for `ImmutableUI.Selector`.
/// The environment key of the store. Its default traps at the first action: a view without a ``Provider`` is a
/// programmer error.
@MainActor private enum StoreKey: @preconcurrency EnvironmentKey {
  static let defaultValue = FoodTruckStore(
    ImmutableData.Store<FoodTruckState, FoodTruckAction>(initialState: FoodTruckState()) { _, _ in
      fatalError("missing provider")
    })
}

extension EnvironmentValues {
  @MainActor var store: FoodTruckStore {
    get { self[StoreKey.self] }
    set { self[StoreKey.self] = newValue }
  }
}

extension Provider where Store == FoodTruckStore {
  /// Creates a view that passes a store to its content.
  public init(_ store: Store, @ViewBuilder content: () -> Content) {
    self.init(\.store, store, content: content)
  }
}

extension PastView where M == FoodTruckLog {
  /// Creates a view that passes the store of a drawer to its content, with the drawer below it.
  public init(_ drawer: HistoryDrawer<FoodTruckLog>, @ViewBuilder content: () -> Content) {
    self.init(\.store, drawer, content: content)
  }
}

extension ImmutableUI.Dispatcher where Store == FoodTruckStore {
  /// Creates a property that dispatches to the store of the view's ``Provider``.
  public init() {
    self.init(\.store)
  }
}

extension ImmutableUI.Selector where Store == FoodTruckStore, repeat each Dependency: Equatable, Output: Equatable {
  /// Creates a property that selects from the store of the view's ``Provider``, with parameters that can change.
  ///
  /// The parameters are those of the initializer that takes a key path.
  public init(
    id: some Hashable,
    label: String? = nil,
    filter isIncluded: (@Sendable (FoodTruckState, FoodTruckAction) -> Bool)? = nil,
    dependencySelector: repeat @escaping @Sendable (FoodTruckState) -> each Dependency,
    outputSelector: @escaping @Sendable (FoodTruckState) -> Output
  ) {
    self.init(
      \.store, id: id, label: label, filter: isIncluded, dependencySelector: repeat each dependencySelector,
      outputSelector: outputSelector)
  }

  /// Creates a property that selects from the store of the view's ``Provider``.
  ///
  /// The parameters are those of the initializer that takes a key path.
  public init(
    label: String? = nil,
    filter isIncluded: (@Sendable (FoodTruckState, FoodTruckAction) -> Bool)? = nil,
    dependencySelector: repeat @escaping @Sendable (FoodTruckState) -> each Dependency,
    outputSelector: @escaping @Sendable (FoodTruckState) -> Output
  ) {
    self.init(
      \.store, label: label, filter: isIncluded, dependencySelector: repeat each dependencySelector,
      outputSelector: outputSelector)
  }
}

/// A property of a view that dispatches actions, and no thunks.
///
/// - SeeAlso: The FoodTruck walk-through of the ImmutableData guide.
@MainActor @propertyWrapper public struct Dispatch: DynamicProperty {
  @ImmutableUI.Dispatcher<FoodTruckStore>() private var dispatcher

  /// Creates the property.
  public init() {}

  /// Dispatches an action. Throws the error of a reducer that rejects it.
  public var wrappedValue: (FoodTruckAction) throws -> Void { dispatcher.dispatch }
}
#endif
