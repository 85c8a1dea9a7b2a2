import ActionLogTool
import Foundation
import TerminalUI
import Testing

@Suite("history of several values")
struct ValueTableTests {
  /// A terminal of so many columns.
  private struct Screen: ToolTerminal {
    var columns: Int
    var size: (columns: Int, rows: Int) { (columns: columns, rows: 24) }
    func beginKeyInput() throws(ToolStreamError) {}
    func endKeyInput() {}
  }

  private static let words = ["history", "my-log", "/animals/data", "/categories/data", "--from", "-3"]

  private func watch(columns: Int?) async throws -> [String] {
    let bench = Bench()
    try await bench.recordAnimals()
    let run = await bench.run(Self.words) { environment in
      guard let columns else { return }
      environment.outputIsTerminal = true
      environment.terminal = Screen(columns: columns)
      environment.variables = ["NO_COLOR": "1"]
    }
    return run.output.split(separator: "\n").map(String.init)
  }

  @Test func unchangedValuesAreMentioned() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let run = await bench.run("history", "my-log", "/animals/data", "/categories/data", "--from", "3", "--to", "3")
    #expect(run.status == 1 && run.messages.contains("no action from 3 to 3 changed it"), "\(run)")
  }

  @Test("paths without values have the error of one", arguments: [[], ["--json"]])
  func missingPaths(options: [String]) async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let one = await bench.run(["history", "my-log", "/nothing"] + options)
    let two = await bench.run(["history", "my-log", "/nothing", "/nowhere"] + options)
    #expect(one.status == 1 && one.messages.contains("nothing at /nothing"), "\(one)")
    #expect(two.status == 1 && two.output.isEmpty && two.messages == one.messages, "\(two)")
  }

  @Test("a pipe gets complete values")
  func pipe() async throws {
    let lines = try await watch(columns: nil)
    #expect(lines.count > 2)
    #expect(!lines.contains { line in line.contains("…") })
    #expect(lines[1].contains(#""categoryId":"Mammal","diet":"Carnivore","name":"#))
  }

  @Test("a terminal gets values truncated to its width", arguments: [20, 80, 132, 200])
  func terminal(columns: Int) async throws {
    let lines = try await watch(columns: columns)
    #expect(lines.count >= 2)
    #expect(lines.allSatisfy { line in TextWidth.of(line) <= columns })
    guard columns >= 80 else { return }
    // Both values are visible, with their paths above them.
    for line in lines.dropFirst() { #expect(line.count { character in character == "{" } >= 2, "\(line)") }
    let second = try #require(lines[0].range(of: "/categories/data")).lowerBound
    let offset = lines[0].distance(from: lines[0].startIndex, to: second)
    for line in lines.dropFirst() {
      #expect(Array(line)[offset] == "{" && Array(line)[offset - 2] != "{", "\(line)")
    }
  }
}
