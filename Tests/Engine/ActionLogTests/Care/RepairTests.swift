import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import TestSupport
import Testing

@Suite("Repairing", .timeLimit(.minutes(60)))
struct RepairTests {
  @discardableResult
  private func repair(_ story: LogStory, dryRun: Bool = false) throws -> RepairReport {
    try LogRepair.repair(at: LogStory.path, fileSystem: story.files, environment: .test(), dryRun: dryRun)
  }

  private func tornStory() throws -> LogStory {
    let story = LogStory()
    try story.record(3, close: false)
    try story.change { bytes in bytes += Array(#"{"seq":4,"ti"#.utf8) }
    return story
  }

  @Test func aTornTailIsTruncated() throws {
    let story = try tornStory()
    let report = try repair(story)
    #expect(report.truncatedBytes == 12)
    #expect(report.lastRevision == 3)
    let file = try #require(report.quarantineFile)
    #expect(try story.files.contents(of: "/log/" + file) == Array(#"{"seq":4,"ti"#.utf8))
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict == .clean)
    #expect(try story.types().suffix(2) == ["@open", "@close"])
    try story.record(1, from: 4)
    #expect(try story.read().actions == [1, 2, 3, 4])
  }

  @Test func aDryRunChangesNothing() throws {
    let story = try tornStory()
    let before = try story.bytes()
    let report = try repair(story, dryRun: true)
    #expect(report.isNeeded)
    #expect(report.truncatedBytes == 12)
    #expect(report.quarantineFile == nil)
    #expect(try story.bytes() == before)
  }

  @Test func aSingleSegmentIsNotRepaired() throws {
    let story = try tornStory()
    let error = #expect(throws: LogError.self) {
      try LogRepair.repair(at: story.segment(), fileSystem: story.files, environment: .test())
    }
    #expect(error?.code == .notALog)
    let other = #expect(throws: LogError.self) {
      try LogBackup.backup(at: story.segment(), to: "/copy", fileSystem: story.files)
    }
    #expect(other?.code == .notALog)
    #expect(try story.files.status(of: "/copy") == nil)
  }

  @Test func anUnreadableHeadPreventsARepair() throws {
    var story = try tornStory()
    story.door = FaultyFileSystem(story.files, faults: [FileFault(.open, lasts: true, pathSuffix: "/HEAD")])
    let before = try story.bytes()
    #expect(
      #expect(throws: LogError.self) { try LogRepair.repair(at: LogStory.path, fileSystem: story.door) }?.code
        == .inputOutput)
    #expect(try story.bytes() == before)
  }

  @Test func anIntactLogIsNotChanged() throws {
    let story = LogStory()
    try story.record(3)
    let before = try story.bytes()
    #expect(try !repair(story).isNeeded)
    #expect(try story.bytes() == before)
  }

  @Test func unfinishedSegmentsAreRemoved() throws {
    let story = LogStory()
    try story.record(1)
    try story.files.setContents([1], of: story.segment(2) + ".new")
    #expect(try repair(story).removedFiles == [story.segment(2) + ".new"])
    #expect(story.files.filePaths == [story.segment(), story.head])
  }

  @Test func damageIsRefusedWithAdviceToSalvage() throws {
    let story = LogStory()
    try story.record(5)
    try story.flipLine(4)
    let before = try story.bytes()
    let error = #expect(throws: LogError.self) { try repair(story) }
    #expect(error?.code == .damaged)
    #expect(error?.guidance?.description == "Actions 1…2 are intact. 'salvage' copies them to a new log.")
    #expect(try story.bytes() == before)
  }

  @Test func theSchemaOfTheLogIsKept() throws {
    let story = LogStory()
    let writer = try story.open(schema: 7)
    try writer.appendNow([.numbered(1)])
    writer.abandon()
    try story.change { bytes in bytes += [0, 0, 0] }
    try repair(story)
    #expect(try story.reader().extent().schema == 7)
    #expect(try story.reader().segments.count == 1)
  }

  @Test func aLogWithALiveWriterIsRefused() throws {
    let story = try tornStory()
    let lock = try story.files.lock(directory: LogStory.path)
    defer { lock.unlock() }
    #expect(#expect(throws: LogError.self) { try repair(story) }?.code == .locked)
  }
}
