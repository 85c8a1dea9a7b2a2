import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Foundation
import Platform
import TestSupport
import Testing

@Suite("Backing up", .timeLimit(.minutes(60)))
struct BackupTests {
  @Test func everythingButTheQuarantineIsCopied() throws {
    let story = LogStory(segmentLimitBytes: 900)
    try story.record(10)
    try story.files.setContents(Array("{}\n".utf8), of: "/log/snapshots/0000000000000005.json")
    try story.files.setContents(Array("{}\n".utf8), of: "/log/marks.jsonl")
    try story.files.setContents([1], of: "/log/quarantine/x.torn")
    try story.files.setContents([1], of: story.segment(99) + ".new")
    let report = try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: story.files)
    let copied = story.files.filePaths.filter { path in path.hasPrefix("/copy/") }
    #expect(Set(copied) == Set(report.files.map { name in "/copy/" + name }))
    for name in report.files {
      #expect(try story.files.contents(of: "/copy/" + name) == story.files.contents(of: "/log/" + name))
      #expect(try story.files.durableContents(of: "/copy/" + name) == story.files.contents(of: "/log/" + name))
    }
    #expect(!copied.contains { path in path.contains("quarantine") || path.hasSuffix(".new") })
    let verified = try LogVerifier.verify(at: "/copy", fileSystem: story.files)
    #expect(verified.verdict == .clean)
    #expect(verified.lastRevision == 10)
    #expect(
      try LogReader.open(at: "/copy", fileSystem: story.files.crash(.onlySyncedSurvives)).extent().lastRevision == 10)
  }

  /// Locks and unfinished files of subscriptions are not copied.
  @Test func onlyPositionsAndParkedActionsAreCopied() throws {
    let story = LogStory()
    try story.record(3)
    let copied = ["mail.json", "mail.parked.jsonl"]
    for name in copied + ["mail.lock", "mail.json.new"] {
      try story.files.setContents(Array("{}\n".utf8), of: "/log/subscriptions/" + name)
    }
    let report = try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: story.files)
    #expect(
      report.files.filter { name in name.hasPrefix("subscriptions/") }
        == copied.map { name in "subscriptions/" + name })
    #expect(
      story.files.filePaths.filter { path in path.hasPrefix("/copy/subscriptions/") }
        == copied.map { name in "/copy/subscriptions/" + name })
    #expect(report.leftOut.isEmpty)
  }

  /// A writer appends between any two calls of the backup.
  @Test func aCopyOfALiveLogHasAllDurableActions() throws {
    let story = LogStory(durability: .written, segmentLimitBytes: 900)
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    let isCopying = Locked(true)
    let door = FaultyFileSystem(story.files) { _ in
      guard isCopying.withLock({ isCopying in isCopying }) else { return }
      do { try writer.appendNow([.numbered(writer.status.lastRevision + 1)]) } catch { Issue.record(error) }
    }
    let before = writer.status.syncedRevision
    _ = try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: door)
    isCopying.withLock { isCopying in isCopying = false }
    let report = try LogVerifier.verify(at: "/copy", fileSystem: story.files)
    #expect(report.verdict == .clean)
    #expect(report.lastRevision >= before)
    #expect(report.lastRevision < writer.status.lastRevision)
  }

  @Test func anUnfinishedLineIsLeftOut() throws {
    let story = LogStory()
    try story.record(2)
    try story.change { bytes in bytes += Array(#"{"seq"#.utf8) }
    let report = try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: story.files)
    #expect(report.unfinishedBytes == 5)
    #expect(try LogVerifier.verify(at: "/copy", fileSystem: story.files).verdict == .clean)
  }

  /// A copy has all actions of a unit or none, whether a crash has torn it or a writer is about to complete it.
  @Test func anUnfinishedUnitIsLeftOut() throws {
    let whole = LogStory()
    let writer = try whole.open()
    try writer.appendNow([.numbered(1)])
    let head = try whole.files.contents(of: whole.head)
    _ = try writer.writeNow([LogDraft(UnitRecord(actions: 3)), .numbered(2), .numbered(3), .numbered(4)])
    writer.abandon()
    try whole.files.setContents(head, of: whole.head)
    let (size, offsets) = (try whole.bytes().count, try whole.lineOffsets())
    for cut in [offsets[4], offsets[4] + 20, offsets[5], offsets[6], size - 1, size] {
      for hasHead in [true, false] {
        let story = LogStory(whole.files.copy())
        try story.change { bytes in bytes.removeSubrange(cut...) }
        if !hasHead { try story.removeHead() }
        let report = try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: story.files)
        let end = cut < size ? offsets[3] : size
        #expect(report.unfinishedBytes == cut - end, "\(cut)")
        #expect(report.verification.verdict == .clean, "\(cut)")
        #expect(report.verification.lastRevision == (cut < size ? 1 : 4), "\(cut)")
        let copied = try story.files.contents(of: "/copy" + story.segment().dropFirst(LogStory.path.count))
        #expect(try copied == Array(story.bytes()[..<end]), "\(cut)")
        #expect(try story.files.durableContents(of: "/copy" + story.segment().dropFirst(LogStory.path.count)) == copied)
      }
    }
  }

  @Test func nothingIsOverwritten() throws {
    let story = LogStory()
    try story.record(1)
    #expect(
      #expect(throws: LogError.self) {
        try LogBackup.backup(at: LogStory.path, to: LogStory.path, fileSystem: story.files)
      }?.code == .exists)
    try story.files.createDirectory("/copy")
    _ = try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: story.files)
    #expect(
      #expect(throws: LogError.self) { try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: story.files) }?
        .code
        == .exists)
  }

  @Test func aCopyInsideTheLogIsRefused() throws {
    let story = LogStory()
    try story.record(1)
    let before = story.files.filePaths
    let error = #expect(throws: LogError.self) {
      try LogBackup.backup(at: LogStory.path, to: LogStory.path + "/../log/copy", fileSystem: story.files)
    }
    #expect(error?.code == .invalidArgument)
    #expect(story.files.filePaths == before)
  }

  /// Once the copy has its name, a leftover next to it does not fail the backup.
  @Test func anUnremovableEmptyDirectoryIsIgnored() throws {
    let story = LogStory()
    try story.record(3)
    let door = FaultyFileSystem(story.files, faults: [FileFault(.remove, pathSuffix: ".unfinished")])
    _ = try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: door)
    #expect(door.firedCount == 1)
    #expect(try LogVerifier.verify(at: "/copy", fileSystem: story.files).lastRevision == 3)
  }

  /// Regression: the first segments of an interrupted copy opened as a shorter log.
  @Test func aFullDiskLeavesNoCopy() throws {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(5)
    let before = story.files.filePaths
    story.files.capacityBytes = story.files.usedBytes + 1_000
    let error = #expect(throws: LogError.self) {
      try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: story.files)
    }
    #expect(error?.code == .noSpace)
    #expect(story.files.filePaths == before)
    #expect(try story.files.names(in: "/") == ["log"])
  }

  @Test func leftoversOfAKilledBackupAreRemoved() throws {
    let story = LogStory()
    try story.record(3)
    try story.files.setContents([1], of: "/copy.unfinished/log/0000000000000001.jsonl")
    try story.files.setContents([1], of: "/copy.unfinished/log/snapshots/0000000000000001.json")
    _ = try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: story.files)
    #expect(try story.files.names(in: "/") == ["copy", "log"])
    #expect(try LogVerifier.verify(at: "/copy", fileSystem: story.files).lastRevision == 3)
  }

  @Test func aConcurrentBackupIsRefused() throws {
    let story = LogStory()
    try story.record(3)
    try story.files.createDirectory("/copy.unfinished")
    let lock = try story.files.lock(directory: "/copy.unfinished")
    defer { lock.unlock() }
    let error = #expect(throws: LogError.self) {
      try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: story.files)
    }
    #expect(error?.code == .locked)
  }

  /// The leftover of an interrupted copy can be the only copy of a log. A backup of it to the original target must
  /// not remove it first.
  @Test func theSourceLogIsNeverRemoved() throws {
    let story = LogStory()
    try story.record(3)
    try story.files.createDirectory("/copy.unfinished")
    _ = try LogBackup.backup(at: LogStory.path, to: "/copy.unfinished/log", fileSystem: story.files)
    let names = try story.files.names(in: "/copy.unfinished/log")
    let source = "/copy.unfinished/log"
    for target in ["/copy", "/copy/", "/x/../copy"] {
      let errors = [
        #expect(throws: LogError.self) { try LogBackup.backup(at: source, to: target, fileSystem: story.files) },
        #expect(throws: LogError.self) {
          try LogSalvage.salvage(at: source, to: target, fileSystem: story.files, environment: .test())
        },
        #expect(throws: LogError.self) {
          let reader = try LogReader.open(at: source, fileSystem: story.files)
          _ = try LogSink(
            from: reader, to: target, model: "m", parent: LogHeader.Parent(log: reader.header.log, revision: 1, crc: 0),
            environment: .test())
        },
      ]
      #expect(errors.map { error in error?.code } == [.exists, .exists, .exists], "\(target)")
      #expect(try story.files.names(in: source) == names)
      #expect(try LogVerifier.verify(at: source, fileSystem: story.files).lastRevision == 3)
    }
    // To another target it is copied like any log.
    _ = try LogBackup.backup(at: source, to: "/other", fileSystem: story.files)
    #expect(try LogVerifier.verify(at: "/other", fileSystem: story.files).lastRevision == 3)
  }

  /// The unfinished copy never follows a symbolic link to a foreign directory.
  @Test func aSymbolicLinkIsNotFollowed() throws {
    let place = try TemporaryDirectory()
    let application = place.path("application")
    let source = application + "/log"
    try POSIXFileSystem().createDirectory(application)
    let writer = try LogWriter.open(at: source, model: "m", schema: 1)
    try writer.appendNow([.numbered(1)])
    try writer.closeNow()
    try #require(symlink(application, place.path("copy.unfinished")) == 0)
    let error = #expect(throws: LogError.self) { try LogBackup.backup(at: source, to: place.path("copy")) }
    #expect(error?.code == .exists)
    #expect(try LogVerifier.verify(at: source).lastRevision == 1)
  }

  @Test func aForeignDirectoryIsNotChanged() throws {
    let story = LogStory()
    try story.record(3)
    try story.files.setContents([1], of: "/copy.unfinished/precious")
    let error = #expect(throws: LogError.self) {
      try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: story.files)
    }
    #expect(error?.code == .exists)
    #expect(try story.files.contents(of: "/copy.unfinished/precious") == [1])
  }

  /// Regression: an unreadable snapshot, which a log does not need, failed the backup.
  @Test(arguments: [FileCall.Operation.open, .read, .names])
  func anUnreadableSnapshotIsLeftOut(operation: FileCall.Operation) throws {
    let story = LogStory()
    try story.record(3)
    let names = ["snapshots/0000000000000001.json", "snapshots/0000000000000002.json"]
    for name in names { try story.files.setContents(Array("{}\n".utf8), of: "/log/" + name) }
    let suffix = operation == .names ? "/log/snapshots" : "/log/" + names[0]
    let door = FaultyFileSystem(story.files, faults: [FileFault(operation, pathSuffix: suffix)])
    let report = try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: door)
    #expect(door.firedCount == 1)
    #expect(report.leftOut.map(\.path) == [operation == .names ? "snapshots" : names[0]])
    #expect(report.leftOut.first?.message.contains("input/output error") == true, "\(report.leftOut)")
    #expect(report.files.filter { name in name.hasPrefix("snapshots/") } == (operation == .names ? [] : [names[1]]))
    let copied = story.files.filePaths.filter { path in path.hasPrefix("/copy/") }
    #expect(Set(copied) == Set(report.files.map { name in "/copy/" + name }))
    #expect(try LogVerifier.verify(at: "/copy", fileSystem: story.files).lastRevision == 3)
  }

  @Test func aDirectoryNamedLikeASnapshotIsLeftOut() throws {
    let story = LogStory()
    try story.record(3)
    try story.files.setContents([1], of: "/log/snapshots/0000000000000001.json/x")
    let report = try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: story.files)
    #expect(report.leftOut.map(\.path) == ["snapshots/0000000000000001.json"])
    #expect(report.leftOut.map(\.message) == ["a different kind of file has its name"])
    #expect(try LogVerifier.verify(at: "/copy", fileSystem: story.files).lastRevision == 3)
  }

  /// A lack of space for the copy is not a fault of the snapshot.
  @Test func anUnwritableSnapshotIsAnError() throws {
    let story = LogStory()
    try story.record(3)
    try story.files.setContents(Array("{}\n".utf8), of: "/log/snapshots/0000000000000001.json")
    let door = FaultyFileSystem(
      story.files, faults: [FileFault(.append, code: .noSpace, pathSuffix: "/snapshots/0000000000000001.json")])
    let error = #expect(throws: LogError.self) {
      try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: door)
    }
    #expect(error?.code == .noSpace)
    #expect(try story.files.status(of: "/copy") == nil)
  }

  @Test func aDirectoryNamedLikeASegmentIsDamage() throws {
    let story = LogStory(segmentLimitBytes: 900)
    try story.record(10)
    let segment = try story.reader().segments[1].path
    try story.files.remove(segment)
    try story.files.setContents([1], of: segment + "/x")
    let error = #expect(throws: LogError.self) {
      try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: story.files)
    }
    #expect(error?.code == .damaged && error?.path == segment, "\(String(describing: error))")
    #expect(error?.message == "the segment is not a regular file")
    #expect(try story.files.status(of: "/copy") == nil)
  }

  /// A process without free descriptors cannot read the log: the backup fails at each file that it opens, and leaves no copy.
  @Test func aShortageOfDescriptorsFailsTheBackup() throws {
    var number = 0
    while true {
      number += 1
      let story = LogStory(segmentLimitBytes: 900)
      try story.record(10)
      for name in ["snapshots/0000000000000005.json", "subscriptions/mail.json", "marks.jsonl"] {
        try story.files.setContents(Array("{}\n".utf8), of: "/log/" + name)
      }
      let door = FaultyFileSystem(
        story.files, faults: [FileFault(.open, number: number, errorNumber: EMFILE)])
      do {
        _ = try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: door)
        #expect(door.firedCount == 0, "open \(number): \(door.calls.filter { call in call.operation == .open })")
        break
      } catch {
        #expect(error.code == .inputOutput && error.message.contains("Too many open files"), "open \(number): \(error)")
        #expect(try story.files.status(of: "/copy") == nil, "open \(number)")
      }
    }
    #expect(number > 10)
  }

  /// Regression: this produced an empty copy.
  @Test func removedSegmentsFailTheBackup() throws {
    let story = LogStory()
    try story.record(3)
    let door = FaultyFileSystem(story.files) { call in
      guard call == FileCall(.createDirectory, "/copy.unfinished/log") else { return }
      do { try story.files.remove(story.segment()) } catch { Issue.record(error) }
    }
    let error = #expect(throws: LogError.self) {
      try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: door)
    }
    #expect(error?.code == .notALog)
    #expect(try story.files.status(of: "/copy") == nil)
  }
}
