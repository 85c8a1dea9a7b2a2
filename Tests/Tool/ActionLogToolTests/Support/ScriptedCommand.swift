import ActionLogTool
import JSONCoding
import Platform

/// A program that `consume` runs in tests: its first word says what it does with a line.
final class ScriptedCommand: ToolCommand {
  /// Lines given to all programs of a test, in order.
  final class Journal: Sendable {
    private let contents = Locked<[String]>([])
    private let started = Locked<[ToolCommandLine]>([])

    var lines: [String] { contents.withLock { lines in lines } }
    var commandLines: [ToolCommandLine] { started.withLock { lines in lines } }

    /// The revisions in the lines.
    func revisions() throws -> [Int] {
      try lines.map { line in try JSONValue(parsing: Array(line.utf8))["seq"]?.integer ?? 0 }
    }

    func add(_ line: String) { contents.withLock { lines in lines.append(line) } }
    func add(_ line: ToolCommandLine) { started.withLock { lines in lines.append(line) } }
  }

  private let line: ToolCommandLine
  private let journal: Journal
  /// The ending; `nil` while it runs.
  private let ending = Locked<ToolCommandEnding?>(nil)

  /// - Parameters:
  ///   - line: `answer`; `die-at N`, which ends with status 3 instead of an answer to action N; `hang-at N`; `slow-at N`, which
  ///     answers after some time; `confuse-at N`, which answers with a text; `skip-at N`, which answers with the next revision;
  ///     `hurry-at N`, which answers before it receives the line; `succeed`; `fail-at N`.
  ///   - journal: Receives the lines.
  init(_ line: ToolCommandLine, _ journal: Journal) {
    self.line = line
    self.journal = journal
    journal.add(line)
  }

  private var mode: String { line.words[0] }
  private var revision: Int { line.words.count > 1 ? Int(line.words[1]) ?? 0 : 0 }

  func exchange(
    _ bytes: [UInt8], mayWait: (Duration) -> Bool, takeLine: (ArraySlice<UInt8>, Int) throws -> Bool
  ) throws -> ToolExchangeEnd {
    var writtenCount = 0
    for bytes in bytes.split(separator: 0x0A) {
      let earlierCount = writtenCount
      writtenCount += bytes.count + 1
      let value = try JSONValue(parsing: bytes)
      journal.add(String(decoding: bytes, as: UTF8.self))
      let revision = value["seq"]?.integer ?? 0
      let isChosen = revision == self.revision
      switch mode {
      case "succeed", "fail-at":
        ending.withLock { ending in ending = .status(isChosen && mode == "fail-at" ? 1 : 0) }
        return .isComplete
      case "die-at" where isChosen:
        ending.withLock { ending in ending = .status(3) }
        return .outputEnded
      case "hang-at" where isChosen:
        // More than any limit of a test.
        return mayWait(.seconds(100_000)) ? .isComplete : .timedOut
      case "slow-at" where isChosen:
        for seconds in 9...12 where !mayWait(.seconds(seconds)) { return .timedOut }
        guard try takeLine(Array("\(revision)".utf8)[...], writtenCount) else { return .isComplete }
      case "confuse-at" where isChosen: _ = try takeLine(Array("done".utf8)[...], writtenCount)
      case "skip-at" where isChosen: _ = try takeLine(Array("\(revision + 1)".utf8)[...], writtenCount)
      case "hurry-at" where isChosen: _ = try takeLine(Array("\(revision)".utf8)[...], earlierCount)
      default:
        let answer = value["id"]?.text ?? "\(revision)"
        guard try takeLine(Array(answer.utf8)[...], writtenCount) else { return .isComplete }
      }
    }
    return .isComplete
  }

  func closeInput() {
    ending.withLock { ending in ending = ending ?? .status(0) }
  }

  func wait(mayWait: (Duration) -> Bool) -> ToolCommandEnding? { ending.withLock { ending in ending } }

  func terminate() { ending.withLock { ending in ending = ending ?? .killed(signal: 15) } }
}

extension Bench {
  /// Runs `consume` with a scripted program.
  func consume(
    _ arguments: String..., journal: ScriptedCommand.Journal = ScriptedCommand.Journal()
  ) async -> CommandLineRun {
    await run(["consume"] + arguments) { environment in
      environment.startCommand = { line in ScriptedCommand(line, journal) }
    }
  }
}
