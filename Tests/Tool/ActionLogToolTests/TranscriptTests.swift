import ActionLogTool
import JSONCoding
import Testing

@Suite("Screens")
struct TranscriptTests {
  @Test("a limit of 0 prints no note", arguments: ["--limit", "--last"])
  func noneWanted(option: String) async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let run = await bench.run("list", "my-log", option, "0")
    #expect(run.status == 0)
    #expect(run.output.isEmpty && run.messages.isEmpty)
  }

  @Test(
    "the examples in the help of a command work",
    arguments: [
      "list", "show", "stats", "state", "diff", "history", "find", "what-if",
      "mark", "bug-report", "verify", "replay",
    ])
  func examplesCanBeTyped(command: String) async throws {
    let bench = Bench()
    try #require(await bench.run("record", "counter", "my-log", "--workload", "100").status == 0)
    let help = try JSONValue(parsing: Array(await bench.run("help", command, "--json").output.utf8))
    guard case .array(let examples)? = help["examples"] else { throw NoExamples() }
    #expect(!examples.isEmpty)
    for example in examples {
      let typed = try #require(example["arguments"]?.text)
      // The shell handles a redirection and a pipe; the other programs are not there.
      let own = typed.split(separator: " > ")[0].split(separator: #/ \| (?!action-log )/#)[0]
      let piped = own.split(separator: " | action-log ")
      let words: [[String]] = Self.words(piped[piped.count - 1]).split(separator: "<").map { part in Array(part) }
      let run = await bench.run(words[0], input: words.count > 1 || piped.count > 1 ? ["my-log\n"] : [])
      #expect(run.status != 2, "\(typed): \(run.messages)")
    }
  }

  private struct NoExamples: Error {}

  /// The words of a line in which only single quotes are special.
  private static func words(_ line: Substring) -> [String] {
    var words: [String] = []
    for (index, part) in line.split(separator: "'", omittingEmptySubsequences: false).enumerated() {
      words += index.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [String(part)]
    }
    return words
  }

  @Test("--json prints the version as JSON")
  func versionForPrograms() async {
    let run = await Bench().run("--version", "--json")
    #expect(run.output == #"{"name":"action-log","version":"1.2.3","format":"actionlog/1"}"# + "\n")
  }

  @Test("commands that read the counter's log")
  func counter() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let text = await bench.transcript([
      ["list", "my-log"], ["list", "my-log", "--type", "*Decrement*", "--from", "3", "--to", "-1"],
      ["list", "my-log", "--all", "--limit", "4"], ["list", "my-log", "--last", "2", "--json"],
      ["list", "my-log", "--last", "3"], ["list", "my-log", "--format", "lines", "--to", "2"],
      ["show", "my-log", "6"], ["show", "my-log", "end", "--json"],
      ["state", "my-log"], ["state", "my-log", "--at", "6", "--path", "/value", "-q"],
      ["state", "my-log", "--at", "2026-11-21T09:00:06Z", "--json"],
      ["diff", "my-log", "2", "5"], ["diff", "my-log", "6", "--format", "json-patch"],
      ["diff", "my-log", "5", "7", "-q"],
      ["stats", "my-log"], ["stats", "my-log", "--json"],
      ["verify", "my-log"], ["verify", "my-log", "--json"],
    ])
    try Golden.expect(text, is: "counter.txt")
  }

  @Test("commands that read the log of the animals")
  func animals() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let text = await bench.transcript([
      ["list", "my-log", "--type", "ui"], ["list", "my-log", "--type", "animalEditor", "--grep", "owl"],
      ["show", "my-log", "6"], ["show", "my-log", "2"],
      ["state", "my-log", "--at", "4"], ["state", "my-log", "--path", "/animals/data/Dog"],
      ["state", "my-log", "--path", "/animals/data/Dgo"],
      ["state", "my-log", "--path", "/animals/data/Dog/name", "--raw"],
      ["diff", "my-log", "11", "12"],
      ["diff", "my-log", "12", "12"],
      ["stats", "my-log"],
    ])
    try Golden.expect(text, is: "animals.txt")
  }

  @Test("queries on the log of the animals")
  func questions() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let text = await bench.transcript([
      ["blame", "my-log", "/animals/data/Dog/diet"], ["blame", "my-log", "/animals/data/Dog/diet", "--at", "11"],
      ["blame", "my-log", "/animals/data/Dog/name", "--json"], ["blame", "my-log", "/animals/data/Dgo"],
      ["history", "my-log", "/animals/data/Dog/diet"], ["history", "my-log", "/animals/data/Dog/diet", "--json"],
      ["history", "my-log", "/animals/data/Dog/diet", "--from", "4", "--to", "11"],
      ["history", "my-log", "/animals/data/Dog/diet", "/animals/queue/Dog", "--from", "8", "--to", "12"],
      ["history", "my-log", "/animals/data/Dog/diet", "/animals/status", "--to", "4", "--json"],
      ["find", "my-log", "/animals/data/Dog/diet == \"Omnivore\""],
      ["find", "my-log", "data/animalId == \"Dog\" and type like \"*Editor*\"", "--from", "9"],
      ["find", "my-log", "count(/animals/data) > 100"],
      ["find", "--last", "my-log", "/animals/queue changed", "--from", "9", "--to", "11"],
      ["find", "--last", "my-log", "/animals/data/Dog/diet changed", "--from", "13", "--to", "18"],
      ["find", "my-log", "/animals/data/Dog/diet changed", "--from", "12"],
      ["find", "my-log", "/animals/data/Dog/diet changed", "--from", "4", "--to", "2"],
      ["find", "my-log", "/animals/data/Dog exists", "--from", "2100-01-01"],
      ["find", "--last", "my-log", "/animals/data/Dog exists", "--json"],
      ["find", "--bisect", "my-log", "/animals/data/Dog/diet == \"Omnivore\"", "--to", "12"],
      ["find", "--bisect", "my-log", "/animals/data/Dog exists", "--json"],
      ["find", "--bisect", "my-log", "not /animals/data/Kangaroo exists", "--from", "4"],
      ["minimize", "my-log", "/animals/data/Dog/diet == \"Omnivore\"", "--at", "12"],
      ["minimize", "my-log", "/animals/data/Dog/diet == \"Omnivore\"", "--at", "3"],
      ["find", "my-log", "/animals/data exists adn /x == 1"], ["find", "--bisect", "my-log", "type == \"x\""],
      ["blame", "my-log", "animals"], ["history", "my-log"], ["find", "my-log", "/a = 1", "--json"],
    ])
    try Golden.expect(text, is: "questions.txt")
  }

  @Test("what-if queries")
  func whatIf() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let dog = #"{"animalId":"Dog","name":"Rex","diet":"Herbivore","categoryId":"Mammal"}"#
    let text = await bench.transcript([
      ["what-if", "my-log", "--skip", "12", "--to", "12"], ["what-if", "my-log", "--skip", "12"],
      ["what-if", "my-log", "--skip", "4", "--to", "12"],
      ["what-if", "my-log", "--skip", "1-8", "--to", "-2", "--json"],
      ["what-if", "my-log", "--move", "12=8", "--to", "12"],
      ["what-if", "my-log", "--insert", "12=ui.animalEditor.onTapUpdateAnimalButton \(dog)", "--to", "13"],
      ["what-if", "my-log", "--replace", #"11={"type":"ui.animalList.onAppear"}"#, "--to", "12"],
      ["what-if", "my-log", "--with", "counter", "--to", "2"],
      ["branch", "my-log", "my-branch", "--skip", "9-10", "--to", "12"], ["verify", "my-branch"],
      ["list", "my-branch", "--from", "8"], ["diff", "my-branch", "8", "10", "--format", "json-patch"],
      ["branch", "my-log", "fork", "--to", "4", "--json"], ["replay", "fork"],
      ["what-if", "my-log"], ["what-if", "my-log", "--skip", "0"], ["what-if", "my-log", "--skip", "99"],
      ["what-if", "my-log", "--skip", "8-5"], ["what-if", "my-log", "--skip", "x"],
      ["what-if", "my-log", "--skip", "4", "--move", "4=2"], ["what-if", "my-log", "--replace", "5"],
      ["what-if", "my-log", "--insert", "3=ui.nothing"], ["what-if", "my-log", "--insert", #"3={"type":"ui"#],
      ["what-if", "my-log", "--insert", "3=ui.animalEditor.onTapDeleteSelectedAnimalButton {}"],
      ["what-if", "my-log", "--insert", "3=ui.animalList.onAppear []"], ["what-if", "my-log", "--with", "conter"],
      ["branch", "my-log", "my-log", "--skip", "4"],
      ["branch", "my-log", "my-log/x", "--skip", "4"], ["branch", "my-log", "a/b"],
    ])
    try Golden.expect(text, is: "what-if.txt")
  }

  @Test("selections by condition and by cause")
  func filters() async throws {
    let bench = Bench()
    let lines = [
      #"{"type":"didTapIncrementButton","meta":{"actor":"ann"}}"#, #"{"type":"didTapIncrementButton"}"#,
      #"{"type":"didTapDecrementButton","meta":{"cause":1,"actor":"=1+1"}}"#,
      #"{"type":"didTapIncrementButton","meta":{"cause":2,"actor":"bob, \"b\""}}"#,
      #"{"type":"didTapIncrementButton","meta":{"cause":3}}"#, #"{"type":"didTapDecrementButton","meta":{"cause":7}}"#,
      #"{"type":"didTapDecrementButton","meta":{"cause":5}}"#,
    ]
    _ = await bench.run("record", "counter", "my-log", input: lines.map { line in line + "\n" })
    let text = await bench.transcript([
      ["list", "my-log", "--where", "meta/actor exists and seq > 1"], ["list", "my-log", "--cause", "3"],
      ["list", "my-log", "--cause", "4", "--json"], ["list", "my-log", "--cause", "5", "--from", "4", "--to", "6"],
      ["list", "my-log", "--format", "csv"], ["list", "my-log", "--format", "csv", "--all", "--last", "1"],
      ["list", "my-log", "--format", "lines", "--all", "--where", "type like \"@*\" or meta/cause == 2"],
      ["list", "my-log", "--format", "lines", "--all", "--cause", "6"],
      ["list", "my-log", "--cause", "6"], ["list", "my-log", "--cause", "6", "--json"], ["verify", "my-log"],
      ["list", "my-log", "--where", "meta/cause > 4"],
      ["list", "my-log", "--where", "meta/cause == 9"], ["list", "my-log", "--where", "/value > 1"],
      ["list", "my-log", "--where", "/value > 1 and meta/cause exists", "--from", "4", "--last", "1"],
      ["list", "my-log", "--touching", "/value", "--limit", "2", "--format", "csv"],
      ["list", "my-log", "--touching", "/value", "--where", "/value < 1", "--json"],
      ["list", "my-log", "--touching", "/nothing"], ["list", "my-log", "--touching", "value"],
      ["list", "my-log", "--touching", "/value", "--all"], ["list", "my-log", "--where", "/value > 1", "--from", "99"],
      ["list", "my-log", "--where", "type = 3"], ["list", "my-log", "--format", "lines", "--where", "'' changed"],
      ["list", "my-log", "--cause", "0"], ["list", "my-log", "--cause", "8"],
      ["list", "my-log", "--format", "csv", "--json"],
    ])
    try Golden.expect(text, is: "filters.txt")
  }

  @Test("marks")
  func marks() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let text = await bench.transcript([
      ["mark", "my-log"], ["mark", "my-log", "12", "wrong diet", "a dog eats no leaves"],
      ["mark", "my-log", "-20", "first reload", "--json"], ["mark", "my-log"], ["mark", "my-log", "--json"],
      ["state", "my-log", "--at", "wrong diet", "--path", "/animals/data/Dog/diet"],
      ["diff", "my-log", "first reload", "4"],
      ["blame", "my-log", "/animals/data/Dog/diet", "--at", "wrong diet"],
      ["list", "my-log", "--from", "wrong diet", "--limit", "1"], ["what-if", "my-log", "--skip", "wrong diet"],
      ["state", "my-log", "--at", "wrong deit"], ["state", "my-log", "--at", "strat", "--json"],
      ["mark", "my-log", "13", "wrong diet"], ["mark", "my-log", "99", "late"], ["mark", "my-log", "3", "42"],
      ["mark", "my-log", "3"], ["mark", "my-log/0000000000000001.jsonl", "3", "x"],
      ["mark", "my-log", "--remove", "wrogn diet"], ["mark", "my-log", "3", "--remove", "wrong diet"],
      ["mark", "my-log", "--remove", "wrong diet"], ["mark", "my-log", "-q"], ["verify", "my-log", "-q"],
    ])
    try Golden.expect(text, is: "marks.txt")
  }

  @Test("a range in one file")
  func bugReport() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let text = await bench.transcript([
      ["mark", "my-log", "12", "wrong diet", "a dog eats no leaves"],
      ["bug-report", "my-log", "9", "wrong diet", "--output", "bug.jsonl", "--remark", "Rex is thin"],
      ["list", "bug.jsonl", "--all"],
      ["state", "bug.jsonl", "--at", "wrong diet", "--path", "/animals/data/Dog"],
      ["mark", "bug.jsonl"], ["diff", "bug.jsonl", "start", "end"], ["blame", "bug.jsonl", "/animals/data/Dog/diet"],
      ["replay", "bug.jsonl", "--verify", "-q"],
      ["bug-report", "my-log", "start", "2", "-o", "begin.jsonl", "--json"],
      ["bug-report", "my-log", "9", "12", "-o", "bug.jsonl"], ["bug-report", "my-log", "12", "8", "-o", "b"],
      ["bug-report", "my-log", "9", "99", "-o", "b"], ["bug-report", "my-log", "9", "12"], ["bug-report", "my-log"],
    ])
    try Golden.expect(text, is: "bug-report.txt")
  }

  @Test("help fits its width, and examples can be copied", arguments: [nil, 80, 100, 200, 60])
  func helpWidth(columns: Int?) async throws {
    let bench = Bench(tool: .withStories)
    let commands = try await bench.run("help", "--json").output.split(separator: "\n").map { line in
      try JSONValue(parsing: Array(line.utf8))
    }
    for command in [nil] + commands.map(Optional.some) {
      let page = await bench.run(["help"] + (command?["name"]?.text.map { name in [name] } ?? [])) { environment in
        environment.variables["COLUMNS"] = columns.map(String.init)
      }.output
      let limit = min(columns ?? 80, 100)
      // A terminal wraps an example, so that it can be copied. What else is longer is one word.
      for line in page.split(separator: "\n") where line.count > limit && !line.hasPrefix("  action-log ") {
        #expect(
          limit < 80 && line.hasPrefix("  ") && (line.contains("|") || !line.dropFirst(8).contains(" ")), "\(line)")
      }
      guard let command, case .array(let examples)? = command["examples"] else { continue }
      for example in examples {
        #expect(page.contains("  action-log \(example["arguments"]?.text ?? "?")"), "\(page)")
      }
    }
  }

  @Test("help")
  func help() async throws {
    let text = await Bench().transcript([["help"], ["help", "models"], ["help", "models", "--json"], ["--version"]])
    try Golden.expect(text, is: "help.txt")
  }
}

