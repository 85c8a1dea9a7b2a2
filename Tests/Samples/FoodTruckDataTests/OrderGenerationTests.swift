import ActionLog
import AsyncSequenceTestUtils
import EventSourcing
import FoodTruckData
import Foundation
import ImmutableData
import Platform
import TestSupport
import Testing
import TreeCollections

@Suite struct OrderGeneratorTests {
  @Test func equalSeedsGiveEqualOrders() {
    var generator = SplitMix64(seed: 5)
    let orders = (1...3).map { number in
      OrderGenerator(knownDonuts: Donut.all)
        .generateOrder(number: number, date: Order.previewDate, generator: &generator)
    }
    #expect(orders.map(\.id) == ["Order#1", "Order#2", "Order#3"])
    #expect(orders.map { order in order.donuts.map(\.id) } == [[10, 2], [12, 5], [2, 6]])
    #expect(orders.map(\.sales) == [[10: 1, 2: 1], [12: 2, 5: 2], [2: 3, 6: 3]])
    #expect(orders.allSatisfy { order in order.status == .placed && order.creationDate == Order.previewDate })
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func ordersHaveDistinctKnownDonuts(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    for known in [[], [Donut.all[0]], Donut.all] {
      let order = OrderGenerator(knownDonuts: known, cityID: "mill")
        .generateOrder(number: 7, date: Order.previewDate, generator: &generator)
      #expect(order.donuts.count == Set(order.donuts.map(\.id)).count && order.donuts.allSatisfy(known.contains))
      #expect(order.donuts.isEmpty == known.isEmpty && order.donuts.count <= 4)
      #expect(Set(order.sales.keys) == Set(order.donuts.map(\.id)))
      #expect(order.sales.values.allSatisfy { count in (1...3).contains(count) })
      #expect(order.cityID == "mill")
    }
  }

  @Test func sourceOrderDependsOnlyOnItsNumber() {
    let source = OrderSource(seed: 7) { number in Order.previewDate + Double(number) }
    let orders = (1...200).map { number in source.order(number: number, donuts: Donut.all) }
    #expect(orders.reversed() == (1...200).reversed().map { number in source.order(number: number, donuts: Donut.all) })
    #expect(Set(orders.map(\.sales)).count > 150)
    #expect(Set(orders.map(\.cityID)) == Set(City.all.map(\.id)))
    #expect(orders[0..<8].allSatisfy { order in order.cityID == City.all[0].id })
    #expect(orders[8].cityID == City.all[1].id)
  }

  @Test func sourceAcceptsAnyNumber() {
    for number in [Int.min, -1, 0, Int.max] {
      #expect(OrderSource(seed: .max).order(number: number, donuts: []).donuts.isEmpty)
    }
  }

  @Test @MainActor func placedOrderGetsAnUnusedNumber() throws {
    let store = Store(initialState: .with([.sample(2), .sample(3)]), reducer: FoodTruckLog.reducer)
    let source = OrderSource { _ in Order.previewDate }
    try source.placeOrder(in: store)
    try source.placeOrder(in: store)
    #expect(store.state.orders.keys.sorted() == ["Order#2", "Order#3", "Order#4", "Order#5"])
  }
}

@Suite(.timeLimit(.minutes(60))) @MainActor struct OrderFeedTests {
  private let store = Store(initialState: FoodTruckState.with([]), reducer: FoodTruckLog.reducer)
  private let source = OrderSource { _ in Order.previewDate }
  private let pauses = Locked<[Duration]>([])

  private func clock() -> TurnClock {
    TurnClock { [pauses] pause in pauses.withLock { pauses in pauses.append(pause) } }
  }

  @Test func placesAnOrderAfterEachPause() async {
    let clock = clock()
    let feed = OrderFeed(to: store, from: source, clock: clock)
    #expect(!feed.isRunning)
    feed.start()
    for count in 1...30 {
      await clock.turns.iterator.resume(returning: ())
      #expect(store.state.orders.count == count)
    }
    let seconds = pauses.withLock(\.self)
    #expect(seconds.allSatisfy { pause in pause >= .seconds(3) && pause <= .seconds(8) })
    #expect(Set(seconds).count > 20)
    #expect(feed.lastError == nil && feed.isRunning)
  }

  @Test func pausedFeedPlacesNothing() async {
    let clock = clock()
    let feed = OrderFeed(to: store, from: source, clock: clock)
    feed.start()
    await clock.turns.iterator.resume(returning: ())
    feed.pause()
    // The sleep was canceled, which ends the clock: no task waits for a turn.
    await clock.turns.iterator.resume(returning: ())
    #expect(store.state.orders.count == 1 && !feed.isRunning)
  }

  @Test func speedShortensThePauses() async {
    let feed = OrderFeed(to: store, from: source, clock: clock())
    for speed in OrderFeed.speeds.dropFirst() + [1] {
      feed.changeSpeed()
      #expect(feed.speed == speed)
    }
    #expect(pauses.withLock(\.self).isEmpty, "a feed that does not run does not wait")
    for _ in 0..<3 { feed.changeSpeed() }
    feed.start()
    #expect(await settle { pauses.withLock { pauses in !pauses.isEmpty } })
    #expect(pauses.withLock(\.self).allSatisfy { pause in pause >= .seconds(3) / 8 && pause <= .seconds(1) })
    feed.pause()
  }

  @Test func refusedOrderIsReportedAndTheNextTried() async {
    let double = TruckStoreDouble()
    let clock = clock()
    let feed = OrderFeed(to: double, from: source, clock: clock)
    double.refuses = true
    feed.start()
    await clock.turns.iterator.resume(returning: ())
    #expect(feed.lastError is TruckStoreDouble.Refusal)
    double.refuses = false
    await clock.turns.iterator.resume(returning: ())
    #expect(double.state.orders.count == 1)
  }
}
