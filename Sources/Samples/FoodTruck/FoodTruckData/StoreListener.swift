public import ImmutableData
import SampleSupport

/// The mutable model that a ``StoreListener`` calls in the mirrored form: ``FoodTruckModel``, or a test double.
@MainActor
package protocol StoreListenerModel: AnyObject, Sendable {
  func addOrder()
  func markOrderAsNextStep(id: Order.ID)
  func markOrderAsCompleted(id: Order.ID)
  func saveDonut(_ donut: Donut)
}

/// A store of the food truck that side effects can read and dispatch to.
public typealias FoodTruckDispatcher = Dispatcher<FoodTruckState, FoodTruckAction>
  & ImmutableData.Selector<FoodTruckState>

/// Shows outside the application that an order is being prepared: with a live activity, a notification, or a lamp.
///
/// Activities are side effects. A replay has no listener and starts none.
public protocol StoreListenerActivitySession: Sendable {
  /// Called when the preparation of an order begins, with the order before the action.
  @MainActor func startActivity(_ order: Order)

  /// Called when the preparation of an order ends, with the order before the action.
  @MainActor func endActivity(_ order: Order)
}

/// Performs the side effects of the food truck, in both forms: generates orders, and starts and ends activities.
///
/// ```swift
/// let listener = StoreListener(session: TruckActivitySession())
/// listener.listen(to: store, placing: OrderSource(seed: 7))   // the event-sourced form
/// ```
///
/// In the event-sourced form, each result names the tap that led to it in `meta.cause` of its record. In the mirrored form the model
/// is in between: a ``ModelListener`` dispatches the tables, which name the last tap that changed them.
///
/// Only a live store has side effects. A replay has no listener, and a history cursor has no dispatcher, so showing the
/// past starts no effects.
@MainActor
public final class StoreListener: Sendable {
  private let session: (any StoreListenerActivitySession)?
  private let follower: StoreFollower

  /// The last error: the store refused an action, or its stream failed.
  public var lastError: (any Error)? { follower.lastError }

  /// Creates a listener, without activities if there is no session.
  public init(session: (any StoreListenerActivitySession)? = nil, onError: (@Sendable (any Error) -> Void)? = nil) {
    self.session = session
    follower = StoreFollower(onError: onError)
  }
}

// MARK: - The mirrored form

extension StoreListener {
  /// Calls the model, which is the source of truth, for actions of the user: the mirrored form of the walk-through.
  ///
  /// The stream is created before the call returns, so no later action is missed. The call does nothing if the listener
  /// already listens to `store`. An order that is being prepared is assumed to have a running activity.
  public func listen<Store>(to store: Store, with model: FoodTruckModel)
  where Store: Dispatcher<FoodTruckState, FoodTruckAction> & Streamer<FoodTruckState, FoodTruckAction> & AnyObject {
    listen(to: store, updating: model)
  }

  /// Calls any model for actions of the user.
  package func listen<Store>(to store: Store, updating model: some StoreListenerModel)
  where Store: Dispatcher<FoodTruckState, FoodTruckAction> & Streamer<FoodTruckState, FoodTruckAction> & AnyObject {
    follower.follow(store) { [weak self] _, oldState, action in
      guard case .ui(let action) = action else { return }
      self?.react(to: action, in: oldState, with: model)
    }
  }

  private func react(
    to action: FoodTruckAction.UI, in oldState: FoodTruckState, with model: some StoreListenerModel
  ) {
    switch action {
    case .orderDetailView(.onTapStatusButton(let orderID)):
      let order = FoodTruckState.selectOrder(orderID: orderID)(oldState)
      if let order, order.status == .placed { session?.startActivity(order) }
      if let order, order.status == .preparing { session?.endActivity(order) }
      model.markOrderAsNextStep(id: orderID)
    case .ordersView(.onTapCompleteOrderButton(let orderID)):
      let order = FoodTruckState.selectOrder(orderID: orderID)(oldState)
      if let order, order.status == .preparing { session?.endActivity(order) }
      model.markOrderAsCompleted(id: orderID)
    case .ordersView(.onTapAddOrderButton):
      model.addOrder()
    case .donutEditor(.onTapSaveDonutButton(let donut)):
      model.saveDonut(donut)
    }
  }
}

// MARK: - The event-sourced form

extension StoreListener {
  /// Dispatches generated orders as complete values, and the start and end of activities.
  ///
  /// The stream is created before the call returns, so no later action is missed. The call does nothing if the listener
  /// already listens to `store`.
  ///
  /// A state that was replayed after a crash can contain an activity whose order is complete: this call ends it.
  /// Without a session, no activities are started.
  public func listen(
    to store: some FoodTruckDispatcher & Streamer<FoodTruckState, FoodTruckAction> & AnyObject,
    placing source: OrderSource
  ) {
    let isNew = follower.follow(store) { [weak self] store, oldState, action in
      guard case .ui(let action) = action else { return }
      try self?.react(to: action, in: oldState, of: store, placing: source)
    }
    guard isNew else { return }
    do { try endLeftovers(of: store) } catch { follower.report(error) }
  }

  private func react(
    to action: FoodTruckAction.UI, in oldState: FoodTruckState, of store: some FoodTruckDispatcher,
    placing source: OrderSource
  ) throws {
    switch action {
    case .orderDetailView(.onTapStatusButton(let orderID)):
      guard let order = FoodTruckState.selectOrder(orderID: orderID)(oldState) else { return }
      switch order.status {
      case .placed: try start(order, of: store)
      case .preparing: try end(order, of: store)
      case .ready, .completed: break
      }
    case .ordersView(.onTapCompleteOrderButton(let orderID)):
      guard let order = FoodTruckState.selectOrder(orderID: orderID)(oldState) else { return }
      try end(order, of: store)
    case .ordersView(.onTapAddOrderButton):
      try source.placeOrder(in: store)
    case .donutEditor:
      break
    }
  }

  private func start(_ order: Order, of store: some Dispatcher<FoodTruckState, FoodTruckAction>) throws {
    guard let session else { return }
    session.startActivity(order)
    try store.dispatch(action: .data(.storeListener(.didStartActivity(orderID: order.id))))
  }

  /// Ends the activity of an order, if there is one. It checks the current state instead of the state before the
  /// action, because all taps of a burst are accepted before the effect of the first one.
  private func end(_ order: Order, of store: some FoodTruckDispatcher) throws {
    guard store.select(FoodTruckState.selectActivities()).contains(order.id) else { return }
    session?.endActivity(order)
    try store.dispatch(action: .data(.storeListener(.didEndActivity(orderID: order.id))))
  }

  /// Ends the activities of complete and missing orders, which a crash can leave in the state.
  private func endLeftovers(of store: some FoodTruckDispatcher) throws {
    for orderID in store.select(FoodTruckState.selectActivities()).sorted() {
      let order = store.select(FoodTruckState.selectOrder(orderID: orderID))
      if let order, !order.isComplete { continue }
      if let order { session?.endActivity(order) }
      try store.dispatch(action: .data(.storeListener(.didEndActivity(orderID: orderID))))
    }
  }
}
