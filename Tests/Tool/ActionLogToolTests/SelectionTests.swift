import ActionLog
import ActionLogTesting
import ActionLogTool
import JSONCoding
import Testing

/// `list` and `stats` select actions by the same options with the same meaning.
@Suite("Selections")
struct SelectionTests {
  private static let filters: [[String]] = [
    ["--type", "Increment*"], ["--type", "didTapIncrementButton"], ["--actor", "ann"], ["--grep", "ann"],
    ["--where", "meta/actor exists"], ["--where", "/value > 1"], ["--touching", "/value"], ["--cause", "2"],
    ["--type", "didTapIncrementButton", "--actor", "ann", "--from", "2"], ["--actor", "nobody"],
    ["--touching", "/value", "--actor", "bob", "--to", "5"],
  ]

  private static func makeLog(_ bench: Bench) async throws {
    let lines = [
      #"{"type":"didTapIncrementButton","meta":{"actor":"ann"}}"#, #"{"type":"didTapIncrementButton"}"#,
      #"{"type":"didTapDecrementButton","meta":{"actor":"bob","cause":2}}"#,
      #"{"type":"didTapIncrementButton","meta":{"actor":"ann"}}"#,
      #"{"type":"didTapIncrementButton","meta":{"actor":"ann","cause":3}}"#,
      #"{"type":"didTapDecrementButton","meta":{"actor":"bob"}}"#,
    ]
    let run = await bench.run("record", "counter", "my-log", input: lines.map { line in line + "\n" })
    try #require(run.status == 0, "\(run.messages)")
  }

  @Test("lines, events and counts have the actions of a list", arguments: filters)
  func agreement(filter: [String]) async throws {
    let bench = Bench()
    try await Self.makeLog(bench)
    let list = await bench.run(["list", "my-log", "--format", "csv"] + filter)
    let rows = list.output.split(separator: "\n")
    #expect(rows[0] == "seq,time,type,actor,data,meta", "a table without rows has its names")
    let lines = await bench.run(["list", "my-log", "--format", "lines"] + filter)
    let seqs = try lines.output.split(separator: "\n").map { line in try JSONValue(parsing: line.utf8)["seq"]?.integer }
    #expect(seqs == rows.dropFirst().map { row in Int(row.prefix { character in character != "," }) })
    #expect(lines.status == list.status)
    if !filter.contains("--to") {
      let followed = await bench.run(["list", "-f", "my-log", "--format", "csv"] + filter)
      #expect(followed.output == list.output && followed.status == 0)
    }
    if !filter.contains("--to"), !filter.contains("--from") {
      let last = await bench.run(["list", "my-log", "--format", "csv", "--last", "1"] + filter)
      #expect(last.output.split(separator: "\n") == [rows[0]] + rows.dropFirst().suffix(1))
    }
    let events = await bench.run(["list", "my-log", "--format", "cloudevents"] + filter)
    #expect(events.output.split(separator: "\n").count == rows.count - 1)
    let run = await bench.run(["stats", "my-log", "--json"] + filter)
    #expect(run.status == list.status)
    let stats = try JSONValue(parsing: Array(run.output.utf8))
    #expect(stats["actions"]?.integer == rows.count - 1 && stats["controlRecords"] == .integer(0))
    let named = rows.dropFirst().map { row in String(row.split(separator: ",", omittingEmptySubsequences: false)[3]) }
    guard case .array(let actors)? = stats["actors"] else {
      Issue.record("no actors: \(run.output)")
      return
    }
    let counts = Dictionary(named.map { name in (name, 1) }, uniquingKeysWith: +)
    let expected = Set(counts.keys) == [""] ? [:] : counts
    #expect(actors.count == expected.count)
    for actor in actors {
      #expect(actor["actions"]?.integer == expected[actor["actor"]?.text ?? ""], "\(run.output)")
    }
  }

  @Test("stats counts the segments of the selected actions, and those before damage")
  func segments() async throws {
    let bench = Bench()
    _ = await bench.run("record", "counter", "my-log", "--workload", "1000", "--segment-size", "16K")
    let names = try bench.disk.names(in: "my-log").filter { name in name.hasSuffix(".jsonl") }.sorted()
    try #require(names.count > 4)
    #expect(await bench.run("stats", "my-log").output.contains(" in \(names.count) segments\n"))
    let part = await bench.run("stats", "my-log", "--from", "5", "--to", "9").output
    #expect(part.contains(" in 1 segment\n"), "\(part)")
    let late = await bench.run("stats", "my-log", "--from", "990", "--json").output
    #expect(late.contains(#""segments":1,"#), "\(late)")
    try bench.disk.flipBit(0, ofByte: 8_000, in: "my-log/\(names[2])")
    let damaged = await bench.run("stats", "my-log")
    #expect(damaged.status == 1 && damaged.output.contains(" in 3 segments\n"), "\(damaged)")
  }

