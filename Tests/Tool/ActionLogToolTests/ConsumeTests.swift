import ActionLog
import ActionLogTesting
import ActionLogTool
import CounterData
import EventSourcing
import JSONCoding
import Testing

/// `consume` and `subscriptions` with programs that tests script.
@Suite("consume and subscriptions")
struct ConsumeTests {
  private func bench() async throws -> Bench {
    let bench = Bench()
    try await bench.recordCounter()
    return bench
  }

  private func lastRevision(of bench: Bench) throws -> Int {
    try LogReader.open(at: "my-log", fileSystem: bench.disk).extent().lastRevision
  }

  private func position(_ name: String, _ bench: Bench) throws -> Int? {
    try SubscriptionStore(at: "my-log", fileSystem: bench.disk).read(name)?.position.revision
  }

  @Test func everyActionIsDeliveredOnce() async throws {
    let bench = try await bench()
    let last = try lastRevision(of: bench)
    let journal = ScriptedCommand.Journal()
    let run = await bench.consume("my-log", "--as", "mail", "--until-end", "--", "answer", journal: journal)
    #expect(run.status == 0, "\(run.messages)")
    #expect(try journal.revisions() == Array(1...last))
    #expect(journal.commandLines == [ToolCommandLine(["answer"], readsOutput: true)])
    #expect(try position("mail", bench) == last)
    let again = await bench.consume("my-log", "--as", "mail", "--until-end", "--", "answer", journal: journal)
    #expect(again.status == 0)
    #expect(journal.lines.count == last)
  }

  @Test(arguments: [
    (["didTapIncrementButtn"], "didTapIncrementButton"), (["didtapincrementbutton"], "didTapIncrementButton"),
    (["order.*"], "order.*"), (["didTapIncrementButton", "order.*"], "order.*"),
  ])
  func typesThatMatchNothingAreReported(types: [String], hint: String) async throws {
    let bench = try await bench()
    let last = try lastRevision(of: bench)
    let words = ["consume", "my-log", "--as", "mail", "--until-end"] + types.flatMap { type in ["--type", type] }
    let run = await bench.run(words + ["--", "answer"])
    #expect(run.status == 0)
    let lines = run.messages.split(separator: "\n").filter { line in line.contains("matches no action") }
    #expect(lines.count == 1 && lines[0].contains(hint), "\(run.messages)")
    #expect(try position("mail", bench) == last)
  }

  @Test func typesThatMatchedEarlierAreNotReported() async throws {
    let bench = try await bench()
    let words = ["consume", "my-log", "--as", "mail", "--until-end", "--type", "didTapIncrementButton"]
    let run = await bench.run(words + ["--", "answer"])
    #expect(run.status == 0 && !run.messages.contains("matches no action"), "\(run.messages)")
    let writer = try LogWriter.open(at: "my-log", model: "counter", schema: 1, fileSystem: bench.disk)
    try writer.appendNow([LogDraft(type: "didTapDecrementButton", data: Array("{}".utf8))])
    try writer.closeNow()
    let next = await bench.run(words + ["--", "answer"])
    #expect(next.status == 0 && !next.messages.contains("matches no action"), "\(next.messages)")
    #expect(try position("mail", bench) == lastRevision(of: bench))
  }

