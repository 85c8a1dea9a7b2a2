import ActionLog
import ActionLogTesting
import ActionLogTool
import CounterData
import DebugDrawer
import EventSourcing
import HTTPServer
import JSONCoding
import Platform
import TestSupport
import Testing
import TimeTravel

/// A running app that the page moves: the app's side without a socket, and both sides with one.
@Suite(.timeLimit(.minutes(60))) @MainActor struct InspectorAppTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// A counter with five actions in a log.
  private func counter(_ name: String = "my-log") async throws -> TimeTravelStore<CounterModel> {
    let recorder = try await Recorder<CounterModel>.open(at: directory.path(name))
    let store = TimeTravelStore<CounterModel>(.store(try recorder.makeStore(), recorder: recorder))
    for _ in 0..<5 { try store.dispatch(action: .didTapIncrementButton) }
    try await store.live.sync()
    return store
  }

  private func page() throws -> InspectorBench {
    var bench = Bench()
    bench.directory = directory.path
    return try InspectorBench(bench)
  }

  private func value(_ store: TimeTravelStore<CounterModel>) -> Int { store.select(CounterState.selectValue()) }

  private func started(_ store: TimeTravelStore<CounterModel>) async throws -> StoreRemote<CounterModel> {
    try #require(try await StoreRemote.start(store, inReleaseBuilds: true))
  }

  // MARK: - The app's side

  /// A request of the inspector.
  private func request(_ method: String, _ body: String = "", token: String) -> HTTPRequest {
    HTTPRequest(
      method: method, path: "/revision", headers: HTTPHeaders([.init(name: "Authorization", value: "Bearer \(token)")]),
      body: Array(body.utf8))
  }

  @Test func requestsMoveTheStore() async throws {
    let store = try await counter()
    let remote = StoreRemote(store)
    func ask(_ method: String, _ body: String = "", token: String? = nil) async throws -> (Int, JSONValue) {
      let response = await remote.answer(request(method, body, token: token ?? remote.secret))
      return (response.status.code, try JSONValue(parsing: response.body))
    }
    #expect(try await ask("GET") == (200, ["revision": nil, "first": 0, "last": 5]))
    #expect(try await ask("PUT", #"{"revision":2}"#) == (200, ["revision": 2, "first": 0, "last": 5]))
    #expect(store.isPaused && value(store) == 2)
    #expect(throws: TimeTravelError.self) { try store.dispatch(action: .didTapIncrementButton) }
    #expect(store.live.lastRevision == 5)
    let (status, refusal) = try await ask("PUT", #"{"revision":6}"#)
    #expect(status == 404 && refusal["error"]?["code"] == "revisionOutOfRange" && store.revision == 2)
    for body in [
      "", "{}", "[]", #"{"revision":-1}"#, #"{"revision":"2"}"#, #"{"revision":1.5}"#, #"{"revision":2,"x":1}"#,
    ] {
      #expect(try await ask("PUT", body).0 == 400, "\(body)")
    }
    #expect(try await ask("POST", #"{"revision":1}"#).0 == 405)
    for token in ["", "x", remote.secret + "x", StoreRemote(store).secret] {
      #expect(try await ask("PUT", #"{"revision":1}"#, token: token).0 == 401)
    }
    #expect(store.revision == 2)
    #expect(try await ask("PUT", #"{"revision":null}"#).0 == 200)
    #expect(!store.isPaused && value(store) == 5)
    // The revisions of a branch are not those of the page.
    try await store.branch(at: .revision(3), to: directory.path("branch"))
    let (branched, reason) = try await ask("PUT", #"{"revision":1}"#)
    #expect(branched == 409 && reason["error"]?["code"] == "otherLog" && !store.isPaused)
    try await store.close()
  }

  @Test func fileDoesNotDisturbTheLog() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    func answers() async -> [String] {
      var answers: [String] = []
      for verb in ["verify", "state", "list", "stats"] { answers.append(await bench.run(verb, "my-log").output) }
      return answers
    }
    let before = await answers()
    let endpoint = StoreEndpoint(port: 1, token: BearerToken().text, processID: 1)
    try await endpoint.write(toLog: "my-log", bench.disk)
    #expect(try StoreEndpoint.read(fromLog: "my-log", bench.disk) == endpoint)
    #expect(await answers() == before && before[0].contains("my-log"))
    for (verb, target) in [("backup", "copy"), ("ship", "shipped")] {
      let run = await bench.run(verb, "my-log", target)
      #expect(run.status == 0, "\(run.messages)")
      let paths = bench.disk.filePaths.filter { path in path.contains(target) }
      #expect(!paths.isEmpty && !paths.contains { path in path.hasSuffix("inspector.json") })
    }
    let recorded = await bench.run("record", "counter", "my-log", "--workload", "3")
    #expect(recorded.status == 0, "\(recorded.messages)")
    #expect(try StoreEndpoint.read(fromLog: "my-log", bench.disk) == endpoint)
    await StoreEndpoint.remove(fromLog: "my-log", bench.disk)
    #expect(try bench.disk.status(of: "my-log/inspector.json") == nil)
    let repaired = await bench.run("verify", "my-log")
    #expect(repaired.status == 0)
  }

  @Test(
    arguments: [
      "", "{}", "[]", #"{"port":0,"token":"0123456789abcdef","processID":1}"#,
      #"{"port":70000,"token":"0123456789abcdef","processID":1}"#, #"{"port":80,"token":"short","processID":1}"#,
      #"{"port":80,"token":"0123456789abcdef\r\nX: y","processID":1}"#, #"{"port":80,"token":"0123456789abcdef"}"#,
      String(repeating: " ", count: 2_000) + #"{"port":80,"token":"0123456789abcdef","processID":1}"#,
    ])
  func otherFilesAreIgnored(text: String) async throws {
    let bench = Bench()
    try await bench.recordCounter()
    try bench.disk.setContents(Array(text.utf8), of: "my-log/inspector.json")
    let page = try InspectorBench(bench)
    #expect(try await page.get("log")["app"] == 0)
    #expect(try await page.get("app") == ["isRunning": false])
  }

  // MARK: - Both sides

  @Test func pageMovesTheApp() async throws {
    let store = try await counter()
    let remote = try await started(store)
    let page = try page()
    #expect(try await page.get("log")["app"] != 0)
    let found = try await page.get("app")
    #expect(found["isRunning"] == true && found["revision"] == .null && found["last"] == 5)
    func move(_ revision: JSONValue) async throws -> (Int, JSONValue) {
      let response = await page.answer("POST", "/api/app", body: ["revision": revision])
      return (response.status.code, try JSONValue(parsing: response.body))
    }
    #expect(try await move(2) == (200, ["revision": 2, "first": 0, "last": 5]))
    #expect(store.revision == 2 && value(store) == 2)
    #expect(throws: TimeTravelError.self) { try store.dispatch(action: .didTapIncrementButton) }
    let (status, refusal) = try await move(99)
    #expect(status == 404 && refusal["error"]?["code"] == "revisionOutOfRange" && store.revision == 2)
    #expect(try await move(nil) == (200, ["revision": nil, "first": 0, "last": 5]))
    #expect(!store.isPaused && value(store) == 5)
    // Nothing was recorded, and the app accepts actions again.
    try store.dispatch(action: .didTapDecrementButton)
    try await store.live.sync()
    #expect(try await page.get("follow", "after=5&marks=0&wait=20")["last"] == 6)
    #expect(try await move(6).0 == 200 && value(store) == 4)
    // The end of 'inspect' returns the app to the present.
    await BlockingWork.run { page.service.releaseApp() }
    #expect(await settle { !store.isPaused })
    await remote.stop()
    #expect(try await page.get("log")["app"] == 0)
    let (ended, reason) = try await move(1)
    #expect(ended == 404 && reason["error"]?["code"] == "noApp" && !store.isPaused)
    try await store.close()
  }

  @Test func followReportsTheApp() async throws {
    let store = try await counter()
    let page = try page()
    async let news = page.get("follow", "after=5&marks=0&app=0&wait=20")
    let remote = try await started(store)
    let port = try await news["app"]?.integer ?? 0
    #expect(port > 0)
    async let end = page.get("follow", "after=5&marks=0&app=\(port)&wait=20")
    await remote.stop()
    #expect(try await end["app"] == 0)
    try await store.close()
  }

  @Test func filesOfEndedAppsAreReported() async throws {
    let store = try await counter()
    let page = try page()
    func answers(_ endpoint: StoreEndpoint) async throws -> (reason: String, code: JSONValue?) {
      try await endpoint.write(toLog: directory.path("my-log"), POSIXFileSystem())
      let found = try await page.get("app")
      #expect(found["isRunning"] == false)
      let response = await page.answer("POST", "/api/app", body: ["revision": 1])
      #expect(response.status == .conflict)
      return (found["reason"]?.text ?? "", try JSONValue(parsing: response.body)["error"]?["code"])
    }
    // The port of a server that has ended.
    let ended = HTTPServer { _ in HTTPResponse(.ok) }
    let port = try ended.start(port: 0)
    await ended.stop()
    let killed = try await answers(StoreEndpoint(port: port, token: BearerToken().text, processID: 1))
    #expect(killed.reason.contains("does not answer") && killed.code == "appEnded")
    // The port now belongs to another program, or to another app.
    let other = HTTPServer { _ in HTTPResponse(.ok, text: "hello") }
    let foreign = try await answers(
      StoreEndpoint(port: try other.start(port: 0), token: BearerToken().text, processID: 1))
    #expect(foreign.reason.contains("another program") && foreign.code == "appEnded")
    await other.stop()
    let second = try await counter("other-log")
    let neighbour = try await started(second)
    let its = try #require(try StoreEndpoint.read(fromLog: directory.path("other-log"), POSIXFileSystem()))
    let wrong = try await answers(StoreEndpoint(port: its.port, token: BearerToken().text, processID: 1))
    #expect(wrong.reason.contains("another program") && !second.isPaused)
    // The next start replaces the file.
    let remote = try await started(store)
    #expect(try await page.get("app")["isRunning"] == true)
    await remote.stop()
    await neighbour.stop()
    try await second.close()
    try await store.close()
  }
}

