import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import ActionLogTool
import EventSourcing
import JSONCoding
import Platform
import Testing

@Suite("ship")
struct ShipCommandTests {
  private static let manifest = "lake/_logs/3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11/manifest.jsonl"

  /// A closed log of several segments, the last one included.
  private func bench() async throws -> Bench {
    let bench = Bench()
    let run = await bench.run("record", "counter", "my-log", "--workload", "5000", "--segment-size", "100K")
    try #require(run.status == 0, "\(run.messages)")
    return bench
  }

  /// Returns the answers in the order of the segments; those that are replaced after a redaction come last in the output.
  private func answers(_ run: CommandLineRun) throws -> [JSONValue] {
    try run.output.split(separator: "\n").map { line in try JSONValue(parsing: Array(line.utf8)) }
      .sorted { one, other in (one["path"]?.text ?? "").suffix(22) < (other["path"]?.text ?? "").suffix(22) }
  }

  @Test func jsonReadsShippedSegmentsOnce() async throws {
    let bench = try await bench()
    let first = try answers(await bench.run("ship", "my-log", "lake", "--json"))
    #expect(first.count > 5)
    #expect(first.allSatisfy { answer in answer["outcome"] == "shipped" })
    for answer in first {
      let copy = try bench.disk.contents(of: answer["path"]?.text ?? "")
      #expect(answer["sha256"]?.text == SHA256.hexadecimal(copy))
    }
    bench.disk.resetCounts()
    let second = try answers(await bench.run("ship", "my-log", "lake", "--json"))
    let bytesRead = bench.disk.counts.bytesRead
    #expect(second.map { answer in answer["sha256"] } == first.map { answer in answer["sha256"] })
    #expect(second.allSatisfy { answer in answer["outcome"] == "present" })
    // Header, last line and both ends of each segment, a few kilobytes each; none is read in full.
    #expect(bytesRead < 40_000 * first.count)
    // Without the manifest each segment is read again, once.
    try bench.disk.remove(Self.manifest)
    let third = try answers(await bench.run("ship", "my-log", "lake", "--json"))
    #expect(third.map { answer in answer["sha256"] } == first.map { answer in answer["sha256"] })
    bench.disk.resetCounts()
    _ = await bench.run("ship", "my-log", "lake", "--json")
    #expect(bench.disk.counts.bytesRead == bytesRead)
  }

  @Test func textRunNotesTheDigests() async throws {
    let bench = try await bench()
    #expect(await bench.run("ship", "my-log", "lake").status == 0)
    bench.disk.resetCounts()
    let answers = try answers(await bench.run("ship", "my-log", "lake", "--json"))
    #expect(bench.disk.counts.bytesRead < 40_000 * answers.count)
    #expect(answers.last?["sealed"] == false && answers.first?["sealed"] == true)
  }

  @Test func dryRunChangesNothing() async throws {
    let bench = try await bench()
    let before = bench.disk.filePaths
    let run = await bench.run("ship", "my-log", "lake", "--dry-run", "--json")
    #expect(try answers(run).allSatisfy { answer in answer["outcome"] == "missing" })
    #expect(bench.disk.filePaths == before)
    #expect(await bench.run("ship", "my-log", "lake", "--dry-run", "--seal").status == 2)
    #expect(bench.disk.filePaths == before)
  }

