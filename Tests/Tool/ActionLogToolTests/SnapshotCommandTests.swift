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

  private func json(_ run: CommandLineRun) throws -> [JSONValue] {
    try run.output.split(separator: "\n").map { line in try JSONValue(parsing: Array(line.utf8)) }
  }
}
