import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Platform
import Testing

/// The checkpoints of a pruned log, and the tiles that lead from them to its base, in a lake and in a log that is restored from it.
@Suite("Evidence of pruned logs in a lake", .timeLimit(.minutes(60)))
struct PrunedLakeTests {
  private static let checkpoints = LakeStory.side + "/proofs/checkpoints"

  /// The number of actions between two checkpoints, of which two are before the base.
  struct Size: Sendable {
    var part: Int
    var segmentLimitBytes: Int
  }

  private static let small = Size(part: 8, segmentLimitBytes: 600)
  /// A full tile and a partial one before the base.
  private static let large = Size(part: 120, segmentLimitBytes: 4_000)

  private static func store(_ log: String, _ files: any LogFileSystem) -> EvidenceStore {
    EvidenceStore(log: log, fileSystem: files)
  }

  private static func checkpoint(_ lake: LakeStory, at log: String = LogStory.path) throws {
    _ = try #require(try store(log, lake.files).storeCheckpoint())
  }

  /// A log with three checkpoints, pruned after the second one.
  private static func pruned(_ size: Size) throws -> LakeStory {
    let lake = LakeStory(segmentLimitBytes: size.segmentLimitBytes)
    for part in 0..<3 {
      try lake.story.record(size.part, from: part * size.part + 1)
      try checkpoint(lake)
    }
    try lake.story.prune(before: size.part * 5 / 2)
    let sizes = try store(LogStory.path, lake.files).checkpointSizes()
    let base = try #require(try lake.story.reader().base)
    #expect(sizes.count == 3 && sizes[1] < base.lineCount && base.lineCount < sizes[2])
    return lake
  }

