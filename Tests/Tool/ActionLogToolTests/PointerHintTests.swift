import ActionLogTool
import JSONCoding
import Testing

/// A path that no state has is probably mistyped: a hint names the nearest one.
@Suite("Hints on places of the state")
struct PointerHintTests {
  private static let hint =
    #"nothing at /animals/dta/Dog: the object at /animals has no member "dta". Did you mean "data"?"#

  static let questions: [[String]] = [
    ["until", "my-log", #"/animals/dta/Dog/name == "Rex""#], ["until", "my-log", "/animals/dta/Dog != 1"],
    ["reverse-until", "my-log", "/animals/dta/Dog exists"], ["reverse-until", "my-log", "not /animals/dta/Dog == 1"],
    ["until", "my-log", "count(/animals/dta/Dog) > 3"], ["until", "my-log", "/animals/dta/Dog changed"],
    ["bisect", "my-log", "/animals/dta/Dog exists"], ["bisect", "my-log", "not /animals/dta/Dog == 1"],
    ["list", "my-log", "--where", "/animals/dta/Dog exists"],
    ["list", "my-log", "--touching", "/animals/dta/Dog"],
    ["list", "my-log", "--touching", "/animals/dta/Dog", "--last", "3"],
    ["list", "my-log", "--touching", "/animals/data", "--touching", "/animals/dta/Dog"],
    ["watch", "my-log", "/animals/dta/Dog"], ["watch", "my-log", "/animals/data", "/animals/dta/Dog"],
    ["history", "my-log", "/animals/dta/Dog"], ["blame", "my-log", "/animals/dta/Dog"],
    ["state", "my-log", "--path", "/animals/dta/Dog"],
    ["minimise", "my-log", "/animals/dta/Dog exists"],
  ]

  @Test("a path in no state gets a hint with the nearest one", arguments: questions)
  func misspelt(words: [String]) async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let run = await bench.run(words)
    let place = words.joined().contains("Dog/name") ? "/animals/dta/Dog/name" : "/animals/dta/Dog"
    #expect(run.messages.contains(Self.hint.replacing("/animals/dta/Dog", with: place)), "\(run.messages)")
    // With --json it is a warning, and with --quiet it is omitted unless it is an error.
    let json = await bench.run(words + ["--json"])
    #expect(json.messages.contains("Did you mean"), "\(json.messages)")
    for line in json.messages.split(separator: "\n") { _ = try JSONValue(parsing: line.utf8) }
    #expect(json.status == run.status)
    guard ["until", "reverse-until", "bisect", "list", "watch"].contains(words[0]) else { return }
    #expect(await bench.run(words + ["-q"]).messages.isEmpty)
  }

  @Test(
    "a path that existed at some time, or was not read, gets no hint",
    arguments: [
      ["until", "my-log", "/animals/data/Cat exists"], ["list", "my-log", "--touching", "/animals/data/Cat"],
      ["watch", "my-log", "/animals/data/Cat", "/animals/data/Dog"],
      ["until", "my-log", #"type == "nothing" and /animals/dta exists"#],
      ["list", "my-log", "--where", "/animals/data/Cat/name changed"],
      ["bisect", "my-log", "/animals/data/Cat exists"],
      ["until", "my-log", "count(/animals/data/Cat/name) > 100"],
      // Who asks whether it is missing is not surprised that it is.
      ["bisect", "my-log", "not /animals/dta/Dog exists"], ["reverse-until", "my-log", "not /animals/dta/Dog exists"],
      ["list", "my-log", "--where", "not (/animals/dta/Dog exists and seq > 3)"],
    ])
  func there(words: [String]) async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let run = await bench.run(words)
    #expect(run.status < 2)
    #expect(!run.messages.contains("there is nothing"), "\(run.messages)")
  }
}
