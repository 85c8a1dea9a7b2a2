import ActionLog
import ActionLogTesting
import ActionLogTool
import AnimalsData
import EventSourcing
import JSONCoding
import SampleSupport
import Testing

/// Every command with every global option: each option has its effect, or is refused.
@Suite("Options of every command")
struct GlobalOptionTests {
  /// A call of a command that does something.
  struct Call: Sendable, CustomTestStringConvertible {
    var words: [String]
    var input: [String] = []
    /// The reason that `--json` is refused; `nil` if it is not.
    var refusal: String?

    init(_ words: String..., input: [String] = [], refusing refusal: String? = nil) {
      self.words = words
      self.input = input
      self.refusal = refusal
    }

    var testDescription: String { words.joined(separator: " ") }
  }

  /// A log in a lake.
  private static let shipped = "shipped/model=counter/log=3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11"

  static let calls: [Call] = [
    Call("demo"), Call("record", "counter", "new-log", input: [#"{"type":"didTapIncrementButton","data":{}}"# + "\n"]),
    Call("record", "counter", "new-log", "--workload", "3"),
    Call("list", "my-log"), Call("list", "my-log", "--last", "2"),
    Call("list", "my-log", "--format", "csv", refusing: "--format"),
    Call("list", "my-log", "--touching", "/value"), Call("list", "-", input: ["my-log\n"]),
    Call("show", "my-log", "3"), Call("list", "-f", "my-log"),
    Call("stats", "my-log"),
    Call("stats", "-", input: ["my-log\n"]),
    Call("mark", "my-log", "3", "here"), Call("mark", "my-log", "--remove", "there"), Call("mark", "my-log"),
    Call("state", "my-log"), Call("state", "my-log", "--path", "/value"), Call("diff", "my-log", "3", "4"),
    Call("diff", "my-log", "3", "4", "--format", "json-patch"),
    Call("diff", "my-log", "3", "4", "--format", "tree", refusing: "--format"),
    Call("tui", "my-log", refusing: "screen"), Call("inspect", "my-log"), Call("listen", "counter", "my-set"),
    Call("replay", "my-log"), Call("replay", "my-log", "--digests-at", "0,5"),
    Call("replay", "my-log", "--verify"), Call("report", "my-log", "--output", "page.html"),
    Call("blame", "my-log", "/value"), Call("history", "my-log", "/value"), Call("history", "my-log", "/value"),
    Call("find", "my-log", "/value > 1"), Call("find", "--last", "my-log", "/value > 1"),
    Call("find", "--bisect", "my-log", "/value > 1"), Call("minimize", "my-log", "/value > 1"),
    Call("what-if", "my-log", "--skip", "2"), Call("test", "my-log", "1", "3"),
    Call("test", "my-log", "1", "3", "--output", "Test.swift"),
    Call("bug-report", "my-log", "2", "4", "--output", "report.jsonl"),
    Call("export", "my-log"), Call("export", "my-log", "--no-states", "--output", "states.json"),
    Call("consume", "my-log", "--as", "mail", "--until-end", "--", "answer"),
    Call("consume", "my-log", "--as", "sum", "--each", "--until-end", "--", "succeed"), Call("subscriptions", "my-log"),
    Call("subscriptions", "my-log", "--reset", "old", "2"), Call("subscriptions", "my-log", "--remove", "old"),
    Call("subscriptions", "my-log", "--retry", "old"),
    Call("import", "events.ndjson", "new-log", "--format", "cloudevents"), Call("ship", "long-log", "lake"),
    Call("ship", "long-log", "lake", "--dry-run"), Call("ship", "long-log", "lake", "--seal"),
    Call("fleet", "my-log", "long-log"), Call("fleet", "-", input: ["my-log\n"]), Call("list", "my-log", "long-log"),
    Call("list", "-f", "my-log", "long-log"), Call("stats", "my-log", "long-log"),
    Call("verify", "my-log", "long-log"),
    Call("each", "my-log", "--", "state"), Call("each", "-", "--", "verify", input: ["my-log\n"]),
    Call("verify", "my-log"), Call("verify", "-", input: ["my-log\n"]),
    Call("verify", "proved-log", "--checkpoint", "kept.checkpoint"), Call("verify", "--proof", "kept.tlog-proof"),
    Call("checkpoint", "proved-log"),
    Call("prove", "proved-log", "3"), Call("prove", "proved-log", "--line", "0"),
    Call("prove", "proved-log", "--consistency", "kept.checkpoint"), Call("repair", "my-log"),
    Call("salvage", "my-log", "new-log"), Call("backup", "my-log", "new-log"), Call("snapshot", "my-log"),
    Call("restore", shipped, "new-log"), Call("restore", shipped, "new-log", "--dry-run"), Call("verify", shipped),
    Call("ship", "my-log", "lake"), Call("projections", "my-log"), Call("compat", "my-log"),
    Call("branch", "my-log", "new-log"),
    Call("redact", "my-log", "--finish"),
    Call("prune", "my-log", "--before", "1", "--reason", "test", "--delete", "--dry-run"), Call("help", "models"),
    Call("completions", "bash"),
    Call("completions", "zsh"), Call("completions", "fish"),
    Call("completions", "zsh", "--", "list", "my-log", "--type", ""),
    Call("completions", "bash", "--", "blame", "my-log", "/"),
    Call("help"), Call("help", "list"),
    Call(
      "mcp", "--log", "my-log",
      input: [
        #"{"jsonrpc":"2.0","id":1,"method":"ping"}"# + "\n",
        #"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"# + "\n",
      ]),
  ]

  /// Runs a call, with one more option if there is one.
  private func run(_ call: Call, _ option: String?, isTerminal: Bool = false, on bench: Bench) async -> CommandLineRun {
    // The words after -- are a command line of their own.
    let end = call.words.firstIndex(of: "--") ?? call.words.count
    let words = call.words[..<end] + [option].compactMap(\.self) + call.words[end...]
    return await bench.run(Array(words), input: call.input) { environment in
      environment.temporaryDirectory = "temporary"
      environment.outputIsTerminal = isTerminal
      environment.errorIsTerminal = isTerminal
    }
  }

  /// Made once: recording costs more than the calls.
  private static let disk = Task { () async throws -> MemoryFileSystem in
    let bench = Bench(tool: .withStories)
    try bench.disk.createDirectory("temporary")
    try await bench.recordCounter()
    _ = await bench.run("mark", "my-log", "2", "there")
    let consumed = await bench.run("consume", "my-log", "--as", "old", "--until-end", "--", "answer")
    try #require(consumed.status == 0, "\(consumed.messages)")
    _ = try await ProjectionHistory<Taps>(at: "my-log", fileSystem: bench.disk).takeSnapshot()
    _ = await bench.run("backup", "my-log", "proved-log")
    _ = await bench.run("ship", "my-log", "shipped")
    let checkpoint = await bench.run("checkpoint", "proved-log")
    try #require(checkpoint.status == 0, "\(checkpoint.messages)")
    try bench.disk.setContents(Array(checkpoint.output.utf8), of: "kept.checkpoint")
    let proof = await bench.run("prove", "proved-log", "3")
    try #require(proof.status == 0, "\(proof.messages)")
    try bench.disk.setContents(Array(proof.output.utf8), of: "kept.tlog-proof")
    let events = await bench.run("list", "my-log", "--format", "cloudevents")
    try bench.disk.setContents(Array(events.output.utf8), of: "events.ndjson")
    let long = await bench.run("record", "counter", "long-log", "--workload", "100", "--segment-size", "4K")
    try #require(long.status == 0, "\(long.messages)")
    _ = await bench.run("bug-report", "my-log", "2", "4", "--output", "old-report.jsonl")
    let story = try Bench.lines(AnimalsWorkload.story.map(\.action))
    _ = await bench.run("record", "animals", "story-log", input: story)
    return bench.disk
  }

  private func bench() async throws -> Bench {
    Bench(disk: try await Self.disk.value.copy(), tool: .withStories)
  }

  @Test("the list of commands is complete")
  func everyCommand() async throws {
    let commands = try await Bench(tool: .withStories).run("help", "--json").output.split(separator: "\n").compactMap {
      line in
      try JSONValue(parsing: line.utf8)["name"]?.text
    }
    #expect(Set(commands) == Set(Self.calls.map { call in call.words[0] }))
  }

  /// The README names it.
  @Test func onlyTheScreenHasNoJSON() {
    let byCommand = Dictionary(grouping: Self.calls) { call in call.words[0] }
    let without = byCommand.filter { _, calls in calls.allSatisfy { call in call.refusal != nil } }
    #expect(Array(without.keys) == ["tui"])
  }

  @Test("--json prints JSON, or is refused with the option that contradicts it", arguments: calls)
  func json(call: Call) async throws {
    let run = await run(call, "--json", on: try await bench())
    if let refusal = call.refusal {
      #expect(run.status == 2 && run.output.isEmpty)
      #expect(run.messages.contains(refusal), "\(run.messages)")
      #expect(run.messages.contains("JSON") || run.messages.contains("--json"), "\(run.messages)")
    } else {
      #expect(run.status < 2, "\(run.messages)")
      // An answer without rows has this status: the tool knows no projection of the log.
      #expect(!run.output.isEmpty || run.status == 1 && call.words[0] == "projections")
    }
    // One document, or one on each line.
    let answers: [JSONValue]
    do {
      answers = [try JSONValue(parsing: Array(run.output.utf8))]
    } catch {
      answers = try run.output.split(separator: "\n").map { line in try JSONValue(parsing: line.utf8) }
    }
    let checker = try SchemaChecker()
    if call.refusal == nil {
      for answer in answers { #expect(try checker.errors(of: answer, as: call.words[0]) == [], "\(answer)") }
    }
    for line in run.messages.split(separator: "\n") {
      #expect(try checker.errors(of: JSONValue(parsing: line.utf8), as: "message") == [], "\(line)")
    }
  }

  @Test("--quiet prints only data and errors", arguments: calls)
  func quiet(call: Call) async throws {
    let run = await run(call, "-q", on: try await bench())
    #expect(run.status < 2 || call.words[0] == "tui", "\(run.messages)")
    #expect(run.messages.isEmpty || run.status == 2, "\(run.messages)")
  }

  @Test("--no-color prints no escape", arguments: calls)
  func noColor(call: Call) async throws {
    let run = await run(call, "--no-color", isTerminal: true, on: try await bench())
    #expect(!run.output.contains("\u{1B}[3") && !run.messages.contains("\u{1B}[3"), "\(run.output)")
    #expect(!run.output.contains("\u{1B}[1m") && !run.output.contains("\u{1B}[2m"))
  }

  /// Calls with painted cells in a table, each with a text of its output.
  private static let paintedCalls: [(call: Call, text: String)] = [
    (Call("compat", "my-log"), "\u{1B}[32mfine\u{1B}[0m"),
    (Call("history", "story-log", "/animals/data/Dog/diet"), "nothing → "),
  ]

  /// Tables escape the text of their cells, so a cell's color must be applied after that.
  @Test(arguments: calls + paintedCalls.map(\.call))
  func colorsAreNeverPrintedAsText(call: Call) async throws {
    let run = await run(call, nil, isTerminal: true, on: try await bench())
    #expect(!run.output.contains("\\u001b["), "\(run.output)")
    #expect(!run.messages.contains("\\u001b["), "\(run.messages)")
  }

  @Test(arguments: paintedCalls)
  func cellsOfTablesArePainted(call: Call, text: String) async throws {
    let run = await run(call, nil, isTerminal: true, on: try await bench())
    #expect(run.status == 0 && run.output.contains(text), "\(run.output)\(run.messages)")
  }

  @Test("--help prints help and does nothing", arguments: calls)
  func help(call: Call) async throws {
    let bench = try await bench()
    let before = bench.disk.counts.bytesRead
    let run = await run(call, "--help", on: bench)
    #expect(run.status == 0 && run.messages.isEmpty)
    #expect(run.output.hasPrefix("action-log \(call.words[0]): "))
    #expect(bench.disk.counts.bytesRead == before)
  }
}