  @Test func aFailureNamesItsActionOnce() async throws {
    let bench = try await bench()
    let run = await bench.consume("my-log", "--as", "mail", "--until-end", "--", "die-at", "2")
    let lines = run.messages.split(separator: "\n")
    #expect(
      lines.contains { line in
        line.hasSuffix("attempt 1 of action 2 failed: the command ended with status 3 before it answered")
      })
    #expect(
      lines.contains("error: the command ended with status 3 before it answered: my-log, seq 2"), "\(run.messages)")
  }

  @Test func batchesAndEventsAreAnsweredInOrder() async throws {
    let bench = try await bench()
    let last = try lastRevision(of: bench)
    let journal = ScriptedCommand.Journal()
    let run = await bench.consume(
      "my-log", "--as", "stream", "--format", "cloudevents", "--batch", "3", "--until-end", "--", "answer",
      journal: journal)
    #expect(run.status == 0, "\(run.messages)")
    let ids = try journal.lines.map { line in try JSONValue(parsing: Array(line.utf8))["id"]?.text }
    let log = try LogReader.open(at: "my-log", fileSystem: bench.disk).header.log
    #expect(ids == (1...last).map { revision in "\(log)/\(revision)" })
  }

  @Test func eachRunsAProgramPerAction() async throws {
    let bench = try await bench()
    let last = try lastRevision(of: bench)
    let journal = ScriptedCommand.Journal()
    let run = await bench.consume(
      "my-log", "--as", "each", "--each", "--until-end", "--", "succeed", "word", journal: journal)
    #expect(run.status == 0, "\(run.messages)")
    #expect(journal.commandLines.count == last)
    let first = try #require(journal.commandLines.first)
    let log = try LogReader.open(at: "my-log", fileSystem: bench.disk).header.log
    #expect(first.words == ["succeed", "word"] && !first.readsOutput)
    #expect(first.variables["ACTION_LOG_ID"] == "\(log)/1")
    #expect(first.variables["ACTION_LOG_REVISION"] == "1" && first.variables["ACTION_LOG_ATTEMPT"] == "1")
  }

  @Test(
    "A program that fails loses nothing",
    arguments: [
      ("die-at", "ended with status 3 before it answered: my-log, seq 2"),
      ("hang-at", "did not answer within 1.0 s: my-log, seq 2"),
      ("confuse-at", "answered 'done' instead of the revision: my-log, seq 2"),
      ("skip-at", "answered 3, and the expected answer is 2: my-log, seq 2"),
      ("hurry-at", "answered before it received the action: my-log, seq 2"),
    ])
  func failingProgramLosesNothing(mode: String, message: String) async throws {
    let bench = try await bench()
    let last = try lastRevision(of: bench)
    let run = await bench.consume(
      "my-log", "--as", "mail", "--timeout", "1", "--batch", "3", "--until-end", "--", mode, "2")
    #expect(run.status == 3)
    #expect(run.messages.contains(message), "\(run.messages)")
    #expect(run.messages.contains("begins with it"), "\(run.messages)")
    #expect(try position("mail", bench) == 1)
    let journal = ScriptedCommand.Journal()
    let next = await bench.consume("my-log", "--as", "mail", "--until-end", "--", "answer", journal: journal)
    #expect(next.status == 0)
    #expect(try journal.revisions() == Array(2...last))
  }

  @Test func aSlowAnswerIsReportedOnce() async throws {
    let bench = try await bench()
    let run = await bench.consume("my-log", "--as", "mail", "--until-end", "--", "slow-at", "2")
    #expect(run.status == 0)
    #expect(
      run.messages.split(separator: "\n").filter { line in line.contains("still waiting for the command") }.count == 1)
    #expect(run.messages.contains("handle action 2. A program that holds its answers back"), "\(run.messages)")
  }

  @Test func failingStatusParksAndRetries() async throws {
    let bench = try await bench()
    let last = try lastRevision(of: bench)
    let run = await bench.consume(
      "my-log", "--as", "each", "--each", "--until-end", "--on-failure", "skip", "--", "fail-at", "2")
    #expect(run.status == 1, "\(run.messages)")
    #expect(try position("each", bench) == last)
    let list = await bench.run("subscriptions", "my-log", "--json")
    let summary = try JSONValue(parsing: Array(list.output.utf8.dropLast()))
    #expect(summary["parked"]?.integer == 1 && summary["lag"]?.integer == 0, "\(list.output)")
    let retry = await bench.run("subscriptions", "my-log", "--retry", "each")
    #expect(retry.output == "each: 1 action will be delivered again\n")
    let journal = ScriptedCommand.Journal()
    let next = await bench.consume("my-log", "--as", "each", "--each", "--until-end", "--", "succeed", journal: journal)
    #expect(next.status == 0, "\(next.messages)")
    #expect(try journal.revisions() == [2])
    #expect(journal.commandLines.first?.variables["ACTION_LOG_ATTEMPT"] == "2")
    let parked = try SubscriptionStore(at: "my-log", fileSystem: bench.disk).parked("each")
    #expect(parked.parked.isEmpty && parked.waiting.isEmpty)
  }

  @Test func unreadableFileHidesNoOtherSubscription() async throws {
    let bench = try await bench()
    for name in ["bad", "good"] {
      let run = await bench.consume("my-log", "--as", name, "--until-end", "--", "answer")
      #expect(run.status == 0, "\(run.messages)")
    }
    try bench.disk.createDirectory("my-log/subscriptions/bad.parked.jsonl")
    let list = await bench.run("subscriptions", "my-log", "--json")
    #expect(list.status == 0, "\(list.messages)")
    let rows = try list.output.split(separator: "\n").map { line in try JSONValue(parsing: Array(line.utf8)) }
    #expect(rows.map { row in row["name"]?.text } == ["bad", "good"])
    #expect(rows.first?["error"]?.text?.contains("bad.parked.jsonl") == true, "\(list.output)")
    #expect(rows.last?["error"] == nil, "\(list.output)")
  }

  @Test func typesAndPointsSelectActions() async throws {
    let bench = try await bench()
    let last = try lastRevision(of: bench)
    let journal = ScriptedCommand.Journal()
    let run = await bench.consume(
      "my-log", "--as", "down", "--type", "didTapDecrementButton", "--from", "2", "--until-end", "--", "answer",
      journal: journal)
    #expect(run.status == 0, "\(run.messages)")
    #expect(!journal.lines.isEmpty && journal.lines.allSatisfy { line in line.contains("didTapDecrementButton") })
    #expect(try journal.revisions().allSatisfy { revision in revision >= 2 })
    #expect(try position("down", bench) == last)
    let end = await bench.consume(
      "my-log", "--as", "new", "--from", "end", "--until-end", "--", "answer", journal: journal)
    #expect(end.status == 0)
    #expect(try position("new", bench) == last)
  }

  @Test func aNewSubscriptionBeginsWithTheBase() async throws {
    let bench = Bench(tool: .withStories)
    let recorded = await bench.run("record", "counter", "my-log", "--workload", "100", "--segment-size", "4K")
    try #require(recorded.status == 0, "\(recorded.messages)")
    let pruned = await bench.run("prune", "my-log", "--before", "60", "--reason", "test", "--delete", "--yes")
    try #require(pruned.status == 0, "\(pruned.messages)")
    let first = try #require(try LogReader.open(at: "my-log", fileSystem: bench.disk).base?.first)
    let note = "the log was pruned: the subscription begins with action \(first)\n"
    for from in [[], ["--from", "start"]] {
      let journal = ScriptedCommand.Journal()
      let words = ["consume", "my-log", "--as", "new\(from.count)"] + from + ["--until-end", "--", "answer"]
      func consume() async -> CommandLineRun {
        await bench.run(words) { environment in
          environment.startCommand = { line in ScriptedCommand(line, journal) }
        }
      }
      let run = await consume()
      #expect(run.status == 0 && run.messages.contains(note) == from.isEmpty, "\(run.messages)")
      #expect(try journal.revisions() == Array(first...lastRevision(of: bench)))
      let again = await consume()
      #expect(again.status == 0 && !again.messages.contains(note), "\(again.messages)")
    }
  }

  @Test func resetRemoveAndUnknownNames() async throws {
    let bench = try await bench()
    _ = await bench.consume("my-log", "--as", "mail", "--until-end", "--", "answer")
    let reset = await bench.run("subscriptions", "my-log", "--reset", "mail", "1")
    #expect(reset.output == "mail: the position is revision 1\n")
    #expect(try position("mail", bench) == 1)
    #expect(await bench.run("subscriptions", "my-log", "--reset", "mail", "99").status == 2)
    #expect(await bench.run("subscriptions", "my-log", "--reset", "mail").status == 2)
    #expect(await bench.run("subscriptions", "my-log", "2").status == 2)
    let unknown = await bench.run("subscriptions", "my-log", "--remove", "mai")
    #expect(unknown.status == 2 && unknown.messages.contains("'mail'"), "\(unknown.messages)")
    #expect(await bench.run("subscriptions", "my-log", "--remove", "mail").status == 0)
    let list = await bench.run("subscriptions", "my-log")
    #expect(list.status == 1 && list.messages == "no subscriptions\n")
  }

  @Test func wrongCallsAreRefused() async throws {
    let bench = try await bench()
    for arguments in [
      ["my-log", "--", "answer"], ["my-log", "--as", "a/b", "--", "answer"], ["my-log", "--as", "a"],
      ["my-log", "--as", "a", "--each", "--batch", "2", "--", "answer"],
      ["my-log", "--as", "a", "--from", "99", "--until-end", "--", "answer"],
    ] {
      let run = await bench.run(["consume"] + arguments)
      #expect(run.status == 2, "\(arguments): \(run.messages)")
    }
    #expect(try SubscriptionStore(at: "my-log", fileSystem: bench.disk).names().isEmpty)
  }

  @Test("A command without '--' is refused with the form", arguments: [["sh", "-c", "cat"], ["cat"], []])
  func aCommandComesAfterTheSeparator(words: [String]) async throws {
    let bench = try await bench()
    let run = await bench.run(["consume", "my-log", "--as", "mail"] + words)
    #expect(run.status == 2 && run.messages.contains("after '--'"), "\(run.messages)")
  }

  @Test func restoredBackupIsRefused() async throws {
    let bench = try await bench()
    #expect(await bench.run("backup", "my-log", "copy").status == 0)
    let more = try Bench.lines([CounterAction.didTapIncrementButton])
    #expect(await bench.run(["record", "counter", "my-log"], input: more).status == 0)
    _ = await bench.consume("my-log", "--as", "mail", "--until-end", "--", "answer")
    // The log is restored next to the newer position, and continued differently.
    for path in bench.disk.filePaths where path.hasPrefix("/copy/") {
      try bench.disk.setContents(try bench.disk.contents(of: path), of: "/my-log/" + path.dropFirst(6))
    }
    let short = await bench.consume("my-log", "--as", "mail", "--until-end", "--", "answer")
    #expect(short.status == 3 && short.messages.contains("the log ends before it"), "\(short.messages)")
    let other = try Bench.lines([CounterAction.didTapDecrementButton, .didTapDecrementButton])
    #expect(await bench.run(["record", "counter", "my-log"], input: other).status == 0)
    let different = await bench.consume("my-log", "--as", "mail", "--until-end", "--", "answer")
    #expect(different.status == 3 && different.messages.contains("differs from the log's"), "\(different.messages)")
    let list = await bench.run("subscriptions", "my-log")
    #expect(list.output.contains("differs from the log's"), "\(list.output)")
  }

  @Test func backupCopiesPositions() async throws {
    let bench = try await bench()
    _ = await bench.consume("my-log", "--as", "mail", "--until-end", "--", "answer")
    #expect(await bench.run("backup", "my-log", "copy").status == 0)
    let copied = bench.disk.filePaths.filter { path in path.hasPrefix("/copy/subscriptions/") }
    #expect(copied == ["/copy/subscriptions/mail.json"])
    let store = SubscriptionStore(at: "copy", fileSystem: bench.disk)
    #expect(try store.read("mail")?.position.revision == lastRevision(of: bench))
    #expect(await bench.run("verify", "copy").status == 0)
  }
}
