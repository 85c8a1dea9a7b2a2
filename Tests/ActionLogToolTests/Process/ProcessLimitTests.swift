import Foundation
import TestSupport
import Testing

private enum Limits {
  #if THREAD_SANITIZER
  // Its shadow memory alone is beyond every limit.
  static let canBeSet = false
  #else
  static let canBeSet = Executable.find("prlimit") != nil && Executable.find("timeout") != nil
  #endif
}

/// Whatever a process may have, each command ends soon, with a status and a message, and takes nothing from a log.
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

  /// How many runs there were that succeeded, and that failed with a clear message.
  private struct Tally {
    var successes = 0
    var refusals = 0
  }

  /// Runs a command under limits and looks at its end, and at the log.
  ///
  /// - Parameters:
  ///   - launcher: What sets the limits.
  ///   - names: One of which a refusal must name.
  private func run(
    _ use: Use, on log: LogOnDisk, _ launcher: [String], telling names: [String], _ tally: inout Tally
  ) async throws {
    let before = try log.contents()
    let first = use == .record ? try await log.state().revision : 0
    // Minutes beyond what it takes: who hangs is killed, which is another status than any that is allowed.
    let run = try await ToolRun(
      use.words(log.path), input: use.input, launcher: ["timeout", "-s", "KILL", "300"] + launcher)
    let story: Comment = "\(launcher) \(use): \(run.ending) \(run.messages)"
    switch run.ending {
    case .status(0): tally.successes += 1
    case .status(3):
      tally.refusals += 1
      #expect(run.messages.split(separator: "\n").contains { line in line.hasPrefix("error: ") }, story)
      #expect(names.contains { name in run.messages.contains(name) }, story)
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
      try await run(use, on: log, ["prlimit", "--nofile=\(count)"], telling: ["ulimit -n"], &tally)
    }
    #expect(tally.successes > 0 && tally.refusals > 0)
  }

  @Test("addresses", arguments: Use.allCases)
  func addresses(use: Use) async throws {
    var tally = Tally()
    let log = try await LogOnDisk(increments: 1_500)
    for mebibytes in [64, 96, 112, 120, 128, 144, 160, 192, 224, 256, 320, 400, 600, 1_000] {
      try await run(use, on: log, ["prlimit", "--as=\(mebibytes << 20)"], telling: ["ulimit -v"], &tally)
    }
    #expect(tally.successes > 0 && tally.refusals > 0)
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
      try await run(use, on: log, ["prlimit", "--fsize=\(bytes)"], telling: ["ulimit -f"], &tally)
    }
    #expect(tally.successes > 0)
    #expect((tally.refusals > 0) == (use == .record))
  }

  @Test(
    "threads",
    .enabled(if: geteuid() == 0 && Executable.find("setpriv") != nil, "needs root, to be somebody without threads"),
    arguments: [Use.verify, .state, .list, .export, .tui])
  func threads(use: Use) async throws {
    var tally = Tally()
    let log = try await LogOnDisk(increments: 1_500)
    // A user that nobody is, so that no thread of others counts.
    try log.letEverybodyRead()
    let number = Use.allCases.firstIndex(of: use) ?? 0
    let somebody = ["setpriv", "--reuid=\(100_000 * (20 + number) + Int(getpid()))", "--clear-groups"]
    for count in 1...9 {
      try await run(use, on: log, somebody + ["prlimit", "--nproc=\(count)"], telling: ["ulimit -u"], &tally)
    }
    #expect(tally.successes > 0 && tally.refusals > 0)
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
