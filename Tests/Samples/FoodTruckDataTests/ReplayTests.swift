import ActionLog
import ActionLogTesting
import EventSourcing
import FoodTruckData
import Foundation
import ImmutableData
import TestSupport
import Testing
import TreeCollections

/// Side effects happen once: a replay, a restored store and a view of the past start none.
@Suite(.timeLimit(.minutes(60))) @MainActor struct ReplayTests {
  private let disk = MemoryFileSystem()
  private let source = OrderSource(seed: 5) { number in Order.previewDate + Double(number) }

  @Test func replayRepeatsNoActivity() async throws {
    let session = ActivitySessionDouble()
    let recorder = try await Recorder<FoodTruckLog>.open(at: "log", fileSystem: disk)
    let store = try recorder.makeStore()
    let listener = StoreListener(session: session)
    listener.listen(to: store, placing: source)
    try store.dispatch(action: .donuts(Donut.all))
    for _ in 0..<3 { try store.dispatch(action: .add) }
    #expect(await settle { store.state.orders.count == 3 })
    try store.dispatch(action: .tapStatus("Order#1"))
    try store.dispatch(action: .tapStatus("Order#2"))
    try store.dispatch(action: .complete("Order#2"))
    #expect(await settle { session.calls.count == 3 && store.state.activities == ["Order#1"] })
    try await recorder.sync()
    let state = store.state
    // The process is killed, so nothing is closed.
    await recorder.abandon()

    let again = ActivitySessionDouble()
    let reopened = try await Recorder<FoodTruckLog>.open(at: "log", fileSystem: disk)
    let restored = try reopened.makeStore()
    #expect(restored.state == state)
    #expect(reopened.restored.report.actionsFolded > 0)
    let listenerAgain = StoreListener(session: again)
    listenerAgain.listen(to: restored, placing: source)
    // An action to which a listener with knowledge of old actions would react.
    try restored.dispatch(action: .tapStatus("Order#1"))
    #expect(await settle { restored.state.activities.isEmpty })
    #expect(again.calls.map(Self.name) == ["end Order#1"])
    #expect(session.calls.map(Self.name) == ["start Order#1", "start Order#2", "end Order#2"])
    // The sequence of orders continues.
    try restored.dispatch(action: .add)
    #expect(await settle { restored.state.orders.count == 4 })
    let expected = Order.BackingData(source.order(number: 4, donuts: Donut.all))
    #expect(restored.state.orders["Order#4"] == expected)
    try await reopened.close()
  }

  /// The process was killed after the tap was recorded and before its effect: the activity ends at the next start.
  @Test func leftoverActivityEndsAtTheNextStart() async throws {
    let recorder = try await Recorder<FoodTruckLog>.open(at: "log", fileSystem: disk)
    let store = try recorder.makeStore()
    for action: FoodTruckAction in [
      .donuts(Donut.all), .place(.sample(6)), .tapStatus("Order#6"),
      .data(.storeListener(.didStartActivity(orderID: "Order#6"))), .complete("Order#6"),
    ] { try store.dispatch(action: action) }
    try await recorder.sync()
    await recorder.abandon()

    let session = ActivitySessionDouble()
    let reopened = try await Recorder<FoodTruckLog>.open(at: "log", fileSystem: disk)
    let restored = try reopened.makeStore()
    let listener = StoreListener(session: session)
    listener.listen(to: restored, placing: source)
    #expect(session.calls.map(Self.name) == ["end Order#6"])
    #expect(restored.state.activities.isEmpty && listener.lastError == nil)
    try await reopened.close()
    #expect(try await History<FoodTruckLog>(at: "log", fileSystem: disk).state().activities.isEmpty)
  }

  private static func name(_ call: ActivitySessionDouble.Call) -> String {
    switch call {
    case .start(let order): "start \(order.id)"
    case .end(let order): "end \(order.id)"
    }
  }
}
