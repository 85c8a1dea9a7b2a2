import ActionLog
import ActionLogTesting
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
}
