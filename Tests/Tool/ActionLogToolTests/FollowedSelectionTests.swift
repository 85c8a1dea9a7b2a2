import ActionLog
import ActionLogTesting
import ActionLogTool
import JSONCoding
import Platform
import TestSupport
import Testing

/// `list --follow` selects new actions as `list` selects recorded ones.
@Suite("Selections of a followed log")
struct FollowedSelectionTests {
  private static let filters: [[String]] = [
    ["--type", "didTapDecrementButton"], ["--actor", "ann"], ["--grep", "ann"], ["--where", "/value > 1"],
    ["--where", "/value changed and seq > 3"], ["--where", "meta/actor exists"], ["--touching", "/value"],
    ["--touching", "/value", "--actor", "bob"], ["--cause", "2"], ["--cause", "2", "--where", "/value < 3"],
    ["--actor", "nobody"],
  ]

  /// The recorded actions, a batch for each round.
  private static let portions: [[(type: String, meta: String?)]] = [
    [("Increment", #"{"actor":"ann"}"#), ("Increment", nil), ("Decrement", #"{"actor":"bob","cause":2}"#)],
    [("Increment", #"{"actor":"ann","cause":3}"#)], [],
    [("Increment", #"{"actor":"bob","cause":1}"#), ("Increment", #"{"cause":4}"#)],
    [("Decrement", #"{"actor":"ann","cause":6}"#)],
  ]

  private static func drafts(_ portion: [(type: String, meta: String?)]) -> [LogDraft] {
    portion.map { action in
      LogDraft(
        type: "didTap\(action.type)Button", data: Array("{}".utf8), meta: action.meta.map { meta in Array(meta.utf8) })
    }
  }

  private static func open(_ bench: Bench) throws -> LogWriter {
    try LogWriter.open(
      at: "my-log", model: "counter", schema: 1, fileSystem: bench.disk,
      configuration: LogConfiguration(durability: .written, environment: bench.logEnvironment))
  }

  private static func seqs(_ text: String) throws -> [Int] {
    try text.split(separator: "\n").compactMap { line in try JSONValue(parsing: Array(line.utf8))["seq"]?.integer }
  }

  /// Follows a log until all batches are recorded and printed.
  ///
  /// - Parameter act: Is told the number of each round, from 1, in which the follower has nothing more to show; says whether there is
  ///   another one.
  private static func follow(
    _ bench: Bench, _ words: [String], _ act: @escaping @Sendable (Int) throws -> Bool
  ) async -> CommandLineRun {
    let rounds = Locked(0)
    return await bench.run(["list", "-f", "my-log"] + words) { environment in
      environment.pause = { _ in
        let round = rounds.withLock { rounds in
          rounds += 1
          return rounds
        }
        do { return try !act(round) } catch {
          Issue.record(error)
          return true
        }
      }
    }
  }

  @Test("with every filter and every format", arguments: filters)
  func agreement(filter: [String]) async throws {
    for words in [["--json"], ["--json", "--last", "1"], ["--format", "lines"], ["--json", "--from", "1"]] {
      let bench = Bench()
      let writer = try Self.open(bench)
      _ = try writer.writeNow(Self.drafts(Self.portions[0]))
      _ = try writer.syncNow()
      let before = try Self.seqs(await bench.run(["list", "my-log", "--json"] + filter).output)
      let run = await Self.follow(bench, words + filter) { round in
        guard round < Self.portions.count else { return round == Self.portions.count }
        _ = try writer.writeNow(Self.drafts(Self.portions[round]))
        _ = try writer.syncNow()
        return true
      }
      try writer.closeNow()
      #expect(run.status == 0 && run.messages.isEmpty, "\(run.messages)")
      let all = try Self.seqs(await bench.run(["list", "my-log", "--json"] + filter).output)
      let left = words.contains("--last") ? max(0, before.count - 1) : 0
      #expect(try Self.seqs(run.output) == Array(all.dropFirst(left)), "\(words): \(run.output)")
    }
  }

  @Test("each action is folded once")
  func work() async throws {
    let bench = Bench()
    let made = await bench.run("record", "counter", "my-log", "--workload", "20000", "--durability", "written")
    try #require(made.status == 0, "\(made.messages)")
    let size = try bench.disk.contents(of: Bench.segment).count
    let writer = try Self.open(bench)
    let bytesRead = Locked<[Int]>([])
    let run = await Self.follow(bench, ["--json", "--last", "0", "--where", "seq > 20000 and /value exists"]) { round in
      bytesRead.withLock { bytesRead in bytesRead.append(bench.disk.counts.bytesRead) }
      guard round <= 5 else { return false }
      _ = try writer.writeNow(Self.drafts([("Increment", nil)]))
      return true
    }
    try writer.closeNow()
    #expect(try Self.seqs(run.output) == Array(20_001...20_005))
    let counts = bytesRead.withLock { bytesRead in bytesRead }
    // The first action needs a fold up to it; later ones need little.
    for (earlier, later) in zip(counts.dropFirst(), counts.dropFirst(2)) {
      #expect(later - earlier < size / 4, "\(later - earlier) of \(size) bytes")
    }
  }

  @Test("discarded batches of the writer do not count")
  func rolledBack() async throws {
    let bench = Bench()
    let writer = try Self.open(bench)
    _ = try writer.writeNow(Self.drafts(Self.portions[0]))
    _ = try writer.syncNow()
    let before = try bench.disk.contents(of: Bench.segment)
    let successor = Locked<LogWriter?>(nil)
    let run = await Self.follow(bench, ["--json", "--last", "0", "--where", "/value == 3"]) { round in
      switch round {
      case 1: _ = try writer.writeNow(Self.drafts([("Increment", nil), ("Increment", nil)]))
      case 2:
        // Like a writer that cannot write a complete batch: it truncates the batch, and writes another one.
        writer.abandon()
        try bench.disk.setContents(before, of: Bench.segment)
        let next = try Self.open(bench)
        let types = ["Decrement", "Increment", "Increment", "Increment"]
        _ = try next.writeNow(Self.drafts(types.map { type in (type, nil) }))
        successor.withLock { successor in successor = next }
      case 3: return true
      default: return false
      }
      return true
    }
    try successor.withLock { successor in successor }?.closeNow()
    #expect(run.status == 0)
    #expect(run.messages.contains("the writer discarded what it had written after action 3"), "\(run.messages)")
    // 1, 2, 1 | 2, 3 | 0, 1, 2, 3
    #expect(try Self.seqs(run.output) == [5, 7])
  }

  @Test(
    "queries without an answer in the state are refused",
    arguments: [
      (["--all", "--where", "/value > 1"], "--all shows control records"),
      (["--model", "counter"], "--model needs an option"),
      (["--all", "--touching", "/value"], "--all shows control records"), (["--touching", "value"], "JSON Pointer"),
    ])
  func refusals(words: [String], message: String) async throws {
    let bench = Bench()
    try await bench.recordCounter()
    for follow in [[], ["-f"]] {
      let run = await bench.run(["list", "my-log"] + follow + words)
      #expect(run.status == 2 && run.output.isEmpty && run.messages.contains(message), "\(run)")
    }
  }
}
