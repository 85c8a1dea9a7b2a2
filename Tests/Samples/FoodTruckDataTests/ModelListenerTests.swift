import ActionLog
import ActionLogTesting
import AsyncSequenceTestUtils
import EventSourcing
import FoodTruckData
import Foundation
import ImmutableData
import Platform
import TestSupport
import Testing
import TreeCollections

@Suite(.timeLimit(.minutes(60))) @MainActor struct ModelListenerTests {
  private let store = TruckStoreDouble()
  private let listener = ModelListener()

  @Test func completeTablesAreDispatched() async {
    let model = TablesDouble()
    listener.listen(following: model, with: store)
    await model.orders[0].iterator.resume(returning: ModelTable([.sample(1)]))
    await model.donuts[0].iterator.resume(returning: ModelTable(Donut.all))
    await model.orders[0].iterator.resume(returning: ModelTable([.sample(1), .sample(2)]))
    #expect(store.dispatched == [.orders([.sample(1)]), .donuts(Donut.all), .orders([.sample(1), .sample(2)])])
  }

  @Test func listenerSwitchesModels() async {
    let (first, second) = (TablesDouble(), TablesDouble())
    listener.listen(following: first, with: store)
    listener.listen(following: first, with: store)
    #expect(first.orders.count == 1 && first.donuts.count == 1)
    await first.orders[0].iterator.resume(returning: ModelTable([]))
    listener.listen(following: second, with: store)
    await second.orders[0].iterator.resume(returning: ModelTable([.sample(3)]))
    // The first task was canceled: its sequence has ended.
    await first.orders[0].iterator.resume(returning: ModelTable([.sample(4)]))
    #expect(store.dispatched == [.orders([]), .orders([.sample(3)])])
  }

  @Test func refusedTableIsReportedAndTheNextSent() async {
    let model = TablesDouble()
    listener.listen(following: model, with: store)
    store.refuses = true
    await model.orders[0].iterator.resume(returning: ModelTable([.sample(1)]))
    #expect(listener.lastError is TruckStoreDouble.Refusal)
    store.refuses = false
    await model.orders[0].iterator.resume(returning: ModelTable([.sample(2)]))
    #expect(store.dispatched == [.orders([.sample(2)])])
  }

  @Test func droppedListenerEndsItsTasks() async {
    let model = TablesDouble()
    do {
      let listener = ModelListener()
      listener.listen(following: model, with: store)
      await model.orders[0].iterator.resume(returning: ModelTable([]))
    }
    await model.orders[0].iterator.resume(returning: ModelTable([.sample(1)]))
    #expect(store.dispatched == [.orders([])])
  }
}

