import ActionLog
import ActionLogTesting
import ActionLogTool
import EventSourcing
import JSONCoding
import TestSupport
import Testing

/// Snapshots and marks: what `verify` says of them, what `salvage` takes over.
@Suite struct SideFileTests {
  private static let snapshot = "my-log/snapshots/0000000000000006.json"
  private static let marks = "my-log/marks.jsonl"

  /// A counter's log with two snapshots and three marks.
  private func bench() async throws -> Bench {
    let bench = Bench()
    try await bench.recordCounter()
    for command in [
      ["snapshot", "my-log", "--at", "3"], ["snapshot", "my-log", "--at", "6"],
      ["mark", "my-log", "2", "early"], ["mark", "my-log", "7", "in the gap", "it was here"],
      ["mark", "my-log", "9", "late"],
    ] {
      try #require(await bench.run(command).status == 0)
    }
    return bench
  }

  @Test func screens() async throws {
    let bench = try await bench()
    var text = await bench.transcript([["verify", "my-log"], ["verify", "my-log", "--json"]])
    try bench.disk.flipBit(0, ofByte: 100, in: Self.snapshot)
    try bench.disk.flipBit(0, ofByte: 30, in: Self.marks)
    text += await bench.transcript([
      ["verify", "my-log"], ["verify", "my-log", "--json"], ["mark", "my-log"],
    ])
    let marks = try bench.disk.contents(of: Self.marks)
    let end = try #require(marks.firstIndex(of: UInt8(ascii: "\n")))
    try bench.disk.setContents(Array(marks[(end + 1)...]), of: Self.marks)
    text += await bench.transcript([["mark", "my-log", "--json"]])
    try bench.disk.remove(Self.snapshot)
    text += await bench.transcript([["verify", "my-log"]])
    try bench.disk.flipBit(0, ofByte: 1_500, in: Bench.segment)
    text += await bench.transcript([
      ["verify", "my-log"], ["salvage", "my-log", "saved"], ["salvage", "my-log", "third", "--json"],
    ])
    try Golden.expect(text, is: "side-files.txt")
  }

