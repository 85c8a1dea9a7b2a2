import ActionLog
import ActionLogTesting
import Foundation
import Platform
import TestSupport
import Testing

/// The lock was lost, or the directory was replaced, while a writer had its files open.
@Suite("Stale writers", .timeLimit(.minutes(60)))
struct StaleWriterTests {
  private func story(
    _ durability: Durability, segmentLimitBytes: Int = LogConfiguration.defaultSegmentLimitBytes
  ) -> (LogStory, FaultyFileSystem) {
    var story = LogStory(durability: durability, segmentLimitBytes: segmentLimitBytes)
    let door = FaultyFileSystem(story.files)
    story.door = door
    return (story, door)
  }

  /// Replaces the directory by a copy, as `mv log bad; cp -a backup log` does.
  private func replaceDirectory(_ story: LogStory) throws {
    try story.files.rename(LogStory.path, to: "/bad")
    for path in story.files.filePaths {
      try story.files.setContents(
        try story.files.contents(of: path), of: LogStory.path + path.dropFirst("/bad".count))
    }
  }

  private func failure(_ body: () throws -> Void) throws -> LogError {
    let error = try #require(#expect(throws: LogError.self) { try body() })
    #expect(error.code == .failed)
    return error
  }

  @Test(arguments: [Durability.synced, .full])
  func aReplacedDirectoryIsDetectedBeforeAcknowledging(durability: Durability) throws {
    let (story, door) = story(durability)
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    try replaceDirectory(story)
    door.forgetCalls()
    let error = try failure { try writer.appendNow([.numbered(2)]) }
    #expect(error.path == LogStory.path)
    #expect(error.message.contains("was replaced"))
    #expect(!door.calls.contains { call in call.path == story.head }, "HEAD is not written")
    #expect(writer.status.syncedRevision == 1)
    #expect(try failure { try writer.appendNow([.numbered(3)]) }.description == error.description)
    #expect(try failure { try writer.closeNow() }.description == error.description)
    #expect(try story.read().actions == [1], "the new directory is not changed")
  }

  @Test(arguments: [Durability.queued, .written])
  func withoutSyncsItIsDetectedAtTheNextOne(durability: Durability) throws {
    let (story, door) = story(durability)
    let writer = try story.open()
    _ = try writer.writeNow([.numbered(1)])
    try replaceDirectory(story)
    door.forgetCalls()
    _ = try writer.writeNow([.numbered(2)])
    #expect(door.count(of: .status) == 0, "no batch is asked that is not synced")
    #expect(try failure { try writer.syncNow() }.path == LogStory.path)
    #expect(writer.status.syncedRevision == 0)
  }

  @Test func noSegmentIsBegunInAReplacedDirectory() throws {
    let (story, _) = story(.written, segmentLimitBytes: 600)
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    try writer.appendNow([.numbered(2)])
    try replaceDirectory(story)
    let before = story.files.filePaths
    #expect(try failure { _ = try writer.writeNow([.numbered(3)]) }.path == LogStory.path)
    #expect(story.files.filePaths == before)
    try story.record(1, from: 3)
    #expect(try story.read().actions == [1, 2, 3])
  }

  @Test func aMovedDirectoryIsDetected() throws {
    let (story, _) = story(.synced)
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    try story.files.rename(LogStory.path, to: "/elsewhere")
    let error = try failure { try writer.appendNow([.numbered(2)]) }
    #expect(error.message.contains("no longer at its path"))
    #expect(error.path == LogStory.path)
  }

  @Test func aReplacedDirectoryWithTheSameSegmentIsDetected() throws {
    let (story, _) = story(.synced)
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    let segment = story.segment()
    try story.files.rename(LogStory.path, to: "/bad")
    try story.files.createDirectory(LogStory.path)
    try story.files.rename("/bad" + segment.dropFirst(LogStory.path.count), to: segment)
    #expect(try failure { try writer.appendNow([.numbered(2)]) }.path == LogStory.path)
  }

  @Test(arguments: [false, true])
  func aReplacedSegmentIsDetected(isThere: Bool) throws {
    let (story, _) = story(.synced)
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    let bytes = try story.bytes()
    try story.files.rename(story.segment(), to: "/elsewhere")
    if isThere { try story.files.setContents(bytes, of: story.segment()) }
    let error = try failure { try writer.appendNow([.numbered(2)]) }
    #expect(error.path == story.segment())
    #expect(error.message.contains(isThere ? "was replaced" : "no longer at its path"))
  }

