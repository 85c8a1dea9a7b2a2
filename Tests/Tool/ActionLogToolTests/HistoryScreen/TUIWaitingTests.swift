import ActionLog
import Foundation
import Platform
import TestSupport
import Testing

/// A long fold that is stopped halfway: the screen and its keys during the fold.
@Suite("tui while a state is folded")
struct TUIWaitingTests {
  private let log: LogOnDisk
  private let pipes: TemporaryDirectory
  private let pipe: String

  init() async throws {
    let log = try LogOnDisk()
    self.log = log
    pipes = try TemporaryDirectory()
    pipe = pipes.path("gate")
    if mkfifo(pipe, 0o600) != 0 { throw SystemFailure("mkfifo") }
    let words = [Executable.path(of: "impure-tool"), "record", "gated", log.path]
    let recorded = try await BlockingWork.run {
      try ProgramRun(words + ["--workload", "100000", "--durability", "written", "--snapshot-every", "1000000"])
    }
    try #require(recorded.status == 0, "\(recorded.messages)")
  }

  private func start(_ terminal: PseudoTerminal, _ arguments: String...) throws -> ChildProcess {
    try terminal.run(
      [Executable.path(of: "impure-tool"), "tui", log.path] + arguments,
      variables: ["GATE": "50000:\(pipe)", "SWIFT_BACKTRACE": "enable=no"])
  }

  private func waits(for parts: String..., on terminal: PseudoTerminal) async throws {
    try await terminal.wait("\(parts)") { screen in
      let text = screen.text
      return parts.allSatisfy(text.contains)
    }
  }

  /// The progress that is shown while the fold is stopped at the gate.
  private static let held = "folded 49 152 of 100 000"

  @Test("keys work during a fold, Escape cancels it, and folded states are reused")
  func far() async throws {
    let terminal = try PseudoTerminal(columns: 100, rows: 24)
    let program = try start(terminal, "--at", "end")
    try await waits(
      for: "revision 100000 of 100000", Self.held, "Esc stays at 0", "State at revision 0", " 99999 didTick",
      on: terminal)
    #expect(try !terminal.isCooked() && terminal.screen.isAlternate)
    try terminal.press("?")
    try await waits(for: "one action forward", on: terminal)
    try terminal.press("?", "\u{1B}[A", "\u{1B}[A")
    try await waits(for: "revision 99998 of 100000", "going to revision 99 998", on: terminal)
    try terminal.press("\u{1B}")
    try await waits(for: "revision 0 of 100000", "stayed at revision 0", on: terminal)
    // A nearby move does not need the stopped thread.
    try terminal.press("n", "n", "n", "p")
    try await waits(for: "revision 2 of 100000", "What action 2 changed", "~ count 2", on: terminal)
    try terminal.press("G")
    try await waits(for: "going to revision", on: terminal)

    // Opens both ends, so that opening does not block.
    let gate = open(pipe, O_RDWR | O_CLOEXEC)
    defer { close(gate) }
    try await waits(for: "revision 100000 of 100000", "~ count 100000", "What action 100000 changed", on: terminal)
    try terminal.press("g75000\r")
    try await waits(for: "revision 75000 of 100000", "~ count 75000", on: terminal)
    try terminal.press("q")
    #expect(try await program.wait() == .status(0))
    #expect(try terminal.isCooked())
  }

  @Test("filters and queries show their progress, Escape cancels them, and q quits")
  func questions() async throws {
    let terminal = try PseudoTerminal(columns: 100, rows: 24)
    let program = try start(terminal)
    try await waits(for: "revision 0 of 100000", on: terminal)
    try terminal.press("/", "/count > 49150\r")
    try await waits(
      for: "━ Actions (849…) with /count > 49150 ━", "looking for /count > 49150, at 49 999 of 100 000  Esc ends it",
      on: terminal)
    try terminal.press("u", "/count > 60000\r")
    try await waits(for: "forward until /count > 60000, at 49 152 of 100 000  Esc ends it", on: terminal)
    try terminal.press("\u{1B}")
    try await waits(for: "the query was canceled", on: terminal)
    try terminal.press("\u{1B}")
    try await waits(for: "━ Actions ━", on: terminal)
    // The query may have ended before the gate. The move then begins at the last cached state.
    try terminal.press("G")
    try await waits(for: "going to revision 100 000: folded 49 ", on: terminal)
    try terminal.press("q")
    #expect(try await program.wait() == .status(0))
    try await terminal.wait("the shell's screen") { screen in !screen.isAlternate && screen.showsCursor }
    #expect(try terminal.isCooked())
  }
}