  @Test func sealedLogIsShippedCompletely() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let run = await bench.run("ship", "my-log", "lake", "--seal", "--json")
    let answers = try answers(run)
    #expect(run.status == 0 && answers.count == 1 && answers[0]["sealed"] == true)
    #expect(await bench.run("ship", "my-log", "lake", "--seal").messages == "0 segments shipped, 1 already present\n")
    #expect(await bench.run("verify", "my-log").status == 0)
  }

  @Test func openLogIsNamed() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let environment = LogConfiguration(environment: bench.logEnvironment)
    let writer = try LogWriter.open(
      at: "my-log", model: "counter", schema: 1, fileSystem: bench.disk, configuration: environment)
    // What would be shipped is not reported as left out.
    let dry = await bench.run("ship", "my-log", "lake", "--dry-run")
    #expect(dry.status == 0 && dry.messages.contains("would be shipped as the tail"), "\(dry)")
    let run = await bench.run("ship", "my-log", "lake")
    #expect(run.status == 0 && run.messages.contains("the log is not closed"))
    #expect(await bench.run("ship", "my-log", "lake", "--seal").status == 4)
    try writer.closeNow()
  }

  @Test func misplacedLastSegmentIsReportedAsDamage() async throws {
    let bench = try await bench()
    let files = try bench.disk.names(in: "my-log")
    let names = files.filter { name in name.hasSuffix(".jsonl") && name.count == 22 }.sorted()
    try #require(names.count > 3)
    try bench.disk.setContents(
      try bench.disk.contents(of: "my-log/" + names[1]), of: "my-log/0000000000009999.jsonl")
    let run = await bench.run("ship", "my-log", "lake")
    #expect(run.status == 1 && run.messages.contains("my-log/0000000000009999.jsonl"), "\(run.messages)")
    #expect(!run.messages.contains("not closed"), "\(run.messages)")
    let salvaged = await bench.run("salvage", "my-log", "saved")
    let first = Int(names[1].prefix(16)) ?? 0
    #expect(salvaged.output.contains("segment 0000000000009999.jsonl begins at revision \(first), not 9999"))
    #expect(salvaged.output.contains("byte 0 (after revision 5000)"), "\(salvaged.output)")
  }

  // MARK: Reading and restoring

  private static let shipped = "lake/model=counter/log=3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11"

  @Test func shippedLogAnswersLikeTheLog() async throws {
    let bench = try await bench()
    _ = await bench.run("snapshot", "my-log", "--at", "4000")
    #expect(await bench.run("ship", "my-log", "lake").status == 0)
    for words in [["state", "--at", "4100"], ["blame", "/value"], ["stats"], ["list", "--last", "3"], ["replay"]] {
      let runs = [
        await bench.run([words[0], "my-log"] + words.dropFirst() + ["-q"]),
        await bench.run([words[0], Self.shipped] + words.dropFirst() + ["-q"]),
      ]
      #expect(runs[0].status == 0 && runs[0].status == runs[1].status, "\(words): \(runs[1].messages)")
      if words[0] != "replay", words[0] != "stats" { #expect(runs[0].output == runs[1].output, "\(words)") }
    }
    let state = try answers(await bench.run("state", Self.shipped, "--at", "4000", "--json"))[0]
    #expect(state["fromSnapshot"] == 4000)
    #expect(await bench.run("fleet", "lake").output.contains(Self.shipped))
    #expect(await bench.run("verify", "lake").status == 0)
    #expect(try answers(await bench.run("each", "lake", "--", "verify", "--json")).count == 1)
    let written = await bench.run("mark", Self.shipped, "3", "here")
    #expect(written.status != 0 && !bench.disk.filePaths.contains { path in path.contains("marks") })
    let target = await bench.run("record", "counter", Self.shipped, input: ["{}\n"])
    #expect(target.status == 2 && target.messages.contains("a shipped log cannot be written"))
  }

  @Test func lostLogIsRestored() async throws {
    let bench = try await bench()
    _ = await bench.run("snapshot", "my-log", "--at", "4000")
    _ = await bench.run("ship", "my-log", "lake")
    let dry = try answers(await bench.run("restore", Self.shipped, "restored", "--dry-run", "--json"))[0]
    #expect(dry["revision"] == 5000 && dry["path"] == .null && dry["isComplete"] == true)
    #expect(try bench.disk.status(of: "restored") == nil)
    let run = await bench.run("restore", Self.shipped, "restored", "--json")
    try #require(run.status == 0, "\(run.messages)")
    #expect(try answers(run)[0]["path"] == "restored")
    let digests = [
      try answers(await bench.run("replay", "my-log", "--json"))[0]["sha256"],
      try answers(await bench.run("replay", "restored", "--json"))[0]["sha256"],
    ]
    #expect(digests[0] == digests[1] && digests[0] != nil)
    #expect(await bench.run("state", "restored", "--at", "4000", "--json").output.contains(#""fromSnapshot":4000"#))
    let branch = await bench.run("branch", Self.shipped, "branch", "--to", "100")
    #expect(branch.status == 0 && branch.output.contains("branch: 100 actions, in common with "), "\(branch)")
    #expect(
      await bench.run("state", "branch", "-q").output
        == (await bench.run("state", "my-log", "--at", "100", "-q").output))
    // Without its newest segment.
    let newest = try #require(try answers(await bench.run("ship", "my-log", "lake", "--json")).last?["path"]?.text)
    try bench.disk.remove(newest)
    let refused = await bench.run("restore", Self.shipped, "other")
    #expect(refused.status == 1 && refused.messages.contains("the shipped log is not complete"), "\(refused.messages)")
    #expect(try bench.disk.status(of: "other") == nil)
    #expect(await bench.run("restore", Self.shipped, "other", "--partial").status == 1)
    #expect(await bench.run("verify", "other").status == 0)
    #expect(await bench.run("restore", "my-log", "another").status == 2)
  }

  // MARK: Commands

  @Test func aCommandStoresSegments() async throws {
    let bench = try await bench()
    let journal = ScriptedCommand.Journal()
    let run = await bench.run("ship", "my-log", "lake", "--with", "store it", "--json") { environment in
      environment.startCommand = { line in ScriptedCommand(line, journal) }
    }
    let lines = try answers(run)
    #expect(run.status == 0 && lines.count > 5, "\(run.messages)")
    let started = journal.commandLines
    #expect(started.map { line in line.words.last } == lines.map { _ in "exec 1>&2\nstore it" })
    for (line, answer) in zip(started, lines) {
      #expect(line.variables["ACTIONLOG_FILE"] == answer["segment"]?.text && line.variables["ACTIONLOG_REPLACE"] == "0")
      #expect("lake/" + (line.variables["ACTIONLOG_NAME"] ?? "") == answer["path"]?.text)
      #expect(line.variables["ACTIONLOG_SHA256"] == answer["sha256"]?.text)
    }
    #expect(!bench.disk.filePaths.contains { path in path.contains("/date=") })
    let again = await bench.run("ship", "my-log", "lake", "--with", "store it") { environment in
      environment.startCommand = { line in ScriptedCommand(line, journal) }
    }
    #expect(again.status == 0 && journal.commandLines.count == started.count)
  }

  // MARK: Redacted segments

  /// A closed redactable log of several segments, which has been shipped.
  private func shippedBench() async throws -> Bench {
    let bench = Bench()
    let actions = (1...12).map { number in
      #"{"type":"didTapIncrementButton","meta":{"actor":"Ann Smith \#(number)"}}"#
    }
    let run = await bench.run(
      "record", "counter", "my-log", "--redactable", "--segment-size", "1000",
      input: [actions.joined(separator: "\n") + "\n"])
    try #require(run.status == 0, "\(run.messages)")
    // Redacting begins a segment of its own anyway.
    #expect(await bench.run("ship", "my-log", "lake", "--seal").status == 0)
    return bench
  }

  private func redact(_ bench: Bench, _ target: String) async throws {
    let run = await bench.run("redact", "my-log", target, "--reason", "request", "--yes")
    try #require(run.status == 0, "\(run.messages)")
  }

  @Test func redactedSegmentReplacesItsCopy() async throws {
    let bench = try await shippedBench()
    let before = try answers(await bench.run("ship", "my-log", "lake", "--json"))
    try await redact(bench, "5:/meta/actor")
    let dry = try answers(await bench.run("ship", "my-log", "lake", "--json", "--dry-run"))
    bench.disk.resetCounts()
    let run = try answers(await bench.run("ship", "my-log", "lake", "--json"))
    #expect(
      dry.dropLast().map { answer in answer["outcome"] } == run.dropLast().map { answer in answer["outcome"] })
    let redacted = run.filter { answer in answer["outcome"] == "redacted" }
    #expect(redacted.count == 1 && run.count > 2)
    #expect(
      run.dropLast().allSatisfy { answer in answer["outcome"] == "redacted" || answer["outcome"] == "present" })
    // The segment with the `@redact` record.
    #expect(dry.last?["outcome"] == "missing" && run.last?["outcome"] == "shipped" && run.count == before.count + 1)
    // Two segments were written, and the manifest three times: with the segment of the record, without the old digest, and with the
    // new one.
    #expect(bench.disk.counts.renames == 5)
    for (old, new) in zip(before, run) {
      let copy = try bench.disk.contents(of: new["path"]?.text ?? "")
      #expect(new["sha256"]?.text == SHA256.hexadecimal(copy))
      #expect(new["outcome"] == "redacted" ? new["sha256"] != old["sha256"] : new["sha256"] == old["sha256"])
      #expect(!String(decoding: copy, as: UTF8.self).contains("Ann Smith 5"))
    }
    bench.disk.resetCounts()
    #expect(await bench.run("ship", "my-log", "lake").messages.hasSuffix(" \(run.count) already present\n"))
    #expect(bench.disk.counts.renames == 0 && bench.disk.counts.bytesWritten == 0)
  }

  /// A shipping that is terminated before any change leaves no digest of a file that it has replaced.
  @Test func interruptedShippingLeavesNoStaleDigest() async throws {
    let bench = try await shippedBench()
    // The second redaction leaves the segment with the length and the last checksum that the shipped one has.
    try await redact(bench, "5:/meta/actor")
    let first = try answers(await bench.run("ship", "my-log", "lake", "--json"))
    try await redact(bench, #"5:/meta/actor="[REDACTED]""#)
    let second = try answers(await bench.run("ship", "my-log", "lake", "--json", "--dry-run"))
    // The last segment has both `@redact` records, and no action.
    #expect(first.count == second.count && (first.last?["bytes"]?.integer ?? 0) < (second.last?["bytes"]?.integer ?? 0))
    #expect(first.dropLast().map { answer in answer["bytes"] } == second.dropLast().map { answer in answer["bytes"] })
    #expect(first.filter { answer in answer["outcome"] == "redacted" }.count == 1)
    let changes: Set<FileCall.Operation> = [.open, .append, .rename, .remove, .sync, .syncDirectory]
    let disk = bench.disk
    let left = Locked<[MemoryFileSystem]>([])
    let door = FaultyFileSystem(disk) { call in
      guard changes.contains(call.operation), call.path.hasPrefix("lake") else { return }
      left.withLock { left in left += [disk.copy(), disk.crash(.onlySyncedSurvives)] }
    }
    #expect(await bench.run("ship", "my-log", "lake") { environment in environment.fileSystem = door }.status == 0)
    var counts: Set<Int> = []
    for disk in left.withLock({ left in left }) {
      let entries = String(decoding: try disk.contents(of: Self.manifest), as: UTF8.self).split(separator: "\n")
      for line in entries {
        let entry = try JSONValue(parsing: Array(line.utf8))
        let copy = try disk.contents(of: "lake/" + (entry["path"]?.text ?? ""))
        #expect(entry["sha256"]?.text == SHA256.hexadecimal(copy))
      }
      counts.insert(entries.count)
    }
    let all = try String(decoding: bench.disk.contents(of: Self.manifest), as: UTF8.self).split(separator: "\n").count
    // With the old digest, without it, and with the new one.
    #expect(counts == [all - 1, all])
    // The next shipping completes what was interrupted: the old copy is still there, or the new one has no digest.
    for disk in left.withLock({ left in [left[left.count / 2], left[left.count - 1]] }) {
      for answer in try answers(await Bench(disk: disk, tool: bench.tool).run("ship", "my-log", "lake", "--json")) {
        let copy = try disk.contents(of: answer["path"]?.text ?? "")
        #expect(answer["sha256"]?.text == SHA256.hexadecimal(copy))
        let text = String(decoding: copy, as: UTF8.self)
        #expect(!text.contains("[redacted]") || text.contains("@redact"))
      }
    }
  }
}
