import ActionLogTool
import Testing

@Suite("Screens")
struct TranscriptTests {
  @Test("who asks for no action is not told that there are none", arguments: ["--limit", "--last"])
  func noneWanted(option: String) async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let run = await bench.run("list", "my-log", option, "0")
    #expect(run.status == 0)
    #expect(run.output.isEmpty && run.messages.isEmpty)
  }

  @Test("the examples in the help of a command can be typed", arguments: ["list", "show", "stats", "state", "diff"])
  func examplesCanBeTyped(command: String) async throws {
    let bench = Bench()
    try #require(await bench.run("record", "counter", "my-log", "--workload", "100").status == 0)
    let help = await bench.run(command, "--help").output
    let examples = help.split(separator: "\n").drop { line in line != "Examples" }.dropFirst()
      .prefix { line in line.hasPrefix("  action-log ") }
    #expect(!examples.isEmpty)
    for example in examples {
      // The meaning of an example stands behind two spaces.
      let typed = example.dropFirst("  action-log ".count).split(separator: "  ", maxSplits: 1)[0]
      let run = await bench.run(Self.words(typed))
      #expect(run.status != 2, "\(typed): \(run.messages)")
    }
  }

  /// The words of a line in which only single quotes are special.
  private static func words(_ line: Substring) -> [String] {
    var words: [String] = []
    for (index, part) in line.split(separator: "'", omittingEmptySubsequences: false).enumerated() {
      words += index.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [String(part)]
    }
    return words
  }

  @Test("the version is JSON where JSON is asked for")
  func versionForPrograms() async {
    let run = await Bench().run("version", "--json")
    #expect(run.output == #"{"name":"action-log","version":"1.2.3","format":"actionlog/1"}"# + "\n")
  }

  @Test("reading the counter's log")
  func counter() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let text = await bench.transcript([
      ["list", "my-log"], ["list", "my-log", "--type", "*Decrement*", "--from", "3", "--to", "-1"],
      ["list", "my-log", "--all", "--limit", "4"], ["list", "my-log", "--last", "2", "--json"],
      ["tail", "my-log", "-n", "3"], ["cat", "my-log", "--actions", "--to", "2"],
      ["show", "my-log", "6"], ["show", "my-log", "end", "--json"],
      ["state", "my-log"], ["state", "my-log", "--at", "6", "--path", "/value", "-q"],
      ["state", "my-log", "--at", "2026-11-21T09:00:06Z", "--json"],
      ["diff", "my-log", "2", "5"], ["diff", "my-log", "6", "--format", "json-patch"],
      ["diff", "my-log", "5", "7", "-q"],
      ["stats", "my-log"], ["stats", "my-log", "--json"],
      ["verify", "my-log"], ["verify", "my-log", "--json"],
    ])
    try Golden.expect(text, is: "counter.txt")
  }

  @Test("reading the log of the animals")
  func animals() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let text = await bench.transcript([
      ["list", "my-log", "--type", "ui"], ["list", "my-log", "--type", "animalEditor", "--grep", "owl"],
      ["show", "my-log", "6"], ["show", "my-log", "2"],
      ["state", "my-log", "--at", "4"], ["state", "my-log", "--path", "/animals/data/Dog"],
      ["state", "my-log", "--path", "/animals/data/Dgo"],
      ["state", "my-log", "--path", "/animals/data/Dog/name", "--raw"],
      ["diff", "my-log", "11", "12"], ["diff", "my-log", "7", "8", "--format", "unified"],
      ["diff", "my-log", "7", "8", "--format", "merge-patch"], ["diff", "my-log", "12", "12"],
      ["stats", "my-log"],
    ])
    try Golden.expect(text, is: "animals.txt")
  }

  @Test("help")
  func help() async throws {
    let text = await Bench().transcript([["help"], ["models"], ["models", "--json"], ["version"]])
    try Golden.expect(text, is: "help.txt")
  }
}

@Suite("Hostile logs")
struct HostileLogTests {
  @Test("no control character of a log reaches a terminal, and a pipe gets the bytes as they are")
  func controlCharacters() async throws {
    let bench = Bench()
    let note = "\u{9B}31m\u{202E}\u{7F}"
    let line = #"{"type":"didTapIncrementButton","meta":{"note":"\#(note)","actor":"\u001b]0;x\u0007"}}"# + "\n"
    _ = await bench.run("record", "counter", "my-log", input: [line])
    for arguments in [["list"], ["list", "--json"], ["tail"], ["cat"], ["show", "1"], ["show", "1", "--json"]] {
      let words = [arguments[0], "my-log"] + arguments.dropFirst()
      let run = await bench.run(words) { environment in
        environment.outputIsTerminal = true
        environment.variables = ["NO_COLOR": "1"]
      }
      #expect(run.status == 0)
      let harmful = run.output.unicodeScalars.filter { scalar in
        scalar != "\n" && (scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value == 0x202E)
      }
      #expect(harmful.isEmpty, "\(words)")
      #expect(run.output.contains("\\u009b31m\\u202e\\u007f"), "\(words)")
    }
    #expect(await bench.run("cat", "my-log").output.contains(note))
  }
}