/// The programs of the samples; `CounterProcessTests` has that of the counter.
extension InspectorAppTests {
  @Test(arguments: [
    ("animals", "animals.log", "Reptile"), ("quakes", "log", "Refresh to load"), ("foodtruck", "log", "no orders yet"),
  ])
  func pageMovesTheProgram(program: String, log: String, text: String) async throws {
    let terminal = try PseudoTerminal(columns: 90, rows: 16)
    let words = [Executable.path(of: program), "--data", directory.path(program)]
    let child = try terminal.run(words + ["--debug-inspector"])
    try await terminal.wait(for: text)
    var bench = Bench(tool: .withStories)
    bench.directory = directory.path
    let page = try InspectorBench(bench, ["\(program)/\(log)"])
    let app = try await page.get("app")
    #expect(app["isRunning"] == true && app["revision"] == .null && app["processID"]?.integer == Int(child.processID))
    for revision in [0, .null] as [JSONValue] {
      let response = await page.answer("POST", "/api/app", body: ["revision": revision])
      #expect(response.status == .ok)
      #expect(try await page.get("app")["revision"] == revision)
    }
    try terminal.press("q")
    #expect(try await child.wait() == .status(0))
    #expect(try await page.get("app") == ["isRunning": false])
    // Without the option there is no file.
    let window = try PseudoTerminal(columns: 90, rows: 16)
    let plain = try window.run(words)
    try await window.wait(for: text)
    #expect(try await page.get("app") == ["isRunning": false])
    try window.press("q")
    #expect(try await plain.wait() == .status(0))
  }
}

