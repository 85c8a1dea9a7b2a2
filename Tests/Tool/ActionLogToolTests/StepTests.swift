import ActionLog
import ActionLogTool
import Foundation
import Testing

@Suite("step")
struct StepTests {
  /// A terminal of a fixed size.
  private struct FakeTerminal: ToolTerminal {
    let size = (columns: 60, rows: 12)

    func beginKeyInput() throws(ToolStreamError) {}
    func endKeyInput() {}
  }

  /// The last frame that a session of keys leaves on the screen, without colors.
  private func screen(_ bench: Bench, keys: [String], arguments: [String] = []) async throws -> [String] {
    let run = await bench.run(["step", "my-log"] + arguments, input: keys) { environment in
      environment.terminal = FakeTerminal()
      environment.inputIsTerminal = true
      environment.outputIsTerminal = true
      environment.variables = ["NO_COLOR": "1"]
    }
    try #require(run.status == 0, "\(run.messages)")
    #expect(run.output.hasPrefix("\u{1B}[?1049h"))
    #expect(run.output.hasSuffix("\u{1B}[?1049l"))
    let end = try #require(run.output.range(of: "\u{1B}[?7h", options: .backwards)).lowerBound
    let frames = run.output[..<end].components(separatedBy: "\u{1B}[H")
    return try #require(frames.last).components(separatedBy: "\n").map { line in
      line.replacingOccurrences(of: "\u{1B}[K", with: "")
    }
  }

  @Test(
    "keys step forward and back within the log",
    arguments: [
      (["n", "n", "n"], 3), (["n", "n", "p"], 1), (["\u{1B}[C", "\u{1B}[C", "\u{1B}[D"], 1), (["G"], 10),
      (["$", "n"], 10), (["0", "p"], 0), (["g", "7\r"], 7), (["g-3\r"], 7), (["g99\r"], 0), (["g5\u{1B}n"], 1),
      (["g12\u{7F}\r"], 1), (["nnnn"], 4), (["x", "n"], 1), (["\u{1B}[F", "\u{1B}[H", " "], 1),
    ])
  func walking(keys: [String], revision: Int) async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let lines = try await screen(bench, keys: keys)
    #expect(lines.count == 12)
    #expect(lines[0].hasPrefix("counter  revision \(revision) of 10"), "\(lines)")
  }

  @Test("the next key hides the help", arguments: [(["?", "n"], 1), (["?", "\u{1B}"], 0), (["?", "?"], 0)])
  func helpCloses(keys: [String], revision: Int) async throws {
    let bench = Bench()
    try await bench.recordCounter()
    #expect(try await screen(bench, keys: ["?"]).contains { line in line.contains("one action forward") })
    let lines = try await screen(bench, keys: keys)
    #expect(lines[0].hasPrefix("counter  revision \(revision) of 10"), "\(lines)")
    #expect(!lines.contains { line in line.contains("one action forward") })
  }

  @Test("the screen shows the action, its changes, and the keys")
  func screens() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    var text = ""
    for keys in [["n"], ["g12\r"], ["g12\r", "s"], ["g12\r", "s", "\u{1B}[6~"], ["?"], ["g2"], ["g99\r"], ["p"]] {
      let lines = try await screen(bench, keys: keys)
      let name = keys.joined().replacingOccurrences(of: "\u{1B}", with: "ESC").replacingOccurrences(of: "\r", with: "⏎")
      text += "=== \(name)\n" + lines.joined(separator: "\n") + "\n"
    }
    try Golden.expect(text, is: "step-screens.txt")
  }

  @Test("without a terminal each step is printed with its changes")
  func printed() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let text = await bench.transcript([
      ["step", "my-log", "--at", "start", "--to", "2"], ["step", "my-log", "--at", "-1"],
      ["step", "my-log", "--at", "11", "--to", "12", "--json"], ["step", "my-log", "--at", "99"],
    ])
    try Golden.expect(text, is: "step.txt")
  }

  @Test("an empty log has one step")
  func emptyLog() async throws {
    let bench = Bench()
    _ = await bench.run("record", "counter", "my-log")
    let run = await bench.run("step", "my-log")
    #expect(run.status == 0)
    #expect(run.output == "revision 0  the start\n  the state before any action\n")
  }
}
