import Foundation
import TestSupport
import Testing

private enum Limits {
  static let canBeSet =
    Executable.find("prlimit") != nil && Executable.find("timeout") != nil && !ThreadSanitizer.isWatching

  /// A launcher that runs a program as an otherwise unused user, a different one for each command and test process, so that no
  /// other thread counts toward the limit on threads.
  static func launcher(ofUser number: Int) -> [String] {
    ["setpriv", "--reuid=\(100_000 * (20 + number) + Int(getpid()) % 100_000)", "--clear-groups"]
  }

  /// Whether programs can run as such a user. It takes root, and in a container enough mapped users.
  static var canSwitchUser: Bool {
    guard geteuid() == 0, Executable.find("setpriv") != nil else { return false }
    let run = try? ProgramRun(launcher(ofUser: 9) + ["test", "-x", Executable.path(of: "action-log")])
    return run?.status == 0
  }
}

/// Under a limit on files, threads or file length, every command ends soon, with an answer or an error that names the limit, and leaves
/// the log intact. With the resources that the page of guarantees names, it succeeds.
@Suite("Limits of the process", .enabled(if: Limits.canBeSet, "needs prlimit, and a build without a sanitizer"))
struct ProcessLimitTests {
  /// Commands that read, fold, write, show a screen, and take input.
  enum Use: String, CaseIterable, Sendable {
    case verify, state, list, export, tui, record

    func words(_ log: String) -> [String] {
      switch self {
      case .export: ["export", log]
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

  /// The resources that every command needs, as the page of guarantees lists them.
  private enum Need {
    static let files = 17
    static let threads = 6
  }

  /// The advice that names a limit.
  private static let advices = ["-f", "-n", "-u"].map { option in "'ulimit \(option)'" }

  /// The number of successful runs, and of those that failed with a clear message.
  private struct Tally {
    var successes = 0
    var refusals = 0
  }

  /// Runs a command under a limit and checks its end and the log.
  ///
  /// - Parameters:
  ///   - launcher: The program that sets the limit.
  ///   - advice: The option of `ulimit` that an error must name. It must name no other.
  ///   - isEnough: Whether the command has to succeed.
  private func run(
    _ use: Use, on log: LogOnDisk, _ launcher: [String], advising advice: String, isEnough: Bool = false,
    _ tally: inout Tally
  ) async throws {
    let before = try log.contents()
    let first = use == .record ? try await log.state().revision : 0
    // Minutes more than it takes. A hanging command is killed, and its status is none of the allowed ones.
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
      // The system's loader could not open a library, and reported it.
      tally.refusals += 1
      #expect(run.messages.contains("error while loading shared libraries"), story)
    default: Issue.record(story)
    }
    guard use == .record else {
      #expect(try log.contents() == before, story)
      return
    }
    let acknowledged = try run.answers().compactMap(\.revision).last ?? first
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
        use, on: log, ["prlimit", "--nofile=\(count)"], advising: "-n", isEnough: count >= Need.files, &tally)
    }
    #expect(tally.successes > 0 && tally.refusals > 0)
  }

  @Test("the length of files", arguments: Use.allCases)
  func fileLength(use: Use) async throws {
    var tally = Tally()
    let log = try await LogOnDisk(increments: 1_500)
    for bytes in [1_000, 10_000, 100_000, 270_000, 10_000_000] {
      try await run(use, on: log, ["prlimit", "--fsize=\(bytes)"], advising: "-f", &tally)
    }
    #expect(tally.successes > 0)
    #expect((tally.refusals > 0) == (use == .record))
  }

  @Test(
    "threads",
    .enabled(if: Limits.canSwitchUser, "needs root, setpriv, and a program that every user may run"),
    arguments: [Use.verify, .state, .list, .export, .tui])
  func threads(use: Use) async throws {
    var tally = Tally()
    let log = try await LogOnDisk(increments: 1_500)
    try log.allowReadingByOthers()
    let launcher = Limits.launcher(ofUser: Use.allCases.firstIndex(of: use) ?? 0)
    for count in 1...9 {
      try await run(
        use, on: log, launcher + ["prlimit", "--nproc=\(count)"], advising: "-u", isEnough: count >= Need.threads,
        &tally)
    }
    #expect(tally.successes > 0 && tally.refusals > 0)
  }

  /// Parsing recurses into nested values and conditions: the usual 1 MiB of a secondary thread is enough for the deepest ones.
  @Test("the deepest line and a deep condition fit into a stack of 1 MiB")
  func deepestLine() async throws {
    let log = try LogOnDisk()
    // The record, its data, and as many arrays as the limit on nesting leaves.
    let depth = 125
    let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    let line = #"{"type":"didTapIncrementButton","data":{"deep":\#(deep)}}"# + "\n"
    try #require(try await ToolRun("record", "counter", log.path, input: line).ending == .status(0))
    let condition = String(repeating: "(", count: 60) + "/value >= 0" + String(repeating: ")", count: 60)
    for words in [
      ["verify"], ["state"], ["list"], ["list", "--format", "lines"], ["export"],
      ["history", "/value"],
      ["find", condition],
    ] {
      let run = try await ToolRun(
        [words[0], log.path] + words.dropFirst(), launcher: ["prlimit", "--stack=\(1 << 20)"])
      #expect(run.ending == .status(0), "\(words): \(run.ending) \(run.messages)")
    }
  }
}

extension LogOnDisk {
  /// Lets every user read the log.
  fileprivate func allowReadingByOthers() throws {
    for name in try [""] + FileManager.default.subpathsOfDirectory(atPath: path) {
      let isFile = name.hasSuffix(".jsonl") || name.hasSuffix("HEAD")
      guard chmod(path + "/" + name, isFile ? 0o644 : 0o755) == 0 else { throw SystemFailure("chmod \(name)") }
    }
  }
}
