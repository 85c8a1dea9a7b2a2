import EventSourcing
import Foundation
import ImmutableData
import ImmutableUI
import Observation
import Platform
import QuakesData
import QuakesUI
import TestSupport
import Testing
import TreeCollections

/// The queries of the guide's wrappers, each over one store.
@Suite(.timeLimit(.minutes(60))) @MainActor struct SelectorTests {
  private let store = Store(initialState: QuakesState.with(Quake.around, .success), reducer: QuakesModel.reducer)
  private let calendar: Calendar

  init() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    self.calendar = calendar
  }

  @Test func countFollowsDeletions() async throws {
    let count = Selection(store, QuakesQuery.count)
    #expect(count.output == 12)
    try store.dispatch(action: .ui(.quakeList(.onTapDeleteSelectedQuakeButton(quakeId: "us1"))))
    #expect(await settle { count.output == 11 })
    try store.dispatch(action: .ui(.quakeList(.onTapDeleteAllQuakesButton)))
    #expect(await settle { count.output == 0 })
  }

  @Test func statusFollowsRefreshes() async throws {
    let status = Selection(store, QuakesQuery.status)
    #expect(status.output == .success)
    try store.dispatch(action: .ui(.quakeList(.onTapRefreshQuakesButton(range: .allHour))))
    #expect(await settle { status.output == .waiting })
    try store.dispatch(action: .remote(.didFetchQuakes(result: .failure(error: "offline"))))
    #expect(await settle { status.output == .failure(error: "offline") })
  }

  @Test func selectedQuakeCanChange() async throws {
    let quake = Selection(store, QuakesQuery.quake(quakeId: "us1"))
    #expect(quake.output?.name == "Antofagasta, Chile")
    quake.update(QuakesQuery.quake(quakeId: "us4"))
    #expect(quake.output?.magnitude == 7.4)
    try store.dispatch(action: .remote(.didFetchQuakes(result: .success(quakes: [.small.with(quakeId: "us4")]))))
    #expect(await settle { quake.output?.magnitude == 2.5 })
    quake.update(QuakesQuery.quake(quakeId: nil))
    #expect(quake.output == nil)
  }

  @Test func quakesAreSearchedAndSorted() async throws {
    let day = Quake.sampleDate
    let quakes = Selection(
      store, QuakesQuery.quakes(searchText: "a, ", searchDate: day, calendar: calendar))
    #expect(quakes.output.keys.sorted() == ["ak1", "hv1", "pr1", "us1"].filter { id in quakes.output[id] != nil })
    quakes.update(QuakesQuery.quakes(searchText: "Japan", searchDate: day, calendar: calendar))
    #expect(quakes.output.keys.sorted() == ["us4"])
    quakes.update(
      QuakesQuery.quakes(searchText: "", searchDate: day.addingTimeInterval(-86_400), calendar: calendar))
    #expect(quakes.output.isEmpty)

    var options = QuakeListOptions(now: day)
    let values = Selection(store, QuakesQuery.values(options, calendar: calendar))
    #expect(values.output.first?.id == "tx1" && values.output.last?.id == "nc1")
    options.sortParameter = .magnitude
    options.sortOrder = .reverse
    values.update(QuakesQuery.values(options, calendar: calendar))
    #expect(values.output.prefix(3).map(\.id) == ["us4", "us3", "us2"])
    try store.dispatch(action: .ui(.quakeList(.onTapDeleteSelectedQuakeButton(quakeId: "us4"))))
    #expect(await settle { values.output.first?.id == "us3" })
  }

  /// The filter keeps status changes from sorting the list again.
  @Test func listIgnoresTheStatus() async throws {
    let values = Selection(
      store, QuakesQuery.values(QuakeListOptions(now: Quake.sampleDate), calendar: calendar))
    let status = Selection(store, QuakesQuery.status)
    let changes = Locked(0)
    withObservationTracking {
      _ = values.output
    } onChange: {
      changes.withLock { count in count += 1 }
    }
    _ = status.output
    try store.dispatch(action: .ui(.quakeList(.onTapRefreshQuakesButton(range: .allHour))))
    #expect(await settle { status.output == .waiting })
    #expect(changes.withLock { count in count } == 0)
    try store.dispatch(action: .ui(.quakeList(.onTapDeleteAllQuakesButton)))
    #expect(await settle { changes.withLock { count in count } == 1 })
  }

  @Test func previewHasTheSampleData() throws {
    let store = try PreviewStore.make()
    #expect(store.state == QuakesState.with(Quake.previewQuakes, .success))
  }
}
