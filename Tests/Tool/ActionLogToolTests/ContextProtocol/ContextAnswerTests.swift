import ActionLog
import ActionLogTool
import AnimalsData
import Foundation
import JSONCoding
import PlantedBug
import SampleSupport
import TestSupport
import Testing

/// The sizes and the hints of the answers of `mcp`, and a story that they tell.
@Suite("Answers to a model", .timeLimit(.minutes(60)))
struct ContextAnswerTests {
  /// A result has two copies of the answer, and hints: the line that is sent has at most `maxBytes`.
  @Test(arguments: [4_096, 6_000, nil]) func resultsFitMaxBytes(maximum: Int?) async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    _ = await bench.run("record", "animals", "long-log", "--workload", "400")
    let session = try ContextSession(bench, ["my-log", "long-log"])
    let schemas = try await ContextToolTests.schemas(session)
    let more: [ContextToolTests.Pair] = [
      ContextToolTests.Pair(tool: "overview", arguments: [:], words: []),
      ContextToolTests.Pair(tool: "test", arguments: ["minimize": .string(ContextToolTests.diet)], words: []),
      ContextToolTests.Pair(tool: "find", arguments: ["condition": #"/animals/dta == "\"x\"""#], words: []),
      ContextToolTests.Pair(
        tool: "find", arguments: ["condition": .string("/x == \"" + String(repeating: "é\\n", count: 3_000) + "\"")],
        words: []),
      ContextToolTests.Pair(
        tool: "find", arguments: ["condition": .string(String(repeating: "(", count: 9_000))], words: []),
      ContextToolTests.Pair(tool: "state", arguments: ["path": "/animals/data"], words: []),
    ]
    var truncated: Set<String> = []
    for pair in ContextToolTests.pairs + more {
      for log in ["my-log", "long-log"] {
        var arguments = pair.arguments
        arguments["log"] = .string(log)
        arguments["maxBytes"] = maximum.map { bytes in .integer(bytes) }
        for _ in 0..<4 {
          let before = session.bytesReceived
          let result = try await session.call(pair.tool, arguments)
          let size = session.bytesReceived - before
          #expect(size <= maximum ?? (pair.tool == "state" ? 8 << 10 : 16 << 10), "\(pair) \(log): \(size) bytes")
          guard let answer = result["structuredContent"] else { break }
          #expect(result["content", "0", "text"]?.text == "\(answer)")
          #expect(try ContextToolTests.errors(of: answer, try #require(schemas[pair.tool])) == [], "\(pair)")
          if answer["truncated"] == true { truncated.insert(pair.tool) }
          guard let next = answer["next"] else { break }
          arguments["cursor"] = next
        }
      }
    }
    // The bound is used: half of it is the answer once.
    #expect(truncated.isSuperset(of: ["list", "state", "diff", "test"]), "\(truncated)")
    let before = session.bytesReceived
    _ = try await session.call("list", ["log": "long-log", "maxBytes": .integer(maximum ?? 16_384)])
    #expect(session.bytesReceived - before > (maximum ?? 16_384) / 2)
    _ = try await session.end()
  }

  /// The answers and the schemas for another implementation of JSON Schema.
  @Test("jsonschema for Python", .enabled(if: ReadersTests.python(has: "jsonschema"), "needs jsonschema for Python"))
  func jsonschemaAgrees() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let session = try ContextSession(bench, ["my-log"])
    let schemas = try await ContextToolTests.schemas(session)
    var rows: [JSONValue] = []
    for pair in ContextToolTests.pairs {
      for bytes in [4_096, 1_000_000] {
        var arguments = pair.arguments
        arguments["maxBytes"] = .integer(bytes)
        let result = try await session.call(pair.tool, arguments)
        rows.append([
          "schema": try #require(schemas[pair.tool]), "answer": try #require(result["structuredContent"], "\(result)"),
        ])
      }
    }
    _ = try await session.end()
    let script = """
      import json, sys
      from jsonschema import Draft202012Validator
      def closed(schema):
          if isinstance(schema, list): return [closed(value) for value in schema]
          if not isinstance(schema, dict): return schema
          schema = {name: closed(value) for name, value in schema.items()}
          # A member that the schema does not name is an error here.
          return schema | {"additionalProperties": False} if "properties" in schema and schema.get("type") else schema
      count, names = 0, set()
      for line in sys.stdin:
          row = json.loads(line)
          Draft202012Validator.check_schema(row["schema"])
          Draft202012Validator(closed(row["schema"])).validate(row["answer"])
          count, names = count + 1, names | set(row["answer"])
      print(count, {"truncated", "next", "omitted", "hints", "work"} <= names)
      """
    let directory = try TemporaryDirectory()
    let (program, answers) = (directory.path("check.py"), directory.path("answers.jsonl"))
    try Data(script.utf8).write(to: URL(filePath: program))
    try Data(rows.map { row in "\(row)\n" }.joined().utf8).write(to: URL(filePath: answers))
    let run = try ProgramRun(["sh", "-c", "exec python3 \"$0\" < \"$1\"", program, answers])
    #expect(run.status == 0 && run.output == "\(rows.count) True\n", "\(run.messages)")
  }