  /// Expects an intact log that leads to all its checkpoints.
  private static func expectIntact(
    _ path: String, _ files: any LogFileSystem, checkpoints count: Int = 3, _ comment: Comment = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let report = try LogVerifier.verify(at: path, fileSystem: files)
    let warnings = report.warnings.filter { warning in warning.kind != .clockWentBack }
    #expect(
      report.verdict == .clean && warnings.isEmpty && report.checkpointCount == count,
      "\(comment): \(report.problems) \(warnings) \(report.checkpointCount)", sourceLocation: sourceLocation)
  }

  /// The tiles in a folder `proofs`, below `tile`.
  private static func tiles(_ proofs: String, _ files: MemoryFileSystem) -> [String] {
    files.filePaths.filter { path in path.hasPrefix(proofs + "/tile/") }
      .map { path in String(path.dropFirst(proofs.count + "/tile/".count)) }.sorted()
  }

  @Test(arguments: [small, large]) func checkpointsBeforeTheBaseLeadToIt(size: Size) throws {
    let lake = try Self.pruned(size)
    try lake.ship()
    try Self.expectIntact(LakeStory.shipped, lake.files)
    try lake.restore()
    try Self.expectIntact("/restored", lake.files)
    // The proofs continue.
    let store = Self.store("/restored", lake.files)
    let old = try #require(try store.checkpoint(size: try store.checkpointSizes()[0]))
    try Self.checkpoint(lake, at: "/restored")
    let newest = try #require(try store.newestCheckpoint())
    let proof = try store.consistencyProof(from: old.checkpoint, to: newest)
    try ConsistencyProof(parsing: proof.encoded).verify(from: old.checkpoint)
    // The restored log is shipped to the same lake, with more tiles before a later base.
    try lake.ship("/restored")
    try Self.expectIntact(LakeStory.shipped, lake.files, checkpoints: try store.checkpointSizes().count)
  }

  /// Each level has at most one tile that is not full, also when the tiles of the log have grown.
  @Test func widerTilesReplaceNarrowerOnes() throws {
    let lake = try Self.pruned(Self.large)
    try lake.ship()
    let first = Self.tiles(LakeStory.side + "/proofs", lake.files)
    #expect(first.contains("0/000") && first.filter { name in name.hasPrefix("0/001.p/") }.count == 1, "\(first)")
    for part in 3..<8 {
      try lake.story.record(Self.large.part / 6, from: part * 200)
      try Self.checkpoint(lake)
      try lake.ship()
      try Self.expectIntact(LakeStory.shipped, lake.files, checkpoints: part + 1)
    }
    let grown = Self.tiles(LakeStory.side + "/proofs", lake.files)
    #expect(grown.filter { name in name.hasPrefix("0/001.p/") }.count == 1 && grown != first, "\(grown)")
    try lake.story.record(200, from: 2_000)
    try Self.checkpoint(lake)
    try lake.ship()
    let full = Self.tiles(LakeStory.side + "/proofs", lake.files)
    #expect(full.contains("0/001") && !full.contains { name in name.hasPrefix("0/001.p/") }, "\(full)")
    #expect(!full.contains { name in name.hasPrefix("0/002") }, "\(full)")
    // Nothing is written twice.
    lake.files.resetCounts()
    try lake.ship()
    #expect(lake.files.counts.bytesWritten == 0 && lake.files.counts.renames == 0)
    // The lake keeps what the log gives up.
    try lake.files.remove("/log/proofs/tile/0/001")
    try lake.ship()
    #expect(Self.tiles(LakeStory.side + "/proofs", lake.files) == full)
  }

  /// After `--seal`, the last segment has lines and no action, and is not shipped.
  @Test func checkpointsOfUnshippedLinesAreNotShipped() throws {
    let lake = LakeStory()
    try lake.story.record(12)
    try LogShipping.seal(at: LogStory.path, fileSystem: lake.files, environment: .test())
    try Self.checkpoint(lake)
    try lake.ship()
    try Self.expectIntact(LakeStory.shipped, lake.files, checkpoints: 0)
    try lake.restore()
    // The tail has the lines that `HEAD` names.
    let writer = try lake.story.open()
    try writer.appendNow([.numbered(13)])
    try Self.checkpoint(lake)
    #expect(try lake.ship().tail != nil)
    try Self.expectIntact(LakeStory.shipped, lake.files, checkpoints: 2)
    try writer.appendNow([.numbered(14)])
    try Self.checkpoint(lake)
    try lake.files.setContents(try lake.files.contents(of: LogStory.path + "/HEAD"), of: "/kept")
    try lake.files.remove(LogStory.path + "/HEAD")
    // Without `HEAD`, the tail is not replaced, and its lines do not count.
    try lake.ship()
    try Self.expectIntact(LakeStory.shipped, lake.files, checkpoints: 0)
    try lake.files.setContents(try lake.files.contents(of: "/kept"), of: LogStory.path + "/HEAD")
    try lake.ship()
    try Self.expectIntact(LakeStory.shipped, lake.files, checkpoints: 3)
    try writer.closeNow()
  }

  // MARK: Interruptions

  @Test func shippingMayBeKilledAtEveryCall() throws {
    let lake = try Self.pruned(Self.small)
    let states = Locked<[MemoryFileSystem]>([])
    let base = lake.files
    let door = FaultyFileSystem(base) { call in
      guard call.path.hasPrefix(LakeStory.lake), ![.read, .size, .status, .names].contains(call.operation) else {
        return
      }
      states.withLock { states in states += [base.copy(), base.crash(.onlySyncedSurvives)] }
    }
    try lake.ship(through: door)
    let all = states.withLock { states in states }
    #expect(all.count > 60)
    for (number, disk) in all.enumerated() {
      try LakeStory(disk).ship()
      try Self.expectIntact(LakeStory.shipped, disk, "call \(number / 2)")
    }
    // A second shipping never leaves a lake that is not intact.
    states.withLock { states in states.removeAll() }
    try lake.story.record(8, from: 25)
    try Self.checkpoint(lake)
    try lake.ship(through: door)
    for (number, disk) in states.withLock({ states in states }).enumerated() {
      let report = try LogVerifier.verify(at: LakeStory.shipped, fileSystem: disk)
      #expect(report.problems.isEmpty, "call \(number / 2): \(report.problems)")
      try LakeStory(disk).ship()
      try Self.expectIntact(LakeStory.shipped, disk, checkpoints: 4, "call \(number / 2)")
    }
  }

  @Test func everyFailedCallIsRepeated() throws {
    let original = try Self.pruned(Self.small)
    var number = 1
    while true {
      let lake = LakeStory(original.files.copy())
      let faulty = FaultyFileSystem(lake.files, faults: [FileFault(number: number)])
      do { try lake.ship(through: faulty) } catch let error as LogError {
        #expect(error.code == .inputOutput, "call \(number): \(error)")
      }
      try lake.ship()
      try Self.expectIntact(LakeStory.shipped, lake.files, "call \(number)")
      #expect(!lake.files.filePaths.contains { path in path.hasSuffix(".unfinished") }, "call \(number)")
      if faulty.firedCount == 0 { break }
      number += 1
    }
    #expect(number > 100)
  }

  /// What cannot be read of it is left out and reported.
  @Test func noEvidenceIsLostSilentlyInARestore() throws {
    let lake = try Self.pruned(Self.small)
    try lake.ship()
    var number = 1
    while true {
      let disk = lake.files.copy()
      let faulty = FaultyFileSystem(disk, faults: [FileFault(number: number)])
      var leftOut: [BackupReport.LeftOut] = []
      do { leftOut = try LakeStory(disk).restore(on: faulty) } catch is LogError {}
      if try disk.status(of: "/restored") == nil { try LakeStory(disk).restore() }
      if leftOut.contains(where: \.isNeeded) {
        #expect(leftOut.allSatisfy { file in file.path.hasPrefix("proofs/") }, "call \(number): \(leftOut)")
        #expect(try LogVerifier.verify(at: "/restored", fileSystem: disk).problems.isEmpty, "call \(number)")
      } else {
        try Self.expectIntact("/restored", disk, "call \(number)")
      }
      #expect(Self.tiles("/restored/proofs", disk) == Self.tiles(LakeStory.side + "/proofs", disk), "call \(number)")
      if faulty.firedCount == 0 { break }
      number += 1
    }
    #expect(number > 100)
  }
}
