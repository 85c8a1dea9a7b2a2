import ActionLog
import ActionLogTesting
import ActionLogTool
import JSONCoding
import Testing

/// Commands, the screen and the page share one implementation of hints on conditions.
@Suite("Hints on conditions")
struct ConditionHintTests {
  private static let type =
    #"no checked action has the type "onAppear". Did you mean "ui.animalList.onAppear" or "ui.categoryList.onAppear"?"#
  private static let place =
    #"there is nothing at /animals/dta/Dog: the object at /animals has no member "dta". Did you mean "data"?"#

  private static let conditions: [(text: String, hint: String)] = [
    (#"type == "onAppear""#, type), ("/animals/dta/Dog exists", place),
  ]

  @Test("on the command line", arguments: conditions)
  func commands(text: String, hint: String) async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    for command in [["find"], ["find", "--last"], ["list", "--where"]] {
      let words = [command[0], "my-log"] + command.dropFirst() + [text]
      let run = await bench.run(words)
      #expect(run.messages.contains(hint), "\(words): \(run.messages)")
      // With --json the hint is a member.
      let lines = await bench.run(words + ["--json"]).messages.split(separator: "\n")
      let warnings = try lines.map { line in try JSONValue(parsing: Array(line.utf8)) }
      #expect(warnings.contains { warning in warning["warning"]?.text?.hasSuffix(hint) == true }, "\(lines)")
      #expect(await bench.run(words + ["-q"]).messages.isEmpty)
    }
  }

  @Test("in the questions of the screen, and in its filter", arguments: conditions)
  func screen(text: String, hint: String) async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    for keys in [["u" + text], ["$", "U" + text], ["/" + text]] + (text.hasPrefix("type") ? [] : [["B" + text]]) {
      let run = await bench.run(["tui", "my-log"], input: keys.map { line in line + "\n" }) { environment in
        environment.variables["COLUMNS"] = "120"
      }
      // A long text continues on the next line.
      let rows = run.output.split(separator: "\n").suffix(6).map(String.init)
      #expect(rows.joined(separator: " ").contains(hint), "\(keys): \(run.output)")
    }
  }

  @Test("--type hints at types that differ in case or by a typing error")
  func types() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    for (pattern, hint) in [
      ("onappear", #"--type onappear matches no action. Did you mean "onAppear"?"#),
      ("onApear", #"--type onApear matches no action. Did you mean "onAppear"?"#),
    ] {
      let run = await bench.run("list", "my-log", "--type", pattern)
      #expect(run.status == 1 && run.messages.contains(hint), "\(run.messages)")
      #expect(await bench.run("list", "my-log", "--type", pattern, "--last", "3").messages.contains(hint))
      // A matching pattern does not hide the hint on another one.
      let two = await bench.run("list", "my-log", "--type", pattern, "--type", "onTapAddAnimalButton")
      #expect(two.status == 0 && two.messages.contains(hint))
    }
    #expect(await bench.run("list", "my-log", "--type", "onAppear").messages.isEmpty)
    #expect(await bench.run("list", "my-log", "--type", "zebra").messages == "no action matches\n")
  }
}

/// A path that no state has is probably mistyped: a hint names the nearest one.
@Suite("Hints on places of the state")
struct PointerHintTests {
  private static let hint =
    #"nothing at /animals/dta/Dog: the object at /animals has no member "dta". Did you mean "data"?"#

  static let questions: [[String]] = [
    ["find", "my-log", #"/animals/dta/Dog/name == "Rex""#], ["find", "my-log", "/animals/dta/Dog != 1"],
    ["find", "--last", "my-log", "/animals/dta/Dog exists"], ["find", "--last", "my-log", "not /animals/dta/Dog == 1"],
    ["find", "my-log", "count(/animals/dta/Dog) > 3"], ["find", "my-log", "/animals/dta/Dog changed"],
    ["find", "--bisect", "my-log", "/animals/dta/Dog exists"],
    ["find", "--bisect", "my-log", "not /animals/dta/Dog == 1"],
    ["list", "my-log", "--where", "/animals/dta/Dog exists"],
    ["list", "my-log", "--touching", "/animals/dta/Dog"],
    ["list", "my-log", "--touching", "/animals/dta/Dog", "--last", "3"],
    ["list", "my-log", "--touching", "/animals/data", "--touching", "/animals/dta/Dog"],
    ["history", "my-log", "/animals/dta/Dog"], ["history", "my-log", "/animals/data", "/animals/dta/Dog"],
    ["history", "my-log", "/animals/dta/Dog"], ["blame", "my-log", "/animals/dta/Dog"],
    ["state", "my-log", "--path", "/animals/dta/Dog"],
    ["minimize", "my-log", "/animals/dta/Dog exists"],
  ]

  @Test("a path in no state gets a hint with the nearest one", arguments: questions)
  func misspelt(words: [String]) async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let run = await bench.run(words)
    let place = words.joined().contains("Dog/name") ? "/animals/dta/Dog/name" : "/animals/dta/Dog"
    #expect(run.messages.contains(Self.hint.replacing("/animals/dta/Dog", with: place)), "\(run.messages)")
    // With --json it is a warning, and with --quiet it is omitted unless it is an error.
    let json = await bench.run(words + ["--json"])
    #expect(json.messages.contains("Did you mean"), "\(json.messages)")
    for line in json.messages.split(separator: "\n") { _ = try JSONValue(parsing: line.utf8) }
    #expect(json.status == run.status)
    guard ["find", "list"].contains(words[0]) || words[0] == "history" && words.count > 3 else { return }
    #expect(await bench.run(words + ["-q"]).messages.isEmpty)
  }

  @Test(
    "a path that existed at some time, or was not read, gets no hint",
    arguments: [
      ["find", "my-log", "/animals/data/Cat exists"], ["list", "my-log", "--touching", "/animals/data/Cat"],
      ["history", "my-log", "/animals/data/Cat", "/animals/data/Dog"],
      ["find", "my-log", #"type == "nothing" and /animals/dta exists"#],
      ["list", "my-log", "--where", "/animals/data/Cat/name changed"],
      ["find", "--bisect", "my-log", "/animals/data/Cat exists"],
      ["find", "my-log", "count(/animals/data/Cat/name) > 100"],
      // A query for a missing value needs no hint.
      ["find", "--bisect", "my-log", "not /animals/dta/Dog exists"],
      ["find", "--last", "my-log", "not /animals/dta/Dog exists"],
      ["list", "my-log", "--where", "not (/animals/dta/Dog exists and seq > 3)"],
    ])
  func there(words: [String]) async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let run = await bench.run(words)
    #expect(run.status < 2)
    #expect(!run.messages.contains("there is nothing"), "\(run.messages)")
  }
}
