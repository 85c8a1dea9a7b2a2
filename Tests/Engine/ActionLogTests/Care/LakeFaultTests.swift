import ActionLog
import ActionLogTesting
import Testing

/// What is left of a shipping that failed, and files in a lake that are not what they should be.
@Suite("Faults of a lake", .timeLimit(.minutes(60)))
struct LakeFaultTests {
  private static let manifest = LakeStory.side + "/manifest.jsonl"

  private func entries(_ lake: LakeStory) throws -> Int {
    guard try lake.files.status(of: Self.manifest) != nil else { return 0 }
    return ShippingManifest(parsing: try lake.files.contents(of: Self.manifest)).entries.count
  }

  /// Without the manifest, the beginning of a log looks like all of it.
  @Test func aFailedShippingListsWhatItShipped() throws {
    let whole = LakeStory()
    try whole.story.record(40)
    for number in 0..<4 {
      let lake = LakeStory(whole.files.copy())
      let segment = try lake.story.reader().segments[number]
      let name = String(segment.path.suffix(22)) + ".unfinished"
      let door = FaultyFileSystem(lake.files, faults: [FileFault(.append, code: .noSpace, pathSuffix: name)])
      let error = #expect(throws: LogError.self) { try lake.ship(through: door) }
      #expect(error?.code == .noSpace)
      #expect(try lake.segments().count == number && entries(lake) == number)
    }
  }

  @Test func aSnapshotThatDoesNotFitLeavesNothing() throws {
    let lake = LakeStory()
    try lake.story.record(20)
    let name = "/snapshots/0000000000000005.json"
    try lake.files.createDirectory("/log/snapshots")
    try lake.files.setContents(Array("state".utf8), of: "/log" + name)
    let fault = FileFault(.append, code: .noSpace, pathSuffix: name + ".unfinished", partialWrite: .half)
    let error = #expect(throws: LogError.self) { try lake.ship(through: FaultyFileSystem(lake.files, faults: [fault])) }
    #expect(error?.code == .noSpace && error?.message == "snapshots cannot be shipped: no space is left")
    #expect(error?.intact == "The segments are shipped." && error?.path == LakeStory.side + "/snapshots")
    #expect(!lake.files.filePaths.contains { path in path.hasSuffix(".unfinished") })
    #expect(try lake.verify().warnings.isEmpty)
  }

  /// It lists nothing of this log, and the next shipping makes it again.
  @Test(arguments: [true, false]) func aManifestOfAnotherLogIsNone(isGarbage: Bool) throws {
    let lake = LakeStory()
    try lake.story.record(20)
    try lake.ship()
    let own = try lake.files.contents(of: Self.manifest)
    let text = String(decoding: own, as: UTF8.self)
    let other = isGarbage ? "no entry\n" : text.replacing("/log=3f0c", with: "/log=0000")
    try lake.files.setContents(Array(other.utf8), of: Self.manifest)
    let report = try lake.verify()
    #expect(report.verdict == .clean && report.warnings.map(\.kind) == [.missingManifest])
    #expect(report.warnings.first?.message.hasPrefix("the manifest lists no segment of this log") == true)
    #expect(try lake.ship().outcomes.allSatisfy { outcome in outcome == .present })
    #expect(try lake.files.contents(of: Self.manifest) == own)
    #expect(try lake.verify().warnings.isEmpty)
  }

  @Test func anUnreadableManifestIsNamedWithItsPath() throws {
    let lake = LakeStory()
    try lake.story.record(20)
    try lake.ship()
    let fault = FileFault(.open, lasts: true, code: .permissionDenied, pathSuffix: "manifest.jsonl")
    let files = FaultyFileSystem(lake.files, faults: [fault])
    let error = #expect(throws: LogError.self) { try LogVerifier.verify(at: LakeStory.shipped, fileSystem: files) }
    #expect(error?.code == .inputOutput && error?.path == Self.manifest)
    #expect(error?.advice == "Its owner can make the file and its directory readable.")
  }

  @Test func theMissingSegmentIsTheReason() throws {
    let lake = LakeStory()
    try lake.story.record(40)
    try lake.ship()
    let segments = try lake.segments()
    for segment in segments.dropFirst() {
      let disk = lake.files.copy()
      try disk.remove(segment)
      let error = #expect(throws: LogError.self) { try LakeStory(disk).restore() }
      #expect(error?.message.hasSuffix("the manifest lists the segment, which is missing") == true)
      #expect(error?.path.map { path in segment.hasSuffix(path) } == true, "\(String(describing: error))")
    }
  }

