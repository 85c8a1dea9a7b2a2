import ActionLog
import ActionLogTesting
import ActionLogTool
import Dispatch
import JSONCoding
import Platform
import Testing

/// `each` in this process, and with children that the test plays.
@Suite("each") struct EachTests {
  /// A child that answers as a test says, or not before it is killed.
  private final class PlayedChild: ToolChild {
    private struct Contents: Sendable {
      var request: [UInt8] = []
      var isKilled = false
    }

    private let contents = Locked(Contents())
    private let killed = DispatchSemaphore(value: 0)
    private let answer: @Sendable (String) -> String?

    /// - Parameter answer: The line for a request; `nil` to hang until the child is killed.
    init(_ answer: @escaping @Sendable (String) -> String?) {
      self.answer = answer
    }

    func send(_ bytes: [UInt8]) throws(ToolStreamError) {
      try contents.withLock { contents throws(ToolStreamError) in
        guard !contents.isKilled else { throw .closed }
        contents.request = bytes
      }
    }

    func nextLine() throws -> [UInt8]? {
      let request = contents.withLock { contents in contents.request }
      let value = try JSONValue(parsing: request.dropLast())
      if let line = answer(value["log"]?.text ?? "") { return Array(line.utf8) }
      killed.wait()
      return nil
    }

    func end() -> Int32 { 0 }

    func kill() -> Int32? {
      contents.withLock { contents in contents.isKilled = true }
      killed.signal()
      return 9
    }
  }

  private static func line(_ log: String, status: Int = 0) -> String {
    #"{"path":"\#(log)","status":\#(status),"answer":{}}"#
  }

  /// A disk with logs of the counter called `a`, `b`, `c`.
  private func bench() async throws -> Bench {
    let bench = Bench()
    try await bench.recordCounter()
    try bench.disk.createDirectory("logs")
    for name in ["a", "b", "c"] {
      try #require(await bench.run("backup", "my-log", "logs/\(name)").status == 0)
    }
    return bench
  }

  private func rows(_ run: CommandLineRun) throws -> [JSONValue] {
    try run.output.split(separator: "\n").map { line in try JSONValue(parsing: line.utf8) }
  }

  @Test func answersHaveRevisionDigestAndModel() async throws {
    let bench = try await bench()
    let run = await bench.run("each", "logs", "--", "state", "--path", "/value", "--at", "3")
    let rows = try rows(run)
    let identifier = try LogReader.open(at: "logs/a", fileSystem: bench.disk).header.log
    #expect(run.status == 0 && rows.map { row in row["path"]?.text } == ["logs/a", "logs/b", "logs/c"])
    for row in rows {
      #expect(row["status"] == 0 && row["revision"] == 3 && row["model"] == "counter" && row["error"] == nil)
      #expect(row["log"]?.text == identifier)
      #expect(row["answer", "pointer"] == "/value" && row["sha256"] == row["answer", "sha256"])
    }
  }

  @Test func membersOfARequestOverrideOptions() async throws {
    let input = [
      #"{"log":"logs/a","id":7,"at":2}"# + "\n" + #"{"log":"logs/b","id":"x","at":"end","path":null}"# + "\nlogs/c\n"
    ]
    let run = try await bench().run(["each", "-", "--", "state", "--at", "1", "--path", "/value"], input: input)
    let rows = try rows(run)
    #expect(run.status == 0, "\(run.output)")
    #expect(rows.map { row in row["id"] } == [7, "x", nil])
    #expect(rows.map { row in row["revision"]?.integer } == [2, 10, 1])
    #expect(rows.map { row in row["answer", "pointer"] == nil } == [false, true, false])
  }

  @Test func aRequestRepeatsAnOption() async throws {
    let bench = try await bench()
    let request = #"{"log":"logs/a","skip":["1","2"]}"# + "\n"
    let rows = try rows(await bench.run(["each", "-", "--", "what-if", "--skip", "5"], input: [request]))
    let alone = await bench.run("what-if", "logs/a", "--skip", "1", "--skip", "2", "--json")
    #expect(rows[0]["answer", "changes"] == (try JSONValue(parsing: Array(alone.output.utf8)))["changes"])
    #expect(rows[0]["answer", "actions"] == (try JSONValue(parsing: Array(alone.output.utf8)))["actions"])
  }

