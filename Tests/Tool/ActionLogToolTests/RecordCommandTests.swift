import ActionLog
import ActionLogTesting
import ActionLogTool
import EventSourcing
import JSONCoding
import Platform
import Testing

@Suite("record")
struct RecordCommandTests {
  private let increment = #"{"type":"didTapIncrementButton","data":{}}"# + "\n"

  @Test("every line is answered in order, and an invalid one does not stop the rest")
  func answers() async throws {
    let bench = Bench()
    let run = await bench.run(
      "record", "counter", "my-log",
      input: [
        increment + #"{"type":"didTapIncrementButton"}"# + "\n" + "nonsense\n",
        #"{"type":"didTapDecrementButton","data":{},"meta":{"actor":"u7","note":1}}"# + "\n\n",
        #"{"type":"@open","data":{}}"# + "\n" + #"{"type":"nope"}"# + "\n" + #"{"data":{}}"# + "\n[]\n",
        #"{"type":"didTapIncrementButton","data":[]}"# + "\n" + increment,
      ])
    #expect(run.status == 0)
    let answers = run.output.split(separator: "\n").map(String.init)
    #expect(answers.count == 11)
    #expect(answers[0] == #"{"line":1,"seq":1,"durability":"synced"}"#)
    #expect(answers[1] == #"{"line":2,"seq":2,"durability":"synced"}"#)
    #expect(answers[3] == #"{"line":4,"seq":3,"durability":"synced"}"#)
    #expect(answers[10] == #"{"line":11,"seq":4,"durability":"synced"}"#)
    let codes = [
      2: "notJSON", 4: "notJSON", 5: "notAnAction", 6: "unknownAction", 7: "notAnAction", 8: "notAnAction",
      9: "notAnAction",
    ]
    for (index, code) in codes {
      #expect(answers[index].hasPrefix(#"{"line":\#(index + 1),"refused":{"code":"\#(code)""#), "\(answers[index])")
    }
    #expect(run.messages.hasSuffix("recorded 4 actions as revisions 1…4, refused 7; the log is closed\n"))
    #expect(await bench.run("state", "my-log", "--path", "/value", "-q").output == "2\n")
    #expect(
      await bench.run("list", "my-log", "--actor", "u7", "--json").output.contains(#""meta":{"actor":"u7","note":1}"#))
  }

  @Test func nullIsAnAbsentMemberOfALine() async throws {
    let bench = Bench()
    let line = #"{"type":"didTapIncrementButton","data":null,"meta":null,"seq":null}"# + "\n"
    let run = await bench.run("record", "counter", "my-log", input: [line])
    #expect(run.output == #"{"line":1,"seq":1,"durability":"synced"}"# + "\n")
    #expect(await bench.run("show", "my-log", "1", "--json").output.contains(#""data":{}"#))
  }

  @Test("lines of a redactable log have salts, and can be recorded again")
  func redactable() async throws {
    let bench = Bench()
    _ = await bench.run("record", "counter", "my-log", "--redactable", input: [increment + increment])
    let lines = await bench.run("list", "my-log", "--format", "lines", "--all").output.split(separator: "\n")
    #expect(lines[0].contains(#","salted":true}"#))
    #expect(lines.dropFirst().allSatisfy { line in line.contains(#","salt":""#) })
    _ = await bench.run("record", "counter", "my-log", input: [increment])
    let later = await bench.run("list", "my-log", "--format", "lines", "--all").output.split(separator: "\n")
    #expect(later.dropFirst().allSatisfy { line in line.contains(#","salt":""#) })
    let actions = later.filter { line in line.contains(#""type":"did"#) }.joined(separator: "\n") + "\n"
    let copy = await bench.run("record", "counter", "other-log", input: [actions])
    #expect(copy.output.split(separator: "\n").count == 3 && !copy.output.contains("refused"))
    #expect(await bench.run("verify", "my-log").status == 0)
  }

  @Test(
    "an unknown member is refused by its name",
    arguments: [
      (#""user":"ann""#, #"no member \"user\""#), (#""Type":"x""#, #"did you mean \"type\"?"#),
      (#""metadata":{}"#, #"no member \"metadata\""#), (#""\u001b[2J\n":1"#, #"no member \"\\u001b[2J\\n\""#),
    ])
  func unknownMember(member: String, message: String) async throws {
    let bench = Bench()
    let line = #"{"type":"didTapIncrementButton",\#(member)}"# + "\n"
    let run = await bench.run("record", "counter", "my-log", input: [increment + line + increment])
    #expect(run.status == 0)
    let answers = run.output.split(separator: "\n")
    #expect(answers.count == 3 && answers.last == #"{"line":3,"seq":2,"durability":"synced"}"#)
    #expect(answers[1].hasPrefix(#"{"line":2,"refused":{"code":"notAnAction","message":"#), "\(answers[1])")
    #expect(answers[1].contains(message), "\(answers[1])")
  }

  /// A model with optional values, whose misspelt names are easily lost.
  private enum Notes: Model {
    struct Tag: Codable, Hashable, Sendable { var name: String, weight: Int? }

    enum Action: Codable, Equatable, Sendable { case write(text: String, color: String?, tags: Set<Tag>) }

    static var name: String { "notes" }
    static var schema: Int { 1 }
    static var initialState: Int { 0 }
    static func reduce(into state: inout Int, action: Action) { state += 1 }
  }

  @Test(arguments: [
    (#""text":"a","colour":"red","tags":[]"#, #"["/data/colour"]"#), (#""text":"a","color":"red","tags":[]"#, nil),
    (#""text":"a","color":null,"colour":null,"tags":[]"#, nil),
    (
      #""text":"a","tags":[{"name":"b","wieght":1},{"name":"a","weight":1},{"name":"c"}],"x":{"y":1}"#,
      #"["/data/tags/0/wieght","/data/x"]"#
    ),
  ])
  func ignoredMembersAreNamed(data: String, ignored: String?) async throws {
    let bench = Bench(tool: ActionLogTool(version: "1.2.3", models: [.model(Notes.self)]))
    let run = await bench.run("record", "notes", "my-log", input: [#"{"type":"write","data":{\#(data)}}"# + "\n"])
    let rest = ignored.map { ignored in #","ignored":\#(ignored)"# } ?? ""
    #expect(run.output == #"{"line":1,"seq":1,"durability":"synced"\#(rest)}"# + "\n", "\(run.messages)")
  }

  @Test("complete lines of a log are accepted, except control records")
  func wholeLines() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let lines = await bench.run("list", "my-log", "--format", "lines", "--all").output.split(separator: "\n").filter {
      line in !line.contains("\"@")
    }
    #expect(lines.allSatisfy { line in line.contains("\"crc\"") } && !lines.isEmpty)
    let run = await bench.run("record", "counter", "copy", input: [lines.joined(separator: "\n") + "\n"])
    #expect(!run.output.contains("refused") && run.output.split(separator: "\n").count == lines.count)
  }

  @Test("control characters in a log's name are escaped in every message")
  func hostileName() async throws {
    let bench = Bench()
    let name = "my\nlog\u{1B}[2J"
    let shown = #"my\nlog\u001b[2J"#
    let made = await bench.run("record", "counter", name, input: [increment])
    #expect(made.messages.hasPrefix("new log \(shown)\n"), "\(made.messages)")
    let file = try bench.disk.open(name + "/0000000000000001.jsonl", for: .overwrite)
    try file.write(Array("{".utf8), at: try file.size())
    file.close()
    let resumed = await bench.run("record", "counter", name, input: [increment])
    #expect(
      resumed.messages.hasPrefix(
        "warning: the last writer was interrupted: moved 1 byte of an incomplete line to \(shown)/quarantine/"),
      "\(resumed.messages)")
    #expect(resumed.messages.contains("\ncontinuing \(shown) after revision 1\n"))
    for words in [
      ["verify", name], ["state", name], ["list", name], ["stats", name], ["replay", name, "--verify"],
      ["compat", name], ["repair", name], ["backup", name, "a\nb"], ["salvage", name, "c\nd"],
      ["branch", name, "e\nf"], ["snapshot", name], ["mark", name, "1", "m"], ["mark", name],
      ["export", name, "-o", "g\nh"],
      ["list", "no\nlog"], ["report", name, "-o", "i\nj"],
    ] {
      let run = await bench.run(words)
      let text = run.output + run.messages
      #expect(!text.contains("\u{1B}"), "\(words): \(text)")
      for raw in ["my\nlog", "a\nb", "c\nd", "e\nf", "g\nh", "no\nlog", "i\nj"] {
        #expect(!text.contains(raw), "\(words): \(text)")
      }
    }
  }

  /// An output that calls a function after each write.
  private struct CallingOutput: ToolOutput {
    let base: any ToolOutput
    let didWrite: @Sendable () -> Void

    func write(_ bytes: [UInt8]) throws(ToolStreamError) {
      try base.write(bytes)
      didWrite()
    }
  }

  @Test(
    "an error names the line of the input to continue with",
    arguments: [
      (FileCall.Operation.append, "with the input from line 4 on."),
      (.sync, "Lines 4…5 of the input may be recorded, and later ones are not."),
    ])
  func lineToContinueWith(operation: FileCall.Operation, advice: String) async throws {
    let bench = Bench()
    _ = await bench.run("record", "counter", "my-log", input: [increment])
    let files = FaultyFileSystem(bench.disk)
    // Each element is a batch. The calls for the second one fail.
    let run = await bench.run(
      "record", "counter", "my-log", input: [increment + "nonsense\n" + increment, increment + increment]
    ) { environment in
      environment.fileSystem = files
      environment.standardOutput = CallingOutput(base: environment.standardOutput) {
        files.add(FileFault(operation, lasts: true, pathSuffix: ".jsonl"))
      }
    }
    #expect(run.status == 3 && run.messages.contains("up to revision 3. "), "\(run)")
    #expect(run.messages.contains(advice), "\(run.messages)")
  }

  /// The actions were answered when they were written. Their sync is part of the close.
  @Test("an error of the close says that all lines were answered", arguments: ["written", "synced"])
  func errorOfTheClose(durability: String) async throws {
    let bench = Bench()
    _ = await bench.run("record", "counter", "my-log", input: [increment])
    let files = FaultyFileSystem(bench.disk)
    let words = ["record", "counter", "my-log", "--durability", durability]
    let run = await bench.run(words, input: [increment + "nonsense\n" + increment]) { environment in
      environment.fileSystem = files
      environment.standardOutput = CallingOutput(base: environment.standardOutput) {
        files.add(FileFault(.sync, lasts: true, pathSuffix: ".jsonl"))
      }
    }
    #expect(run.status == 3 && !run.messages.contains("None of it"), "\(run)")
    let loss = durability == "written" ? "; a power cut may lose those after the last sync that succeeded" : ""
    #expect(run.messages.contains("up to revision 3\(loss). All lines of the input were answered."), "\(run.messages)")
  }

  @Test("unwritable snapshots are reported once, and recording continues")
  func noSnapshots() async throws {
    let bench = Bench()
    _ = await bench.run("record", "counter", "my-log", input: [increment])
    let file = try bench.disk.open("my-log/snapshots", for: .create)
    file.close()
    let run = await bench.run(
      "record", "counter", "my-log", "--snapshot-every", "10", "--workload", "100", "--json")
    #expect(run.status == 0, "\(run.messages)")
    #expect(run.messages.split(separator: "no snapshot of my-log can be written: ").count == 2, "\(run.messages)")
    #expect(run.messages.contains("takes longer. The snapshots need a directory, not a file"), "\(run.messages)")
    #expect(await bench.run("replay", "my-log").status == 0)
  }

  @Test func refusedActionsHaveALocation() async throws {
    let bench = Bench()
    let id = "a/b"
    let input = #"{"type":"ui.animalDetail.onTapDeleteSelectedAnimalButton","data":{"animalId":"\#(id)"}}"# + "\n"
    _ = await bench.run("record", "animals", "my-log", input: [input])
    let lines = await bench.run("list", "my-log", "--format", "lines", "--all").output.split(separator: "\n")
    let record = try JSONValue(parsing: try #require(lines.first { line in line.contains("@rejected") }).utf8)
    #expect(record[JSONPointer(["data", "error", "place"])] == .string("/animals/data/a~1b"))
    #expect(record[JSONPointer(["data", "error", "code"])] == .string("animalNotFound"))
    #expect(await bench.run("verify", "my-log").status == 0)
  }

  @Test("a refused action is answered, recorded as @rejected in its position, and not folded")
  func reducerRefusals() async throws {
    let bench = Bench()
    let delete = #"{"type":"ui.animalDetail.onTapDeleteSelectedAnimalButton","data":{"animalId":"Unicorn"}}"# + "\n"
    let appear = #"{"type":"ui.categoryList.onAppear","data":{}}"# + "\n"
    let run = await bench.run("record", "animals", "my-log", input: [appear + delete + appear])
    let answers = run.output.split(separator: "\n").map(String.init)
    #expect(answers.count == 3)
    #expect(answers[1].hasPrefix(#"{"line":2,"refused":{"code":"refusedByReducer","message":""#))
    #expect(answers[2] == #"{"line":3,"seq":2,"durability":"synced"}"#)
    let listing = await bench.run("list", "my-log", "--format", "lines", "--all").output.split(separator: "\n").map(
      String.init)
    let types = try listing.map { line in try JSONValue(parsing: line.utf8)[JSONPointer(["type"])] }
    #expect(
      types == [
        "@segment", "@open", "@digest", "ui.categoryList.onAppear", "@rejected", "ui.categoryList.onAppear", "@digest",
        "@close",
      ])
  }

  @Test("a line that would become a record beyond the limit is refused, and recording continues")
  func tooLong() async throws {
    let bench = Bench()
    let start =
      #"{"type":"ui.animalEditor.onTapAddAnimalButton","data":{"id":"x","diet":"Omnivore","categoryId":"Bird","name":""#
    let name = String(repeating: "o", count: LineReader.lineLimitBytes - start.utf8.count - 3)
    let appear = #"{"type":"ui.categoryList.onAppear"}"# + "\n"
    let run = await bench.run("record", "animals", "my-log", input: [start + name + "\"}}\n" + appear])
    #expect(run.status == 0)
    let answers = run.output.split(separator: "\n")
    #expect(
      answers.first?.contains(#""code":"beyondLimit","message":"a record of type 'ui.animalEditor."#) == true)
    #expect(answers.last == #"{"line":2,"seq":1,"durability":"synced"}"#)
  }

  @Test("an existing log is continued")
  func resumes() async throws {
    let bench = Bench()
    _ = await bench.run("record", "counter", "my-log", input: [increment, increment])
    let run = await bench.run("record", "counter", "my-log", input: [increment])
    #expect(run.output == #"{"line":1,"seq":3,"durability":"synced"}"# + "\n")
    #expect(run.messages.hasPrefix("continuing my-log after revision 2\n"))
    #expect(await bench.run("state", "my-log", "--path", "/value", "-q").output == "3\n")
    #expect(await bench.run("replay", "my-log").status == 0)
  }

  @Test("the lines of one log can be recorded into another")
  func copies() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let lines = await bench.run("list", "my-log", "--format", "lines").output
    let run = await bench.run("record", "animals", "copy", input: [lines])
    #expect(run.status == 0)
    #expect(!run.output.contains("refused"))
    let states = [await bench.run("state", "my-log", "-q").output, await bench.run("state", "copy", "-q").output]
    #expect(states[0] == states[1])
  }

  @Test("a last line without its line feed counts")
  func lastLine() async {
    let run = await Bench().run("record", "counter", "my-log", input: [#"{"type":"didTapIncrementButton"}"#])
    #expect(run.output == #"{"line":1,"seq":1,"durability":"synced"}"# + "\n")
  }

  @Test(
    "the level of durability is answered",
    arguments: ["written", "interval", "synced", "full"])
  func durability(level: String) async {
    let run = await Bench().run("record", "counter", "my-log", "--durability", level, input: [increment])
    #expect(run.output == #"{"line":1,"seq":1,"durability":"\#(level)"}"# + "\n")
    #expect(run.status == 0)
  }

  @Test("segments roll at the requested size, and snapshots are taken at the requested interval")
  func segmentsAndSnapshots() async throws {
    let bench = Bench()
    let run = await bench.run(
      "record", "counter", "my-log", "--workload", "100", "--seed", "7", "--segment-size", "4K", "--snapshot-every",
      "30")
    #expect(run.status == 0)
    #expect(bench.disk.filePaths.filter { path in path.hasSuffix(".jsonl") }.count > 2)
    #expect(bench.disk.filePaths.contains { path in path.hasSuffix("snapshots/0000000000000090.json") })
    let state = await bench.run("state", "my-log", "--json")
    #expect(state.output.contains(#""actionsFolded":10,"fromSnapshot":90"#))
  }

  /// Each reading of the clock of the bench is a second later.
  @Test func segmentsBeginAtAnAge() async throws {
    let bench = Bench()
    func segments(_ log: String) throws -> [Int] {
      try LogReader.open(at: log, fileSystem: bench.disk).segments.map(\.first)
    }
    func record(_ log: String, _ age: String...) async throws {
      let run = await bench.run(["record", "counter", log] + age, input: [increment, increment])
      try #require(run.status == 0, "\(run.messages)")
    }
    for _ in 0..<4 { try await record("plain") }
    #expect(try segments("plain") == [1])
    for _ in 0..<4 { try await record("aged", "--segment-age", "5s") }
    #expect(try segments("aged").count > 1)
    for _ in 0..<2 { try await record("daily", "--segment-age", "day") }
    bench.clock.withLock { microseconds in microseconds += 86_400_000_000 }
    for _ in 0..<2 { try await record("daily", "--segment-age", "day") }
    #expect(try segments("daily") == [1, 5])
  }

  @Test(arguments: ["5x", "0s", "week", "-1h", "400d"])
  func invalidSegmentAgeIsRefused(age: String) async {
    let run = await Bench().run(["record", "counter", "my-log", "--segment-age=\(age)"], input: [increment])
    #expect(run.status == 2 && run.messages.contains("--segment-age takes"), "\(run.messages)")
  }

  @Test("a generated history is the same for the same seed")
  func workload() async throws {
    let bench = Bench()
    for log in ["one", "two"] {
      let run = await bench.run("record", "animals", log, "--workload", "300", "--seed", "11", "--json")
      #expect(run.status == 0)
    }
    let states = [await bench.run("state", "one", "-q").output, await bench.run("state", "two", "-q").output]
    #expect(states[0] == states[1])
    #expect(await bench.run("replay", "one").status == 0)
  }

  @Test("a request to stop closes the log cleanly")
  func stops() async throws {
    /// Input that requests a stop at its second read.
    struct StoppingInput: ToolInput {
      let lines: MemoryInput
      let stop: StopRequest

      func read(limit: Int) throws(ToolStreamError) -> [UInt8] {
        let bytes = try lines.read(limit: limit)
        if bytes.isEmpty { stop.request() }
        return bytes
      }
    }
    let bench = Bench()
    let run = await bench.run("record", "counter", "my-log") { environment in
      environment.standardInput = StoppingInput(
        lines: MemoryInput([increment + increment, #"{"type":"half"#]), stop: environment.stop)
    }
    #expect(run.status == 0)
    #expect(run.output.split(separator: "\n").count == 2)
    #expect(await bench.run("verify", "my-log", "--json").output.contains(#""isClosed":true"#))
  }

  @Test("without a reader of the answers, the log is closed with the accepted actions")
  func closedOutput() async throws {
    let bench = Bench()
    let run = await bench.run("record", "counter", "my-log", input: [increment, increment]) { environment in
      environment.standardOutput = MemoryOutput(limit: 0)
    }
    #expect(run.status == 3)
    #expect(run.messages.contains("The lines after line 1 were not recorded."), "\(run.messages)")
    #expect(await bench.run("verify", "my-log", "--json").output.contains(#""isClosed":true"#))
    #expect(await bench.run("state", "my-log", "--path", "/value", "-q").output == "1\n")
  }

  @Test("a full disk ends the recording after the durable actions are acknowledged, and the log works again")
  func fullDisk() async throws {
    let bench = Bench(capacityBytes: 4_000)
    let run = await bench.run("record", "counter", "my-log", input: Array(repeating: increment, count: 100))
    #expect(run.status == 3)
    #expect(run.messages.contains("error: "))
    let answers = run.output.split(separator: "\n")
    let receipts = answers.count { answer in answer.contains(#""durability":"synced""#) }
    #expect(receipts > 5)
    #expect(answers.last?.contains(#""failed":{"code":"noSpace""#) == true, "\(answers.last ?? "")")
    #expect(await bench.run("state", "my-log", "--path", "/value", "-q").output == "\(receipts)\n")
    bench.disk.capacityBytes = nil
    let next = await bench.run("record", "counter", "my-log", input: [increment])
    #expect(next.output == #"{"line":1,"seq":\#(receipts + 1),"durability":"synced"}"# + "\n")
  }
}
