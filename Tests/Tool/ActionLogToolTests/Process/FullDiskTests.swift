import Foundation
import JSONCoding
import TestSupport
import Testing

@Suite("Full and read-only disks")
struct FullDiskTests {
  /// More than any disk here holds.
  private static let manyLines = String(repeating: LogOnDisk.increment, count: 4_000)

  /// Records more than fits, and expects an error, no lost acknowledged action, and no other file.
  ///
  /// - Parameters:
  ///   - options: More words of the command line.
  ///   - reason: What the tool says.
  ///   - count: How many actions the log has before.
  /// - Returns: The run, and the number of actions in the log after it.
  private static func fill(
    _ log: LogOnDisk, _ options: [String] = [], launcher: [String] = [], telling reason: String, behind count: Int = 0
  ) async throws -> (run: ToolRun, count: Int) {
    let run = try await ToolRun(
      ["record", "counter", log.path] + options, input: manyLines, launcher: launcher)
    #expect(run.ending == .status(3))
    #expect(run.messages.contains(reason), "\(run.messages)")
    #expect(!run.messages.contains("FileSystemError"), "\(run.messages)")
    #expect(!run.messages.contains("after recording had ended"), "\(run.messages)")
    #expect(try run.answers().last?.revision == nil)
    let receipts = try run.answers().compactMap(\.revision)
    let last = count + receipts.count
    #expect(receipts == Array(count + 1..<last + 1))
    #expect(try await log.verdict() == "clean")
    #expect(try await log.state() == (last, last))
    return (run, last)
  }

  /// Records one more action after space was freed.
  private static func expectRoom(in log: LogOnDisk, behind count: Int) async throws {
    let run = try await ToolRun("record", "counter", log.path, input: LogOnDisk.increment)
    #expect(run.ending == .status(0), "\(run.messages)")
    #expect(try run.answers() == [Answer(line: 1, .receipt(revision: count + 1))])
    #expect(try await log.verdict() == "clean")
  }

  @Test(
    "a full disk is a clear error, and the log is intact and works again when there is space",
    .enabled(if: SmallDisk.isAvailable, Comment(rawValue: SmallDisk.need)), arguments: ["1M", "16K"])
  func fullDisk(segmentSize: String) async throws {
    let disk = try SmallDisk(kibibytes: 256)
    let log = LogOnDisk(at: disk.path + "/my-log")
    let (run, count) = try await Self.fill(log, ["--segment-size", segmentSize], telling: "no space is left")
    #expect(try run.answers().last?.outcome == .failed(code: "noSpace"))
    #expect(count > 0)
    // Each line is an action, so the first one that is not recorded has the number of the next revision.
    #expect(
      run.messages.contains(
        "up to revision \(count). To continue, repeat the command with the input from line \(count + 1) on."),
      "\(run.messages)")

