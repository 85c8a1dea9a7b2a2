import ActionLog
import ActionLogTool
import EventSourcing
import Foundation
import JSONCoding
import Platform
import TestSupport
import Testing
import TimeTravel

/// A running `action-log listen`, with the secret of a file, so that another one can take its place.
private struct Listener {
  let program: RunningProgram
  let port: UInt16
  let secret: String

  init(in directory: TemporaryDirectory, port: UInt16 = 0, _ arguments: String...) async throws {
    program = try RunningProgram(
      "action-log",
      [
        "listen", "patched", directory.path("logs"), "--secret", directory.path("secret"), "--port", "\(port)",
        "--json",
      ]
        + arguments)
    let answer = try JSONValue(parsing: try #require(try await program.line()).utf8)
    self.port = UInt16(try #require(answer["port"]?.integer))
    secret = try #require(answer["secret"]?.text)
    #expect(answer["url"]?.text == "http://127.0.0.1:\(self.port)/logs/")
  }

  /// The fields of a request of a program that knows the secret.
  var fields: [String: String] { ["Host": "127.0.0.1:\(port)", "Authorization": "Bearer \(secret)"] }

  /// Sends a request; `nil` if there was no complete answer.
  func answer(
    _ path: String, _ lines: [String], _ fields: [String: String?] = [:], method: String = "POST"
  ) async -> LoopbackClient.Answer? {
    let fields = self.fields.merging(fields.compactMapValues(\.self)) { _, new in new }
      .filter { name, _ in fields[name, default: ""] != nil }
    let body = lines.map { line in line + "\n" }.joined()
    let head = ["\(method) \(path) HTTP/1.1", "Content-Length: \(body.utf8.count)"] + fields.map { "\($0): \($1)" }
    guard let client = try? LoopbackClient(port: port) else { return nil }
    await client.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
    return await client.answer()
  }

  func end() async throws {
    program.process.kill(SIGTERM)
    let run = try await program.rest()
    #expect(run.ending == .status(0), "\(run.output)")
  }
}

/// `listen`: the logs of programs that send their actions over HTTP.
@Suite struct ListenTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func run(_ arguments: String...) async throws -> String {
    let run = try await RunningProgram("action-log", arguments).rest()
    #expect(run.ending == .status(0), "\(arguments): \(run.output)")
    return run.output
  }

  @Test func aProgramHasItsLog() async throws {
    let listener = try await Listener(in: directory)
    let lines = [
      #"{"type":"cart/itemAdded","data":{"sku":"A-7"},"patch":[{"op":"add","path":"/A-7","value":1}]}"#,
      #"{"type":"cart/itemRemoved","patch":[{"op":"remove","path":"/B-1"}]}"#,
      "spam",
      #"{"type":"cart/counted","state":{"A-7":2}}"#,
    ]
    let answer = try #require(await listener.answer("/logs/caf%C3%A9", lines))
    #expect(answer.status == 200 && answer.fields["content-type"] == "application/jsonl")
    let answers = answer.body.split(separator: "\n")
    #expect(answers.count == 4 && answers[0] == #"{"line":1,"seq":1,"durability":"synced"}"#, "\(answer.body)")
    #expect(answers[1].hasPrefix(#"{"line":2,"refused":{"code":"refusedByReducer""#), "\(answer.body)")
    #expect(answers[2].hasPrefix(#"{"line":3,"refused":{"code":"notJSON""#), "\(answer.body)")
    #expect(answers[3] == #"{"line":4,"seq":2,"durability":"synced"}"#, "\(answer.body)")
    // Another log, while the first one is open. Its questions are answered by its set and its key.
    #expect(await listener.answer("/logs/b", [#"{"type":"opened"}"#])?.body.contains(#""seq":1"#) == true)
    let log = directory.path("logs") + "/café"
    #expect(try await run("blame", log, "/A-7").contains("counted"))
    #expect(
      try await run("list", log, "--format", "lines").contains(
        #""data":{"@patch":[{"op":"replace","path":"/A-7","value":2}]}"#))
    try await listener.end()
    #expect(try await run("verify", log).contains("clean"))
  }

  @Test func onlyProgramsWithTheSecretAndPagesOfNamedSitesAreAnswered() async throws {
    let listener = try await Listener(in: directory, port: 0, "--allow-origin", "http://localhost:5173")
    let line = [#"{"type":"x"}"#]
    func status(
      _ fields: [String: String?] = [:], path: String = "/logs/a", method: String = "POST"
    ) async -> Int? {
      await listener.answer(path, line, fields, method: method)?.status
    }
    #expect(await status(["Authorization": nil]) == 401)
    #expect(await status(["Authorization": "Bearer \(String(repeating: "A", count: 43))"]) == 401)
    #expect(await status(["Host": "example.org"]) == 421)
    #expect(await status(["Origin": "http://example.org"]) == 403)
    #expect(await status(["Origin": "null"]) == 403)
    #expect(await status(method: "GET") == 405)
    #expect(await status(path: "/logs/") == 404)
    #expect(await status(path: "/logs/a/b") == 404)
    #expect(await status(path: "/logs/a?x=1") == 404)
    #expect(await status(path: "/logs/%FF") == 404)
    #expect(await status(["Origin": "http://example.org"], method: "OPTIONS") == 403)
    #expect(!FileManager.default.fileExists(atPath: directory.path("logs") + "/ca"))
    // A page asks before it sends the secret.
    let site = "http://localhost:5173"
    let asked = try #require(
      await listener.answer("/logs/a", [], ["Origin": site, "Authorization": nil], method: "OPTIONS"))
    #expect(asked.status == 200 && asked.fields["access-control-allow-origin"] == site, "\(asked)")
    #expect(asked.fields["access-control-allow-headers"]?.contains("authorization") == true)
    let sent = try #require(await listener.answer("/logs/a", line, ["Origin": site]))
    #expect(sent.status == 200 && sent.fields["access-control-allow-origin"] == site && sent.body.contains(#""seq":1"#))
    #expect(await listener.answer("/logs/a", line)?.fields["access-control-allow-origin"] == nil)
    try await listener.end()
  }

  @Test func theFileOfASecretIsNotReplaced() async throws {
    try Data("precious".utf8).write(to: URL(filePath: directory.path("secret")))
    let run = try await RunningProgram.run(
      "action-log", "listen", "patched", directory.path("logs"), "--secret", directory.path("secret"))
    #expect(run.ending == .status(2) && run.output.contains("holds something else"), "\(run.output)")
    #expect(try String(contentsOf: URL(filePath: directory.path("secret")), encoding: .utf8) == "precious")
  }

  @Test func aRepeatedRequestRecordsNothing() async throws {
    let listener = try await Listener(in: directory)
    let lines = [#"{"type":"a"}"#, #"{"type":"b","meta":{"command":"own"}}"#, #"{"type":"c"}"#]
    let first = await listener.answer("/logs/a", lines, ["Idempotency-Key": "1"])
    #expect(await listener.answer("/logs/a", [#"{"type":"d"}"#])?.body.contains(#""seq":4"#) == true)
    let second = await listener.answer("/logs/a", lines, ["Idempotency-Key": "1"])
    #expect(
      first?.body == second?.body && second?.body.contains(#"{"line":3,"seq":3,"#) == true, "\(second?.body ?? "")")
    // A key of a line is one of its log, in whatever request.
    let other = await listener.answer("/logs/a", [lines[1]], ["Idempotency-Key": "2"])
    #expect(other?.body.contains(#""seq":2"#) == true)
    // The window of the writer is read from the log again.
    try await listener.end()
    let next = try await Listener(in: directory)
    #expect(await next.answer("/logs/a", lines, ["Idempotency-Key": "1"])?.body == first?.body)
    #expect(
      await next.answer("/logs/a", [#"{"type":"e"}"#], ["Idempotency-Key": "3"])?.body.contains(#""seq":5"#) == true)
    try await next.end()
  }

  @Test func nothingAnsweredIsLostAndNothingIsRecordedTwice() async throws {
    let first = try await Listener(in: directory)
    let (port, secret) = (first.port, first.secret)
    let running = Locked(first)
    let (clients, requests) = (50, 8)
    // Each client repeats a request until it is answered, and remembers the revisions of the answers.
    let answered = try await withThrowingTaskGroup(of: (client: Int, revisions: [Int]).self) { group in
      for client in 0..<clients {
        group.addTask {
          var revisions: [Int] = []
          for request in 0..<requests {
            let lines = (0..<3).map { line in #"{"type":"done","data":{"what":"\#(client)-\#(request)-\#(line)"}}"# }
            let isAnswered = try await eventually(asking: {
              let answer = await running.withLock(\.self).answer(
                "/logs/log-\(client % 5)", lines, ["Idempotency-Key": "\(client)/\(request)"])
              guard let answer, answer.status == 200 else { return false }
              let found = answer.body.matches(of: /"seq":(\d+)/).compactMap { match in Int(match.1) }
              #expect(found.count == 3, "\(answer.body)")
              revisions += found
              return true
            })
            #expect(isAnswered)
          }
          return (client, revisions)
        }
      }
      for round in 1...6 {
        // Some of the requests.
        _ = try await eventually(attempts: 4 * round, asking: { false })
        let listener = running.withLock(\.self)
        listener.program.process.kill(SIGKILL)
        _ = try await listener.program.rest()
        let next = try await Listener(in: directory, port: port)
        #expect(next.secret == secret)
        running.withLock { running in running = next }
      }
      return try await group.reduce(into: [:]) { all, client in all[client.client] = client.revisions }
    }
    try await running.withLock(\.self).end()
    for log in 0..<5 {
      let listed = try await run("list", directory.path("logs") + "/log-\(log)", "--format", "lines")
      let recorded = listed.matches(of: /"what":"(\d+-\d+-\d+)"/).map { match in String(match.1) }
      try #require(Set(recorded).count == recorded.count && recorded.count == clients / 5 * requests * 3, "log \(log)")
      for client in stride(from: log, to: clients, by: 5) {
        let wanted = (0..<requests).flatMap { request in (0..<3).map { line in "\(client)-\(request)-\(line)" } }
        #expect(answered[client]?.map { revision in recorded[revision - 1] } == wanted, "client \(client)")
      }
      #expect(try await run("verify", directory.path("logs") + "/log-\(log)").contains("clean"))
    }
  }

  @Test func aLogThatAnotherProcessHasIsRefusedAlone() async throws {
    let logs = try await LogSet<PatchedModel>.open(at: directory.path("logs"))
    try await logs.withStore(for: "a") { log in
      try await log.dispatch(action: PatchedModel.Action(type: "y"), awaiting: .written)
    }
    let next = try await Listener(in: directory)
    let refused = try #require(await next.answer("/logs/a", [#"{"type":"z"}"#]))
    #expect(refused.status == 409 && refused.body.contains(#""code":"locked""#), "\(refused)")
    #expect(await next.answer("/logs/b", [#"{"type":"z"}"#])?.status == 200)
    try await logs.close()
    #expect(await next.answer("/logs/a", [#"{"type":"z"}"#])?.body.contains(#""seq":2"#) == true)
    try await next.end()
  }

  @Test(.enabled(if: Executable.find("node") != nil, "node is not installed"))
  func aPageSendsUntilItIsAnswered() async throws {
    let listener = try await Listener(in: directory)
    let script = #"""
      const [writers, url, secret] = process.argv.slice(1);
      const { follow } = await import("file://" + writers + "/action-log.mjs");
      const { remote } = await import("file://" + writers + "/action-log-http.mjs");
      const notes = [];
      let state = { count: 0 }, listener;
      const store = { getState: () => state, subscribe: (given) => { listener = given; return () => {}; } };
      const write = remote(url, secret, { limit: 3, note: (text) => notes.push(text) });
      follow(store, write);
      const real = globalThis.fetch;
      // Without the answer to a request, and then without a server.
      globalThis.fetch = async (...request) => { await real(...request); throw new Error("cut"); };
      for (let i = 1; i <= 2; i++) { state = { count: i }; listener(); }
      await new Promise((resolve) => setTimeout(resolve, 300));
      globalThis.fetch = async () => { throw new Error("gone"); };
      for (let i = 3; i <= 9; i++) { state = { count: i, at: "gone" }; listener(); }
      globalThis.fetch = real;
      await new Promise((resolve) => setTimeout(resolve, 1500));
      state = { count: 10 }; listener();
      await new Promise((resolve) => setTimeout(resolve, 1000));
      console.log(JSON.stringify(notes));
      """#
    let node = try ProgramRun([
      "node", "--input-type=module", "-e", script, PackageFolder.root.appending(path: "logs/writers").path,
      "http://127.0.0.1:\(listener.port)/logs/page", listener.secret,
    ])
    #expect(node.status == 0, "\(node.messages)")
    #expect(node.output.contains("cut") && node.output.contains("3 actions are dropped"), "\(node.output)")
    try await listener.end()
    let log = directory.path("logs") + "/page"
    let types = try await run("list", log, "--format", "lines").matches(of: /"type":"(init|changed)"/).map {
      String($0.1)
    }
    #expect(types.filter { type in type == "init" }.count == 1, "\(types)")
    #expect(try await run("state", log, "--json", "-q").contains(#"{"count":10}"#))
  }
}
