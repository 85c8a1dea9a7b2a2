import ActionLog
import ActionLogTesting
import ActionLogTool
import CounterData
import EventSourcing
import Foundation
import JSONCoding
import TestSupport
import Testing

/// The completions in the shells themselves.
@Suite("Completions")
struct CompletionTests {
  /// The program that lists marks.
  private static let tool = Executable.path(of: "action-log")
  /// The path of a shell.
  private static let path =
    URL(fileURLWithPath: tool).deletingLastPathComponent().path + ":"
    + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")

  /// A directory with a script, a log, and a file to be proposed.
  private static func place(_ shell: String) async throws -> (directory: TemporaryDirectory, script: String) {
    let directory = try TemporaryDirectory()
    let run = await Bench().run("completions", shell)
    try #require(run.status == 0, "\(run.messages)")
    let script = directory.path("script")
    try Data(run.output.utf8).write(to: URL(fileURLWithPath: script))
    for name in ["my logs", "other"] {
      try FileManager.default.createDirectory(atPath: directory.path(name), withIntermediateDirectories: true)
    }
    var bench = Bench()
    bench.directory = directory.path
    try await bench.recordCounter()
    for (name, revision) in [("wrong", 3), ("wrong diet", 4), ("it's $HOME", 5), ("$(touch ran)", 6)] {
      let mark = await bench.run("mark", "my-log", "\(revision)", name)
      try #require(mark.status == 0, "\(mark.messages)")
    }
    return (directory: directory, script: script)
  }

