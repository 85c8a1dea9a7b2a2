import ActionLog
import ActionLogTool
import CounterData
import JSONCoding
import Platform
import Testing

/// The measured quantities: the size of a chunk, and the number of chunks.
@Suite("Exchange of 100 000 actions")
struct LargeExchangeTests {
  fileprivate static let count = 100_000
  /// The maximum chunk of output: a buffer and one record.
  private static let portionLimitBytes = 128 * 1024

  private static func bench() throws -> Bench {
    let bench = Bench()
    let writer = try LogWriter.open(
      at: "my-log", model: "counter", schema: 1, fileSystem: bench.disk,
      configuration: LogConfiguration(durability: .written, environment: bench.logEnvironment))
    let draft = LogDraft(
      type: "didTapIncrementButton", data: Array("{}".utf8), time: LogTime(parsing: "2026-11-21T09:00:05.123456Z"))
    for _ in 0..<(count / 1_000) { _ = try writer.writeNow(Array(repeating: draft, count: 1_000)) }
    try writer.closeNow()
    return bench
  }

  @Test(
    "an export is streamed, and has a line for everything",
    arguments: [("cloudevents", 0), ("csv", 1), ("redux-devtools", Self.count + 5)])
  func export(format: String, otherLines: Int) async throws {
    let bench = try Self.bench()
    let output = CountingOutput()
    let run = await bench.run(Bench.exporting("my-log", as: format)) { environment in
      environment.standardOutput = output
    }
    #expect(run.status == 0, "\(run.messages)")
    #expect(output.counted.lines == Self.count + otherLines)
    // The list of ids of a lifted state is one chunk.
    let limit = format == "redux-devtools" ? 8 * Self.count : Self.portionLimitBytes
    #expect(output.counted.largestPortion <= limit)
  }

  @Test("an import is streamed")
  func importing() async throws {
    let bench = Bench()
    let run = await bench.run("import", "-", "new", "--format", "cloudevents", "--model", "counter", "--json") {
      environment in
      environment.standardInput = RepeatedInput(
        #"{"specversion":"1.0","id":"1","source":"/s","type":"didTapIncrementButton","data":{}}"# + "\n", Self.count)
    }
    #expect(run.status == 0, "\(run.messages)")
    #expect(try JSONValue(parsing: Array(run.output.utf8))["actions"]?.integer == Self.count)
    #expect(await bench.run("state", "new", "-q", "--path", "/value").output == "\(Self.count)\n")
  }
}

/// An output that counts lines and discards them.
private final class CountingOutput: ToolOutput {
  private let contents = Locked((lines: 0, largestPortion: 0))

  var counted: (lines: Int, largestPortion: Int) { contents.withLock { contents in contents } }

  func write(_ bytes: [UInt8]) throws(ToolStreamError) {
    contents.withLock { contents in
      contents.largestPortion = max(contents.largestPortion, bytes.count)
      contents.lines += bytes.split(separator: 10, omittingEmptySubsequences: false).count - 1
    }
  }
}

/// One line, many times.
private final class RepeatedInput: ToolInput {
  private let line: [UInt8]
  private let left: Locked<Int>

  init(_ line: String, _ count: Int) {
    self.line = Array(line.utf8)
    left = Locked(count)
  }

  func read(limit: Int) throws(ToolStreamError) -> [UInt8] {
    left.withLock { left in
      let count = min(left, limit / line.count)
      left -= count
      return (0..<count).flatMap { _ in line }
    }
  }
}
