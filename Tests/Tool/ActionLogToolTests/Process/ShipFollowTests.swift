import ActionLog
import Foundation
import JSONCoding
import TestSupport
import Testing

/// `ship --follow` as a process of its own, next to a writer.
@Suite("ship --follow, as a process", .timeLimit(.minutes(60)))
struct ShipFollowTests {
  private let directory: TemporaryDirectory
  private let log: LogOnDisk
  private let writer: FollowedWriter

  init() async throws {
    directory = try TemporaryDirectory()
    log = LogOnDisk(at: directory.path("my-log"))
    writer = try FollowedWriter(log)
    try await writer.append(1)
  }

  @Test("kill -9 of the shipper costs at most one interval, and nothing is shipped twice")
  func killedShipperResumes() async throws {
    let lake = LakeOnDisk(at: directory.path("lake"))
    var generator = SeededGenerator(seed: 0x1A4E)
    var shipped: [String] = []
    var files: [String: Int] = [:]
    for round in 0..<6 {
      let shipper = try Shipper(log, lake, interval: "1s")
      try await writer.append(Int.random(in: 1...80, using: &generator))
      let acknowledged = writer.count
      // An interval later, all of that is in the lake.
      while try lake.lastRevision() < acknowledged { shipped += try await shipper.nextPass() }
      try await writer.append(Int.random(in: 1...80, using: &generator))
      if round % 2 == 0 {
        for _ in 0..<Int.random(in: 0..<400, using: &generator) { _ = try lake.segments() }
      } else {
        // In the middle of a pass: the first of its segments is there. They may be shipped before the last action is acknowledged.
        let count = try lake.segments().count
        try await writer.append(80)
        while try lake.segments().count == count {}
      }
      shipped += try await shipper.kill()

      let end = try lake.lastRevision()
      #expect((acknowledged...writer.count).contains(end), "round \(round)")
      try await lake.expectSound()
      let restored = LogOnDisk(at: directory.path("restored-\(round)"))
      #expect(try await ToolRun("restore", lake.log(), restored.path).ending == .status(0), "round \(round)")
      let verdict = try await restored.verdict()
      let state = try await restored.state()
      #expect(verdict == "clean" && state == (end, end), "round \(round)")
      // A segment keeps its file: it is not copied again.
      let found = try lake.files()
      #expect(files.allSatisfy { path, number in found[path] == number }, "round \(round)")
      files = found
    }
    let last = try Shipper(log, lake, interval: "1s")
    shipped += try await last.nextPass()
    try await writer.end()
    shipped += try await last.stop()
    #expect(Set(shipped).count == shipped.count && shipped.count > 10, "\(shipped)")
    #expect(files.allSatisfy { path, number in (try? lake.files()[path]) == number })
    try await lake.expectSame(as: log)
  }

  /// The interval does not end within the test.
  @Test("a segment is shipped when the next one begins")
  func rollIsShippedWithinTheInterval() async throws {
    let lake = LakeOnDisk(at: directory.path("lake"))
    let shipper = try Shipper(log, lake, interval: "24h")
    // The first pass.
    _ = try await shipper.nextPass()
    for _ in 0..<3 {
      let sealed = try log.segments().count - 1
      while try log.segments().count - 1 == sealed { try await writer.append(1) }
      var shipped: [String] = []
      while shipped.isEmpty { shipped = try await shipper.nextPass() }
      let names = try lake.segments().map { path in path.suffix(22) }
      #expect(try names == log.segments().dropLast().map { path in path.suffix(22) })
    }
    // What was written since is shipped at the end.
    try await writer.append(1)
    _ = try await shipper.stop()
    #expect(try lake.lastRevision() == writer.count)
    try await writer.end()
  }

  @Test(
    "a full disk is a warning, the lake stays intact, and shipping continues when there is space",
    .enabled(if: SmallDisk.isAvailable, Comment(rawValue: SmallDisk.need)))
  func fullDiskIsWaitedFor() async throws {
    let disk = try SmallDisk(kibibytes: 192)
    let lake = LakeOnDisk(at: disk.path + "/lake")
    let shipper = try Shipper(log, lake, interval: "1s")
    while try lake.lastRevision() < writer.count { _ = try await shipper.nextPass() }
    // More than fits.
    var warning: String?
    while warning == nil {
      try await writer.append(200)
      warning = try await shipper.nextWarning()
    }
    #expect(warning?.contains("no space is left") == true, "\(warning ?? "")")
    #expect(warning?.contains("trying again") == true && warning?.contains(lake.path) == true, "\(warning ?? "")")
    #expect(try await log.verdict() == "clean")
    try await lake.expectSound()
    #expect(try lake.lastRevision() < writer.count)
    // Without --follow it is an error that names what is intact.
    _ = try await shipper.kill()
    let run = try await ToolRun("ship", log.path, lake.path)
    #expect(run.ending == .status(3) && run.messages.contains("no space is left"), "\(run.messages)")
    #expect(run.messages.contains("what was shipped before is intact"), "\(run.messages)")
    try await lake.expectSound()

    try disk.resize(kibibytes: 4_096)
    let next = try Shipper(log, lake, interval: "1s")
    while try lake.lastRevision() < writer.count { _ = try await next.nextPass() }
    try await writer.end()
    _ = try await next.stop()
    try await lake.expectSame(as: log)
  }
}

