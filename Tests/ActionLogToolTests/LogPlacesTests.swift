import ActionLog
import JSONCoding
import TestSupport
import Testing

/// What is said of a path that is near a log, and of the end of a log that is damaged.
@Suite("Near a log") struct LogPlacesTests {
  @Test(
    "the folder above a log: the log in it is named",
    arguments: ["list", "state", "verify", "replay", "stats", "show 1"])
  func folderAbove(command: String) async throws {
    let bench = Bench()
    try bench.disk.createDirectory("zoo")
    for name in ["log", "other"] {
      let line = #"{"type":"didTapIncrementButton","data":{}}"# + "\n"
      let run = await bench.run("record", "counter", "zoo/\(name)", input: [line])
      #expect(run.status == 0, "\(run.messages)")
    }
    let words = command.split(separator: " ").map(String.init)
    for folder in ["zoo", "zoo/"] {
      let run = await bench.run([words[0], folder] + words.dropFirst())
      #expect(run.status == 3)
      #expect(run.messages.contains("Logs lie in it: 'zoo/log', 'zoo/other'."), "\(run.messages)")
    }
  }

  @Test("a log that was being begun anew when its process was killed")
  func halfRolled() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    try bench.disk.rename("my-log", to: "store.new")
    let run = await bench.run("list", "store")
    #expect(run.status == 3 && run.messages.contains("'store.new' is there"), "\(run.messages)")
  }

  @Test("commands agree on the end of a damaged log, also where a snapshot lies behind the damage")
  func endOfDamaged() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    #expect(await bench.run("snapshot", "my-log", "--at", "9").status == 0)
    let file = try bench.disk.open(Bench.segment, for: .overwrite)
    let bytes = try file.bytes(at: 0, count: try file.size())
    let fifth = try #require(bytes.firstRange(of: Array(#"{"seq":5,"#.utf8)))
    try file.write([bytes[fifth.upperBound + 3] ^ 1], at: fifth.upperBound + 3)
    file.close()

    for arguments in [[], ["--at", "end"]] {
      let state = await bench.run(["state", "my-log", "--json"] + arguments)
      #expect(state.status == 1 && state.output.contains(#""revision":4"#), "\(state)")
      #expect(state.messages.contains("damaged"))
    }
    let difference = await bench.run("diff", "my-log", "start", "end")
    #expect(difference.status == 1 && difference.output.contains("revision 0 → 4"), "\(difference)")
  }
}