  /// The proposals of bash for the last word of an array of words.
  private static func bash(_ words: [String]) async throws -> [String] {
    let (directory, script) = try await place("bash")
    let program = #"""
      cd "$1"; source "$2"; tool=$3; shift 3
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
      complete -p action-log >/dev/null || exit 1
      _action_log "$tool"
      printf '%s\n' "${COMPREPLY[@]}"
      """#
    let run = try ProgramRun(
      ["bash", "--norc", "-c", program, "bash", directory.path, script, Self.tool, "action-log"] + words)
    #expect(run.status == 0 && run.messages.isEmpty, "\(words): \(run.messages)")
    return run.output.split(separator: "\n").map(String.init).sorted()
  }

  static let cases: [(words: [String], proposals: [String])] = [
    (["exp"], ["export"]), (["--he"], ["--help"]), (["--vers"], ["--version"]),
    (["fi"], ["find"]),
    (["list", "--form"], ["--format"]), (["list", "--format", "c"], ["cloudevents", "csv"]),
    (["list", "--format", "=", "cs"], ["csv"]), (["import", "--format", "redux"], ["redux-devtools"]),
    (["list", "--format", "csv", "my-l"], ["my-log"]), (["export", "my-l"], ["my-log"]),
    (["-q", "export", "my-l"], ["my-log"]), (["record", "q"], ["quakes", "quakes-store"]),
    (["record", "cou"], ["counter"]),
    (["record", "counter", "o"], ["other"]), (["record", "--seed", "7", "co"], ["counter"]),
    (["state", "my-log", "--model", "co"], ["counter"]), (["state", "my-log", "-m", "co"], ["counter"]),
    (["completions", ""], ["bash", "fish", "zsh"]), (["help", "bl"], ["blame"]),
    (["help", "po"], ["points"]),
    (["list", "--color", "al"], ["always"]),
    (["state", "my-log", "--at", "my"], []), (["state", "my-log", "--at", "wr"], ["wrong", #"wrong\ diet"#]),
    (["state", "my-log", "-a", "s"], ["start"]),
    (["mark", "my-log", "--remove", ""], [#"\$\(touch\ ran\)"#, #"it\'s\ \$HOME"#, "wrong", #"wrong\ diet"#]),
    (["mark", "my-log", "--remove", "'"], ["wrong", "wrong diet"]),
    (["state", "my-log", "--at", "'wrong d"], ["wrong diet"]),
    (["state", "my-log", "--at", #"wrong\ d"#], [#"wrong\ diet"#]),
    // Inside quotes, a hostile name would be executed.
    (["state", "my-log", "--at", #""$"#], []), (["state", "my-log", "--at", "'it"], []),
    (["state", "my-log", "--at", #"\$"#], [#"\$\(touch\ ran\)"#]),
    (["show", "my-log", "it"], [#"it\'s\ \$HOME"#]), (["diff", "my-log", "3", "e"], ["end"]),
    (["list", "my-log", "--from", "=", "wr"], ["wrong", #"wrong\ diet"#]),
    (["mark", "my-log", "--remove", "wr"], ["wrong", #"wrong\ diet"#]), (["mark", "my-log", "--remove", "e"], []),
    (["state", "--at", "wr"], []), (["state", "other", "--at", "wr"], []),
    (["list", "my-log", "--type", "didTapI"], []), (["blame", "my-log", "/v"], []),
    (["nothing", "x"], []), (["demos", "x"], []), (["import", "o"], ["other"]),
    (["import", "other", "my-"], ["my-log"]),
    (["blame", "my-log", "/a", "my"], []),
  ]

  @Test("bash proposes commands, options, models and paths", .enabled(if: Executable.find("bash") != nil, "needs bash"))
  func bash() async throws {
    for (words, proposals) in Self.cases {
      #expect(try await Self.bash(words) == proposals, "\(words)")
    }
  }

  @Test("every command has every option in bash", .enabled(if: Executable.find("bash") != nil, "needs bash"))
  func bashOptions() async throws {
    for command in ["list", "record", "what-if", "verify", "import"] {
      let help = await Bench().run(command, "--help").output
      let options = Set(help.matches(of: /--[a-z][a-z-]*(?=[ \n])/).map { match in String(match.0) })
      let proposed = Set(try await Self.bash([command, "--"]))
      let table = help.split(separator: "\n").filter { line in line.hasPrefix("  -") || line.hasPrefix("      --") }
      #expect(table.count == proposed.count, "\(command)")
      #expect(proposed.isSubset(of: options.union(proposed.filter { option in help.contains(option) })), "\(command)")
    }
  }

  @Test("fish proposes the same", .enabled(if: Executable.find("fish") != nil, "needs fish"))
  func fish() async throws {
    let (directory, script) = try await Self.place("fish")
    let cases: [(line: String, proposals: [String])] = [
      ("exp", ["export"]), ("list --form", ["--format"]), ("list --format c", ["cloudevents", "csv"]),
      ("record cou", ["counter"]), ("state my-log --model co", ["counter"]), ("export my-l", ["my-log/"]),
      ("completions z", ["zsh"]), ("state my-log --at wr", ["wrong", "wrong diet"]), ("show my-log st", ["start"]),
      ("mark my-log --remove wr", ["wrong", "wrong diet"]), ("state --at wr", []),
    ]
    for (line, proposals) in cases {
      let program = "cd \(directory.path); source \(script); complete -C 'action-log \(line)'"
      let run = try ProgramRun(
        ["env", "HOME=\(directory.path)", "PATH=\(Self.path)", "fish", "--no-config", "-c", program])
      #expect(run.status == 0 && run.messages.isEmpty, "\(line): \(run.messages)")
      // A tab precedes the description of a proposal.
      let proposed = run.output.split(separator: "\n").map { line in String(line.split(separator: "\t")[0]) }
      #expect(proposed == proposals, "\(line)")
    }
  }

  @Test("zsh takes the script, and knows the command", .enabled(if: Executable.find("zsh") != nil, "needs zsh"))
  func zsh() async throws {
    let (directory, script) = try await Self.place("zsh")
    let program = "autoload -U compinit && compinit -u -D && source \(script) && print -r -- $_comps[action-log]"
    let run = try ProgramRun(["env", "HOME=\(directory.path)", "zsh", "-f", "-c", program])
    #expect(run.status == 0 && run.messages.isEmpty, "\(run.messages)")
    #expect(run.output == "_action_log\n")
  }

  @Test("the answer in JSON has the words, or that paths are proposed")
  func json() async throws {
    let bench = Bench()
    let words = await bench.run("completions", "bash", "--json", "--", "blam")
    #expect(try JSONValue(parsing: Array(words.output.utf8)) == ["words": ["blame"]])
    let paths = await bench.run("completions", "zsh", "--json", "--", "blame", "my")
    #expect(try JSONValue(parsing: Array(paths.output.utf8)) == ["words": [], "paths": true])
    #expect(await bench.run("completions", "bash", "--", "blame", "my-log", "nothing").status == 1)
  }

  @Test("a value after = is proposed with its option")
  func valueOfOption() async {
    let run = await Bench().run("completions", "zsh", "--", "list", "--format=c")
    #expect(
      run.output == "--format=lines\n--format=cloudevents\n--format=csv\n", "\(run.messages)")
  }

  @Test("an unknown shell is refused")
  func unknownShell() async {
    let run = await Bench().run("completions", "fisch")
    #expect(run.status == 2)
    #expect(run.messages.contains("Did you mean 'fish'?"))
  }

  @Test("names of models are quoted")
  func strangeModels() async throws {
    let run = await Bench(tool: .strange).run("completions", "bash", "--", "record", "")
    #expect(run.output.contains(#"\$\(rm"#) && run.output.contains("counter"), "\(run.output)")
  }
}

extension ActionLogTool {
  /// A tool with a model whose name a shell would take apart.
  fileprivate static let strange = ActionLogTool(models: [.model(StrangeModel.self), .model(CounterModel.self)])
}

private enum StrangeModel: Model {
  static let name = "a; $(rm -r .)"
  static let schema = 1
  static let initialState = 0

  enum Action: String, Codable { case up }

  static func reduce(into state: inout Int, action: Action) throws { state += 1 }
}