@Suite("Hostile logs")
struct HostileLogTests {
  @Test("no control character of a log reaches a terminal, and a pipe gets the bytes unchanged")
  func controlCharacters() async throws {
    let bench = Bench()
    let note = "\u{9B}31m\u{202E}\u{7F}"
    let line = #"{"type":"didTapIncrementButton","meta":{"note":"\#(note)","actor":"\u001b]0;x\u0007"}}"# + "\n"
    _ = await bench.run("record", "counter", "my-log", input: [line])
    for arguments in [
      ["list"], ["list", "--json"], ["list"], ["list", "--format", "lines"], ["show", "1"], ["show", "1", "--json"],
    ] {
      let words = [arguments[0], "my-log"] + arguments.dropFirst()
      let run = await bench.run(words) { environment in
        environment.outputIsTerminal = true
        environment.variables = ["NO_COLOR": "1"]
      }
      #expect(run.status == 0)
      let harmful = run.output.unicodeScalars.filter { scalar in
        scalar != "\n" && (scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value == 0x202E)
      }
      #expect(harmful.isEmpty, "\(words)")
      #expect(run.output.contains("\\u009b31m\\u202e\\u007f"), "\(words)")
    }
    #expect(await bench.run("list", "my-log", "--format", "lines", "--all").output.contains(note))
  }
}
