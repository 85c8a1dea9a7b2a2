import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import ActionLogTool
import EventSourcing
import Foundation
import TestSupport
import Testing

@Suite("prune, and questions on pruned logs") struct PruneCommandTests {
  /// A log of twelve actions in short segments. Returns the revision before its last segment.
  @MainActor private func bench() async throws -> (bench: Bench, first: Int) {
    let bench = Bench()
    let writer = try LogWriter.open(
      at: "my-log", model: "counter", schema: 1, fileSystem: bench.disk,
      configuration: LogConfiguration(segmentLimitBytes: 600, environment: bench.logEnvironment))
    for _ in 0..<12 {
      try writer.appendNow([LogDraft(type: "didTapIncrementButton", data: Array("{}".utf8))])
    }
    try writer.closeNow()
    let segments = try LogReader.open(at: "my-log", fileSystem: bench.disk).segments
    return (bench, try #require(segments.last { segment in segment.first <= 7 }).first - 1)
  }

  private static let prune = ["prune", "my-log", "--before", "7", "--reason", "kept for a year", "--archive", "old"]

  @Test func aDryRunChangesNothing() async throws {
    let (bench, first) = try await bench()
    let names = try bench.disk.names(in: "my-log")
    let run = await bench.run(Self.prune + ["--dry-run"])
    #expect(run.status == 0)
    #expect(run.output.contains("would be archived to old and removed"), "\(run)")
    #expect(run.output.contains("the log would begin at revision \(first)"), "\(run)")
    #expect(try bench.disk.names(in: "my-log") == names)
    // Without a terminal and without --yes, too.
    let refused = await bench.run(Self.prune)
    #expect(refused.status == 2)
    #expect(try bench.disk.names(in: "my-log") == names)
  }

  /// Before anything is asked or shown.
  @Test(arguments: ["my-log", "my-log/", "./my-log", "my-log/in", "no/where", "file", "other"])
  func aDryRunRefusesAWrongArchive(archive: String) async throws {
    let (bench, _) = try await bench()
    try bench.disk.setContents([1], of: "file")
    try bench.disk.setContents([1], of: "other/0000000000000001.jsonl")
    let names = bench.disk.filePaths
    let arguments = ["prune", "my-log", "--before", "7", "--reason", "r", "--archive", archive]
    let dry = await bench.run(arguments + ["--dry-run"])
    #expect(dry.status != 0 && dry.output.isEmpty, "\(dry)")
    let run = await bench.run(arguments + ["--yes"])
    #expect(run.status == dry.status, "\(run)")
    #expect(run.messages == dry.messages)
    #expect(bench.disk.filePaths == names)
  }

  /// The program was killed after it removed base.json and before it recorded that.
  @Test func anInterruptedRestoreIsCompleted() async throws {
    let (bench, _) = try await bench()
    #expect(await bench.run(Self.prune + ["--yes"]).status == 0)
    for name in try bench.disk.names(in: "old") {
      try bench.disk.setContents(try bench.disk.contents(of: "old/" + name), of: "my-log/" + name)
    }
    try bench.disk.remove("my-log/base.json")
    let restore = ["prune", "my-log", "--restore", "old"]
    let verified = await bench.run("verify", "my-log")
    #expect(verified.status == 0 && verified.output.contains("'action-log prune LOG --restore DIR' records it"))
    let dry = await bench.run(restore + ["--dry-run"])
    #expect(dry.status == 0 && dry.output.contains("a record of that would be added"), "\(dry)")
    let run = await bench.run(restore + ["--yes"])
    #expect(run.status == 0 && run.output.contains("a record of that was added"), "\(run)")
    #expect(await bench.run("verify", "my-log").output.contains("clean"))
  }

  @Test func lostTilesAreReportedWithAdvice() async throws {
    let (bench, _) = try await bench()
    #expect(await bench.run(Self.prune + ["--yes"]).status == 0)
    for path in bench.disk.filePaths where path.contains("my-log/proofs/") { try bench.disk.remove(path) }
    let run = await bench.run("verify", "my-log")
    #expect(run.status == 1 && run.output.hasPrefix("my-log: damaged\n"), "\(run)")
    #expect(run.output.contains("  ! the tiles of the first "), "\(run.output)")
    #expect(run.messages.contains("Every record is intact, but the tiles of the removed lines are lost"), "\(run)")
    #expect(await bench.run("checkpoint", "my-log").status == 1)
    #expect(await bench.run("prune", "my-log", "--restore", "old", "--yes").status == 0)
    #expect(await bench.run("verify", "my-log").status == 0)
    #expect(await bench.run("checkpoint", "my-log").status == 0)
  }

  /// The same command can be given until it says so; a log that was never pruned is a mistake.
  @Test func aCompleteRestoreHasNothingToRestore() async throws {
    let (bench, _) = try await bench()
    let restore = ["prune", "my-log", "--restore", "old"]
    #expect(await bench.run(restore + ["--yes"]).status == 2)
    #expect(await bench.run(Self.prune + ["--yes"]).status == 0)
    #expect(await bench.run(restore + ["--yes"]).status == 0)
    let segment = try bench.disk.names(in: "my-log").filter { name in name.hasSuffix(".jsonl") }
    for options in [[], ["--yes"], ["--dry-run"]] {
      let again = await bench.run(restore + options)
      #expect(again.status == 0 && again.output == "my-log: there is nothing to restore\n", "\(again)")
    }
    let json = await bench.run(restore + ["--json"])
    #expect(json.output == #"{"path":"my-log","restoredFrom":"old","begins":0,"segments":[],"isDryRun":false}"# + "\n")
    #expect(try bench.disk.names(in: "my-log").filter { name in name.hasSuffix(".jsonl") } == segment)
  }

  @Test func theBeginningIsRemovedAndPutBack() async throws {
    let (bench, first) = try await bench()
    let whole = await bench.run(["list", "my-log"]).output
    let end = await bench.run(["state", "my-log"]).output
    let run = await bench.run(Self.prune + ["--yes"])
    #expect(run.status == 0, "\(run)")
    #expect(run.output.contains("were archived to old and removed"), "\(run)")
    #expect(await bench.run(["verify", "my-log"]).status == 0)
    #expect(await bench.run(["state", "my-log"]).output == end)
    let list = await bench.run(["list", "my-log"])
    #expect(list.status == 0)
    #expect(list.messages.contains("the log begins at \(first)"), "\(list)")
    #expect(list.output.split(separator: "\n").count == 12 - first)
    let again = await bench.run(Self.prune + ["--yes"])
    #expect(again.status == 1, "\(again)")
    let restored = await bench.run(["prune", "my-log", "--restore", "old", "--yes"])
    #expect(restored.status == 0, "\(restored)")
    #expect(await bench.run(["list", "my-log"]).output == whole)
  }

  @Test func shippedSegmentsAreRemovedAndPutBack() async throws {
    let (bench, first) = try await bench()
    let whole = await bench.run(["list", "my-log"]).output
    let prune = ["prune", "my-log", "--before", "7", "--reason", "r", "--archive", "lake"]
    // A lake of another log.
    try bench.disk.setContents([1], of: "lake/_logs/other/manifest.jsonl")
    let early = await bench.run(prune + ["--dry-run"])
    #expect(early.status == 3 && early.messages.contains("it has no manifest of this log"), "\(early)")
    #expect(early.messages.contains("Ship the log first"), "\(early)")
    #expect(await bench.run("ship", "my-log", "lake").status == 0)
    let shipped = bench.disk.filePaths.filter { path in path.contains("lake/") }
    let run = await bench.run(prune + ["--yes"])
    #expect(run.status == 0 && run.output.contains("were archived to lake and removed"), "\(run)")
    #expect(bench.disk.filePaths.filter { path in path.contains("lake/") } == shipped)
    let gone = await bench.run("state", "my-log", "--at", "1")
    #expect(gone.status == 2 && gone.messages.contains("'lake'; 'action-log prune LOG --restore DIR' puts them back"))
    let log = try #require(try bench.disk.names(in: "lake/model=counter").first)
    #expect(await bench.run("state", "lake/model=counter/\(log)", "--at", "\(first - 1)").status == 0)
    let dry = await bench.run("prune", "my-log", "--restore", "lake", "--dry-run")
    #expect(dry.status == 0 && dry.output.contains("would be put back from lake"), "\(dry)")
    #expect(await bench.run("prune", "my-log", "--restore", "lake", "--yes").status == 0)
    #expect(await bench.run(["list", "my-log"]).output == whole)
  }

  @Test func theBeginningIsVerifiedAndNamed() async throws {
    let (bench, first) = try await bench()
    let early = await bench.run("prune", "my-log", "--before", "1", "--reason", "r", "--delete", "--yes")
    #expect(early.status == 1 && early.messages.contains("The first possible point is"), "\(early)")
    #expect(await bench.run(Self.prune + ["--yes"]).status == 0)
    let page = await bench.run("verify", "my-log")
    #expect(page.status == 0 && page.output.contains("at revision \(first): the log was pruned"), "\(page)")
    #expect(await bench.run("verify", "my-log", "--json").output.contains(#""firstSeq":\#(first)"#))
    // A dry run verifies the archive.
    let segment = "old/0000000000000001.jsonl"
    let bytes = try bench.disk.contents(of: segment)
    try bench.disk.flipBit(0, ofByte: bytes.count / 2, in: segment)
    let tampered = await bench.run("prune", "my-log", "--restore", "old", "--dry-run")
    #expect(tampered.status == 1 && tampered.messages.contains("checksum"), "\(tampered)")
    try bench.disk.flipBit(0, ofByte: bytes.count / 2, in: segment)
    // Without its base the log is damaged, and the archive cures it.
    try bench.disk.remove("my-log/base.json")
    let damaged = await bench.run("verify", "my-log")
    #expect(damaged.status == 1 && !damaged.output.contains("schema changes"), "\(damaged)")
    #expect(await bench.run("prune", "my-log", "--restore", "old", "--dry-run").status == 0)
    let restored = await bench.run("prune", "my-log", "--restore", "old", "--yes")
    #expect(restored.status == 0, "\(restored)")
    #expect(await bench.run("verify", "my-log").output.contains("clean"))
  }

  /// The pruning ends at the removal of a snapshot; the next writer removes it.
  @Test func anInterruptedPruningIsAWarning() async throws {
    let (bench, first) = try await bench()
    let snapshot = await bench.run("snapshot", "my-log", "--at", "2")
    try #require(snapshot.status == 0, "\(snapshot)")
    let door = FaultyFileSystem(bench.disk, faults: [FileFault(.remove, lasts: true, pathSuffix: "2.json")])
    let prune = await bench.run(Self.prune + ["--yes"]) { environment in environment.fileSystem = door }
    #expect(prune.status != 0 && prune.messages.contains("The next writer that opens the log finishes it"), "\(prune)")
    let run = await bench.run("verify", "my-log")
    #expect(run.status == 0, "\(run)")
    #expect(run.output.contains("- snapshot not used: my-log/snapshots/0000000000000002.json: revision 2 is gone"))
    #expect(run.messages.contains("was interrupted before it removed a snapshot. The next writer"), "\(run)")
    let json = await bench.run("verify", "my-log", "--json")
    #expect(json.status == 0 && json.output.contains(#""outdated":[{"seq":2,"#), "\(json)")
    let record = await bench.run("record", "counter", "my-log", input: [#"{"type":"didTapIncrementButton"}"# + "\n"])
    try #require(record.status == 0, "\(record)")
    let after = await bench.run("verify", "my-log", "--json")
    #expect(after.status == 0 && !after.output.contains("outdated"), "\(after)")
    // A snapshot that somebody puts back is none that the next writer removes.
    let other = await bench.run("snapshot", "my-log", "--at", "\(first)")
    try #require(other.status == 0, "\(other)")
    let bytes = try bench.disk.contents(of: SnapshotStore(at: "my-log", fileSystem: bench.disk).path(at: first))
    var text = String(decoding: bytes.dropLast(CommitMark.sizeBytes), as: UTF8.self)
    text = text.replacing(#""seq":\#(first),"#, with: #""seq":2,"#)
    var old = Array(text.utf8)
    CommitMark.append(to: &old)
    try bench.disk.setContents(old, of: "my-log/snapshots/0000000000000002.json")
    let stray = await bench.run("verify", "my-log")
    #expect(
      stray.status == 1 && stray.output.contains("! snapshot not used: my-log/snapshots/0000000000000002.json"),
      "\(stray)")
  }

  /// Before the base has its name, and while the segments are removed.
  @Test(arguments: [
    FileFault(.rename, lasts: true, pathSuffix: "my-log/base.json.new"),
    FileFault(.remove, lasts: true, pathSuffix: "my-log/0000000000000001.jsonl"),
  ])
  func theSameCommandFinishesAnInterruptedPruning(fault: FileFault) async throws {
    let (bench, first) = try await bench()
    let door = FaultyFileSystem(bench.disk, faults: [fault])
    let prune = await bench.run(Self.prune + ["--yes"]) { environment in environment.fileSystem = door }
    #expect(prune.status != 0 && prune.messages.contains("The next writer that opens the log finishes it"), "\(prune)")
    let names = bench.disk.filePaths
    let dry = await bench.run(Self.prune + ["--dry-run"])
    #expect(dry.status == 0 && dry.output.contains("an interrupted pruning would be finished"), "\(dry)")
    #expect(bench.disk.filePaths == names)
    #expect(await bench.run(Self.prune).status == 2)
    #expect(bench.disk.filePaths == names)
    let run = await bench.run(Self.prune + ["--yes"])
    #expect(run.status == 0 && run.output.contains("an interrupted pruning was finished"), "\(run)")
    #expect(run.output.contains("the log begins at revision \(first)"), "\(run)")
    #expect(try !bench.disk.names(in: "my-log").contains("0000000000000001.jsonl"))
    let page = await bench.run("verify", "my-log")
    #expect(page.status == 0 && page.output.contains("clean"), "\(page)")
    #expect(await bench.run(Self.prune + ["--yes"]).status == 1)
    #expect(await bench.run("prune", "my-log", "--restore", "old", "--yes").status == 0)
  }

  @Test func interruptionsAreExplained() async throws {
    let (bench, _) = try await bench()
    let shipped = "lake/model=counter/log=3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11"
    for (words, text) in [
      (["ship", "my-log", "lake", "--dry-run"], nil),
      (["ship", "my-log", "lake"], "No log was changed, and DEST has only complete segments. The same command ships"),
      (["ship", "my-log", "lake", "--seal"], "Every log is intact, and DEST has only complete segments."),
      (["restore", shipped, "restored"], "LOG exists only if it is complete, and SOURCE was not changed."),
      (["backup", "my-log", "copy"], "DEST exists only if it is complete, and LOG was not changed."),
      (["salvage", "my-log", "saved"], "NEW exists only if it is complete, and LOG was not changed."),
      (Self.prune + ["--dry-run"], "Nothing was changed."),
      (Self.prune + ["--yes"], "The log can be read. If the pruning was recorded, the same command finishes it"),
      (["prune", "my-log", "--restore", "old", "--yes"], "No segment is lost. The same command continues."),
    ] as [([String], String?)] {
      var stop: StopRequest?
      let run = await bench.run(words) { environment in stop = environment.stop }
      #expect(run.status == 0, "\(words): \(run)")
      let line = stop?.endingLine
      #expect(line?.hasPrefix("interrupted. " + (text ?? "")) ?? (text == nil), "\(words): \(line ?? "")")
    }
  }

  @Test(arguments: [
    ["prune", "my-log"], ["prune", "my-log", "--before", "7"], ["prune", "my-log", "--before", "7", "--reason", "r"],
    ["prune", "my-log", "--before", "7", "--reason", "", "--delete"],
    ["prune", "my-log", "--before", "7", "--reason", "r", "--delete", "--archive", "old"],
    ["prune", "my-log", "--restore", "old", "--delete"], ["prune", "my-log", "--restore", "old"],
  ])
  func wrongUseIsRefused(words: [String]) async throws {
    let (bench, _) = try await bench()
    let run = await bench.run(words)
    #expect(run.status == 2, "\(run)")
    #expect(try bench.disk.names(in: "my-log").contains("0000000000000001.jsonl"))
  }

  @Test func revisionsBeforeTheBaseAreAnError() async throws {
    let (bench, first) = try await bench()
    #expect(await bench.run(Self.prune + ["--yes"]).status == 0)
    for words in [
      ["state", "my-log", "--at", "1"], ["show", "my-log", "1"], ["diff", "my-log", "1", "12"],
      ["mark", "my-log", "1", "early"], ["what-if", "my-log", "--skip", "1"],
      ["state", "my-log", "--at", "0"], ["show", "my-log", "\(first)"],
    ] {
      let run = await bench.run(words)
      #expect(run.status == 2, "\(words): \(run)")
      #expect(run.messages.contains("is gone: the log begins"), "\(words): \(run)")
      let json = await bench.run(words + ["--json"])
      #expect(json.messages.contains(#""pruned""#), "\(words): \(json)")
    }
    let archived = await bench.run(["state", "my-log", "--at", "1"])
    #expect(archived.messages.contains("archived to 'old'"), "\(archived)")
    for words in [
      ["state", "my-log", "--at", "\(first)"], ["state", "my-log", "--at", "start"], ["show", "my-log", "12"],
      ["mark", "my-log", "\(first)", "base"], ["diff", "my-log", "\(first)", "12"],
    ] {
      let run = await bench.run(words)
      #expect(run.status == (words[0] == "diff" ? 1 : 0), "\(words): \(run)")
    }
  }

  @Test func linesBeforeTheBaseAreNotProved() async throws {
    let (bench, first) = try await bench()
    #expect(await bench.run(Self.prune + ["--yes"]).status == 0)
    #expect(await bench.run("checkpoint", "my-log").status == 0)
    for words in [["1"], ["--line", "0"], ["\(first)"]] {
      let run = await bench.run(["prove", "my-log"] + words + ["--json"])
      #expect(run.status == 2, "\(words): \(run)")
      #expect(run.messages.contains(#""pruned""#) && run.messages.contains("is gone"), "\(words): \(run)")
    }
    let run = await bench.run("prove", "my-log", "\(first + 1)")
    #expect(run.status == 0, "\(run)")
    #expect(try LineProof(parsing: Array(run.output.utf8)).verify().isEmpty)
  }

  /// Every other verb that reads answers, or names what is gone.
  @Test(arguments: [
    ["history", "my-log", "/value"], ["find", "--last", "my-log", "/value <= 1"],
    ["list", "my-log", "--format", "lines", "--all"],
    ["minimize", "my-log", "/value >= 12"], ["bug-report", "my-log", "start", "end", "--output", "bug.jsonl"],
    ["mark", "my-log"],
    ["subscriptions", "my-log"], ["projections", "my-log"], ["fleet", "my-log"], ["snapshot", "my-log"],
    ["verify", "my-log"], ["ship", "my-log", "shipped"], ["backup", "my-log", "copy"],
  ])
  func otherVerbsWork(words: [String]) async throws {
    let (bench, _) = try await bench()
    #expect(await bench.run(Self.prune + ["--yes"]).status == 0)
    let run = await bench.run(words)
    #expect([0, 1].contains(run.status), "\(words): \(run)")
    #expect(!run.messages.contains("error:"), "\(words): \(run)")
    #expect(await bench.run("verify", "my-log").status == 0)
  }

  @Test func whatIsThereIsShown() async throws {
    let (bench, first) = try await bench()
    #expect(await bench.run(Self.prune + ["--yes"]).status == 0)
    for words in [
      ["list", "my-log"], ["stats", "my-log"], ["list", "my-log", "--format", "cloudevents"], ["export", "my-log"],
      ["compat", "my-log"],
      ["replay", "my-log"], ["list", "my-log", "--from", "1"], ["list", "my-log", "--from", "2"],
      ["replay", "my-log", "--verify"],
    ] {
      let run = await bench.run(words)
      #expect(run.status == 0, "\(words): \(run)")
      let count = run.messages.components(separatedBy: "the log begins at \(first)").count - 1
      #expect(count == 1, "\(words): \(run)")
    }
  }

  @Test func theScreenBeginsAtTheBase() async throws {
    let (bench, first) = try await bench()
    #expect(await bench.run(Self.prune + ["--yes"]).status == 0)
    let wide: (inout ToolEnvironment) -> Void = { environment in environment.variables["COLUMNS"] = "120" }
    let run = await bench.run(["tui", "my-log"], input: ["n\n"], change: wide)
    #expect(run.status == 0, "\(run)")
    #expect(run.output.contains("\(first) the log begins here"), "\(run.output)")
    #expect(!run.output.contains("\(first - 1) the log begins here"), "\(run.output)")
    #expect(!run.output.contains("is missing"), "\(run.output)")
    #expect(run.output.contains("the state that the log begins with"), "\(run.output)")
    #expect(run.output.contains("revision \(first + 1) of 12\n"), "\(run.output)")
    let gone = "the log begins at \(first), and earlier revisions are gone"
    for (keys, message) in [
      ("p", gone), ("g1", gone),
      ("$", "revision 12 of 12"), ("n0", "revision \(first) of 12"),
    ] {
      let answer = await bench.run(["tui", "my-log"], input: [keys + "\n"], change: wide)
      #expect(answer.status == 0 && answer.output.contains(message), "\(keys): \(answer.output)")
    }
    let early = await bench.run(["tui", "my-log", "--at", "1"], change: wide)
    #expect(early.status == 2 && early.messages.contains("is gone: the log begins"), "\(early)")
  }

  @Test func thePageBeginsAtTheBase() async throws {
    let (bench, first) = try await bench()
    #expect(await bench.run(Self.prune + ["--yes"]).status == 0)
    let notice = "The log begins at revision \(first). Earlier revisions are gone"
    for (words, saysSo, warns) in [
      ([], true, true), (["\(first + 1)"], true, false), (["\(first + 3)"], false, false), (["1"], true, true),
    ] as [([String], Bool, Bool)] {
      let run = await bench.run(["report", "my-log"] + words + ["--output", "-"])
      #expect(run.status == 0, "\(words): \(run.messages)")
      #expect(run.output.contains(notice) == saysSo, "\(words)")
      #expect(run.messages.contains("the log begins at \(first)") == warns, "\(words): \(run.messages)")
    }
    let early = await bench.run("report", "my-log", "--output", "-", "--at", "1")
    #expect(early.status == 2 && early.messages.contains("is gone: the log begins"), "\(early.messages)")
  }

  @Test func logsMadeOfAPrunedOneBeginWithTheSameState() async throws {
    let (bench, first) = try await bench()
    #expect(await bench.run(Self.prune + ["--yes"]).status == 0)
    let end = await bench.run("state", "my-log", "--path", "/value")
    #expect(end.status == 0, "\(end)")
    let saved = await bench.run("salvage", "my-log", "saved")
    #expect(saved.status == 0 && saved.output.contains("at revision \(first), with the base"), "\(saved)")
    #expect(saved.output.contains("actions \(first + 1)…12"), "\(saved)")
    let json = await bench.run("salvage", "my-log", "again", "--json")
    #expect(json.output.contains(#""firstSeq":\#(first)"#), "\(json)")
    let frozen = await bench.run("branch", "my-log", "frozen")
    #expect(frozen.status == 0, "\(frozen)")
    let branch = await bench.run("branch", "my-log", "branch", "--skip", "\(first + 2)")
    #expect([0, 1].contains(branch.status), "\(branch)")
    for (path, begins) in [("saved", first), ("frozen", 0), ("branch", first)] {
      #expect(await bench.run("verify", path).status == 0, "\(path)")
      let state = await bench.run("state", path, "--path", "/value")
      #expect(state.status == 0, "\(path): \(state)")
      if path != "branch" { #expect(state.output == end.output, "\(path)") }
      let early = await bench.run("state", path, "--at", "1")
      // The frozen log has no action.
      #expect(early.status == 2, "\(path): \(early)")
      #expect(early.messages.contains("is gone") == (begins > 0), "\(path): \(early)")
      #expect(!early.messages.contains("prune LOG --restore"), "its segments are those of another log: \(early)")
    }
    let refused = await bench.run("branch", "my-log", "early", "--skip", "1")
    #expect(refused.status == 2 && refused.messages.contains("is gone"), "\(refused)")
  }

  @Test func answersBeforeTheBaseAreUnknown() async throws {
    let (bench, first) = try await bench()
    #expect(await bench.run(Self.prune + ["--yes"]).status == 0)
    let place = "at revision \(first), where the log begins"
    let text = "already the value \(place)"
    for words in [["find", "my-log", "/value >= 1"], ["find", "--bisect", "my-log", "/value >= 1"]] {
      let run = await bench.run(words)
      #expect(run.status == 1, "\(words): \(run)")
      #expect(run.output.contains("the condition already held \(place)"), "\(words): \(run)")
    }
    let known = await bench.run(["find", "my-log", "/value >= \(first + 2)"])
    #expect(known.status == 0 && known.output.contains("\(first + 2)"), "\(known)")
    let blame = await bench.run(["blame", "my-log", "/value", "--at", "\(first)"])
    #expect(blame.status == 1 && blame.output.contains(text), "\(blame)")
    let history = await bench.run(["history", "my-log", "/value", "--to", "\(first)"])
    #expect(history.status == 1 && history.output.contains(text), "\(history)")
    #expect(await bench.run(["blame", "my-log", "/value"]).status == 0)
    // The answer may be before the base although the value at the base does not show it.
    for words in [
      ["find", "--bisect", "my-log", "/value < 1"], ["find", "my-log", "/value < 1"],
      ["find", "--last", "my-log", "/value < 1"],
      ["blame", "my-log", "/gone"], ["history", "my-log", "/value"], ["history", "my-log", "/gone"],
      ["history", "my-log", "/value"],
    ] {
      let run = await bench.run(words)
      let warning = "the log begins at \(first), and earlier revisions are gone"
      #expect(run.messages.components(separatedBy: warning).count == 2, "\(words): \(run)")
    }
    // A later answer is complete.
    let exact = await bench.run("blame", "my-log", "/value")
    #expect(!exact.messages.contains("earlier revisions are gone"), "\(exact)")
  }
}
