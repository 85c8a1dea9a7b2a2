import Foundation
import JSONCoding
import TestSupport
import Testing

@Suite("Damage and torn tails, in a process")
struct DamageTests {
  /// A log whose writer was killed before anything was known durable, so that its last line may be torn.
  private static func killedLog(increments: Int) async throws -> LogOnDisk {
    let log = try LogOnDisk()
    let process = try ToolProcess(["record", "counter", log.path, "--durability", "written"])
    for _ in 0..<increments {
      try await process.send(LogOnDisk.increment)
      try #require(try await process.nextLine() != nil)
    }
    process.kill(SIGKILL)
    try #require(try await process.wait() == .signal(SIGKILL))
    return log
  }

  @Test("a flipped bit is reported with its location, reading stops before it, and no writer changes the log")
  func flippedBit() async throws {
    let log = try await LogOnDisk(increments: 20)
    // @segment, @open and @digest come first: the 8th action is on line 11.
    let lines = try log.bytes(log.firstSegment).split(separator: 0x0A, omittingEmptySubsequences: false)
    let start = lines[..<10].reduce(0) { sum, line in sum + line.count + 1 }
    var bytes = try log.bytes(log.firstSegment)
    bytes[start + 60] ^= 0x04
    try log.write(bytes, to: log.firstSegment)
    let place = "\(log.firstSegment):11, seq 8, byte \(start)"
    let before = try log.contents()

    let verify = try await ToolRun("verify", log.path)
    #expect(verify.ending == .status(1))
    #expect(verify.output.contains(": damaged\n"))
    #expect(verify.output.contains("checksum mismatch"))
    #expect(verify.output.contains(place), "\(verify.output)")

    let state = try await ToolRun("state", log.path, "--path", "/value")
    #expect(state.output == "7\n")
    #expect(state.messages.contains("revision 7 of counter"))
    #expect(state.messages.contains("error: checksum mismatch: \(place). Actions 1…7 are intact."), "\(state.messages)")
    #expect(state.ending == .status(1))
    #expect(try await ToolRun("list", log.path).lines.count == 7)
    #expect(try await ToolRun("state", log.path, "--at", "5", "--path", "/value", "-q").output == "5\n")

    let record = try await ToolRun("record", "counter", log.path, input: LogOnDisk.increment)
    #expect(record.ending == .status(1))
    #expect(record.output.isEmpty)
    #expect(record.messages.hasPrefix("error: checksum mismatch"), "\(record.messages)")
    #expect(record.messages.contains(place), "\(record.messages)")
    #expect(try log.contents() == before)

    // A query up to the end answers from the intact part and reports the damage; a query on the intact part does not
    // report it.
    for words in [
      ["blame", log.path, "/value"], ["history", log.path, "/value"], ["history", log.path, "/value"],
      ["find", log.path, "/value > 100"], ["find", "--last", log.path, "/value == 3"],
      ["find", "--bisect", log.path, "/value >= 3"], ["minimize", log.path, "/value == 7"],
      ["what-if", log.path, "--skip", "2"], ["diff", log.path, "2", "end"], ["snapshot", log.path],
      ["backup", log.path, log.path + "-copy"], ["branch", log.path, log.path + "-frozen"],
    ] {
      let run = try await ToolRun(words)
      #expect(run.ending == .status(1), "\(words)")
      #expect(run.messages.contains("checksum mismatch"), "\(words): \(run.messages)")
    }
    #expect(try await ToolRun("blame", log.path, "/value", "--at", "5").ending == .status(0))
    #expect(try await ToolRun("find", log.path, "/value == 3").ending == .status(0))
    #expect(try await ToolRun("find", "--bisect", log.path, "/value >= 3", "--to", "6").ending == .status(0))
  }

  @Test("an incomplete last line is truncated, kept in quarantine and reported", arguments: [1, 19, 100])
  func tornTail(missing: Int) async throws {
    let log = try await Self.killedLog(increments: 12)
    let whole = try log.bytes(log.firstSegment)
    let start = try #require(whole.dropLast().lastIndex(of: 0x0A)) + 1
    try log.write(Array(whole.dropLast(missing)), to: log.firstSegment)
    let torn = Array(whole[start...].dropLast(missing))

    let verify = try await ToolRun("verify", log.path)
    #expect(verify.ending == .status(1))
    #expect(verify.output.contains(": torn tail\n"))
    #expect(verify.messages.contains("No synced action is lost."), "\(verify.messages)")
    // A single segment does not record which part of the log was acknowledged.
    let alone = try await ToolRun("verify", log.firstSegment)
    #expect(alone.messages.contains("Without HEAD it is unknown"), "\(alone.messages)")
    #expect(try await ToolRun("state", log.path, "--path", "/value").output == "11\n")

    let record = try await ToolRun("record", "counter", log.path, input: LogOnDisk.increment)
    #expect(record.ending == .status(0))
    #expect(try record.answers() == [Answer(line: 1, .receipt(revision: 12))])
    #expect(record.messages.contains("moved \(torn.count) bytes of an incomplete line to"))

    let contents = try log.contents()
    let kept = contents.filter { name, _ in name.hasPrefix("quarantine/") }
    #expect(kept.values.contains(torn), "\(kept.keys)")
    let name = try #require(kept.first { _, bytes in bytes == torn }?.key)
    #expect(record.messages.contains(name))
    #expect(try await log.verdict() == "clean")
    #expect(try await log.state() == (12, 12))
    let open = try #require(
      try await ToolRun("list", "--format", "lines", "--all", log.path).lines.last { line in line.contains("@open") })
    let recovered = try JSONValue(parsing: Array(open.utf8))["data", "recovered"]
    #expect(recovered?["bytes"]?.integer == torn.count)
    #expect(recovered?["file"]?.text == name)
  }

  @Test("bytes known to be durable are not a torn tail")
  func shortenedLog() async throws {
    let log = try await LogOnDisk(increments: 4)
    try log.write(Array(try log.bytes(log.firstSegment).dropLast(7)), to: log.firstSegment)
    let before = try log.contents()
    let record = try await ToolRun("record", "counter", log.path, input: LogOnDisk.increment)
    #expect(record.ending == .status(1))
    #expect(record.messages.contains("Actions 1…4 are intact."), "\(record.messages)")
    #expect(try log.contents() == before)
    #expect(try await log.verdict() == "damaged")
  }
}
