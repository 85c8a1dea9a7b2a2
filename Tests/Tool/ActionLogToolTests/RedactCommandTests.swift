import ActionLog
import ActionLogTesting
import ActionLogTool
import EventSourcing
import JSONCoding
import Testing

@Suite("redact")
struct RedactCommandTests {
  /// A redactable log of the story of the animals, in several segments, with the number of actions.
  private func bench() async throws -> Bench {
    let bench = Bench(tool: .withStories)
    let story = [
      #"{"type":"didTapIncrementButton"}"#, #"{"type":"didTapIncrementButton","meta":{"actor":"Ann Smith"}}"#,
      #"{"type":"didTapDecrementButton","meta":{"actor":"Bo"}}"#,
    ]
    for _ in 0..<4 {
      let run = await bench.run(
        "record", "counter", "my-log", "--redactable", "--segment-size", "800",
        input: [story.joined(separator: "\n") + "\n"])
      try #require(run.status == 0, "\(run.messages)")
    }
    return bench
  }

  @Test("values are listed, redacted and gone")
  func redaction() async throws {
    let bench = try await bench()
    let found = await bench.run("redact", "my-log", "--find", "Ann Smith")
    #expect(found.status == 0)
    let lines = found.output.split(separator: "\n").map(String.init)
    #expect(lines.count == 4)
    #expect(lines[0].contains(/seq 2, didTapIncrementButton in [0-9]+\.jsonl:[0-9]+: \/meta\/actor$/), "\(lines)")
    let line = try #require(lines[1].firstMatch(of: /index ([0-9]+),/)?.1)
    let targets = ["2:/meta/actor", "8:/meta/actor=\"x\"", "--line", "\(line):/meta/actor", "11:/meta"]
    let dry = await bench.run(["redact", "my-log"] + targets + ["--reason", "request 7", "--dry-run"])
    #expect(dry.status == 0, "\(dry.messages)")
    #expect(dry.output.contains("seq 2: /meta/actor would be replaced by \"[redacted]\"\n"))
    #expect(await bench.run("redact", "my-log", "--find", "Ann Smith").output == found.output)
    let unasked = await bench.run(["redact", "my-log"] + targets + ["--reason", "request 7"])
    #expect(unasked.status == 2 && unasked.messages.contains("--yes"))
    let run = await bench.run(["redact", "my-log"] + targets + ["--reason", "request 7", "--actor", "u1", "--yes"])
    #expect(run.status == 0, "\(run.messages)")
    #expect(run.output.contains("seq 8: /meta/actor was replaced by \"x\"\n"))
    let gone = await bench.run("redact", "my-log", "--find", "Ann Smith")
    #expect(gone.status == 1 && gone.output.isEmpty)
    #expect(await bench.run("verify", "my-log").status == 0)
    #expect(await bench.run("state", "my-log", "--path", "/value", "-q").output == "4\n")
    let log = await bench.run("list", "my-log", "--format", "lines", "--all").output
    #expect(log.contains(#""type":"@redact""#) && log.contains(#""reason":"request 7""#))
    #expect(log.contains(#""meta":{"actor":"u1"}"#))
    #expect(await bench.run("redact", "my-log", "--finish").output == "my-log: no redaction was interrupted\n")
  }

