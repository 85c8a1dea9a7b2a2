import Foundation
import JSONCoding
import Platform
import TestSupport
import Testing

/// `each` with child processes.
@Suite("each, as a process") struct EachProcessTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: directory.path("logs"), withIntermediateDirectories: false)
  }

  private func run(_ launcher: [String] = [], _ words: [String]) async throws -> ProgramRun {
    try await BlockingWork.run { try ProgramRun(launcher + [Executable.path(of: "impure-tool")] + words) }
  }

  private func record(_ name: String, seed: Int = 1) async throws {
    let run = try await run(
      [], ["record", "fragile", directory.path("logs/\(name)"), "--workload", "9", "--seed", "\(seed)"])
    try #require(run.status == 0, "\(run.messages)")
  }

  private func rows(_ run: ProgramRun) throws -> [JSONValue] {
    try run.output.split(separator: "\n").map { line in try JSONValue(parsing: line.utf8) }
  }

  /// The launcher that makes the reducer fragile. A backtrace would take seconds.
  private static let fragile = ["env", "FRAGILE=1", "SWIFT_BACKTRACE=enable=no"]

  @Test("a trap in a reducer costs one line")
  func trapCostsOneLine() async throws {
    for (name, seed) in [("a", 1), ("b", 2), ("c", 1), ("d", 2), ("e", 1)] { try await record(name, seed: seed) }
    let run = try await run(Self.fragile, ["each", directory.path("logs"), "--", "state", "--path", "/count"])
    let rows = try rows(run)
    #expect(run.status == 1 && rows.count == 5, "\(run.messages)")
    for (index, row) in rows.enumerated() {
      #expect(row["path"]?.text?.hasSuffix("/" + ["a", "b", "c", "d", "e"][index]) == true)
      if index % 2 == 0 {
        #expect(row["status"] == 0 && row["answer", "value"] == 9)
      } else {
        #expect(row["error", "code"] == "crashed" && (row["status"]?.integer ?? 0) > 128, "\(row)")
      }
    }
  }

  @Test("a reducer that never ends costs one line after the timeout")
  func hangCostsOneLine() async throws {
    for (name, seed) in [("a", 1), ("b", 3), ("c", 1)] { try await record(name, seed: seed) }
    // Long enough for a busy machine to answer for the others.
    let run = try await run(
      Self.fragile, ["each", directory.path("logs"), "--jobs", "1", "--timeout", "5", "--", "state"])
    let rows = try rows(run)
    #expect(run.status == 1 && rows.map { row in row["status"]?.integer } == [0, 124, 0], "\(run.output)")
    #expect(rows[1]["error", "code"] == "timeout")
  }

  @Test(
    "2 000 logs, one of them damaged, with 256 open files",
    .enabled(if: Executable.find("prlimit") != nil, "needs prlimit"))
  func manyLogsWithFewFiles() async throws {
    try await record("first")
    let files = FileManager.default
    for number in 0..<1_999 {
      let folder = directory.path("logs/\(number % 50)")
      if number < 50 { try files.createDirectory(atPath: folder, withIntermediateDirectories: false) }
      try files.copyItem(atPath: directory.path("logs/first"), toPath: folder + "/\(number)")
    }
    let segment = directory.path("logs/7/1007/0000000000000001.jsonl")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: segment))
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: URL(fileURLWithPath: segment))

    let limit = ["prlimit", "--nofile=256"]
    let each = try await run(limit, ["each", directory.path("logs"), "--", "state", "--path", "/count"])
    let rows = try rows(each)
    #expect(each.status == 1 && rows.count == 2_000)
    let failed = rows.filter { row in row["status"] != 0 }
    #expect(failed.count == 1 && failed.first?["path"]?.text?.hasSuffix("/7/1007") == true)
    #expect(failed.first?["error", "code"] == "damaged")

    let list = try await run(limit, ["list", directory.path("logs"), "--json"])
    let lines = list.output.split(separator: "\n")
    #expect(list.status == 1 && lines.count { line in line.contains(#""error":"#) } == 1)
    // The intact logs have nine lines each, and the damaged one has some of them.
    #expect(lines.count >= 17_991, "\(lines.count)")
    #expect(lines.count <= 18_000, "\(lines.count)")
    let fleet = try await run(limit, ["fleet", directory.path("logs")])
    #expect(fleet.status == 1 && fleet.output.contains("2 000 logs") && fleet.output.contains("1 damaged"))
  }

  @Test(
    "more processes than 64 open files allow",
    .enabled(if: Executable.find("prlimit") != nil, "needs prlimit"))
  func moreProcessesThanFiles() async throws {
    try await record("first")
    for number in 0..<59 {
      try FileManager.default.copyItem(atPath: directory.path("logs/first"), toPath: directory.path("logs/\(number)"))
    }
    let run = try await run(
      ["prlimit", "--nofile=64"], ["each", directory.path("logs"), "-j", "60", "--", "state", "--path", "/count"])
    #expect(run.status == 0, "\(run.output)")
    #expect(try rows(run).count == 60)
    #expect(run.messages.contains("instead of 60"), "\(run.messages)")
    let few = try await self.run(["prlimit", "--nofile=20"], ["each", directory.path("logs"), "--", "state"])
    #expect(few.status == 3 && few.output.isEmpty, "\(few.output)")
    #expect(few.messages.contains("may not open enough files"), "\(few.messages)")
  }
}