@Suite(.timeLimit(.minutes(60))) @MainActor struct FoodTruckModelTests {
  private func model(_ orders: [Order] = []) -> FoodTruckModel {
    FoodTruckModel(orders: orders, customers: 0) { Order.previewDate }
  }

  @Test func ordersAreAppendedWithTheNextNumber() {
    let model = model([.sample(1)])
    model.addOrder()
    model.addOrder()
    #expect(model.orders.map(\.id) == ["Order#1", "Order#2", "Order#3"])
    var generator = SplitMix64(seed: 5)
    for number in 2...3 {
      let expected = OrderGenerator(knownDonuts: Donut.all)
        .generateOrder(number: number, date: Order.previewDate, generator: &generator)
      #expect(model.orders[number - 1] == expected)
    }
  }

  @Test func ordersAdvanceAndUnknownOnesAreIgnored() {
    let model = model([.sample(5), .sample(6), .sample(3)])
    model.markOrderAsNextStep(id: "Order#6")
    model.markOrderAsNextStep(id: "Order#3")
    model.markOrderAsCompleted(id: "Order#5")
    model.markOrderAsNextStep(id: "Order#99")
    model.markOrderAsCompleted(id: "Order#99")
    #expect(model.orders.map(\.status) == [.completed, .preparing, .ready])
  }

  @Test func donutsAreEditedAndAdded() {
    let model = model()
    model.saveDonut(Donut.all[0].named("New"))
    model.saveDonut(Donut(id: 13, name: "Thirteen", dough: "rye"))
    #expect(model.donuts.count == 13 && model.donuts[0].name == "New" && model.donuts[12].name == "Thirteen")
    #expect(model.truck == Truck())
  }

  @Test func modelGeneratesOrders() async {
    let clock = TurnClock { pause in #expect(pause >= .seconds(3) && pause <= .seconds(8)) }
    let model = FoodTruckModel(customers: 20, clock: clock) { Order.previewDate }
    for count in 1..<20 {
      await clock.turns.iterator.resume(returning: ())
      #expect(model.orders.count == count)
    }
    // After the last customer, the model no longer waits.
    let last = Task { await clock.turns.iterator.resume(returning: ()) }
    #expect(await settle { model.orders.count == 20 })
    last.cancel()
    await last.value
  }

  @Test func streamBeginsWithTheCurrentTable() async throws {
    let model = model([.sample(1)])
    var iterator = model.makeOrdersSequence().makeAsyncIterator()
    #expect(await iterator.next() == ModelTable([.sample(1)]))
    model.markOrderAsCompleted(id: "Order#1")
    for _ in 0..<5 { model.addOrder() }
    #expect(await iterator.next() == ModelTable(model.orders), "what came in between is left out")
    var donuts = model.makeDonutsSequence().makeAsyncIterator()
    #expect(await donuts.next() == ModelTable(Donut.all))
  }

  /// The complete loop: action, id, listener, model, listener, table.
  @Test func stateMirrorsTheModel() async throws {
    let model = model(Order.previewArray)
    let store = Store(initialState: FoodTruckState(), reducer: FoodTruckMirrorLog.reducer)
    let session = ActivitySessionDouble()
    let (modelListener, storeListener) = (ModelListener(), StoreListener(session: session))
    modelListener.listen(to: model, with: store)
    storeListener.listen(to: store, with: model)
    #expect(await settle { store.state == .with(Order.previewArray) })
    try store.dispatch(action: .tapStatus("Order#6"))
    try store.dispatch(action: .complete("Order#7"))
    try store.dispatch(action: .add)
    try store.dispatch(action: .save(Donut.all[9].named("Name Day")))
    #expect(store.state == .with(Order.previewArray), "what people do changes nothing by itself")
    #expect(await settle { store.state.orders.count == 13 && store.state.donuts[10]?.name == "Name Day" })
    #expect(store.state.order("Order#6")?.status == .preparing)
    #expect(store.state.order("Order#6")?.donuts.map(\.name) == ["Name Day"], "no stale donuts")
    #expect(store.state.order("Order#7")?.status == .completed)
    #expect(session.calls == [.start(.sample(6)), .end(.sample(7))])
    #expect(store.state.orders == FoodTruckState.with(model.orders).orders)
  }

  @Test func tablesNameTheTapsThatLedToThem() async throws {
    let disk = MemoryFileSystem()
    let recorder = try await Recorder<FoodTruckMirrorLog>.open(at: "log", fileSystem: disk)
    let store = try recorder.makeStore()
    let model = model(Order.previewArray)
    let (modelListener, storeListener) = (ModelListener(), StoreListener(session: ActivitySessionDouble()))
    modelListener.listen(to: model, with: store)
    storeListener.listen(to: store, with: model)
    #expect(await settle { store.accepted.count == 2 })
    try store.dispatch(action: .complete("Order#7"))
    #expect(await settle { store.accepted.count == 4 })
    try store.dispatch(action: .save(Donut.all[9].named("Name Day")))
    #expect(await settle { store.accepted.count == 6 })
    // A customer's order is no effect.
    model.addOrder()
    #expect(await settle { store.accepted.count == 7 })
    try await recorder.close()
    let actions = try await History<FoodTruckMirrorLog>(at: "log", fileSystem: disk).actions(in: 1...7)
    #expect(actions.map(\.meta.cause) == [nil, nil, nil, 3, nil, 5, nil])
  }
}
