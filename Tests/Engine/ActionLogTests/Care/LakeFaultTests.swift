import ActionLog
import ActionLogMaintenance
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

  // MARK: Files that a crash or an upload left

  /// What is in the place of a file.
  enum Flaw: CaseIterable, Sendable {
    case missing, empty, torn, shortened, zeros, lengthened, flipped, directory

    func apply(to path: String, in files: MemoryFileSystem) throws {
      var bytes = try files.contents(of: path)
      switch self {
      case .missing: return try files.remove(path)
      case .empty: bytes = []
      case .torn: bytes.removeLast(20)
      case .shortened:
        bytes.removeLast(bytes.count / 2)
        bytes.removeLast(bytes.count - 1 - (bytes.lastIndex(of: UInt8(ascii: "\n")) ?? 0))
      case .zeros: bytes = [UInt8](repeating: 0, count: bytes.count)
      case .lengthened: bytes += Array("more".utf8)
      case .flipped: bytes[bytes.count / 2] ^= 1
      case .directory:
        try files.remove(path)
        return try files.createDirectory(path)
      }
      try files.setContents(bytes, of: path)
    }
  }

  /// A file of a lake.
  enum Place: Sendable {
    case manifest, segment(Int), lastSegment, tail
  }

  /// What restore, verify and ship do with a lake that has another file in a place.
  ///
  /// A restore makes what it promised, a loss is reported, and shipping again, at most without the file, completes the lake.
  @Test(arguments: [Place.manifest, .segment(0), .segment(2), .lastSegment, .tail], Flaw.allCases)
  func everyFlawOfAFileIsReportedAndMended(place: Place, flaw: Flaw) throws {
    let lake = LakeStory()
    try lake.story.record(37)
    var writer: LogWriter?
    if case .tail = place {
      writer = try lake.story.open()
      for number in 38...40 { try writer?.appendNow([.numbered(number)]) }
    }
    try lake.ship()
    let segments = try lake.segments()
    let path =
      switch place {
      case .manifest: Self.manifest
      case .segment(let index): segments[index]
      case .lastSegment: segments[segments.count - 1]
      case .tail: LakeStory.side + "/tail.jsonl"
      }
    let last = try lake.verify().lastRevision
    #expect(try lake.verify().warnings.isEmpty && segments.count > 3)
    try flaw.apply(to: path, in: lake.files)
    let note = Comment(rawValue: "\(place), \(flaw)")

    func restored() throws -> Int? {
      let restoring: LakeRestoring
      do throws(LogError) { restoring = try LakeRestoring(from: LakeStory.shipped, fileSystem: lake.files) } catch {
        #expect(error.advice != nil, note)
        return nil
      }
      if !restoring.isComplete {
        let error = #expect(throws: LogError.self) { try lake.restore() }
        #expect(error?.intact?.contains("0…\(restoring.lastRevision) can be restored") == true, note)
      }
      try lake.restore(isPartial: !restoring.isComplete)
      #expect(try LakeStory.actions(lake.files, at: "/restored") == Array(1...restoring.lastRevision), note)
      #expect(try lake.verify("/restored").verdict == .clean, note)
      let isReported = !restoring.isComplete || restoring.report.warnings.contains { $0.kind == .missingManifest }
      // Nothing else states the end of the tail.
      if case .tail = place, flaw == .missing || flaw == .shortened { return restoring.lastRevision }
      // A manifest that is older than the lake is what an interrupted shipping leaves.
      if case .manifest = place, flaw == .shortened { return restoring.lastRevision }
      #expect(isReported, note)
      return restoring.lastRevision
    }

    let revision = try restored()
    switch (place, flaw) {
    case (.manifest, .directory), (.segment(0), .missing), (.segment(0), .empty), (.segment(0), .directory),
      (.segment(0), .zeros), (.segment(0), .shortened):
      #expect(revision == nil, note)
    case (.manifest, .flipped): #expect(try #require(revision) <= last, note)
    case (.manifest, _): #expect(revision == last, note)
    case (.lastSegment, .lengthened), (.lastSegment, .torn), (.tail, .lengthened):
      // Only the last line, `@close`.
      #expect(revision == last, note)
    case (.segment, .flipped), (.segment, .lengthened), (.segment, .torn), (.lastSegment, .flipped), (.tail, _):
      #expect(try #require(revision) < last, note)
    default:
      let name = try #require(SegmentName.first(of: String(path.suffix(22))))
      #expect(revision == name - 1, note)
    }

    // The log is still there.
    do { try lake.ship() } catch let error as LogError {
      #expect(flaw == .directory && error.advice != nil, note)
    }
    if try lake.files.status(of: path)?.kind == .directory || flaw == .flipped {
      try lake.files.remove(path)
      try lake.ship()
    }
    let report = try lake.verify()
    #expect(report.verdict == .clean && report.lastRevision == last, "\(note): \(report.problems)")
    #expect(report.warnings.allSatisfy { warning in warning.kind == .clockWentBack }, "\(note): \(report.warnings)")
    try writer?.closeNow()
  }

  /// Only the manifest shows that the newest segment is missing: one that cannot show it is reported.
  @Test(arguments: Flaw.allCases.filter { flaw in flaw != .directory && flaw != .shortened })
  func aMissingEndIsReportedWithAnyManifest(flaw: Flaw) throws {
    let lake = LakeStory()
    try lake.story.record(40)
    try lake.ship()
    try flaw.apply(to: Self.manifest, in: lake.files)
    try lake.files.remove(try #require(try lake.segments().last))
    let report = try lake.verify()
    #expect(
      report.problems.contains { problem in problem.kind == .missingSegment }
        || report.warnings.contains { warning in warning.kind == .missingManifest }, "\(report)")
    #expect(try lake.ship().outcomes.last == .shipped)
    #expect(try lake.verify().warnings.isEmpty && lake.verify().lastRevision == 40)
  }
}
