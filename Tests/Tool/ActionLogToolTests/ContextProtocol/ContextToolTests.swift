import ActionLog
import ActionLogTesting
import ActionLogTool
import AnimalsData
import Foundation
import JSONCoding
import PlantedBug
import SampleSupport
import TestSupport
import Testing

/// The tools of `mcp`: their inputs, their answers, and their errors.
@Suite("Tools of the Model Context Protocol", .timeLimit(.minutes(60)))
struct ContextToolTests {
  /// A call of a tool, and the command line that has the same answer.
  struct Pair: Sendable, CustomTestStringConvertible {
    var tool: String
    var arguments: JSONObject
    var words: [String]
    /// Whether the lines of the command are the items of the answer.
    var isOfItems = false

    var testDescription: String { "\(tool) \(arguments)" }
  }

  private static let dog = "/animals/data/Dog"
  static let diet = #"/animals/data/Dog/diet == "Omnivore""#

  static let pairs: [Pair] = [
    Pair(tool: "list", arguments: [:], words: ["list", "my-log"], isOfItems: true),
    Pair(
      tool: "list", arguments: ["from": 4, "to": "-3", "type": "data.*", "actor": "ann", "grep": "Dog"],
      words: ["list", "my-log", "--from", "4", "--to=-3", "--type", "data.*", "--actor", "ann", "--grep", "Dog"],
      isOfItems: true),
    Pair(
      tool: "list", arguments: ["touching": ["/animals/data/Dog"], "where": "seq > 4"],
      words: ["list", "my-log", "--touching", dog, "--where", "seq > 4"], isOfItems: true),
    Pair(tool: "list", arguments: ["last": 3], words: ["list", "my-log", "--last", "3"], isOfItems: true),
    Pair(tool: "list", arguments: ["cause": 11], words: ["list", "my-log", "--cause", "11"], isOfItems: true),
    Pair(tool: "show", arguments: ["at": 12], words: ["show", "my-log", "12"]),
    Pair(tool: "show", arguments: ["at": "-3"], words: ["show", "my-log", "-3"]),
    Pair(tool: "state", arguments: [:], words: ["state", "my-log"]),
    Pair(
      tool: "state", arguments: ["at": 11, "path": "/animals/data/Dog"],
      words: ["state", "my-log", "--at", "11", "--path", dog]),
    Pair(tool: "diff", arguments: ["from": 12], words: ["diff", "my-log", "12"]),
    Pair(tool: "diff", arguments: ["from": "start", "to": "end"], words: ["diff", "my-log", "start", "end"]),
    Pair(tool: "blame", arguments: ["path": "/animals/data/Dog"], words: ["blame", "my-log", dog]),
    Pair(
      tool: "blame", arguments: ["path": "/animals/data/Dog", "at": 12], words: ["blame", "my-log", dog, "--at", "12"]),
    Pair(
      tool: "history", arguments: ["paths": ["/animals/data"]], words: ["history", "my-log", "/animals/data"],
      isOfItems: true),
    Pair(
      tool: "history", arguments: ["paths": ["/animals/data/Dog"], "from": 5, "to": 20],
      words: ["history", "my-log", dog, "--from", "5", "--to", "20"], isOfItems: true),
    Pair(tool: "find", arguments: ["condition": .string(diet)], words: ["find", "my-log", diet]),
    Pair(
      tool: "find", arguments: ["condition": .string(diet), "last": true], words: ["find", "my-log", diet, "--last"]),
    Pair(
      tool: "find", arguments: ["condition": .string(diet), "bisect": true, "to": 15],
      words: ["find", "--bisect", "my-log", diet, "--to", "15"]),
    Pair(
      tool: "find", arguments: ["condition": "/animals/data/Dog/name == 7"],
      words: ["find", "my-log", "/animals/data/Dog/name == 7"]),
    Pair(
      tool: "minimize", arguments: ["condition": .string(diet), "at": 12],
      words: ["minimize", "my-log", diet, "--at", "12"],
      isOfItems: true),
    Pair(
      tool: "what_if", arguments: ["skip": ["12", "5-6"], "to": 19],
      words: ["what-if", "my-log", "--skip", "12", "--skip", "5-6", "--to", "19"]),
    Pair(tool: "what_if", arguments: ["move": ["8=9"]], words: ["what-if", "my-log", "--move", "8=9"]),
    Pair(tool: "test", arguments: ["from": 9, "to": 12], words: ["test", "my-log", "9", "12"]),
    Pair(
      tool: "test",
      arguments: ["to": 12, "minimize": .string(diet), "expect": "/animals/data/Dog/diet == \"Carnivore\""],
      words: [
        "test", "my-log", "start", "12", "--minimize", diet, "--expect", "/animals/data/Dog/diet == \"Carnivore\"",
      ]),
  ]

