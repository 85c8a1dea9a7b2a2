import ActionLog
import ActionLogTool
import JSONCoding
import Platform
import Testing

@Suite("list --follow")
struct FollowTests {
  @Test("new actions are shown as they arrive, until it is stopped")
  func follows() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let writer = Locked<LogWriter?>(nil)
    let rounds = Locked(0)
    let run = await bench.run("list", "-f", "my-log", "--last", "2", "--json") { environment in
      environment.pause = { _ in
        let round = rounds.withLock { rounds in
          rounds += 1
          return rounds
        }
        do {
          return try Self.act(in: round, writer, bench)
        } catch {
          Issue.record(error)
          return true
        }
      }
    }
    #expect(run.status == 0)
    let lines = try run.output.split(separator: "\n").map { line in try JSONValue(parsing: line.utf8) }
    #expect(lines.map { line in line[JSONPointer(["seq"])] } == [9, 10, 11, 12])
    #expect(lines.map { line in line[JSONPointer(["durable"])] } == [true, true, false, true])
  }

  /// A writer that first appends without a sync, and then with one.
  ///
  /// - Returns: Whether the follower is to stop.
  private static func act(in round: Int, _ writer: Locked<LogWriter?>, _ bench: Bench) throws -> Bool {
    let draft = LogDraft(type: "didTapIncrementButton", data: Array("{}".utf8))
    switch round {
    case 1:
      let opened = try LogWriter.open(
        at: "my-log", model: "counter", schema: 1, fileSystem: bench.disk,
        configuration: LogConfiguration(durability: .written, environment: bench.logEnvironment))
      writer.withLock { writer in writer = opened }
      _ = try opened.writeNow([draft])
    case 2:
      guard let opened = writer.withLock({ writer in writer }) else { return true }
      _ = try opened.writeNow([draft])
      _ = try opened.syncNow()
    default:
      try writer.withLock { writer in writer }?.closeNow()
      return true
    }
    return false
  }

  @Test("actions not known to be durable are marked")
  func marks() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let opened = try LogWriter.open(
      at: "my-log", model: "counter", schema: 1, fileSystem: bench.disk,
      configuration: LogConfiguration(durability: .written, environment: bench.logEnvironment))
    _ = try opened.writeNow([LogDraft(type: "didTapIncrementButton", data: Array("{}".utf8))])
    let run = await bench.run("list", "-f", "my-log", "--last", "2")
    try opened.closeNow()
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("   10  "))
    #expect(lines[1].hasPrefix("~  11  "))
  }

  @Test("actions are printed in other formats once they are durable, and continue after the last one")
  func formats() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let writer = Locked<LogWriter?>(nil)
    let rounds = Locked(0)
    let seen = Locked<[Int]>([])
    let output = MemoryOutput()
    let run = await bench.run("list", "-f", "my-log", "--from", "9", "--format", "cloudevents") { environment in
      environment.standardOutput = output
      environment.pause = { _ in
        let round = rounds.withLock { rounds in
          rounds += 1
          return rounds
        }
        seen.withLock { seen in seen.append(output.text.split(separator: "\n").count) }
        do {
          // Three rounds of work, and one more check after the last.
          return try round > 4 || (round <= 3 && Self.act(in: round, writer, bench) && false)
        } catch {
          Issue.record(error)
          return true
        }
      }
    }
    #expect(run.status == 0, "\(run.messages)")
    let events = try output.text.split(separator: "\n").map { line in try JSONValue(parsing: line.utf8) }
    #expect(events.map { event in event[JSONPointer(["specversion"])] } == Array(repeating: "1.0", count: 4))
    let ids = events.compactMap { event in event["id"]?.text?.split(separator: "/").last.map(String.init) }
    #expect(ids == ["9", "10", "11", "12"])
    // The eleventh was written in the first round and is durable from the second on.
    #expect(seen.withLock { seen in seen } == [2, 2, 4, 4, 4])

    // Without following, the same actions.
    let listed = await bench.run("list", "my-log", "--from", "9", "--format", "cloudevents")
    #expect(listed.output == output.text)
    let csv = await bench.run("list", "my-log", "--last", "4", "--format", "csv")
    let table = await bench.run("list", "my-log", "--from", "9", "--format", "csv")
    #expect(csv.output == table.output)
    let lines = await bench.run("list", "my-log", "--from", "9", "--format", "lines")
    let numbers = try lines.output.split(separator: "\n").map { line in
      try JSONValue(parsing: line.utf8)["seq"]?.integer
    }
    #expect(numbers == [9, 10, 11, 12])
  }

  @Test(
    "options that contradict each other are refused",
    arguments: [
      ["--format", "cloudevents", "--json"], ["--follow", "--format", "csv", "--all"], ["--follow", "--limit", "4"],
      ["--follow", "--to", "4"],
    ])
  func contradictions(words: [String]) async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let run = await bench.run(["list", "my-log"] + words)
    #expect(run.status == 2)
    #expect(run.output.isEmpty)
  }
}