  @Test func aRedactionThatIsNotShippedIsAWarning() async throws {
    let bench = try await bench()
    try #require(await bench.run("ship", "my-log", "lake").status == 0)
    let copy = try #require(
      try bench.disk.filePaths.first { path in
        try path.contains("/date=")
          && String(decoding: bench.disk.contents(of: path), as: UTF8.self).contains(#""seq":2,"#)
      })
    let old = try bench.disk.contents(of: copy)
    let redacted = await bench.run("redact", "my-log", "2:/meta/actor", "--reason", "request 7", "--yes")
    try #require(redacted.status == 0, "\(redacted.messages)")
    try #require(await bench.run("ship", "my-log", "lake").status == 0)
    try #require(try bench.disk.contents(of: copy) != old)
    try bench.disk.setContents(old, of: copy)
    let lake = String(copy[..<(try #require(copy.firstRange(of: "/date=")).lowerBound)])
    let report = await bench.run("verify", lake)
    #expect(report.status == 0 && report.output.contains("clean, and a redaction is not complete"), "\(report.output)")
    #expect(report.messages.contains("The next 'ship' completes it in the lake, and 'restore'"), "\(report.messages)")
    let restored = await bench.run("restore", lake, "restored")
    #expect(restored.status == 0, "\(restored.messages)")
    let found = await bench.run("redact", "restored", "--find", "Ann Smith")
    #expect(!found.output.contains("seq 2,") && found.output.contains("seq 5,"), "\(found.output)")
    #expect(await bench.run("ship", "my-log", "lake").output.contains(", redacted\n"))
    #expect(await bench.run("verify", lake).output.contains("redaction is not complete") == false)
  }

  /// The redaction ends at the removal of a snapshot; the next writer, or `--finish`, removes it.
  @Test func anInterruptedRedactionIsAWarning() async throws {
    let bench = try await bench()
    for revision in ["1", "6", "9"] {
      let run = await bench.run("snapshot", "my-log", "--at", revision)
      try #require(run.status == 0, "\(run)")
    }
    let door = FaultyFileSystem(bench.disk, faults: [FileFault(.remove, lasts: true, pathSuffix: "9.json")])
    let redact = await bench.run("redact", "my-log", "2:/meta/actor", "--reason", "r", "--yes") { environment in
      environment.fileSystem = door
    }
    #expect(redact.status != 0 && redact.messages.contains("redact LOG --finish"), "\(redact)")
    let run = await bench.run("verify", "my-log")
    #expect(run.status == 0, "\(run)")
    #expect(run.output.hasPrefix("my-log: clean, and a redaction is not complete\n"), "\(run)")
    #expect(run.output.contains("- snapshot not used: my-log/snapshots/0000000000000009.json"), "\(run)")
    #expect(run.messages.contains("'action-log redact my-log --finish' does so now"), "\(run)")
    let old = try bench.disk.contents(of: "my-log/snapshots/0000000000000009.json")
    #expect(await bench.run("redact", "my-log", "--finish").status == 0)
    let after = await bench.run("verify", "my-log", "--json")
    #expect(after.status == 0 && !after.output.contains("outdated"), "\(after)")
    // Afterward it is an error again.
    try bench.disk.setContents(old, of: "my-log/snapshots/0000000000000009.json")
    let error = await bench.run("verify", "my-log")
    #expect(
      error.status == 1 && error.output.hasPrefix("my-log: the records are clean, and 1 snapshot is not\n"), "\(error)")
  }

  @Test("a skipped action keeps its revision", arguments: [false, true])
  func skip(withoutModel: Bool) async throws {
    let bench = try await bench()
    let run = await bench.run(
      ["redact", "my-log", "--skip", "5", "--reason", "r", "--yes", "--json"]
        + (withoutModel ? ["--without-model"] : []))
    #expect(run.status == 0, "\(run.messages)")
    let answer = try JSONValue(parsing: run.output.utf8)
    #expect(answer["isDryRun"] == false && answer["index"] != nil && answer["otherFiles"] == [])
    #expect(run.output.contains(#""seq":5,"with":{},"skip":true}"#))
    #expect(await bench.run("state", "my-log", "--path", "/value", "-q").output == "3\n")
    let replay = await bench.run("replay", "my-log", "--json")
    #expect(replay.output.contains(#""skippedActions":1"#))
    #expect(await bench.run("replay", "my-log").output.contains("1 action, which a redaction excludes from replays"))
    let proof = await bench.run("replay", "my-log", "--verify")
    #expect(proof.status == 0 && proof.output.contains("1 action, which a redaction excludes from replays"))
    #expect(await bench.run("replay", "my-log", "--verify", "--json").output.contains(#""skippedActions":1"#))
    let list = await bench.run("list", "my-log").output.split(separator: "\n")
    #expect(list.filter { line in line.contains(" skipped") }.count == 1)
    let page = await bench.run("show", "my-log", "5")
    #expect(page.output.contains("nothing: a redaction excludes it from replays"), "\(page.output)")
    #expect(await bench.run("verify", "my-log").status == 0)
  }

  @Test(
    "wrong calls are refused",
    arguments: [
      (["my-log", "2:/meta/actor"], "a redaction needs --reason"),
      (["my-log", "--reason", "r"], "name a value to redact, for instance 12:/data/name"),
      (["my-log", "meta/actor", "--reason", "r"], "'meta/actor' is not a target"),
      (["my-log", "0:/data", "--reason", "r"], "revision 0 has no action"),
      (["my-log", "2:/meta/aktor", "--reason", "r"], "there is no value at /meta/aktor"),
      (["my-log", "--line", "x:/data", "--reason", "r"], "'x' is not the index of a line"),
      (["my-log", "--line", "9999:/data", "--reason", "r"], "there is no line 9999"),
      (["my-log", "--find", "Ann", "--finish"], "--find and --finish cannot be combined"),
      (["my-log", "--find", "Ann", "--reason", "r"], "--find and --reason cannot be combined"),
      (
        ["plain-log", "1:/data", "--reason", "r"],
        "the line at index 3 has no salt: the log was not made with 'redactable'"
      ),
    ])
  func wrongCalls(arguments: [String], message: String) async throws {
    let bench = try await bench()
    _ = await bench.run("record", "counter", "plain-log", input: [#"{"type":"didTapIncrementButton"}"# + "\n"])
    let before = await bench.run("list", "my-log", "--format", "lines", "--all").output
    let run = await bench.run(["redact"] + arguments + ["--yes"])
    #expect(run.status != 0)
    #expect(run.messages.contains(message), "\(run.messages)")
    #expect(await bench.run("list", "my-log", "--format", "lines", "--all").output == before)
  }

  @Test("the base of a pruned log is redacted")
  func base() async throws {
    let bench = try await bench()
    let pruned = await bench.run("prune", "my-log", "--before", "7", "--reason", "age", "--delete", "--yes")
    try #require(pruned.status == 0, "\(pruned.messages)")
    let more = await bench.run(
      "record", "counter", "my-log", "--redactable", input: [#"{"type":"didTapIncrementButton"}"# + "\n"])
    try #require(more.status == 0, "\(more.messages)")
    let before = try #require(Int(await bench.run("state", "my-log", "--path", "/value", "-q").output.dropLast()))
    let old = try await value(of: bench)
    let missing = await bench.run("redact", "my-log", "base:/state/valeu", "--reason", "r", "--yes")
    #expect(missing.status != 0 && missing.messages.contains("there is no value at /state/valeu"))
    let run = await bench.run("redact", "my-log", "base:/state/value=100", "--reason", "request 9", "--yes")
    #expect(run.status == 0, "\(run.messages)")
    #expect(run.output.hasPrefix("base.json: /state/value was replaced by 100\n"))
    #expect(run.output.contains(": /data/base/sha256 was replaced by "))
    #expect(await bench.run("state", "my-log", "--path", "/value", "-q").output == "\(before - old + 100)\n")
    #expect(await bench.run("verify", "my-log").status == 0)
    #expect(await bench.run("replay", "my-log", "--verify").status == 0)
    let found = await bench.run("redact", "my-log", "--find", "100", "--json")
    #expect(found.output.contains(#""index":null"#) && found.output.contains(#""pointer":"/state/value""#))
    let undecodable = await bench.run("redact", "my-log", #"base:/state/value="x""#, "--reason", "r", "--yes")
    #expect(undecodable.status != 0)
    #expect(await bench.run("redact", "other-log", "base:/state", "--reason", "r", "--yes").status != 0)
  }

  /// The value in the base.
  private func value(of bench: Bench) async throws -> Int {
    let root = try JSONTape(parsing: bench.disk.contents(of: "my-log/base.json")).root
    return try #require(root["state"]?["value"]?.integer(Int.self))
  }

  @Test("marks with an erased text are named")
  func marks() async throws {
    let bench = try await bench()
    for (name, remark) in [("first", "seen by Ann Smith"), ("second", "nothing"), ("Ann Smith", "gone soon")] {
      #expect(await bench.run("mark", "my-log", "3", name, remark).status == 0)
    }
    // The name of a removed mark is not left in the file, and the others are.
    #expect(await bench.run("mark", "my-log", "--remove", "Ann Smith").status == 0)
    let file = String(decoding: try bench.disk.contents(of: "my-log/marks.jsonl"), as: UTF8.self)
    #expect(!file.contains("gone soon") && !file.contains(#""name":"Ann Smith""#))
    #expect(await bench.run("completions", "fish", "--", "mark", "my-log", "--remove", "").output == "first\nsecond\n")
    let targets = ["redact", "my-log", "2:/meta/actor", "--reason", "Ann Smith, request 7", "--record-erased"]
    let dry = await bench.run(targets + ["--dry-run", "--json"])
    let places = try JSONValue(parsing: dry.output.utf8)["otherPlaces"]
    guard case .array(let found)? = places else {
      Issue.record("\(dry)")
      return
    }
    // The name is in three other actions; the value to erase is not listed.
    #expect(found.count == 3 && !dry.output.contains(#""seq":2,"type""#), "\(dry.output)")
    let run = await bench.run(targets + ["--yes"])
    #expect(run.status == 0, "\(run.messages)")
    #expect(
      run.messages.contains(/seq 5, didTapIncrementButton in [0-9]+\.jsonl:3: \/meta\/actor contains an erased text/),
      "\(run.messages)")
    #expect(
      run.messages.contains(/, @redact in [0-9]+\.jsonl:[0-9]+: \/data\/reason contains an erased text/),
      "\(run.messages)")
    #expect(run.messages.contains("marks.jsonl contains an erased text"), "\(run.messages)")
    #expect(await bench.run("mark", "my-log", "--remove", "first").status == 0)
    let left = String(decoding: try bench.disk.contents(of: "my-log/marks.jsonl"), as: UTF8.self)
    #expect(!left.contains("Ann Smith"))
  }

  @Test func aFailureAfterTheRedactionSaysThatItIsMade() async throws {
    let bench = try await bench()
    #expect(await bench.run("mark", "my-log", "3", "first", "seen by Ann Smith").status == 0)
    let door = FaultyFileSystem(
      bench.disk, faults: [FileFault(.open, lasts: true, code: .permissionDenied, pathSuffix: "marks.jsonl")])
    let run = await bench.run("redact", "my-log", "2:/meta/actor", "--reason", "r", "--yes") { environment in
      environment.fileSystem = door
    }
    #expect(run.status == 3, "\(run)")
    #expect(run.output.contains("seq 2: /meta/actor was replaced by"), "\(run.output)")
    #expect(run.messages.contains("The redaction is recorded and carried out in the log."), "\(run.messages)")
    #expect(run.messages.contains("marks.jsonl"), "\(run.messages)")
  }

  @Test("only data and metadata can be redacted, and a digest becomes null")
  func defaults() async throws {
    let bench = try await bench()
    let outside = await bench.run("redact", "my-log", "2:/type", "--reason", "r", "--yes")
    #expect(outside.messages.contains("/type cannot be redacted: only values in /data and /meta can"))
    let lines = await bench.run("list", "my-log", "--format", "lines", "--all").output.split(separator: "\n")
    let index = try #require(lines.firstIndex { line in line.contains(#""type":"@digest""#) })
    let run = await bench.run("redact", "my-log", "--line", "\(index):/data/state", "--reason", "r", "--yes")
    #expect(run.status == 0 && run.output.hasSuffix(": /data/state was replaced by null\n"), "\(run)")
    #expect(await bench.run("replay", "my-log", "--verify").status == 0)
    #expect(await bench.run("verify", "my-log").status == 0)
  }

  @Test("a name with '=' is not taken for a replacement")
  func equalsSign() async throws {
    let bench = Bench(tool: .withStories)
    let action = #"{"type":"didTapIncrementButton","meta":{"x":"short","x=1":"long"}}"#
    let recorded = await bench.run("record", "counter", "my-log", "--redactable", input: [action + "\n"])
    try #require(recorded.status == 0, "\(recorded.messages)")
    let run = await bench.run("redact", "my-log", "1:/meta/x=1", "--reason", "r", "--yes")
    #expect(run.status == 2 && run.messages.contains("can mean a value with '=' in its name"), "\(run.messages)")
    #expect(
      await bench.run("list", "my-log", "--format", "lines", "--all").output.contains(#""x":"short","x=1":"long""#))
    let found = await bench.run("redact", "my-log", "--find", "long").output
    let index = try #require(found.firstMatch(of: /index ([0-9]+),/)?.1)
    let line = await bench.run("redact", "my-log", "--line", "\(index):/meta/x=1", "--reason", "r", "--yes")
    #expect(line.status == 2 && line.messages.contains("can mean a value with '=' in its name"), "\(line.messages)")
    #expect(await bench.run("redact", "my-log", "1:/meta/x=2", "--reason", "r", "--yes").status == 0)
  }

  /// Writes the files of a subscription that has parked action 2.
  ///
  /// - Returns: The salt of the action.
  private func parkAction(_ bench: Bench) throws -> String {
    let reader = try LogReader.open(at: "my-log", fileSystem: bench.disk)
    let line = try reader.record(at: 2).rawLine
    let salt = try #require(String(decoding: line, as: UTF8.self).firstMatch(of: /"salt":"([^"]+)"/)?.1)
    let log = reader.header.log
    let crc = String(decoding: line.suffix(10).prefix(8), as: UTF8.self)
    func file(_ text: String, _ name: String) throws {
      var bytes = Array(text.utf8)
      CommitMark.append(to: &bytes)
      try bench.disk.setContents(bytes, of: "my-log/subscriptions/" + name)
    }
    let time = "2026-11-21T09:00:00.000000Z"
    try file(
      #"{"subscription":"mail","log":"\#(log)","seq":2,"line":"\#(crc)","updated":"\#(time)","attempts":0"#, "mail.json"
    )
    let text = String(decoding: line, as: UTF8.self)
    try file(
      #"{"seq":2,"parked":"\#(time)","attempts":5,"error":"no mail for Ann Smith","record":\#(text)"#,
      "mail.parked.jsonl")
    return String(salt)
  }

  private func expectRedactedAction(_ bench: Bench, salt: String) throws {
    let left = String(decoding: try bench.disk.contents(of: "my-log/subscriptions/mail.parked.jsonl"), as: UTF8.self)
    #expect(!left.contains("Ann Smith") && !left.contains(salt) && left.contains(#""error":"[redacted]""#), "\(left)")
    let parked = try SubscriptionStore(at: "my-log", fileSystem: bench.disk).parked("mail").parked
    let reader = try LogReader.open(at: "my-log", fileSystem: bench.disk)
    #expect(parked.map(\.line) == [try reader.record(at: 2).rawLine])
  }

  /// The removed texts are not in the log any more: those in the parked line are removed from its error.
  @Test(arguments: ["--finish", "the next writer"])
  func aCompletedRedactionIncludesParkedActions(by means: String) async throws {
    let bench = try await bench()
    let salt = try parkAction(bench)
    // New segments are renamed, too, before the redaction is recorded.
    let segment = try LogReader.open(at: "my-log", fileSystem: bench.disk).record(at: 2).place.path
    let door = FaultyFileSystem(bench.disk, faults: [FileFault(.rename, lasts: true, pathSuffix: segment + ".new")])
    let redact = await bench.run("redact", "my-log", "2:/meta/actor", "--reason", "r", "--yes") { environment in
      environment.fileSystem = door
    }
    #expect(redact.status != 0 && redact.messages.contains("redact LOG --finish"), "\(redact)")
    let verified = await bench.run("verify", "my-log")
    #expect(verified.status == 0, "\(verified)")
    #expect(verified.output.hasPrefix("my-log: clean, and a redaction is not complete\n"), "\(verified)")
    #expect(verified.messages.contains("'action-log redact my-log --finish' completes the redaction"), "\(verified)")
    if means == "--finish" {
      let run = await bench.run("redact", "my-log", "--finish")
      #expect(run.status == 0 && run.messages.contains("1 parked action redacted, too"), "\(run)")
    } else {
      let run = await bench.run("record", "counter", "my-log", input: [#"{"type":"didTapIncrementButton"}"# + "\n"])
      #expect(run.status == 0, "\(run)")
    }
    try expectRedactedAction(bench, salt: salt)
    #expect(await bench.run("verify", "my-log").status == 0)
  }

  @Test("parked actions are redacted with their lines")
  func parked() async throws {
    let bench = try await bench()
    let salt = try parkAction(bench)
    let found = await bench.run("redact", "my-log", "--find", "Ann Smith")
    #expect(found.output.contains("file subscriptions/mail.parked.jsonl\n"), "\(found.output)")
    let run = await bench.run("redact", "my-log", "2:/meta/actor", "--reason", "r", "--yes")
    #expect(run.status == 0 && run.messages.contains("1 parked action redacted, too"), "\(run.messages)")
    #expect(!run.messages.contains("subscriptions/"), "\(run.messages)")
    try expectRedactedAction(bench, salt: salt)
  }

  private static let parkedPath = "my-log/subscriptions/mail.parked.jsonl"

  /// The base was folded from the action, which is never delivered again: its segment is not put back.
  @Test(arguments: [true, false]) func parkedActionsBeforeARedactedBaseLoseTheirContent(isSalted: Bool) async throws {
    let bench = try await bench()
    let salt = try parkAction(bench)
    var parked = try bench.disk.contents(of: Self.parkedPath)
    if !isSalted {
      parked = Array(String(decoding: parked, as: UTF8.self).replacing(#","salt":"\#(salt)""#, with: "").utf8)
      parked.removeLast(CommitMark.sizeBytes)
      CommitMark.append(to: &parked)
    }
    let pruned = await bench.run("prune", "my-log", "--before", "7", "--reason", "age", "--delete", "--yes")
    try #require(pruned.status == 0, "\(pruned.messages)")
    func left() throws -> String { String(decoding: try bench.disk.contents(of: Self.parkedPath), as: UTF8.self) }
    func expectErased(_ run: CommandLineRun) throws {
      #expect(run.status == 0 && run.messages.contains("1 parked action redacted, too"), "\(run.messages)")
      let text = try left()
      #expect(!text.contains("Ann Smith") && !text.contains(salt), "\(text)")
      let actions = try SubscriptionStore(at: "my-log", fileSystem: bench.disk).parked("mail").parked
      #expect(actions.map(\.revision) == (isSalted ? [2] : []))
      #expect(actions.allSatisfy { action in action.error == "[redacted]" && action.attempts == 5 })
    }
    try bench.disk.setContents(parked, of: Self.parkedPath)
    // A pruning alone erases nothing.
    let before = await bench.run("redact", "my-log", "--finish")
    #expect(before.status == 0 && !before.messages.contains("redacted, too"), "\(before)")
    #expect(try bench.disk.contents(of: Self.parkedPath) == parked)
    try expectErased(await bench.run("redact", "my-log", "base:/state/value=100", "--reason", "r", "--yes"))
    // A consumer held its actions while the base was redacted.
    try bench.disk.setContents(parked, of: Self.parkedPath)
    try expectErased(await bench.run("redact", "my-log", "--finish"))
    let again = await bench.run("redact", "my-log", "--finish")
    #expect(again.status == 0 && !again.messages.contains("redacted, too"), "\(again)")
  }

  /// A consumer held the parked action while its line was redacted, and the line was pruned then.
  @Test func parkedActionsOfRedactedAndPrunedLinesLoseTheirContent() async throws {
    let bench = try await bench()
    let salt = try parkAction(bench)
    let parked = try bench.disk.contents(of: Self.parkedPath)
    try #require(await bench.run("redact", "my-log", "2:/meta/actor", "--reason", "r", "--yes").status == 0)
    try bench.disk.setContents(parked, of: Self.parkedPath)
    let pruned = await bench.run("prune", "my-log", "--before", "7", "--reason", "age", "--archive", "old", "--yes")
    try #require(pruned.status == 0, "\(pruned.messages)")
    let run = await bench.run("redact", "my-log", "--finish")
    #expect(run.messages.contains("1 parked action redacted, too"), "\(run.messages)")
    let left = String(decoding: try bench.disk.contents(of: Self.parkedPath), as: UTF8.self)
    #expect(!left.contains("Ann Smith") && !left.contains(salt), "\(left)")
    // With its line it can be delivered again.
    try #require(await bench.run("prune", "my-log", "--restore", "old", "--yes").status == 0)
    #expect(await bench.run("redact", "my-log", "--finish").messages.contains("1 parked action redacted, too"))
    try expectRedactedAction(bench, salt: salt)
  }
}
