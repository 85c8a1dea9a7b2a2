import ActionLog
import ActionLogTool
import JSONCoding
import Testing

/// A range that begins at a time begins after the last earlier action, in every command with ranges.
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
    // Between two actions, and after the last one.
    let index = try #require((5..<times.count).first { index in times[index] > times[index - 1] })
    let later = String(times[index - 1].dropLast(2)) + "9Z"
    let between = await bench.run(command + ["--from", later])
    #expect(try Self.seqs(between).first == index + 1, "\(command) from \(later)")
    #expect(try Self.seqs(await bench.run(command + ["--from", "2100-01-01T00:00:00Z"])).isEmpty, "\(command)")
  }

  @Test func exportHasTheSameRange() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let rows = await bench.run("export", "my-log", "--format", "csv").output.split(separator: "\n")
    let time = try #require(rows[6].split(separator: ",").first { cell in cell.contains("T") && cell.hasSuffix("Z") })
    let export = await bench.run("export", "my-log", "--format", "csv", "--from", String(time))
    #expect(export.output.split(separator: "\n") == [rows[0]] + Array(rows[6...]))
    let none = await bench.run("export", "my-log", "--format", "csv", "--from", "2100-01-01T00:00:00Z")
    #expect(none.output.split(separator: "\n") == [rows[0]])
  }

  /// Records an action at each of some times.
  private static func record(at times: [String], on bench: Bench) throws {
    let writer = try LogWriter.open(
      "my-log", model: "counter", schema: 1, fileSystem: bench.disk,
      configuration: LogConfiguration(environment: bench.logEnvironment))
    _ = try writer.write(
      times.map { text in
        LogDraft(type: "didTapIncrementButton", data: Array("{}".utf8), time: LogTime(parsing: text))
      })
    try writer.closeNow()
  }

  @Test(arguments: commands)
  func consecutiveRangesSurviveAClockSetBack(command: [String]) async throws {
    let bench = Bench()
    let clock = ["23:30", "23:50", "00:10", "23:40", "23:55", "00:20", "00:05", "00:40"]
    let times = clock.map { time in "2026-11-2\(time.hasPrefix("0") ? 2 : 1)T\(time):00.000000Z" }
    try Self.record(at: times, on: bench)
    for time in times {
      let begun = await bench.run(command + ["--from", time])
      let earlier = try #require(LogTime(parsing: time)).advanced(by: .microseconds(-1))
      let ended = await bench.run("list", "my-log", "--json", "--to", "\(earlier)")
      #expect(try Self.seqs(ended) + Self.seqs(begun) == Array(1...times.count), "\(time)")
    }
    let midnight = await bench.run(command + ["--from", "2026-11-22"])
    #expect(try Self.seqs(midnight).first == 6, "behind the last one of the day before")
  }

  @Test func consecutiveDaysSurviveAClockSetBack() async throws {
    let bench = Bench()
    try Self.record(
      at: ["21T23:50", "22T00:10", "21T23:40", "22T00:20", "22T23:59", "23T00:00"].map { time in
        "2026-11-\(time):00.000000Z"
      }, on: bench)
    var days: [[Int]] = []
    for day in 20...24 {
      let run = await bench.run("list", "my-log", "--json", "--from", "2026-11-\(day)", "--to", "2026-11-\(day)")
      days.append(try Self.seqs(run))
    }
    #expect(days == [[], [1, 2, 3], [4, 5], [6], []])
  }

  @Test func calendarLimitsAreInTheirDays() async throws {
    let bench = Bench()
    let times = ["0001-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z"]
    try Self.record(at: times, on: bench)
    for (from, to, seqs) in [
      ("0001-01-01", "0001-01-01", [1]), (times[0], times[0], [1]), ("9999-12-31", "9999-12-31", [2]),
      (times[1], times[1], [2]), ("0001-01-01", "9999-12-31", [1, 2]), ("100w ago", "end", [2]),
    ] {
      let run = await bench.run("list", "my-log", "--json", "--from", from, "--to", to)
      #expect(try Self.seqs(run) == seqs, "\(from) to \(to): \(run.messages)")
    }
  }

  @Test func rangeOfTimesCanBeEmpty() async throws {
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
