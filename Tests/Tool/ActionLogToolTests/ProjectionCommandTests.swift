import ActionLog
import ActionLogTesting
import ActionLogTool
import CounterData
import EventSourcing
import HTTPServer
import JSONCoding
import Testing

/// `projections`, and `--projection` of other commands.
@Suite("projections")
struct ProjectionCommandTests {
  private static let tool = ActionLogTool(
    version: "1.2.3",
    models: [
      RegisteredModel.model(CounterModel.self) { seed, count in CounterWorkload(seed: seed).prefix(count) }
        .projecting(Taps.self).projecting(ImpureTaps.self)
    ])

  private func bench() async throws -> Bench {
    let bench = Bench(tool: Self.tool)
    try await bench.recordCounter()
    return bench
  }

  private func lastRevision(of bench: Bench) throws -> Int {
    try LogReader.open(at: "my-log", fileSystem: bench.disk).extent().lastRevision
  }

  private func json(_ run: CommandLineRun) throws -> [JSONValue] {
    try run.output.split(separator: "\n").map { line in try JSONValue(parsing: Array(line.utf8)) }
  }

  @Test func aStateIsThatOfTheProjection() async throws {
    let bench = try await bench()
    let last = try lastRevision(of: bench)
    let run = await bench.run("state", "my-log", "--projection", "taps", "--json")
    #expect(run.status == 0, "\(run.messages)")
    let answer = try #require(try json(run).first)
    #expect(answer["projection"]?.text == "taps")
    #expect(answer["state"]?["revisions"] == .integer(last))
    let expected = try await ProjectionHistory<Taps>(at: "my-log", fileSystem: bench.disk).state(at: 3)
    let early = await bench.run("state", "my-log", "--projection", "taps", "--at", "3", "--path", "/increments")
    #expect(early.output == "\(expected.increments)\n")
    #expect(early.messages.contains("revision 3 of taps of counter"))
  }

  @Test(arguments: [
    ["diff", "my-log", "2", "3"], ["show", "my-log", "3"], ["blame", "my-log", "/increments"],
    ["history", "my-log", "/increments"], ["find", "my-log", "/increments > 1"],
    ["find", "--last", "my-log", "/increments < 2"], ["find", "--bisect", "my-log", "/increments > 1"],
    ["list", "my-log", "--touching", "/increments"], ["minimize", "my-log", "/increments > 0"],
    ["what-if", "my-log", "--skip", "1"], ["replay", "my-log", "--verify"],
    ["report", "my-log", "--output", "page.html"],
  ])
  func aQuestionIsAboutTheProjection(words: [String]) async throws {
    let bench = try await bench()
    let run = await bench.run(words + ["--projection", "taps"])
    // Like the program of that name, 'diff' has another status if there is a difference.
    #expect(run.status == (words[0] == "diff" ? 1 : 0), "\(words): \(run.messages)")
    // The model has no such member.
    if words.contains(where: { word in word.hasPrefix("/increments") }) {
      #expect(await bench.run(words).output != run.output)
    }
  }

  @Test func snapshotsAreListedAndRebuilt() async throws {
    let bench = try await bench()
    let last = try lastRevision(of: bench)
    let taken = await bench.run("snapshot", "my-log", "--at", "3", "--projection", "taps")
    #expect(taken.status == 0, "\(taken.messages)")
    var rows = try json(await bench.run("projections", "my-log", "--json"))
    #expect(rows.map { row in row["name"]?.text } == ["impure-taps", "taps"])
    #expect(rows[1]["revision"] == .integer(3))
    #expect(rows[1]["lag"] == .integer(last - 3))
    #expect(rows[1]["version"] == .integer(2))
    #expect(rows[1]["bytes"] != .integer(0))
    #expect(rows[0]["remark"]?.text == "no snapshots")
    let rebuilt = await bench.run("projections", "my-log", "--rebuild", "taps")
    #expect(rebuilt.status == 0, "\(rebuilt.messages)")
    #expect(rebuilt.output.contains("revision \(last)"))
    let names = try bench.disk.names(in: "my-log/projections/taps")
    #expect(names == [String(repeating: "0", count: 16 - "\(last)".count) + "\(last).json"])
    rows = try json(await bench.run("projections", "my-log", "--json"))
    #expect(rows[1]["lag"] == .integer(0))
    let table = await bench.run("projections", "my-log")
    let lines = table.output.split(separator: "\n").map { line in line.split(separator: " ").map(String.init) }
    #expect(lines.map { words in words[0] } == ["name", "impure-taps", "taps"], "\(table.output)")
    #expect(lines[0].count == 6 && lines[2].prefix(4) == ["taps", "2", "\(last)", "0"], "\(table.output)")
  }

