import Foundation
import TestSupport
import Testing

private enum Limits {
  static let canBeSet =
    Executable.find("prlimit") != nil && Executable.find("timeout") != nil && !ThreadSanitizer.isWatching

  /// What starts a program as a user that nobody is, one for each command and process of tests: no thread of others counts.
  static func somebody(_ number: Int) -> [String] {
    ["setpriv", "--reuid=\(100_000 * (20 + number) + Int(getpid()) % 100_000)", "--clear-groups"]
  }

  /// Whether there are such users: not without root, nor in a container that maps fewer.
  static var haveSomebody: Bool {
    guard geteuid() == 0, Executable.find("setpriv") != nil else { return false }
    let run = try? ProgramRun(somebody(9) + ["test", "-x", Executable.path(of: "action-log")])
    return run?.status == 0
  }
}

/// Whatever a process may have, each command ends soon, with a status and a message that names the limit, and takes nothing from a
/// log; with what the page of guarantees names, it succeeds.
@Suite("Limits of the process", .enabled(if: Limits.canBeSet, "needs prlimit, and a build that no sanitizer watches"))
struct ProcessLimitTests {
  /// Commands that read, fold, write, show a screen, and take input.
  enum Use: String, CaseIterable, Sendable {
    case verify, state, list, export, tui, record

    func words(_ log: String) -> [String] {
      switch self {
      case .export: ["export", log, "--format", "redux-devtools"]
      case .record: ["record", "counter", log]
      default: [rawValue, log]
      }
    }

    var input: String {
      switch self {
      case .tui: "n\nn\n"
      case .record: String(repeating: LogOnDisk.increment, count: Self.recordedCount)
      default: ""
      }
    }

    static let recordedCount = 300
  }

  /// What every process may need, as the page of guarantees has it; with so much each command succeeds.
  private enum Need {
    static let files = 17
    static let addressMiB = 256
    static let dataMiB = 160
    static let stackKiB = 1_024
    static let threads = 6
  }

  /// How limits are raised.
  private static let advices = ["-d", "-f", "-n", "-s", "-t", "-u", "-v"].map { option in "'ulimit \(option)'" }

  /// How many runs there were that succeeded, and that failed with a clear message.
  private struct Tally {
    var successes = 0
    var refusals = 0
  }

