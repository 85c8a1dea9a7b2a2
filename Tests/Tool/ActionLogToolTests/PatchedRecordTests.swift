import ActionLog
import ActionLogTesting
import ActionLogTool
import Foundation
import JSONCoding
import TestSupport
import Testing

/// Logs of programs in any language: `record patched`, and the questions about what it has recorded.
@Suite struct PatchedRecordTests {
  /// A shop in another language.
  private static let lines = [
    #"{"type":"@init","state":{"items":{},"total":0}}"#,
    #"{"type":"cart/itemAdded","data":{"sku":"A-7"},"patch":[{"op":"add","path":"/items/A-7","value":{"count":1}}],"meta":{"actor":"ann"}}"#,
    #"{"type":"cart/priced","merge":{"total":20,"currency":"EUR"}}"#,
    #"{"type":"page/opened","data":{"page":"help"}}"#,
    #"{"type":"cart/counted","state":{"items":{"A-7":{"count":2}},"total":20,"currency":"EUR"}}"#,
  ]

  private static func recording(_ lines: [String] = lines) async -> (bench: Bench, run: CommandLineRun) {
    let bench = Bench()
    let input = [lines.map { line in line + "\n" }.joined()]
    return (bench, await bench.run("record", "patched", "my-log", input: input))
  }

  @Test func effectsLeadToTheState() async throws {
    let (bench, run) = await Self.recording()
    #expect(run.status == 0, "\(run.messages)")
    #expect(run.output.split(separator: "\n").count == 5 && !run.output.contains("ignored"))
    #expect(run.output.hasSuffix(#"{"line":5,"seq":5,"durability":"synced"}"# + "\n"))
    let state = await bench.run("state", "my-log", "--json", "-q").output
    let expected: JSONValue = ["currency": "EUR", "items": ["A-7": ["count": 2]], "total": 20]
    #expect(try JSONValue(parsing: Array(state.utf8))["state"] == expected, "\(state)")
    #expect(await bench.run("verify", "my-log").status == 0)
    #expect(await bench.run("replay", "my-log", "--verify").status == 0)
  }