  /// The lock of the first writer was lost; the second one has a newer schema and rolls with its first record.
  @Test(arguments: [Durability.written, .synced])
  func nothingIsAppendedToASegmentSealedByAnother(durability: Durability) throws {
    let (story, door) = story(durability)
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    let before = try story.bytes()
    // The second writer continues a copy of the log, whose lock is free.
    let copy = LogStory(story.files.crash(.onlySyncedSurvives))
    let second = try copy.open(schema: 2)
    try second.appendNow([.numbered(2)])
    second.abandon()
    try story.files.setContents(try copy.bytes(2), of: story.segment(2))
    try story.files.setContents(try copy.files.contents(of: copy.head), of: story.head)
    let head = try story.files.contents(of: story.head)
    door.forgetCalls()
    if durability == .synced {
      let error = try failure { try writer.appendNow([.numbered(2)]) }
      #expect(error.path == story.segment(2))
      #expect(error.message.contains("a file of \(try copy.bytes(2).count) bytes"))
      #expect(error.revision == 2)
      #expect(try story.bytes() == before)
    } else {
      for number in 2...3 { _ = try writer.writeNow([.numbered(number)]) }
      #expect(try failure { try writer.syncNow() }.path == story.segment(2))
      #expect(writer.status.syncedRevision == 1)
    }
    #expect(door.count(of: .write) == 0)
    #expect(try story.files.contents(of: story.head) == head, "HEAD speaks of the later segment still")
  }

