import Foundation
import JSONCoding
import TestSupport
import Testing

/// The page's script, run with an extension that records its calls.
@Suite("The page for Redux DevTools, run")
struct DevToolsPageRunTests {
  private static let program = #"""
    const fs = require("fs"), vm = require("vm");
    const html = fs.readFileSync(process.argv[1], "utf8");
    const part = (start) => { const from = html.indexOf(start) + start.length; return html.slice(from, html.indexOf("</script>", from)); };
    const elements = { status: {}, state: {}, lifted: { textContent: part('<script type="application/json" id="lifted">') } };
    const calls = []; let listener;
    const tools = {
      init: (state) => calls.push(["init", state]), send: (action, state) => calls.push(["send", action, state]),
      subscribe: (body) => { listener = body; },
    };
    const extension = { connect: (options) => { calls.push(["connect", options]); return tools; } };
    const window = process.argv[2] === "none" ? {} : { __REDUX_DEVTOOLS_EXTENSION__: extension };
    const document = { title: "the title", getElementById: (id) => elements[id] };
    vm.runInNewContext(part("<script>"), { window, document, JSON, setTimeout: (body, time, left) => body(left) });
    if (listener) {
      listener({ type: "DISPATCH", payload: { type: "JUMP_TO_STATE" }, state: '{"value":7}' });
      calls.push(["shown", elements.state.textContent]);
      listener({ type: "DISPATCH", payload: { type: "IMPORT_STATE", nextLiftedState: { mark: 1 } } });
    }
    console.log(JSON.stringify({ calls, status: elements.status.textContent }));
    """#

  private static func run(_ extension: String) async throws -> (value: JSONValue, lifted: JSONValue) {
    let log = try await LogOnDisk(increments: 3)
    let page = try await ToolRun("export", log.path, "--format", "devtools-page")
    let lifted = try await ToolRun("export", log.path, "--format", "redux-devtools")
    let directory = try TemporaryDirectory()
    let path = directory.path("page.html")
    try Data(page.output.utf8).write(to: URL(fileURLWithPath: path))
    let run = try ProgramRun(["node", "-e", program, path, `extension`])
    try #require(run.status == 0, "\(run.messages)")
    return (
      value: try JSONValue(parsing: Array(run.output.utf8)), lifted: try JSONValue(parsing: Array(lifted.output.utf8))
    )
  }

  @Test("it connects and passes the lifted state", .enabled(if: Executable.find("node") != nil, "needs node"))
  func filled() async throws {
    let (value, lifted) = try await Self.run("some")
    #expect(value["calls", "0", "0"] == "connect")
    #expect(value["calls", "0", "1", "maxAge"]?.integer == 5)
    #expect(value["calls", "0", "1", "features", "import"] == true)
    #expect(value["calls", "1"] == .array(["init", lifted["committedState"] ?? .null]))
    #expect(value["calls", "2"] == .array(["send", .null, lifted]))
    #expect(value["calls", "3", "1"] == "{\n  \"value\": 7\n}")
    #expect(value["calls", "4", "2", "mark"]?.integer == 1)
    #expect(value["status"]?.text?.hasPrefix("3 actions") == true)
  }

  @Test("without the extension it shows instructions", .enabled(if: Executable.find("node") != nil, "needs node"))
  func alone() async throws {
    let (value, _) = try await Self.run("none")
    #expect(value["calls"] == [])
    #expect(value["status"]?.text?.contains("Install the extension") == true)
  }
}
