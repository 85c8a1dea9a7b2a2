import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Platform
import Testing

@Suite("Logs compared with checkpoints", .timeLimit(.minutes(60)))
struct CheckpointComparisonTests {
  private static let origin = "example.com/log"

  private static func checkpoint(_ name: String) throws -> Checkpoint {
    try SignedCheckpoint(parsing: try Vectors.bytes(name, in: "checkpoints", of: "Evidence")).checkpoint
  }

  /// A log of the vectors, in memory.
  private static func log(_ folder: String) throws -> MemoryFileSystem {
    let files = MemoryFileSystem()
    for first in folder == "redactable/after" ? [1, 6, 10] : [1, 6] {
      let name = (first < 10 ? "000000000000000" : "00000000000000") + "\(first).jsonl"
      try files.setContents(try Vectors.bytes(name, in: folder, of: "Evidence"), of: "/log/" + name)
    }
    return files
  }

  private static func verdict(_ files: MemoryFileSystem, _ checkpoint: Checkpoint, proofs: String? = nil) throws
    -> CheckpointVerdict
  {
    try CheckpointComparison(log: "/log", proofs: proofs, fileSystem: files)
      .verdict(on: checkpoint, origin: "example.com/guestbook")
  }

  @Test(arguments: [
    ("redactable/before", "plain-12", CheckpointVerdict.extends(more: 6)),
    ("redactable/before", "signed-18", .extends(more: 0)),
    ("redactable/before", "signed-22", .shorter(missing: 4)),
    ("redactable/after", "plain-7", .extends(more: 15)),
    ("redactable/after", "plain-12", .extends(more: 10)),
    ("redactable/after", "signed-18", .extends(more: 4)),
    ("redactable/after", "named-22", .extends(more: 0)),
    ("forged/changed-line-5", "signed-18", .differs(.within(0..<18))),
    ("forged/cut", "plain-12", .extends(more: 4)),
    ("forged/cut", "signed-18", .shorter(missing: 2)),
  ])
  func verdictsMatchTheVectors(log: String, name: String, verdict: CheckpointVerdict) throws {
    let files = try Self.log(log)
    #expect(try LogVerifier.verify(at: "/log", fileSystem: files).verdict == .clean)
    #expect(try Self.verdict(files, try Self.checkpoint(name)) == verdict)
  }

  /// A checkpoint that is older than the base is reached by tiles alone.
  @Test func prunedLogsExtendOlderCheckpoints() throws {
    let files = MemoryFileSystem()
    for name in ["0000000000000006.jsonl", "0000000000000010.jsonl", "HEAD", "base.json"] {
      try files.setContents(try Vectors.bytes(name, in: "Pruned", of: "Evidence"), of: "/log/" + name)
    }
    let tile = "/log/proofs/tile/0/000.p/22"
    let hashes = try Vectors.bytes("22", in: "Pruned/proofs/tile/0/000.p", of: "Evidence")
    try files.setContents(hashes, of: tile)
    for (name, more) in [("plain-7", 15), ("plain-12", 10), ("signed-18", 4)] {
      #expect(try Self.verdict(files, try Self.checkpoint(name)) == .extends(more: more))
    }
    let wrong = try Checkpoint(origin: "example.com/guestbook", size: 7, root: MerkleHash.emptyRoot)
    #expect(try Self.verdict(files, wrong) == .differs(.within(0..<7)))

    // The tiles are brought up to date from the base on.
    let store = EvidenceStore(log: "/log", fileSystem: files)
    let tree = try store.update()
    #expect(tree.size == 22)
    #expect(tree.linesRead == 12)
    #expect(try files.contents(of: tile) == hashes)

    try files.flipBit(0, ofByte: 100, in: tile)
    #expect(try Self.verdict(files, try Self.checkpoint("plain-7")) == .pruned(lines: 10))
    #expect(try Self.verdict(files, try Self.checkpoint("signed-18")) == .extends(more: 4))
    let error = #expect(throws: LogError.self) { try store.update(rebuilds: true) }
    #expect(error?.message == "the tiles of the first 10 lines are missing or do not fit base.json")
    try files.remove(tile)
    #expect(try Self.verdict(files, try Self.checkpoint("plain-7")) == .pruned(lines: 10))
  }

