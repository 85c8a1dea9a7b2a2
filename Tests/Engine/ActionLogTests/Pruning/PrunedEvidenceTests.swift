import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Platform
import TestSupport
import Testing

/// Everything that was proved before a pruning is proved after it, by the same bytes.
@Suite("Evidence of pruned logs", .timeLimit(.minutes(60)))
struct PrunedEvidenceTests {
  /// A log, and what was kept of it before it was pruned.
  private struct Kept {
    let story: LogStory
    /// Every line, by its index, without its line feed.
    var lines: [[UInt8]] = []
    var checkpoints: [SignedCheckpoint] = []
    /// The proof of each line under the last checkpoint from before.
    var proofs: [[UInt8]] = []
    let last: SignedCheckpoint

    var store: EvidenceStore { EvidenceStore(log: LogStory.path, fileSystem: story.files) }

    /// Records actions in parts, with a checkpoint after each.
    init(parts: [Int], segmentLimitBytes: Int) throws {
      story = LogStory(segmentLimitBytes: segmentLimitBytes)
      let store = EvidenceStore(log: LogStory.path, fileSystem: story.files)
      var count = 0
      for part in parts {
        try story.record(part, from: count + 1)
        count += part
        checkpoints.append(try Self.makeCheckpoint(store))
      }
      var records = try story.reader().records()
      while let record = try records.next() { lines.append(record.rawLine) }
      last = checkpoints[checkpoints.count - 1]
      for (index, line) in lines.enumerated() {
        proofs.append(try store.proof(ofLine: line, index: index, checkpoint: last).encoded)
      }
    }

    func makeCheckpoint() throws -> SignedCheckpoint { try Self.makeCheckpoint(store) }

    private static func makeCheckpoint(_ store: EvidenceStore) throws -> SignedCheckpoint {
      let tree = try store.update()
      return try store.store(
        SignedCheckpoint(
          try Checkpoint(origin: Checkpoint.origin(ofLog: RawLog.id), size: tree.size, root: tree.root)))
    }

    /// Expects that every kept checkpoint leads to each later one, and to the log.
    ///
    /// - Returns: The number of proofs.
    func expectCheckpointsLeadOn(to newest: SignedCheckpoint, _ comment: Comment) throws -> Int {
      var count = 0
      let all = checkpoints + [newest]
      for (number, old) in all.enumerated() {
        let verdict = try CheckpointComparison(log: LogStory.path, fileSystem: story.files).verdict(on: old.checkpoint)
        #expect(verdict.isGood, "\(comment), \(old.checkpoint.size): \(verdict.message)")
        for new in all[number...] {
          let proof = try store.consistencyProof(from: old.checkpoint, to: new)
          try ConsistencyProof(parsing: proof.encoded).verify(from: old.checkpoint)
          count += 1
        }
      }
      return count
    }

    /// Expects that lines are proved by the same bytes as before.
    func expectProofs(of indices: some Sequence<Int>, _ comment: Comment) throws -> Int {
      var count = 0
      for index in indices {
        let proof = try store.proof(ofLine: lines[index], index: index, checkpoint: last)
        #expect(proof.encoded == proofs[index], "\(comment), line \(index)")
        count += 1
      }
      return count
    }
  }

  /// Sizes below and above a tile, and a base within one and at its end.
  @Test(arguments: [
    (parts: [10, 10, 20], segment: 600, points: [7, 15, 33]),
    (parts: [100, 150, 150], segment: 2_000, points: [120, 260, 390]),
    (parts: [300, 330], segment: 9_000, points: [150, 540]),
  ])
  func whatWasProvedIsProved(parts: [Int], segment: Int, points: [Int]) throws {
    var kept = try Kept(parts: parts, segmentLimitBytes: segment)
    let count = parts.reduce(0, +)
    var proofCount = 0
    for point in points {
      let comment: Comment = "before \(point)"
      try kept.story.prune(before: point)
      let base = try #require(try kept.story.reader().base)
      let newest = try kept.makeCheckpoint()
      proofCount += try kept.expectCheckpointsLeadOn(to: newest, comment)
      proofCount += try kept.expectProofs(of: kept.lines.indices, comment)
      // What is left is what was there.
      let comparison = CheckpointComparison(log: LogStory.path, fileSystem: kept.story.files)
      for index in stride(from: base.lineCount, to: kept.lines.count, by: 41) {
        #expect(try comparison.line(at: index) == kept.lines[index], comment)
      }
      #expect(throws: LogError.self) { try comparison.line(at: base.lineCount - 1) }
      kept.checkpoints.append(newest)
    }
    #expect(proofCount > points.count * kept.lines.count)
    // The archive gives everything back.
    try kept.story.restore()
    #expect(try kept.story.read().actions == Array(1...count))
    _ = try kept.store.update(rebuilds: true)
    let newest = try kept.makeCheckpoint()
    _ = try kept.expectCheckpointsLeadOn(to: newest, "restored")
  }
}