  static func lines(_ text: String) throws -> [JSONValue] {
    try text.split(separator: "\n").map { line in try JSONValue(parsing: Array(line.utf8)) }
  }

  /// One server answers all of them.
  @Test func answersAreThoseOfTheCommands() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let session = try ContextSession(bench, ["my-log"])
    for pair in Self.pairs {
      let run = await bench.run(pair.words + ["--json"])
      #expect(run.status < 2, "\(run.messages)")
      var arguments = pair.arguments
      arguments["maxBytes"] = 1_000_000
      let answer = try await session.answer(pair.tool, arguments)
      let lines = try Self.lines(run.output)
      let expected: JSONValue? = if pair.isOfItems { .object(["items": .array(lines)]) } else { lines.first }
      #expect(answer == expected, "\(pair): \(answer)")
    }
    #expect(try await session.end().rest == [])
  }

  @Test func toolsAreListedWithTheirInputs() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let session = try ContextSession(bench, ["my-log", "other=other-log"])
    try await session.request("tools/list")
    let message = try #require(try await session.next())
    guard case .array(let tools)? = message["result", "tools"] else {
      Issue.record("no tools: \(message)")
      return
    }
    #expect(
      tools.compactMap { tool in tool["name"]?.text } == [
        "overview", "list", "state", "show", "diff", "blame", "history", "find", "minimize", "what_if", "test",
      ])
    // A model reads all of it.
    #expect(message.bytes().count < 18 << 10)
    for tool in tools {
      #expect(tool["annotations", "readOnlyHint"] == true && tool["description"]?.text?.hasSuffix(".") == true)
      #expect(tool["inputSchema", "type"] == "object")
      #expect(tool["inputSchema", "additionalProperties"] == false)
      #expect(tool["inputSchema", "properties", "log", "enum"] == ["my-log", "other"])
      for name in ["limit", "maxBytes", "cursor"] { #expect(tool["inputSchema", "properties", name] != nil) }
      // A client cannot know the models of the program.
      if tool["name"] == "what_if" {
        #expect(tool["inputSchema", "properties", "with", "enum"] == ["animals", "counter"])
      }
    }
    _ = try await session.end()
  }

  @Test func overviewHasTheRowsAndTheCounts() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    _ = await bench.run("record", "counter", "counter-log", "--workload", "9")
    let session = try ContextSession(bench, ["zoo=my-log", "counter-log", "gone=nothing"])
    let all = try await session.answer("overview", [:])
    #expect(all["logs", "0", "name"] == "zoo" && all["logs", "0", "model"] == "animals")
    #expect(all["logs", "1", "revision"] == 9 && all["stats"] == nil)
    #expect(all["logs", "2", "end"] == "unreadable" && all["logs", "2", "error", "code"] == "notFound")
    let one = try await session.answer("overview", ["log": "zoo"])
    #expect(one["stats"] == (try Self.lines(await bench.run("stats", "my-log", "--json").output).first))
    let row = try #require(try Self.lines(await bench.run("fleet", "my-log", "--json").output).first)
    if case .object(let members) = row { for (name, value) in members { #expect(one["logs", "0", name] == value) } }
    // A page of the rows.
    let first = try await session.answer("overview", ["limit": 2])
    #expect(
      first["truncated"] == true && first["next"] == "+2" && first["logs", "1"] != nil && first["logs", "2"] == nil)
    #expect(try await session.answer("overview", ["limit": 2, "cursor": "+2"])["logs", "0", "name"] == "gone")
    _ = try await session.end()
  }

  @Test func pagesAreTheAnswer() async throws {
    let bench = Bench()
    _ = await bench.run("record", "counter", "my-log", "--workload", "300")
    let session = try ContextSession(bench, ["my-log"])
    var items: [JSONValue] = []
    var arguments: JSONObject = ["maxBytes": 4_096]
    for _ in 0..<200 {
      let result = try await session.call("list", arguments)
      let page = try #require(result["structuredContent"])
      guard case .array(let lines)? = page["items"] else { break }
      items += lines
      guard let next = page["next"] else { break }
      #expect(page["truncated"] == true && "\(page["hints"] ?? .null)".contains("cursor"))
      arguments["cursor"] = next
    }
    #expect(items == (try Self.lines(await bench.run("list", "my-log", "--json").output)))
    _ = try await session.end()
  }

  static let wrongCalls: [(tool: String, arguments: JSONObject, code: String, words: String)] = [
    ("show", ["log": "b", "at": 1], "unknownLog", "a"), ("show", ["log": "../my-log", "at": 1], "unknownLog", "a"),
    ("show", ["log": "/my-log", "at": 1], "unknownLog", "a"), ("show", ["log": 3, "at": 1], "usage", "string"),
    ("show", [:], "usage", "at is missing"), ("show", ["at": 999], "revisionOutOfRange", "23"),
    ("show", ["at": true], "usage", "string"), ("show", ["at": 0], "revisionOutOfRange", "state"),
    ("show", ["at": 1, "output": "x"], "usage", "no input 'output'"), ("show", ["at": 1, "lmit": 3], "usage", "limit"),
    ("show", ["at": "--output=x"], "invalidPoint", "point"),
    ("state", ["path": "animals"], "usage", "JSON Pointer"), ("state", ["path": "/nothing"], "notFound", "nothing at"),
    ("list", ["maxBytes": 10], "usage", "4096"), ("list", ["maxBytes": "all"], "usage", "4096"),
    ("list", ["limit": 0], "usage", "1 to"), ("list", ["cursor": "x"], "usage", "cursor"),
    ("find", ["condition": "/value >"], "invalidCondition", ""),
    ("find", ["condition": "/a == 1", "first": "yes"], "usage", "true or false"),
    ("find", ["condition": "/a == 1", "last": true, "bisect": true], "usage", "cannot be combined"),
    ("diff", ["to": 3], "usage", "from is missing"),
    ("minimize", ["condition": "/animals/data/Dog/diet == 3"], "doesNotHold", ""), ("what_if", [:], "usage", "change"),
    ("what_if", ["skip": 3], "usage", "array"), ("what_if", ["with": "counters"], "unknownModel", "counter"),
    ("find", ["condition": "/animals/data/Dog exists", "from": "2030-01-01"], "emptyRange", ""),
  ]

  @Test func errorsOfToolsAreResults() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let before = bench.disk.counts
    let session = try ContextSession(bench, ["a=my-log"])
    for (tool, arguments, code, words) in Self.wrongCalls {
      let result = try await session.call(tool, arguments)
      #expect(result["isError"] == true && result["structuredContent"] == nil, "\(arguments): \(result)")
      let text = try #require(result["content", "0", "text"]?.text)
      let error = try JSONValue(parsing: Array(text.utf8))["error"]
      #expect(
        error?["code"]?.text == code && error?["message"]?.text?.isEmpty == false, "\(tool) \(arguments): \(text)")
      #expect(words.isEmpty || text.contains(words), "\(tool) \(arguments): \(text)")
      for name in ["message", "advice"] {
        #expect(Self.options(in: error?[name]?.text ?? "") == [], "\(tool) \(arguments): \(text)")
      }
    }
    // A value is never taken for an option.
    #expect(try await session.answer("list", ["type": "--all"])["items"] == [])
    #expect(try await session.end().status == 0)
    #expect(bench.disk.counts.bytesWritten == before.bytesWritten && bench.disk.counts.renames == before.renames)
  }

  /// The words of a command line that are not inside a quoted command for the user.
  private static func options(in text: String) -> [String] {
    let outside = text.replacing(/'(action-log )?[a-z][a-z-]* [^']*('|$)/, with: "'")
    return outside.matches(of: /(^|[ (])--[a-z][a-z-]*/).map { match in String(match.0) }
  }

  /// A message that a client can get refers to options, and does not spell them.
  @Test func messagesReferToOptions() throws {
    let root = PackageFolder.root.appending(path: "Sources/Tool/ActionLogTool").path + "/"
    let shared = [
      "Parsing", "Answers", "Questions", "Output", "ContextProtocol/Context", "Models", "Commands/Support/",
    ]
    let files = FileManager.default.enumerator(atPath: root)?.compactMap { file in file as? String } ?? []
    var checkedCount = 0
    for file in files where file.hasSuffix(".swift") {
      let source = try String(contentsOfFile: root + file, encoding: .utf8)
      // A command that is no tool has messages for its users only.
      guard shared.contains(where: file.hasPrefix) || source.contains("tool: ToolDeclaration(") else { continue }
      guard !file.contains("Redact"), !file.contains("Erased") else { continue }
      let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
      for (index, line) in lines.enumerated() where line.firstMatch(of: /"(?:[^"\\]|\\.)*--[a-z]/) != nil {
        let statement = lines[max(0, index - 2)...index].joined(separator: "\n")
        let isMessage = statement.firstMatch(of: /usage\(|ToolFailure\(|advice|warn\(|[hH]int\(|MessageText/) != nil
        #expect(!isMessage, "\(file): \(line)")
      }
      checkedCount += 1
    }
    #expect(checkedCount > 40)
  }

  static let wordings: [(tool: String, text: MessageText, advice: String?)] = [
    ("state", "The point is an option: \(.option("at", "8")).", "The point is an option: at 8."),
    (
      "show", "It is the state at the start; \(.operation("state", .path("my log"), .option("at", "0"))) shows it.",
      "It is the state at the start; state with at 0 shows it."
    ),
    (
      "state", "Allow more with \(.option("max-bytes")), or ask for a part of it.",
      "Allow more with maxBytes, or ask for a part of it."
    ),
    ("list", "Give \(.option("where")) or \(.option("touching")).", "Give where or touching."),
    (
      "find",
      .sentences(
        "\(.operation("list", .path("my log"), .option("to", "7"))) shows the actions before it.",
        "Name one with \(.option("model"))."),
      "list with to 7 shows the actions before it."
    ),
    ("blame", "\(.operation("diff", .path("my-log"), "3", "4")) shows it.", "diff with from 3, to 4 shows it."),
    ("list", .fullReport, "Run 'action-log verify' for the full report."),
    ("state", "Add \(.option("json")).", nil), ("show", "'show me' is not a point.", "'show me' is not a point."),
    (
      "show", "Run \(.operation("show", .option("help"))) for how to use it.",
      "The inputs of show are log, at, projection, limit, maxBytes, cursor."
    ),
  ]

  @Test(arguments: wordings)
  func adviceIsWordedForClients(tool: String, text: MessageText, advice: String?) throws {
    #expect(try #require(MessageWording.inputs(ofToolNamed: tool)).advice(text) == advice)
  }

  /// What a client lacks is named without dashes.
  @Test func failuresNameWhatClientsLack() throws {
    let text: MessageText = "\(.option("last")) needs \(.option("cause", "N"))"
    #expect(try #require(MessageWording.inputs(ofToolNamed: "list")).message(text) == "last needs cause N")
    #expect("\(text)" == "--last needs --cause N")
  }

  @Test func damageIsReportedWithTheReadablePart() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    try bench.disk.flipBit(3, ofByte: 4_000, in: Bench.segment)
    let session = try ContextSession(bench, ["my-log"])
    let result = try await session.call("list", [:])
    let text = try JSONValue(parsing: Array(try #require(result["content", "0", "text"]?.text).utf8))
    #expect(result["isError"] == true && text["error", "code"] == "damaged" && text["error", "advice"] != nil)
    #expect(text["answer", "items", "0", "seq"] == 1)
    // An earlier action is intact.
    #expect(try await session.answer("show", ["at": 2])["seq"] == 2)
    _ = try await session.end()
  }

  /// No link in a log's directory leads out of it.
  @Test func linksOutOfALogAreNotFollowed() async throws {
    let directory = try TemporaryDirectory()
    let manager = FileManager.default
    for name in ["inside", "outside"] {
      try manager.copyItem(atPath: "\(ReadersTests.root)/logs/animals", toPath: directory.path(name))
    }
    try manager.removeItem(atPath: directory.path("inside/snapshots"))
    try manager.createSymbolicLink(
      atPath: directory.path("inside/snapshots"), withDestinationPath: directory.path("outside/snapshots"))
    var bench = Bench()
    bench.directory = directory.path("")
    let session = try ContextSession(bench, ["inside"])
    let state = try await session.answer("state", ["path": "/animals/data/Dog/name"])
    #expect(state["value"] == "Dog" && state["fromSnapshot"] == .null)
    _ = try await session.end()
  }

  /// A client that others wrote.
  @Test("the SDK for Python", .enabled(if: ReadersTests.python(has: "mcp"), "needs mcp for Python"))
  func pythonClientIsAnswered() throws {
    let script = """
      import asyncio, json, sys
      import mcp
      from mcp import ClientSession, StdioServerParameters
      from mcp.client.stdio import stdio_client

      async def ask(session):
          tools = (await session.list_tools()).tools
          assert len(tools) == 11, tools
          calls = [("overview", {}), ("list", {"limit": 3}), ("show", {"at": 12}), ("state", {"path": "/animals/data/Dog"}),
                   ("diff", {"from": 12}), ("blame", {"path": "/animals/data/Dog"}), ("history", {"paths": ["/animals/data"]}),
                   ("find", {"condition": "/animals/data/Dog exists", "bisect": True}),
                   ("minimize", {"condition": "/animals/data/Dog exists"}), ("what_if", {"skip": ["12"]}), ("test", {})]
          for name, arguments in calls:
              result = (await session.call_tool(name, arguments)).model_dump(by_alias=True)
              assert not result["isError"], (name, result)
              assert result["structuredContent"] == json.loads(result["content"][0]["text"]), name
          wrong = (await session.call_tool("show", {"at": 999})).model_dump(by_alias=True)
          assert wrong["isError"] and "revisionOutOfRange" in wrong["content"][0]["text"], wrong

      async def main():
          server = StdioServerParameters(command=sys.argv[1], args=["mcp", "--log", "zoo=" + sys.argv[2]])
          async with stdio_client(server) as (reading, writing):
              async with ClientSession(reading, writing) as session:
                  await session.initialize()
                  await ask(session)
          # Since its version 2 it also speaks the revision without sessions.
          if hasattr(mcp, "Client"):
              async with mcp.Client(server) as client:
                  assert client.protocol_version == "2026-07-28", client.protocol_version
                  await ask(client)
          print("answered")

      asyncio.run(main())
      """
    let run = try ProgramRun([
      "python3", "-c", script, Executable.path(of: "action-log"), "\(ReadersTests.root)/logs/animals",
    ])
    #expect(run.status == 0 && run.output == "answered\n", "\(run.messages)")
  }
}
