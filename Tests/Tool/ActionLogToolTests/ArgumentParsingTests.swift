import ActionLogTool
import JSONCoding
import Testing

@Suite("Arguments")
struct ArgumentParsingTests {
  @Test(
    "a usage error names the mistake, suggests a correction, and has status 2",
    arguments: [
      (["histroy"], "error: there is no command 'histroy'\nDid you mean 'history'?\n"),
      (["frobnicate"], "error: there is no command 'frobnicate'\nRun 'action-log help' for the commands.\n"),
      (["help", "--jsn"], "error: 'help' has no option '--jsn'\nDid you mean '--json'?\n"),
      (["help", "-x"], "error: 'help' has no option '-x'\nRun 'action-log help --help' for how to use it.\n"),
      (
        ["help", "--json=yes"],
        "error: --json takes no value\nRun 'action-log help --help' for how to use it.\n"
      ),
      (
        ["help", "list", "extra"],
        "error: 'help' takes no argument 'extra'\nRun 'action-log help --help' for how to use it.\n"
      ),
      (["help", "hlep"], "error: there is no command 'hlep'\nDid you mean 'help'?\n"),
      (
        ["list", "-3", "my-log"],
        "error: 'list' has no option '-3'\nThe last actions are an option: --last 3.\n"
      ),
      (
        ["list", "my-log", "-3"],
        "error: 'list' has no option '-3'\nThe last actions are an option: --last 3.\n"
      ),
      (
        ["minimize"],
        "error: 'minimize' needs LOG: a log's directory, or one of its segment files\n"
          + "Run 'action-log minimize --help' for how to use it.\n"
      ),
      (["state", "my-log", "8"], "error: 'state' takes no argument '8'\nThe point is an option: --at 8.\n"),
      (["blame", "my-log", "/a", "-3"], "error: 'blame' takes no argument '-3'\nThe point is an option: --at -3.\n"),
      (
        ["find", "my-log", "/a exists", "--last", "--bisect"],
        "error: --last and --bisect cannot be combined\nGive one of them.\n"
      ),
      (["--nope"], "error: there is no option '--nope'\nRun 'action-log help' for the commands.\n"),
    ])
  func wrongCalls(arguments: [String], messages: String) async {
    let run = await ActionLogTool.bare.run(arguments)
    #expect(run.messages == messages)
    #expect(run.output.isEmpty)
    #expect(run.status == 2)
  }

  /// An error names an option as it was typed.
  @Test(arguments: [
    (["-n", "x"], "-n takes a whole number (0 or more), not 'x'"),
    (["-nx"], "-n takes a whole number (0 or more), not 'x'"),
    (["--limit=x"], "--limit takes a whole number (0 or more), not 'x'"),
    (["-n"], "-n needs a value: -n COUNT"), (["--limit"], "--limit needs a value: --limit COUNT"),
    (["-n1", "-n2"], "-n is given twice"), (["-n1", "--limit", "2"], "--limit is given twice"),
  ])
  func errorsNameOptionsAsTyped(words: [String], message: String) async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let run = await bench.run(["list", "my-log"] + words)
    #expect(run.status == 2 && run.messages.hasPrefix("error: \(message)\n"), "\(run.messages)")
  }

  @Test("options come before and after the command, alone or in groups, and no word after -- is one")
  func places() async {
    #expect(await ActionLogTool.bare.run("--json", "-q", "help").status == 0)
    #expect(await ActionLogTool.bare.run("help", "-q", "--json").status == 0)
    #expect(await ActionLogTool.bare.run("stats", "-qh").output.hasPrefix("action-log stats: "))
    #expect(
      await ActionLogTool.bare.run("help", "list", "--", "--json").messages.contains("takes no argument '--json'"))
  }

  @Test("a letter has one meaning in all commands")
  func letters() async throws {
    var names: [Character: Set<String>] = [:]
    for line in await Bench(tool: .withStories).run("help", "--json").output.split(separator: "\n") {
      guard case .array(let options)? = try JSONValue(parsing: Array(line.utf8))["options"] else { continue }
      for usage in options.compactMap({ option in option["usage"]?.text }) where !usage.hasPrefix(" ") {
        let words = usage.split(separator: " ")
        names[words[0].dropFirst().first ?? "-", default: []].insert(String(words[1]))
      }
    }
    #expect(names.count >= 15)
    let several = names.filter { _, names in names.count > 1 }
    #expect(several.isEmpty, "\(several)")
  }

  /// Regression: an example of each named a verb that was replaced.
  @Test func examplesNameVerbsThatExist() {
    let commands = ActionLogTool.withStories.commands
    for command in commands {
      for example in command.examples {
        let words = example.arguments.split(separator: " -- ", maxSplits: 1).last?.split(separator: " ") ?? []
        let isOfEach = command.name == "each"
        #expect(
          !isOfEach || commands.contains { other in words.first.map(String.init) == other.name }, "\(example.arguments)"
        )
      }
    }
  }

  @Test("help is on standard output, with examples first")
  func help() async {
    for arguments in [[], ["help"], ["--help"], ["-h"]] {
      let run = await ActionLogTool.bare.run(arguments)
      #expect(run.status == 0)
      #expect(run.messages.isEmpty)
      #expect(run.output.split(separator: "\n").dropFirst().first == "Examples")
    }
    for arguments in [["help", "stats"], ["stats", "--help"]] {
      let run = await ActionLogTool.bare.run(arguments)
      #expect(run.status == 0)
      #expect(run.output.hasPrefix("action-log stats: "))
    }
  }

  @Test("the version is that of the tool")
  func version() async {
    #expect(await ActionLogTool.bare.run("--version").output == "action-log 1.2.3 (actionlog/1)\n")
  }
}