  @Test func aFileInPlaceOfTheSnapshotsIsReported() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    try bench.disk.setContents([], of: "my-log/snapshots")
    let run = await bench.run("verify", "my-log")
    #expect(run.status == 1, "\(run)")
    #expect(run.output.contains("this is not a directory: my-log/snapshots"), "\(run.output)")
    #expect((run.output + run.messages).contains("move away what is at 'my-log/snapshots'"), "\(run)")
  }

  /// The damage is in a sealed segment, whose lines are not read to compare a snapshot of a later one.
  @Test func snapshotsAfterDamageAreNotExamined() async throws {
    let bench = Bench()
    let record = await bench.run("record", "counter", "my-log", "--workload", "40", "--segment-size", "1500")
    try #require(record.status == 0, "\(record.messages)")
    for revision in ["10", "20", "30"] {
      try #require(await bench.run("snapshot", "my-log", "--at", revision).status == 0)
    }
    let reader = try LogReader.open(at: "my-log", fileSystem: bench.disk)
    #expect(reader.segments.count > 3)
    let place = try reader.record(at: 15).place
    let sound = await bench.run("verify", "my-log")
    #expect(sound.status == 0 && sound.output.contains("3 of 3 match the log\n"), "\(sound)")
    try bench.disk.flipBit(0, ofByte: place.byteOffset + 90, in: place.path)
    let damaged = await bench.run("verify", "my-log")
    #expect(damaged.status == 1)
    #expect(damaged.output.contains("1 of 3 match the log, 2 after the damage\n"), "\(damaged.output)")
  }

  /// A log that was replaced by an older copy of itself: its records are intact, and its side files show the
  /// replacement.
  @Test func olderCopyIsDetectedBySideFiles() async throws {
    let bench = try await bench()
    let lines = try bench.disk.contents(of: Bench.segment).split(separator: 0x0A, omittingEmptySubsequences: false)
    try bench.disk.setContents(Array(lines.prefix(8).joined(separator: [0x0A])) + [0x0A], of: Bench.segment)
    try bench.disk.remove("my-log/HEAD")
    let run = await bench.run("verify", "my-log")
    #expect(run.status == 1)
    #expect(run.output.hasPrefix("my-log: the records are clean, and "), "\(run.output)")
    #expect(
      run.output.contains("snapshot not used: \(Self.snapshot): the log does not hold revision 6"), "\(run.output)")
    #expect(run.output.contains("the mark 'late' names revision 9, which is not in the log"))
    #expect(run.messages.contains("some are missing, or were replaced. Keep it"), "\(run.messages)")
    #expect(!run.messages.contains("elete") && !run.messages.contains("takes a new one"), "\(run.messages)")
  }

  @Test func theAdviceOnADamagedSnapshotReplacesIt() async throws {
    let bench = try await bench()
    try bench.disk.flipBit(0, ofByte: 100, in: Self.snapshot)
    let run = await bench.run("verify", "my-log")
    #expect(run.status == 1 && run.messages.contains("'action-log snapshot my-log --at 6' replaces it."), "\(run)")
    #expect(await bench.run("snapshot", "my-log", "--at", "6").status == 0)
    #expect(await bench.run("verify", "my-log").status == 0)
  }

  @Test func snapshotOfAnotherLogIsReported() async throws {
    let bench = try await bench()
    let bytes = try bench.disk.contents(of: Self.snapshot)
    try bench.disk.setContents(bytes, of: "my-log/snapshots/0000000000000004.json")
    let run = await bench.run("verify", "my-log")
    #expect(run.status == 1)
    #expect(run.output.contains("its 'seq' is 6"), "\(run.output)")
    #expect(run.output.contains("2 of 3 match the log"))
  }

  /// Regression: the report said that replays ignore the snapshot, but they begin with it.
  @Test func snapshotOfAWrongStateIsReported() async throws {
    let bench = Bench()
    let record = await bench.run("record", "counter", "my-log", "--workload", "40", "--snapshot-every", "20")
    try #require(record.status == 0, "\(record.messages)")
    let path = "my-log/snapshots/0000000000000040.json"
    let state = await bench.run("state", "my-log", "-q")
    let text = String(decoding: try bench.disk.contents(of: path).dropLast(CommitMark.sizeBytes), as: UTF8.self)
    let end = try #require(text.firstRange(of: #","state":"#)).upperBound
    var bytes = Array((text[..<end] + text[end...].replacing(#/-?[0-9]+/#, with: "123456")).utf8)
    CommitMark.append(to: &bytes)
    try bench.disk.setContents(bytes, of: path)
    let verify = await bench.run("verify", "my-log")
    #expect(verify.status == 1)
    #expect(verify.output.contains("! wrong snapshot: \(path): its state is not the one"), "\(verify)")
    #expect(verify.messages.contains("Replays trust a snapshot with a valid checksum"), "\(verify)")
    #expect(!verify.messages.contains("pass it over"), "\(verify)")
    let believed = await bench.run("state", "my-log", "-q")
    #expect(believed.output.contains("123456") && !state.output.contains("123456"), "\(believed)")
    #expect(await bench.run("replay", "my-log", "--verify").status == 1)
  }

  /// Unreadable side files do not hide damage of the records.
  @Test(arguments: [false, true]) func marksThatCannotBeReadHideNoDamage(isJSON: Bool) async throws {
    let bench = try await bench()
    try bench.disk.flipBit(0, ofByte: 1_500, in: Bench.segment)
    try bench.disk.remove(Self.marks)
    try bench.disk.createDirectory(Self.marks)
    let run = await bench.run(["verify", "my-log"] + (isJSON ? ["--json"] : []))
    #expect(run.status == 1)
    #expect(run.output.contains("checksum mismatch"), "\(run)")
    #expect(run.output.contains("the marks cannot be read"), "\(run)")
  }

  /// A writer that keeps only the newest snapshots removes one between listing and reading.
  @Test func snapshotRemovedDuringTheCheckIsNoError() async throws {
    let bench = try await bench()
    let disk = bench.disk
    let door = FaultyFileSystem(disk) { call in
      guard call.path == Self.snapshot else { return }
      do { try disk.remove(Self.snapshot) } catch {}
    }
    let examination = try SnapshotStore(at: "my-log", fileSystem: door)
      .examine(against: LogReader.open(at: "my-log", fileSystem: door))
    #expect(examination.sound == [3])
    #expect(examination.refusals.isEmpty, "\(examination.refusals)")
    #expect(!disk.filePaths.contains(Self.snapshot))
  }

  /// Every command uses the same name for it.
  @Test func emptySegmentIsNamed() async throws {
    let bench = Bench()
    try bench.disk.setContents([], of: Bench.segment)
    for command in [["list"], ["state"], ["repair"], ["verify"]] {
      let run = await bench.run(command + ["my-log"])
      #expect(
        run.status == 1 && (run.output + run.messages).contains("the segment is empty: \(Bench.segment)"), "\(run)")
    }
    let record = await bench.run("record", "counter", "my-log")
    #expect(record.status == 1 && record.messages.contains("the segment is empty: \(Bench.segment)"))
  }

  @Test func bugReportHasTheIntactPartOfADamagedLog() async throws {
    let bench = try await bench()
    try bench.disk.flipBit(0, ofByte: 1_500, in: Bench.segment)
    let intact = await bench.run("bug-report", "my-log", "3", "6", "--output", "intact.jsonl")
    #expect(intact.status == 0 && intact.output.contains("4 actions, from revision 2 to 6"), "\(intact)")
    for (index, end) in ["end", "9"].enumerated() {
      let run = await bench.run("bug-report", "my-log", "3", end, "--output", "cut\(index).jsonl")
      #expect(run.status == 1)
      #expect(run.output.contains("4 actions, from revision 2 to 6"), "\(run.output)")
      #expect(run.output.contains("verify  damaged\n") && run.output.contains("replay  proved\n"))
      #expect(run.messages.contains("warning: the log is damaged after revision 6, where the report ends"))
      #expect(await bench.run("verify", "cut\(index).jsonl").status == 0)
      #expect(
        await bench.run("state", "cut\(index).jsonl", "-q").output
          == bench.run("state", "my-log", "--at", "6", "-q").output)
    }
    let behind = await bench.run("bug-report", "my-log", "8", "9", "--output", "none.jsonl")
    #expect(await bench.run("test", "my-log", "3", "6", "-q").status == 0)
    #expect(await bench.run("test", "my-log", "3", "end").status == 1)
    #expect(behind.status == 1 && behind.messages.contains("Actions 1…6 are intact"), "\(behind.messages)")
    #expect(!bench.disk.filePaths.contains { path in path.hasPrefix("none") })
  }
}

