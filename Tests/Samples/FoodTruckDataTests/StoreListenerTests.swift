import ActionLogTesting
import EventSourcing
import FoodTruckData
import Foundation
import ImmutableData
import TestSupport
import Testing
import TreeCollections

/// The mirrored form: actions of the user reach the session and the model.
@Suite(.timeLimit(.minutes(60))) @MainActor struct MirroredStoreListenerTests {
  private let store = TruckStoreDouble()
  private let session = ActivitySessionDouble()
  private let model = ModelDouble()
  private let listener: StoreListener

  init() {
    listener = StoreListener(session: session)
    listener.listen(to: store, updating: model)
  }

  @Test(arguments: OrderStatus.allCases)
  func statusButtonStartsAndEndsActivities(status: OrderStatus) async {
    let order = Order.sample(6).with(status)
    await store.send(.tapStatus(order.id), in: .with([order]))
    switch status {
    case .placed: #expect(session.calls == [.start(order)])
    case .preparing: #expect(session.calls == [.end(order)])
    case .ready, .completed: #expect(session.calls.isEmpty)
    }
    #expect(model.calls == [.next(order.id)])
  }

  @Test(arguments: OrderStatus.allCases)
  func completingEndsTheActivityOfAnOrderInPreparation(status: OrderStatus) async {
    let order = Order.sample(6).with(status)
    await store.send(.complete(order.id), in: .with([order]))
    #expect(session.calls == (status == .preparing ? [.end(order)] : []))
    #expect(model.calls == [.complete(order.id)])
  }

  @Test func unknownOrderReachesTheModel() async {
    await store.send(.tapStatus("Order#99"), in: .samples)
    await store.send(.complete("Order#99"), in: .samples)
    #expect(session.calls.isEmpty)
    #expect(model.calls == [.next("Order#99"), .complete("Order#99")])
  }

  @Test func activityGetsTheDonutsOfTheOldState() async {
    store.state = FoodTruckState()
    await store.send(.tapStatus("Order#6"), in: .with([.sample(6)], donuts: [Donut.all[9].named("Old Name")]))
    guard case .start(let order) = session.calls.first else { return #expect(Bool(false), "no activity") }
    #expect(order.donuts.map(\.name) == ["Old Name"])
  }

  @Test func newOrdersAndEditedDonutsReachTheModel() async {
    await store.send(.add, in: .samples)
    await store.send(.save(Donut.all[0]), in: .samples)
    #expect(model.calls == [.add, .save(Donut.all[0])])
    #expect(session.calls.isEmpty && store.dispatched.isEmpty)
  }

  @Test(arguments: ActionCase.all.filter { candidate in candidate.type.hasPrefix("data.") })
  func dataLayerActionsHaveNoEffect(candidate: ActionCase) async {
    await store.send(candidate.action, in: .samples)
    #expect(model.calls.isEmpty && session.calls.isEmpty && store.dispatched.isEmpty)
  }

  @Test func listeningToTheSameStoreHasNoEffect() {
    listener.listen(to: store, updating: model)
    #expect(store.streams.count == 1)
  }

  @Test func listenerWithoutSessionUpdatesTheModel() async {
    let store = TruckStoreDouble()
    let listener = StoreListener()
    listener.listen(to: store, updating: model)
    await store.send(.tapStatus("Order#6"), in: .samples)
    await store.send(.tapStatus("Order#5"), in: .samples)
    #expect(model.calls == [.next("Order#6"), .next("Order#5")])
    #expect(listener.lastError == nil)
  }
}

/// The event-sourced form: external values are dispatched as complete values.
@Suite(.timeLimit(.minutes(60))) @MainActor struct StoreListenerTests {
  private let session = ActivitySessionDouble()
  private let source = OrderSource { number in Order.previewDate + Double(number) }

  private func listening(_ state: FoodTruckState) -> (TruckStoreDouble, StoreListener) {
    let store = TruckStoreDouble()
    store.state = state
    let listener = StoreListener(session: session)
    listener.listen(to: store, placing: source)
    return (store, listener)
  }

  @Test(arguments: OrderStatus.allCases, [false, true])
  func statusButtonStartsAndEndsActivities(status: OrderStatus, runs: Bool) async {
    let order = Order.sample(6).with(status)
    // A complete order with a running activity is cleaned up when listening begins.
    guard !(runs && status == .completed) else { return }
    let (store, listener) = listening(.with([order], activities: runs ? [order.id] : []))
    await store.send(.tapStatus(order.id), in: store.state)
    switch (status, runs) {
    case (.placed, _):
      #expect(session.calls == [.start(order)])
      #expect(store.dispatched == [.data(.storeListener(.didStartActivity(orderID: order.id)))])
    case (.preparing, true):
      #expect(session.calls == [.end(order)])
      #expect(store.dispatched == [.data(.storeListener(.didEndActivity(orderID: order.id)))])
    default:
      #expect(session.calls.isEmpty && store.dispatched.isEmpty)
    }
    #expect(listener.lastError == nil)
  }

  @Test(arguments: [OrderStatus.placed, .preparing, .ready], [false, true])
  func completingEndsTheActivityInAnyStatus(status: OrderStatus, runs: Bool) async {
    let order = Order.sample(6).with(status)
    let (store, listener) = listening(.with([order], activities: runs ? [order.id] : []))
    await store.send(.complete(order.id), in: store.state)
    #expect(session.calls == (runs ? [.end(order)] : []))
    #expect(store.dispatched == (runs ? [.data(.storeListener(.didEndActivity(orderID: order.id)))] : []))
    #expect(listener.lastError == nil)
  }

  @Test func resultsNameTheTapsThatLedToThem() async throws {
    let disk = MemoryFileSystem()
    let recorder = try await Recorder<FoodTruckLog>.open(at: "log", fileSystem: disk)
    let store = try recorder.makeStore()
    let listener = StoreListener(session: session)
    listener.listen(to: store, placing: source)
    try store.dispatch(action: .ui(.ordersView(.onTapAddOrderButton)))
    try store.dispatch(action: .ui(.ordersView(.onTapAddOrderButton)))
    #expect(await settle { store.accepted.count == 4 })
    let order = try #require(store.select(FoodTruckState.selectOrders(searchText: "")).keys.sorted().first)
    try store.dispatch(action: .ui(.orderDetailView(.onTapStatusButton(orderID: order))))
    #expect(await settle { store.accepted.count == 6 })
    try await recorder.close()
    let actions = try await History<FoodTruckLog>(at: "log", fileSystem: disk).actions(in: 1...6)
    #expect(actions.map(\.meta.cause) == [nil, nil, 1, 2, nil, 5])
    #expect(listener.lastError == nil)
  }

  @Test func everyRequestPlacesAnOrder() async {
    let (store, listener) = listening(.with([.sample(1)]))
    let oldState = store.state
    // In a burst, both requests are accepted before the first effect: their old state is the same.
    await store.send(.add, in: oldState)
    await store.send(.add, in: oldState)
    let expected = [2, 3].map { number in FoodTruckAction.place(source.order(number: number, donuts: Donut.all)) }
    #expect(store.dispatched == expected)
    #expect(store.state.orders.count == 3 && listener.lastError == nil)
  }

  @Test(
    arguments: ActionCase.all.filter { candidate in
      ![.statusTapped, .completeTapped, .addTapped].contains(candidate.kind)
    })
  func whatElseHappensHasNoEffect(candidate: ActionCase) async {
    let (store, listener) = listening(.samples)
    await store.send(candidate.action, in: .samples)
    await store.send(.tapStatus("Order#99"), in: .samples)
    await store.send(.complete("Order#99"), in: .samples)
    #expect(session.calls.isEmpty && store.dispatched.isEmpty && listener.lastError == nil)
  }

  @Test func withoutASessionNoActivityIsStarted() async {
    let store = TruckStoreDouble()
    store.state = .samples
    let listener = StoreListener()
    listener.listen(to: store, placing: source)
    await store.send(.tapStatus("Order#6"), in: .samples)
    #expect(store.dispatched.isEmpty)
    // An activity started by an application with a session does not run here.
    await store.send(.tapStatus("Order#5"), in: .samples)
    #expect(store.dispatched == [.data(.storeListener(.didEndActivity(orderID: "Order#5")))])
  }

  @Test func leftoverActivitiesAreEnded() {
    let state = FoodTruckState.with(
      Order.previewArray, activities: ["Order#5", "Order#4", "Order#99", "Order#1"])
    let (store, listener) = listening(state)
    #expect(session.calls == [.end(.sample(1)), .end(.sample(4))])
    #expect(
      store.dispatched
        == ["Order#1", "Order#4", "Order#99"].map { id in .data(.storeListener(.didEndActivity(orderID: id))) })
    #expect(listener.lastError == nil)
  }

  @Test func refusalIsReportedAndTheNextActionHandled() async {
    let (store, listener) = listening(.with([]))
    store.refuses = true
    await store.send(.add, in: store.state)
    #expect(listener.lastError is TruckStoreDouble.Refusal)
    store.refuses = false
    await store.send(.add, in: store.state)
    #expect(store.dispatched.count == 1)
  }

  @Test func listeningToTheSameStoreHasNoEffect() {
    let (store, listener) = listening(.samples)
    listener.listen(to: store, placing: source)
    #expect(store.streams.count == 1)
  }

  @Test func burstGivesTheSameStateAsSingleTaps() async throws {
    let store = Store(initialState: FoodTruckState.with([.sample(6)]), reducer: FoodTruckLog.reducer)
    let listener = StoreListener(session: session)
    listener.listen(to: store, placing: source)
    for _ in 0..<3 { try store.dispatch(action: .tapStatus("Order#6")) }
    #expect(await settle { session.calls.count == 2 && store.state.activities.isEmpty })
    #expect(store.state == .with([Order.sample(6).with(.completed)]))
    #expect(session.calls == [.start(.sample(6)), .end(Order.sample(6).with(.preparing))])
  }
}
