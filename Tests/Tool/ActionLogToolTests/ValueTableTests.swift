import ActionLogTool
import Foundation
import Testing

@Suite("history of several values")
struct ValueTableTests {
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

  @Test("each row names the value that it changed")
  func rows() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let run = await bench.run("history", "my-log", "/animals/data/Dog/diet", "/animals/data/Dog/name")
    let lines = run.output.split(separator: "\n")
    #expect(run.status == 0 && lines.count > 1, "\(run)")
    #expect(
      lines.allSatisfy { line in line.contains("/animals/data/Dog/diet: ") != line.contains("Dog/name: ") }, "\(run)")
  }
}
