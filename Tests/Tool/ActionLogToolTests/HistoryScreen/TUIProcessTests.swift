import ActionLog
import Foundation
import TestSupport
import Testing

/// The program in a pseudoterminal: presses keys and compares the screen.
@Suite("tui in a pseudoterminal")
struct TUIProcessTests {
  private static let log = PackageFolder.root
    .appendingPathComponent("logs/animals").path

  private func start(
    _ terminal: PseudoTerminal, on log: String = "animals", _ arguments: String...
  ) throws -> ChildProcess {
    let words = [Executable.path(of: "action-log"), "tui", log] + arguments
    // The path of the log differs on each machine.
    let script = "cd '\(Self.log)/..' && exec " + words.map { word in "'\(word)'" }.joined(separator: " ")
    return try terminal.run(["/bin/sh", "-c", script], variables: ["SWIFT_BACKTRACE": "enable=no"])
  }

  /// Whether a program has restored the terminal.
  private static func isRestored(_ screen: VirtualTerminal) -> Bool {
    !screen.isAlternate && screen.showsCursor && screen.wraps && !screen.marksPaste && screen.mouseModes.isEmpty
  }

  @Test("the screens are correct in three sizes", arguments: [(80, 24), (40, 12), (200, 50)])
  func screens(columns: Int, rows: Int) async throws {
    let terminal = try PseudoTerminal(columns: columns, rows: rows)
    let program = try start(terminal)
    let steps: [(name: String, keys: [String], signs: [String])] = [
      ("the start", [], ["revision 0 of 23", "q quit"]), ("action 12", ["g12\r"], ["revision 12 of 23"]),
      ("a value", ["sOmnivore\r"], ["━ State"]),
      ("who changed it", ["b", "\t"], ["━ What action 12", "+ \"Omnivore\""]),
      ("the end of the changes", ["\u{1B}[F"], ["}}}"]),
      ("a filter", ["\u{1B}[Z\u{1B}[Z", "/dog\r"], ["━ Actions (6) with dog"]),
      ("what is typed", ["/dog Omni"], ["filter: dog Omni", ") with dog Omni"]),
      ("help", ["\u{1B}", "?"], ["one action forward"]),
    ]
    var text = ""
    for (name, keys, signs) in steps {
      for key in keys { try terminal.press(key) }
      try await terminal.wait("\(signs)") { screen in
        signs.allSatisfy(screen.text.contains) && !screen.text.contains("looking…") && !screen.text.contains("…) with")
      }
      text += "=== \(name)\n" + terminal.screen.lines.joined(separator: "\n") + "\n"
    }
    try terminal.press("x", "q")
    #expect(try await program.wait() == .status(0))
    try await terminal.wait("the shell's screen", until: Self.isRestored)
    #expect(try terminal.isCooked())
    #expect(terminal.screen.unknown.isEmpty)
    try Golden.expect(text, is: "tui-\(columns)x\(rows).txt")
  }

  @Test("errors are shown completely, or in a short form", arguments: [(40, 12), (80, 24), (120, 30)])
  func messages(columns: Int, rows: Int) async throws {
    let terminal = try PseudoTerminal(columns: columns, rows: rows)
    let program = try start(terminal)
    try await terminal.wait(for: "revision 0 of 23")
    let steps: [(name: String, keys: [String], sign: String)] = [
      ("a misspelt point", ["gstrat\r"], "Did you mean \"start\"?"),
      ("a misspelt place", ["u/animals/dta/Dog exists\r"], "Did you mean \"data\"?"),
      ("a number that is a string", ["u/animals/data/Dog/diet > 2\r"], "Dog/diet > 2 holds nowhere"),
      ("a filter of types", ["/type == \"onAppear\"\r"], "\"ui.animalList.onAppear\""),
      ("a condition that breaks off", ["\u{1B}", "u/animals == and\r"], "is not a value"),
      ("an invalid name", ["\u{1B}", "m42\r"], "already means another point"),
    ]
    var text = ""
    for (name, keys, sign) in steps {
      for key in keys { try terminal.press(key) }
      try await terminal.wait(sign) { screen in
        // Long messages are wrapped. While actions are counted, their number ends with an ellipsis.
        let text = screen.lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
        return text.contains(sign) && !text.contains("…)")
      }
      text += "=== \(name)\n" + terminal.screen.lines.joined(separator: "\n") + "\n"
    }
    try terminal.press("\u{1B}", "q")
    #expect(try await program.wait() == .status(0))
    try Golden.expect(text, is: "tui-messages-\(columns)x\(rows).txt")
  }

  @Test("a projection is browsed like the state of the model")
  func projection() async throws {
    let terminal = try PseudoTerminal(columns: 100, rows: 24)
    let program = try start(terminal, on: "foodtruck", "--projection", "city-sales")
    try await terminal.wait("the start") { screen in
      ["city-sales of foodtruck", "revision 0 of 21", "cities {}"].allSatisfy(screen.text.contains)
    }
    try terminal.press("g17\r")
    try await terminal.wait("the state at action 17") { screen in
      ["revision 17 of 21", "~ donuts 28", "~ orders 4"].allSatisfy(screen.text.contains)
    }
    try terminal.press("b")
    try await terminal.wait(for: "Who changed /cities/harbour/2026-11-21/donuts?")
    try terminal.press("u", "/cities/harbour/2026-11-21/orders > 4\r")
    try await terminal.wait("the fifth order") { screen in
      ["revision 18 of 21", "~ orders 5"].allSatisfy(screen.text.contains)
    }
    try terminal.press("q")
    #expect(try await program.wait() == .status(0))
    #expect(try terminal.isCooked())
    // A question writes no snapshot of the projection.
    #expect(!FileManager.default.fileExists(atPath: Self.log + "/../foodtruck/projections"))
  }

