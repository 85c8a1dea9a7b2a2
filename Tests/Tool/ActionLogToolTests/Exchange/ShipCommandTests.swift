import ActionLog
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

  private func answers(_ run: CommandLineRun) throws -> [JSONValue] {
    try run.output.split(separator: "\n").map { line in try JSONValue(parsing: Array(line.utf8)) }
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
    #expect(dry.map { answer in answer["outcome"] } == run.map { answer in answer["outcome"] })
    let redacted = run.filter { answer in answer["outcome"] == "redacted" }
    #expect(redacted.count == 1 && run.count > 2)
    #expect(run.allSatisfy { answer in answer["outcome"] == "redacted" || answer["outcome"] == "present" })
    // One segment was written, and the manifest twice: without the old digest, and with the new one.
    #expect(bench.disk.counts.renames == 3)
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
    #expect(first.map { answer in answer["bytes"] } == second.prefix(first.count).map { answer in answer["bytes"] })
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
        #expect(!String(decoding: copy, as: UTF8.self).contains("[redacted]"))
      }
    }
  }
}
