import ActionLog
import EventSourcing
import FoodTruckData
import JSONCoding
import SampleSupport
import Testing
import TreeCollections

@Suite struct FoodTruckWorkloadTests {
  @Test(arguments: [(1, 1_000), (2, 1_000), (7, 20_000)] as [(UInt64, Int)])
  func workloadIsRealistic(seed: UInt64, count: Int) throws {
    var state = FoodTruckState()
    var kinds: [ActionKind: Int] = [:]
    for action in FoodTruckWorkload(seed: seed).prefix(count) {
      kinds[ActionKind(action), default: 0] += 1
      try FoodTruckLog.reduce(into: &state, action: action)
    }
    #expect(kinds.values.reduce(0, +) == count)
    #expect((count / 6...count / 3).contains(state.orders.count), "seed \(seed): \(state.orders.count) orders")
    let complete = state.orders.values.count { order in order.status == .completed }
    #expect(complete > state.orders.count / 2, "seed \(seed): \(complete) complete")
    for kind in ActionKind.allCases where kind != .ordersReceived {
      #expect(kinds[kind, default: 0] > 0, "seed \(seed): no \(kind)")
    }
    // The activity of a complete order has ended, or its end is pending.
    let left = state.activities.filter { orderID in state.orders[orderID]?.status == .completed }
    #expect(left.count <= 4, "seed \(seed): \(left)")
  }

  @Test func equalSeedsGiveEqualBytes() throws {
    let hashes = [
      try hash(FoodTruckWorkload(seed: 1).prefix(2_000)), try hash(FoodTruckWorkload(seed: 7).prefix(2_000)),
      try hash(FoodTruckMirrorWorkload(seed: 7).prefix(100)),
    ]
    #expect(hashes == [13_703_280_376_429_387_080, 1_022_642_812_358_842_138, 1_394_951_506_795_992_313])
  }

  private func hash(_ actions: some Sequence<FoodTruckAction>) throws -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for action in actions {
      for byte in try StrictJSONEncoder().encode(action) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
    return hash
  }

  @Test func differentSeedsGiveDifferentActions() {
    #expect(Array(FoodTruckWorkload(seed: 1).prefix(100)) != Array(FoodTruckWorkload(seed: 2).prefix(100)))
  }

  /// After every action, both forms have the same orders and donuts.
  @Test(arguments: 0..<10 as Range<UInt64>)
  func bothFormsGiveTheSameState(seed: UInt64) throws {
    var (state, mirrored) = (FoodTruckState(), FoodTruckState())
    var mirror = FoodTruckMirror()
    for (position, action) in FoodTruckWorkload(seed: seed).prefix(400).enumerated() {
      try FoodTruckLog.reduce(into: &state, action: action)
      for action in mirror.actions(for: action) {
        try FoodTruckMirrorLog.reduce(into: &mirrored, action: action)
      }
      #expect(state.orders == mirrored.orders && state.donuts == mirrored.donuts, "seed \(seed), position \(position)")
    }
    #expect(mirrored.activities.isEmpty)
  }

  @Test func mirrorReceivesTables() throws {
    var (state, mirrored) = (FoodTruckState(), FoodTruckState())
    var mirror = FoodTruckMirror()
    let actions: [FoodTruckAction] = [
      .donuts(Donut.all), .orders(Order.previewArray + [.sample(6).with(.ready)]), .tapStatus("Order#6"),
      .tapStatus("Order#5"), .complete("Order#9"), .place(.sample(2).with(.placed)),
      .save(Donut(id: 13, name: "New", dough: "rye")),
    ]
    for action in actions {
      try FoodTruckLog.reduce(into: &state, action: action)
      for action in mirror.actions(for: action) { try FoodTruckMirrorLog.reduce(into: &mirrored, action: action) }
    }
    #expect(state.orders == mirrored.orders && state.donuts == mirrored.donuts)
    #expect(state.orders.count == 12 && state.donuts.count == 13)
  }
}

@Suite struct FoodTruckStoryTests {
  @Test func storyEndsWithSixOrders() throws {
    var state = FoodTruckState()
    var counts: [Int] = []
    for step in FoodTruckWorkload.story {
      try FoodTruckLog.reduce(into: &state, action: step.action)
      counts.append(state.orders.count)
    }
    #expect(counts == [0, 0, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 5, 5, 5, 6])
    let statuses = (1...6).map { number in state.orders["Order#\(number)"]?.status }
    #expect(statuses == [.completed, .completed, .completed, .preparing, .placed, .placed])
    #expect(state.activities == ["Order#4"])
    #expect(state.donuts[5]?.name == "Winter Maple")
  }

  @Test func mirroredStoryEndsTheSameWay() throws {
    let state = try FoodTruckWorkload.story.map(\.action).reduce(FoodTruckState(), FoodTruckLog.reducer)
    let story = FoodTruckMirrorWorkload.story
    let mirrored = try story.map(\.action).reduce(FoodTruckState(), FoodTruckMirrorLog.reducer)
    #expect(mirrored.orders == state.orders && mirrored.donuts == state.donuts)
    #expect(story.allSatisfy { step in step.pause > .zero })
    #expect(FoodTruckWorkload.story.allSatisfy { step in step.pause > .zero })
    #expect(FoodTruckWorkload.story.count == 21)
  }
}
