import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Platform
import TestSupport
import Testing

@Suite("Rolling to a new segment", .timeLimit(.minutes(60)))
struct RollTests {
  private func story(_ durability: Durability = .synced, limit: Int = 600) -> (LogStory, FaultyFileSystem) {
    var story = LogStory(durability: durability, segmentLimitBytes: limit)
    let door = FaultyFileSystem(story.files)
    story.door = door
    return (story, door)
  }

  /// The names of the segments.
  private func segments(_ story: LogStory) throws -> [Int] {
    try story.reader().segments.map(\.first)
  }

  @Test func rollsBeforeTheActionPastTheLimit() throws {
    let (story, _) = story()
    try story.record(10)
    let firsts = try segments(story)
    #expect(firsts.count > 2)
    for first in firsts {
      let lines = try story.lines(first)
      #expect(lines[0].contains(#""type":"@segment""#))
      #expect(lines[0].contains(#""first":\#(first),"#))
      #expect(lines.dropFirst().contains { line in line.contains(#""seq":\#(first),"#) })
    }
    #expect(try story.read().actions == Array(1...10))
    #expect(try story.read(from: 7).actions == Array(7...10))
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict == .clean)
  }

  @Test(arguments: [Durability.queued, .written, .synced, .full])
  func aNewSegmentIsDurableBeforeItsRename(durability: Durability) throws {
    let (story, door) = story(durability)
    let writer = try story.open()
    _ = try writer.writeNow([.numbered(1)])
    _ = try writer.writeNow([.numbered(2)])
    _ = try writer.syncNow()
    door.forgetCalls()
    _ = try writer.writeNow([.numbered(3)])
    _ = try writer.syncNow()
    let checks: [FileCall.Operation] = [.status, .size, .names]
    let calls = door.calls.filter { call in !checks.contains(call.operation) }.map(\.description)
    let name = story.segment(3)
    let roll = [
      "open \(name).new", "append \(name).new", "sync \(name).new", "rename \(name).new \(name)",
      "syncDirectory /log", "write /log/HEAD", "append \(name).new", "sync \(name).new",
      "write /log/HEAD",
    ]
    #expect(calls == roll)
  }

  @Test func everyLevelSyncsTheOldSegment() throws {
    let (story, door) = story(.written)
    let writer = try story.open()
    _ = try writer.writeNow([.numbered(1)])
    _ = try writer.writeNow([.numbered(2)])
    door.forgetCalls()
    _ = try writer.writeNow([.numbered(3)])
    let syncs = door.calls.filter { call in call.operation == .sync }.map(\.path)
    #expect(syncs == [story.segment(1) + ".new", story.segment(3) + ".new"])
    #expect(try story.files.durableContents(of: story.segment(1)) == story.bytes(1))
    #expect(writer.status.segmentPath == story.segment(3))
  }

  @Test func controlRecordsAloneNeverFillASegment() throws {
    let (story, _) = story(limit: 400)
    for _ in 0..<20 { try story.open().closeNow() }
    #expect(try segments(story) == [1])
    try story.record(1)
    #expect(try segments(story) == [1], "the segment holds no action before this one")
    try story.record(1, from: 2)
    #expect(try segments(story) == [1, 2])
  }

  @Test func aUnitIsNeverSplit() throws {
    let (story, _) = story(limit: 300)
    let writer = try story.open()
    for unit in 0..<4 { try writer.appendNow((1...5).map { part in .numbered(unit * 5 + part) }) }
    try writer.closeNow()
    #expect(try segments(story) == [1, 6, 11, 16])
  }

  @Test func oneBatchCanFillSeveralSegments() async throws {
    var (story, _) = story(limit: 600)
    let door = GatedFileSystem(story.files)
    story.door = door
    let writer = try story.open()
    door.hold(.append)
    for number in 1...20 { _ = try writer.enqueue([.numbered(number)]) }
    door.letGo()
    try await writer.sync()
    // Each segment was sealed with all its lines of the batch.
    #expect(try LogStory(story.files.crash(.onlySyncedSurvives)).open().opening.lastRevision == 20)
    try await writer.close()
    #expect(try segments(story).count > 3)
    #expect(try story.read().actions == Array(1...20))
  }

  @Test(arguments: [FileCall.Operation.open, .append, .sync, .rename])
  func aSegmentCreationFailureRejectsTheBatch(operation: FileCall.Operation) throws {
    let (story, door) = story(.written)
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    try writer.appendNow([.numbered(2)])
    door.add(FileFault(operation, code: .noSpace, pathSuffix: "3.jsonl.new", partialWrite: .half))
    let error = #expect(throws: LogError.self) { try writer.writeNow([.numbered(3)]) }
    #expect(error?.code == .noSpace)
    #expect(writer.status.lastRevision == 2)
    #expect(try segments(story) == [1])
    #expect(!story.files.filePaths.contains { path in path.hasSuffix(".new") })
    try writer.appendNow([.numbered(4)])
    try writer.closeNow()
    #expect(try story.read().actions == [1, 2, 4])
    #expect(try segments(story) == [1, 3])
  }

  @Test func aRenameWithAFalseErrorFailsTheLog() throws {
    var (story, _) = story(.written)
    let disk = story.files
    let name = story.segment(3)
    let door = FaultyFileSystem(disk, faults: [FileFault(.rename, pathSuffix: "3.jsonl.new")]) { call in
      guard call.operation == .rename, call.newPath == name else { return }
      #expect(throws: Never.self) { try disk.rename(call.path, to: name) }
    }
    story.door = door
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    try writer.appendNow([.numbered(2)])
    // The new segment would not follow the old one if anything were appended to that now.
    #expect(#expect(throws: LogError.self) { try writer.writeNow([.numbered(3)]) }?.code == .failed)
    #expect(#expect(throws: LogError.self) { try writer.writeNow([.numbered(3)]) }?.code == .failed)
    writer.abandon()
    try story.record(1, from: 3)
    #expect(try segments(story) == [1, 3])
    #expect(try story.read().actions == [1, 2, 3])
  }

  @Test(arguments: [(Durability.written, false), (.synced, false), (.synced, true)])
  func aFileAtASegmentsPathIsNeverReplaced(durability: Durability, isDirectory: Bool) throws {
    var (story, _) = story(durability)
    let (disk, name) = (story.files, story.segment(3))
    let isDone = Locked(false)
    story.door = FaultyFileSystem(disk) { call in
      // Only now: an earlier check finds nothing.
      guard call.operation == .rename, call.newPath == name, !isDone.withLock({ isDone in isDone }) else { return }
      isDone.withLock { isDone in isDone = true }
      #expect(throws: Never.self) {
        if isDirectory { try disk.createDirectory(name) } else { try disk.setContents([1, 2, 3], of: name) }
      }
    }
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    try writer.appendNow([.numbered(2)])
    for _ in 0..<2 {
      let error = #expect(throws: LogError.self) { try writer.appendNow([.numbered(3)]) }
      #expect(error?.code == .failed)
      #expect(error?.path == name)
      #expect(error?.revision == 3)
      #expect(
        error?.message.contains(isDirectory ? "a directory already exists" : "a file of 3 bytes already exists") == true
      )
    }
    if !isDirectory { #expect(try disk.contents(of: name) == [1, 2, 3]) }
    #expect(!disk.filePaths.contains { path in path.hasSuffix(".new") })
    #expect(writer.status.syncedRevision == 2)
    writer.abandon()
    try disk.remove(name)
    try story.record(1, from: 3)
    #expect(try story.read().actions == [1, 2, 3], "nothing that was acknowledged is missing")
  }

  /// The status of the path is unknown then, so nothing may be appended to the segment.
  @Test func anUnexplainedRenameFailureFailsTheLog() throws {
    let (story, door) = story(.written)
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    try writer.appendNow([.numbered(2)])
    door.add(FileFault(.rename, code: .exists))
    // The first check is the one before.
    door.add(FileFault(.status, number: 2, pathSuffix: "3.jsonl"))
    #expect(#expect(throws: LogError.self) { try writer.writeNow([.numbered(3)]) }?.code == .failed)
  }

  @Test func aDirectorySyncFailureFailsTheLog() throws {
    let (story, door) = story(.written)
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    try writer.appendNow([.numbered(2)])
    door.add(FileFault(.syncDirectory))
    #expect(#expect(throws: LogError.self) { try writer.writeNow([.numbered(3)]) }?.code == .failed)
    #expect(try story.read().actions == [1, 2])
  }

  @Test func anOldSegmentSyncFailureFailsTheLog() throws {
    let (story, door) = story(.written)
    let writer = try story.open()
    _ = try writer.writeNow([.numbered(1)])
    _ = try writer.writeNow([.numbered(2)])
    door.add(FileFault(.sync))
    #expect(#expect(throws: LogError.self) { try writer.writeNow([.numbered(3)]) }?.code == .failed)
    #expect(try segments(story) == [1])
  }
}
