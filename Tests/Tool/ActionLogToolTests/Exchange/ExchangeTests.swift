import ActionLog
import ActionLogTesting
import ActionLogTool
import AnimalsData
import CounterData
import JSONCoding
import Testing

@Suite("Exchange with other programs")
struct ExchangeTests {
  @Test("every format, and usage errors")
  func screens() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let text = await bench.transcript([
      ["list", "my-log", "--format", "cloudevents", "--to", "2"],
      ["list", "my-log", "--format", "csv", "--from", "-1"],
      ["export", "my-log", "--from", "9"],
      ["export", "my-log", "--to", "1", "--no-states"],
      ["export", "my-log", "--from", "9", "--to", "3"], ["export", "no-log"],
      ["import", "no-file", "new", "--format", "cloudevents"],
      ["import", "my-log", "new", "--format", "redux-devtools"],
      ["import", Bench.segment, "new", "--format", "cloudevents", "--model", "counter"],
      ["import", Bench.segment, "new", "--format", "redux-devtools", "--json"], ["import", Bench.segment, "new"],
    ])
    try Golden.expect(text, is: "exchange.txt")
  }

  @Test("events make the log that they came from", arguments: ["cloudevents", "redux-devtools"])
  func roundTrip(format: String) async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let exported = await bench.run(Bench.exporting("my-log", as: format))
    #expect(exported.status == 0 && exported.messages.isEmpty)
    let imported = await bench.run("import", "-", "copy", "--format", format, "--json", input: [exported.output])
    #expect(imported.status == 0, "\(imported.messages)")
    let answer = try JSONValue(parsing: Array(imported.output.utf8))
    #expect(answer["model"] == "animals" && answer["folded"] == true)
    #expect(answer["actions"]?.integer == AnimalsWorkload.story.count)
    #expect(await bench.run("list", "copy", "--json").output == bench.run("list", "my-log", "--json").output)
    #expect(await bench.run("state", "copy", "-q").output == bench.run("state", "my-log", "-q").output)
    #expect(await bench.run("verify", "copy").status == 0)
    #expect(await bench.run("replay", "copy", "--verify").status == 0)
    // No state of its own to begin with, and a digest of the last one.
    let control = await bench.run("list", "copy", "--format", "lines", "--all").output.split(separator: "\n").filter {
      line in line.contains("\"@")
    }
    #expect(!control.contains { line in line.contains("@base") })
    #expect(control.contains { line in line.contains("@digest") })
    #expect(await bench.run("import", "-", "copy", "--format", format, input: [exported.output]).status == 2)
    #expect(try bench.disk.status(of: "copy.unfinished") == nil)
  }

  @Test("the log begins with another initial state, and an invalid state is refused")
  func base() async throws {
    let bench = Bench()
    let file = #"{"payload":"[{\"type\":\"didTapIncrementButton\"}]","preloadedState":"STATE"}"#
    func run(_ state: String, _ name: String) async -> CommandLineRun {
      let text = file.replacing("STATE", with: state)
      return await bench.run("import", "-", name, "--format", "redux-devtools", "--model", "counter", input: [text])
    }
    #expect(await run(#"{\"value\":10}"#, "ten").status == 0)
    #expect(await bench.run("state", "ten", "--path", "/value", "-q").output == "11\n")
    #expect(await run(#"{\"value\":0}"#, "zero").status == 0)
    #expect(await bench.run("list", "zero", "--format", "lines", "--all").output.contains("@base") == false)
    let wrong = await run(#"{\"count\":0}"#, "wrong")
    #expect(wrong.status == 3 && wrong.messages.contains("'value' is missing"), "\(wrong.messages)")
    #expect(await bench.run("list", "wrong").status == 3)
  }

  @Test("an action that the model does not have ends the import, with its place; an unknown model accepts all")
  func unknownAction() async throws {
    let bench = Bench()
    let event = #"{"specversion":"1.0","id":"1","source":"/s","type":"TYPE","data":{}}"# + "\n"
    let events = ["\n", event.replacing("TYPE", with: "didTapIncrementButton"), event]
    let run = await bench.run("import", "-", "new", "--format", "cloudevents", "-m", "counter", input: events)
    #expect(run.status == 3 && run.messages.contains(": -:3\n"), "\(run.messages)")
    #expect(await bench.run("list", "new").messages.contains("there is no log"))
    let redux = #"[{"type":"didTapIncrementButton"},{"type":"TYPE"}]"#
    let other = await bench.run("import", "-", "new", "--format", "redux-devtools", "-m", "counter", input: [redux])
    #expect(other.messages.contains("'TYPE' at /1: -\n"), "\(other.messages)")
    let free = await bench.run("import", "-", "new", "--format", "cloudevents", "-m", "orders", input: events)
    #expect(free.status == 0 && free.messages.contains("were not folded"), "\(free.messages)")
    #expect(await bench.run("list", "new").output.contains("TYPE"))
    let states = await bench.run("export", "new")
    #expect(states.status == 2 && states.output.isEmpty && states.messages.contains("--no-states"))
    let nameless = await bench.run("import", "-", "other", "--format", "cloudevents", input: [event])
    #expect(nameless.status == 2 && nameless.messages.contains("--model"))
  }

  @Test("skipped actions survive a round trip, and the cursor is at the end")
  func skips() async throws {
    let bench = Bench()
    let actions = (1...3).map { id in
      #""\#(id)":{"type":"PERFORM_ACTION","action":{"type":"didTapIncrementButton"},"timestamp":179525160500\#(id)}"#
    }
    let file = #"""
      {"actionsById":{"0":{"type":"PERFORM_ACTION","action":{"type":"@@INIT"},"timestamp":1795251600000},
      \#(actions.joined(separator: ","))},"nextActionId":4,"stagedActionIds":[0,1,2,3],"skippedActionIds":[2],
      "committedState":{"value":0},"currentStateIndex":1,"computedStates":[]}
      """#
    let run = await bench.run("import", "-", "new", "--format", "redux-devtools", "-m", "counter", input: [file])
    #expect(run.output == "new: 2 actions, 1 skipped\n", "\(run.messages)")
    #expect(await bench.run("state", "new", "-q", "--path", "/value").output == "2\n")
    #expect(await bench.run("list", "new", "--all").output.contains("@rejected"))
    let exported = await bench.run("export", "new")
    let value = try JSONValue(parsing: Array(exported.output.utf8))
    #expect(value["skippedActionIds"] == [.number(JSONNumber(2))] && value["currentStateIndex"]?.integer == 3)
    let states = (0...3).map { index in value["computedStates", String(index), "state", "value"]?.integer }
    #expect(states == [0, 1, 1, 2])
  }

  @Test("no control character of a log reaches a terminal")
  func terminal() async throws {
    let bench = Bench()
    let line = #"{"type":"didTapIncrementButton","meta":{"actor":"\#u{9B}31m"}}"# + "\n"
    _ = await bench.run("record", "counter", "my-log", input: [line])
    for format in ["cloudevents", "csv", "redux-devtools"] {
      let run = await bench.run(Bench.exporting("my-log", as: format)) { environment in
        environment.outputIsTerminal = true
      }
      #expect(run.status == 0 && !run.output.unicodeScalars.contains("\u{9B}") && run.output.contains("\\u009b31m"))
    }
  }
}

extension Bench {
  /// The command line that prints a log in a format, which `import` reads unless it is a table.
  static func exporting(_ log: String, as format: String) -> [String] {
    format == "redux-devtools" ? ["export", log] : ["list", log, "--format", format]
  }
}
