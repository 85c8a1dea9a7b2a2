import ActionLog
import ActionLogTool
import AnimalsData
import JSONCoding
import Testing

/// `--from` and `--to` mean the same in every command: the first and last action of a range, both inclusive.
@Suite("Ranges of a log")
struct PointRangeTests {
  private static let count = AnimalsWorkload.story.count
  private static let stretches = [(1, 1), (4, 11), (5, 5), (12, 12), (12, 20), (20, 23), (23, 23)]

  private static func seqs(_ run: CommandLineRun) throws -> [Int] {
    try run.output.split(separator: "\n").compactMap { line in
      try JSONValue(parsing: Array(line.utf8))["seq"]?.integer
    }
  }

  private static func revision(_ run: CommandLineRun) throws -> Int? {
    try JSONValue(parsing: Array(run.output.utf8))["revision"]?.integer
  }

  @Test("both ends are inclusive in every command with ranges", arguments: stretches)
  func bothEnds(first: Int, last: Int) async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let ends = ["--from", "\(first)", "--to", "\(last)"]
    for command in [
      ["list", "my-log", "--json"], ["list", "my-log", "--json", "--last", "99"],
      ["list", "my-log", "--format", "lines"],
      ["list", "my-log", "--json", "--where", "/animals exists"],
    ] {
      #expect(try Self.seqs(await bench.run(command + ends)) == Array(first...last), "\(command)")
    }
    let stats = try JSONValue(parsing: Array(await bench.run(["stats", "my-log", "--json"] + ends).output.utf8))
    #expect(stats["actions"]?.integer == last - first + 1 && stats["first", "seq"]?.integer == first)

    // The history of a value has the same actions as a filter on it.
    let touching = try Self.seqs(await bench.run(["list", "my-log", "--touching", "/animals/queue", "--json"] + ends))
    #expect(try Self.seqs(await bench.run(["history", "my-log", "/animals/queue", "--json"] + ends)) == touching)
    // So has that of two values.
    let rows = await bench.run(["history", "my-log", "/animals/queue", "/animals/queue/Dog"] + ends).output
      .split(separator: "\n").compactMap { line in Int(line.split(separator: " ")[0]) }
    #expect(Set(rows) == Set(touching))

