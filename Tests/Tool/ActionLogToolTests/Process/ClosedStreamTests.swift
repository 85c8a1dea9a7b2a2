import Foundation
import JSONCoding
import TestSupport
import Testing

@Suite("Closed pipes and descriptors")
struct ClosedStreamTests {
  @Test(
    "a reader that closes the pipe, as head does, ends the command quietly",
    arguments: [["list"], ["list", "--json"], ["list", "--format", "lines", "--all"]])
  func closedPipe(command: [String]) async throws {
    // More than a pipe holds, so that the command is still writing.
    let log = try await LogOnDisk(increments: 4_000)
    let process = try ToolProcess([command[0], log.path] + command.dropFirst())
    #expect(try await process.nextLine() != nil)
    process.closeOutput()
    #expect(try await process.wait() == .status(0))
    #expect(try process.messages() == "")
  }

  @Test(
    "without a reader of the answers, the log is closed, and the error names the rest of the input")
  func closedAnswers() async throws {
    let log = try LogOnDisk()
    let process = try ToolProcess(["record", "counter", log.path])
    try await process.send(LogOnDisk.increment)
    #expect(try await process.nextLine() != nil)
    process.closeOutput()
    process.feed { _ in LogOnDisk.increment }
    #expect(try await process.wait() == .status(3))
    #expect(try await log.types().last == "@close")
    #expect(try await log.verdict() == "clean")
    let count = try await log.state().revision
    let messages = try process.messages()
    let ending = try #require(
      messages.firstMatch(
        of:
          #/
          error:\ the\ reader\ of\ the\ answers\ closed\ the\ pipe,\ so\ recording\ ended\ after\ line\ (\d+)\ of\ the\ input\n
          The\ log\ is\ closed,\ at\ revision\ (\d+)\.\ The\ answers\ from\ line\ (\d+)\ on\ were\ not\ read\.
          \ The\ lines\ after\ line\ (\d+)\ were\ not\ recorded\.\n$
          /#), "\(messages)")
    let numbers = [ending.1, ending.2, ending.4].compactMap { text in Int(text) }
    #expect(numbers == [count, count, count])
    // A process started at that moment may have kept the pipe open for a few more answers.
    #expect((2...count).contains(try #require(Int(ending.3))))
  }

  @Test("recording continues without a reader of notes")
  func closedMessages() async throws {
    let log = try LogOnDisk()
    let script = #"{ "$0" "$@" 2>&1 >&3 | true; } 3>&1"#
    let run = try await ToolRun(
      "record", "counter", log.path, input: String(repeating: LogOnDisk.increment, count: 9),
      launcher: ["/bin/sh", "-c", script])
    #expect(try run.answers().compactMap(\.revision) == Array(1...9))
    #expect(try await log.verdict() == "clean")
  }

  @Test(
    "a process without standard descriptors does not write output into the log",
    arguments: [[STDIN_FILENO], [STDOUT_FILENO], [STDERR_FILENO], [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]])
  func missingDescriptors(numbers: [Int32]) async throws {
    let log = try await LogOnDisk(increments: 3)
    let closing = Set(numbers)
    let run = try await ToolRun("record", "counter", log.path, input: LogOnDisk.increment, closing: closing)
    #expect(run.ending == .status(closing == [STDERR_FILENO] ? 0 : 3))
    if !closing.contains(STDERR_FILENO) {
      #expect(run.messages.contains("Bad file descriptor"), "\(run.messages)")
    }
    // Only complete records, however many.
    #expect(try await log.verdict() == "clean")
    let expected = closing.contains(STDIN_FILENO) ? 3 : 4
    #expect(try await log.state() == (expected, expected))
  }

  @Test("output that cannot be written is an error", .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func fullOutput() async throws {
    let log = try await LogOnDisk(increments: 3)
    let run = try await ToolRun(
      "list", log.path, launcher: ["/bin/sh", "-c", #"exec "$0" "$@" > /dev/full"#])
    #expect(run.ending == .status(3))
    #expect(
      run.messages == "error: standard input or output failed: No space left on device\n"
        + "Free some space, or write the output elsewhere.\n")
  }
}
