import ActionLogTool
import Testing

/// A command prints its answer first and notes on it afterward, on a terminal as in a transcript of both streams.
@Suite("Notes follow the answer")
struct NoteOrderTests {
  private static let calls: [[String]] = [
    ["list", "my-log", "--where", "/animals exists"], ["list", "my-log", "--touching", "/animals/dta"],
    ["list", "my-log", "--where", "/animals exists", "--last", "2"], ["list", "my-log", "--where", "data/nix exists"],
    ["stats", "my-log", "--touching", "/animals"], ["export", "my-log", "-f", "csv", "--where", "/animals exists"],
    ["history", "my-log", "/animals/data"], ["watch", "my-log", "/animals/data", "/animals/dta"],
    ["until", "my-log", "/animals exists"], ["bisect", "my-log", "/animals exists"],
    ["blame", "my-log", "/animals/data"], ["minimise", "my-log", "/animals/data/Dog exists"],
    ["what-if", "my-log", "--skip", "4"], ["state", "my-log"], ["marks", "my-log"], ["verify", "my-log"],
    ["tail", "my-log"], ["test", "my-log", "3", "12", "--expect", "/animals/dta exists"],
    ["export", "my-log", "-f", "redux-devtools"],
  ]

  private func both(_ words: [String], _ bench: Bench, input: [String] = []) async -> String {
    let both = MemoryOutput()
    _ = await bench.run(words, input: input) { environment in
      environment.standardOutput = both
      environment.standardError = both
      environment.outputIsTerminal = true
      environment.errorIsTerminal = true
      environment.variables = ["NO_COLOR": "1"]
    }
    return both.text
  }

  @Test(arguments: calls) func asInATranscript(words: [String]) async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let run = await bench.run(words)
    #expect(await both(words, bench) == run.output + run.messages)
  }

  @Test("the note on a new or continued log precedes the first answer")
  func recording() async throws {
    let bench = Bench()
    let taps = [#"{"type":"didTapIncrementButton"}"# + "\n"]
    for opening in ["new log my-log", "continuing my-log after revision 1"] {
      let lines = await both(["record", "counter", "my-log"], bench, input: taps).split(separator: "\n")
      #expect(lines.count == 3 && lines[0] == opening && lines[1].hasPrefix(#"{"line":1"#), "\(lines)")
    }
  }
}