/// The app and the page in a browser.
extension InspectorBrowserTests {
  @Test @MainActor func keyMovesTheRunningApp() async throws {
    let recorder = try await Recorder<CounterModel>.open(at: directory.path("my-log"))
    let store = TimeTravelStore<CounterModel>(.store(try recorder.makeStore(), recorder: recorder))
    for _ in 0..<5 { try store.dispatch(action: .didTapIncrementButton) }
    try await store.live.sync()
    let run = try await InspectorRun(directory.path("my-log"))
    try await browser.open(address: run.address)
    try await settled()
    #expect(try await browser.value("document.getElementById('app').hidden") == true)
    // The page finds an app that starts later.
    let remote = try #require(try await StoreRemote.start(store, inReleaseBuilds: true))
    try await browser.wait(for: "document.getElementById('app').hidden === false")
    try await browser.press("a")
    #expect(await settle { store.revision == 5 })
    try await browser.press("ArrowLeft", "ArrowLeft")
    #expect(await settle { store.revision == 3 })
    #expect(try await browser.value("document.getElementById('app').getAttribute('aria-pressed')") == "true")
    // A page that is left returns the app to the present.
    try await reload()
    #expect(await settle { !store.isPaused })
    try await browser.wait(for: "document.getElementById('app').hidden === false")
    try await browser.press("a")
    #expect(await settle { store.isPaused })
    try await browser.press("a")
    #expect(await settle { !store.isPaused })
    await remote.stop()
    try await browser.wait(for: "document.getElementById('app').hidden === true")
    try await done(run)
    try await store.close()
  }
}
