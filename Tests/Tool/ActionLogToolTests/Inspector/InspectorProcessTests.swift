import ActionLog
import ActionLogTool
import CounterData
import EventSourcing
import Foundation
import JSONCoding
import Platform
import TestSupport
import Testing
import TimeTravel

/// A running `action-log inspect`.
struct InspectorRun {
  let program: RunningProgram
  let address: String
  let port: UInt16

  init(_ log: String, _ arguments: String...) async throws { try await self.init(log, arguments) }

  init(_ log: String, _ arguments: [String]) async throws {
    program = try RunningProgram("action-log", ["inspect", log] + arguments + ["--json"])
    let line = try #require(try await program.line())
    let answer = try JSONValue(parsing: line.utf8)
    address = try #require(answer["url"]?.text)
    port = UInt16(try #require(answer["port"]?.integer))
  }

  /// Writes a log without a recorder, batch after batch.
  static func write(_ log: String, model: String, _ batches: [[LogDraft]]) async throws {
    try await BlockingWork.run {
      let writer = try LogWriter.open(
        at: log, model: model, schema: 1, configuration: LogConfiguration(durability: .written))
      for drafts in batches { _ = try writer.writeNow(drafts) }
      try writer.closeNow()
    }
  }

  /// The address without the token.
  var origin: String { "http://127.0.0.1:\(port)/" }

  /// Ends it as Ctrl-C does. It ends with status 0.
  func end() async throws {
    program.process.kill(SIGINT)
    let run = try await program.rest()
    #expect(run.ending == .status(0), "\(run.output)")
  }
}

/// `inspect` as a process.
@Suite struct InspectorProcessTests {
  @Test func serverAnswersUntilItIsInterrupted() async throws {
    let run = try await InspectorRun(PackageFolder.root.appending(path: "logs/counter").path)
    let token = try #require(run.address.split(separator: "#t=").last)
    #expect(run.address == "\(run.origin)#t=\(token)")
    let host = "127.0.0.1:\(run.port)"
    func ask(_ path: String, _ fields: [String: String]) async throws -> String {
      let client = try LoopbackClient(port: run.port)
      let lines = ["GET \(path) HTTP/1.1"] + fields.map { name, value in "\(name): \(value)" } + ["Connection: close"]
      await client.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
      return await client.rest()
    }
    #expect(try await ask("/", ["Host": host]).hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(try await ask("/api/log", ["Host": host]).hasPrefix("HTTP/1.1 401 Unauthorized\r\n"))
    #expect(
      try await ask("/api/log", ["Host": "localhost", "Authorization": "Bearer \(token)"]).hasPrefix("HTTP/1.1 421 "))
    let log = try await ask("/api/log", ["Host": host, "Authorization": "Bearer \(token)"])
    #expect(log.hasPrefix("HTTP/1.1 200 OK\r\n") && log.contains("\"model\":\"counter\""))
    // A tab that waits for news does not delay the end.
    let last = try #require(log.firstMatch(of: /"last":(\d+)/)?.1)
    let marks = try #require(log.firstMatch(of: /"marksVersion":(\d+)/)?.1)
    let waiting = try LoopbackClient(port: run.port)
    await waiting.send(
      "GET /api/follow?after=\(last)&marks=\(marks)&wait=20 HTTP/1.1\r\nHost: \(host)\r\nAuthorization: Bearer \(token)\r\n\r\n"
    )
    try await run.end()
    // The server may have stopped before it read the request.
    let rest = await waiting.rest()
    #expect(rest.isEmpty || rest.hasPrefix("HTTP/1.1 200 OK\r\n"))
  }

  @Test func endCancelsJobsAndLeavesNoFile() async throws {
    let directory = try TemporaryDirectory()
    let drafts = Array(repeating: LogDraft(type: "didTapIncrementButton", data: Array("{}".utf8)), count: 40_000)
    try await InspectorRun.write(directory.path("my-log"), model: "counter", [drafts])
    func files() throws -> [String] { try FileManager.default.subpathsOfDirectory(atPath: directory.path).sorted() }
    let before = try files()
    let run = try await InspectorRun(directory.path("my-log"))
    let fields = [
      "Host": "127.0.0.1:\(run.port)", "Authorization": "Bearer \(run.address.split(separator: "#t=").last ?? "")",
      "Content-Type": "application/json",
    ]
    func request(_ method: String, _ path: String, _ body: String = "") async throws -> LoopbackClient {
      let client = try LoopbackClient(port: run.port)
      let lines =
        ["\(method) \(path) HTTP/1.1", "Content-Length: \(body.utf8.count)"]
        + fields.map { name, value in "\(name): \(value)" }
      await client.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
      return client
    }
    // Every action is needed, and each is tried: this takes much longer than the way to the signal.
    var name = ""
    for _ in 1...4 {
      let body = #"{"kind":"minimize","condition":"/value == 40000"}"#
      let answer = try await request("POST", "/api/jobs", body).answer()
      #expect(answer?.status == 200)
      name = try JSONValue(parsing: (answer?.body ?? "").utf8)["job"]?.text ?? ""
    }
    let job = try await request("GET", "/api/jobs/\(name)").answer()
    #expect(job?.body.contains(#""status":"running""#) == true, "\(job?.body ?? "")")
    let waiting = try await request("GET", "/api/follow?after=40000&marks=0&wait=20")
    // It ends while the jobs run and two tabs wait.
    let second = try await request("GET", "/api/follow?after=40000&marks=0&wait=20")
    try await run.end()
    for client in [waiting, second] {
      let rest = await client.rest()
      #expect(rest.isEmpty || rest.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(rest)")
    }
    #expect(try files() == before)
  }