  @Test(arguments: ["my-log/projections", "my-log/projections/taps"])
  func aFileInsteadOfAFolderIsAnError(path: String) async throws {
    let bench = try await bench()
    if path.hasSuffix("taps") { try bench.disk.createDirectory("my-log/projections") }
    try bench.disk.setContents([], of: path)
    let rows = try json(await bench.run("projections", "my-log", "--json"))
    #expect(rows.map { row in row["name"]?.text } == ["impure-taps", "taps"])
    #expect(rows[1]["error"]?.text?.contains("not a directory") == true, "\(rows)")
    #expect(rows[1]["revision"] == .null && rows[1]["remark"] == nil)
    #expect((rows[0]["error"] == nil) == path.hasSuffix("taps"))
    let table = await bench.run("projections", "my-log")
    #expect(table.output.contains("error: the snapshots cannot be read: this is not a directory"), "\(table.output)")
    let report = await bench.run("verify", "my-log")
    #expect(report.status == 1 && report.output.contains("this is not a directory: \(path)"), "\(report)")
  }

  @Test func aFileOfALogWithoutProjectionsIsAnError() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    try bench.disk.setContents([], of: "my-log/projections")
    let run = await bench.run("projections", "my-log")
    #expect(run.status == 3 && run.messages.contains("not a directory"), "\(run.messages)")
    #expect(run.messages.contains("move away what is at 'my-log/projections'"), "\(run.messages)")
    let report = await bench.run("verify", "my-log")
    #expect(
      report.status == 1 && report.output.contains("this is not a directory: my-log/projections"), "\(report)")
  }

  @Test func aLogWithoutProjectionsHasNone() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let run = await bench.run("projections", "my-log")
    #expect(run.status == 1)
    #expect(run.messages == "no projections\n")
  }

  @Test func verifyChecksTheSnapshots() async throws {
    let bench = try await bench()
    _ = await bench.run("snapshot", "my-log", "--at", "3", "--projection", "taps")
    let sound = await bench.run("verify", "my-log")
    #expect(sound.status == 0, "\(sound.messages)")
    #expect(sound.output.contains("1 of 1 snapshots match the log"))
    try bench.disk.flipBit(0, ofByte: 20, in: "my-log/projections/taps/0000000000000003.json")
    let damaged = await bench.run("verify", "my-log")
    #expect(damaged.status == 1)
    #expect(damaged.output.contains("projections my-log --rebuild taps") || damaged.messages.contains("--rebuild taps"))
  }

  @Test func aBackupLeavesProjectionsOut() async throws {
    let bench = try await bench()
    _ = await bench.run("snapshot", "my-log", "--projection", "taps")
    let run = await bench.run("backup", "my-log", "copy")
    #expect(run.status == 0, "\(run.messages)")
    #expect(try bench.disk.status(of: "copy/projections") == nil)
  }

  @Test func anImpureProjectionIsNotProved() async throws {
    let bench = try await bench()
    let run = await bench.run("replay", "my-log", "--verify", "--projection", "impure-taps")
    #expect(run.status == 1)
    #expect(run.output.contains("impure-taps of counter"))
  }

  @Test(arguments: [
    (["state", "my-log", "--projection", "tap"], "no projection 'tap'"),
    (["state", "my-log", "--projection", "taps", "--model", "counter"], "cannot be combined"),
    (["list", "my-log", "--projection", "taps"], "needs an option that concerns the state"),
    (["projections", "my-log", "--rebuild", "sales"], "no projection 'sales'"),
    (["test", "my-log", "1", "3", "--projection", "taps"], "'test' is about the state of the model"),
    (
      ["bug-report", "my-log", "1", "3", "--output", "bug.jsonl", "--projection", "taps"],
      "'bug-report' is about the state of the model"
    ),
    (["export", "my-log", "--projection", "taps"], "'export' is about the state of the model"),
    (["inspect", "my-log", "--projection", "tap"], "no projection 'tap'"),
    (["inspect", "my-log", "--projection", "taps", "--model", "counter"], "cannot be combined"),
  ])
  func aWrongRequestIsRefused(words: [String], reason: String) async throws {
    let bench = try await bench()
    let run = await bench.run(words)
    #expect(run.status == 2)
    #expect(run.messages.contains(reason), "\(run.messages)")
  }

  @Test func theInspectorAnswersForAProjection() async throws {
    let bench = try await bench()
    let last = try lastRevision(of: bench)
    let page = try InspectorBench(bench, ["my-log", "--projection", "taps"])
    let description = try await page.get("log")
    #expect(description["projection"] == "taps" && description["model"] == "counter")
    #expect(description["options"] == ["--projection", "taps"] && description["models"] == [])
    let model = try await InspectorBench(bench).get("log")
    #expect(model["projection"] == nil && model["options"] == [])
    for revision in [0, 3, last] {
      let state = try await page.lines("state", "my-log", "--projection", "taps", "--at", "\(revision)")
      #expect(try await page.get("value", "view=abcdefgh&at=\(revision)") == state.first?["state"])
    }
    let blame = try await page.run(["kind": "blame", "path": "/increments"])
    let words = try #require(blame["command"]?.text).split(separator: " ").dropFirst().map(String.init)
    #expect(words.suffix(2) == ["--projection", "taps"])
    let blamed = try await json(bench.run(words + ["--json"])).first
    #expect(blame["answer"]?["path"] == "/increments" && blame["answer"]?["change"]?["seq"] != nil)
    #expect(blame["answer"]?["change"]?["seq"] == blamed?["change"]?["seq"])
    let found = try await page.run(["kind": "first", "condition": "/increments > 1"])
    let until = try await page.lines("find", "my-log", "/increments > 1", "--projection", "taps")
    #expect(found["answer"]?["revision"] == until.first?["revision"])
    let changed = try await page.run(["kind": "what-if", "edits": ["skip 1"]])
    #expect(changed["status"] == "done" && changed["answer"]?["branch"] != nil)
    for kind in ["test", "bug-report"] {
      let job = try await page.run(["kind": .string(kind), "from": 1, "to": 3])
      #expect(job["status"] == "failed" && job["error"]?["code"] == "wrongModel", "\(job)")
    }
    let refused = await page.answer("POST", "/api/jobs", body: ["kind": "what-if", "edits": [], "with": "counter"])
    #expect(refused.status == .badRequest)
  }

  @Test func aClientAsksAboutAProjection() async throws {
    let bench = try await bench()
    let session = try ContextSession(bench, ["my-log"])
    try await session.request("tools/list")
    let listed = try #require(try await session.next())
    // A model reads all of it.
    #expect(listed.bytes().count < 18 << 10)
    for tool in listed["result", "tools"]?.elements ?? [] {
      let isAboutModel = ["overview", "test"].contains(tool["name"])
      let expected: JSONValue? = isAboutModel ? nil : ["impure-taps", "taps"]
      #expect(tool["inputSchema", "properties", "projection", "enum"] == expected, "\(tool["name"] ?? .null)")
    }
    let questions: [(tool: String, arguments: JSONObject, words: [String])] = [
      ("state", ["at": 3], ["state", "--at", "3"]), ("show", ["at": 3], ["show", "3"]),
      ("diff", ["from": 3], ["diff", "3"]), ("blame", ["path": "/increments"], ["blame", "/increments"]),
      ("find", ["condition": "/increments > 1"], ["find", "/increments > 1"]),
      ("what_if", ["skip": ["1"]], ["what-if", "--skip", "1"]),
    ]
    for (tool, arguments, words) in questions {
      var arguments = arguments
      arguments["projection"] = "taps"
      let answer = try await session.answer(tool, arguments)
      let line = [words[0], "my-log"] + words.dropFirst() + ["--projection", "taps", "--json"]
      #expect(try json(await bench.run(line)) == [answer], "\(tool)")
    }
    let history = try await session.answer("history", ["paths": ["/increments"], "projection": "taps"])
    #expect(history["items"]?.elements.isEmpty == false)
    let unknown = try await session.call("state", ["projection": "tap"])
    #expect(unknown["isError"] == true && "\(unknown)".contains("no projection 'tap'"), "\(unknown)")
    let test = try await session.call("test", ["projection": "taps"])
    #expect("\(test)".contains("no input 'projection'"), "\(test)")
    _ = try await session.end()
  }

  @Test func aTestOfAProjectionIsRefused() async throws {
    let bench = try await bench()
    let history = try await ProjectionHistory<Taps>(at: "my-log", fileSystem: bench.disk)
    let error = #expect(throws: LogError.self) { try history.replayTest(of: 0...3) }
    #expect(error?.code == .wrongModel)
  }
}

/// The number of taps on each button.
enum Taps: Projection {
  typealias Source = CounterModel
  struct State: Codable, Equatable, Sendable {
    var increments = 0
    var decrements = 0
    var revisions = 0
  }

  static var name: String { "taps" }
  static var version: Int { 2 }
  static var initialState: State { State() }

  static func apply(_ recorded: ProjectedAction<CounterModel.Action>, to state: inout State) {
    state.revisions = recorded.revision
    switch recorded.action {
    case .didTapIncrementButton: state.increments += 1
    case .didTapDecrementButton: state.decrements += 1
    }
  }
}

/// A projection that depends on more than its arguments.
private enum ImpureTaps: Projection {
  typealias Source = CounterModel
  static var name: String { "impure-taps" }
  static var version: Int { 1 }
  static var initialState: Int { 0 }

  static func apply(_ recorded: ProjectedAction<CounterModel.Action>, to state: inout Int) {
    state = Int.random(in: 0..<1_000_000)
  }
}
