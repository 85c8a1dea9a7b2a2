import ActionLog
import EventSourcing
import FoodTruckData
import Foundation
import ImmutableData
import SampleSupport
import TestSupport
import Testing
import TimeTravel
import TreeCollections

/// The logs in `logs/foodtruck` and `logs/foodtruck-mirror` are golden logs: `logs/README.md` names their final states.
@Suite struct CommittedLogTests {
  private static let folder = PackageFolder.root.appending(path: "logs")

  private func path(_ name: String) -> String { Self.folder.appending(path: name).path }

  /// The table of the README has a row `| name | actions | final state's digest |`.
  private func check<M: Model>(_ model: M.Type) throws where M.State == FoodTruckState {
    let readme = try String(contentsOf: Self.folder.appending(path: "README.md"), encoding: .utf8)
    let row = try #require(readme.split(separator: "\n").first { line in line.hasPrefix("| `\(model.name)` |") })
    let cells = row.split(separator: "|").map { cell in cell.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
    let history = try History<M>(at: path(model.name))

    var options = ReplayOptions()
    options.checksDigests = true
    options.usesSnapshots = false
    options.onDivergence = .fail
    let replayed = try history.replay(options: options)
    #expect(String(replayed.revision) == cells[1])
    #expect(try StateDigest(of: replayed.state).hexadecimal == cells[2])
    #expect(replayed.report.digestsChecked >= 2)
    #expect(replayed.report.damage == nil)
    let opened = try history.replay()
    #expect(opened.state == replayed.state, "with snapshots as without")
    #expect(opened.report.snapshotsLoaded == 1)
    #expect(try LogVerifier.verify(at: history.path).verdict == .clean)
  }

  @Test func foodTruckLogMatchesTheReadme() throws { try check(FoodTruckLog.self) }

  @Test func mirroredLogMatchesTheReadme() throws { try check(FoodTruckMirrorLog.self) }

  @Test func storiesMatchTheCommittedLogs() throws {
    let history = try History<FoodTruckLog>(at: path("foodtruck"))
    #expect(try history.actions(in: 1...21).flatMap(\.actions) == FoodTruckWorkload.story.map(\.action))
    let mirrored = try History<FoodTruckMirrorLog>(at: path("foodtruck-mirror"))
    let story = FoodTruckMirrorWorkload.story
    #expect(try mirrored.actions(in: 1...story.count).flatMap(\.actions) == story.map(\.action))
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
