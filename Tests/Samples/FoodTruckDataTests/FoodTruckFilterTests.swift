import EventSourcing
import FoodTruckData
import Testing
import TreeCollections

@Suite struct FoodTruckFilterTests {
  private typealias Filter = @Sendable (FoodTruckState, FoodTruckAction) -> Bool

  @Test(arguments: ActionCase.all)
  func everyActionIsIncludedOrNot(candidate: ActionCase) {
    let orders: Set<ActionKind> = [
      .statusTapped, .completeTapped, .donutSaved, .ordersReceived, .donutsReceived, .orderPlaced,
    ]
    let sales: Set<ActionKind> = [.donutSaved, .ordersReceived, .donutsReceived, .orderPlaced]
    let activities: Set<ActionKind> = [.activityStarted, .activityEnded]
    let mirrored: Set<ActionKind> = [.ordersReceived, .donutsReceived]
    #expect(FoodTruckFilter.filterOrders()(.samples, candidate.action) == orders.contains(candidate.kind))
    #expect(FoodTruckFilter.filterSales()(.samples, candidate.action) == sales.contains(candidate.kind))
    #expect(FoodTruckFilter.filterActivities()(.samples, candidate.action) == activities.contains(candidate.kind))
    #expect(FoodTruckMirrorFilter.filterOrders()(.samples, candidate.action) == mirrored.contains(candidate.kind))
    // Therefore screens work with both forms.
    #expect(mirrored.isSubset(of: orders) && mirrored.isSubset(of: sales))
  }

  /// The filter includes every action that causes a change: a filter that is wrong loses updates.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func noChangeIsLost(seed: UInt64) throws {
    var state = FoodTruckState()
    var changes = [0, 0, 0]
    for (position, action) in FoodTruckWorkload(seed: seed).prefix(1_500).enumerated() {
      let next = try FoodTruckLog.reducer(state, action)
      let place: Comment = "seed \(seed), position \(position)"
      if state.orders != next.orders || state.donuts != next.donuts {
        changes[0] += 1
        #expect(FoodTruckFilter.filterOrders()(state, action), place)
      }
      if FoodTruckState.selectSales()(state) != FoodTruckState.selectSales()(next) || state.donuts != next.donuts {
        changes[1] += 1
        #expect(FoodTruckFilter.filterSales()(state, action), place)
      }
      if state.activities != next.activities {
        changes[2] += 1
        #expect(FoodTruckFilter.filterActivities()(state, action), place)
      }
      state = next
    }
    #expect(changes.allSatisfy { count in count > 100 })
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func noChangeOfTheMirrorIsLost(seed: UInt64) throws {
    var state = FoodTruckState()
    var changes = 0
    for action in FoodTruckMirrorWorkload(seed: seed).prefix(400) {
      let next = try FoodTruckMirrorLog.reducer(state, action)
      if state != next {
        changes += 1
        #expect(FoodTruckMirrorFilter.filterOrders()(state, action))
      }
      state = next
    }
    #expect(changes > 100)
  }
}
