import Foundation
import JSONCoding
import TestSupport
import Testing

@Suite("The end of a recording")
struct ClosingTests {
  @Test("the end of the input closes the log")
  func endOfInput() async throws {
    let log = try LogOnDisk()
    let process = try ToolProcess(["record", "counter", log.path])
    try await process.send(LogOnDisk.increment)
    #expect(try await process.nextLine() != nil)
    process.endInput()
    #expect(try await process.wait() == .status(0))
    #expect(try await log.types().suffix(3) == ["didTapIncrementButton", "@digest", "@close"])
    #expect(try await log.verdict() == "clean")
  }

  @Test("a signal closes a log whose writer waits for input", arguments: [SIGTERM, SIGINT, SIGHUP])
  func signalWhileWaiting(number: Int32) async throws {
    let log = try LogOnDisk()
    let process = try ToolProcess(["record", "counter", log.path])
    // The second line has no end: it is not an action yet when the signal comes.
    try await process.send(LogOnDisk.increment + #"{"type":"didTapIncr"#)
    #expect(try await process.nextLine() != nil)
    process.kill(number)
    #expect(try await process.remainingOutput() == "")
    #expect(try await process.wait() == .status(0))
    #expect(
      try process.messages().hasSuffix(
        "recorded 1 action as revision 1; stopped after line 1 of the input, whose rest was not recorded; "
          + "the log is closed\n"))
    #expect(try await log.types().suffix(3) == ["didTapIncrementButton", "@digest", "@close"])
    #expect(try await log.state() == (1, 1))
  }

  @Test("a signal during long input closes the log, and all its actions were answered")
  func signalWhileWriting() async throws {
    let log = try LogOnDisk()
    let process = try ToolProcess(["record", "counter", log.path, "--segment-size", "4K"])
    try process.shrinkInput()
    process.feed { _ in LogOnDisk.increment }
    for _ in 0..<100 { #expect(try await process.nextLine() != nil) }
    process.kill(SIGTERM)
    let rest = try await process.remainingOutput().split(separator: "\n")
    #expect(try await process.wait() == .status(0))
    let last = try rest.last.map { line in try Answer(parsing: String(line)) }
    let count = 100 + rest.count
    if let last { #expect(last == Answer(line: count, .receipt(revision: count))) }
    #expect(try await log.state() == (count, count))
    #expect(try await log.types().last == "@close")
  }

  @Test("a signal terminates a command that has nothing to close")
  func signalWhileReading() async throws {
    let log = try await LogOnDisk(increments: 4_000)
    // The output is not read further, so the command blocks on a full pipe.
    let process = try ToolProcess(["list", log.path])
    #expect(try await process.nextLine() != nil)
    process.kill(SIGTERM)
    #expect(try await process.wait() == .signal(SIGTERM))
  }

  @Test("a second writer is refused with the holder of the log, and the first continues")
  func secondWriter() async throws {
    let log = try LogOnDisk()
    let first = try ToolProcess(["record", "counter", log.path])
    try await first.send(LogOnDisk.increment)
    #expect(try await first.nextLine() != nil)

    let second = try await ToolRun("record", "counter", log.path, "--json", input: LogOnDisk.increment)
    #expect(second.ending == .status(4))
    #expect(second.output.isEmpty)
    let error = try JSONValue(parsing: Array(second.messages.utf8))
    #expect(error["error", "code"]?.text == "locked")
    #if os(Linux)
    #expect(error["error", "message"]?.text?.contains("process \(first.processID)") == true, "\(error)")
    #endif

    try await first.send(LogOnDisk.increment)
    #expect(try Answer(parsing: try #require(try await first.nextLine())) == Answer(line: 2, .receipt(revision: 2)))
    first.endInput()
    #expect(try await first.wait() == .status(0))
    #expect(try await log.state() == (2, 2))
    #expect(try await ToolRun("record", "counter", log.path, input: LogOnDisk.increment).ending == .status(0))
  }
}