/// Unreadable marks do not prevent reading the log.
@Suite("Marks that cannot be read")
struct UnreadableMarksTests {
  private static let path = "my-log/marks.jsonl"

  /// A log whose marks are no file.
  private func bench() async throws -> Bench {
    let bench = Bench()
    try await bench.recordCounter()
    try bench.disk.createDirectory(Self.path)
    return bench
  }

  @Test("the page is written without them, with a notice and a warning")
  func report() async throws {
    let bench = try await bench()
    let run = await bench.run("report", "my-log", "-o", "page.html")
    #expect(run.status == 0)
    #expect(run.messages.hasPrefix("warning: the marks cannot be read ("), "\(run.messages)")
    #expect(
      run.messages.contains("): \(Self.path). The records do not depend on the marks. Make the file readable, or move"))
    let page = String(decoding: try bench.disk.contents(of: "page.html"), as: UTF8.self)
    #expect(page.contains("\"notices\":[\"This page has no marks: the marks cannot be read ("))
    // A name still needs them.
    let named = await bench.run("report", "my-log", "-o", "other.html", "--at", "somewhere")
    #expect(named.status == 3 && named.messages.contains("the marks cannot be read"))
  }

  @Test("the screen opens without them, with a message")
  func screen() async throws {
    let bench = try await bench()
    let run = await bench.run("tui", "my-log", input: ["n\n", "mhere\n", "\n", "ghere\n", "]\n"])
    #expect(run.status == 0)
    let screens = run.output.split(separator: "\n\n counter", omittingEmptySubsequences: false)
    func bottom(_ index: Int) -> String { screens[index].split(separator: "\n").suffix(5).joined(separator: " ") }
    try #require(screens.count == 6, "\(run.output)")
    #expect(bottom(0).contains("the marks cannot be read") && bottom(0).contains(Self.path), "\(bottom(0))")
    #expect(bottom(0).contains("move it away"))
    #expect(screens[1].contains("revision 1 of") && !bottom(1).contains("the marks"))
    // Commands that need marks report the reason.
    #expect(bottom(3).contains("the marks cannot be read"), "\(bottom(3))")
    #expect(bottom(4).contains("the marks cannot be read"), "\(bottom(4))")
    #expect(bottom(5).contains("the log has no marks"))
  }

  @Test("invalid lines are skipped and reported")
  func flaws() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    _ = await bench.run("mark", "my-log", "2", "two")
    let file = try bench.disk.open(Self.path, for: .append)
    try Array("no mark\n".utf8).withUnsafeBytes { bytes in try file.append(bytes) }
    let report = await bench.run("report", "my-log", "-o", "page.html")
    #expect(report.status == 0 && report.messages.contains("\(Self.path):2 is ignored"), "\(report.messages)")
    let screen = await bench.run("tui", "my-log", input: ["]\n"])
    #expect(screen.output.contains("\(Self.path):2 is ignored: "), "\(screen.output)")
    #expect(screen.output.contains("revision 2 of"))
  }
}
