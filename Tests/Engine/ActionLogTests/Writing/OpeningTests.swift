import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Platform
import TestSupport
import Testing

@Suite("Opening for writing", .timeLimit(.minutes(60)))
struct OpeningTests {
  @Test func aLogIsContinuedWhereItEnded() throws {
    let story = LogStory()
    try story.record(2)
    let writer = try story.open()
    #expect(!writer.opening.isNew)
    #expect(writer.opening.epoch == 2)
    #expect(writer.opening.lastRevision == 2)
    #expect(writer.opening.wasClosed)
    #expect(writer.opening.recovered == nil)
    try writer.appendNow([.numbered(3)])
    try writer.closeNow()
    #expect(try story.read().actions == [1, 2, 3])
    #expect(try story.lines()[5].contains(#""type":"@open","synced":2,"#))
    #expect(
      try story.lines()[5].contains(#""data":{"epoch":2,"schema":1,"program":"action-log","pid":4711,"host":"mac"}"#))
  }

  @Test func aSecondWriterIsRefusedWithTheHolder() throws {
    let story = LogStory()
    let writer = try story.open()
    let before = try story.bytes()
    let error = #expect(throws: LogError.self) { try story.open() }
    #expect(error?.code == .locked)
    #expect(error?.message.contains("process") == true)
    #expect(try story.bytes() == before)
    try writer.closeNow()
    _ = try story.open()
  }

  /// A file system on which something happens between the opening of a directory and its locking.
  private final class LateLocking: ForwardingFileSystem {
    let base: any LogFileSystem
    private let event: Locked<(@Sendable () throws -> Void)?>

    init(_ base: any LogFileSystem, _ event: @escaping @Sendable () throws -> Void) {
      self.base = base
      self.event = Locked(event)
    }

    func lock(directory: String) throws(FileSystemError) -> any DirectoryLock {
      let lock = try base.lock(directory: directory)
      let event = event.withLock { event in
        defer { event = nil }
        return event
      }
      do { try event?() } catch { Issue.record(error) }
      return lock
    }
  }

  /// The lock of a directory that was removed keeps no one out of the log that replaces it.
  @Test func aLogThatReplacesARemovedOneIsNotOpenedTwice() throws {
    let files = MemoryFileSystem()
    try LogStory(files).record(2)
    let other = Locked<LogWriter?>(nil)
    var story = LogStory(files)
    story.door = LateLocking(files) {
      try files.rename(LogStory.path, to: "/removed")
      let writer = try LogStory(files).open()
      try writer.appendNow([.numbered(7)])
      other.withLock { other in other = writer }
    }
    let error = #expect(throws: LogError.self) { try story.open() }
    #expect(error?.code == .locked)
    try other.withLock { other in other }?.closeNow()
    #expect(try story.open().opening.lastRevision == 1)
    #expect(try story.read().actions == [7])
  }

  @Test func aLogThatWasRemovedBeforeItWasLockedIsCreatedAgain() throws {
    let files = MemoryFileSystem()
    try LogStory(files).record(2)
    var story = LogStory(files)
    story.door = LateLocking(files) { try files.rename(LogStory.path, to: "/removed") }
    let writer = try story.open()
    #expect(writer.opening.isNew)
    try writer.closeNow()
  }

  @Test func aDroppedWriterReleasesTheLog() throws {
    // At this level no worker is running, which would keep the writer alive.
    let story = LogStory(durability: .written)
    var writer: LogWriter? = try story.open()
    try writer?.appendNow([.numbered(1)])
    let before = try story.bytes()
    writer = nil
    #expect(try story.bytes() == before)
    #expect(try !story.open().opening.wasClosed)
  }

  @Test func aClosedWriterAcceptsNothing() async throws {
    let story = LogStory()
    let writer = try story.open()
    try await writer.close()
    try await writer.close()
    try writer.closeNow()
    let error = await #expect(throws: LogError.self) { try await writer.append([.numbered(1)]) }
    #expect(error?.code == .closed)
    #expect(#expect(throws: LogError.self) { try writer.enqueue([.numbered(1)]) }?.code == .closed)
    #expect(#expect(throws: LogError.self) { try writer.syncNow() }?.code == .closed)
    #expect(writer.status.isClosed)
  }

  @Test func closingDrainsTheQueue() async throws {
    let story = LogStory(durability: .queued)
    let writer = try story.open()
    for number in 1...100 { try await writer.append([.numbered(number)]) }
    try await writer.close()
    #expect(try story.read().actions == Array(1...100))
    #expect(try story.files.durableContents(of: story.segment()) == story.bytes())
    #expect(try story.lines().last?.contains(#""type":"@close","synced":100,"#) == true)
  }

  @Test func wrongModelIsRefused() throws {
    let story = LogStory()
    try story.record(1)
    let before = try story.bytes()
    #expect(#expect(throws: LogError.self) { try story.open(model: "animals") }?.code == .wrongModel)
    #expect(try story.bytes() == before)
  }

  @Test func aNewerSchemaBeginsANewSegment() throws {
    let story = LogStory()
    try story.record(2)
    let writer = try story.open(schema: 2)
    try writer.appendNow([.numbered(3)])
    try writer.closeNow()
    let reader = try story.reader()
    #expect(reader.segments.map(\.first) == [1, 3])
    #expect(try reader.record(at: 2).schema == 1)
    #expect(try reader.record(at: 3).schema == 2)
    #expect(try story.lines(3)[0].contains(#""schema":2,"first":3,"epoch":2,"#))
    #expect(#expect(throws: LogError.self) { try story.open(schema: 1) }?.code == .schemaTooNew)
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict == .clean)
  }