  @Test func aForeignFileInPlaceOfASegmentIsDetected() throws {
    var story = LogStory(durability: .written, segmentLimitBytes: 600)
    let (disk, name) = (story.files, story.segment(3) + ".new")
    story.door = FaultyFileSystem(disk) { call in
      guard call.operation == .rename, call.path == name else { return }
      #expect(throws: Never.self) {
        try disk.remove(name)
        try disk.setContents([1, 2, 3], of: name)
      }
    }
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    try writer.appendNow([.numbered(2)])
    #expect(try failure { _ = try writer.writeNow([.numbered(3)]) }.path == story.segment(3))
    #expect(writer.status.syncedRevision == 2)
  }

  /// A snapshot checks the log while a segment is begun: it has its name before the writer has switched to it.
  @Test func aNewSegmentIsTheWritersOwn() throws {
    var story = LogStory(durability: .written, segmentLimitBytes: 600)
    let (asked, answered) = (Locked<LogWriter?>(nil), DispatchSemaphore(value: 0))
    let outcome = Locked<Result<Void, LogError>?>(nil)
    let (files, next) = (story.files, story.segment(3))
    story.door = FaultyFileSystem(story.files) { call in
      // The segment has its name.
      guard call.operation == .syncDirectory, files.filePaths.contains(next),
        let writer = asked.withLock({ writer in
          defer { writer = nil }
          return writer
        })
      else { return }
      Thread.detachNewThread {
        let result = Result { () throws(LogError) in try writer.confirmNotStale() }
        outcome.withLock { outcome in outcome = result }
        answered.signal()
      }
      // It waits for the segment; otherwise this timeout is far longer than it takes.
      _ = answered.wait(timeout: .now() + 0.3)
    }
    let writer = try story.open()
    for number in 1...2 { try writer.appendNow([.numbered(number)]) }
    asked.withLock { asked in asked = writer }
    try writer.appendNow([.numbered(3)])
    #expect(asked.withLock { asked in asked } == nil, "it was asked")
    #expect(answered.wait(timeout: .now() + 60) == .success || outcome.withLock { outcome in outcome } != nil)
    #expect(throws: Never.self) { try outcome.withLock { outcome in outcome }?.get() }
    try writer.appendNow([.numbered(4)])
    #expect(try story.read().actions == [1, 2, 3, 4])
  }

  // MARK: - Looks that fail

  @Test func aFailedCheckBeforeABatchRejectsIt() throws {
    let (story, door) = story(.synced)
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    door.add(FileFault(.status))
    #expect(#expect(throws: LogError.self) { try writer.appendNow([.numbered(2)]) }?.code == .rejected)
    #expect(try writer.appendNow([.numbered(3)]).revision == 2)
    #expect(try story.read().actions == [1, 3])
  }

  @Test func aFailedCheckBeforeARollRejectsTheBatch() throws {
    let (story, door) = story(.written, segmentLimitBytes: 600)
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    try writer.appendNow([.numbered(2)])
    door.add(FileFault(.status))
    #expect(#expect(throws: LogError.self) { try writer.writeNow([.numbered(3)]) }?.code == .rejected)
    try writer.appendNow([.numbered(4)])
    #expect(try story.read().actions == [1, 2, 4])
  }

  @Test func aFailedCheckAfterASyncKeepsHead() throws {
    let (story, door) = story(.written)
    let writer = try story.open()
    _ = try writer.writeNow([.numbered(1)])
    let head = try story.files.contents(of: story.head)
    door.add(FileFault(.status))
    #expect(try writer.syncNow().revision == 1, "the device has it")
    #expect(writer.status.headFailure?.path == story.head)
    #expect(try story.files.contents(of: story.head) == head)
    _ = try writer.writeNow([.numbered(2)])
    try writer.syncNow()
    #expect(writer.status.headFailure == nil)
    #expect(try story.files.contents(of: story.head) != head)
  }

  /// Batches written without a check are checked later, also if the first check fails.
  @Test func aFailedDirectoryCheckIsRepeated() throws {
    let (story, door) = story(.written)
    let writer = try story.open()
    for number in 1...2 { _ = try writer.writeNow([.numbered(number)]) }
    // Begun by another writer after action 1.
    try story.files.setContents([1], of: story.segment(2))
    door.add(FileFault(.names))
    #expect(try writer.syncNow().revision == 2)
    #expect(writer.status.headFailure != nil)
    #expect(try failure { _ = try writer.appendNow([.numbered(3)]) }.path == story.segment(2))
  }

  @Test func onlyUncheckedBatchesListTheDirectory() throws {
    let (story, door) = story(.written)
    let writer = try story.open()
    door.forgetCalls()
    for number in 1...3 { try writer.appendNow([.numbered(number)]) }
    #expect(door.count(of: .names) == 0)
    for number in 4...5 { _ = try writer.writeNow([.numbered(number)]) }
    try writer.syncNow()
    #expect(door.count(of: .names) == 1)
    for number in 6...7 { try writer.appendNow([.numbered(number)]) }
    #expect(door.count(of: .names) == 1)
  }

  // MARK: - The machine's files

  /// A path below a file does not exist; that is not a failed check.
  @Test func aFileInPlaceOfAParentDirectoryIsDetectedOnDisk() throws {
    let directory = try TemporaryDirectory()
    let above = directory.path("above")
    try FileManager.default.createDirectory(atPath: above, withIntermediateDirectories: true)
    let writer = try LogWriter.open(
      at: above + "/log", model: "counter", schema: 1, configuration: LogConfiguration(environment: .test()))
    try FileManager.default.moveItem(atPath: above, toPath: directory.path("elsewhere"))
    try Data().write(to: URL(fileURLWithPath: above))
    let error = try failure { try writer.appendNow([.numbered(1)]) }
    #expect(error.message.contains("no longer at its path"))
    #expect(writer.status.syncedRevision == 0)
  }

  @Test func aReplacedDirectoryIsDetectedOnDisk() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("log")
    var configuration = LogConfiguration(environment: .test())
    configuration.segmentLimitBytes = 600
    let writer = try LogWriter.open(at: path, model: "counter", schema: 1, configuration: configuration)
    for number in 1...4 { try writer.appendNow([.numbered(number)]) }
    try FileManager.default.moveItem(atPath: path, toPath: directory.path("bad"))
    try FileManager.default.copyItem(atPath: directory.path("bad"), toPath: path)
    #expect(try failure { try writer.appendNow([.numbered(5)]) }.path == path)
    writer.abandon()
    let second = try LogWriter.open(at: path, model: "counter", schema: 1, configuration: configuration)
    #expect(second.opening.lastRevision == 4)
    try second.appendNow([.numbered(5)])
    try second.closeNow()
  }
}
