import ActionLog
import ActionLogMaintenance
import ActionLogTool
import AnimalsData
import CounterData
import EventSourcing
import FoodTruckData
import Foundation
import QuakesData
import TestSupport
import Testing

/// The logs in `logs/` are golden histories: the states that they rebuild, and transcripts of the tool.
@Suite("The committed logs")
struct CommittedLogTests {
  private static let root = PackageFolder.root.path

  @Test("a narrow terminal shows the day once, what happened, and the first values", arguments: [50, 80, 200])
  func narrow(columns: Int) async throws {
    var bench = Bench()
    bench.directory = Self.root
    let run = await bench.run("list", "logs/animals") { environment in
      environment.variables["COLUMNS"] = String(columns)
    }
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 24 && lines[0] == "2026-11-21")
    #expect(lines.allSatisfy { line in line.count <= columns && line.last != " " })
    #expect(lines[2].contains(columns == 50 ? "didFetchCategories  ann  Amphi" : "ann  Amphibian, Bird"))
  }

  @Test(
    "every command that reads",
    arguments: [("counter", "6"), ("animals", "12"), ("quakes", "11"), ("foodtruck", "13")])
  func looking(model: String, turningPoint: String) async throws {
    let log = "logs/\(model)"
    var commandLines = [
      ["list", log], ["list", log, "--all", "--limit", "3"], ["show", log, turningPoint],
      ["state", log, "--at", turningPoint], ["state", log, "--at", "2026-11-21T09:00:30Z", "-q"],
      ["diff", log, "5", turningPoint],
      ["diff", log, turningPoint, "--format", "json-patch"],
      ["stats", log], ["verify", log],
    ]
    if model == "animals" { commandLines += [["diff", log, "11", "12"], ["show", log, "20"]] }
    let others: [String: RegisteredModel] = [
      "quakes": .model(QuakesModel.self), "foodtruck": .model(FoodTruckLog.self),
    ]
    var bench = Bench(tool: others[model].map { model in ActionLogTool(models: [model]) } ?? .samples)
    bench.directory = Self.root
    try Golden.expect(await bench.transcript(commandLines), is: "logs-\(model).txt")
  }

  @Test(
    "final states are those of logs/README.md",
    arguments: ["animals", "counter", "foodtruck", "foodtruck-mirror", "foodtruck-rush", "quakes"])
  func finalStatesMatchTheReadme(name: String) throws {
    switch name {
    case "animals": try check(AnimalsModel.self, name)
    case "counter": try check(CounterModel.self, name)
    case "foodtruck-mirror": try check(FoodTruckMirrorLog.self, name)
    case "quakes": try check(QuakesModel.self, name)
    default: try check(FoodTruckLog.self, name)
    }
  }

  /// The table has a row `| name | actions | final state's digest |`.
  private func check<M: Model>(_ model: M.Type, _ name: String) throws {
    let readme = try String(contentsOfFile: Self.root + "/logs/README.md", encoding: .utf8)
    let row = try #require(readme.split(separator: "\n").first { line in line.hasPrefix("| `\(name)` |") })
    let cells = row.split(separator: "|").map { cell in cell.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
    let history = try History<M>(at: Self.root + "/logs/\(name)")

    var options = ReplayOptions()
    options.checksDigests = true
    options.usesSnapshots = false
    let replayed = try history.replay(options: options)
    #expect(String(replayed.revision) == cells[1])
    #expect(try StateDigest(of: replayed.state).hexadecimal == cells[2])
    #expect(replayed.report.digestsChecked >= 2 && replayed.report.divergences.isEmpty)
    #expect(replayed.report.damage == nil)
    let opened = try history.replay()
    #expect(opened.state == replayed.state, "with snapshots as without")
    #expect(opened.report.snapshotsLoaded == 1, "'demo' takes a snapshot after each 10 actions of a story")
    #expect(opened.report.actionsFolded < replayed.revision, "the snapshots are really used")
    #expect(try LogVerifier.verify(at: history.path).problems.isEmpty)
  }
}
