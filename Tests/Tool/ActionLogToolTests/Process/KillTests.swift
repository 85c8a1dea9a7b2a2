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
    try await ToolRun("cat", "--actions", log.path).lines.map { line in
      try #require(try JSONValue(parsing: Array(line.utf8))["type"]?.text, "\(line)")
    }
  }

  private static func fold(_ types: [String]) -> Int {
    types.reduce(0) { value, type in type == "didTapIncrementButton" ? value + 1 : value - 1 }
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
