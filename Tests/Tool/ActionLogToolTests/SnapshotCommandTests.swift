import ActionLog
import ActionLogTesting
import ActionLogTool
import EventSourcing
import JSONCoding
import Testing

@Suite("snapshot")
struct SnapshotCommandTests {
  @Test("later replays start from it, with the same answers")
  func isUsed() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let before = await bench.run("state", "my-log", "-q")
    let run = await bench.run("snapshot", "my-log", "--at", "20")
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("revision 20: my-log/snapshots/0000000000000020.json, "))
    #expect(await bench.run("state", "my-log", "--json").output.contains(#""actionsFolded":3,"fromSnapshot":20"#))
    #expect(await bench.run("state", "my-log", "-q").output == before.output)
    #expect(await bench.run("state", "my-log", "--at", "19", "--json").output.contains(#""fromSnapshot":null"#))
  }

  #if os(Linux)
  @Test("its examination is remembered in the cache folder, and changes no answer")
  func examinationIsRemembered() async throws {
    let bench = Bench()
    _ = await bench.run("record", "counter", "my-log", "--workload", "5000", "--snapshot-every", "4900")
    func state(_ variables: [String: String]) async -> (run: CommandLineRun, bytesRead: Int) {
      let before = bench.disk.counts.bytesRead
      let run = await bench.run("state", "my-log", "--json") { environment in environment.variables = variables }
      return (run, bench.disk.counts.bytesRead - before)
    }
    let without = await state([:])
    #expect(without.run.output.contains(#""actionsFolded":100,"fromSnapshot":4900"#))
    for (variables, folder) in [
      (["XDG_CACHE_HOME": "/cache"], "/cache/action-log"), (["HOME": "/me"], "/me/.cache/action-log"),
      (["HOME": "/you", "XDG_CACHE_HOME": "relative"], "/you/.cache/action-log"),
    ] {
      let first = await state(variables)
      #expect(try bench.disk.contents(of: folder + "/examined-snapshots").count == 65)
      let second = await state(variables)
      #expect(first.run.output == without.run.output && second.run.output == without.run.output)
      // Of about 600 kB for 4 900 actions.
      #expect(first.bytesRead - second.bytesRead > 300_000, "\(second.bytesRead) and \(first.bytesRead) bytes")
    }
  }
  #endif

  @Test("a changed snapshot is not used, and a warning says so")
  func damagedSnapshot() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let before = await bench.run("state", "my-log", "-q")
    _ = await bench.run("snapshot", "my-log")
    try bench.disk.flipBit(3, ofByte: 200, in: "my-log/snapshots/0000000000000023.json")
    let run = await bench.run("state", "my-log")
    #expect(run.output == before.output)
    #expect(run.messages.hasPrefix("warning: snapshot not used: my-log/snapshots/0000000000000023.json: checksum"))
  }

  @Test func refusedSnapshotsAreOneWarning() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    for revision in 1...12 { _ = await bench.run("snapshot", "my-log", "--at", "\(revision)") }
    for revision in 1...11 {
      let name = String(repeating: "0", count: revision < 10 ? 15 : 14) + "\(revision).json"
      try bench.disk.flipBit(3, ofByte: 200, in: "my-log/snapshots/" + name)
    }
    try bench.disk.setContents(Array("{}".utf8), of: "my-log/snapshots/0000000000000012.json")
    for command in [["state", "my-log"], ["replay", "my-log", "--verify"], ["replay", "my-log", "--snapshots"]] {
      let run = await bench.run(command)
      let warnings = run.messages.split(separator: "\n").filter { line in line.hasPrefix("warning: ") }
      #expect(warnings.count == 1 && warnings[0].contains("12 snapshots not used: my-log/snapshots/"), "\(warnings)")
    }
    let run = await bench.run("state", "my-log", "--json")
    #expect(run.messages.split(separator: "\n").count == 1)
  }

  @Test("one segment alone has no snapshots")
  func singleSegment() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let run = await bench.run("snapshot", Bench.segment)
    #expect(run.status == 2)
    #expect(run.messages.contains("Give the log's directory."))
  }

  @Test func aReplayKeepsSnapshotsForTheNextQuestion() async throws {
    let bench = Bench()
    _ = await bench.run("record", "counter", "my-log", "--workload", "2000", "--snapshot-every", "9999")
    let before = try json(await bench.run("state", "my-log", "--json"))[0]
    #expect(before["actionsFolded"] == 2_000 && before["fromSnapshot"] == .null)
    let plain = await bench.run("replay", "my-log", "--json")
    #expect(try json(plain)[0]["snapshotsKept"] == nil)
    let run = await bench.run("replay", "my-log", "--keep-snapshots", "--json")
    let answer = try json(run)[0]
    #expect(run.status == 0 && run.messages.isEmpty)
    #expect(answer["actionsFolded"] == 2_000 && answer["fromRevision"] == 0)
    guard case .number(let number)? = answer["snapshotsKept"], let count = Int("\(number)") else {
      Issue.record("\(answer)")
      return
    }
    #expect(try count > 2 && bench.disk.names(in: "my-log/snapshots").count == count)
    let after = try json(await bench.run("state", "my-log", "--json"))[0]
    #expect(after["state"] == before["state"] && after["sha256"] == before["sha256"])
    #expect(after["fromSnapshot"] != .null && after["actionsFolded"] != before["actionsFolded"])
    // They are there already, so the next replay adds none.
    let again = await bench.run("replay", "my-log", "--keep-snapshots")
    #expect(again.status == 0 && again.output.contains("\n  kept     0 snapshots\n"), "\(again.output)")
    #expect(try bench.disk.names(in: "my-log/snapshots").count == count)
  }

  @Test func aSnapshotThatCannotBeKeptIsAWarning() async throws {
    let bench = Bench()
    _ = await bench.run("record", "counter", "my-log", "--workload", "2000", "--snapshot-every", "9999")
    let disk = bench.disk
    for (fault, words) in [
      (FileFault(.createDirectory, lasts: true, code: .permissionDenied), "a snapshot could not be written"),
      (FileFault(.append, lasts: true, code: .noSpace, pathSuffix: ".new"), "a snapshot could not be written"),
      (FileFault(.sync, lasts: true, pathSuffix: ".jsonl"), "the segment cannot be synced"),
    ] {
      let run = await bench.run("replay", "my-log", "--keep-snapshots") { environment in
        environment.fileSystem = FaultyFileSystem(disk, faults: [fault])
      }
      #expect(run.status == 0 && run.output.contains("matches") && run.output.contains("kept     0 snapshots"))
      #expect(run.messages.hasPrefix("warning: not all snapshots were kept: " + words), "\(run.messages)")
    }
    #expect(await bench.run("state", "my-log", "--json").output.contains(#""fromSnapshot":null"#))
    for words in [
      ["--verify"], ["--digests-at", "5"], ["--on-divergence", "freeze"], ["--from", "0"], ["--ranges", "2"],
    ] {
      let run = await bench.run(["replay", "my-log", "--keep-snapshots"] + words)
      #expect(run.status == 2 && run.messages.contains("--keep-snapshots cannot be combined"), "\(run.messages)")
    }
  }

  private func json(_ run: CommandLineRun) throws -> [JSONValue] {
    try run.output.split(separator: "\n").map { line in try JSONValue(parsing: Array(line.utf8)) }
  }

  @Test func rangesProveTheCompleteReplay() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    for revision in ["7", "10", "16"] { _ = await bench.run("snapshot", "my-log", "--at", revision) }
    let ranges = await bench.run("replay", "my-log", "--ranges", "3")
    #expect(ranges.output == "--from 0 --to 7\n--from 7 --to 16\n--from 16 --to 23\n")
    #expect(try json(await bench.run("replay", "my-log", "--ranges", "3", "--json"))[1] == ["from": 7, "to": 16])
    #expect(await bench.run("replay", "my-log", "--ranges", "1").output == "--from 0 --to 23\n")
    #expect(await bench.run("replay", "my-log", "--ranges", "9").output.split(separator: "\n").count == 4)
    var digest = try #require(json(await bench.run("state", "my-log", "--at", "0", "--json"))[0]["sha256"])
    for (words, end) in zip(ranges.output.split(separator: "\n"), [true, true, nil]) {
      let words = words.split(separator: " ").map(String.init)
      let run = await bench.run(["replay", "my-log", "--json"] + words)
      let answer = try json(run)[0]
      #expect(run.status == 0 && answer["fromSha256"] == digest, "\(run.output)")
      #expect(answer["fromRevision"] == .integer(Int(words[1]) ?? -1))
      #expect(answer["actionsFolded"] == .integer((Int(words[3]) ?? 0) - (Int(words[1]) ?? 0)))
      #expect(answer["snapshotMatches"] == end.map(JSONValue.bool) ?? .null)
      digest = try #require(answer["sha256"])
    }
    #expect(digest == (try json(await bench.run("replay", "my-log", "--json"))[0]["sha256"]))
  }

  @Test func aRangeHasAVerdict() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    for revision in ["7", "16", "20"] { _ = await bench.run("snapshot", "my-log", "--at", revision) }
    let snapshots = SnapshotStore(at: "my-log", fileSystem: bench.disk)
    var forged = try snapshots.read(at: 20)
    forged.state = try snapshots.read(at: 16).state
    try snapshots.publish(forged)
    try bench.disk.flipBit(3, ofByte: 200, in: snapshots.path(at: 7))
    for (end, verdict, status) in [
      ("3", "nothing to compare", 0), ("7", "the snapshot at its end cannot be compared", 1), ("16", "matches", 0),
      ("20", "differs", 1),
    ] as [(String, String, Int32)] {
      let run = await bench.run("replay", "my-log", "--from", "0", "--to", end)
      #expect(run.output.contains(" at revision \(end): \(verdict)") && run.status == status, "\(run)")
    }
  }

  @Test func aRangeNeedsExactlyItsSnapshot() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    for revision in ["7", "16"] { _ = await bench.run("snapshot", "my-log", "--at", revision) }
    let missing = await bench.run("replay", "my-log", "--from", "8")
    #expect(
      missing.status == 1 && missing.messages.contains("the replay cannot begin at revision 8: it cannot be read"))
    try bench.disk.flipBit(3, ofByte: 200, in: "my-log/snapshots/0000000000000007.json")
    let damaged = await bench.run("replay", "my-log", "--from", "7", "--to", "16")
    #expect(damaged.status == 1 && damaged.messages.contains("cannot begin at revision 7: checksum mismatch"))
    // The ranges leave out what no process could begin with, and the one that ends there reports it.
    #expect(await bench.run("replay", "my-log", "--ranges", "3").output == "--from 0 --to 16\n--from 16 --to 23\n")
    let ending = await bench.run("replay", "my-log", "--from", "0", "--to", "7")
    #expect(ending.status == 1 && ending.output.contains("the one at the end cannot be read"))
    #expect(ending.messages.contains("0000000000000007.json: checksum mismatch"))
    for words in [
      ["--from", "5", "--to", "3"], ["--from", "0", "--verify"], ["--ranges", "2", "--to", "5"],
      ["--from", "0", "--snapshots"], ["--ranges", "0"], ["--from", "0", "--ranges", "2"],
    ] {
      let run = await bench.run(["replay", "my-log"] + words)
      #expect(run.status == 2, "\(words): \(run.messages)")
    }
  }
}