    // The disk is as full as before: the first answer can be an error, never a loss.
    let all = try await Self.fill(log, telling: "no space is left", behind: count).count
    try disk.resize(kibibytes: 1_024)
    try await Self.expectRoom(in: log, behind: all)
  }

  @Test(
    "a generated history reports its progress",
    .enabled(if: SmallDisk.isAvailable, Comment(rawValue: SmallDisk.need)))
  func fullDiskOfWorkload() async throws {
    let disk = try SmallDisk(kibibytes: 512)
    let log = LogOnDisk(at: disk.path + "/my-log")
    let run = try await ToolRun("record", "counter", log.path, "--workload", "100000")
    #expect(run.ending == .status(3))
    let revision = try await log.state().revision
    #expect(revision > 1_000 && run.messages.contains("up to revision \(revision)."), "\(run.messages)")
    #expect(try await log.verdict() == "clean")
  }

  @Test(
    "every line is answered on a full disk, also among lines that the reducer refuses",
    .enabled(if: SmallDisk.isAvailable, Comment(rawValue: SmallDisk.need)))
  func fullDiskAmongRefusals() async throws {
    let disk = try SmallDisk(kibibytes: 128)
    let log = LogOnDisk(at: disk.path + "/my-log")
    let accepted = #"{"type":"ui.categoryList.onAppear","data":{}}"# + "\n"
    let refused =
      #"{"type":"ui.animalDetail.onTapDeleteSelectedAnimalButton","data":{"animalId":"Unicorn"}}"# + "\n"
    let period = String(repeating: accepted, count: 49) + refused
    let run = try await ToolRun("record", "animals", log.path, input: String(repeating: period, count: 60))
    #expect(run.ending == .status(3))
    let answers = try run.answers()
    #expect(answers.map(\.line) == Array(1...max(1, answers.count)))
    #expect(answers.last?.outcome == .failed(code: "noSpace"))
    #expect(answers.contains { answer in answer.outcome == .refused(code: "refusedByReducer") })
    let receipts = answers.compactMap(\.revision)
    #expect(receipts.count > 100)
    #expect(receipts == Array(1..<receipts.count + 1))
    let firstFailed = answers.first { answer in answer.outcome == .failed(code: "noSpace") }?.line ?? 0
    #expect(run.messages.contains("with the input from line \(firstFailed) on."), "\(run.messages)")
    #expect(try await ToolRun("state", log.path, "--json").json()["revision"]?.integer == receipts.count)
    #expect(try await log.verdict() == "clean")
  }

  @Test(
    "a disk that is full from the start is a clear error, and a log can be created later",
    .enabled(if: SmallDisk.isAvailable, Comment(rawValue: SmallDisk.need)))
  func fullFromTheStart() async throws {
    let disk = try SmallDisk(kibibytes: 16)
    let filler = disk.path + "/filler"
    // The last page goes to the directory that a full disk still has room for.
    try Data(count: 16 * 1_024).write(to: URL(fileURLWithPath: filler))
    let log = LogOnDisk(at: disk.path + "/my-log")
    let run = try await ToolRun("record", "counter", log.path, input: LogOnDisk.increment)
    #expect(run.ending == .status(3))
    #expect(run.output.isEmpty)
    #expect(run.messages.contains("no space is left"), "\(run.messages)")
    try FileManager.default.removeItem(atPath: filler)
    let next = try await ToolRun("record", "counter", log.path, input: LogOnDisk.increment)
    #expect(next.ending == .status(0), "\(next.messages)")
    #expect(try await log.state() == (1, 1))
  }

  @Test(
    "a limit on the size of files is a clear error",
    .enabled(
      if: Executable.find("prlimit") != nil && !ThreadSanitizer.isWatching,
      "needs prlimit, and a build that no sanitizer watches"))
  func fileSizeLimit() async throws {
    let log = try LogOnDisk()
    let (run, count) = try await Self.fill(
      log, launcher: ["prlimit", "--fsize=100000"], telling: "File too large")
    #expect(run.messages.contains("'ulimit -f'"), "\(run.messages)")
    try await Self.expectRoom(in: log, behind: count)
  }

  @Test(
    "a read-only file system can be read, and writing is a clear error",
    .enabled(if: SmallDisk.isAvailable, Comment(rawValue: SmallDisk.need)))
  func readOnly() async throws {
    let disk = try SmallDisk(kibibytes: 256)
    let log = LogOnDisk(at: disk.path + "/my-log")
    #expect(try await ToolRun("record", "counter", log.path, input: LogOnDisk.increment).ending == .status(0))
    try disk.makeReadOnly()
    for path in [log.path, disk.path + "/other"] {
      let run = try await ToolRun("record", "counter", path, input: LogOnDisk.increment)
      #expect(run.ending == .status(3))
      #expect(run.output.isEmpty)
      #expect(run.messages.hasPrefix("error: "))
      #expect(run.messages.contains("Read-only file system"), "\(run.messages)")
      #expect(run.messages.contains(path), "\(run.messages)")
      #expect(!run.messages.contains("FileSystemError"), "\(run.messages)")
    }
    #expect(try await log.state() == (1, 1))
    #expect(try await log.verdict() == "clean")
  }
}