  @Test func aRowOfNoMatchHasNoRevision() async throws {
    let run = try await bench().run("each", "logs/a", "--", "find", "/value > 200")
    let row = try rows(run)[0]
    #expect(row["status"] == 1 && row["revision"] == nil && row["answer", "revision"] == .null)
    #expect(try SchemaChecker().errors(of: row, as: "each") == [])
  }

  @Test(arguments: [["stats", "logs/b"], ["verify", "logs/b"], ["what-if", "--skip", "1", "logs/b"]])
  func otherLogsAreRefused(words: [String]) async throws {
    let run = try await bench().run(["each", "logs/a", "--"] + words)
    #expect(run.status == 2 && run.output.isEmpty && run.messages.contains("logs/b"), "\(run)")
  }

  @Test func invalidRequestsCostALineEach() async throws {
    let input = [
      #"{"log":"logs/a","colour":1}"# + "\n" + #"{"log":"logs/a","at":true}"# + "\n" + #"{"id":1}"# + "\n{\n"
        + #"{"log":"logs/a","id":[1]}"# + "\nnowhere\nlogs/a\n"
    ]
    let run = try await bench().run(["each", "-", "--", "state"], input: input)
    let rows = try rows(run)
    #expect(run.status == 1 && rows.count == 7)
    #expect(rows.map { row in row["status"]?.integer } == [2, 2, 2, 2, 2, 3, 0])
    #expect(rows.dropLast().allSatisfy { row in row["error", "code"] != nil && row["answer"] == nil })
    #expect(rows[5]["path"] == "nowhere" && rows[5]["log"] == nil && rows[6]["log"] != nil)
  }

  @Test func damagedLogHasAnErrorAndItsIntactAnswer() async throws {
    let bench = try await bench()
    try bench.disk.flipBit(0, ofByte: 1_500, in: "logs/b/0000000000000001.jsonl")
    let run = await bench.run("each", "logs", "--", "state")
    let rows = try rows(run)
    #expect(run.status == 1 && rows.map { row in row["status"]?.integer } == [0, 1, 0])
    #expect(rows[1]["path"] == "logs/b" && rows[1]["log"] == rows[0]["log"] && rows[0]["log"] != nil)
    #expect(rows[1]["error", "code"] == "damaged" && rows[1]["answer", "revision"] == 6)
  }

  @Test(arguments: [
    "repair", "record", "salvage", "ship", "backup", "snapshot", "list", "tui", "inspect", "each", "consume",
  ])
  func otherVerbsAreRefused(verb: String) async throws {
    let run = try await bench().run("each", "logs", "--", verb)
    #expect(run.status == 2 && run.output.isEmpty && run.messages.contains("'\(verb)'"), "\(run.messages)")
  }