  @Test func dataAndEffectAreTwoPartsOfARecord() async throws {
    let (bench, _) = await Self.recording()
    let records = await bench.run("list", "my-log", "--format", "lines").output.split(separator: "\n")
    #expect(records[0].contains(#""data":{"@patch":["#))
    #expect(
      records[1].contains(
        #""data":{"sku":"A-7","@patch":[{"op":"add","path":"/items/A-7","value":{"count":1}}]}"#))
    #expect(records[2].contains(#""data":{"@merge":{"total":20,"currency":"EUR"}}"#))
    #expect(records[3].contains(#""data":{"page":"help"}"#))
    // A complete state is recorded as what it changes.
    #expect(records[4].contains(#""data":{"@patch":[{"op":"replace","path":"/items/A-7/count","value":2}]}"#))
    let found = await bench.run("list", "my-log", "--where", #"data/sku == "A-7""#, "--json").output
    #expect(found.split(separator: "\n").count == 1 && found.contains(#""seq":2"#), "\(found)")
    // Lines of the log are recorded again as they are.
    let copied = await bench.run(
      "record", "patched", "copy", input: [records.joined(separator: "\n") + "\n"])
    #expect(copied.status == 0 && !copied.output.contains("refused") && !copied.output.contains("ignored"))
    #expect(await bench.run("state", "copy", "-q").output == bench.run("state", "my-log", "-q").output)
  }

  @Test func questionsAreAnswered() async throws {
    let (bench, _) = await Self.recording()
    let blamed = await bench.run("blame", "my-log", "/items/A-7/count")
    #expect(blamed.status == 0 && blamed.output.contains("1 → 2") && blamed.output.contains("counted"))
    let found = await bench.run("find", "my-log", #"/currency == "EUR""#)
    #expect(found.status == 0 && found.output.contains("priced"), "\(found.output)")
    // Without the item, the state that counts it is a patch that does not apply: it is refused and shown.
    let changed = await bench.run("what-if", "my-log", "--skip", "2")
    #expect(
      changed.output.contains("the object has no member") && changed.output.contains("cart/counted"),
      "\(changed.output)")
    let with = await bench.run("what-if", "my-log", "--with", "counter")
    #expect(with.status == 2 && with.messages.contains("--with has no meaning for 'patched'"), "\(with.messages)")
  }

  @Test(arguments: [
    (
      #"{"type":"x","patch":[{"op":"remove","path":"/none"}]}"#, "refusedByReducer",
      #"operation 0 (remove \"/none\"): the object has no member"#
    ),
    (#"{"type":"x","patch":[{"op":"spam","path":""}]}"#, "unknownAction", "operation 0: there is no operation 'spam'"),
    (#"{"type":"x","patch":[],"merge":{}}"#, "unknownAction", "an action has one effect"),
    (#"{"type":"x","patch":null}"#, "unknownAction", "a patch is an array of at most"),
    (#"{"type":"x","state":{"a":1e999}}"#, "refusedByReducer", "out of range"),
    (#"{"type":"@reset","state":{}}"#, "notAnAction", "control record"),
    (#"{"type":"x","data":{"@patch":[]},"patch":[]}"#, "unknownAction", "two members"),
    (#"{"type":"x","patchs":[]}"#, "notAnAction", #"did you mean \"patch\"?"#),
  ])
  func aLineIsRefusedAndTheNextOneRecorded(line: String, code: String, message: String) async throws {
    let (_, run) = await Self.recording([line, #"{"type":"next","patch":[]}"#])
    let answers = run.output.split(separator: "\n")
    #expect(answers.count == 2 && answers.last == #"{"line":2,"seq":1,"durability":"synced"}"#, "\(run.output)")
    #expect(answers[0].hasPrefix(#"{"line":1,"refused":{"code":"\#(code)""#), "\(run.output)")
    #expect(answers[0].contains(message), "\(run.output)")
  }

  @Test func otherModelsHaveNoEffects() async throws {
    let run = await Bench().run(
      "record", "counter", "my-log", input: [#"{"type":"didTapIncrementButton","patch":[]}"# + "\n"])
    #expect(run.output.contains(#"no member \"patch\", only \"type\", \"data\" and \"meta\""#), "\(run.output)")
  }

  // MARK: - Redux DevTools

  private static func lifted(states: String) -> String {
    #"""
    {"actionsById":{"0":{"type":"PERFORM_ACTION","action":{"type":"@@INIT"}},
    "1":{"type":"PERFORM_ACTION","action":{"type":"add","payload":{"sku":"A-7"}},"timestamp":1795251605123},
    "2":{"type":"PERFORM_ACTION","action":{"type":"skipped"}},
    "3":{"type":"PERFORM_ACTION","action":{"type":"add","payload":5}}},
    "stagedActionIds":[0,1,2,3],"skippedActionIds":[2],"computedStates":\#(states)}
    """#
  }

  @Test func aFileOfDevToolsNeedsNoModel() async throws {
    let bench = Bench()
    let states =
      #"[{"state":{"items":[]}},{"state":{"items":["A-7"]}},{"state":{"items":["A-7"]}},{"state":{"items":["A-7",5]}}]"#
    let imported = await bench.run(
      "import", "-", "my-log", "--format", "redux-devtools", "--model", "patched", "--json",
      input: [Self.lifted(states: states)])
    #expect(imported.status == 0, "\(imported.messages)")
    let answer = try JSONValue(parsing: Array(imported.output.utf8))
    #expect(answer["folded"] == true && answer["actions"] == 2 && answer["skipped"] == 1)
    let records = await bench.run("list", "my-log", "--format", "lines", "--all").output
    #expect(
      records.contains(#""data":{"sku":"A-7","@patch":[{"op":"add","path":"/items/0","value":"A-7"}]}"#), "\(records)")
    #expect(records.contains(#"{"_0":5,"@patch":[{"op":"add","path":"/items/1","value":5}]}"#), "\(records)")
    let blamed = await bench.run("blame", "my-log", "/items")
    #expect(blamed.status == 0, "\(blamed.output)")
    // What is exported is imported again.
    let exported = await bench.run("export", "my-log").output
    let again = await bench.run("import", "-", "copy", "--format", "redux-devtools", input: [exported])
    #expect(again.status == 0, "\(again.messages)")
    #expect(await bench.run("state", "copy", "-q").output == bench.run("state", "my-log", "-q").output)
  }

  @Test func aFileWithoutStatesHasActionsWithoutEffects() async throws {
    let bench = Bench()
    let run = await bench.run(
      "import", "-", "my-log", "--format", "redux-devtools", "--model", "patched", input: [Self.lifted(states: "[]")])
    #expect(run.status == 0 && run.messages.contains("no computed states"), "\(run.messages)")
    #expect(await bench.run("state", "my-log", "-q").output == "{}\n")
  }

  // MARK: - Clients

  private static let writers = PackageFolder.root.appending(path: "logs/writers")

  /// Runs a script that records into `my-log` of a new directory, and returns the lines of its actions.
  private static func records(of script: String, by program: [String]) throws -> (lines: [Substring], state: String) {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let (tool, log) = (Executable.path(of: "action-log"), directory.path("my-log"))
    let run = try ProgramRun(program + [script, tool, log, writers.path])
    #expect(run.status == 0, "\(run.messages)")
    let listed = try ProgramRun([tool, "list", log, "--format", "lines"])
    let state = try ProgramRun([tool, "state", log, "--json", "-q"])
    return (listed.output.split(separator: "\n"), state.output)
  }

  @Test(.enabled(if: Executable.find("node") != nil, "node is not installed"))
  func aStoreInJavaScriptIsRecorded() throws {
    let script = #"""
      const [tool, log, writers] = process.argv.slice(1);
      const { recorder, follow } = await import("file://" + writers + "/action-log.mjs");
      const { spawn } = await import("node:child_process");
      const child = spawn(tool, ["record", "patched", log], { stdio: ["pipe", "ignore", "inherit"] });
      const write = (line) => child.stdin.write(line + "\n");
      // A store with the interface of Redux.
      let state = { todos: [{ id: 1, done: false }, { id: 2, done: false }], filter: undefined, "a/b": 1 };
      const listeners = [];
      const reduce = (state, action) => action.type === "toggle"
        ? { ...state, todos: state.todos.map((todo) => todo.id === action.payload ? { ...todo, done: !todo.done } : todo) }
        : action.type === "rename" ? { ...state, "a/b": action.name } : { ...state, todos: state.todos.slice(1) };
      const store = { getState: () => state, subscribe: (listener) => { listeners.push(listener); return () => listeners.pop(); } };
      const dispatch = recorder(write, { actor: "ann" })(store)((action) => { state = reduce(state, action); return action; });
      dispatch({ type: "toggle", payload: 2 });
      dispatch({ type: "rename", name: "x" });
      dispatch({ type: "@@drop" });
      const end = follow(store, write, () => "followed");
      state = { ...state, filter: "done" };
      listeners[0]();
      end();
      child.stdin.end();
      await new Promise((resolve) => child.on("exit", resolve));
      """#
    let (lines, state) = try Self.records(of: script, by: ["node", "--input-type=module", "-e"])
    #expect(lines.count == 6, "\(lines)")
    #expect(
      lines[1].contains(
        #""data":{"payload":2,"@patch":[{"op":"replace","path":"/todos/1/done","value":true}]}"#))
    #expect(lines[1].contains(#""actor":"ann""#))
    #expect(lines[2].contains(#""data":{"name":"x","@patch":[{"op":"replace","path":"/a~1b","value":"x"}]}"#))
    #expect(lines[3].contains(#""data":{"@patch":[{"op":"remove","path":"/todos/0"}]}"#))
    // The same state once more.
    #expect(lines[4].contains(#""data":{}"#))
    #expect(lines[5].contains(#""data":{"@patch":[{"op":"add","path":"/filter","value":"done"}]}"#))
    #expect(state.contains(#"{"a/b":"x","filter":"done","todos":[{"done":true,"id":2}]}"#), "\(state)")
  }

  @Test(.enabled(if: Executable.find("python3") != nil, "python3 is not installed"))
  func anAgentInPythonIsRecorded() throws {
    let script = #"""
      import sys
      tool, path, writers = sys.argv[1:]
      sys.path.insert(0, writers)
      from action_log import ActionLog
      with ActionLog(path, actor="agent", command=(tool, "record", "patched")) as log:
          log.record("@init", state={"calls": {}})
          with log.action("tool.call", {"tool": "search"}, merge={"calls": {"1": "search"}}) as outcome:
              outcome["found"] = log.record("page.read", {"url": "https://example.org"})
              assert log.record("bad", patch=[{"op": "remove", "path": "/none"}]) is None
          try:
              with log.action("tool.call", {"tool": "shell"}):
                  raise ValueError("not allowed")
          except ValueError:
              pass
      assert len(log.refused) == 1 and "/none" in log.refused[0]["refused"]["message"]
      """#
    let (lines, state) = try Self.records(of: script, by: ["python3", "-c"])
    #expect(lines.count == 6, "\(lines)")
    #expect(lines[1].contains(#""data":{"tool":"search","@merge":{"calls":{"1":"search"}}}"#))
    #expect(lines[2].contains(#""meta":{"actor":"agent","cause":2}"#))
    #expect(lines[3].contains(#""data":{"found":3}"#))
    #expect(lines[5].contains(#""data":{"error":"ValueError: not allowed"}"#) && lines[5].contains(#""cause":5"#))
    #expect(state.contains(#"{"calls":{"1":"search"}}"#), "\(state)")
  }
}
