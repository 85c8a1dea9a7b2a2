import ActionLog
import ActionLogTesting
import ActionLogTool
import CounterData
import Dispatch
import EventSourcing
import Foundation
import JSONCoding
import Platform
import Testing

/// Limits, full disks, unreadable folders and blocked threads of `consume` and `subscriptions`.
@Suite("consume and subscriptions under failures", .timeLimit(.minutes(60)))
struct ConsumeFailureTests {
  private func bench() async throws -> Bench {
    let bench = Bench()
    try await bench.recordCounter()
    return bench
  }

  // MARK: Time limits

  /// A program that takes a part of its time for its input, and the same again to end.
  private final class SlowCommand: ToolCommand {
    private let clock: Locked<Duration>
    private let part: Duration

    init(_ clock: Locked<Duration>, part: Duration) {
      (self.clock, self.part) = (clock, part)
    }

    private func spend(_ mayWait: (Duration) -> Bool) -> Bool {
      clock.withLock { clock in clock += part }
      return mayWait(part)
    }

    func exchange(
      _ bytes: [UInt8], mayWait: (Duration) -> Bool, takeLine: (ArraySlice<UInt8>, Int) throws -> Bool
    ) throws -> ToolExchangeEnd {
      spend(mayWait) ? .isComplete : .timedOut
    }

    func closeInput() {}

    func wait(mayWait: (Duration) -> Bool) -> ToolCommandEnding? { spend(mayWait) ? .status(0) : nil }

    func terminate() {}
  }

  @Test(arguments: [(400, 0), (600, 3), (1_100, 3)])
  func timeLimitIsThatOfTheAction(partMilliseconds: Int, status: Int32) async throws {
    let bench = try await bench()
    let clock = Locked(Duration.zero)
    let run = await bench.run(
      "consume", "my-log", "--as", "slow", "--each", "--timeout", "1", "--until-end", "--", "slow"
    ) { environment in
      environment.uptime = { clock.withLock { clock in clock } }
      environment.startCommand = { _ in SlowCommand(clock, part: .milliseconds(partMilliseconds)) }
    }
    #expect(run.status == status, "\(run.messages)")
    #expect(run.messages.contains("did not end within 1.0 s: my-log, seq 1") == (status == 3), "\(run.messages)")
  }

  // MARK: Threads

