import ActionLog
import ActionLogTesting
import ActionLogTool
import Foundation
import Testing

/// The advice in errors about logs that are damaged, incomplete, or unreadable.
@Suite("Advice on damage")
struct DamageAdviceTests {
  private let bench = Bench()

  /// A counter of 3 000 actions in several segments.
  private func record() async throws -> [LogSegment] {
    let run = await bench.run(
      "record", "counter", "my-log", "--workload", "3000", "--segment-size", "100K", "--snapshot-every", "9999")
    try #require(run.status == 0, "\(run)")
    let segments = try LogReader.open(at: "my-log", fileSystem: bench.disk).segments
    try #require(segments.count > 2)
    return segments
  }

  @Test("a bug report ends before damage in any segment")
  func bugReport() async throws {
    let segments = try await record()
    try bench.disk.flipBit(0, ofByte: 5_000, in: segments[1].path)
    let run = await bench.run("bug-report", "my-log", "3", "end", "-o", "bug.jsonl", "--json")
    let last = try #require(
      run.messages.firstMatch(of: /damaged after revision (\d+), where the report ends/), "\(run)")
    #expect(run.status == 1 && run.output.contains("\"to\":\(last.1),"), "\(run)")
    #expect(await bench.run("list", "my-log", "--to", String(last.1), "-q").status == 0)
    #expect(await bench.run("verify", "bug.jsonl").status == 0)
    let state = await bench.run("state", "bug.jsonl", "-q")
    #expect(state.output == (await bench.run("state", "my-log", "--at", String(last.1), "-q")).output)
    // Without an intact action there is no report.
    let late = await bench.run("bug-report", "my-log", "\(segments[2].first)", "end", "-o", "late.jsonl")
    #expect(late.status == 1 && !bench.disk.filePaths.contains("late.jsonl"), "\(late)")
  }

  @Test("a missing segment is named by its actions")
  func missingSegment() async throws {
    let segments = try await record()
    try bench.disk.remove(segments[1].path)
    let run = await bench.run("verify", "my-log")
    let missing = "actions \(segments[1].first)…\(segments[2].first - 1) are missing"
    #expect(run.status == 1 && run.output.contains("\(missing): the line does not follow "), "\(run)")
    #expect(await bench.run("replay", "my-log").messages.contains(missing))
  }

  @Test("no answer about the end of a log hides that a segment before it is missing")
  func answersBeforeTheGap() async throws {
    let segments = try await record()
    _ = await bench.run("snapshot", "my-log", "--at", "2900")
    try bench.disk.remove(segments[1].path)
    let missing = "actions \(segments[1].first)…\(segments[2].first - 1) are missing"
    for words in [
      ["show", "my-log", "end"], ["show", "my-log", "-1"], ["state", "my-log", "--path", "/valeu"],
      ["blame", "my-log", "/valeu"], ["blame", "my-log", "/value", "--at", "2900"],
      ["replay", "my-log", "--snapshots"],
      ["find", "my-log", "/value > 100000", "--from", "2800"], ["history", "my-log", "/value", "--from", "2800"],
      ["find", "--bisect", "my-log", "/value > 100000", "--from", "2800"],
    ] {
      let run = await bench.run(words)
      #expect(run.status == 1 && run.messages.contains(missing), "\(words): \(run)")
    }
    // An action after the gap can be read, and its state with a snapshot.
    let run = await bench.run("state", "my-log", "--at", "2950")
    #expect(run.status == 0 && run.messages.contains("revision 2950"), "\(run)")
    let proof = await bench.run("replay", "my-log", "--verify")
    #expect((proof.output + proof.messages).contains("1…\(segments[1].first - 1) are intact"), "\(proof)")
  }

  /// Regression: the last line was missing, so that a part of the answer looked like all of it.
  @Test func aTruncatedAnswerSaysSoDespiteDamage() async throws {
    let segments = try await record()
    try bench.disk.flipBit(0, ofByte: 5_000, in: segments[1].path)
    for words in [
      ["list", "my-log", "--where", "/value > -100000", "--max-bytes", "2048"],
      ["history", "my-log", "/value", "--limit", "1"],
    ] {
      let run = await bench.run(words + ["--json"])
      let last = run.output.split(separator: "\n").last ?? ""
      #expect(last.hasPrefix(#"{"truncated":true,"next":"#), "\(words): \(last) \(run.messages)")
    }
  }

  @Test("a segment that this user may not read is no reason to salvage")
  func unreadableSegment() async throws {
    let segments = try await record()
    let files = FaultyFileSystem(
      bench.disk, faults: [FileFault(.open, lasts: true, code: .permissionDenied, pathSuffix: segments[1].path)])
    let run = await bench.run("verify", "my-log") { environment in environment.fileSystem = files }
    #expect(
      run.status == 1 && run.messages.contains("make it readable for this user"), "\(run)")
  }

  @Test("a snapshot that cannot be taken again is not advised to be")
  func snapshotAfterDamage() async throws {
    let segments = try await record()
    _ = await bench.run("snapshot", "my-log", "--at", "2900")
    try bench.disk.flipBit(3, ofByte: 200, in: "my-log/snapshots/0000000000002900.json")
    let sound = await bench.run("verify", "my-log")
    #expect(sound.messages.contains("'action-log snapshot my-log --at 2900' replaces it."), "\(sound)")
    try bench.disk.flipBit(0, ofByte: 5_000, in: segments[1].path)
    let run = await bench.run("verify", "my-log")
    #expect(run.messages.contains("replays ignore it. Move it away.") && !run.messages.contains("--at 2900"), "\(run)")
  }

  @Test("the file HEAD is no damaged segment")
  func head() async throws {
    _ = try await record()
    let run = await bench.run("state", "my-log/HEAD")
    #expect(
      run.status == 3 && run.messages.contains("the HEAD of a log") && !run.messages.contains("salvage"), "\(run)")
  }

  @Test("every question warns of damaged snapshots, as replays do")
  func damagedSnapshot() async throws {
    _ = try await record()
    for revision in ["1000", "2000"] {
      let run = await bench.run("snapshot", "my-log", "--at", revision)
      try #require(run.status == 0)
      try bench.disk.flipBit(3, ofByte: 200, in: "my-log/snapshots/000000000000\(revision).json")
    }
    for words in [
      ["blame", "my-log", "/value"], ["find", "my-log", "/value < -9999", "--from", "2500"],
      ["find", "--last", "my-log", "/value > -9999"], ["find", "--bisect", "my-log", "/value < -9999"],
      ["show", "my-log", "2500"],
      ["diff", "my-log", "2500", "2600"], ["history", "my-log", "/value", "--from", "2500"],
      // A question that fails, too.
      ["state", "my-log", "--path", "/nothing"],
    ] {
      let run = await bench.run(words)
      let warnings = run.messages.split(separator: "\n").filter { line in line.hasPrefix("warning: ") }
      #expect(warnings.count == 1 && warnings[0].contains("snapshots/"), "\(words): \(run)")
    }
  }

  @Test("questions are answered without snapshots that cannot be listed, with a warning")
  func unreadableSnapshots() async throws {
    _ = try await record()
    _ = await bench.run("snapshot", "my-log", "--at", "1000")
    let files = FaultyFileSystem(
      bench.disk, faults: [FileFault(.names, lasts: true, code: .permissionDenied, pathSuffix: "snapshots")])
    for words in [
      ["blame", "my-log", "/value"], ["find", "my-log", "/value > 3"], ["find", "--last", "my-log", "/value > 3"],
      ["find", "--bisect", "my-log", "/value > 3"], ["show", "my-log", "2500"], ["diff", "my-log", "200", "2600"],
      ["history", "my-log", "/value", "--from", "2990"], ["state", "my-log"],
    ] {
      let expected = await bench.run(words + ["-q"])
      let run = await bench.run(words + ["-q"]) { environment in environment.fileSystem = files }
      #expect(run.status == expected.status && run.output == expected.output, "\(words): \(run)")
      #expect(run.messages.hasPrefix("warning: ") && run.messages.contains("snapshots"), "\(words): \(run)")
    }
    // A proof is about the snapshots, too.
    let proof = await bench.run("replay", "my-log", "--verify") { environment in environment.fileSystem = files }
    #expect(proof.status == 3 && proof.messages.hasPrefix("error: the snapshots cannot be listed"), "\(proof)")
  }

  @Test("a file in place of the snapshots is reported once, also when the question fails")
  func displacedSnapshots() async throws {
    _ = try await record()
    try bench.disk.setContents([], of: "my-log/snapshots")
    let advice = "move away what is at 'my-log/snapshots'."
    for (words, status) in [
      (["state", "my-log"], 0), (["state", "my-log", "--path", "/nothing"], 1),
      (["state", "my-log", "--path", "/nothing", "--json"], 1), (["bug-report", "my-log", "3", "5", "-o", "bug"], 0),
    ] as [([String], Int32)] {
      let run = await bench.run(words)
      #expect(run.status == status, "\(words): \(run)")
      #expect(run.messages.components(separatedBy: advice).count == 2, "\(words): \(run)")
      #expect(!words.contains("--json") || run.messages.hasPrefix(#"{"warning":"snapshot not used: "#), "\(run)")
    }
  }

  @Test("diff to the end reports damage before its first point", arguments: ["end", "-1"])
  func comparisonBackward(end: String) async throws {
    let segments = try await record()
    _ = await bench.run("snapshot", "my-log", "--at", "2950")
    try bench.disk.remove(segments[1].path)
    let run = await bench.run("diff", "my-log", "2960", end)
    #expect(run.status == 1 && run.output.isEmpty && run.messages.contains(" are missing"), "\(run)")
    let forward = await bench.run("diff", "my-log", "10", end)
    #expect(forward.status == 1 && forward.output.hasPrefix("revision 10 → "), "\(forward)")
  }

  @Test(
    "an empty ACTION_LOG_PROCESSORS is ignored",
    arguments: [["state", "my-log"], ["find", "--bisect", "my-log", "/value < -9999"]])
  func emptyVariable(words: [String]) async throws {
    _ = try await record()
    for (text, status) in [("", words[0] == "find" ? 1 : 0), ("0", 2), ("many", 2)] as [(String, Int32)] {
      let run = await bench.run(words) { environment in environment.variables = ["ACTION_LOG_PROCESSORS": text] }
      #expect(run.status == status, "\(text): \(run)")
    }
  }
}