  @Test("actors and types are distinguished by bytes")
  func namesByBytes() async throws {
    let bench = Bench()
    let lines = ["\u{e9}", "e\u{301}"].map { actor in
      #"{"type":"didTapIncrementButton","data":{},"meta":{"actor":"\#(actor)"}}"# + "\n"
    }
    _ = await bench.run("record", "counter", "my-log", input: [lines.joined()])
    let list = await bench.run("list", "my-log", "--actor", "\u{e9}", "--json").output
    #expect(list.split(separator: "\n").count == 1, "\(list)")
    let page = await bench.run("stats", "my-log").output
    #expect(page.split(separator: "\n").count { line in line.contains("1  50.0%") } == 2, "\(page)")
    _ = await bench.run("record", "counter", "other-log", input: [lines[0]])
    let none = await bench.run("list", "other-log", "--actor", "e\u{301}")
    #expect(none.messages.contains(#"the log has "\u00e9", not "e\u0301""#), "\(none)")
  }

  @Test("actions are counted by actor if any is named")
  func actors() async throws {
    let bench = Bench()
    try await Self.makeLog(bench)
    let page = await bench.run("stats", "my-log").output
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let place = try #require(lines.firstIndex { line in line.hasSuffix("bytes  actor") }, "\(page)")
    #expect(lines[place + 1].hasSuffix("ann") && lines[place + 1].contains("3  50.0%"))
    #expect(lines[place + 2].hasSuffix("bob") && lines[place + 3].hasSuffix("(not named)"))
    #expect(page.contains("other records"))
    #expect(!(await bench.run("stats", "my-log", "--actor", "ann")).output.contains("other records"))
    try bench.rename("my-log", to: "named")
    try await bench.recordCounter()
    #expect(!(await bench.run("stats", "my-log")).output.contains("actor"))
  }

  @Test("Redux DevTools, which show the change by each action, get complete ranges only")
  func devTools() async throws {
    let bench = Bench()
    try await Self.makeLog(bench)
    for option in ["--type", "--actor", "--grep", "--where", "--touching", "--cause"] {
      let run = await bench.run("export", "my-log", option, option == "--touching" ? "/value" : "1")
      #expect(run.status == 2 && run.output.isEmpty)
      #expect(run.messages.hasPrefix("error: 'export' has no option '\(option)'"), "\(run.messages)")
    }
    #expect(await bench.run("export", "my-log", "--from", "2", "--to", "3").status == 0)
  }

  @Test("a file that Chrome could not import is refused")
  func tooManyStates() async throws {
    struct Nothing: ToolOutput {
      func write(_ bytes: [UInt8]) {}
    }
    let bench = Bench()
    _ = await bench.run("record", "animals", "my-log", "--workload", "20000")
    let run = await bench.run("export", "my-log") { environment in
      environment.standardOutput = Nothing()
    }
    #expect(run.status == 5 && run.messages.contains("larger than 512 MiB"), "\(run)")
    #expect(run.messages.contains("Name a range with --from and --to, or omit the states with --no-states."))
  }

  @Test("a range without actions begins, in Redux DevTools, with the state of the log there")
  func emptyStretch() async throws {
    let bench = Bench()
    try await Self.makeLog(bench)
    let value = await bench.run("state", "my-log", "--path", "/value").output
    try #require(value != "0\n")
    let run = await bench.run("export", "my-log", "--from", "2100-01-01")
    #expect(run.status == 1)
    let state = try JSONValue(parsing: Array(run.output.utf8))["committedState"]
    #expect(try JSONValue(parsing: Array(value.utf8)) == state?["value"])
  }

  @Test("a file has the output of the command, complete or not at all")
  func file() async throws {
    let bench = Bench()
    try await Self.makeLog(bench)
    let printed = await bench.run("export", "my-log", "--from", "2").output
    let words = ["export", "my-log", "--from", "2", "--output"]
    let run = await bench.run(words + ["out"])
    #expect(run.status == 0 && run.output.hasPrefix("out: 5 actions, "), "\(run)")
    #expect(String(decoding: try bench.disk.contents(of: "out"), as: UTF8.self) == printed)
    let json = await bench.run(words + ["other", "--json"])
    #expect(json.output == #"{"path":"other","actions":5,"bytes":\#(printed.utf8.count)}"# + "\n")
    let again = await bench.run(words + ["out"])
    #expect(again.status == 2 && again.messages.contains("the path already exists"))
    #expect(String(decoding: try bench.disk.contents(of: "out"), as: UTF8.self) == printed)

    try bench.disk.flipBit(0, ofByte: 900, in: Bench.segment)
    let damaged = await bench.run("export", "my-log", "--output", "damaged")
    #expect(damaged.status == 1 && damaged.messages.contains("checksum mismatch"), "\(damaged.messages)")
    for name in ["damaged", "damaged.unfinished", "out.unfinished"] {
      #expect(try bench.disk.status(of: name) == nil, "\(name)")
    }
  }

  @Test("an empty table has its column names in every output")
  func emptyTables() async throws {
    let bench = Bench()
    try await Self.makeLog(bench)
    let names = "seq,time,type,actor,data,meta\n"
    for words in [
      ["list", "my-log", "--format", "csv", "--type", "nothing"],
      ["list", "my-log", "--format", "csv", "--last", "2", "--type", "nothing"],
      ["list", "my-log", "--format", "csv", "--where", "/value > 99"],
      ["list", "-f", "my-log", "--format", "csv", "--type", "nothing"],
    ] {
      #expect(await bench.run(words).output == names, "\(words)")
    }
  }
}