  @Test func aBranchOnAFullDiskIsNotMade() throws {
    let lake = LakeStory()
    try lake.story.record(40)
    try lake.ship()
    let record = try lake.story.reader().record(at: 30)
    var messages: Set<String> = []
    for number in 1...12 {
      let disk = lake.files.copy()
      let files = FaultyFileSystem(disk, faults: [FileFault(.append, number: number, lasts: true, code: .noSpace)])
      let restoring = try LakeRestoring(from: LakeStory.shipped, fileSystem: files)
      do throws(LogError) {
        try restoring.branch(at: 30, checksum: record.crc, to: "/branch", environment: .test())
        #expect(files.firedCount == 0)
      } catch {
        messages.insert(error.message)
        #expect(!disk.filePaths.contains { path in path.hasPrefix("/branch") })
      }
    }
    #expect(messages.contains("the log cannot be restored: no space is left"), "\(messages)")
  }

  /// The log and its lake, whose last segment is missing. The log has two snapshots and a checkpoint of all lines.
  private func lakeWithoutEnd() throws -> LakeStory {
    let lake = LakeStory()
    try lake.story.record(40)
    for revision in ["01", "40"] {
      try lake.files.setContents([1], of: "/log/snapshots/00000000000000\(revision).json")
    }
    _ = try #require(try EvidenceStore(log: LogStory.path, fileSystem: lake.files).storeCheckpoint())
    try lake.ship()
    try lake.files.remove(try #require(try lake.segments().last))
    return lake
  }

  @Test func aPartialRestoreHasNothingOfTheMissingEnd() throws {
    let lake = try lakeWithoutEnd()
    try lake.restore(isPartial: true)
    let end = try LakeStory.actions(lake.files, at: "/restored").count
    #expect((1..<40).contains(end))
    #expect(try lake.files.names(in: "/restored/snapshots") == ["0000000000000001.json"])
    #expect(try lake.files.status(of: "/restored/proofs/checkpoints") == nil)
    let report = try lake.verify("/restored")
    #expect(report.verdict == .clean, "\(report.problems)")
  }

  @Test func aBranchAfterTheIntactEndIsRefused() throws {
    let lake = try lakeWithoutEnd()
    let restoring = try LakeRestoring(from: LakeStory.shipped, fileSystem: lake.files)
    for revision in [restoring.lastRevision + 1, 40] {
      let error = #expect(throws: LogError.self) {
        try restoring.branch(at: revision, checksum: 0, to: "/branch", environment: .test())
      }
      #expect(error?.code == .damaged && error?.intact?.hasSuffix("Nothing was made.") == true)
      #expect(!lake.files.filePaths.contains { path in path.hasPrefix("/branch") })
    }
  }

  /// Nobody has synced the last lines of a log that was recorded at `written`.
  @Test func theEndOfAClosedLogIsSyncedBeforeItsCopy() throws {
    let lake = LakeStory()
    try lake.story.record(3)
    let door = FaultyFileSystem(lake.files)
    #expect(try lake.ship(through: door).outcomes == [.shipped])
    let calls = door.calls
    let sync = calls.firstIndex { call in call.operation == .sync && call.path == lake.story.segment() }
    let copy = calls.firstIndex { call in call.operation == .rename && call.path.contains("/date=") }
    #expect(try #require(sync) < (try #require(copy)))
  }

  /// The device returns other bytes than those that were written.
  @Test func aRestoredLogIsVerified() throws {
    let lake = LakeStory()
    try lake.story.record(40)
    try lake.ship()
    let files = lake.files
    let door = FaultyFileSystem(files) { call in
      guard call.operation == .sync, call.path.hasSuffix("/0000000000000001.jsonl") else { return }
      do { try files.flipBit(0, ofByte: 1_000, in: call.path) } catch { Issue.record(error) }
    }
    let error = #expect(throws: LogError.self) { try lake.restore(on: door) }
    #expect(error?.code == .damaged, "\(String(describing: error))")
    #expect(!files.filePaths.contains { path in path.hasPrefix("/restored") })
    #expect(try lake.verify().verdict == .clean)
  }

  /// While it is shipped, the log is replaced by one of the same length.
  @Test func aTailThatHeadDoesNotDescribeIsNotShipped() throws {
    let (lake, other) = (LakeStory(segmentLimitBytes: 100_000), LogStory())
    try lake.story.record(5, close: false)
    try other.record(5, from: 4, close: false)
    let head = try other.files.contents(of: other.head)
    let files = lake.files
    #expect(try head != files.contents(of: lake.story.head))
    let door = FaultyFileSystem(files) { call in
      guard call.operation == .lock else { return }
      do { try files.setContents(head, of: LogStory.path + "/HEAD") } catch { Issue.record(error) }
    }
    #expect(#expect(throws: LogError.self) { try lake.ship(through: door) }?.code == .damaged)
    #expect(try files.status(of: LakeStory.side + "/tail.jsonl") == nil)
  }
}
