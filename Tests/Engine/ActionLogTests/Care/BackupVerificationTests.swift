import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Platform
import TestSupport
import Testing

/// The report of a backup about its copy and the files that were left out.
@Suite("The report of a backup", .timeLimit(.minutes(60)))
struct BackupVerificationTests {
  private func backup(_ story: LogStory, _ door: (any LogFileSystem)? = nil) throws -> BackupReport {
    try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: door ?? story.files)
  }

  @Test func anIntactCopyVerifiesClean() throws {
    let story = LogStory(segmentLimitBytes: 900)
    try story.record(10)
    let door = FaultyFileSystem(story.files)
    let report = try backup(story, door)
    #expect(report.verification.verdict == .clean)
    #expect(report.verification.actionCount == 10)
    #expect(report.verification == (try LogVerifier.verify(at: "/copy", fileSystem: story.files)))
    #expect(report.leftOut.isEmpty)
    // The paths are those of the copy.
    #expect(
      door.calls.contains { call in
        call.operation == .read && call.path == "/copy.unfinished/log/0000000000000001.jsonl"
      })
  }

  /// Regression: this was not reported.
  @Test func damageIsCopiedAndReported() throws {
    let story = LogStory(segmentLimitBytes: 900)
    try story.record(10)
    try story.flipLine(3)
    let report = try backup(story)
    #expect(report.verification.verdict == .damaged)
    #expect(report.verification == (try LogVerifier.verify(at: "/copy", fileSystem: story.files)))
    #expect(report.verification.problems.first?.path == "/copy/0000000000000001.jsonl")
    let original = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
    #expect(report.verification.problems.map(\.message) == original.problems.map(\.message))
  }

  /// A write error of the device is found, too.
  @Test func aWrongCopyIsReported() throws {
    let story = LogStory()
    try story.record(10)
    let copy = "/copy.unfinished/log/0000000000000001.jsonl"
    let files = story.files
    let door = FaultyFileSystem(story.files) { call in
      guard call == FileCall(.sync, copy) else { return }
      do { try files.flipBit(0, ofByte: 700, in: copy) } catch { Issue.record(error) }
    }
    let report = try backup(story, door)
    #expect(report.verification.verdict == .damaged)
    #expect(try story.files.status(of: "/copy")?.kind == .directory, "it is kept")
  }

  @Test func aTornEndOfCompleteLinesIsReported() throws {
    let story = LogStory()
    try story.record(3, close: false)
    try story.removeHead()
    try story.change { bytes in bytes += Array("{}\n".utf8) }
    #expect(try backup(story).verification.verdict == .torn)
  }

  // MARK: What is left out

  @Test(arguments: [FileCall.Operation.open, .read])
  func unreadableMarksAreLeftOut(operation: FileCall.Operation) throws {
    let story = LogStory()
    try story.record(3)
    try story.files.setContents(Array("{}\n".utf8), of: "/log/marks.jsonl")
    let door = FaultyFileSystem(
      story.files, faults: [FileFault(operation, lasts: true, errorNumber: 5, pathSuffix: "/log/marks.jsonl")])
    let report = try backup(story, door)
    #expect(report.leftOut.map(\.path) == ["marks.jsonl"])
    #expect(report.leftOut.first?.message == "it cannot be read (\(operation.rawValue): Input/output error)")
    #expect(try story.files.status(of: "/copy/marks.jsonl") == nil)
    #expect(report.verification.verdict == .clean)
  }

  @Test func otherKindsOfFilesAreLeftOut() throws {
    let story = LogStory()
    try story.record(3)
    try story.removeHead()
    for name in ["marks.jsonl", "HEAD"] { try story.files.createDirectory("/log/" + name) }
    try story.files.setContents([1], of: "/log/snapshots")
    let report = try backup(story)
    #expect(report.leftOut.map(\.path) == ["snapshots", "marks.jsonl", "HEAD"])
    #expect(
      report.leftOut.map(\.message) == [
        "a different kind of file has its name", "a different kind of file has its name",
        "HEAD cannot be read (open: not a regular file)",
      ])
    #expect(try story.files.names(in: "/copy") == ["0000000000000001.jsonl"])
  }

  @Test func aMalformedHeadIsLeftOut() throws {
    let story = LogStory()
    try story.record(3)
    try story.files.setContents(Array(repeating: 0, count: 128), of: story.head)
    let report = try backup(story)
    #expect(report.leftOut.map(\.path) == ["HEAD"])
    #expect(report.verification.warnings.map(\.kind) == [.missingHead])
  }

  /// A process at its limit of open files has found nothing unreadable.
  @Test(arguments: ["/log/marks.jsonl", "/log/HEAD", "/log/snapshots/0000000000000001.json", "/log/snapshots"])
  func aProcessLimitIsAnError(path: String) throws {
    let story = LogStory()
    try story.record(3)
    for name in ["marks.jsonl", "snapshots/0000000000000001.json"] {
      try story.files.setContents(Array("{}\n".utf8), of: "/log/" + name)
    }
    let operation = path == "/log/snapshots" ? FileCall.Operation.names : .open
    let door = FaultyFileSystem(
      story.files, faults: [FileFault(operation, lasts: true, errorNumber: 24, pathSuffix: path)])
    let error = #expect(throws: LogError.self) { try backup(story, door) }
    #expect((error?.underlying as? FileSystemError)?.errorNumber == 24)
    #expect(try story.files.status(of: "/copy") == nil)
  }

  // MARK: A writer that takes something back

  /// Returns the bytes of a log whose last line is incomplete, and the bytes after the writer rolled it back and
  /// wrote another one.
  private func rolledBack(padding: Int = 0) throws -> (story: LogStory, other: [UInt8]) {
    let story = LogStory(durability: .written)
    let text = String(repeating: "x", count: padding)
    func action(_ number: Int) -> LogDraft {
      LogDraft(type: "add", data: Array(#"{"_0":\#(number),"text":"\#(text)"}"#.utf8))
    }
    let writer = try story.open()
    try writer.appendNow([action(1), action(2)])
    let before = try story.bytes()
    try writer.appendNow([action(3)])
    writer.abandon()
    let rejected = try story.bytes()
    // The same log with another third action and a fourth.
    try story.change { bytes in bytes = before }
    try story.removeHead()
    let second = try story.open()
    try second.appendNow([action(33), action(4)])
    second.abandon()
    let other = try story.bytes()
    try story.change { bytes in bytes = rejected }
    return (story, other)
  }

  /// Replaces the bytes of the segment before one of the calls that read it.
  private func changing(
    _ story: LogStory, to other: [UInt8], before operation: FileCall.Operation, number: Int
  ) -> FaultyFileSystem {
    let seen = Locked(0)
    let segment = story.segment()
    let files = story.files
    return FaultyFileSystem(files) { call in
      guard call == FileCall(operation, segment) else { return }
      let count = seen.withLock { seen in
        seen += 1
        return seen
      }
      guard count == number else { return }
      do { try files.setContents(other, of: segment) } catch { Issue.record(error) }
    }
  }

  /// Whenever the writer does so, the copy is the log before or after the change.
  @Test(arguments: [0, 700_000])
  func aBatchRolledBackMeanwhileIsNotCopiedInPart(padding: Int) throws {
    for operation in [FileCall.Operation.size, .read] {
      for number in 1...8 {
        let (story, other) = try rolledBack(padding: padding)
        // Without HEAD, all bytes are compared.
        try story.removeHead()
        let first = try story.bytes()
        let door = changing(story, to: other, before: operation, number: number)
        let report = try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: door)
        let copied = try story.files.contents(of: "/copy/0000000000000001.jsonl")
        let isChanged = try story.bytes() == other
        #expect(copied == first || isChanged && other.starts(with: copied), "\(operation) \(number)")
        #expect(report.verification.verdict == .clean, "\(operation) \(number)")
        #expect(report.verification.lastRevision >= 2, "\(operation) \(number)")
      }
    }
  }

  /// Also if the log is shorter afterward: the rolled-back batch is not in it.
  @Test func aRolledBackBatchIsNotInTheCopy() throws {
    let (story, other) = try rolledBack()
    try story.removeHead()
    let short = Array(other[..<(try #require(other.dropLast().lastIndex(of: 10)) + 1)])
    let start = Array(short[..<(try #require(short.dropLast().lastIndex(of: 10)) + 1)])
    // The first call copies, the second one compares.
    let door = changing(story, to: start, before: .size, number: 2)
    _ = try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: door)
    #expect(try story.files.contents(of: "/copy/0000000000000001.jsonl") == start)
  }

  /// Durable bytes are not read twice.
  @Test func onlyBytesThatWereNotDurableAreComparedAgain() throws {
    let story = LogStory()
    try story.record(3)
    let segment = story.segment()
    let door = FaultyFileSystem(story.files)
    _ = try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: door)
    let reads = door.calls.count { call in call == FileCall(.read, segment) }
    try story.removeHead()
    door.forgetCalls()
    _ = try LogBackup.backup(at: LogStory.path, to: "/second", fileSystem: door)
    #expect(door.calls.count { call in call == FileCall(.read, segment) } == reads + 1)
  }

  @Test func aLogThatKeepsChangingFailsTheBackup() throws {
    let (story, other) = try rolledBack()
    try story.removeHead()
    let first = try story.bytes()
    let segment = story.segment()
    let files = story.files
    let isFirst = Locked(true)
    let door = FaultyFileSystem(files) { call in
      guard call == FileCall(.size, segment) else { return }
      let next = isFirst.withLock { isFirst in
        isFirst.toggle()
        return isFirst ? first : other
      }
      do { try files.setContents(next, of: segment) } catch { Issue.record(error) }
    }
    let error = #expect(throws: LogError.self) {
      try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: door)
    }
    #expect(error?.message == "the log changed while it was copied")
    #expect(try files.names(in: "/") == ["log"])
  }
}
