import ActionLog
import AnimalsData
import EventSourcing
import Foundation
import TestSupport
import Testing
import TreeCollections

/// `animals` in a terminal: keys are sent, and the screen is compared.
@Suite("animals", .timeLimit(.minutes(60))) struct AnimalsProcessTests {
  private static let down = "\u{1B}[B"
  private static let up = "\u{1B}[A"
  private static let right = "\u{1B}[C"
  private static let end = "\u{1B}[F"

  private let directory: TemporaryDirectory
  private let terminal: PseudoTerminal

  init() throws {
    directory = try TemporaryDirectory()
    terminal = try Self.makeWindow()
  }

  private static func makeWindow() throws -> PseudoTerminal { try PseudoTerminal(columns: 110, rows: 14) }

  private func start(_ arguments: String..., in window: PseudoTerminal? = nil) throws -> ChildProcess {
    try (window ?? terminal).run([Executable.path(of: "animals"), "--data", directory.path("data")] + arguments)
  }

  private func recorded() throws -> AnimalsState {
    try History<AnimalsModel>(at: directory.path("data/animals.log")).state()
  }

  /// Selects the mammals and their first animal, the cat.
  private func selectCat(in window: PseudoTerminal) async throws {
    try await window.wait(for: "Reptile")
    try window.press(Self.end, Self.up)
    try await window.wait(for: "Red kangaroo")
    try window.press(Self.right, Self.down)
    try await window.wait(for: "[d Delete Cat]")
  }

  private func deleteCat(in window: PseudoTerminal) async throws {
    try window.press("d")
    try await window.wait(for: "Yes, delete Cat")
    try window.press("y")
  }

  @Test(
    "a truncated torn tail is reported with its length and quarantine",
    arguments: ["animals.log", "default.store"])
  func tornTail(log: String) async throws {
    func run() async throws -> RunningProgram.Run {
      try await RunningProgram.run("animals", "--data", directory.path("data"))
    }
    #expect(try await run().ending == .status(0))
    #expect(try await LogFaults.isTornTailReported(of: directory.path("data/\(log)"), by: run))
  }

  @Test("all data is restored after kill -9")
  func killed() async throws {
    let animals = try start()
    try await terminal.wait(for: "Reptile")
    // The drawer with the past of the application.
    try terminal.press("[")
    try await terminal.wait("the past") { screen in
      screen.text.contains("the past of") && screen.text.contains("revision ")
    }
    try terminal.press("f")
    try await terminal.wait("the present") { screen in !screen.text.contains("the past of") }
    try terminal.press(Self.down, Self.down)
    try await terminal.wait(for: "House sparrow")
    try terminal.press("a")
    try await terminal.wait(for: "Add Animal")
    try terminal.press("Owl", "\t", "c", "\t", "b", "\t", "\r")
    try await terminal.wait("the owl in the list") { screen in
      screen.text.contains("Owl") && !screen.text.contains("Add Animal")
    }
    let store = directory.path("data/default.store")
    let isStored = try await eventually {
      let state = try recorded()
      let types = try LogReader.recordedTypes(store)
      return state.animals.data.count == 7 && !state.animals.queue.values.contains(.waiting)
        && types.contains("didAddAnimal")
    }
    #expect(isStored)
    try terminal.press(Self.right, Self.end)
    try await terminal.wait(for: "Diet: Carnivore")
    // The pane is stored before the animal is selected.
    let isPlaceStored = try await eventually {
      let place = trial.storedPlace
      return place.hasPrefix(#"{"animalId":""#) && place.contains(#","categoryId":"Bird","pane":1}"#)
    }
    #expect(isPlaceStored)
    animals.kill(SIGKILL)
    #expect(try await animals.wait() == .signal(SIGKILL))

    let window = try Self.makeWindow()
    let again = try start(in: window)
    // The selection is restored without a key press.
    try await window.wait(for: "Diet: Carnivore")
    // The path of the directory differs in each run.
    #expect(
      window.screen.lines[1...7] == [
        "Categories           │ Bird                         │ Owl",
        "  Amphibian          │   House sparrow              │ Category: Bird",
        "› Bird               │ › Owl                        │ Diet: Carnivore",
        "  Fish               │                              │",
        "  Invertebrate       │                              │ [e Edit Owl]",
        "  Mammal             │                              │ [d Delete Owl]",
        "  Reptile            │                              │",
      ])
    try window.press("q")
    #expect(try await again.wait() == .status(0))
    try await window.wait("the shell's screen") { screen in !screen.isAlternate && screen.showsCursor }
    #expect(try window.isCooked())
  }

  #if DEBUG
  /// Redirected debug lines appear at once, next to the screen.
  @Test func debugFlagsPrintTheGuidesLines() async throws {
    let lines = directory.path("lines.txt")
    let flags = ["northbronson.AnimalsData.Debug", "northbronson.AnimalsUI.Debug", "apple.CoreData.SQLDebug"]
      .map { flag in "-com.\(flag) 1" }.joined(separator: " ")
    let program = Executable.path(of: "animals")
    let animals = try terminal.run([
      "/bin/sh", "-c", "exec '\(program)' --data '\(directory.path("data"))' \(flags) 2>'\(lines)'",
    ])
    try await terminal.wait(for: "Reptile")
    func text() throws -> String { String(decoding: try Data(contentsOf: URL(filePath: lines)), as: UTF8.self) }
    for line in [
      "[AnimalsData][Listener] Old State: AnimalsState(", "[AnimalsData][Listener] Action: ui(",
      "[AnimalsData][Listener] New State: AnimalsState(", "CategoryList: @self, @identity changed.",
      "CategoryList: categories",
    ] {
      #expect(try await eventually { try text().contains("\(line)") }, "\(line)")
    }
    #expect(!(try text()).contains("[ImmutableUI]"), "its flag is not set")
    try terminal.press("q")
    #expect(try await animals.wait() == .status(0))
  }
  #endif

  @Test(arguments: ["animals", "animals-client"])
  func programsAcceptTheGuidesFlags(program: String) async throws {
    let flags = [
      "com.northbronson.AnimalsData.Debug", "com.northbronson.AnimalsUI.Debug", "com.northbronson.ImmutableUI.Debug",
      "com.apple.CoreData.SQLDebug", "com.apple.CoreData.ConcurrencyDebug",
    ].flatMap { flag in ["-\(flag)", "1"] }
    let data = directory.path("data")
    let words = program == "animals" ? ["--data", data] : ["list", "--local", data]
    let run = try await RunningProgram(program, words + flags).rest()
    #expect(run.ending == .status(0), "\(run.output)")
  }

  /// Both the server and the application are killed after the server received the request.
  @Test("a request interrupted by kill -9 ends at the next start")
  func killedWhileWaiting() async throws {
    let data = try TemporaryDirectory()
    let server = try await RunningServer(data: data.path, "-q")
    let animals = try start("--remote", server.address)
    try await selectCat(in: terminal)
    // It still accepts requests, but does not answer.
    try await server.program.process.stop()
    try await deleteCat(in: terminal)
    try await terminal.wait(for: "waiting…")
    #expect(try await eventually { try recorded().animals.queue["Cat"] == .waiting })
    #expect(try await eventually { trial.storedPlace.contains(#""animalId":"Cat""#) })
    animals.kill(SIGKILL)
    #expect(try await animals.wait() == .signal(SIGKILL))
    server.program.process.kill(SIGKILL)
    #expect(try await server.program.process.wait() == .signal(SIGKILL))

    let second = try await RunningServer(data: data.path, "-q", port: server.port)
    let window = try Self.makeWindow()
    let again = try start("--remote", second.address, in: window)
    try await window.wait(for: "failed: interrupted")
    try await deleteCat(in: window)
    try await window.wait("the list without the cat") { screen in
      screen.text.contains("Red kangaroo") && screen.text.contains("Select an animal")
    }
    try window.press("q")
    #expect(try await again.wait() == .status(0))
    #expect(try recorded().animals.data["Cat"] == nil)
    #expect(try await !second.client("list").output.contains("Cat "))
  }

  @Test("a truncated response is reported, and the next request works")
  func deadServer() async throws {
    let data = try TemporaryDirectory()
    let server = try await RunningServer(data: data.path, "-q")
    let animals = try start("--remote", server.address)
    try await selectCat(in: terminal)
    try await server.program.process.stop()
    try await deleteCat(in: terminal)
    try await terminal.wait(for: "waiting…")
    server.program.process.kill(SIGKILL)
    try await terminal.wait(for: "failed: transportError")
    #expect(terminal.screen.text.contains("[d Delete Cat]"))
    let second = try await RunningServer(data: data.path, "-q", port: server.port)
    try await deleteCat(in: terminal)
    try await terminal.wait("the list without the cat") { screen in
      screen.text.contains("Red kangaroo") && screen.text.contains("Select an animal")
    }
    try terminal.press("q")
    #expect(try await animals.wait() == .status(0))
    #expect(try recorded().animals.queue["Cat"] == .success)
    #expect(try await !second.client("list").output.contains("Cat "))
  }

  @Test("a second process is refused, and the first one continues")
  func secondProcess() async throws {
    let animals = try start()
    try await terminal.wait(for: "Reptile")
    let window = try Self.makeWindow()
    #expect(try await start(in: window).wait() == .status(4))
    try await window.wait(for: "error: ")
    try terminal.press("q")
    #expect(try await animals.wait() == .status(0))
  }

  private var trial: ApplicationTrial { ApplicationTrial("animals", data: directory.path("data"), log: "animals.log") }

  @Test(
    "invalid command lines are reported before files are created",
    arguments: [["--json"], ["extra"], ["--remote", "here"], ["--data"]])
  func wrongCalls(arguments: [String]) async throws {
    let run = try await trial.run(arguments)
    #expect(run.ending == .status(2), "\(run.output)")
    #expect(!trial.hasData)
  }

  @Test("an obstructed data directory is reported")
  func obstructed() async throws {
    let run = try await trial.runObstructed()
    #expect(run.ending == .status(3))
    #expect(run.output.contains("Name another one with --data DIR"))
  }

  @Test("a damaged log is reported with its location and left unchanged")
  func damaged() async throws {
    let (run, isUntouched) = try await trial.runDamaged()
    #expect(run.ending == .status(1) && isUntouched)
    #expect(trial.reportsDamage(run.output), "\(run.output)")
  }
}
