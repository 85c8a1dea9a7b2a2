import ActionLogTool
import FoodTruckData
import Foundation
import QuakesData
import TestSupport
import Testing

/// Transcripts of the tool on the logs in `logs/`.
@Suite("The committed logs")
struct CommittedLogTests {
  private static let root = PackageFolder.root.path

  @Test("a narrow terminal truncates types at their start and values at their end", arguments: [60, 80, 100])
  func narrow(columns: Int) async throws {
    var bench = Bench()
    bench.directory = Self.root
    let run = await bench.run("list", "logs/animals") { environment in
      environment.variables["COLUMNS"] = String(columns)
    }
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 23)
    #expect(lines.allSatisfy { line in line.count <= columns && line.last != " " })
    #expect(lines[1].contains("ession.didFetchCategories  ") || columns == 60)
  }

  @Test(
    "every command that reads",
    arguments: [("counter", "6"), ("animals", "12"), ("quakes", "11"), ("foodtruck", "13")])
  func looking(model: String, turningPoint: String) async throws {
    let log = "logs/\(model)"
    var commandLines = [
      ["list", log], ["list", log, "--all", "--limit", "3"], ["show", log, turningPoint],
      ["state", log, "--at", turningPoint], ["state", log, "--at", "2026-11-21T09:00:30Z", "-q"],
      ["step", log, "--at", "3", "--to", "6"], ["diff", log, "5", turningPoint],
      ["diff", log, turningPoint, "--format", "json-patch"], ["diff", log, "start", "end", "--format", "unified"],
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
}