    // A condition that holds everywhere holds first at the beginning of the range, and last at its end.
    #expect(try Self.revision(await bench.run(["find", "my-log", "/animals exists", "--json"] + ends)) == first)
    #expect(
      try Self.revision(await bench.run(["find", "--bisect", "my-log", "/animals exists", "--json"] + ends)) == first)
    #expect(
      try Self.revision(await bench.run(["find", "--last", "my-log", "/animals exists", "--json"] + ends)) == last)
    for question in [["find"], ["find", "--last"]] {
      let nowhere = await bench.run(question + ["my-log", "/animals == 1"] + ends)
      let looked =
        first == last ? "it does not hold at revision \(first)\n" : "at any revision from \(first) to \(last)\n"
      #expect(nowhere.status == 1 && nowhere.messages.contains(looked), "\(nowhere.messages)")
    }
  }

  @Test("without a beginning, the initial state is included")
  func fromTheStart() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    for ends in [[], ["--from", "start"], ["--from", "0", "--to", "3"]] {
      #expect(try Self.revision(await bench.run(["find", "my-log", "/animals exists", "--json"] + ends)) == 0)
      let last = ends.count == 4 ? 3 : Self.count
      let back = await bench.run(["find", "--last", "my-log", "seq <= 3", "--json"] + ends)
      #expect(try Self.revision(back) == min(3, last))
      #expect(try Self.seqs(await bench.run(["list", "my-log", "--json"] + ends)) == Array(1...last))
    }
  }

  private static let commands: [[String]] = [
    ["list", "my-log"], ["list", "my-log", "--last", "3"], ["list", "my-log", "--where", "/animals exists"],
    ["list", "my-log", "--format", "lines", "--all"], ["stats", "my-log"], ["list", "my-log", "--format", "csv"],
    ["export", "my-log"], ["history", "my-log", "/animals"],
    ["history", "my-log", "/animals"], ["find", "my-log", "/animals exists"],
    ["find", "--last", "my-log", "/animals exists"], ["find", "--bisect", "my-log", "/animals exists"],
  ]

  @Test("a range that ends before it begins is refused", arguments: commands)
  func backward(command: [String]) async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let run = await bench.run(command + ["--from", "4", "--to", "2"])
    #expect(run.status == 2 && run.output.isEmpty)
    #expect(
      run.messages.hasPrefix("error: --from (revision 4) is after --to (revision 2)\n"), "\(run.messages)")
  }

  @Test("a range of times without actions is valid and empty", arguments: commands)
  func empty(command: [String]) async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    for ends in [["--from", "2100-01-01"], ["--from", "1999-01-01", "--to", "1999-01-01T12:00:00Z"]] {
      let run = await bench.run(command + ends)
      #expect(run.status == 1 && run.messages.contains("no action"), "\(run.messages)")
    }
  }

  @Test("a day is included completely; as a point it is midnight UTC")
  func days() async throws {
    let bench = Bench()
    let log = try LogWriter.open(
      at: "my-log", model: "counter", schema: 1, fileSystem: bench.disk,
      configuration: LogConfiguration(environment: bench.logEnvironment))
    for time in [
      "2026-11-20T23:59:59.999999Z", "2026-11-21T00:00:00.000000Z", "2026-11-21T12:00:00.000000Z",
      "2026-11-21T23:59:59.999999Z", "2026-11-22T00:00:00.000000Z",
    ] {
      _ = try log.writeNow([
        LogDraft(type: "didTapIncrementButton", data: Array("{}".utf8), time: LogTime(parsing: time))
      ])
    }
    try log.closeNow()
    func seqs(_ ends: String...) async throws -> [Int] {
      try Self.seqs(await bench.run(["list", "my-log", "--json"] + ends))
    }
    #expect(try await seqs("--from", "2026-11-21") == [2, 3, 4, 5])
    #expect(try await seqs("--to", "2026-11-21") == [1, 2, 3, 4])
    #expect(try await seqs("--from", "2026-11-21", "--to", "2026-11-21") == [2, 3, 4])
    #expect(try await seqs("--from", "2026-11-22", "--to", "2026-11-22") == [5])
    #expect(try await seqs("--from", "2026-11-23").isEmpty)
    // The clock of the test is at 2026-11-21T09:00.
    #expect(try await seqs("--from", "today", "--to", "today") == [2, 3, 4])
    #expect(try await seqs("--from", "yesterday", "--to", "yesterday") == [1])
    #expect(try await seqs("--from", "yesterday", "--to", "today") == [1, 2, 3, 4])
    let state = await bench.run("state", "my-log", "--at", "2026-11-21", "--json")
    #expect(try JSONValue(parsing: Array(state.output.utf8))["revision"]?.integer == 2)
    let replay = await bench.run("replay", "my-log", "--to", "2026-11-21", "--json")
    #expect(try JSONValue(parsing: Array(replay.output.utf8))["revision"]?.integer == 4)
    let condition = await bench.run("list", "my-log", "--json", "--where", "time >= \"2026-11-22\"")
    #expect(try Self.seqs(condition) == [5])
  }
}

/// A range that begins at a time begins after the last earlier action, in every command with ranges.
@Suite struct TimeRangeTests {
  /// The commands, and the part of an output line that is the number of an action.
  static let commands = [
    ["list", "my-log", "--json"], ["list", "my-log", "--json", "--last", "1000"],
    ["list", "my-log", "--format", "lines"],
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

  @Test func tableHasTheSameRange() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let rows = await bench.run("list", "my-log", "--format", "csv").output.split(separator: "\n")
    let time = try #require(rows[6].split(separator: ",").first { cell in cell.contains("T") && cell.hasSuffix("Z") })
    let later = await bench.run("list", "my-log", "--format", "csv", "--from", String(time))
    #expect(later.output.split(separator: "\n") == [rows[0]] + Array(rows[6...]))
    let none = await bench.run("list", "my-log", "--format", "csv", "--from", "2100-01-01T00:00:00Z")
    #expect(none.output.split(separator: "\n") == [rows[0]])
  }

  /// Records an action at each of the given times.
  private static func record(at times: [String], on bench: Bench) throws {
    let writer = try LogWriter.open(
      at: "my-log", model: "counter", schema: 1, fileSystem: bench.disk,
      configuration: LogConfiguration(environment: bench.logEnvironment))
    _ = try writer.writeNow(
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
    #expect(try Self.seqs(midnight).first == 6, "after the last one of the day before")
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