  @Test func tilesOfTheOldLogNameTheLine() throws {
    let files = try Self.log("forged/changed-line-5")
    let before = try Self.log("redactable/before")
    _ = try EvidenceStore(log: "/log", fileSystem: before).update()
    for path in before.filePaths where path.contains("/proofs/tile/") {
      try files.setContents(try before.contents(of: path), of: path.replacing("/log/proofs", with: "/kept"))
    }
    let signed = try Self.checkpoint("signed-18")
    #expect(try Self.verdict(files, signed, proofs: "/kept") == .differs(.line(5)))
    // A damaged tile accuses no other line.
    try files.flipBit(0, ofByte: 40, in: "/kept/tile/0/000.p/18")
    #expect(try Self.verdict(files, signed, proofs: "/kept") == .differs(.within(0..<18)))
  }

  @Test func checkpointsOfOtherLogsAreRefused() throws {
    let files = try Self.log("redactable/before")
    let root = try Self.checkpoint("signed-18").root
    let other = try Checkpoint(origin: "actionlog/00000000-7d1e-4c55-9d0a-0b9f6f0f5a11", size: 18, root: root)
    #expect(try Self.verdict(files, other) == .otherLog(origin: other.origin))
    let named = try Self.checkpoint("named-22")
    let comparison = CheckpointComparison(log: "/log", fileSystem: files)
    #expect(try comparison.verdict(on: named) == .otherLog(origin: named.origin))
  }

