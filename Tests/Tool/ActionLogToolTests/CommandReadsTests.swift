import ActionLog
import ActionLogTesting
import ActionLogTool
import JSONCoding
import Platform
import Testing

/// How often a command lists the directory of a log, and how much of the log it reads.
@Suite struct CommandReadsTests {
  /// A command, and limits on its reads.
  struct Call: Sendable, CustomTestStringConvertible {
    var words: [String]
    /// Listings of the directory: one to open the log, and one for each part of the answer, which includes what was recorded since.
    var listings = 7
    /// Bytes read, as a share of the log. The end of the log and the borders of segments are read in addition to the answer.
    var share = 1.2

    init(_ line: String, listings: Int = 7, share: Double = 1.2) {
      words = line.split(separator: " ").map(String.init)
      (self.listings, self.share) = (listings, share)
    }

    var testDescription: String { words.joined(separator: " ") }
  }

  /// A part of the log, one pass, or as many passes as `share` says: two folds are compared, a copy is verified.
  static let calls: [Call] = [
    Call("list my-log"), Call("list my-log --last 2", share: 0.3), Call("list my-log --where /value>3"),
    Call("list my-log --touching /value"), Call("list my-log --format lines"),
    // A decision has at most 1 000 actions, so as many lines before the action are read.
    Call("show my-log 2000", share: 1.8), Call("show my-log end", share: 1.5),
    Call("stats my-log"), Call("state my-log"), Call("state my-log --at 2000"),
    Call("diff my-log 1999 2000"), Call("diff my-log 2000"), Call("blame my-log /value"),
    Call("history my-log /value"), Call("history my-log /value"), Call("find my-log /value>99999"),
    Call("find --last my-log /value>99999"), Call("find --bisect my-log /value>99999"),
    Call("minimize my-log /value>0 --at 9", share: 0.3), Call("what-if my-log --skip 3000"),
    Call("test my-log 3 6", share: 0.3), Call("bug-report my-log 400 420 -o report.jsonl", listings: 12, share: 2),
    // Its header has the members of the inspector's description of the log.
    Call("report my-log -o page.html", listings: 8), Call("list my-log --format cloudevents"),
    Call("export my-log", share: 2.1),
    Call("replay my-log"), Call("replay my-log --verify", listings: 12, share: 2.5),
    Call("verify my-log", share: 1.4), Call("compat my-log", share: 2.1), Call("projections my-log", share: 0.3),
    Call("subscriptions my-log", share: 0.1), Call("mark my-log", share: 0.1), Call("mark my-log 3 here", share: 0.3),
    Call("checkpoint my-log"), Call("repair my-log", share: 1.3),
    Call("snapshot my-log", share: 1.3), Call("backup my-log copy", share: 2.4),
    Call("salvage my-log copy", share: 2.1),
    Call("ship my-log lake", share: 4.2), Call("fleet my-log", share: 0.3),
    // The fold, and the tree of all lines, which the new log names.
    Call("branch my-log copy", share: 2.1),
  ]

  /// Commands that read no log, write a new one, wait for input, run other commands, or serve a log that stays open; and those
  /// that need other files. Steps of a screen and requests of a page have tests of their own.
  private static let others: Set<String> = [
    "completions", "consume", "demo", "each", "help", "import", "inspect", "listen", "mcp", "prove", "prune", "record",
    "redact", "restore", "tui",
  ]

  private static let disk = Task { () async throws -> MemoryFileSystem in
    let bench = Bench(tool: .withStories)
    let run = await bench.run(
      "record", "counter", "my-log", "--workload", "4000", "--segment-size", "256K", "--durability", "written",
      "--snapshot-every", "1000000")
    try #require(run.status == 0, "\(run.messages)")
    return bench.disk
  }

  @Test(arguments: calls) func aCommandReadsTheLogOnce(call: Call) async throws {
    let disk = try await Self.disk.value.copy()
    let size = try LogReader.open(at: "my-log", fileSystem: disk).segments.reduce(0) { sum, segment in
      sum + segment.sizeBytes
    }
    let listings = Locked(0)
    let files = FaultyFileSystem(disk) { file in
      if file.operation == .names, file.path == "my-log" { listings.withLock { count in count += 1 } }
    }
    let before = disk.counts.bytesRead
    let run = await Bench(disk: disk, tool: .withStories).run(call.words) { environment in
      environment.fileSystem = files
    }
    #expect(run.status < 2, "\(run.messages)")
    let share = Double(disk.counts.bytesRead - before) / Double(size)
    #expect(share <= call.share, "\(share) of the log")
    let count = listings.withLock { count in count }
    #expect(count > 0 && count <= call.listings, "\(count) listings")
  }

  @Test func everyCommandIsCounted() async throws {
    let names = try await Bench(tool: .withStories).run("help", "--json").output.split(separator: "\n")
      .compactMap { line in try JSONValue(parsing: line.utf8)["name"]?.text }
    #expect(Set(names) == Set(Self.calls.map { call in call.words[0] }).union(Self.others))
  }

  /// Reading the clock for each action would take longer than printing some of them.
  @Test func aListReadsTheClockForOneInEightActions() async throws {
    let readings = Locked(0)
    let run = await Bench(disk: try await Self.disk.value.copy(), tool: .samples).run("list", "my-log") { environment in
      environment.uptime = {
        readings.withLock { readings in readings += 1 }
        return .zero
      }
    }
    #expect(run.output.split(separator: "\n").count == 4_000)
    // And for each part of the file that is read at once.
    #expect(readings.withLock { readings in readings } <= 4_000 / 8 + 16)
  }
}
