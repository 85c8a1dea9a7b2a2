import ActionLog
import ActionLogTesting
import ActionLogTool
import Testing

/// Actions up to the longest line survive a round trip through each importable format.
@Suite("The longest action, out and back", .serialized)
struct LongestActionTests {
  /// Which part of the action is long.
  enum Part: Sendable {
    case data
    /// In a CloudEvent, metadata is a string, in which each quote and each backslash takes another byte.
    case meta

    /// The number of quotes that lengthens an event by more than its other members.
    private static let quoteLimit = 1 << 18

    func draft(fillingBytes count: Int) -> LogDraft {
      let time = LogTime(parsing: "2026-11-21T09:00:05.123456Z")
      let quote = #"\""#
      let quoteCount = self == .meta ? min(count / quote.utf8.count, Self.quoteLimit) : 0
      let text =
        #"{"note":""# + String(repeating: quote, count: quoteCount)
        + String(repeating: "x", count: count - quoteCount * quote.utf8.count) + #""}"#
      return switch self {
      case .data: LogDraft(type: "didTapIncrementButton", data: Array(text.utf8), time: time)
      case .meta: LogDraft(type: "didTapIncrementButton", data: Array("{}".utf8), meta: Array(text.utf8), time: time)
      }
    }
  }

  /// Records an action whose line has all the bytes that a line may have.
  private func record(_ part: Part, in bench: Bench) throws {
    func open(_ path: String) throws -> LogWriter {
      try LogWriter.open(
        at: path, model: "counter", schema: 1, fileSystem: bench.disk,
        configuration: LogConfiguration(durability: .written, environment: bench.logEnvironment))
    }
    // The rest of the line is measured in another log, whose numbers have as many digits.
    let probe = try open("probe")
    _ = try probe.writeNow([part.draft(fillingBytes: 0)])
    probe.abandon()
    let lines = try bench.disk.contents(of: "probe/0000000000000001.jsonl").split(separator: 10)
    let overhead = try #require(lines.last).count + 1
    let writer = try open("my-log")
    #expect(throws: LogError.self) {
      try writer.writeNow([part.draft(fillingBytes: LogFormat.lineLimitBytes - overhead + 1)])
    }
    _ = try writer.writeNow([part.draft(fillingBytes: LogFormat.lineLimitBytes - overhead)])
    try writer.closeNow()
  }

  @Test(
    "comes back as it was", arguments: [("cloudevents", Part.data), ("cloudevents", .meta), ("redux-devtools", .data)])
  func roundTrip(format: String, part: Part) async throws {
    let bench = Bench()
    try record(part, in: bench)
    let exported = await bench.run(Bench.exporting("my-log", as: format))
    #expect(exported.status == 0 && exported.messages.isEmpty, "\(exported.messages)")
    let imported = await bench.run("import", "-", "copy", "--format", format, input: [exported.output])
    #expect(imported.status == 0, "\(imported.messages)")
    let before = await bench.run("list", "my-log", "--json").output
    // Compared outside of the expectation, which would print both.
    let isSame = await bench.run("list", "copy", "--json").output == before
    #expect(isSame && before.utf8.count > LogFormat.lineLimitBytes - 200)
    #expect(await bench.run("verify", "copy").status == 0)
  }

  @Test("an event that no record could hold is refused with its line")
  func tooLong() async throws {
    let event =
      #"{"specversion":"1.0","id":"1","source":"/s","type":"didTapIncrementButton","data":{"x":""#
      + String(repeating: "x", count: LogFormat.lineLimitBytes) + #""}}"# + "\n"
    let bench = Bench()
    let run = await bench.run("import", "-", "new", "--format", "cloudevents", "-m", "counter", input: ["\n", event])
    #expect(run.status == 5 && run.messages.contains("'didTapIncrementButton' is longer than"), "\(run.messages)")
    #expect(run.messages.contains(": -:2, byte 1\n"), "\(run.messages)")
    #expect(await bench.run("list", "new").status == 3)
  }
}
