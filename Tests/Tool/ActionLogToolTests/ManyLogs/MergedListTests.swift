import ActionLog
import ActionLogTesting
import ActionLogTool
import CounterData
import EventSourcing
import JSONCoding
import TerminalUI
import TestSupport
import Testing

/// Several logs, or a directory of logs, in the verbs that print records.
@Suite("Many logs, merged") struct MergedListTests {
  /// A row of `list --json`: its log and revision.
  private struct Row: Equatable {
    var path: String
    var revision: Int
  }

  /// Creates a log of actions at given times, in microseconds after an arbitrary one.
  private func makeLog(_ path: String, times: [Int], on disk: MemoryFileSystem) throws {
    try disk.makeDirectories(LogLocator.folder(above: path))
    let writer = try LogWriter.open(at: path, model: "counter", schema: 1, fileSystem: disk)
    for time in times {
      let time = LogTime(microseconds: 1_790_000_000_000_000 + Int64(time))
      try writer.appendNow([LogDraft(type: "didTapIncrementButton", data: Array("{}".utf8), time: time)])
    }
    try writer.closeNow()
  }

  /// The actions of a run with `--json`.
  private func rows(_ run: CommandLineRun) throws -> [Row] {
    try run.output.split(separator: "\n").compactMap { line in
      let value = try JSONValue(parsing: line.utf8)
      guard let revision = value["seq"]?.integer else { return nil }
      return Row(path: try #require(value["path"]?.text), revision: revision)
    }
  }

  @Test func onlyLogsThatAreReadAreCounted() async throws {
    let bench = Bench()
    for name in ["a", "b"] { try makeLog(name, times: [1, 2], on: bench.disk) }
    let run = await bench.run("stats", "a", "nowhere", "b")
    #expect(run.status != 0 && run.messages.contains("nowhere"), "\(run)")
    #expect(run.output.hasPrefix("2 logs of 3\n"), "\(run.output)")
    let json = await bench.run("stats", "a", "nowhere", "--json")
    #expect(try JSONValue(parsing: json.output.utf8)["logs"] == 1)
    #expect(await bench.run("stats", "a", "b").output.hasPrefix("2 logs\n"))
  }

  /// Many logs, some with clocks that are set back, and many equal times.
  @Test("the merged order is that of a sort", arguments: [1, 2, 3] as [UInt64])
  func mergedOrderIsThatOfASort(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let bench = Bench()
    var expected: [(key: Int, path: String, revision: Int)] = []
    for number in 0..<84 {
      let path = "logs/\(number % 7)/log-\(number)"
      let times = (0..<Int.random(in: 0...9, using: &random)).map { _ in Int.random(in: 0..<40, using: &random) }
      try makeLog(path, times: times, on: bench.disk)
      var latest = 0
      for (index, time) in times.enumerated() {
        latest = max(latest, time)
        expected.append((latest, path, index + 1))
      }
    }
    expected.sort { left, right in
      if left.key != right.key { return left.key < right.key }
      if left.path != right.path { return left.path.utf8.lexicographicallyPrecedes(right.path.utf8) }
      return left.revision < right.revision
    }
    let all = expected.map { row in Row(path: row.path, revision: row.revision) }
    let run = await bench.run("list", "logs", "--json")
    #expect(run.status == 0, "seed \(seed): \(run.messages)")
    #expect(try rows(run) == all, "seed \(seed)")
    let first = await bench.run("list", "logs", "--json", "--limit", "17")
    #expect(try rows(first) == Array(all.prefix(17)), "seed \(seed)")
  }

  @Test func lastActionsAreThoseOfAllLogs() async throws {
    let bench = Bench()
    try makeLog("logs/b", times: [1, 5, 9], on: bench.disk)
    try makeLog("logs/a", times: [2, 5, 8], on: bench.disk)
    let expected = [Row(path: "logs/a", revision: 2), Row(path: "logs/b", revision: 2)]
    let end = [Row(path: "logs/a", revision: 3), Row(path: "logs/b", revision: 3)]
    for words in [
      ["list", "logs", "--last", "4"], ["list", "logs/b", "logs/a", "--last", "4"],
      ["list", "-f", "logs", "--last", "4"],
    ] {
      let run = await bench.run(words + ["--json"])
      #expect(try rows(run) == expected + end, "\(words): \(run.messages)")
    }
  }

  @Test func conditionsOnStatesSelectInEachLog() async throws {
    let bench = Bench()
    try makeLog("logs/a", times: [1, 4, 7], on: bench.disk)
    try makeLog("logs/b", times: [2, 3], on: bench.disk)
    let run = await bench.run("list", "logs", "--where", "/value == 2", "--json")
    #expect(try rows(run) == [Row(path: "logs/b", revision: 2), Row(path: "logs/a", revision: 2)], "\(run.messages)")
  }

  @Test func pointsApplyToEachLog() async throws {
    let bench = Bench()
    try makeLog("logs/long", times: [1, 2, 3, 4, 5], on: bench.disk)
    try makeLog("logs/short", times: [1, 2], on: bench.disk)
    let from = await bench.run("list", "logs", "--from", "4", "--json")
    #expect(try rows(from) == [Row(path: "logs/long", revision: 4), Row(path: "logs/long", revision: 5)])
    let last = await bench.run("list", "logs", "--from", "-1", "--json")
    #expect(try rows(last).count == 4 && last.status == 0)
    let none = await bench.run("list", "logs", "--from", "6", "--json")
    #expect(none.status == 1 && none.output.isEmpty)
    let wrong = await bench.run("list", "logs", "--from", "5", "--to", "2")
    #expect(wrong.status == 2 && wrong.messages.contains("is after --to"), "\(wrong.messages)")
  }

  @Test func damagedLogCostsOnlyItsOwnRecords() async throws {
    let bench = Bench()
    for name in ["a", "b", "c"] { try makeLog("logs/\(name)", times: [1, 2, 3, 4], on: bench.disk) }
    try bench.disk.flipBit(0, ofByte: 900, in: "logs/b/0000000000000001.jsonl")
    let run = await bench.run("list", "logs", "nowhere", "--json")
    #expect(run.status == 3)
    let found = try rows(run)
    #expect(found.filter { row in row.path != "logs/b" }.count == 8)
    let intact = found.filter { row in row.path == "logs/b" }.count
    #expect((0..<4).contains(intact))
    let errors = try run.output.split(separator: "\n").compactMap { line in
      let value = try JSONValue(parsing: line.utf8)
      return value["error"] == nil ? nil : value["path"]?.text
    }
    #expect(Set(errors) == ["logs/b", "nowhere"] && errors.count == 2)
    let text = await bench.run("list", "logs")
    #expect(text.status == 1 && text.messages.contains("logs/b/0000000000000001.jsonl"), "\(text.messages)")
    let verified = await bench.run("verify", "logs")
    #expect(verified.status == 1 && verified.output.hasSuffix("3 logs: 2 clean, 1 damaged\n"), "\(verified.output)")
    let counted = await bench.run("stats", "logs", "--json")
    #expect(try JSONValue(parsing: Array(counted.output.utf8))["actions"]?.integer == 8 + intact)
  }

  @Test func rowsFitTheTerminal() async throws {
    let bench = Bench()
    try makeLog("logs/東京/ein-sehr-langer-name-eines-kunden", times: [1, 2], on: bench.disk)
    try makeLog("logs/b", times: [3], on: bench.disk)
    for words in [["list", "logs"], ["fleet", "logs"], ["verify", "logs"]] {
      let run = await bench.run(words) { environment in environment.variables["COLUMNS"] = "40" }
      #expect(run.status == 0, "\(run.messages)")
      let rows = run.output.split(separator: "\n").filter { row in !row.contains(" logs") }
      #expect(!rows.isEmpty && rows.allSatisfy { row in TextWidth.of(String(row)) <= 40 }, "\(run.output)")
    }
  }

  @Test func logInSeveralArgumentsIsListedOnce() async throws {
    let bench = Bench()
    try makeLog("logs/a", times: [1, 2], on: bench.disk)
    let run = await bench.run("list", "logs", "logs/a", "logs/../logs/a/", "--json")
    #expect(try rows(run).count == 2)
  }

  @Test func searchSkipsUnfinishedCopiesAndOtherFolders() async throws {
    let bench = Bench()
    try makeLog("logs/deep/er/a", times: [1], on: bench.disk)
    try makeLog("logs/b.unfinished", times: [2], on: bench.disk)
    // A log is not searched for others, and other programs have files called HEAD.
    try makeLog("logs/deep/er/a/inside", times: [3], on: bench.disk)
    try bench.disk.createDirectory("logs/repository")
    try bench.disk.setContents(Array("ref: refs/heads/main\n".utf8), of: "logs/repository/HEAD")
    let run = await bench.run("list", "logs", "--json")
    #expect(try rows(run) == [Row(path: "logs/deep/er/a", revision: 1)], "\(run.messages)")
  }

  @Test func tooDeepFolderIsReported() async throws {
    let bench = Bench()
    let deep = "logs" + String(repeating: "/x", count: LogSearch.depthLimit + 1)
    try makeLog(deep + "/a", times: [1], on: bench.disk)
    try makeLog("logs/b", times: [1], on: bench.disk)
    let run = await bench.run("list", "logs", "--json")
    #expect(run.status == 5 && run.output.contains("levels deep"), "\(run.output)")
    #expect(try rows(run) == [Row(path: "logs/b", revision: 1)])
  }

  @Test func csvHasThePathInItsFirstColumn() async throws {
    let bench = Bench()
    try makeLog("logs/a, b", times: [1], on: bench.disk)
    let lines = await bench.run("list", "logs", "--format", "csv").output.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].hasPrefix("path,seq,time,"))
    #expect(lines[1].hasPrefix(#""logs/a, b",1,"#))
  }

  @Test(arguments: ["state", "replay", "compat"])
  func verbOfOneLogAdvisesEach(verb: String) async throws {
    let bench = Bench()
    try makeLog("logs/a", times: [1], on: bench.disk)
    let folder = await bench.run(verb, "logs")
    #expect(folder.status == 3 && folder.messages.contains("'action-log each logs -- \(verb)'"), "\(folder.messages)")
    let two = await bench.run(verb, "logs/a", "logs/b")
    #expect(two.status == 2 && two.messages.contains("'action-log each logs/a logs/b -- \(verb)'"), "\(two.messages)")
  }

  @Test(arguments: [["list"], ["list", "-f"], ["stats"], ["list", "--format", "csv"]])
  func causeOfManyLogsIsRefused(words: [String]) async throws {
    let bench = Bench()
    try makeLog("logs/a", times: [1], on: bench.disk)
    try makeLog("logs/b", times: [2], on: bench.disk)
    let run = await bench.run([words[0], "logs"] + words.dropFirst() + ["--cause", "7"])
    #expect(run.status == 2 && run.output.isEmpty, "\(run.output)")
    #expect(run.messages.contains("a recorded cause is a revision of the same log"), "\(run.messages)")
    #expect(
      run.messages.contains("for instance logs/a, or") && run.messages.contains("--where 'meta/cause == 7'"),
      "\(run.messages)")
  }

  @Test func logsOfASetAreNamedByTheirKeys() async throws {
    let bench = Bench()
    let set = try await LogSet<CounterModel>.open(at: "customers", fileSystem: bench.disk)
    for key in ["alice", "bob"] {
      try await set.withStore(for: key) { store in
        _ = try await store.dispatch(action: .didTapIncrementButton, awaiting: .synced)
      }
    }
    try await set.close()
    let table = await bench.run("list", "customers")
    #expect(table.status == 0)
    let names = table.output.split(separator: "\n").map { line in line.prefix { character in character != " " } }
    #expect(names.sorted() == ["alice", "bob"], "\(table.output)")
    for words in [
      ["list", "customers", "--json"], ["fleet", "customers", "--json"], ["each", "customers", "--", "state"],
    ] {
      let run = await bench.run(words)
      let keys = try run.output.split(separator: "\n").compactMap { line in
        try JSONValue(parsing: line.utf8)["key"]?.text
      }
      #expect(keys.sorted() == ["alice", "bob"], "\(words): \(run.output)\(run.messages)")
    }
  }

  @Test func fleetListsSizesAndDamage() async throws {
    let bench = Bench()
    try makeLog("logs/small", times: [1], on: bench.disk)
    try makeLog("logs/large", times: [1, 2, 3, 4, 5, 6], on: bench.disk)
    try makeLog("logs/damaged", times: [1, 2, 3, 4], on: bench.disk)
    try bench.disk.flipBit(0, ofByte: 900, in: "logs/damaged/0000000000000001.jsonl")
    let run = await bench.run("fleet", "logs", "--json")
    #expect(run.status == 1)
    let lines = try run.output.split(separator: "\n").map { line in try JSONValue(parsing: line.utf8) }
    let large = lines.first { line in line["path"]?.text == "logs/large" }
    #expect(large?["last", "seq"]?.integer == 6)
    #expect(lines.count == 4 && lines.last?["total", "logs"]?.integer == 3)
    #expect(lines.last?["total", "damaged"]?.integer == 1)
    let damaged = try #require(lines.first { line in line["path"]?.text == "logs/damaged" })
    #expect(damaged["end"]?.text == "damaged" && damaged["error", "code"]?.text == "damaged")
    let table = await bench.run("fleet", "logs")
    #expect(table.output.contains("3 logs, ") && table.output.contains("1 damaged"), "\(table.output)")
  }
}