/// A process that records increments in small segments, and acknowledges each when it is durable.
private final class FollowedWriter {
  private let process: ToolProcess
  private(set) var count = 0

  init(_ log: LogOnDisk) throws {
    process = try ToolProcess(["record", "counter", log.path, "--segment-size", "4K"])
  }

  /// Records increments, and waits for their receipts.
  func append(_ number: Int) async throws {
    try await process.send(String(repeating: LogOnDisk.increment, count: number))
    for _ in 0..<number {
      count += 1
      let line = try #require(try await process.nextLine())
      #expect(try Answer(parsing: line).revision == count)
    }
  }

  /// Closes the log.
  func end() async throws {
    process.endInput()
    #expect(try await process.wait() == .status(0))
  }
}

/// A process of `ship --follow`, whose warnings are in its output.
private struct Shipper {
  private let process: ToolProcess

  init(_ log: LogOnDisk, _ lake: LakeOnDisk, interval: String) throws {
    process = try ToolProcess(
      ["ship", log.path, lake.path, "--follow", "--interval", interval, "--json"],
      launcher: ["/bin/sh", "-c", #"exec "$0" "$@" 2>&1"#])
  }

  /// Waits for a line.
  ///
  /// - Returns: The path of the segment that was shipped, if one was.
  func nextPass() async throws -> [String] {
    Self.shipped([try #require(try await process.nextLine())])
  }

  /// Waits for a line.
  ///
  /// - Returns: The line, if it is a warning.
  func nextWarning() async throws -> String? {
    let line = try #require(try await process.nextLine())
    return line.contains(#""warning":"#) ? line : nil
  }

  func kill() async throws -> [String] {
    process.kill(SIGKILL)
    let output = try await process.remainingOutput()
    #expect(try await process.wait() == .signal(SIGKILL))
    return Self.shipped(output.split(separator: "\n").map(String.init))
  }

  /// Ends the process as a service manager does.
  func stop() async throws -> [String] {
    process.kill(SIGTERM)
    let output = try await process.remainingOutput()
    #expect(try await process.wait() == .status(0), "\(output)")
    return Self.shipped(output.split(separator: "\n").map(String.init))
  }

  private static func shipped(_ lines: [String]) -> [String] {
    lines.compactMap { line in
      // The last line of a killed process may be truncated.
      guard let row = try? JSONValue(parsing: Array(line.utf8)), row["outcome"] == "shipped" else { return nil }
      return row["path"]?.text
    }
  }
}

/// A lake with one log.
private struct LakeOnDisk: Sendable {
  let path: String

  init(at path: String) { self.path = path }

  /// The paths of the segments, in order.
  func segments() throws -> [String] {
    guard let found = FileManager.default.enumerator(atPath: path) else { return [] }
    return found.compactMap { name in name as? String }
      .filter { name in name.hasSuffix(".jsonl") && name.contains("/date=") }
      .sorted { one, other in one.suffix(22) < other.suffix(22) }.map { name in path + "/" + name }
  }

  /// The numbers of the segments' files (inodes).
  func files() throws -> [String: Int] {
    var files: [String: Int] = [:]
    for path in try segments() {
      files[path] = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
    }
    return files
  }

  /// The log in the lake.
  func log() throws -> String {
    let model = path + "/model=counter"
    let name = try FileManager.default.contentsOfDirectory(atPath: model).first { name in name.hasPrefix("log=") }
    return model + "/" + (try #require(name))
  }

  /// The last revision in the lake; 0 if it has no action.
  func lastRevision() throws -> Int {
    guard FileManager.default.fileExists(atPath: path + "/_logs"),
      try FileManager.default.subpathsOfDirectory(atPath: path).contains(where: { name in name.hasSuffix(".jsonl") })
    else { return 0 }
    return try LogReader.open(at: try log()).extent().lastRevision
  }

  /// Expects that nothing is missing or changed. The manifest may not list what was just shipped.
  func expectSound() async throws {
    let verified = try await ToolRun("verify", try log())
    #expect(verified.ending == .status(0), "\(verified.output)")
  }

  /// Expects the same actions as those of a closed log, also after it was restored.
  func expectSame(as log: LogOnDisk) async throws {
    #expect(try segments().count == log.segments().count)
    for (copy, segment) in zip(try segments(), try log.segments()) {
      #expect(try log.bytes(copy) == log.bytes(segment), "\(copy)")
    }
    let verified = try await ToolRun("verify", try self.log())
    #expect(verified.ending == .status(0) && !verified.output.contains("manifest"), "\(verified.output)")
    let restored = path + "-restored"
    let run = try await ToolRun("restore", try self.log(), restored)
    #expect(run.ending == .status(0), "\(run.messages)")
    let actions = try await ToolRun("list", "--format", "lines", log.path).output
    #expect(!actions.isEmpty)
    #expect(try await ToolRun("list", "--format", "lines", restored).output == actions)
    #expect(try await LogOnDisk(at: restored).verdict() == "clean")
  }
}
