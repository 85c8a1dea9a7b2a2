import ActionLogTool
import Foundation
import JSONCoding
import TestSupport
import Testing

/// The schema of the answers with `--json`. `GlobalOptionTests` checks the answers of all commands.
@Suite("Schemas of answers")
struct AnswerSchemaTests {
  private static let file = PackageFolder.root.appending(path: "logs/readers/answers.schema.json")

  @Test func fileHasTheSchemaOfTheTool() throws {
    try Golden.expect(AnswerSchemas.text, isAt: Self.file)
  }

  @Test func helpPrintsTheSchema() async throws {
    let run = await ActionLogTool.withStories.run("help", "json", "--json")
    #expect(try JSONValue(parsing: Array(run.output.utf8)) == JSONValue(parsing: Array(AnswerSchemas.text.utf8)))
    let page = await ActionLogTool.bare.run("help", "json")
    #expect(page.status == 0 && page.output.hasPrefix("action-log help json: "))
    for topic in ["points", "conditions"] {
      let run = await ActionLogTool.bare.run("help", topic, "--json")
      #expect(try SchemaChecker().errors(of: JSONValue(parsing: Array(run.output.utf8)), as: "help") == [])
    }
  }

  @Test func everyCommandHasASchema() async throws {
    let checker = try SchemaChecker()
    let commands = await Bench(tool: .withStories).run("help", "--json").output
      .matches(of: /"name":"([a-z-]+)","summary"/).map { match in String(match.1) }
    #expect(commands.count > 40)
    let calls = Dictionary(grouping: GlobalOptionTests.calls) { call in call.words[0] }
    let silent = calls.filter { _, calls in calls.allSatisfy { call in call.refusal != nil } }.map(\.key)
    #expect(silent.contains("tui"))
    #expect(Set(commands).subtracting(checker.names) == Set(silent))
  }

  @Test func errorsAreFound() throws {
    let checker = try SchemaChecker()
    let line = #"{"seq":3,"time":"2026-11-21T09:00:00.000000Z","type":"t","data":{}}"#
    let right = try JSONValue(parsing: Array(line.utf8))
    #expect(try checker.errors(of: right, as: "list") == [])
    let wrong = [
      (#""seq":3"#, #""seq":-3"#), (#""seq":3"#, #""seq":"3""#), (#","data":{}"#, ""), (#""data":{}"#, #""data":[]"#),
      ("09:00:00.000000Z", "09:00"), (#""data""#, #""new":1,"data""#), (#""type":"t","#, ""),
    ]
    for (old, new) in wrong {
      let value = try JSONValue(parsing: Array(line.replacing(old, with: new).utf8))
      #expect(try checker.errors(of: value, as: "list") != [], "\(value)")
    }
    #expect(try checker.errors(of: ["truncated": true], as: "list") != [])
    #expect(try checker.errors(of: ["truncated": true, "next": "4"], as: "list") == [])
    #expect(try checker.errors(of: right, as: "nothing") != [])
  }

  /// The same answers for another implementation of JSON Schema.
  @Test("jsonschema for Python", .enabled(if: ReadersTests.python(has: "jsonschema"), "needs jsonschema for Python"))
  func jsonschemaAgrees() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    var lines: [String] = []
    for words in Self.calls {
      let run = await bench.run(words + ["--json"])
      #expect(run.status < 2, "\(words): \(run.messages)")
      lines += run.output.split(separator: "\n").map { line in #"{"as":"\#(words[0])","answer":\#(line)}"# }
    }
    let directory = try TemporaryDirectory()
    let answers = directory.path("answers.jsonl")
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: answers))
    let script = """
      import json, sys
      from jsonschema import Draft202012Validator
      schema = json.load(open(sys.argv[1], encoding="utf-8"))
      Draft202012Validator.check_schema(schema)
      count = 0
      for line in open(sys.argv[2], encoding="utf-8"):
          row = json.loads(line)
          validator = Draft202012Validator(schema | {"$ref": "#/$defs/" + row["as"]})
          validator.validate(row["answer"])
          assert not validator.is_valid([]) and not validator.is_valid({}), row["as"]
          count += 1
      print(count)
      """
    let run = try ProgramRun(["python3", "-c", script, Self.file.path, answers])
    #expect(run.status == 0, "\(run.messages)")
    #expect(run.output == "\(lines.count)\n")
  }

  private static let calls = [
    ["list", "my-log"], ["list", "my-log", "--max-bytes", "2048"], ["show", "my-log", "12"], ["stats", "my-log"],
    ["state", "my-log"], ["state", "my-log", "--path", "/animals/data/Dog"],
    ["state", "my-log", "--max-bytes", "2048"],
    ["diff", "my-log", "3", "4"], ["blame", "my-log", "/animals/data/Dog/diet"],
    ["history", "my-log", "/animals/data", "--limit", "2"], ["history", "my-log", "/animals/data/Dog/diet"],
    ["find", "my-log", "/animals/data/Dog exists"], ["find", "my-log", "/animals/data/Dog/diet == 3"],
    ["find", "--bisect", "my-log", "/animals/data/Dog exists"], ["minimize", "my-log", "/animals/data/Dog exists"],
    ["what-if", "my-log", "--skip", "4"], ["test", "my-log", "1", "4"], ["verify", "my-log"], ["replay", "my-log"],
    ["compat", "my-log"], ["fleet", "my-log"],
  ]
}
