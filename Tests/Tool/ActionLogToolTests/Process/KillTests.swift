import Foundation
import JSONCoding
import TestSupport
import Testing

/// Repeated `kill -9` of writers on one log.
///
/// The process dies at moments of all kinds: after a seeded number of answers was read and a seeded number of looks at
/// the log's directory were taken, while its input is kept full, with and without syncs, while segments roll.
@Suite("kill -9")
struct KillTests {
  private static let rounds = 30

  @Test("no acknowledged action is lost, and the next writer recovers by itself")
  func nothingAcknowledgedIsLost() async throws {
    let seed: UInt64 = 0x5EED
    let log = try LogOnDisk()
    var generator = SeededGenerator(seed: seed)
    var recorded: [String] = []
    for round in 0..<Self.rounds {
      let place: Comment = "seed \(seed), round \(round)"
      let kill = KillRound(startingAt: recorded.count, using: &generator)
      let receipts = try await kill.run(on: log)
      #expect(receipts.count >= kill.answersToRead, place)
      #expect(receipts == Array(recorded.count + 1..<recorded.count + 1 + receipts.count), place)

      #expect(try await log.verdict() != "damaged", place)
      let types = try await Self.actions(of: log)
      // A prefix of the sent actions that includes all acknowledged ones.
      #expect(types.count >= recorded.count + receipts.count, place)
      #expect(Array(types.prefix(recorded.count)) == recorded, place)
      #expect(Array(types.dropFirst(recorded.count)) == (0..<types.count - recorded.count).map(kill.type), place)
      recorded = types
      let state = try await log.state()
      #expect(state == (Self.fold(recorded), recorded.count), place)
    }
    let end = try await ToolRun("record", "counter", log.path, input: LogOnDisk.increment)
    #expect(end.ending == .status(0), "seed \(seed)")
    #expect(try end.answers() == [Answer(line: 1, .receipt(revision: recorded.count + 1))], "seed \(seed)")
    #expect(try await log.verdict() == "clean", "seed \(seed)")
    #expect(try await ToolRun("replay", log.path).ending == .status(0), "seed \(seed)")
    #expect(try log.segments().count > 5, "seed \(seed)")
  }

  private static func actions(of log: LogOnDisk) async throws -> [String] {
    try await ToolRun("list", "--format", "lines", log.path).lines.map { line in
      try #require(try JSONValue(parsing: Array(line.utf8))["type"]?.text, "\(line)")
    }
  }

  private static func fold(_ types: [String]) -> Int {
    types.reduce(0) { value, type in type == "didTapIncrementButton" ? value + 1 : value - 1 }
  }
}

/// A signal in the middle of a verb: the program of an option sends it, so the moment is always the same.
@Suite("SIGINT and SIGTERM in the middle of a verb")
struct InterruptedVerbTests {
  private let directory: TemporaryDirectory
  private let log: LogOnDisk

  init() async throws {
    directory = try TemporaryDirectory()
    log = LogOnDisk(at: directory.path("my-log"))
    let run = try await ToolRun(
      "record", "counter", log.path, "--segment-size", "2K",
      input: String(repeating: LogOnDisk.increment, count: 60))
    try #require(run.ending == .status(0), "\(run.messages)")
  }

  /// A line of the shell that interrupts the program the N-th time, and otherwise runs a command. The shell outlives the
  /// program, and then must not run the command at the same time as the next run.
  private func interrupting(_ signal: String, at number: Int, otherwise command: String) -> String {
    let calls = "'" + directory.path("calls") + "'"
    let isTurn = "[ $(wc -l < \(calls)) -eq \(number) ]"
    return "echo >> \(calls); if \(isTurn); then kill -\(signal) $PPID; sleep 5; exit 1; fi; \(command)"
  }

  @Test func shippingContinues() async throws {
    let count = try log.segments().count
    try #require(count > 4)
    let lake = directory.path("lake")
    let store = #"echo "$ACTIONLOG_NAME" >> '"# + directory.path("stored") + "'"
    let first = try await ToolRun(
      ["ship", log.path, lake, "--with", interrupting("INT", at: 3, otherwise: store)])
    #expect(first.ending == .signal(SIGINT), "\(first)")
    #expect(first.messages.contains("interrupted. No log was changed"), "\(first.messages)")
    let second = try await ToolRun("ship", log.path, lake, "--with", store)
    #expect(second.ending == .status(0), "\(second)")
    #expect(second.messages.contains("\(count - 2) segments shipped, 2 already present"), "\(second.messages)")
    let stored = String(decoding: try log.bytes(directory.path("stored")), as: UTF8.self).split(separator: "\n")
    #expect(stored.count == count && Set(stored).count == count, "\(stored)")
  }
}

/// One recording that ends with `kill -9`.
private struct KillRound: Sendable {
  private static let answerLimit = 160
  /// Each takes some microseconds; all together, as long as a portion of the input takes to be recorded.
  private static let lookLimit = 400

  private let seed: UInt64
  let answersToRead: Int
  private let looks: Int
  private let durability: String
  private let segmentSize: String

  init(startingAt revision: Int, using generator: inout SeededGenerator) {
    seed = generator.next()
    answersToRead = Int.random(in: 0..<Self.answerLimit, using: &generator)
    looks = Int.random(in: 0..<Self.lookLimit, using: &generator)
    durability = ["synced", "written", "interval"].randomElement(using: &generator) ?? "synced"
    segmentSize = ["2K", "16K", "1M"].randomElement(using: &generator) ?? "2K"
  }

  /// The type of the action that is sent for the n-th time, from 0.
  func type(_ number: Int) -> String {
    var generator = SeededGenerator(seed: seed &+ UInt64(number))
    return Int.random(in: 0..<3, using: &generator) > 0 ? "didTapIncrementButton" : "didTapDecrementButton"
  }

  /// Records until the process is killed.
  ///
  /// - Returns: The revisions of all receipts that came out of it.
  func run(on log: LogOnDisk) async throws -> [Int] {
    let process = try ToolProcess([
      "record", "counter", log.path, "--durability", durability, "--segment-size", segmentSize,
    ])
    try process.shrinkInput()
    process.feed { number in #"{"type":"\#(type(number))"}"# + "\n" }
    var lines: [String] = []
    while lines.count < answersToRead, let line = try await process.nextLine() { lines.append(line) }
    for _ in 0..<looks where FileManager.default.fileExists(atPath: log.path + "/nothing") {}
    process.kill(SIGKILL)
    let rest = try await process.remainingOutput()
    #expect(try await process.wait() == .signal(SIGKILL))
    // A truncated answer acknowledges nothing.
    lines += rest.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    return try lines.map { line in try #require(try Answer(parsing: line).revision, "\(line)") }
  }
}