  /// Regression: the members of a request were not checked, and the choice of the command line won.
  @Test func aRequestReplacesTheChoice() async throws {
    let bench = try await bench()
    func revision(_ request: String) async throws -> JSONValue? {
      let run = await bench.run(["each", "-", "--", "find", "/value exists", "--last"], input: [request + "\n"])
      return try JSONValue(parsing: Array(run.output.utf8.dropLast()))
    }
    #expect(try await revision(#"{"log":"logs/a"}"#)?["answer", "revision"] != 0)
    #expect(try await revision(#"{"log":"logs/a","first":true}"#)?["answer", "revision"] == 0)
    let wrong = try await revision(#"{"log":"logs/a","first":true,"last":true}"#)
    #expect(wrong?["status"] == 2 && wrong?["error", "message"] == "--first and --last cannot be combined")
  }

  @Test(arguments: [["mark", "1", "here"], ["mark", "--remove", "here"], ["projections", "--rebuild", "taps"]])
  func writingIsRefused(words: [String]) async throws {
    let bench = try await bench()
    let run = await bench.run(["each", "logs", "--"] + words)
    #expect(run.status == 2 && run.output.isEmpty && run.messages.contains("'\(words[0])"), "\(run.messages)")
    #expect(!bench.disk.filePaths.contains { path in path.hasSuffix("marks.jsonl") })
  }

  @Test func subscriptionsAndProjectionsAreListed() async throws {
    let bench = try await bench()
    for name in ["a", "b"] {
      let run = await bench.consume("logs/\(name)", "--as", "mail", "--until-end", "--", "answer")
      try #require(run.status == 0, "\(run.messages)")
    }
    let run = await bench.run("each", "logs", "--", "subscriptions")
    let rows = try rows(run)
    // There are none in the third log.
    #expect(rows.map { row in row["status"]?.integer } == [0, 0, 1], "\(run.output)")
    #expect(rows.map { row in row["answer", "name"] } == ["mail", "mail", nil])
    let projections = try self.rows(await bench.run("each", "logs", "--", "projections"))
    #expect(projections.count == 3 && projections.allSatisfy { row in row["error"] == nil })
  }

  @Test(arguments: [
    ["subscriptions", "--remove", "mail"], ["subscriptions", "--retry", "mail"],
    ["subscriptions", "3", "--reset", "mail"], ["projections", "--rebuild", "x"],
  ])
  func optionsThatWriteAreRefused(words: [String]) async throws {
    let bench = try await bench()
    let consumed = await bench.consume("logs/a", "--as", "mail", "--until-end", "--", "answer")
    try #require(consumed.status == 0, "\(consumed.messages)")
    let files = bench.disk.filePaths
    let run = await bench.run(["each", "logs", "--"] + words)
    #expect(run.status == 2 && run.output.isEmpty && run.messages.contains("'each' only reads"), "\(run.messages)")
    let option = String((words.first { word in word.hasPrefix("--") } ?? "").dropFirst(2))
    let input = [#"{"log":"logs/a","\#(option)":"mail"}"# + "\n"]
    let row = try rows(await bench.run(["each", "-", "--", words[0]], input: input))
    #expect(row.map { row in row["status"]?.integer } == [2] && row[0]["error", "message"] != nil)
    #expect(bench.disk.filePaths == files)
  }

  @Test(arguments: [
    ["each", "logs"], ["each", "logs", "--", "state", "--help"], ["each", "--", "state"],
    ["each", "logs", "--", "stat"],
  ])
  func incompleteCallsAreRefused(words: [String]) async throws {
    let run = try await bench().run(words)
    #expect(run.status == 2 && run.output.isEmpty, "\(run.messages)")
  }

  @Test func timeoutNeedsProcesses() async throws {
    let run = try await bench().run("each", "logs", "--jobs", "0", "--timeout", "1", "--", "state")
    #expect(run.status == 2 && run.messages.contains("--jobs 0"), "\(run.messages)")
  }

  /// The first log is answered after the second one.
  @Test func linesAreInTheOrderOfTheLogs() async throws {
    let second = DispatchSemaphore(value: 0)
    let run = await Bench().run(["each", "one", "two", "--jobs", "2", "--", "state"]) { environment in
      environment.startChild = { _ in
        PlayedChild { log in
          if log == "one" { second.wait() } else { second.signal() }
          return Self.line(log)
        }
      }
    }
    let logs = try rows(run).map { row in row["path"]?.text }
    #expect(run.status == 0 && logs == ["one", "two"])
  }

  @Test func statusOfALineDecidesTheStatus() async throws {
    for status in [0, 1, 10, 100] {
      let run = await Bench().run(["each", "one", "--", "state"]) { environment in
        environment.startChild = { _ in PlayedChild { log in Self.line(log, status: status) } }
      }
      #expect(run.status == (status == 0 ? 0 : 1))
    }
  }

  @Test(arguments: ["0", "0.0001", "10x", "s", "0s", "-1s", "2d", "90000", "nan", "1e400"])
  func invalidTimeoutIsRefused(timeout: String) async throws {
    let run = try await bench().run("each", "logs", "--timeout=\(timeout)", "--", "state")
    #expect(run.status == 2 && run.messages.contains("--timeout takes"), "\(run.messages)")
  }

  @Test(arguments: ["0.5", "1s"])
  func timeoutCostsOneLine(timeout: String) async throws {
    let started = Locked(0)
    let run = await Bench().run(["each", "one", "two", "three", "--jobs", "1", "--timeout", timeout, "--", "state"]) {
      environment in
      environment.startChild = { _ in
        started.withLock { started in started += 1 }
        return PlayedChild { log in log == "two" ? nil : Self.line(log) }
      }
    }
    let rows = try rows(run)
    #expect(run.status == 1 && rows.map { row in row["path"] } == ["one", "two", "three"])
    #expect(rows[1]["status"] == 124 && rows[1]["error", "code"] == "timeout")
    #expect(started.withLock { started in started } >= 2)
  }

  /// The second process cannot be started: every other log would have the same error.
  @Test(arguments: [0, 1])
  func oneErrorIfNoProcessCanBeStarted(startedCount: Int) async throws {
    let (started, failed) = (Locked(0), DispatchSemaphore(value: 0))
    let logs = (1...50).map { number in "log-\(number)" }
    let run = await Bench().run(["each"] + logs + ["--jobs", "4", "--", "state"]) { environment in
      environment.startChild = { _ in
        let number = started.withLock { started in
          started += 1
          return started
        }
        guard number <= startedCount else {
          failed.signal()
          throw ToolFailure(
            "noProgram", .environment, "the program cannot be started: Resource temporarily unavailable",
            advice: "Allow more processes with 'ulimit -u'.")
        }
        // It answers once another process could not be started.
        return PlayedChild { log in
          failed.wait()
          failed.signal()
          return Self.line(log)
        }
      }
    }
    #expect(run.status == 3, "\(run)")
    #expect(run.messages.ranges(of: "cannot be started").count == 1, "\(run.messages)")
    #expect(run.messages.contains("'ulimit -u'") && run.messages.contains("--jobs 0"), "\(run.messages)")
    let rows = try rows(run)
    #expect(rows.count < 50 && rows.allSatisfy { row in row["status"] == 0 }, "\(run.output)")
    #expect(rows.isEmpty || startedCount == 1)
  }

  @Test func openFilesBoundTheProcesses() async throws {
    let (running, most) = (Locked(0), Locked(0))
    let logs = (1...20).map { number in "log-\(number)" }
    let run = await Bench().run(["each"] + logs + ["--jobs", "20", "--", "state"]) { environment in
      environment.childLimit = { 3 }
      environment.startChild = { _ in
        let now = running.withLock { running in
          running += 1
          return running
        }
        most.withLock { most in most = max(most, now) }
        return PlayedChild { log in Self.line(log) }
      }
    }
    #expect(try run.status == 0 && rows(run).map { row in row["path"]?.text } == logs, "\(run.messages)")
    // No child ends before the last log, so the number of started ones is that of the running ones.
    #expect((1...3).contains(most.withLock { most in most }))
    #expect(run.messages == "3 processes instead of 20: 'ulimit -n' allows no more open files\n")
  }

  @Test func tooFewOpenFilesAreAnErrorAtOnce() async throws {
    let run = await Bench().run(["each", "one", "--", "state"]) { environment in
      environment.childLimit = { 0 }
      environment.startChild = { _ in PlayedChild { log in Self.line(log) } }
    }
    #expect(run.status == 3 && run.output.isEmpty, "\(run.output)")
    #expect(run.messages.contains("No log was read.") && run.messages.contains("--jobs 0"), "\(run.messages)")
  }

  @Test func stopKillsChildrenAndKeepsCompleteLines() async throws {
    let stop = StopRequest()
    let run = await Bench().run(["each", "one", "two", "three", "--jobs", "1", "--", "state"]) { environment in
      environment.stop = stop
      environment.startChild = { _ in
        PlayedChild { log in
          guard log == "one" else {
            stop.request()
            return nil
          }
          return Self.line(log)
        }
      }
    }
    #expect(try rows(run).map { row in row["path"] } == ["one"])
    #expect(run.status == 1)
    #expect(run.messages.contains("interrupted after 1 of 3 logs"), "\(run.messages)")
  }

  @Test func closedOutputKillsTheChildren() async throws {
    let output = MemoryOutput(limit: 60)
    // The child that reads the last log hangs until it is killed.
    let run = await Bench().run(["each", "one", "two", "three", "--jobs", "2", "--", "state"]) { environment in
      environment.standardOutput = output
      environment.startChild = { _ in PlayedChild { log in log == "three" ? nil : Self.line(log) } }
    }
    #expect(run.status == 0 && run.messages.isEmpty, "\(run.messages)")
    #expect(output.text.split(separator: "\n").count == 1)
  }
}
