import ActionLog
import ActionLogTool
import JSONCoding
import Testing

/// A stretch of actions that begins at a time holds what is not older, in every command that takes one.
@Suite struct TimeRangeTests {
  /// The commands, and what of a line of their output is a number of an action.
  static let commands = [
    ["list", "my-log", "--json"], ["list", "my-log", "--json", "--last", "1000"], ["cat", "my-log", "--actions"],
    ["tail", "my-log", "--json"],
  ]

  private static func seqs(_ run: CommandLineRun) throws -> [Int] {
    try run.output.split(separator: "\n").compactMap { line in
      try JSONValue(parsing: Array(line.utf8))[JSONPointer(["seq"])]?.integer
    }
  }

  @Test(arguments: commands) func noActionIsOlderThanItsBeginning(command: [String]) async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let records = try await bench.run("list", "my-log", "--json").output.split(separator: "\n").map { line in
      try JSONValue(parsing: Array(line.utf8))
    }
    let times = try records.map { record in try #require(record[JSONPointer(["time"])]?.text) }
    try #require(times.count > 10)
    for index in [0, 5, times.count - 1] {
      let first = try #require(times.firstIndex { time in time >= times[index] })
      let run = await bench.run(command + ["--from", times[index]])
      #expect(try Self.seqs(run).first == first + 1, "\(command) from \(times[index])")
    }
    // Between two actions, and behind the last one.
    let index = try #require((5..<times.count).first { index in times[index] > times[index - 1] })
    let later = String(times[index - 1].dropLast(2)) + "9Z"
    let between = await bench.run(command + ["--from", later])
    #expect(try Self.seqs(between).first == index + 1, "\(command) from \(later)")
    #expect(try Self.seqs(await bench.run(command + ["--from", "2100-01-01T00:00:00Z"])).isEmpty, "\(command)")
  }

  @Test func anExportBeginsThereToo() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let rows = await bench.run("export", "my-log", "--format", "csv").output.split(separator: "\n")
    let time = try #require(rows[6].split(separator: ",").first { cell in cell.contains("T") && cell.hasSuffix("Z") })
    let export = await bench.run("export", "my-log", "--format", "csv", "--from", String(time))
    #expect(export.output.split(separator: "\n") == [rows[0]] + Array(rows[6...]))
    let none = await bench.run("export", "my-log", "--format", "csv", "--from", "2100-01-01T00:00:00Z")
    #expect(none.output.split(separator: "\n") == [rows[0]])
  }

  @Test func aStretchOfTimesCanBeEmpty() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let early = ["--from", "1999-01-01T00:00:00Z", "--to", "1999-01-02T00:00:00Z"]
    for command in [
      ["list", "my-log"], ["list", "my-log", "--last", "3"], ["list", "my-log", "--where", "/status exists"],
    ] {
      let run = await bench.run(command + early)
      #expect(run.status == 1 && run.output.isEmpty, "\(command): \(run)")
    }
    let backward = await bench.run("list", "my-log", "--from", "2100-01-01T00:00:00Z", "--to", "3")
    #expect(backward.status == 2, "\(backward)")
    #expect(
      await bench.run("stats", "my-log", "--from", "2100-01-01T00:00:00Z", "--json").output.contains(#""actions":0"#))
  }
}
