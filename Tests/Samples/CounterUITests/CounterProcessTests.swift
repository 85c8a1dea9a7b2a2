import ActionLog
import CounterData
import EventSourcing
import Foundation
import TestSupport
import Testing

/// The program in a pseudoterminal: presses keys and compares the screen.
@Suite("counter") struct CounterProcessTests {
  private let directory: TemporaryDirectory
  private let terminal: PseudoTerminal

  init() throws {
    directory = try TemporaryDirectory()
    terminal = try PseudoTerminal(columns: 60, rows: 12)
  }

  private func start(_ arguments: [String] = [], variables: [String: String] = [:]) throws -> ChildProcess {
    try terminal.run(
      [Executable.path(of: "counter"), "--data", directory.path("data")] + arguments, variables: variables)
  }

  /// The value after replaying the log.
  private func recordedValue() throws -> Int {
    CounterState.selectValue()(try History<CounterModel>(at: directory.path("data/log")).state())
  }

  /// Whether a program has restored the terminal.
  private static func isRestored(_ screen: VirtualTerminal) -> Bool {
    !screen.isAlternate && screen.showsCursor && screen.wraps && !screen.marksPaste
  }

  @Test("the screen is correct after each key, and only changes are sent")
  func screens() async throws {
    let counter = try start()
    try await terminal.wait(for: "Value: 0")
    try await terminal.wait(for: "[ past")
    // The path of the directory differs in each run.
    let lines = terminal.screen.lines.dropFirst()
    #expect(
      Array(lines) == [
        "┌─ Counter ────────────────────────────────────────────────┐",
        "│                                                          │",
        "│ Value: 0                                                 │",
        "│                                                          │",
        "│ [›Increment‹] [ Decrement ]                              │",
        "└──────────────────────────────────────────────────────────┘",
        "", "", "",
        "? help  + increment  - decrement  Enter press  ← button",
        "q quit  w two windows  (Tab window)  [ past",
      ])
    let before = terminal.screen.byteCount
    try terminal.press("+")
    try await terminal.wait(for: "Value: 1")
    #expect(terminal.screen.byteCount - before < 40)
    #expect(terminal.screen.separateCharacters == 0, "each screen is shown all at once")
    try terminal.press("+", "\u{1B}[B", "\u{1B}[C", "\r", "w")
    try await terminal.wait("both windows") { screen in
      screen.text.contains("│ Value: 0                   ││ Value: 0                   │")
    }
    #expect(try !terminal.isCooked())
    try terminal.press("q")
    #expect(try await counter.wait() == .status(0))
    try await terminal.wait("the shell's screen", until: Self.isRestored)
    #expect(try terminal.isCooked())
    #expect(terminal.screen.unknown.isEmpty)
    try await terminal.wait(for: "up to revision 4")
  }

  #if DEBUG
  @Test func debugLinesFollowTheScreen() async throws {
    let window = try PseudoTerminal(columns: 120, rows: 12)
    let counter = try window.run([
      Executable.path(of: "counter"), "--data", directory.path("data"), "-com.northbronson.ImmutableUI.Debug", "1",
    ])
    try await window.wait(for: "Value: 0")
    try window.press("+")
    try await window.wait(for: "Value: 1")
    #expect(!window.screen.text.contains("[ImmutableUI]"), "the screen is intact")
    try window.press("q")
    #expect(try await counter.wait() == .status(0))
    try await window.wait("the lines below the screen") { screen in
      screen.text.contains("[ImmutableUI][AsyncListener]: 0x") && screen.text.contains("Update Output: SelectValue")
        && !screen.isAlternate
    }
  }
  #endif

  @Test("kill -9 loses nothing that was recorded, and the counter is restored")
  func killed() async throws {
    let counter = try start()
    try await terminal.wait(for: "Value: 0")
    try terminal.press("+++-+")
    try await terminal.wait(for: "Value: 3")
    // The history is opened after everything is on disk.
    try terminal.press("[")
    try await terminal.wait(for: "revision 4 of 5")
    counter.kill(SIGKILL)
    #expect(try await counter.wait() == .signal(SIGKILL))
    #expect(try recordedValue() == 3)
    let window = try PseudoTerminal(columns: 60, rows: 12)
    let again = try window.run([Executable.path(of: "counter"), "--data", directory.path("data")])
    try await window.wait(for: "Value: 3")
    try window.press("-", "q")
    #expect(try await again.wait() == .status(0))
    #expect(try recordedValue() == 2)
  }

  @Test("the drawer steps, says who changed a value, and continues in a branch")
  func drawer() async throws {
    let counter = try start()
    try await terminal.wait(for: "Value: 0")
    try terminal.press("+++-")
    try await terminal.wait(for: "Value: 2")
    try terminal.press("[")
    try await terminal.wait("the step before the last") { screen in
      screen.text.contains("revision 3 of 4") && screen.text.contains("Value: 3")
        && screen.text.contains("~ /value: 2 → 3")
    }
    try terminal.press("b")
    try await terminal.wait(for: "who changed: /value")
    try terminal.press("\r")
    try await terminal.wait(for: "/value: 2 → 3 by action 3")
    try terminal.press("C")
    try await terminal.wait(for: "continue in the new log")
    try terminal.press("\r")
    try await terminal.wait(for: "continued from revision 3 in")
    try terminal.press("+")
    try await terminal.wait(for: "Value: 4")
    try terminal.press("q")
    #expect(try await counter.wait() == .status(0))
    #expect(try recordedValue() == 2, "the first log is unchanged")
    let branch = try await History<CounterModel>(at: directory.path("data/log-at-3"))
    #expect(CounterState.selectValue()(try branch.state()) == 4)
    #expect(branch.reader.header.parent?.revision == 3)
  }

  @Test("a torn tail is truncated, quarantined and reported")
  func tornTail() async throws {
    func run() async throws -> RunningProgram.Run {
      try await RunningProgram.run("counter", "--data", directory.path("data"))
    }
    #expect(try await run().ending == .status(0))
    #expect(try await LogFaults.isTornTailReported(of: directory.path("data/log"), by: run))
  }

  @Test("a failed snapshot is reported once at the end, and counting continues")
  func noSnapshots() async throws {
    let first = try start()
    try await terminal.wait(for: "Value: 0")
    try terminal.press("q")
    #expect(try await first.wait() == .status(0))
    try LogFaults.blockSnapshots(of: directory.path("data/log"))
    let window = try PseudoTerminal(columns: 200, rows: 12)
    let counter = try window.run([Executable.path(of: "counter"), "--data", directory.path("data")])
    // Each record has about 150 bytes, and a snapshot is due after 64 KiB.
    try await window.wait(for: "Value: 0")
    for count in 1...12 {
      try window.press(String(repeating: "+", count: 100))
      try await window.wait(for: "Value: \(100 * count)")
    }
    #expect(!window.screen.text.contains("warning"))
    try window.press("q")
    #expect(try await counter.wait() == .status(0))
    try await window.wait(for: "up to revision 1200")
    #expect(
      window.screen.text.split(separator: "warning: no snapshot of ", omittingEmptySubsequences: false).count == 2,
      "\(window.screen.text)")
    #expect(try recordedValue() == 1_200)
  }

  @Test("a resize is drawn at once, without a key")
  func resizing() async throws {
    let counter = try start()
    try await terminal.wait(for: "Value: 0")
    try terminal.resize(columns: 40, rows: 10)
    try await terminal.wait("the narrow box") { screen in
      screen.lines[1] == "┌─ Counter ────────────────────────────┐" && screen.lines[9].contains("quit")
    }
    try terminal.resize(columns: 100, rows: 30)
    try await terminal.wait("the wide box") { screen in
      screen.lines[1].count == 100 && screen.lines[28].contains("+ increment")
    }
    try terminal.resize(columns: 1, rows: 1)
    try terminal.resize(columns: 60, rows: 12)
    try await terminal.wait("the first box") { screen in
      screen.lines[1].count == 60 && screen.lines[10].contains("+ increment")
    }
    try terminal.press("q")
    #expect(try await counter.wait() == .status(0))
  }

  @Test("terminating signals close the log and restore the terminal", arguments: [SIGTERM, SIGINT, SIGHUP])
  func asked(signal: Int32) async throws {
    let counter = try start()
    try await terminal.wait(for: "Value: 0")
    try terminal.press("+")
    try await terminal.wait(for: "Value: 1")
    counter.kill(signal)
    #expect(try await counter.wait() == .status(0))
    try await terminal.wait("the shell's screen", until: Self.isRestored)
    #expect(try terminal.isCooked())
    #expect(try recordedValue() == 1)
  }

  @Test("Ctrl-C ends the counter like a signal")
  func controlC() async throws {
    let counter = try start()
    try await terminal.wait(for: "Value: 0")
    try terminal.press("\u{3}")
    #expect(try await counter.wait() == .status(0))
    try await terminal.wait("the shell's screen", until: Self.isRestored)
    #expect(try terminal.isCooked())
  }

  @Test("a crash restores the terminal first", arguments: [SIGSEGV, SIGABRT, SIGILL, SIGTRAP])
  func crash(signal: Int32) async throws {
    let counter = try start(variables: ["SWIFT_BACKTRACE": "enable=no"])
    try await terminal.wait(for: "Value: 0")
    counter.kill(signal)
    #expect(try await counter.wait() == .signal(signal))
    try await terminal.wait("the shell's screen", until: Self.isRestored)
    #expect(try terminal.isCooked())
  }

  @Test("Ctrl-Z returns the terminal to the shell, and fg restores the screen")
  func suspending() async throws {
    // A shell with job control, because only that can continue a stopped process.
    let program = Executable.path(of: "counter")
    let script = "'\(program)' --data '\(directory.path("data"))'; echo stopped; read line; fg >/dev/null; echo ended"
    let shell = try terminal.run(["/bin/sh", "-mc", script])
    try await terminal.wait(for: "Value: 0")
    try terminal.press("+")
    try await terminal.wait(for: "Value: 1")
    try terminal.press("\u{1A}")
    try await terminal.wait("the shell") { screen in Self.isRestored(screen) && screen.text.contains("stopped") }
    #expect(try terminal.isCooked())
    try terminal.press("\r")
    try await terminal.wait("the counter") { screen in screen.isAlternate && screen.text.contains("Value: 1") }
    #expect(try !terminal.isCooked())
    try terminal.press("+")
    try await terminal.wait(for: "Value: 2")
    try terminal.press("q")
    try await terminal.wait(for: "ended")
    #expect(try await shell.wait() == .status(0))
    #expect(Self.isRestored(terminal.screen))
    #expect(try terminal.isCooked())
  }

  @Test("closing the window ends the counter, and its log is intact")
  func closedWindow() async throws {
    let counter = try start()
    try await terminal.wait(for: "Value: 0")
    try terminal.press("++")
    try await terminal.wait(for: "Value: 2")
    terminal.close()
    _ = try await counter.wait()
    #expect(try recordedValue() == 2)
  }

  @Test("the screen is legible without colors and on a dumb terminal")
  func degrading() async throws {
    let counter = try start(variables: ["TERM": "dumb"])
    try await terminal.wait(for: "Value: 0")
    #expect(try terminal.isCooked())
    try terminal.press("++\r")
    try await terminal.wait(for: "Value: 2")
    try terminal.press("q\r")
    #expect(try await counter.wait() == .status(0))
    #expect(!terminal.screen.isAlternate)
    #expect(terminal.screen.unknown.isEmpty)
  }
}
