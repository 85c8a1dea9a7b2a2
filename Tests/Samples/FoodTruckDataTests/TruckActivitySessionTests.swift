import FoodTruckData
import Foundation
import Testing

@Suite @MainActor struct TruckActivitySessionTests {
  private let session = TruckActivitySession { Order.previewDate }

  @Test func activityAndNotificationAreStarted() throws {
    let order = Order.sample(6)
    session.startActivity(order)
    let activity = try #require(session.running.first)
    #expect(activity.orderNumber == "6" && activity.donutIDs == [10] && activity.sales == [10: 4])
    #expect(activity.timerEnd == Order.previewDate + 60 && activity.staleDate == Order.previewDate + 120)
    #expect(
      session.effects == [
        .start(activity), .askForPermission,
        .notify(title: "Donuts are done!", body: "Order 6 is ready to be taken out.", after: .seconds(60)),
      ])
    #expect(TruckActivity.name == "Order preparation activity.")
  }

  @Test func copiesOfAnActivityShareTheirFields() throws {
    #expect(MemoryLayout<TruckActivity>.size == MemoryLayout<UnsafeRawPointer>.size, "one reference")
    for _ in 0..<2 { session.startActivity(.sample(6)) }
    #expect(session.running[0] == session.running[1], "equal fields in two boxes")
    session.startActivity(.sample(8))
    #expect(session.running[0] != session.running[2])
  }

  @Test func onlyActivitiesOfTheOrderEnd() {
    for number in [6, 8, 6] { session.startActivity(.sample(number)) }
    #expect(session.running.map(\.orderNumber) == ["6", "8", "6"])
    session.endActivity(.sample(6))
    #expect(session.running.map(\.orderNumber) == ["8"])
    let ended = session.effects.compactMap { effect in
      if case .end(let activity) = effect { activity.orderNumber } else { nil }
    }
    #expect(ended == ["6", "6"])
    session.endActivity(.sample(9))
    #expect(session.running.count == 1 && session.effects.count == 11)
  }

  @Test func effectsAreLimited() {
    for _ in 0..<3_000 {
      session.startActivity(.sample(6))
      session.endActivity(.sample(6))
    }
    #expect(session.effects.count == 10_000 && session.running.isEmpty)
    guard case .end = session.effects.last else {
      Issue.record("the newest one is not the last")
      return
    }
  }
}