  static let hints: [(tool: String, arguments: JSONObject, words: [String], hint: String)] = [
    ("list", ["actor": "ann"], ["list", "--actor", "ann"], "no checked action names an actor (meta.actor)"),
    (
      "list", ["log": "named", "actor": "amn"], ["list", "--actor", "amn"],
      #"actor amn matches no action. Did you mean "ann"?"#
    ),
    (
      "list", ["log": "named", "actor": "zebra"], ["list", "--actor", "zebra"],
      "actor zebra matches no action; the actors are 'ann', 'bob'"
    ),
    (
      "list", ["cause": 5], ["list", "--cause", "5"],
      "action 5 names no cause (meta.cause), and no later action names one"
    ),
    (
      "list", ["log": "named", "cause": 2], ["list", "--cause", "2"],
      "action 2 names no cause (meta.cause), and no later action names it as its cause"
    ),
    (
      "list", ["grep": "omnivore"], ["list", "--grep", "omnivore"],
      "grep omnivore matches no action; case matters, and action 4 has it in another case"
    ),
  ]

  /// An empty list alone does not say why.
  @Test func emptyListsHaveHints() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let increment = #"{"type":"didTapIncrementButton""#
    let input = [
      increment + #","meta":{"actor":"ann"}}"# + "\n", increment + "}\n",
      increment + #","meta":{"actor":"bob","cause":1}}"# + "\n",
    ]
    _ = await bench.run(["record", "counter", "named"], input: input)
    let session = try ContextSession(bench, ["my-log", "named"])
    for (tool, arguments, words, hint) in Self.hints {
      var arguments = arguments
      let log = arguments["log"] ?? "my-log"
      arguments["log"] = log
      let result = try await session.call(tool, arguments)
      #expect(result["structuredContent", "hints"] == [.string(hint)], "\(arguments): \(result)")
      let run = await bench.run([words[0], log.text ?? ""] + words.dropFirst())
      let message = hint.replacing(#/^(actor|grep) /#) { match in "--\(match.0)" }
      #expect(run.messages.contains(message), "\(words): \(run.messages)")
    }
    // Nothing to say about a list that is not empty, or about a text that is nowhere.
    for arguments: JSONObject in [
      ["log": "named", "actor": "ann"], ["log": "named", "cause": 1], ["log": "my-log", "grep": "Omnivore"],
      ["log": "my-log", "grep": "zebra"],
    ] { #expect(try await session.call("list", arguments)["structuredContent", "hints"] == nil, "\(arguments)") }
    _ = try await session.end()
  }

  /// A condition that holds nowhere: the values that it reads, and the conditions that have an answer.
  @Test func unmetConditionsAreExplained() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let session = try ContextSession(bench, ["my-log"])
    let diet: JSONValue = #"/animals/data/Dog/diet == "Carnivor""#
    for mode in ["first", "last", "bisect"] {
      let answer = try await session.answer("find", ["condition": diet, mode: true, "to": 12])
      #expect(answer["revision"] == .null)
      #expect(
        answer["values"] == [["pointer": "/animals/data/Dog/diet", "kind": "string", "value": "Omnivore"]], "\(answer)")
    }
    for mode in ["--first", "--last", "--bisect"] {
      let run = await bench.run("find", mode, "my-log", #"/animals/data/Dog/diet == "Carnivor""#, "--to", "12")
      #expect(run.messages.contains(#"at revision 12 /animals/data/Dog/diet is "Omnivore""#), "\(run.messages)")
    }
    // A large value is not repeated.
    let all = try await session.answer("find", ["condition": "count(/animals) > 99"])
    #expect(
      all["values", "0", "kind"] == "object" && all["values", "0", "count"] == 3 && all["values", "0", "value"] == nil)
    let advice: [(condition: JSONValue, advice: String)] = [
      (#"/animals/data/Dog/diet != "Carnivore""#, "add: and /animals/data/Dog/diet exists")
    ]
    for (condition, words) in advice {
      for (tool, arguments) in [
        ("minimize", ["condition": condition, "at": 12]), ("test", ["minimize": condition, "to": 12]),
      ] as [(String, JSONObject)] {
        let result = try await session.call(tool, arguments)
        let text = try JSONValue(parsing: Array(try #require(result["content", "0", "text"]?.text).utf8))
        let error = "\(text["error", "message"]?.text ?? "") \(text["error", "advice"]?.text ?? "")"
        #expect(error.contains(words), "\(tool) \(condition): \(text)")
      }
    }
    let expected = try await session.call("test", ["to": 12, "expect": "/animals/data/Dog/diet changed"])
    #expect(
      expected["content", "0", "text"]?.text?.contains("a condition over the state alone is needed") == true,
      "\(expected)")
    // The advice helps.
    let helped = try await session.answer(
      "minimize",
      ["condition": #"/animals/data/Dog/diet != "Carnivore" and /animals/data/Dog/diet exists"#, "at": 12])
    #expect(helped["items", "0"] != nil)
    _ = try await session.end()
  }

  @Test func changesHaveTheOldValues() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let session = try ContextSession(bench, ["my-log"])
    for (tool, input) in [("show", "at"), ("diff", "from")] {
      let changes = try await session.answer(tool, [input: 12])["changes"]
      let replaced = changes?.elements.first { change in change["path"] == "/animals/data/Dog/diet" }
      #expect(replaced?["old"] == "Carnivore" && replaced?["value"] == "Omnivore", "\(changes ?? .null)")
    }
    // One that is larger than a kilobyte is left out.
    let names = ["short", String(repeating: "long", count: 400), "short"]
    let actions = names.enumerated().map { index, name in
      let animal = Animal(animalId: "Worm", name: name, diet: .herbivorous, categoryId: "Invertebrate")
      return AnimalsAction.data(
        .persistentSession(
          index == 0
            ? .didAddAnimal(id: "Worm", result: .success(animal: animal))
            : .didUpdateAnimal(animalId: "Worm", result: .success(animal: animal))))
    }
    _ = await bench.run("record", "animals", "worm-log", input: try Bench.lines(actions))
    for (revision, old) in [("2", "short"), ("3", nil)] as [(String, JSONValue?)] {
      let run = await bench.run("diff", "worm-log", revision, "--json")
      let changes = try ContextToolTests.lines(run.output).first?["changes"]?.elements ?? []
      let change = try #require(
        changes.first { change in change["path"] == "/animals/data/Worm/name" }, "\(run.output)")
      #expect(change["op"] == "replace" && change["old"] == old, "\(change)")
    }
    // The patch alone is one of RFC 6902.
    #expect(!(await bench.run("diff", "my-log", "12", "--format", "json-patch").output.contains("old")))
    _ = try await session.end()
  }

  @Test func testsSayWhereTheyBelong() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let session = try ContextSession(bench, ["my-log"])
    let result = try await session.call("test", ["to": 12, "minimize": .string(ContextToolTests.diet)])
    let test = try #require(result["structuredContent"])
    #expect(
      test["suite"] == "AnimalsModelActions1To12"
        && test["source"]?.text?.contains("struct AnimalsModelActions1To12") == true)
    #expect(test["imports"] == ["ActionLog", "AnimalsData", "EventSourcing", "JSONCoding", "Testing", "TimeTravel"])
    #expect(
      test["hints"] == [
        .string(
          "Save source as AnimalsModelActions1To12.swift in a test target that depends on ActionLog, AnimalsData, EventSourcing, "
            + "JSONCoding, TimeTravel, and run 'swift test --filter AnimalsModelActions1To12'.")
      ])
    // Too large.
    let large = try await session.call("test", ["maxBytes": 4_096])
    #expect(large["structuredContent", "omitted", "0", "pointer"] == "/source", "\(large)")
    #expect(large["structuredContent", "hints", "0"]?.text?.contains("Give minimize") == true, "\(large)")
    _ = try await session.end()
  }

  /// From a wrong value to the failing test, as a model would ask.
  @Test func plantedBugIsFoundInEightCalls() async throws {
    let bench = Bench(
      tool: ActionLogTool(
        models: [
          .model(AnimalsWithBug.self) { seed, count in AnimalsWorkload(seed: seed).prefix(count) },
          .model(AnimalsModel.self) { seed, count in AnimalsWorkload(seed: seed).prefix(count) },
        ]))
    var actions = Array(AnimalsWorkload(seed: 7).prefix(240))
    let name = "Platypus (young)"
    let animal = Animal(animalId: "Platypus", name: name, diet: .carnivorous, categoryId: "Mammal")
    let birth = AnimalsAction.data(.persistentSession(.didAddAnimal(id: "Platypus", result: .success(animal: animal))))
    let tap = AnimalsAction.ui(
      .animalEditor(
        .onTapUpdateAnimalButton(animalId: "Platypus", name: name, diet: .omnivorous, categoryId: "Mammal")))
    let failure = AnimalsAction.data(
      .persistentSession(.didUpdateAnimal(animalId: "Platypus", result: .failure(error: "The request timed out."))))
    actions.insert(contentsOf: [tap, failure], at: 180)
    actions.insert(birth, at: 90)
    _ = await bench.run("record", "animals-with-bug", "bug-log", input: try Bench.lines(actions))
    let session = try ContextSession(bench, ["bug=bug-log"])
    var bytes = 0
    var count = 0
    func ask(_ tool: String, _ arguments: JSONObject, isError: Bool = false) async throws -> JSONValue {
      let before = session.bytesReceived
      let result = try await session.call(tool, arguments)
      #expect(result["isError"] == .bool(isError), "\(tool): \(result)")
      bytes += session.bytesReceived - before
      count += 1
      // A client may give the model only the text.
      return try JSONValue(parsing: Array(try #require(result["content", "0", "text"]?.text).utf8))
    }

    let overview = try await ask("overview", [:])
    #expect(overview["logs", "0", "model"] == "animals-with-bug" && overview["logs", "0", "name"] == "bug")
    // The platypus lost a part of its name. Its path is not known, and neither is the case of its name.
    let nothing = try await ask("list", ["grep": "platypus"])
    let hint = try #require(nothing["hints", "0"]?.text)
    let named = try #require(
      hint.firstMatch(of: #/action (\d+) has it in another case/#).flatMap { match in Int(match.1) })
    let first = try await ask("show", ["at": .integer(named)])
    let path = try #require(first["changes"]?.elements.first?["path"]?.text) + "/name"
    #expect(path == "/animals/data/Platypus/name")
    // Which action changed it?
    let blame = try await ask("blame", ["path": .string(path)])
    #expect(blame["change", "old"] == "Platypus (young)" && blame["change", "new"] == "Platypus ")
    let wrong = try #require(blame["change", "seq"])
    #expect(blame["change", "data", "result", "failure", "error"] == "The request timed out.")
    // A condition that also holds before the animal exists is refused with the reason.
    let expected: JSONValue = .string(path + #" == "Platypus (young)""#)
    let refused = try await ask(
      "test", ["to": wrong, "minimize": .string(path + #" != "Platypus (young)""#), "expect": expected], isError: true)
    #expect(refused["error", "message"]?.text?.contains("add: and \(path) exists") == true, "\(refused)")
    let condition: JSONValue = .string(path + #" == "Platypus ""#)
    let test = try await ask("test", ["to": wrong, "minimize": condition, "expect": expected])
    #expect(test["actions"] == 2 && test["holdsAlready"] == false)
    #expect(
      test["source"]?.text?.contains("AnimalsWithBug") == true
        && test["hints", "0"]?.text?.hasPrefix("Save source") == true)
    let right = try await ask("what_if", ["with": "animals", "to": wrong])
    #expect(right["firstDivergence"] == wrong && right["changes", "0", "value"] == "Platypus (young)")
    #expect(right["changes", "0", "old"] == "Platypus " && right["changes", "1"] == nil)
    #expect(count <= 8 && bytes <= 40 << 10, "\(count) calls, \(bytes) bytes")
    let found = try await ask("find", ["condition": condition, "bisect": true])
    #expect(found["revision"] == wrong && found["isMonotonic"] == true)
    let needed = try await ask("minimize", ["condition": condition, "at": wrong])
    #expect(needed["items", "1", "seq"] == wrong && needed["items", "2"] == nil)
    #expect(needed["items", "0", "type"] == "data.persistentSession.didAddAnimal")
    // The former name.
    #expect(try await ask("minimize", ["condition": condition, "at": wrong])["items"] == needed["items"])
    #expect(try await session.end().status == 0)
  }
}