  /// More consumers than the cooperative pool has threads wait for the file system at their ends.
  @Test func endingBlocksNoPoolThread() async throws {
    let bench = try await bench()
    let count = 4 * ProcessInfo.processInfo.activeProcessorCount + 4
    let (arrived, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let files = FaultyFileSystem(bench.disk) { call in
      // A position is read only at the end, because there is none before the first run.
      guard call.operation == .read, call.path.hasSuffix(".json"), call.path.contains("/subscriptions/") else { return }
      arrived.signal()
      gate.wait()
    }
    let runs = (0..<count).map { number in
      Task {
        await bench.run("consume", "my-log", "--as", "s\(number)", "--until-end", "--", "answer") { environment in
          environment.fileSystem = files
        }
      }
    }
    let arrivedCount = await BlockingWork.run {
      (0..<count).count { _ in arrived.wait(timeout: .now() + 60) == .success }
    }
    // One read can have several calls.
    for _ in 0..<4 * count { gate.signal() }
    #expect(arrivedCount == count)
    for run in runs { #expect(await run.value.status == 0) }
  }

  // MARK: Repeated requests

  @Test func secondRetryReportsTheFirst() async throws {
    let bench = try await bench()
    _ = await bench.consume(
      "my-log", "--as", "each", "--each", "--until-end", "--on-failure", "skip", "--", "fail-at", "2")
    #expect(await bench.run("subscriptions", "my-log", "--retry", "each").status == 0)
    let second = await bench.run("subscriptions", "my-log", "--retry", "each")
    #expect(
      second.output
        == "each: no other action is parked; 1 action of an earlier --retry will be delivered again at the next pause of"
        + " a running consumer, or when one starts\n")
    let json = await bench.run("subscriptions", "my-log", "--retry", "each", "--json")
    #expect(try JSONValue(parsing: Array(json.output.utf8.dropLast()))["retrying"] == 0)
    _ = await bench.consume("my-log", "--as", "each", "--each", "--until-end", "--", "succeed")
    let third = await bench.run("subscriptions", "my-log", "--retry", "each")
    #expect(third.output == "each: no action is parked\n")
  }

  @Test func listHasAHeader() async throws {
    let bench = try await bench()
    _ = await bench.consume("my-log", "--as", "mail", "--until-end", "--", "answer")
    let list = await bench.run("subscriptions", "my-log")
    let lines = list.output.split(separator: "\n").map { line in line.split(separator: " ").map(String.init) }
    #expect(lines.first == ["name", "revision", "lag", "lag", "time", "consumer", "parked", "last", "error"])
    #expect(lines.last == ["mail", "10", "0", "0", "s", "-", "0"])
  }

  // MARK: Advice

  @Test(arguments: [
    (FileSystemError.Code.noSpace, "Free some space"), (.permissionDenied, "readable and writable for this user"),
    (.readOnlyFileSystem, "readable and writable for this user"),
  ])
  func unwritableFolderHasAdvice(code: FileSystemError.Code, advice: String) async throws {
    let bench = try await bench()
    for operation in [FileCall.Operation.createDirectory, .append, .rename, .lock] {
      let files = FaultyFileSystem(bench.disk)
      files.add(FileFault(operation, lasts: true, code: code))
      let run = await bench.run("consume", "my-log", "--as", "a", "--until-end", "--", "answer") { environment in
        environment.fileSystem = files
      }
      // After the first attempt, the folder exists.
      if operation == .createDirectory || files.firedCount > 0 {
        #expect(run.status == 3, "\(operation): \(run.messages)")
        #expect(run.messages.contains(advice), "\(operation): \(run.messages)")
        #expect(run.messages.contains("are delivered again"), "\(operation): \(run.messages)")
      }
    }
    let run = await bench.consume("my-log", "--as", "a", "--until-end", "--", "answer")
    #expect(run.status == 0, "\(run.messages)")
  }

  @Test(arguments: [
    (["--reset", "a", "1"], FileCall.Operation.append, "/a.json.new"), (["--reset", "a", "1"], .lock, "/a.lock"),
    (["--remove", "a"], .remove, "/a.parked.jsonl"), (["--retry", "a"], .rename, "/a.parked.jsonl"),
    ([], .names, "/subscriptions"),
  ])
  func failedChangeHasAdvice(words: [String], operation: FileCall.Operation, path: String) async throws {
    let bench = try await bench()
    _ = await bench.consume(
      "my-log", "--as", "a", "--each", "--until-end", "--on-failure", "skip", "--", "fail-at", "2")
    let files = FaultyFileSystem(bench.disk)
    files.add(FileFault(operation, lasts: true, code: .permissionDenied, pathSuffix: path))
    let run = await bench.run(["subscriptions", "my-log"] + words) { environment in environment.fileSystem = files }
    #expect(files.firedCount > 0)
    #expect(run.status == 3 && run.messages.contains("readable and writable for this user"), "\(run.messages)")
    #expect(run.messages.contains("The log does not depend on this file"), "\(run.messages)")
  }

  @Test func unlistableFolderHasAdvice() async throws {
    let bench = try await bench()
    try bench.disk.setContents([], of: "my-log/subscriptions")
    for words in [["subscriptions", "my-log"], ["consume", "my-log", "--as", "a", "--until-end", "--", "answer"]] {
      let run = await bench.run(words)
      #expect(run.status == 3 && run.messages.contains("move it away"), "\(words): \(run.messages)")
    }
  }

  @Test func failedCommandHasACodeOfItsOwn() async throws {
    let bench = try await bench()
    let failed = await bench.consume("my-log", "--as", "a", "--json", "--each", "--until-end", "--", "fail-at", "1")
    #expect(failed.status == 3 && failed.messages.contains(#""code":"commandFailed""#), "\(failed.messages)")
    try bench.disk.setContents([], of: "my-log/subscriptions/a.json")
    let damaged = await bench.consume("my-log", "--as", "a", "--json", "--until-end", "--", "answer")
    #expect(damaged.status == 3 && damaged.messages.contains(#""code":"invalidPosition""#), "\(damaged.messages)")
    let help = await bench.run("consume", "--help")
    #expect(help.output.contains("commandFailed"))
  }
}
