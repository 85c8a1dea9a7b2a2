import ActionLog
import ActionLogTesting
import EventSourcing
import FoodTruckData
import Foundation
import ImmutableData
import Platform
import SampleSupport
import Testing

/// The projection of sales by city and day.
@MainActor @Suite struct CitySalesTests {
  private let disk = MemoryFileSystem()

  /// Records the story, the first actions on one day and the others on the next.
  private func record() async throws -> RecordingStore<FoodTruckLog> {
    var configuration = RecordingConfiguration<FoodTruckLog>()
    let start = try #require(LogTime(parsing: "2026-11-21T22:00:00.000000Z"))
    let clock = TenMinuteClock(start)
    configuration.log.environment.now = { clock.next() }
    let store = try RecordingStore<FoodTruckLog>(at: "log", configuration: configuration, fileSystem: disk)
    for step in FoodTruckWorkload.story { try store.dispatch(action: step.action) }
    return store
  }

  @Test func ordersAreCountedByCityAndDay() async throws {
    let store = try await record()
    try await store.close()
    let sales = try await ProjectionHistory<CitySales>(at: "log", fileSystem: disk).state()
    let orders = store.state.orderCounts
    #expect(sales.rows.reduce(0) { sum, row in sum + row.sales.orders } == orders)
    #expect(Set(sales.rows.map(\.day)) == ["2026-11-21", "2026-11-22"])
    #expect(sales.rows.map(\.day) == sales.rows.map(\.day).sorted(by: >))
    #expect(sales.rows.allSatisfy { row in row.sales.donuts >= row.sales.orders })
  }

  @Test func aRunnerFollowsTheStore() async throws {
    let store = try await record()
    let runner = try await ProjectionGroup.open(on: store).run(CitySales.self)
    try await runner.caughtUp()
    let before = await runner.current()
    let order = Order.BackingData(
      id: "Order#900", status: .placed, donutIDs: [1], sales: [1: 3], cityID: "mill",
      creationDate: Date(timeIntervalSince1970: 0))
    let receipt = try await store.dispatch(
      action: .data(.storeListener(.didPlaceOrder(order: order))), awaiting: .synced)
    try await runner.caughtUp(to: receipt.revision)
    let after = await runner.current()
    #expect(after.state.cities["mill"]?["2026-11-22"]?.donuts == 3)
    #expect(try await runner.state(at: before.revision) == before.state)
    await runner.close()
    try await store.close()
  }
}

/// A clock with ten minutes between two readings.
private final class TenMinuteClock: Sendable {
  private let time: Locked<LogTime>

  init(_ start: LogTime) { time = Locked(start) }

  func next() -> LogTime {
    time.withLock { time in
      time = LogTime(microseconds: time.microseconds + 600_000_000)
      return time
    }
  }
}

extension FoodTruckState {
  /// The number of orders.
  fileprivate var orderCounts: Int { FoodTruckState.selectOrdersCount()(self) }
}