  @Test func takenPortIsReported() async throws {
    let log = PackageFolder.root.appending(path: "logs/counter").path
    let run = try await InspectorRun(log)
    let second = try await RunningProgram.run("action-log", "inspect", log, "--port", "\(run.port)")
    #expect(second.ending == .status(3) && second.output.contains("another process listens on the address"))
    try await run.end()
  }
}

/// The page over logs of other lengths, and over one that grows.
extension InspectorBrowserTests {
  @Test func pageFollowsTheLog() async throws {
    var bench = Bench()
    bench.directory = directory.path
    try await bench.recordCounter()
    let run = try await InspectorRun(directory.path("my-log"))
    try await browser.open(address: run.address)
    try await settled()
    let last = try #require(try await browser.value("actionLog.revision()").integer)
    func increment() async throws {
      let recorded = await bench.run(
        "record", "counter", "my-log", input: [#"{"type":"didTapIncrementButton","data":{}}"# + "\n"])
      try #require(recorded.status == 0, "\(recorded.messages)")
    }
    try await browser.press("f")
    try await increment()
    try await browser.wait(for: "actionLog.revision() === \(last + 1)")
    // Moving back pauses, and the header counts.
    try await browser.press("ArrowLeft")
    try await browser.wait(for: "actionLog.revision() === \(last)")
    try await increment()
    try await browser.wait(for: "document.getElementById('status').innerText.includes('(+1)')")
    #expect(try await browser.value("actionLog.revision()").integer == last)
    try await browser.press("f")
    try await browser.wait(for: "actionLog.revision() === \(last + 2)")
    try await done(run)
  }

  /// The loop that waits for news does not end while the page asks for a token, so a new token must not start another one.
  @Test func newTokenStartsNoSecondLoop() async throws {
    var bench = Bench()
    bench.directory = directory.path
    try await bench.recordCounter()
    let run = try await InspectorRun(directory.path("my-log"))
    try await browser.open(address: run.address)
    try await settled()
    let last = try #require(try await browser.value("actionLog.revision()").integer)
    func increment() async throws {
      let recorded = await bench.run(
        "record", "counter", "my-log", input: [#"{"type":"didTapIncrementButton","data":{}}"# + "\n"])
      try #require(recorded.status == 0, "\(recorded.messages)")
    }
    // Counts the waiting requests for news.
    try await browser.value(
      """
      { globalThis.waits = { now: 0, most: 0 };
        const usual = globalThis.fetch;
        globalThis.fetch = async (address, ...rest) => {
          const isWait = String(address).includes("/follow");
          if (isWait) waits.most = Math.max(waits.most, ++waits.now);
          try { return await usual(address, ...rest); } finally { if (isWait) waits.now--; }
        };
      }
      """)
    try await increment()
    try await browser.wait(for: "actionLog.revision() === \(last + 1) && waits.now === 1")
    try await browser.value("sessionStorage.setItem('action-log-token', 'wrong')")
    try await browser.press("ArrowLeft")
    try await browser.wait(for: "document.getElementById('entry').open")
    try await browser.value("document.getElementById('entry-token').value = '\(run.address)'")
    try await browser.click("#entry button")
    try await settled()
    try await increment()
    try await browser.wait(for: "actionLog.revision() === \(last + 2) && waits.now === 1")
    #expect(try await browser.value("waits.most") == 1)
    try await browser.quit()
    try await run.end()
  }

  @Test func markIsOfTheRevisionInTheDialog() async throws {
    var bench = Bench()
    bench.directory = directory.path
    try await bench.recordCounter()
    let run = try await InspectorRun(directory.path("my-log"), "--at", "3", "--allow-marks")
    try await browser.open(address: run.address)
    try await settled()
    try await browser.press("m")
    #expect(try await browser.text("#marking-title") == "Mark revision 3")
    // The page moves while the dialog is open, as it does when it follows the log.
    try await browser.value("actionLog.go(5)")
    try await browser.wait(for: "actionLog.revision() === 5")
    try await browser.value("document.getElementById('mark-name').value = 'here'")
    try await browser.click("#marking-form button")
    try await browser.wait(for: "document.getElementById('marks').innerText.includes('here')")
    #expect(try await browser.value("document.querySelector('#marks button').dataset.revision") == "3")
    try await done(run)
  }

  /// A browser logs each answer with an error's status, so a state that has to be folded first is not answered with one.
  @Test func farJumpsLogNoErrors() async throws {
    var bench = Bench()
    bench.directory = directory.path
    let recorded = await bench.run("record", "counter", "my-log", "--workload", "3000")
    try #require(recorded.status == 0, "\(recorded.messages)")
    let run = try await InspectorRun(directory.path("my-log"), "--at", "1")
    try await browser.open(address: run.address)
    try await settled()
    try await browser.press("End")
    try await browser.wait(for: "actionLog.revision() === 3000")
    try await settled()
    #expect(await browser.requests.contains { request in request.hasSuffix("/api/jobs") })
    try await done(run)
  }
}
