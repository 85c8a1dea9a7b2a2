import ActionLog
import EventSourcing
import Foundation
import ImmutableData
import Platform
import QuakesData
import TestSupport
import Testing
import TreeCollections

/// The program in a pseudoterminal: presses keys and compares the screen.
@Suite("quakes", .timeLimit(.minutes(60))) struct QuakesProcessTests {
  private static let down = "\u{1B}[B"

  private let directory: TemporaryDirectory
  private let terminal: PseudoTerminal

  init() throws {
    directory = try TemporaryDirectory()
    terminal = try PseudoTerminal(columns: 80, rows: 10)
    try Data(Self.feed.utf8).write(to: URL(filePath: directory.path("all_hour.geojson")))
  }

  /// Three quakes of the hour before noon.
  private static let feed: String = {
    let features = [
      feature("a1", 4.9, "Antofagasta", minutes: 30), feature("b2", 5.6, "Kermadec Islands", minutes: 20),
      feature("c3", 1.2, "The Geysers", minutes: 10),
    ]
    return #"{"features":[\#(features.joined(separator: ","))]}"#
  }()

  private static func feature(_ id: String, _ magnitude: Double, _ place: String, minutes: Int) -> String {
    let time = 1_795_262_400_000 - 60_000 * minutes
    return #"{"id":"\#(id)","properties":{"mag":\#(magnitude),"place":"\#(place)","time":\#(time),"#
      + #""updated":\#(time)},"geometry":{"coordinates":[-70.5,-23.5,10]}}"#
  }

  private func start(_ feeds: String..., in window: PseudoTerminal? = nil) throws -> ChildProcess {
    try (window ?? terminal).run(
      [
        Executable.path(of: "quakes"), "--data", directory.path("data"), "--now", "2026-11-21T12:00:00Z",
        "--time-zone", "UTC",
      ] + (feeds.isEmpty ? ["--fixture", directory.path] : feeds))
  }

  private func recorded() throws -> QuakesState {
    try History<QuakesModel>(at: directory.path("data/log")).state()
  }

  #if DEBUG
  @Test func debugFlagsPrintTheGuidesLines() async throws {
    // The stored quakes may have been fetched before the first drawing. The feed is never answered, so its status is drawn.
    let server = try LoopbackServer { _ in .silence }
    defer { server.stop() }
    let feeds = server.url("/feeds").absoluteString
    let lines = directory.path("lines.txt")
    let program = Executable.path(of: "quakes")
    let quakes = try terminal.run([
      "/bin/sh", "-c",
      "exec '\(program)' --data '\(directory.path("data"))' --remote '\(feeds)' "
        + "-com.northbronson.QuakesData.Debug 1 -com.northbronson.QuakesUI.Debug 1 2>'\(lines)'",
    ])
    try await terminal.wait(for: "Refresh to load earthquakes")
    try terminal.press("r")
    try await terminal.wait(for: "All Hour")
    try terminal.press("h")
    for line in [
      "[QuakesData][Listener] Old State: QuakesState(", "[QuakesData][Listener] Action: ui(",
      "[QuakesData][Listener] New State: QuakesState(", "QuakeList: @self, @identity changed.",
      "QuakeList: status changed.",
    ] {
      let isPrinted = try await eventually {
        try Data(contentsOf: URL(filePath: lines)).contains(text: line)
      }
      #expect(isPrinted, "\(line)")
    }
    try terminal.press("q")
    #expect(try await quakes.wait() == .status(0))
  }
  #endif

  @Test("a torn tail is truncated, quarantined and reported", arguments: ["log", "default.store"])
  func tornTail(log: String) async throws {
    func run() async throws -> RunningProgram.Run {
      try await RunningProgram.run(
        "quakes", "--data", directory.path("data"), "--fixture", directory.path)
    }
    #expect(try await run().ending == .status(0))
    #expect(try await LogFaults.isTornTailReported(of: directory.path("data/\(log)"), by: run))
  }

  @Test("after kill -9 the quakes are restored")
  func killed() async throws {
    let quakes = try start()
    try await terminal.wait(for: "Refresh to load earthquakes")
    try terminal.press("r")
    try await terminal.wait(for: "All Hour")
    try terminal.press("h")
    try await terminal.wait(for: "3 earthquakes · 3 total")
    try terminal.press(Self.down, "d")
    try await terminal.wait(for: "4.9 Antofagasta")
    try terminal.press("y")
    try await terminal.wait(for: "2 earthquakes · 2 total")
    // The drawer with the past of the application.
    try terminal.press("[")
    try await terminal.wait("the past") { screen in
      screen.text.contains("the past of") && screen.text.contains("revision ")
    }
    try terminal.press("f")
    try await terminal.wait("the present") { screen in !screen.text.contains("the past of") }
    try terminal.press("s")
    try await terminal.wait(for: "Magnitude ↑")
    let store = directory.path("data/default.store")
    #expect(try await eventually { try recorded().quakes.data.count == 2 && LogReader.recordedTypes(store).count == 2 })
    #expect(try await eventually { trial.storedPlace.contains(#""sortParameter":"magnitude""#) })
    quakes.kill(SIGKILL)
    #expect(try await quakes.wait() == .signal(SIGKILL))

    let window = try PseudoTerminal(columns: 80, rows: 10)
    let again = try start(in: window)
    try await window.wait(for: "2 earthquakes · 2 total")
    // The selection moved to the next quake when the first one was deleted.
    #expect(window.screen.lines[0].hasPrefix(" Kermadec Islands · "))
    #expect(
      window.screen.lines[1...] == [
        "   1.2  The Geysers                                             10 minutes ago",
        "›  5.6  Kermadec Islands                                        20 minutes ago", "", "", "", "", "",
        " 2 earthquakes · 2 total · Nov 21, 2026 · Magnitude ↑",
        " ? help  q quit  r refresh  Enter detail  Tab map  s sort  / search  > next day",
      ])
    try window.press("q")
    #expect(try await again.wait() == .status(0))
    try await window.wait("the shell's screen") { screen in !screen.isAlternate && screen.showsCursor }
    #expect(try window.isCooked())
    #expect(try recorded().quakes.data.keys.sorted() == ["b2", "c3"])
  }

  /// The process dies while it waits for a feed. The next process does not wait for the answer.
  @Test("after kill -9 during a refresh the status is not waiting")
  func killedWhileWaiting() async throws {
    let server = try LoopbackServer { _ in .silence }
    defer { server.stop() }
    let quakes = try start("--remote", server.url("/feeds").absoluteString)
    try await terminal.wait(for: "Refresh to load earthquakes")
    try terminal.press("r")
    try await terminal.wait(for: "All Hour")
    try terminal.press("h")
    try await terminal.wait(for: "waiting")
    await server.requests(1)
    #expect(try await eventually { try recorded().quakes.status == .waiting })
    quakes.kill(SIGKILL)
    #expect(try await quakes.wait() == .signal(SIGKILL))

    let window = try PseudoTerminal(columns: 80, rows: 10)
    let again = try start(in: window)
    try await window.wait(for: "the application ended before an answer came")
    try window.press("r")
    try await window.wait(for: "All Hour")
    try window.press("h")
    try await window.wait(for: "3 earthquakes · 3 total")
    try window.press("q")
    #expect(try await again.wait() == .status(0))
    #expect(try recorded().quakes.status == .success)
  }

  /// The first start ended right after the list appeared.
  @Test("quakes stored before an interrupted first start are shown and kept")
  func interruptedFirstStart() async throws {
    let store = directory.path("data/default.store")
    try FileManager.default.createDirectory(atPath: directory.path("data"), withIntermediateDirectories: true)
    let refreshed = try await RunningProgram.run(
      "quakes-client", "refresh", "--fixture", directory.path, "--store", store)
    #expect(refreshed.ending == .status(0), "\(refreshed.output)")
    let recorder = try await Recorder<QuakesModel>.open(at: directory.path("data/log"))
    let first = try await recorder.makeStore()
    try await first.dispatch(action: .ui(.quakeList(.onAppear)))
    try await recorder.close()

    let quakes = try start()
    try await terminal.wait(for: "3 earthquakes · 3 total")
    try terminal.press("q")
    #expect(try await quakes.wait() == .status(0))
    #expect(try await LocalStore(url: URL(filePath: store)).fetchLocalQuakesQuery().count == 3)
    #expect(try recorded().quakes.data.count == 3)
  }

  @Test("a server that dies during a feed changes nothing, and a retry works")
  func deadServer() async throws {
    let feed = Array(Self.feed.utf8)
    let count = Locked(0)
    let server = try LoopbackServer { _ in
      count.withLock { count in
        count += 1
        return count == 2 ? .half(feed) : .answer(feed)
      }
    }
    defer { server.stop() }
    let quakes = try start("--remote", server.url("/feeds").absoluteString)
    try await terminal.wait(for: "Refresh to load earthquakes")
    for text in ["3 earthquakes · 3 total", "failed", "3 earthquakes · 3 total"] {
      try terminal.press("r")
      try await terminal.wait(for: "All Hour")
      try terminal.press("h")
      // The previous earthquakes stay on the screen while the feed is fetched.
      let others = ["All Hour", "waiting", "failed"].filter { other in other != text }
      try await terminal.wait(text) { screen in
        screen.text.contains(text) && !others.contains(where: screen.text.contains)
      }
      #expect(terminal.screen.text.contains("3 earthquakes · 3 total"))
    }
    try terminal.press("q")
    #expect(try await quakes.wait() == .status(0))
    #expect(try recorded().quakes.status == .success)
  }

  @Test("a second process on the same data is rejected, and the first one continues")
  func secondProcess() async throws {
    let quakes = try start()
    try await terminal.wait(for: "Refresh to load earthquakes")
    let window = try PseudoTerminal(columns: 100, rows: 10)
    #expect(try await start(in: window).wait() == .status(4))
    try await window.wait(for: "error: ")
    try terminal.press("q")
    #expect(try await quakes.wait() == .status(0))
  }

  private var trial: ApplicationTrial { ApplicationTrial("quakes", data: directory.path("data"), log: "log") }

  @Test(
    "invalid calls are rejected before anything is created",
    arguments: [["--json"], ["extra"], ["--remote", "here"], ["--sample", "--fixture", "a"]])
  func wrongCalls(arguments: [String]) async throws {
    let run = try await trial.run(arguments)
    #expect(run.ending == .status(2), "\(run.output)")
    #expect(!trial.hasData)
  }

  @Test("a data directory that cannot be created is reported")
  func obstructed() async throws {
    let run = try await trial.runObstructed()
    #expect(run.ending == .status(3))
    #expect(run.output.contains("Name another one with --data DIR"))
  }

  @Test("a damaged log is reported with its location and not changed")
  func damaged() async throws {
    let (run, isUntouched) = try await trial.runDamaged()
    #expect(run.ending == .status(1) && isUntouched)
    #expect(trial.reportsDamage(run.output), "\(run.output)")
  }
}
