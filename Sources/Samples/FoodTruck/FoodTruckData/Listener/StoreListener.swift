public import ImmutableData

/// The side effects of the food truck, in both forms: it listens to a store, and makes what is random or shows outside.
///
/// ```swift
/// let listener = StoreListener(session: TruckActivitySession())
/// listener.listen(to: store, placing: OrderSource(seed: 7))   // the event-sourced form
/// ```
///
/// Only a store to which can be dispatched has side effects: a place in a history is none, so looking at the past starts
/// nothing, and a replay does not know listeners at all.
@MainActor
public final class StoreListener<ActivitySession: StoreListenerActivitySession>: Sendable {
  private let session: ActivitySession?
  private let onError: (@Sendable (any Error) -> Void)?
  private weak var store: AnyObject?
  private var task: Task<Void, Never>?

  /// What went wrong last: the store refused what was dispatched, or its stream failed.
  public private(set) var lastError: (any Error)?

  /// Makes a listener.
  ///
  /// - Parameters:
  ///   - session: What shows that an order is being prepared.
  ///   - onError: Told of everything that goes wrong.
  public init(session: ActivitySession, onError: (@Sendable (any Error) -> Void)? = nil) {
    self.session = session
    self.onError = onError
  }

  /// Makes a listener that shows nothing outside.
  ///
  /// - Parameter onError: Told of everything that goes wrong.
  public init(onError: (@Sendable (any Error) -> Void)? = nil) where ActivitySession == Never {
    self.session = nil
    self.onError = onError
  }

  deinit {
    task?.cancel()
  }

  /// Listens to everything that `store` accepts from now on, and to no other store any more.
  private func listen<Store>(
    to store: Store,
    _ react: @escaping @MainActor (StoreListener, Store, FoodTruckState, FoodTruckAction) throws -> Void
  ) where Store: Dispatcher<FoodTruckState, FoodTruckAction> & Streamer<FoodTruckState, FoodTruckAction> & AnyObject {
    self.store = store
    let stream = store.makeStream()
    task?.cancel()
    task = Task { [weak self, weak store] in
      do {
        for try await (oldState, action) in stream {
          guard let self, let store else { return }
          do { try react(self, store, oldState, action) } catch { self.report(error) }
        }
      } catch {
        self?.report(error)
      }
    }
  }

  private func report(_ error: any Error) {
    lastError = error
    onError?(error)
  }
}

// MARK: - The mirrored form

extension StoreListener {
  /// Tells the model, which is the source of truth, what people did: the mirrored form of the walk-through.
  ///
  /// The stream is made before the call returns, so nothing dispatched afterwards is missed. Listening again to the
  /// store that is listened to does nothing. An order that is being prepared is assumed to have a running activity.
  public func listen<Store>(to store: Store, with model: FoodTruckModel)
  where Store: Dispatcher<FoodTruckState, FoodTruckAction> & Streamer<FoodTruckState, FoodTruckAction> & AnyObject {
    listen(to: store, telling: model)
  }

  /// Tells a model what people did.
  package func listen<Store>(to store: Store, telling model: some StoreListenerModel)
  where Store: Dispatcher<FoodTruckState, FoodTruckAction> & Streamer<FoodTruckState, FoodTruckAction> & AnyObject {
    guard self.store !== store else { return }
    listen(to: store) { listener, _, oldState, action in
      guard case .ui(let action) = action else { return }
      listener.react(to: action, in: oldState, with: model)
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
  /// Dispatches what comes from outside: orders as finished values, and which activities were started and ended.
  ///
  /// The stream is made before the call returns, so nothing dispatched afterwards is missed. Listening again to the
  /// store that is listened to does nothing.
  ///
  /// A state that was rebuilt after a crash can tell of an activity whose order is complete: it is ended now. Without a
  /// session no activity is started.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - source: Where orders come from.
  public func listen<Store>(to store: Store, placing source: OrderSource)
  where
    Store: Dispatcher<FoodTruckState, FoodTruckAction> & ImmutableData.Selector<FoodTruckState>
      & Streamer<FoodTruckState, FoodTruckAction> & AnyObject
  {
    guard self.store !== store else { return }
    listen(to: store) { listener, store, oldState, action in
      guard case .ui(let action) = action else { return }
      try listener.react(to: action, in: oldState, of: store, placing: source)
    }
    do { try endLeftovers(of: store) } catch { report(error) }
  }

  private func react<Store>(
    to action: FoodTruckAction.UI, in oldState: FoodTruckState, of store: Store, placing source: OrderSource
  ) throws
  where Store: Dispatcher<FoodTruckState, FoodTruckAction> & ImmutableData.Selector<FoodTruckState> {
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

  /// Ends the activity of an order, if one runs. Taps that came in a burst have all been accepted before the first one's
  /// effect is: the table of this moment says what runs.
  private func end<Store>(_ order: Order, of store: Store) throws
  where Store: Dispatcher<FoodTruckState, FoodTruckAction> & ImmutableData.Selector<FoodTruckState> {
    guard store.select(FoodTruckState.selectActivities()).contains(order.id) else { return }
    session?.endActivity(order)
    try store.dispatch(action: .data(.storeListener(.didEndActivity(orderID: order.id))))
  }

  private func endLeftovers<Store>(of store: Store) throws
  where Store: Dispatcher<FoodTruckState, FoodTruckAction> & ImmutableData.Selector<FoodTruckState> {
    for orderID in store.select(FoodTruckState.selectActivities()).sorted() {
      let order = store.select(FoodTruckState.selectOrder(orderID: orderID))
      if let order, !order.isComplete { continue }
      if let order { session?.endActivity(order) }
      try store.dispatch(action: .data(.storeListener(.didEndActivity(orderID: orderID))))
    }
  }
}