  /// The lines of a log, each the number in its action.
  private static func files(_ numbers: [Int]) throws -> MemoryFileSystem {
    var log = RawLog()
    for (index, number) in numbers.enumerated() { log.line(revision: index + 1, data: #"{"_0":\#(number)}"#) }
    return try log.story().files
  }

  /// Each line changed, removed, doubled, exchanged with the next, and cut, with the chain made good.
  @Test func noChangeIsTakenForNone() throws {
    let numbers = Array(1...12)
    let original = try Self.files(numbers)
    let tree = try EvidenceStore(log: "/log", fileSystem: original).update()
    let checkpoint = try Checkpoint(origin: Self.origin, size: tree.size, root: tree.root)
    func verdict(_ numbers: [Int], keepsTiles: Bool) throws -> CheckpointVerdict {
      let files = try Self.files(numbers)
      #expect(try LogVerifier.verify(at: "/log", fileSystem: files).verdict == .clean)
      if keepsTiles {
        for path in original.filePaths where path.contains("/proofs/") {
          try files.setContents(try original.contents(of: path), of: path)
        }
      }
      return try CheckpointComparison(log: "/log", fileSystem: files).verdict(on: checkpoint, origin: Self.origin)
    }
    #expect(try verdict(numbers, keepsTiles: true) == .extends(more: 0))
    #expect(try verdict(numbers + [13, 14], keepsTiles: true) == .extends(more: 2))
    for index in numbers.indices {
      // The first line is the header.
      var changed = numbers
      changed[index] = 99
      #expect(try verdict(changed, keepsTiles: true) == .differs(.line(index + 1)))
      #expect(try verdict(changed, keepsTiles: false) == .differs(.within(0..<tree.size)))
      var removed = numbers
      removed.remove(at: index)
      #expect(try verdict(removed, keepsTiles: true) == .shorter(missing: 1))
      #expect(try verdict(removed + [13], keepsTiles: true) == .differs(.line(index + 1)))
      var doubled = numbers
      doubled.insert(doubled[index], at: index)
      let after = index == 11 ? CheckpointVerdict.extends(more: 1) : .differs(.line(index + 2))
      #expect(try verdict(doubled, keepsTiles: true) == after)
      if index > 0 {
        var exchanged = numbers
        exchanged.swapAt(index - 1, index)
        #expect(try verdict(exchanged, keepsTiles: true) == .differs(.line(index)))
      }
      #expect(try verdict(Array(numbers[..<index]), keepsTiles: true) == .shorter(missing: 12 - index))
    }
  }

  /// A log of three segments with control records; one with salts; one with redacted lines; one that was pruned.
  private static func story(_ name: String) throws -> LogStory {
    if name == "pruned" {
      let story = LogStory(segmentLimitBytes: 600)
      try story.record(12)
      try story.prune(before: 7, archive: nil)
      return story
    }
    guard name.contains("/") else {
      var story = LogStory(segmentLimitBytes: 1_500)
      story.configuration.redactable = name == "redactable"
      try story.record(8)
      try story.record(4, from: 9)
      return story
    }
    return try EvidenceLogs.story(name)
  }

  /// Each line of a log changed, removed, doubled, exchanged with the next, and each cut, with numbers, chain and `HEAD` made good.
  @Test(arguments: ["plain", "redactable", "redactable/after", "pruned"])
  func noForgeryIsTakenForTheLog(name: String) throws {
    let original = ProofStory(story: try Self.story(name))
    let forger = try ForgedLog(original.story)
    let unchanged = ProofStory(story: try forger.story())
    let leaves = try original.leaves()
    #expect(try unchanged.leaves() == leaves, "the forger makes the same lines")
    let first = forger.base?.lineCount ?? 0
    #expect((first > 0) == (name == "pruned"))
    let tree = try original.store.update()
    #expect(tree.size == first + leaves.count)
    let origin = Checkpoint.origin(ofLog: try original.story.reader().header.log)
    let checkpoint = try Checkpoint(origin: origin, size: tree.size, root: tree.root)
    let tiles = try original.tiles().filter { name, _ in name != "edge" }
    var (trialCount, cleanCount) = (0, 0)
    func tryForgery(_ what: String, _ change: (inout ForgedLog) -> Void) throws {
      var forged = forger
      change(&forged)
      let proofs = ProofStory(story: try forged.story())
      let found = try proofs.leaves()
      let report = try LogVerifier.verify(at: LogStory.path, fileSystem: proofs.story.files)
      // The records of redactions name their lines, and that of a pruning its base.
      let isClean = report.problems.allSatisfy { problem in
        [.unrecordedRedaction, .changedRedaction, .missingRedaction, .unusableBase, .missingTiles]
          .contains(problem.kind)
      }
      trialCount += 1
      if isClean { cleanCount += 1 }
      let difference = zip(found, leaves).enumerated().first { _, pair in pair.0 != pair.1 }?.offset
      let expected: (Bool) -> CheckpointVerdict = { hasTiles in
        if found.count < leaves.count { return .shorter(missing: leaves.count - found.count) }
        guard let difference else { return .extends(more: found.count - leaves.count) }
        return .differs(hasTiles ? .line(first + difference) : .within(0..<tree.size))
      }
      for hasTiles in [false, true] {
        if hasTiles {
          for (name, bytes) in tiles { try proofs.story.files.setContents(bytes, of: "/kept/" + name) }
        }
        let comparison = CheckpointComparison(log: LogStory.path, proofs: "/kept", fileSystem: proofs.story.files)
        do {
          let verdict = try comparison.verdict(on: checkpoint)
          #expect(verdict == expected(hasTiles), "\(what)")
        } catch {
          #expect(!isClean && (error.code == .damaged || error.code == .notALog), "\(what): \(error)")
        }
      }
    }
    for index in leaves.indices {
      try tryForgery("line \(index) changed") { log in log.replace(index, with: [log.lines[index].changed]) }
      try tryForgery("line \(index) removed") { log in log.replace(index, with: []) }
      try tryForgery("line \(index) doubled") { log in
        log.replace(index, with: [log.lines[index], log.lines[index]])
      }
      if index > 0 { try tryForgery("cut before line \(index)") { log in log.cut(before: index) } }
      if index < leaves.count - 1, forger.lines[index] != forger.lines[index + 1] {
        try tryForgery("lines \(index) and \(index + 1) exchanged") { log in log.exchange(index) }
      }
    }
    #expect(trialCount == 5 * leaves.count - 2)
    #expect(cleanCount > trialCount / 2, "\(cleanCount) of \(trialCount) forgeries pass 'verify'")
  }

  /// The hashes in a base stand for lines that are gone, so each of them is as good as a line.
  @Test func noForgedBaseIsTakenForTheLog() throws {
    let original = ProofStory(story: try PrunedStory(20).story)
    let tree = try original.store.update()
    let tiles = try original.tiles().filter { name, _ in name != "edge" }
    let log = try original.story.reader()
    let base = try #require(log.base)
    let checkpoint = try Checkpoint(
      origin: Checkpoint.origin(ofLog: log.header.log), size: tree.size, root: tree.root)
    #expect(!base.tree.isEmpty)
    for index in base.tree.indices {
      for hasTiles in [false, true] {
        var forged = try ForgedLog(original.story)
        forged.base?.tree[index] = MerkleHash.emptyRoot
        let story = try forged.story()
        if hasTiles { for (name, bytes) in tiles { try story.files.setContents(bytes, of: "/kept/" + name) } }
        // Only the record of the pruning names the state, so the chain does not show it.
        #expect(try story.read().actions == original.story.read().actions)
        let comparison = CheckpointComparison(log: LogStory.path, proofs: "/kept", fileSystem: story.files)
        // No line that is there differs.
        #expect(try comparison.verdict(on: checkpoint) == .differs(.within(0..<tree.size)), "hash \(index)")
        let older = try Checkpoint(origin: checkpoint.origin, size: base.lineCount - 1, root: tree.root)
        #expect(try comparison.verdict(on: older) == .pruned(lines: base.lineCount), "hash \(index)")
      }
    }
  }

  /// Without the tiles of the checkpoint, the stored checkpoints that agree narrow the range.
  @Test func storedCheckpointsNarrowTheRange() throws {
    let files = try Self.files(Array(1...20))
    let store = EvidenceStore(log: "/log", fileSystem: files)
    let tree = try store.update()
    var tiles = store.tiles(size: tree.size)
    for size in [4, 11, 21] {
      _ = try store.store(
        SignedCheckpoint(try Checkpoint(origin: Self.origin, size: size, root: try tiles.root(size: size))))
    }
    let newest = try #require(try store.newestCheckpoint()).checkpoint
    for path in files.filePaths where path.contains("/proofs/tile/") { try files.remove(path) }
    var numbers = Array(1...20)
    numbers[14] = 99
    try files.setContents(
      try Self.files(numbers).contents(of: "/log/0000000000000001.jsonl"), of: "/log/0000000000000001.jsonl")
    let verdict = try CheckpointComparison(log: "/log", fileSystem: files).verdict(on: newest, origin: Self.origin)
    #expect(verdict == .differs(.within(11..<21)))
    #expect(!verdict.isGood)
    #expect(verdict.message == "the first 11 lines are those of a stored checkpoint; the next 10 differ somewhere")
  }

  /// A redaction rewrites segments while they are read: their lengths change, and a new one begins.
  @Test(arguments: ["0000000000000001.jsonl", "0000000000000006.jsonl"])
  func aRedactionWhileReadingIsNoDamage(segment: String) throws {
    let files = try Self.log("redactable/before")
    let isDone = Locked(false)
    let door = FaultyFileSystem(files) { call in
      guard call.operation == .open, call.path == "/log/" + segment else { return }
      let isFirst = isDone.withLock { isDone in
        defer { isDone = true }
        return !isDone
      }
      guard isFirst else { return }
      do {
        for name in try EvidenceLogs.names("redactable/after") where name.hasSuffix(".jsonl") || name == "HEAD" {
          try files.setContents(try EvidenceLogs.bytes("redactable/after/" + name), of: "/log/" + name)
        }
      } catch {
        Issue.record(error)
      }
    }
    // All lines that the log had are covered.
    let tree = try EvidenceStore(log: "/log", fileSystem: files.copy()).update()
    let origin = try Self.checkpoint("plain-12").origin
    let checkpoint = try Checkpoint(origin: origin, size: tree.size, root: tree.root)
    let comparison = CheckpointComparison(log: "/log", fileSystem: door)
    let complete = try comparison.verdict(on: checkpoint)
    #expect(complete.isGood, "\(complete)")
    isDone.withLock { isDone in isDone = false }
    // The active segment may be read up to the length that it had, which is within a line.
    let verdict = try comparison.verdict(on: try Self.checkpoint("plain-12"))
    #expect(verdict.isGood, "\(verdict)")
  }

  @Test func aFileThatIsNoCheckpointNarrowsNothing() throws {
    let files = try Self.log("redactable/before")
    try files.setContents(Array("no checkpoint".utf8), of: "/log/proofs/checkpoints/0000000000000007")
    #expect(try Self.verdict(files, try Self.checkpoint("plain-12")) == .extends(more: 6))
  }

  @Test func tornTailsDoNotMatter() throws {
    let files = try Self.files(Array(1...5))
    let tree = try EvidenceStore(log: "/log", fileSystem: files).update()
    let checkpoint = try Checkpoint(origin: Self.origin, size: tree.size, root: tree.root)
    let path = "/log/0000000000000001.jsonl"
    try files.setContents(try files.contents(of: path) + Array(#"{"seq":6,"ti"#.utf8), of: path)
    let comparison = CheckpointComparison(log: "/log", fileSystem: files)
    #expect(try comparison.verdict(on: checkpoint, origin: Self.origin) == .extends(more: 0))
    try files.flipBit(0, ofByte: 700, in: path)
    #expect(throws: LogError.self) { try comparison.verdict(on: checkpoint, origin: Self.origin) }
  }
}