  @Test func aSegmentWithoutActionsChangesItsSchema() throws {
    let story = LogStory()
    try story.record(2)
    try story.open(schema: 2).closeNow()
    let writer = try story.open(schema: 3)
    try writer.appendNow([.numbered(3)])
    try writer.closeNow()
    #expect(try story.reader().segments.map(\.first) == [1, 3])
    #expect(try story.reader().record(at: 3).schema == 3)
  }

  @Test func openingUnderANewerSchemaCanBeRolledBack() throws {
    let story = LogStory()
    try story.record(2)
    try story.open(schema: 2).closeNow()
    #expect(try story.reader().segments.map(\.first) == [1])
    #expect(try story.reader().extent().schema == 1)
    let older = try story.open(schema: 1)
    try older.appendNow([.numbered(3)])
    try older.closeNow()
    let newer = try story.open(schema: 2)
    try newer.appendNow([.numbered(4)])
    try newer.closeNow()
    #expect(try (1...4).map { revision in try story.reader().record(at: revision).schema } == [1, 1, 1, 2])
    #expect(#expect(throws: LogError.self) { try story.open(schema: 1) }?.code == .schemaTooNew)
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict == .clean)
  }

  @Test func aLogWithoutActionsCanBeRolledBack() throws {
    let story = LogStory()
    for schema in [1, 2, 3, 1] { try story.open(schema: schema).closeNow() }
    let newer = try story.open(schema: 2)
    _ = try newer.writeNow([LogDraft(type: "@rejected", data: Array("{}".utf8))])
    try newer.appendNow([.numbered(1)])
    try newer.closeNow()
    #expect(try story.reader().segments.map(\.first) == [1])
    #expect(try story.reader().record(at: 1).schema == 2)
    let opens = try story.lines().filter { line in line.contains(#""type":"@open""#) }
    #expect(opens.suffix(2).allSatisfy { line in line.contains(#""epoch":5,"#) }, "one writer states both schemas")
    #expect(opens.suffix(2).map { line in line.contains(#""schema":2"#) } == [false, true])
    #expect(#expect(throws: LogError.self) { try story.open(schema: 1) }?.code == .schemaTooNew)
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict == .clean)
  }

  @Test(arguments: [0, 2]) func aRejectedFirstRecordRaisesNoSchema(actions: Int) throws {
    let story = LogStory()
    if actions > 0 { try story.record(actions) } else { try story.open().closeNow() }
    let newer = try story.open(schema: 2)
    story.files.capacityBytes = story.files.usedBytes
    for _ in 1...2 {
      #expect(#expect(throws: LogError.self) { try newer.appendNow([.numbered(actions + 1)]) }?.code == .noSpace)
    }
    story.files.capacityBytes = nil
    try newer.closeNow()
    try story.open(schema: 1).closeNow()
    let again = try story.open(schema: 2)
    story.files.capacityBytes = story.files.usedBytes
    #expect(throws: LogError.self) { try again.appendNow([.numbered(actions + 1)]) }
    story.files.capacityBytes = nil
    try again.appendNow([.numbered(actions + 1)])
    try again.closeNow()
    #expect(try story.reader().record(at: actions + 1).schema == 2)
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict == .clean)
  }

  @Test func anUnknownFormatIsRefused() throws {
    let log = RawLog(
      header:
        #"{"format":"actionlog/2","log":"\#(RawLog.id)","model":"counter","schema":1,"first":1,"epoch":1,"created":"\#(RawLog.time)"}"#
    )
    let story = try log.story()
    #expect(#expect(throws: LogError.self) { try story.open() }?.code == .unsupportedFormat)
    #expect(#expect(throws: LogError.self) { try story.reader() }?.code == .unsupportedFormat)
  }

  @Test func anEmptyDirectoryBecomesALog() throws {
    let story = LogStory()
    try story.files.createDirectory(LogStory.path)
    #expect(try story.open().opening.isNew)
  }

  @Test func aDirectoryOfOtherFilesIsRefused() throws {
    let story = LogStory()
    try story.files.setContents([1], of: "/log/notes.txt")
    #expect(#expect(throws: LogError.self) { try story.open() }?.code == .notALog)
    #expect(story.files.filePaths == ["/log/notes.txt"])
    let file = LogStory()
    try file.files.setContents([1], of: "/log")
    #expect(#expect(throws: LogError.self) { try file.open() }?.code == .notALog)
  }

  @Test func headWithoutSegmentsIsRefused() throws {
    let story = LogStory()
    try story.record(1)
    try story.files.remove(story.segment())
    #expect(#expect(throws: LogError.self) { try story.open() }?.code == .damaged)
    #expect(#expect(throws: LogError.self) { try story.reader() }?.code == .damaged)
  }

  @Test func aRefusedLogKeepsUnfinishedSegments() throws {
    let story = LogStory()
    try story.record(3)
    let name = story.segment(4) + ".new"
    try story.files.setContents([1], of: name)
    #expect(#expect(throws: LogError.self) { try story.open(model: "animals") }?.code == .wrongModel)
    #expect(try story.files.contents(of: name) == [1])
    let whole = try story.bytes()
    try story.flipLine(3)
    #expect(#expect(throws: LogError.self) { try story.open() }?.code == .damaged)
    #expect(try story.files.contents(of: name) == [1])
    try story.files.setContents(whole, of: story.segment())
    _ = try story.open()
    #expect(!story.files.filePaths.contains(name))
  }

  @Test func unremovableUnfinishedSegmentsRefuseTheLog() throws {
    var story = LogStory()
    try story.record(1)
    try story.files.setContents([1], of: story.segment(2) + ".new")
    let before = try story.bytes()
    story.door = FaultyFileSystem(story.files, faults: [FileFault(.remove, code: .permissionDenied)])
    let error = #expect(throws: LogError.self) { try story.open() }
    #expect(error?.path == story.segment(2) + ".new")
    #expect(try story.bytes() == before)
    #expect(try story.open().opening.lastRevision == 1)
  }

  @Test func theNextWriterRemovesUnfinishedSegments() throws {
    let story = LogStory()
    try story.files.setContents([UInt8](repeating: 0, count: 100), of: story.segment(1) + ".new")
    try story.record(1)
    try story.files.setContents(Array(#"{"seq":"#.utf8), of: story.segment(2) + ".new")
    #expect(try story.read().actions == [1])
    try story.open().closeNow()
    #expect(story.files.filePaths == [story.segment(), story.head])
  }

  @Test func aDirectoryNamedLikeASegmentIsRefused() throws {
    let story = LogStory()
    try story.record(1)
    try story.files.createDirectory(story.segment(2))
    let error = #expect(throws: LogError.self) { try story.open() }
    #expect(error?.code == .damaged)
    let read = try story.read()
    #expect(read.actions == [1])
    #expect(read.ending?.damage?.path == story.segment(2))
    #expect(read.ending?.damage?.revision == 2)
  }

  @Test func aMalformedHeadIsIgnored() throws {
    let story = LogStory()
    try story.record(1)
    try story.files.setContents([UInt8](repeating: UInt8(ascii: "x"), count: 500), of: story.head)
    try story.record(1, from: 2)
    let head = try story.files.contents(of: story.head)
    #expect(LogHead(parsing: head)?.revision == 2)
  }

  @Test func invalidArgumentsAreRefused() throws {
    let story = LogStory()
    #expect(#expect(throws: LogError.self) { try story.open(model: "") }?.code == .invalidArgument)
    #expect(
      #expect(throws: LogError.self) { try story.open(model: String(repeating: "m", count: 256)) }?.code
        == .invalidArgument)
    #expect(#expect(throws: LogError.self) { try story.open(schema: 0) }?.code == .invalidArgument)
    for change in [\LogConfiguration.segmentLimitBytes, \.bufferLimitBytes] {
      var other = story
      other.configuration[keyPath: change] = 0
      #expect(#expect(throws: LogError.self) { try other.open() }?.code == .invalidArgument)
    }
    #expect(story.files.filePaths.isEmpty)
  }

  @Test func anInvalidLogIDIsRefused() throws {
    var story = LogStory()
    story.configuration.environment.makeLogID = { "my log" }
    #expect(#expect(throws: LogError.self) { try story.open() }?.code == .invalidArgument)
    #expect(story.files.filePaths.isEmpty)
  }

  @Test func aMissingParentDirectoryIsNamed() throws {
    let files = MemoryFileSystem()
    let error = #expect(throws: LogError.self) {
      try LogWriter.open(at: "/none/log", model: "counter", schema: 1, fileSystem: files)
    }
    #expect(error?.code == .notFound)
    #expect(error?.message.contains("parent directory") == true)
  }

  @Test(arguments: [nil, LineTree(lines: 12, root: MerkleHash.emptyRoot)])
  func aDerivedLogNamesItsParent(tree: LineTree?) throws {
    let story = LogStory()
    var parent = LogHeader.Parent(log: "00000000-0000-4000-8000-000000000000", revision: 7, crc: 0xdead_beef)
    parent.tree = tree
    let writer = try LogWriter.open(
      at: LogStory.path, model: "counter", schema: 1, parent: parent, fileSystem: story.files,
      configuration: story.configuration)
    #expect(writer.opening.header.parent == parent)
    try writer.closeNow()
    #expect(try story.reader().header.parent == parent)
    let members = tree == nil ? "" : #","lines":12,"root":"47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=""#
    #expect(
      try story.lines()[0].contains(
        #""parent":{"log":"00000000-0000-4000-8000-000000000000","seq":7,"crc":"deadbeef"\#(members)}}"#))
  }

  /// Regression: the number after the last one was written, which every reader reported as damage.
  @Test func aLogAtTheLastEpochIsRefused() throws {
    var log = RawLog()
    log.line(
      revision: 0, type: "@open", data: #"{"epoch":9007199254740990,"schema":1,"program":"p","pid":1,"host":"h"}"#)
    log.line(revision: 1)
    let story = try log.story()
    try story.open().closeNow()
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict == .clean)
    let before = try story.bytes()
    let error = #expect(throws: LogError.self) { try story.open() }
    #expect(error?.code == .beyondLimit)
    #expect(try story.bytes() == before)
  }
}
