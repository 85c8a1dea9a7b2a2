import ActionLog
import ActionLogTesting
import ActionLogTool
import JSONCoding
import TestSupport
import Testing

/// Errors for paths near a log, and commands at the end of a damaged log.
@Suite("Near a log") struct LogLocatorTests {
  @Test(
    "the error for the folder above a log names the log, and only advice that works",
    arguments: [
      ("backup copy", "'backup' takes one log at a time."),
      ("projections", "'action-log each zoo -- projections' answers for each of them."),
      ("consume --as mail -- answer", "'consume' takes one log at a time."),
      ("subscriptions", "'action-log each zoo -- subscriptions' answers for each of them."),
      ("record counter", "'record' takes one log at a time."),
      ("state", "'action-log each zoo -- state' answers for each of them."),
      ("show 1", "'action-log each zoo -- show …' answers for each of them."),
      ("blame /value", "'action-log each zoo -- blame …' answers for each of them."),
    ])
  func folderAbove(command: String, advice: String) async throws {
    let bench = Bench()
    try bench.disk.createDirectory("zoo")
    for name in ["log", "other"] {
      let line = #"{"type":"didTapIncrementButton","data":{}}"# + "\n"
      let run = await bench.run("record", "counter", "zoo/\(name)", input: [line])
      #expect(run.status == 0, "\(run.messages)")
    }
    let words = command.split(separator: " ").map(String.init)
    for folder in ["zoo", "zoo/"] {
      let place = words[0] == "record" ? 2 : 1
      let run = await bench.run(Array(words.prefix(place)) + [folder] + words.dropFirst(place))
      #expect(run.status == 3)
      #expect(run.messages.contains("It contains the logs 'zoo/log', 'zoo/other'."), "\(run.messages)")
      #expect(run.messages.contains(advice), "\(run.messages)")
    }
  }

  @Test("a folder with very many entries: a bounded number of them is read")
  func hugeFolder() throws {
    let disk = MemoryFileSystem()
    try disk.createDirectory("huge")
    for number in 10_000..<13_000 { try disk.createDirectory("huge/\(number)") }
    try disk.createDirectory("huge/10500/0000000000000001.jsonl")
    let watched = FaultyFileSystem(disk)
    #expect(LogLocator(watched).advice(on: "huge") == "It contains the log 'huge/10500'.")
    #expect(watched.count(of: .names) == 1_001)
  }

  @Test(
    "the folder above a log, for every form of its path",
    arguments: [
      ("zoo/log", "zoo"), ("zoo/log//", "zoo"), ("log", "."), ("/log", "/"), ("/", "/"), (".", ".."), ("./", ".."),
      ("..", "../.."), ("zoo/.", "zoo/./.."), ("zoo//log", "zoo"), ("my zoo/log", #"my\ zoo"#), ("-zoo/log", "./-zoo"),
      ("the cat's/log", #"the\ cat\'s"#), ("/Ōfu/$x/log", #"/Ōfu/\$x"#),
    ])
  func folderOfLog(log: String, folder: String) {
    #expect(ShellWord(LogLocator.folder(above: log)).description == folder)
  }

  @Test(
    "a misspelled path: only logs are proposed, with the path as it was given",
    arguments: [
      ("zoo/anmials", "Did you mean 'zoo/animals'?"), ("./zoo/animal/", "Did you mean './zoo/animals'?"),
      ("zoo/notez", nil), ("zoo/quakes", nil), ("zoos/animals", nil), ("zoo/animals/animals", nil),
    ])
  func misspelled(path: String, advice: String?) async throws {
    let bench = Bench()
    try bench.disk.createDirectory("zoo")
    try bench.disk.createDirectory("zoo/notes")
    for name in ["animal1", "animal2", "animal3"] { try bench.disk.createDirectory("zoo/" + name) }
    #expect(await bench.run("record", "counter", "zoo/animals", "--workload", "3").status == 0)
    for words in [["list"], ["blame", "/value"], ["verify"]] {
      let run = await bench.run([words[0], path] + words.dropFirst())
      #expect(run.status == 3 && run.messages.contains(advice ?? "Check the path; "), "\(words): \(run.messages)")
      #expect(run.messages.contains("Did you mean") == (advice != nil), "\(words): \(run.messages)")
    }
    // Another missing file is no misspelled log.
    let run = await bench.run("import", "zoo/animal", "new-log", "--format", "cloudevents")
    #expect(run.status == 3 && !run.messages.contains("Did you mean"), "\(run.messages)")
  }

  @Test("an empty path is neither a folder nor a log")
  func noPath() {
    let places = LogLocator(MemoryFileSystem())
    #expect(throws: ToolFailure.self) { try places.requireFolder("", option: "data") }
    #expect(throws: ToolFailure.self) { try places.requireLog("", option: "store") }
  }

  @Test("a log that was being replaced when its process was killed")
  func halfRolled() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    try bench.disk.rename("my-log", to: "store.new")
    let run = await bench.run("list", "store")
    #expect(run.status == 3 && run.messages.contains("'store.new' exists"), "\(run.messages)")
  }

  @Test("commands agree on the end of a damaged log, also with a snapshot after the damage")
  func endOfDamaged() async throws {
    let bench = Bench()
    // Two segments; the damage is at their boundary, and the snapshot is in the second one.
    let lines = (1...10).map { _ in #"{"type":"didTapIncrementButton","data":{}}"# + "\n" }
    #expect(await bench.run(["record", "counter", "my-log", "--segment-size", "1500"], input: lines).status == 0)
    #expect(try bench.disk.names(in: "my-log").filter { name in name.hasSuffix(".jsonl") }.count == 2)
    #expect(await bench.run("snapshot", "my-log", "--at", "9").status == 0)
    let file = try bench.disk.open(Bench.segment, for: .overwrite)
    let bytes = try file.bytes(at: 0, count: try file.size())
    let last = try LogReader.open(at: Bench.segment, fileSystem: bench.disk).extent().lastRevision
    let place = try #require(bytes.firstRange(of: Array("{\"seq\":\(last),".utf8))).upperBound + 3
    try file.write([bytes[place] ^ 1], at: place)
    file.close()

    for arguments in [[], ["--at", "end"]] {
      let state = await bench.run(["state", "my-log", "--json"] + arguments)
      #expect(state.status == 1 && state.output.contains("\"revision\":\(last - 1),"), "\(state)")
      #expect(state.messages.contains("damaged"))
    }
    let difference = await bench.run("diff", "my-log", "start", "end")
    #expect(difference.status == 1 && difference.output.contains("revision 0 → \(last - 1)"), "\(difference)")
  }
}
