public import FoodTruckData
public import ImmutableData
public import ImmutableUI
public import Observation

/// The root of the list of orders: owns what is local to one window, and gives it to container and presenter.
@MainActor @Observable
public final class OrdersView<Source: FoodTruckSource> {
  /// What is searched for.
  public var searchText = ""
  /// How the rows are sorted.
  public var sort = OrdersSort.status
  /// What is selected.
  public var selection: Set<Order.ID> = []
  /// The order whose completion is shown.
  public var completion: Order.ID?

  private let container: OrdersContainer<Source>
  private let failures: Failures
  @ObservationIgnored private var preview: PreviewStore?

  /// Makes a root.
  ///
  /// - Parameters:
  ///   - source: What is read.
  ///   - dispatch: Where actions go.
  public init(_ source: Source, dispatch: ActionDispatch<FoodTruckAction>) {
    let failures = Failures()
    self.failures = failures
    container = OrdersContainer(source, dispatch: dispatch) { error in failures.last = error }
  }
}

extension OrdersView where Source == Store<FoodTruckState, FoodTruckAction> {
  /// Makes a root for the legacy application's model, so that screens can be migrated one after the other.
  ///
  /// - Parameter model: The model.
  @available(*, deprecated, message: "make the view with a store, for instance that of PreviewStore(model:)")
  public convenience init(model: FoodTruckModel) {
    let preview = PreviewStore(model: model)
    self.init(preview.store, dispatch: ActionDispatch(preview.store))
    self.preview = preview
  }
}

extension OrdersView {
  /// The error of the action that was refused last. Reading is observed.
  public var lastError: (any Error)? { failures.last }

  /// The presenter of this moment. Reading is observed.
  public var table: OrdersTable {
    OrdersTable(sort: sort, selection: selection, orders: container.orders(searchText: searchText, sort: sort)) {
      [weak self] order in
      self?.container.complete(order.id)
      self?.completion = order.id
    }
  }

  /// What is allowed at this moment. Reading is observed.
  public var rules: OrdersRules { container.rules(selection: selection) }

  /// `Create Order`.
  public func createOrder() {
    container.createOrder()
  }

  /// `Complete Order`: completes what is selected, and shows the completion of the first that was not completed.
  public func completeOrder() {
    if let orderID = container.completeOrders(selection: selection) { completion = orderID }
  }
}

/// What went wrong last.
@MainActor @Observable
private final class Failures {
  var last: (any Error)?
}