  @Test("a log that is written is followed")
  func live() async throws {
    let directory = try TemporaryDirectory()
    let writer = try LogWriter.open(
      at: directory.path("log"), model: "counter", schema: 1, configuration: LogConfiguration(durability: .written))
    let draft = LogDraft(type: "didTapIncrementButton", data: Array("{}".utf8))
    _ = try writer.writeNow([draft, draft, draft])
    let terminal = try PseudoTerminal(columns: 120, rows: 24)
    let program = try terminal.run(
      [Executable.path(of: "action-log"), "tui", directory.path("log")], variables: ["SWIFT_BACKTRACE": "enable=no"])
    try await terminal.wait(for: "revision 0 of 3")
    #expect(terminal.screen.mouseModes.isEmpty)
    try terminal.press("f")
    try await terminal.wait(for: "● live  revision 3 of 3")
    _ = try writer.writeNow([draft, draft])
    try await terminal.wait(for: "● live  revision 5 of 5")
    // A move back pauses, and new actions are counted.
    try terminal.press("p", "p", "p")
    try await terminal.wait(for: "○ paused  revision 2 of 5")
    _ = try writer.writeNow([draft])
    try await terminal.wait(for: "○ +1 new  revision 2 of 5")
    try terminal.press("f")
    try await terminal.wait(for: "● live  revision 6 of 6")
    try writer.closeNow()
    program.kill(SIGSEGV)
    _ = try await program.wait()
    try await terminal.wait("the shell's screen", until: Self.isRestored)
    #expect(terminal.screen.unknown.isEmpty)
  }

  @Test("only changed cells are sent")
  func bytes() async throws {
    let terminal = try PseudoTerminal(columns: 80, rows: 24)
    let program = try start(terminal, "--at", "4")
    try await terminal.wait(for: "revision 4 of 23")
    let whole = terminal.screen.byteCount
    try terminal.press("g", "9")
    try await terminal.wait(for: "go to: 9")
    // The field and the blanks after it.
    #expect(terminal.screen.byteCount - whole < 200)
    try terminal.press("\u{1B}")
    try await terminal.wait("the line is empty again") { screen in !screen.text.contains("go to: ") }
    // Escape never quits: the next keys would go to the shell.
    try terminal.press("\u{1B}")
    try await terminal.wait(for: "q quits")
    let before = terminal.screen.byteCount
    try terminal.press("\u{1B}[B")
    try await terminal.wait(for: "revision 5 of 23")
    #expect(terminal.screen.byteCount - before < whole)
    try terminal.press("q")
    #expect(try await program.wait() == .status(0))
  }

  @Test("a resize is drawn at once")
  func resizing() async throws {
    let terminal = try PseudoTerminal(columns: 80, rows: 24)
    let program = try start(terminal, "--at", "12")
    try await terminal.wait(for: "What action 12 changed")
    try terminal.resize(columns: 40, rows: 10)
    try await terminal.wait("one pane") { screen in
      screen.lines[0].hasSuffix("revision 12 of 23") && !screen.text.contains("What action 12 changed")
    }
    try terminal.resize(columns: 1, rows: 1)
    try terminal.resize(columns: 200, rows: 50)
    try await terminal.wait("three panes") { screen in
      screen.lines[2].contains("Actions") && screen.lines[2].contains("State")
        && screen.lines[2].contains("What action 12 changed")
    }
    try terminal.press("q")
    #expect(try await program.wait() == .status(0))
  }

  @Test(
    "the terminal is restored however the program ends",
    arguments: [SIGTERM, SIGINT, SIGHUP, SIGSEGV, SIGABRT, SIGILL])
  func endings(signal: Int32) async throws {
    let terminal = try PseudoTerminal(columns: 80, rows: 24)
    let program = try start(terminal)
    try await terminal.wait(for: "revision 0 of 23")
    program.kill(signal)
    // Terminating signals end the loop, unless they arrive before it has started.
    let isPolite = [SIGTERM, SIGINT, SIGHUP].contains(signal)
    let ending = try await program.wait()
    #expect(ending == .signal(signal) || isPolite && ending == .status(0), "\(ending)")
    try await terminal.wait("the shell's screen", until: Self.isRestored)
    #expect(try terminal.isCooked())
  }

  @Test("a dumb terminal gets text and sends lines of keys")
  func dumb() async throws {
    let terminal = try PseudoTerminal(columns: 80, rows: 24)
    let script = "exec '\(Executable.path(of: "action-log"))' tui '\(Self.log)'"
    let program = try terminal.run(["/bin/sh", "-c", script], variables: ["TERM": "dumb"])
    try await terminal.wait(for: "q quit")
    try terminal.press("nn\r")
    try await terminal.wait(for: "What action 2 changed")
    #expect(!terminal.screen.isAlternate)
    try terminal.press("q\r")
    #expect(try await program.wait() == .status(0))
  }
}
