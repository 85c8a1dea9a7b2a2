import ActionLog
import ActionLogTool
import AnimalsData
import JSONCoding
import Testing

/// `--from` and `--to` mean the same wherever they stand: the first and the last action of a stretch, and both are in it.
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
      ["list", "my-log", "--json"], ["list", "my-log", "--json", "--last", "99"], ["cat", "my-log", "--actions"],
      ["list", "my-log", "--json", "--where", "/animals exists"],
    ] {
      #expect(try Self.seqs(await bench.run(command + ends)) == Array(first...last), "\(command)")
    }
    let table = await bench.run(["export", "my-log", "--format", "csv"] + ends).output
    #expect(table == (await bench.run(["list", "my-log", "--csv"] + ends)).output)
    let stats = try JSONValue(parsing: Array(await bench.run(["stats", "my-log", "--json"] + ends).output.utf8))
    #expect(stats["actions"]?.integer == last - first + 1 && stats["first", "seq"]?.integer == first)

    // Of a value, the actions that changed it are those that a filter finds.
    let touching = try Self.seqs(await bench.run(["list", "my-log", "--touching", "/animals/queue", "--json"] + ends))
    #expect(try Self.seqs(await bench.run(["history", "my-log", "/animals/queue", "--json"] + ends)) == touching)
    let rows = try Self.seqs(await bench.run(["watch", "my-log", "/animals/queue", "--json"] + ends))
    #expect(rows == [first - 1] + touching)

    // A condition that holds everywhere holds first at the beginning of the range, and last at its end.
    #expect(try Self.revision(await bench.run(["until", "my-log", "/animals exists", "--json"] + ends)) == first)
    #expect(try Self.revision(await bench.run(["bisect", "my-log", "/animals exists", "--json"] + ends)) == first)
    #expect(
      try Self.revision(await bench.run(["reverse-until", "my-log", "/animals exists", "--json"] + ends)) == last)
    for question in ["until", "reverse-until"] {
      let nowhere = await bench.run([question, "my-log", "/animals == 1"] + ends)
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
      #expect(try Self.revision(await bench.run(["until", "my-log", "/animals exists", "--json"] + ends)) == 0)
      let last = ends.count == 4 ? 3 : Self.count
      let back = await bench.run(["reverse-until", "my-log", "seq <= 3", "--json"] + ends)
      #expect(try Self.revision(back) == min(3, last))
      #expect(try Self.seqs(await bench.run(["list", "my-log", "--json"] + ends)) == Array(1...last))
    }
  }

  private static let commands: [[String]] = [
    ["list", "my-log"], ["list", "my-log", "--last", "3"], ["list", "my-log", "--where", "/animals exists"],
    ["cat", "my-log"], ["stats", "my-log"], ["export", "my-log", "--format", "csv"],
    ["export", "my-log", "--format", "redux-devtools"], ["history", "my-log", "/animals"],
    ["watch", "my-log", "/animals"], ["until", "my-log", "/animals exists"],
    ["reverse-until", "my-log", "/animals exists"], ["bisect", "my-log", "/animals exists"],
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
      "my-log", model: "counter", schema: 1, fileSystem: bench.disk,
      configuration: LogConfiguration(environment: bench.logEnvironment))
    for time in [
      "2026-11-20T23:59:59.999999Z", "2026-11-21T00:00:00.000000Z", "2026-11-21T12:00:00.000000Z",
      "2026-11-21T23:59:59.999999Z", "2026-11-22T00:00:00.000000Z",
    ] {
      _ = try log.write([
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
    let state = await bench.run("state", "my-log", "--at", "2026-11-21", "--json")
    #expect(try JSONValue(parsing: Array(state.output.utf8))["revision"]?.integer == 2)
    let replay = await bench.run("replay", "my-log", "--to", "2026-11-21", "--json")
    #expect(try JSONValue(parsing: Array(replay.output.utf8))["revision"]?.integer == 4)
    let condition = await bench.run("list", "my-log", "--json", "--where", "time >= \"2026-11-22\"")
    #expect(try Self.seqs(condition) == [5])
  }
}
