import ActionLog
import ActionLogTesting
import ActionLogTool
import JSONCoding
import Platform
import TestSupport
import Testing

@Suite("The end of a long log", .serialized)
struct ListEndTests {
  private static let count = 100_000

  private static let long = Task { () async throws -> Bench in
    let bench = Bench()
    let run = await bench.run(
      "record", "counter", "my-log", "--workload", "\(count)", "--segment-size", "512K", "--durability", "written")
    try #require(run.status == 0, "\(run.messages)")
    return bench
  }

  @Test(
    "is found without reading earlier records",
    arguments: [
      ["list", "my-log", "--last", "1"], ["list", "my-log", "--last", "1", "--format", "csv"],
      ["list", "my-log", "--last", "1", "--type", "didTap*"], ["list", "my-log", "--last", "1", "--all"],
      ["list", "my-log", "--last", "1", "--where", "seq > 10"],
      ["list", "my-log", "--last", "5", "--to", "50000"], ["list", "my-log", "--from", "-3"],
      ["list", "my-log", "--last", "10", "--format", "cloudevents"],
      ["list", "-f", "my-log", "--last", "1", "--type", "didTap*"], ["list", "-f", "my-log", "--format", "lines"],
    ])
  func readsLittle(words: [String]) async throws {
    let bench = try await Self.long.value
    let whole = try LogReader.open(at: "my-log", fileSystem: bench.disk).segments
    let size = whole.reduce(0) { sum, segment in sum + segment.sizeBytes }
    let before = bench.disk.counts.bytesRead
    let run = await bench.run(words)
    #expect(run.status == 0, "\(run.messages)")
    #expect(!run.output.isEmpty)
    let bytesRead = bench.disk.counts.bytesRead - before
    #expect(whole.count > 20)
    #expect(bytesRead < size / 4, "\(bytesRead) of \(size) bytes")
  }

  /// A terminal without colors for messages, and a clock that advances by a millisecond at each reading, so that a
  /// scan seems long.
  private static func letProgressShow(in environment: inout ToolEnvironment) {
    environment.errorIsTerminal = true
    environment.variables = ["NO_COLOR": "1"]
    let looks = Locked(0)
    environment.uptime = {
      looks.withLock { looks in
        looks += 1
        return .milliseconds(looks)
      }
    }
  }

  @Test("a long scan shows its progress, and lines do not run into it")
  func progress() async throws {
    let bench = try await Self.long.value
    let terminal = MemoryOutput()
    let run = await bench.run("list", "my-log", "--where", "seq == 99999") { environment in
      environment.outputIsTerminal = true
      environment.standardOutput = terminal
      environment.standardError = terminal
      Self.letProgressShow(in: &environment)
    }
    #expect(run.status == 0)
    #expect(terminal.text.contains("\r\u{1B}[Kreading "))
    #expect(terminal.text.contains("%"))
    // The progress line is erased before the action is printed.
    let parts = terminal.text.split(separator: "\r\u{1B}[K")
    #expect(parts.last?.hasPrefix("99999  ") == true, "\(terminal.text.suffix(300))")
  }

  @Test("an error begins on its own line")
  func errorAfterProgress() async throws {
    let bench = Bench()
    let made = await bench.run(
      "record", "counter", "my-log", "--workload", "20000", "--durability", "written")
    try #require(made.status == 0)
    let size = try bench.disk.contents(of: Bench.segment).count
    try bench.disk.flipBit(0, ofByte: size / 2, in: Bench.segment)
    let run = await bench.run("stats", "my-log", change: Self.letProgressShow)
    #expect(run.status == 1)
    #expect(run.messages.contains("\r\u{1B}[Kerror: "), "\(run.messages)")
  }
}

@Suite("Rows as long as lines can be") struct LongRowTests {
  @Test("a page of long rows is printed before the log is read further")
  func memory() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("log")
    let writer = try LogWriter.open(
      at: path, model: "counter", schema: 1, configuration: LogConfiguration(durability: .written))
    let text = String(repeating: "x", count: 600_000)
    for _ in 0..<8 { _ = try writer.writeNow([LogDraft(type: "note", data: Array(#"{"text":"\#(text)"}"#.utf8))]) }
    try writer.closeNow()
    let output = MemoryOutput()
    let printedAtLastRead = Locked(0)
    let files = FaultyFileSystem(POSIXFileSystem()) { call in
      guard call.operation == .read else { return }
      let count = output.bytes.count
      printedAtLastRead.withLock { last in last = count }
    }
    let run = await ActionLogTool.bare.run("list", path) { environment in
      environment.fileSystem = files
      environment.standardOutput = output
    }
    #expect(run.status == 0, "\(run.messages)")
    #expect(output.bytes.count > 4_800_000)
    // Two rows fill a page of 1 MiB; up to two pages and the read-ahead can be in memory.
    #expect(printedAtLastRead.withLock { last in last } > 2_000_000)
  }
}
