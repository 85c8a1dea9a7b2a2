import Foundation
import JSONCoding
import Platform
import TestSupport
import Testing

/// `replay --verify` starts a second process, and so finds differences between processes.
@Suite("replay --verify, as a process")
struct VerifyReplayTests {
  private let log: LogOnDisk

  init() throws {
    log = try LogOnDisk()
  }

  /// Runs the tool with impure models.
  private func run(_ arguments: String..., later: Bool = false) async throws -> ProgramRun {
    try await run(arguments, later: later)
  }

  private func run(_ arguments: [String], later: Bool) async throws -> ProgramRun {
    let words = (later ? ["env", "CHANGED_SINCE=then"] : []) + [Executable.path(of: "impure-tool")] + arguments
    return try await BlockingWork.run { try ProgramRun(words) }
  }

  /// Records the party with a digest after each action, and snapshots around the relevant one.
  private func record(_ model: String) async throws {
    let recorded = try await run("record", model, log.path, "--workload", "14", "--snapshot-every", "1")
    try #require(recorded.status == 0, "\(recorded.messages)")
    // Those that a recorder takes are written in the background, and not all of them when there is much to do.
    for revision in ["12", "13", "14"] where !hasSnapshot(at: revision) {
      let run = try await run("snapshot", log.path, "--at", revision)
      try #require(run.status == 0, "\(run.messages)")
    }
  }

  private func snapshot(at revision: String) -> String {
    log.path + "/snapshots/00000000000000\(revision).json"
  }

  private func hasSnapshot(at revision: String) -> Bool {
    FileManager.default.fileExists(atPath: snapshot(at: revision))
  }

  private func report(_ run: ProgramRun) throws -> JSONValue {
    try JSONValue(parsing: Array(run.output.utf8))
  }

  @Test(
    "an impure reducer is found with its action and value",
    arguments: [
      "walking", "timing", "drawing",
    ])
  func impurity(model: String) async throws {
    // Without snapshots the only digests are at revision 0 and at the end, so only the second fold finds the action.
    let recorded = try await run("record", model, log.path, "--workload", "14", "--snapshot-every", "1000")
    try #require(recorded.status == 0, "\(recorded.messages)")
    let run = try await run("replay", log.path, "--verify", "--json")
    #expect(run.status == 1)
    let report = try report(run)
    #expect(report["proven"] == false)
    #expect(report["secondFold"]?.text == "in another process")
    #expect(report["digestsChecked"]?.integer == 2)
    let found = try #require(report["disagreements", "0"])
    #expect(found["kind"]?.text == "secondFold")
    #expect(found["lastAgreement"]?.integer == 12 && found["revision"]?.integer == 13)
    #expect(found["pointer"]?.text?.hasPrefix("/seats/") == true)
    let (first, second) = (try #require(found["first"]?.text), try #require(found["second"]?.text))
    #expect(first != second && !first.isEmpty && !second.isEmpty)
    let page = try await self.run("replay", log.path, "--verify")
    #expect(page.status == 1 && page.output.contains("two folds differ from revision 13 on: /seats/"))
  }

  @Test("damage that both folds meet is one error")
  func damage() async throws {
    let recorded = try await run("record", "sorting", log.path, "--workload", "14", "--segment-size", "1K")
    try #require(recorded.status == 0, "\(recorded.messages)")
    let path = log.path + "/0000000000000001.jsonl"
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[bytes.count - 200] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    let run = try await run("replay", log.path, "--verify")
    #expect(run.messages.ranges(of: "error: ").count == 1 && run.messages.contains("checksum mismatch"), "\(run)")
    // With one processor the second fold is another process all the same.
    let alone = try await BlockingWork.run { [log] in
      try ProgramRun([
        "env", "ACTION_LOG_PROCESSORS=1", Executable.path(of: "impure-tool"), "replay", log.path, "--verify",
      ])
    }
    #expect(alone.messages == run.messages && alone.status == run.status)
  }

  @Test("a changed reducer is found with its action and value, and the change is named")
  func change() async throws {
    try await record("sorting")
    let run = try await run("replay", log.path, "--verify", "--json", later: true)
    #expect(run.status == 1)
    let report = try report(run)
    for (index, kind) in ["digest", "snapshot"].enumerated() {
      let found = try #require(report["disagreements", String(index)])
      #expect(found["kind"]?.text == kind)
      #expect(found["lastAgreement"]?.integer == 12 && found["revision"]?.integer == 13)
      #expect(found["pointer"]?.text == "/seats/0")
      #expect(found["first"]?.text == "guest 9" && found["second"]?.text == "guest 1")
    }
    #expect(report["disagreements", "2"] == nil, "the changed reducer is pure")
  }

  @Test("after a change the user chooses to fail, fold or freeze")
  func choice() async throws {
    try await record("sorting")
    let seat = ["--path", "/seats/0", "-q"]
    func firstSeat(_ path: String) async throws -> String {
      try await run("state", path, seat[0], seat[1], seat[2], later: true).output
    }
    let refused = try await run(
      "record", "sorting", log.path, "--workload", "1", "--on-divergence", "fail", later: true)
    #expect(refused.status != 0 && refused.messages.contains("differs from the digest in the log"))
    #expect(try await firstSeat(log.path) == "\"guest 9\"\n", "no snapshot of the older code is used")
    let next = log.path + "-next"
    let frozen = try await run("branch", log.path, next, "--json", later: true)
    #expect(frozen.status == 0, "\(frozen.messages)")
    #expect(try report(frozen)["frozenRevision"]?.integer == 14)
    #expect(try await firstSeat(next) == "\"guest 1\"\n", "what people saw")
    let recorded = try await run("record", "sorting", next, "--workload", "1", later: true)
    #expect(recorded.status == 0, "\(recorded.messages)")
    let proved = try await run("replay", next, "--verify", later: true)
    #expect(proved.status == 0, "\(proved.output)")
  }

  @Test("a state that differs from a digest is not frozen, and matching snapshots are not replaced")
  func denial() async throws {
    try await record("sorting")
    let replaced = try await run("snapshot", log.path, "--at", "14", later: true)
    #expect(replaced.status != 0 && replaced.messages.contains("can be frozen"), "\(replaced.messages)")
    for revision in ["13", "14"] { try FileManager.default.removeItem(atPath: snapshot(at: revision)) }
    let next = log.path + "-next"
    for words in [["branch", log.path, next], ["branch", log.path, next, "--at", "13"]] {
      let run = try await run(words, later: true)
      #expect(run.status != 0 && run.messages.contains("branch LOG NEW --at 12"), "\(words): \(run.messages)")
      #expect(!FileManager.default.fileExists(atPath: next))
    }
    #expect(try await run("branch", log.path, next, "--at", "12", later: true).status == 0)
  }

  @Test("a reducer that sorts is proved")
  func proof() async throws {
    try await record("sorting")
    let run = try await run("replay", log.path, "--verify", "--json")
    #expect(run.status == 0, "\(run.output)")
    let whole = try report(run)
    #expect(whole["proven"] == true)
    #expect(whole["statesCompared"]?.integer == 15)
    #expect(try #require(whole["digestsChecked"]?.integer) >= 15)
    #expect(try #require(whole["snapshotsChecked"]?.integer) >= 3)
  }

  @Test("a part of the log is proved separately")
  func part() async throws {
    try await record("walking")
    let run = try await run("replay", log.path, "--verify", "--json", "--to", "12")
    #expect(run.status == 0, "\(run.output)")
    #expect(try report(run)["revision"]?.integer == 12)
  }
}
