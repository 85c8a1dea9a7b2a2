import ActionLog
import EventSourcing
import Foundation
import JSONCoding
import TestSupport
import Testing

/// `consume` as a process, with real programs that it feeds.
@Suite("consume as a process", .timeLimit(.minutes(60)))
struct ConsumeProcessTests {
  /// Notes the run and the revision of each line in a file, and answers.
  private static let journal = #"""
    while IFS= read -r line; do
      revision=${line#'{"seq":'}
      revision=${revision%%,*}
      echo "$1 $revision" >> "$2"
      echo "$revision"
    done
    """#

  private func position(_ name: String, _ log: LogOnDisk) throws -> Int? {
    try SubscriptionStore(at: log.path).read(name)?.position.revision
  }

  /// The revisions that each run noted, in order.
  private func noted(_ path: String) throws -> [Int: [Int]] {
    guard FileManager.default.fileExists(atPath: path) else { return [:] }
    var runs: [Int: [Int]] = [:]
    for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
      let numbers = line.split(separator: " ").compactMap { word in Int(word) }
      try #require(numbers.count == 2, "\(line)")
      runs[numbers[0], default: []].append(numbers[1])
    }
    return runs
  }

  @Test("kill -9 at random moments: each action is delivered, repetitions are past the stored position")
  func killLosesNothing() async throws {
    let seed: UInt64 = 0xC0FFEE
    var generator = SeededGenerator(seed: seed)
    let count = 400
    let log = try await LogOnDisk(increments: count)
    let directory = try TemporaryDirectory()
    let file = directory.path("journal")
    var stored: [Int] = []
    var run = 0
    while run < 12 {
      stored.append(try position("kill", log) ?? 0)
      let process = try ToolProcess([
        "consume", log.path, "--as", "kill", "--batch", "\(Int.random(in: 1...5, using: &generator))", "--", "sh", "-c",
        Self.journal, "sh", "\(run)", file,
      ])
      // A seeded number of actions, and then a moment anywhere in the delivery of the next ones.
      let wanted = Int.random(in: 1...40, using: &generator)
      let (number, before) = (run, stored[run])
      let isReached = try await eventually {
        try noted(file)[number, default: []].count >= min(wanted, count - before)
      }
      #expect(isReached, "seed \(seed), run \(run)")
      process.kill(SIGKILL)
      #expect(try await process.wait() == .signal(SIGKILL), "seed \(seed), run \(run)")
      run += 1
    }
    stored.append(try position("kill", log) ?? 0)
    let end = try await ToolRun(
      "consume", log.path, "--as", "kill", "--until-end", "--", "sh", "-c", Self.journal, "sh", "\(run)", file)
    #expect(end.ending == .status(0), "\(end.messages)")
    #expect(try position("kill", log) == count)
    let runs = try noted(file)
    #expect(Set(runs.values.joined()) == Set(1...count), "seed \(seed)")
    for (run, revisions) in runs {
      // In order, without a gap, from the stored position on: nothing before it is repeated, nothing after it skipped.
      let first = stored[run] + 1
      #expect(revisions == Array(first..<first + revisions.count), "seed \(seed), run \(run)")
    }
  }

  @Test("SIGTERM ends after the running delivery")
  func terminationEndsCleanly() async throws {
    let log = try await LogOnDisk(increments: 20)
    let directory = try TemporaryDirectory()
    let process = try ToolProcess([
      "consume", log.path, "--as", "live", "--", "sh", "-c", Self.journal, "sh", "0", directory.path("journal"),
    ])
    #expect(try await eventually { try position("live", log) == 20 })
    let more = try await ToolRun("record", "counter", log.path, input: LogOnDisk.increment)
    #expect(more.ending == .status(0))
    #expect(try await eventually { try position("live", log) == 21 })
    process.kill(SIGTERM)
    #expect(try await process.wait() == .status(0))
    #expect(try process.messages().contains("live: delivered 21 actions; the position is revision 21"))
  }

  @Test("a signal to the terminal's group, which ends the program too, loses nothing and is no error")
  func interruptionOfBothEndsCleanly() async throws {
    let log = try await LogOnDisk(increments: 5)
    let directory = try TemporaryDirectory()
    let file = directory.path("process")
    // Answers the first two lines, and then waits for the signal that ends it.
    let script = #"""
      read -r line; echo 1; read -r line; echo 2; read -r line; echo $$ > "$1"; exec sleep 1000
      """#
    let process = try ToolProcess(["consume", log.path, "--as", "both", "--", "sh", "-c", script, "sh", file])
    var program: pid_t?
    #expect(
      try await eventually {
        guard let bytes = FileManager.default.contents(atPath: file), bytes.last == 0x0A else { return false }
        program = pid_t(String(decoding: bytes.dropLast(), as: UTF8.self))
        return program != nil
      })
    process.kill(SIGINT)
    _ = kill(try #require(program), SIGINT)
    #expect(try await process.wait() == .status(0))
    #expect(try position("both", log) == 2)
    let messages = try process.messages()
    // Of the two ends, either one can be noticed first.
    #expect(messages.contains("the next run delivers the action again"), "\(messages)")
  }

  @Test("one consumer at a time, and a standby takes over")
  func oneConsumerAtATime() async throws {
    let log = try await LogOnDisk(increments: 3)
    let directory = try TemporaryDirectory()
    let words = ["--", "sh", "-c", Self.journal, "sh", "0", directory.path("journal")]
    let first = try ToolProcess(["consume", log.path, "--as", "one"] + words)
    #expect(try await eventually { try position("one", log) == 3 })
    let second = try await ToolRun(["consume", log.path, "--as", "one", "--until-end"] + words)
    #expect(second.ending == .status(4), "\(second.messages)")
    #expect(second.messages.contains("another consumer holds the subscription 'one'"), "\(second.messages)")
    let list = try await ToolRun("subscriptions", log.path, "--json")
    #if os(Linux)
    #expect(try list.json()["holder"]?.integer == Int(first.processID))
    #endif
    #expect(try list.json()["held"] == true)
    let standby = try ToolProcess(["consume", log.path, "--as", "one", "--standby"] + words)
    #expect(try await eventually { try standby.messages().contains("waiting for another consumer") })
    first.kill(SIGKILL)
    _ = try await first.wait()
    let more = try await ToolRun("record", "counter", log.path, input: LogOnDisk.increment)
    #expect(more.ending == .status(0))
    #expect(try await eventually { try position("one", log) == 4 })
    standby.kill(SIGTERM)
    #expect(try await standby.wait() == .status(0))
  }

  @Test(
    "a program that fails is reported, and nothing is lost",
    arguments: [
      (["false"], "the command ended with status 1 before it answered"),
      (["sh", "-c", "kill -9 $$"], "the command ended by signal 9 before it answered"),
      (["no-such-program"], "there is no program 'no-such-program' to run"),
      (["/"], "there is no program '/' to run"), (["."], "there is no program '.' to run"),
      (["echo", "hello"], "the command answered 'hello' instead of the revision"),
      (["sh", "-c", "exec sleep 1000"], "the command did not answer within 1.0 s"),
      (["sh", "-c", "exec 1>&-; exec sleep 1000"], "the command closed its output before it answered"),
    ])
  func failureIsReported(words: [String], message: String) async throws {
    let log = try await LogOnDisk(increments: 2)
    let run = try await ToolRun(["consume", log.path, "--as", "bad", "--timeout", "1", "--until-end", "--"] + words)
    #expect(run.ending == .status(3), "\(run.messages)")
    #expect(run.messages.contains(message), "\(run.messages)")
    // The location follows the message, not the advice.
    #expect(!run.messages.contains(".:"), "\(run.messages)")
    #expect(try position("bad", log) == 0)
    #expect(try await log.verdict() == "clean")
  }

  @Test("answers that precede their actions are refused")
  func earlyAnswersAreRefused() async throws {
    let log = try await LogOnDisk(increments: 4)
    let run = try await ToolRun(
      "consume", log.path, "--as", "early", "--until-end", "--", "sh", "-c", #"printf '1\n2\n3\n4\n'; exec cat >&2"#)
    #expect(run.ending == .status(3), "\(run.messages)")
    #expect(run.messages.contains("before it received the action"), "\(run.messages)")
    // The first line may have been written before the first answer came.
    #expect(try position("early", log) ?? 0 <= 1)
  }

  @Test("lines longer than a pipe are delivered while answers come back")
  func longLinesDoNotBlock() async throws {
    let log = try LogOnDisk()
    let name = String(repeating: "x", count: 300_000)
    let line = #"{"type":"didTapIncrementButton","data":{},"meta":{"actor":""# + name + #""}}"# + "\n"
    let recorded = try await ToolRun("record", "counter", log.path, input: String(repeating: line, count: 8))
    #expect(recorded.ending == .status(0), "\(recorded.messages)")
    // Answers everything it reads at once, and each answer twice as often as the pipe is read.
    let run = try await ToolRun(
      "consume", log.path, "--as", "long", "--batch", "8", "--until-end", "--", "sh", "-c",
      #"while IFS= read -r line; do revision=${line#'{"seq":'}; echo "${revision%%,*}"; done"#)
    #expect(run.ending == .status(0), "\(run.messages)")
    #expect(try position("long", log) == 8)
  }

  @Test("--each gives the line and the variables, and exit status 0 is the answer")
  func eachRunsAProgram() async throws {
    let log = try await LogOnDisk(increments: 3)
    let directory = try TemporaryDirectory()
    let file = directory.path("out")
    let run = try await ToolRun(
      "consume", log.path, "--as", "each", "--each", "--until-end", "--", "sh", "-c",
      #"cat >> "$1"; echo "$ACTION_LOG_REVISION $ACTION_LOG_TYPE $ACTION_LOG_ID" >> "$1"; [ "$ACTION_LOG_REVISION" != 3 ]"#,
      "sh", file)
    #expect(run.ending == .status(3))
    #expect(run.messages.contains("attempt 1 of action 3 failed: the command ended with status 1\n"), "\(run.messages)")
    #expect(try position("each", log) == 2)
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 6)
    let id = try LogReader.open(at: log.path).header.log
    #expect(lines[3] == "2 didTapIncrementButton \(id)/2")
    #expect(try JSONValue(parsing: Array(lines[2].utf8))["seq"]?.integer == 2)
  }
}
