import ActionLog
import ActionLogTesting
import ActionLogTool
import CounterData
import EventSourcing
import JSONCoding
import TestSupport
import Testing

/// The counts of the timeline, against a count of the records.
@Suite struct InspectorDensityTests {
  /// A log whose clock is often set back, and its records.
  private static func makeLog(_ count: Int, _ generator: inout SeededGenerator) throws -> (
    bench: Bench, records: [LogRecord]
  ) {
    let bench = Bench()
    try append(count, to: bench, &generator)
    return (bench, try records(of: bench))
  }

  private static func append(_ count: Int, to bench: Bench, _ generator: inout SeededGenerator) throws {
    let writer = try LogWriter.open(
      at: "my-log", model: CounterModel.name, schema: CounterModel.schema, fileSystem: bench.disk,
      configuration: LogConfiguration(durability: .written, environment: bench.logEnvironment))
    let start = try #require(LogTime(parsing: "2026-11-21T09:00:00.000000Z"))
    var drafts: [LogDraft] = []
    for action in CounterWorkload(seed: generator.next()).prefix(count) {
      let time = start.advanced(by: .seconds(Int.random(in: 0...10_000, using: &generator)))
      drafts.append(LogDraft(try ActionCoding.encode(action), time: time))
    }
    _ = try writer.appendNow(drafts)
    try writer.closeNow()
  }

  private static func records(of bench: Bench) throws -> [LogRecord] {
    var records: [LogRecord] = []
    var cursor = try LogReader.open(at: "my-log", fileSystem: bench.disk).records()
    while let record = try cursor.next() { if !record.isControl { records.append(record) } }
    return records
  }

  private static func indexed(_ page: InspectorBench, _ last: Int) async throws -> JSONValue {
    try await page.get("log", until: { log in log["indexed"]?.integer == last })
  }

  /// The sum of the counts of each type.
  private static func sums(_ density: JSONValue) -> [String: Int] {
    var sums: [String: Int] = [:]
    for counts in density["counts"]?.elements ?? [] {
      for (type, count) in zip(density["types"]?.elements ?? [], counts.elements) where count != 0 {
        sums[type.text ?? "", default: 0] += count.integer ?? 0
      }
    }
    return sums
  }

  @Test(arguments: Seeds.batches)
  func countsAddUpToTheRecords(batch: UInt64) async throws {
    for seed in Seeds.batch(batch, of: 2) {
      var generator = SeededGenerator(seed: seed)
      let (bench, records) = try Self.makeLog(150, &generator)
      let page = try InspectorBench(bench)
      _ = try await Self.indexed(page, records.count)
      for axis in ["time", "revision"] {
        let from = Int.random(in: 1...records.count, using: &generator)
        let to = Int.random(in: from...records.count, using: &generator)
        let buckets = Int.random(in: 1...40, using: &generator)
        let density = try await page.get("density", "axis=\(axis)&from=\(from)&to=\(to)&buckets=\(buckets)")
        let wanted = Dictionary(grouping: records[(from - 1)..<to], by: \.type).mapValues(\.count)
        #expect(Self.sums(density) == wanted, "seed \(seed), \(axis)")
        let parts = density["counts"]?.elements.count ?? 0
        #expect(parts <= buckets && density["first"]?.elements.count == parts)
        // The parts are an axis: the last one is not empty.
        #expect((density["counts"]?.elements.last?.elements ?? []).contains { count in count != 0 } || parts == 0)
        // Each part begins where the ones before it end.
        var next = from
        for (first, counts) in zip(density["first"]?.elements ?? [], density["counts"]?.elements ?? []) {
          let count = counts.elements.reduce(0) { sum, count in sum + (count.integer ?? 0) }
          if count > 0 { #expect(first.integer == next, "seed \(seed), \(axis)") }
          next += count
        }
      }
    }
  }

  @Test func laterActionsAreAppended() async throws {
    var generator = SeededGenerator(seed: 7)
    let (bench, records) = try Self.makeLog(100, &generator)
    let page = try InspectorBench(bench)
    _ = try await Self.indexed(page, records.count)
    try Self.append(60, to: bench, &generator)
    _ = try await Self.indexed(page, 160)
    let rebuilt = try InspectorBench(bench)
    _ = try await Self.indexed(rebuilt, 160)
    for query in ["axis=time&buckets=30", "axis=revision&buckets=30", "from=90&to=120&buckets=7"] {
      #expect(try await page.get("density", query) == (try await rebuilt.get("density", query)))
    }
  }

  @Test func longLogsKeepTheNewestActions() async throws {
    var generator = SeededGenerator(seed: 8)
    let (bench, records) = try Self.makeLog(200, &generator)
    let page = try InspectorBench(bench, indexLimit: 64)
    let log = try await Self.indexed(page, records.count)
    let density = try await page.get("density", "axis=revision&buckets=1")
    let from = try #require(density["from"]?.integer)
    #expect(density["to"] == 200 && 200 - from < 64 && 200 - from > 56)
    #expect(Self.sums(density) == Dictionary(grouping: records[(from - 1)...], by: \.type).mapValues(\.count))
    #expect(log["notices"]?.elements.contains { notice in notice.text?.contains("newest") == true } == true)
  }

  @Test func indexReadsOnceAndDecodesEachNameOnce() async throws {
    var generator = SeededGenerator(seed: 10)
    let (bench, records) = try Self.makeLog(5_000, &generator)
    let page = try InspectorBench(bench)
    let before = bench.disk.counts.bytesRead
    _ = try await Self.indexed(page, records.count)
    let size = try #require(try LogReader.open(at: "my-log", fileSystem: bench.disk).segments.first).sizeBytes
    #expect(bench.disk.counts.bytesRead - before < size * 3 / 2, "of \(size)")
    // Two types may share a place among the recent ones, which these do not.
    #expect(page.service.decodedNames == Set(records.map(\.type)).count)
  }

  /// The actions before damage are counted, also those read together with it.
  @Test func countsEndAtTheDamage() async throws {
    var generator = SeededGenerator(seed: 11)
    let (bench, records) = try Self.makeLog(300, &generator)
    try bench.disk.flipBit(0, ofByte: records[200].place.byteOffset + 60, in: Bench.segment)
    let page = try InspectorBench(bench)
    let log = try await Self.indexed(page, 200)
    let sentences = try #require(log["damage"]?.text).split(separator: ". ")
    #expect(log["last"] == 200 && Set(sentences).count == sentences.count, "\(sentences)")
    #expect(
      Self.sums(try await page.get("density")) == Dictionary(grouping: records[..<200], by: \.type).mapValues(\.count))
  }

  @Test func emptyRangesHaveNoCounts() async throws {
    var generator = SeededGenerator(seed: 9)
    let (bench, records) = try Self.makeLog(10, &generator)
    let page = try InspectorBench(bench)
    _ = try await Self.indexed(page, records.count)
    #expect(try await page.get("density", "from=11")["counts"] == [])
    #expect(try await page.refusal("density", "axis=type").status == 400)
    #expect(try await page.refusal("density", "buckets=2001").status == 400)
  }
}
