import ActionLog
import ActionLogTool
import AnimalsData
import EventSourcing
import Testing

/// The tests of `test` are compiled outside the package and run.
@Suite("Written tests") struct WrittenTestTests {
  /// Texts that end or escape string literals, comments and lines.
  private static let hostile = [
    "\"\"\"\" \"# \"## \\(x) \\#(x) \\##(y) \"\"\"", "a\u{202E}b\u{2028}c\u{85}d\u{0}\t\r\n*/ //", "/* ` \\u{41} \\",
    "🦔é",
    "\"\"\"#\n\"\"\"##", "#######\"",
  ]

  @Test(.enabled(if: WrittenTest.isPossible, "there is no swiftc with Swift Testing, or the build has left no modules"))
  func theyCompileAndPassAsTheyAreWritten() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let actions = Self.hostile.enumerated().map { index, text in
      AnimalsAction.data(
        .persistentSession(
          .didAddAnimal(
            id: "\(index)\(text)",
            result: .success(animal: Animal(animalId: text, name: text, diet: .omnivorous, categoryId: "Mammal")))))
    }
    _ = await bench.run("record", "animals", "hostile", input: try Bench.lines(actions))
    _ = await bench.run("record", "counter", "counted", "--workload", "200")
    let name = #"/animals/data exists and count(/animals/data) > 1 and not /x contains "`*/""#
    var sources: [String: String] = [:]
    for (index, words) in [
      ["my-log", "start", "end"], ["my-log", "8", "12"],
      ["my-log", "3", "9", "--minimize", "count(/animals/data) > 6"],
      ["hostile", "start", "end"], ["hostile", "3", "6"],
      ["hostile", "start", "5", "--minimize", name, "--expect", name],
      ["counted", "0", "1", "--expect", "/value exists"],
    ].enumerated() {
      let run = await bench.run(["test"] + words)
      try #require(run.status == 0, "\(words): \(run.messages)")
      sources["Written\(index).swift"] = run.output.replacing("@Suite struct ", with: "@Suite struct Written\(index)")
    }
    let outcome = try await WrittenTest.outcome(of: sources)
    #expect(outcome.isPassed, "\(outcome.output)")
    #expect(outcome.output.contains("Test run with \(sources.count) tests in \(sources.count) suites passed"))
  }

  @Test func commandLines() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let text = await bench.transcript([
      ["test", "my-log", "3", "4"], ["test", "my-log", "start", "end", "--minimize", "/value > 1", "-o", "T.swift"],
      ["test", "my-log", "start", "3", "--expect", "/value < 2", "--testable"],
      ["test", "my-log", "start", "3", "--expect", "/valeu > 5", "-o", "V.swift"],
      ["test", "my-log", "start", "3", "--expect", "/value > 1", "-o", "W.swift", "--json"],
      ["test", "my-log", "start", "3", "--expect", "/value > 1", "-o", "X.swift"],
      ["test", "my-log", "2", "3", "-o", "T.swift"], ["test", "my-log", "2", "3", "-o", "U.swift", "--json"],
      ["test", "my-log", "3", "3"], ["test", "my-log", "3", "1"], ["test", "my-log", "3", "99"],
      ["test", "my-log", "0", "3", "--expect", "type == \"x\""],
      ["test", "my-log", "0", "3", "--minimize", "/value > 99"],
      ["test", "my-log", "0", "3", "--minimize", "/value >= 0"],
      ["test", "my-log", "0", "3", "--minimize", "/value changed"],
    ])
    try Golden.expect(text, is: "test.txt")
  }
}
