import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Platform
import TestSupport
import Testing

/// A copy of a log proves what the log proves.
@Suite("Backing up proofs", .timeLimit(.minutes(60)))
struct ProofsBackupTests {
  private static let copy = "/copy"

  /// A log with two checkpoints under a chosen origin, of which the first is older than the base if the log is pruned.
  private static func proofs(isPruned: Bool) throws -> ProofStory {
    let proofs = ProofStory(story: LogStory(segmentLimitBytes: 9_000))
    try proofs.story.record(300)
    try proofs.checkpoint()
    if isPruned { try proofs.story.prune(before: 290, archive: nil) }
    try proofs.story.record(30, from: 301)
    try proofs.checkpoint()
    return proofs
  }

  private static func store(_ log: String, _ files: MemoryFileSystem) -> EvidenceStore {
    EvidenceStore(log: log, fileSystem: files)
  }

  /// Expects that a copy is intact, and that a new checkpoint of it continues every checkpoint in it.
  ///
  /// - Returns: The sizes of the copied checkpoints.
  @discardableResult
  private static func expectCheckpointsLeadOn(_ files: MemoryFileSystem, _ comment: Comment) throws -> [Int] {
    let report = try LogVerifier.verify(at: copy, fileSystem: files)
    #expect(report.verdict == .clean, "\(comment): \(report.problems)")
    let store = store(copy, files)
    let sizes = try store.checkpointSizes()
    let checkpoints = try sizes.map { size in try #require(try store.checkpoint(size: size)).checkpoint }
    let writer = try LogWriter.open(at: copy, model: "counter", schema: 1, fileSystem: files)
    try writer.appendNow([.numbered(0)])
    try writer.closeNow()
    let newest = try #require(try store.storeCheckpoint(), comment)
    for old in checkpoints {
      #expect(newest.checkpoint.origin == old.origin, comment)
      let verdict = try CheckpointComparison(log: copy, fileSystem: files).verdict(on: old, origin: old.origin)
      #expect(verdict.isGood, "\(comment), \(old.size): \(verdict.message)")
      try store.consistencyProof(from: old, to: newest).verify(from: old)
    }
    return sizes
  }

  @Test(arguments: [false, true])
  func aCopyMakesCheckpoints(isPruned: Bool) throws {
    let proofs = try Self.proofs(isPruned: isPruned)
    let files = proofs.story.files
    let base = try proofs.story.reader().base
    #expect((base != nil) == isPruned)
    _ = try LogBackup.backup(at: LogStory.path, to: Self.copy, fileSystem: files)
    let sizes = try Self.expectCheckpointsLeadOn(files, "pruned: \(isPruned)")
    #expect(sizes.count == 2)
    #expect(try Self.store(Self.copy, files).newestCheckpoint()?.checkpoint.origin == "example.com/log")
  }

  @Test func onlyFinishedProofsAreCopied() throws {
    let proofs = try Self.proofs(isPruned: true)
    let files = proofs.story.files
    let others = ["tile/0/000.new", "tile/notes", "checkpoints/7", "checkpoint.new", "notes"]
    for name in others { try files.setContents([1], of: "/log/proofs/" + name) }
    let report = try LogBackup.backup(at: LogStory.path, to: Self.copy, fileSystem: files)
    let names = files.filePaths.filter { path in path.hasPrefix("/log/proofs/") }.map { path in path.dropFirst(5) }
    let expected = Set(names.map(String.init)).subtracting(others.map { name in "proofs/" + name })
    #expect(Set(report.files.filter { name in name.hasPrefix("proofs/") }) == expected)
    #expect(expected.count > 6)
    for name in expected {
      let bytes = try files.contents(of: "/log/" + name)
      #expect(try files.durableContents(of: "/copy/" + name) == bytes)
    }
    let total = try report.files.map { name in try files.contents(of: "/copy/" + name).count }.reduce(0, +)
    #expect(report.sizeBytes == total)
    let copied = files.filePaths.filter { path in path.hasPrefix("/copy/") }
    #expect(Set(report.files) == Set(copied.map { path in String(path.dropFirst(6)) }))
  }

  @Test func unreadableProofsAreLeftOut() throws {
    let proofs = try Self.proofs(isPruned: false)
    let files = proofs.story.files
    let tile = "/proofs/tile/0/000"
    let door = FaultyFileSystem(files, faults: [FileFault(.read, pathSuffix: "/log" + tile)])
    let report = try LogBackup.backup(at: LogStory.path, to: Self.copy, fileSystem: door)
    #expect(report.leftOut.map(\.path) == [String(tile.dropFirst())])
    let others = ["/proofs/checkpoint", "/proofs/edge", tile]
    let doors = FaultyFileSystem(
      files, faults: others.reversed().map { path in FileFault(.read, lasts: true, pathSuffix: "/log" + path) })
    let several = try LogBackup.backup(at: LogStory.path, to: "/several", fileSystem: doors)
    #expect(several.leftOut.map { file in "/" + file.path } == others, "\(doors.firedCount)")
    // The tile is made again from the lines.
    try Self.expectCheckpointsLeadOn(files, "without a tile")
    _ = try Self.store(Self.copy, files).update(rebuilds: true)
    #expect(try files.contents(of: "/copy" + tile) == files.contents(of: "/log" + tile))
  }

  @Test func aFileNamedLikeTheDirectoryIsLeftOut() throws {
    let story = LogStory()
    try story.record(3)
    try story.files.setContents([1], of: "/log/proofs")
    let report = try LogBackup.backup(at: LogStory.path, to: Self.copy, fileSystem: story.files)
    #expect(report.leftOut.map(\.path) == ["proofs"])
    #expect(report.leftOut.map(\.message) == ["a different kind of file has its name"])
  }

  /// A failed backup leaves no copy, and one that passes has what it does not report as left out.
  @Test func aFaultAtEachCallIsReported() throws {
    let original = try Self.proofs(isPruned: true).story.files
    var (number, refused, complete) = (0, 0, 0)
    while true {
      number += 1
      let files = original.copy()
      let door = FaultyFileSystem(files, faults: [FileFault(number: number)])
      do {
        let report = try LogBackup.backup(at: LogStory.path, to: Self.copy, fileSystem: door)
        let comment: Comment = "call \(number): \(door.calls[min(number, door.calls.count) - 1])"
        if report.leftOut.isEmpty, report.verification.verdict == .clean {
          #expect(try Self.expectCheckpointsLeadOn(files, comment).count == 2, comment)
          complete += 1
        }
        let left = Set(report.leftOut.map(\.path))
        for path in original.filePaths where path.hasPrefix("/log/") {
          let name = String(path.dropFirst(5))
          let isCopied = try files.status(of: "/copy/" + name) != nil
          let isLeft = left.contains { folder in name == folder || name.hasPrefix(folder + "/") }
          #expect(isCopied != isLeft, "\(comment): \(name)")
        }
      } catch let error as LogError {
        #expect(door.firedCount == 1)
        let calls = door.calls
        // Only the name of a complete copy may lack its sync.
        if try files.status(of: Self.copy) != nil { #expect(calls[number - 1] == FileCall(.syncDirectory, "/")) }
        #expect(error.code != .damaged, "\(error)")
        refused += 1
      }
      if door.firedCount == 0 { break }
    }
    #expect(refused > 50 && complete > 1, "\(refused) refused, \(complete) complete of \(number)")
  }

  /// Runs a backup during which something happens before one of its calls, for each of them.
  private func duringEachCall(
    of proofs: () throws -> ProofStory, _ body: @escaping @Sendable (LogStory) throws -> Void,
    check: (MemoryFileSystem, Comment) throws -> Void
  ) throws -> Int {
    let original = try proofs().story.files
    var number = 0
    while true {
      let target = number
      let files = original.copy()
      let (seen, story) = (Locked(0), LogStory(files, segmentLimitBytes: 9_000))
      let door = FaultyFileSystem(files) { call in
        let count = seen.withLock { seen in
          seen += 1
          return seen
        }
        guard count - 1 == target else { return }
        do { try body(story) } catch { Issue.record("before call \(target), \(call): \(error)") }
      }
      _ = try LogBackup.backup(at: LogStory.path, to: Self.copy, fileSystem: door)
      guard seen.withLock({ seen in seen > target }) else { return number }
      try check(files, "before call \(target): \(door.calls[target])")
      number += 1
    }
  }

  /// The copy has every line that its checkpoints and tiles cover.
  @Test(arguments: [false, true])
  func aCheckpointDuringTheBackupIsCovered(isPruned: Bool) throws {
    var sizes: Set<[Int]> = []
    let count = try duringEachCall(of: { try Self.proofs(isPruned: isPruned) }) { story in
      try story.record(1, from: 331)
      _ = try Self.store(LogStory.path, story.files).storeCheckpoint()
    } check: { files, comment in
      sizes.insert(try Self.expectCheckpointsLeadOn(files, comment))
    }
    #expect(count > 40)
    #expect(sizes.map(\.count).sorted() == [2, 3])
  }

  /// The tiles of the copy reach the base that it has.
  @Test func aPruningDuringTheBackupKeepsCheckpoints() throws {
    var pruned = 0
    let count = try duringEachCall(of: { try Self.proofs(isPruned: false) }) { story in
      try story.record(300, from: 331)
      try story.prune(before: 600, archive: nil)
    } check: { files, comment in
      try Self.expectCheckpointsLeadOn(files, comment)
      if try LogReader.open(at: Self.copy, fileSystem: files).base != nil { pruned += 1 }
    }
    #expect(pruned > 20 && pruned < count, "\(pruned) of \(count)")
  }

  /// Tiles that are replaced before each call end the backup, if a pruned log could not continue with them.
  @Test func endlessUpdatesNeverGiveAnIncompleteCopy() throws {
    let proofs = try Self.proofs(isPruned: true)
    let story = proofs.story
    let next = Locked(331)
    let isCopying = Locked(true)
    let door = FaultyFileSystem(story.files) { call in
      guard isCopying.withLock({ isCopying in isCopying }), call.path.hasPrefix("/log/proofs") else { return }
      let number = next.withLock { next in
        next += 1
        return next - 1
      }
      do {
        try story.record(1, from: number)
        _ = try Self.store(LogStory.path, story.files).update()
      } catch { Issue.record(error) }
    }
    do {
      _ = try LogBackup.backup(at: LogStory.path, to: Self.copy, fileSystem: door)
      isCopying.withLock { isCopying in isCopying = false }
      try Self.expectCheckpointsLeadOn(story.files, "updated before each call")
    } catch let error as LogError {
      #expect(error.message == "the log changed while it was copied")
      #expect(try story.files.status(of: Self.copy) == nil)
    }
    #expect(next.withLock { next in next } > 340)
  }
}