  /// Runs a command under limits and looks at its end, and at the log.
  ///
  /// - Parameters:
  ///   - launcher: What sets the limits.
  ///   - advice: What a refusal must name, and nothing else of that kind.
  ///   - isEnough: Whether the command has to succeed.
  private func run(
    _ use: Use, on log: LogOnDisk, _ launcher: [String], telling advice: String, isEnough: Bool = false,
    _ tally: inout Tally
  ) async throws {
    let before = try log.contents()
    let first = use == .record ? try await log.state().revision : 0
    // Minutes beyond what it takes: who hangs is killed, which is another status than any that is allowed.
    let run = try await ToolRun(
      use.words(log.path), input: use.input, launcher: ["timeout", "-s", "KILL", "300"] + launcher)
    let story: Comment = "\(launcher) \(use): \(run.ending) \(run.messages)"
    if isEnough { #expect(run.ending == .status(0), story) }
    switch run.ending {
    case .status(0): tally.successes += 1
    case .status(3):
      tally.refusals += 1
      #expect(run.messages.split(separator: "\n").contains { line in line.hasPrefix("error: ") }, story)
      #expect(Self.advices.filter { advice in run.messages.contains(advice) } == ["'ulimit \(advice)'"], story)
    case .status(127):
      // What loads the program had too little for it, and said so.
      tally.refusals += 1
      #expect(run.messages.contains("error while loading shared libraries"), story)
    default: Issue.record(story)
    }
    guard use == .record else {
      #expect(try log.contents() == before, story)
      return
    }
    let acknowledged = try run.answers().compactMap(\.seq).last ?? first
    let (value, revision) = try await log.state()
    #expect(value == revision && (acknowledged...first + Use.recordedCount).contains(revision), story)
    #expect(try await log.verdict() == "clean", story)
    if run.ending == .status(0) { #expect(revision == first + Use.recordedCount, story) }
  }

  @Test("open files", arguments: Use.allCases)
  func openFiles(use: Use) async throws {
    var tally = Tally()
    let log = try await LogOnDisk(increments: 1_500)
    for count in Array(3...20) + [24, 32] {
      try await run(
        use, on: log, ["prlimit", "--nofile=\(count)"], telling: "-n", isEnough: count >= Need.files, &tally)
    }
    #expect(tally.successes > 0 && tally.refusals > 0)
  }

  @Test("addresses", arguments: Use.allCases)
  func addresses(use: Use) async throws {
    var tally = Tally()
    let log = try await LogOnDisk(increments: 1_500)
    for mebibytes in [64, 96, 112, 120, 128, 144, 160, 192, 224, 240, 256, 320, 400, 600, 1_000] {
      try await run(
        use, on: log, ["prlimit", "--as=\(mebibytes << 20)"], telling: "-v", isEnough: mebibytes >= Need.addressMiB,
        &tally)
    }
    #expect(tally.successes > 0 && tally.refusals > 0)
  }

  @Test("data", arguments: Use.allCases)
  func data(use: Use) async throws {
    var tally = Tally()
    let log = try await LogOnDisk(increments: 1_500)
    for mebibytes in [4, 16, 32, 64, 80, 96, 112, 128, 144, 160, 200, 400] {
      try await run(
        use, on: log, ["prlimit", "--data=\(mebibytes << 20)"], telling: "-d", isEnough: mebibytes >= Need.dataMiB,
        &tally)
    }
    #expect(tally.successes > 0 && tally.refusals > 0)
  }

  @Test("the stack", arguments: Use.allCases)
  func stack(use: Use) async throws {
    var tally = Tally()
    let log = try await LogOnDisk(increments: 1_500)
    for kibibytes in [512, 768, 1_000, 1_023, 1_024, 2_048, 65_536] {
      try await run(
        use, on: log, ["prlimit", "--stack=\(kibibytes << 10)"], telling: "-s", isEnough: kibibytes >= Need.stackKiB,
        &tally)
    }
    #expect(tally.successes == 3 && tally.refusals == 4)
  }

  /// Everything that recurses: a line as deep as one may be, and a long condition.
  @Test("the smallest stack that is enough carries the deepest line")
  func deepestLine() async throws {
    let log = try LogOnDisk()
    // The record, its data and as many arrays as may stand within.
    let depth = 125
    let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    let line = #"{"type":"didTapIncrementButton","data":{"deep":\#(deep)}}"# + "\n"
    try #require(try await ToolRun("record", "counter", log.path, input: line).ending == .status(0))
    let condition = String(repeating: "(", count: 60) + "/value >= 0" + String(repeating: ")", count: 60)
    for words in [
      ["verify"], ["state"], ["list"], ["cat"], ["export", "--format", "redux-devtools"], ["watch", "/value"],
      ["until", condition],
    ] {
      let run = try await ToolRun(
        [words[0], log.path] + words.dropFirst(), launcher: ["prlimit", "--stack=\(Need.stackKiB << 10)"])
      #expect(run.ending == .status(0), "\(words): \(run.ending) \(run.messages)")
    }
  }

  @Test("a state that is larger than the memory", arguments: [320, 400])
  func largeState(mebibytes: Int) async throws {
    let log = try LogOnDisk()
    let name = String(repeating: "x", count: 8_000_000)
    let lines = (1...12).map { number in
      #"{"type":"data.persistentSession.didAddAnimal","data":{"id":"\#(number)","result":{"success":{"animal":"#
        + #"{"animalId":"\#(number)","name":"\#(name)","diet":"Carnivore","categoryId":"Mammal"}}}}}"# + "\n"
    }
    try #require(try await ToolRun("record", "animals", log.path, input: lines.joined()).ending == .status(0))
    let before = try log.contents()
    let run = try await ToolRun("state", log.path, launcher: ["prlimit", "--as=\(mebibytes << 20)"])
    #expect(run.ending == .status(3))
    #expect(run.output.isEmpty)
    #expect(run.messages.contains("error: the process was ended by its runtime, most likely for want of memory"))
    #expect(run.messages.contains("ulimit -v"), "\(run.messages)")
    #expect(try log.contents() == before)
    #expect(try await ToolRun("state", log.path, "--path", "/animals/data/12/diet").ending == .status(0))
  }

  @Test("the length of files", arguments: Use.allCases)
  func fileLength(use: Use) async throws {
    var tally = Tally()
    let log = try await LogOnDisk(increments: 1_500)
    for bytes in [1_000, 10_000, 100_000, 270_000, 10_000_000] {
      try await run(use, on: log, ["prlimit", "--fsize=\(bytes)"], telling: "-f", &tally)
    }
    #expect(tally.successes > 0)
    #expect((tally.refusals > 0) == (use == .record))
  }

  @Test(
    "threads",
    .enabled(if: Limits.haveSomebody, "needs root, setpriv, and a program under test that everybody may run"),
    arguments: [Use.verify, .state, .list, .export, .tui])
  func threads(use: Use) async throws {
    var tally = Tally()
    let log = try await LogOnDisk(increments: 1_500)
    try log.letEverybodyRead()
    let somebody = Limits.somebody(Use.allCases.firstIndex(of: use) ?? 0)
    for count in 1...9 {
      try await run(
        use, on: log, somebody + ["prlimit", "--nproc=\(count)"], telling: "-u", isEnough: count >= Need.threads, &tally
      )
    }
    #expect(tally.successes > 0 && tally.refusals > 0)
    // A limit on memory that has nothing to do with it is not named.
    try await run(use, on: log, somebody + ["prlimit", "--nproc=2", "--as=\(8 << 30)"], telling: "-u", &tally)
  }

  // MARK: - Time on the processors

  /// With a soft limit, and with a hard one that kills.
  @Test("time on the processors", arguments: ["1", "1:60"])
  func processorTime(limit: String) async throws {
    let log = try LogOnDisk()
    let process = try ToolProcess(
      ["record", "counter", log.path, "--durability", "flush"], launcher: ["prlimit", "--cpu=\(limit)"])
    // Until nobody reads it any more.
    process.feed { _ in String(repeating: LogOnDisk.increment, count: 1_000) }
    let lines = try await process.remainingOutput().split(separator: "\n")
    #expect(try await process.wait() == .status(3))
    let messages = try process.messages()
    #expect(
      messages.hasSuffix(
        """
        error: the process has spent the time on the processors that it may have: 1 second
        Allow more with 'ulimit -t'. Nothing that was acknowledged is lost.

        """), "\(messages)")
    // The last answer may have been cut off.
    let acknowledged = try lines.dropLast().compactMap { line in try Answer(parsing: String(line)).seq }.last ?? 0
    #expect(acknowledged > 0)
    let (value, revision) = try await log.state()
    #expect(value == revision && revision >= acknowledged)
    #expect(try await log.verdict() != "damaged")
  }

  // MARK: - What is no limit's doing

  /// A trap is told of as want of memory where little is left, and is what it is where there is plenty.
  @Test("a trap", arguments: [(400, ToolProcess.Ending.status(3)), (16_000, .signal(SIGILL))])
  func trap(mebibytes: Int, ending: ToolProcess.Ending) async throws {
    let log = try await LogOnDisk(increments: 1)
    let process = try ToolProcess(
      ["tail", "-f", log.path], launcher: ["env", "SWIFT_BACKTRACE=enable=no", "prlimit", "--as=\(mebibytes << 20)"])
    _ = try #require(try await process.nextLine())
    process.kill(SIGILL)
    #expect(try await process.wait() == ending)
    #expect(try process.messages().contains("want of memory") == (ending == .status(3)))
  }
}

extension LogOnDisk {
  /// Takes the log's files out of its owner's hands alone.
  fileprivate func letEverybodyRead() throws {
    for name in try [""] + FileManager.default.subpathsOfDirectory(atPath: path) {
      let isFile = name.hasSuffix(".jsonl") || name.hasSuffix("HEAD")
      guard chmod(path + "/" + name, isFile ? 0o644 : 0o755) == 0 else { throw SystemFailure("chmod \(name)") }
    }
  }
}
