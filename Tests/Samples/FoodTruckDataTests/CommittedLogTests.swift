import ActionLogTesting
import EventSourcing
import FoodTruckData
import Foundation
import ImmutableData
import SampleSupport
import TestSupport
import Testing
import TimeTravel
import TreeCollections

/// The logs `foodtruck`, `foodtruck-rush` and `foodtruck-mirror` in `logs/` are golden logs.
@Suite struct CommittedLogTests {
  private static let folder = PackageFolder.root.appending(path: "logs")

  private func path(_ name: String) -> String { Self.folder.appending(path: name).path }

  @Test func storiesMatchTheCommittedLogs() throws {
    let history = try History<FoodTruckLog>(at: path("foodtruck"))
    #expect(try history.actions(in: 1...21).flatMap(\.actions) == FoodTruckWorkload.story.map(\.action))
    let mirrored = try History<FoodTruckMirrorLog>(at: path("foodtruck-mirror"))
    let story = FoodTruckMirrorWorkload.story
    #expect(try mirrored.actions(in: 1...story.count).flatMap(\.actions) == story.map(\.action))
  }

  /// The log has the actions and causes that a listener records for the same taps.
  @MainActor @Test func rushIsWhatAListenerRecords() async throws {
    let disk = MemoryFileSystem()
    let recorder = try await Recorder<FoodTruckLog>.open(at: "log", fileSystem: disk)
    let store = try recorder.makeStore()
    let listener = StoreListener(session: ActivitySessionDouble())
    listener.listen(to: store, placing: FoodTruckWorkload.rushSource)
    for (index, step) in FoodTruckWorkload.rush.enumerated() {
      if step.stepsSinceCause == nil {
        try store.dispatch(action: step.action)
      } else {
        #expect(await settle { store.accepted.count > index })
      }
    }
    try await recorder.close()
    let count = FoodTruckWorkload.rush.count
    let recorded = try await History<FoodTruckLog>(at: "log", fileSystem: disk).actions(in: 1...count)
    let committed = try await History<FoodTruckLog>(at: path("foodtruck-rush")).actions(in: 1...count)
    #expect(recorded.flatMap(\.actions) == committed.flatMap(\.actions))
    #expect(recorded.map(\.meta.cause) == committed.map(\.meta.cause))
    #expect(committed.compactMap(\.meta.cause) == [2, 3, 7, 8, 11, 12])
    #expect(listener.lastError == nil)
  }

  @Test func bothLogsHaveTheSameFinalTables() throws {
    let state = try History<FoodTruckLog>(at: path("foodtruck")).state()
    let mirrored = try History<FoodTruckMirrorLog>(at: path("foodtruck-mirror")).state()
    #expect(state.orders == mirrored.orders && state.donuts == mirrored.donuts)
  }

  /// Revision 13 renames a donut: the orders before and after it differ only in its name.
  @Test func joinUsesTheDonutsOfTheRevision() throws {
    let history = try History<FoodTruckLog>(at: path("foodtruck"))
    let names = try [12, 13].map { revision in
      let orders = FoodTruckState.selectOrders(searchText: "maple")(try history.state(at: revision))
      return Set(orders.values.flatMap(\.donuts).filter { donut in donut.id == 5 }.map(\.name))
    }
    #expect(names == [["Maple Walk"], ["Winter Maple"]])
  }
}
