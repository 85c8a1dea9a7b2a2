import ActionLog
import ActionLogTool
import Testing

@Suite("snapshot")
struct SnapshotCommandTests {
  @Test("later replays start from it, and it changes no answer")
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

  @Test("a snapshot that was changed is not used, and that is told")
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

  @Test("one segment alone has no snapshots")
  func singleSegment() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let run = await bench.run("snapshot", Bench.segment)
    #expect(run.status == 2)
    #expect(run.messages.contains("Give the log's directory."))
  }
}