/// A second power cut or fault, while the next writer finishes a pruning.
@Suite("Prunings interrupted twice", .timeLimit(.minutes(60)))
struct TwiceInterruptedPruningTests {
  private static let count = 8

  /// The states of the disk in which a pruning has to be finished, one for each of its calls.
  private func unfinished() throws -> [MemoryFileSystem] {
    var story = LogStory(segmentLimitBytes: 600)
    try story.record(Self.count)
    let files = story.files
    let states = Locked<[MemoryFileSystem]>([])
    story.door = FaultyFileSystem(files) { _ in
      let copies = [files.crash(.onlySyncedSurvives), files.copy()]
      states.withLock { states in states += copies }
    }
    try story.prune(before: 5, archive: nil)
    let all = states.withLock { states in states }
    return try all.filter { files in
      try LogReader.open(at: LogStory.path, fileSystem: files).lastPruning()?.isLastRecord == true
    }
  }

  private func expectFinished(_ files: MemoryFileSystem, _ comment: Comment) throws {
    let story = LogStory(files)
    try story.open().closeNow()
    let actions = try story.read().actions
    #expect(actions == Array((actions.first ?? 0)...Self.count), comment)
    let base = try story.reader().base
    #expect(actions.first == base?.first ?? 1, comment)
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: files)
    #expect(report.verdict == .clean, "\(comment): \(report.problems)")
    #expect(try files.status(of: "/log/base.json.new") == nil, comment)
    if base != nil { #expect(try files.status(of: story.segment(1)) == nil, comment) }
  }

  @Test func aSecondPowerCutLosesNothing() throws {
    let states = try unfinished()
    #expect(states.count > 10)
    var count = 0
    for (number, files) in states.enumerated() where number % 6 == 0 {
      let crashed = Locked<[MemoryFileSystem]>([])
      // A reader at each call sees all actions.
      let door = FaultyFileSystem(files) { _ in
        crashed.withLock { crashed in crashed += [files.crash(.onlySyncedSurvives), files.crash(CrashModel(seed: 1))] }
        do {
          let actions = try LogStory(files).read().actions
          #expect(actions.last == Self.count && actions.first ?? 9 <= 5)
        } catch { Issue.record("state \(number): \(error)") }
      }
      var story = LogStory(files)
      story.door = door
      try story.open().closeNow()
      // Every third one: each is a call of the same few kinds.
      for (cut, files) in crashed.withLock({ crashed in crashed }).enumerated() where (cut / 2 + number / 6) % 4 == 0 {
        try expectFinished(files, "state \(number), cut \(cut)")
        count += 1
      }
    }
    #expect(count > 100)
  }

  @Test func aSecondFaultLosesNothing() throws {
    let states = try unfinished()
    var count = 0
    for (number, files) in states.enumerated() where number % 12 == 0 {
      var fault = 0
      var hasFailed = true
      while hasFailed {
        fault += 1
        let copy = files.copy()
        var story = LogStory(copy)
        let door = FaultyFileSystem(copy, faults: [FileFault(number: fault)])
        story.door = door
        do { try story.open().closeNow() } catch is LogError {}
        hasFailed = door.firedCount > 0
        try expectFinished(copy, "state \(number), call \(fault): \(door.calls.last?.description ?? "")")
        count += 1
      }
    }
    #expect(count > 100)
  }

  /// Without them the log has no more checkpoints, and its lines cannot replace them.
  @Test func lostTilesOfRemovedLinesAreReported() throws {
    let story = LogStory(segmentLimitBytes: 30_000)
    try story.record(700)
    try story.prune(before: 690)
    func verify(_ story: LogStory) throws -> LogReport {
      try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
    }
    #expect(try verify(story).verdict == .clean)
    var lostCount = 0
    for path in story.files.filePaths where path.contains("/proofs/tile/") {
      for isRemoved in [true, false] {
        let copy = LogStory(story.files.copy())
        if isRemoved { try copy.files.remove(path) } else { try copy.files.flipBit(0, ofByte: 40, in: path) }
        let report = try verify(copy)
        var message: String?
        do { _ = try EvidenceStore(log: LogStory.path, fileSystem: copy.files).update() } catch {
          message = error.message
        }
        let isLost = message?.hasSuffix("missing or do not fit base.json") ?? false
        #expect(report.problems.map(\.kind) == (isLost ? [.missingTiles] : []), "\(path): \(message ?? "")")
        #expect(report.problems.allSatisfy { problem in problem.message == message })
        if isLost { lostCount += 1 }
      }
    }
    #expect(lostCount == 3)
    for path in story.files.filePaths where path.contains("/proofs/") { try story.files.remove(path) }
    #expect(try verify(story).problems.map(\.kind) == [.missingTiles])
    _ = try LogSalvage.salvage(at: LogStory.path, to: "/saved", fileSystem: story.files, environment: .test())
    #expect(try LogVerifier.verify(at: "/saved", fileSystem: story.files).verdict == .clean, "it had no such lines")
    try story.restore()
    #expect(try verify(story).verdict == .clean)
    _ = try EvidenceStore(log: LogStory.path, fileSystem: story.files).update()
  }
}
