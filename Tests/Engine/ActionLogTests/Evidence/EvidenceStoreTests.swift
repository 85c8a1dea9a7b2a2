import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Platform
import Testing

@Suite("Tiles and checkpoints of a log", .timeLimit(.minutes(60)))
struct EvidenceStoreTests {
  /// The plain log of the vectors: 700 lines, one a second, whose microseconds are multiples of 7,919.
  private static func ticks() throws -> ProofStory {
    var encoder = LineEncoder()
    var bytes: [UInt8] = []
    var prev: UInt32 = 0
    func add(_ number: Int, _ revision: Int, _ type: String, _ synced: Int, _ data: String) {
      let microseconds = number * 1_000_000 + number * 7_919 % 1_000_000
      prev = encoder.append(
        revision: revision, time: LogEnvironment.testStart.advanced(by: .microseconds(microseconds)), type: type,
        synced: synced, prev: prev, data: Array(data.utf8), to: &bytes)
    }
    add(
      1, 0, "@segment", 0,
      #"{"format":"actionlog/1","log":"9d3b1f6e-2c54-4a1e-8f7d-5a6c0e1b2d3f","model":"ticks","schema":1,"first":1,"epoch":1,"created":"2026-11-21T09:00:00.000000Z"}"#
    )
    add(2, 0, "@open", 0, #"{"epoch":1,"schema":1,"program":"desk","pid":4711,"host":"mac"}"#)
    for n in 0..<697 { add(n + 3, n + 1, "tick", n / 100 * 100, #"{"n":\#(n)}"#) }
    add(700, 697, "@close", 697, #"{"epoch":1}"#)
    let proofs = ProofStory()
    try proofs.story.files.setContents(bytes, of: proofs.story.segment())
    return proofs
  }

  struct Ticks: Decodable {
    var lines: Int
    var tiles: [String: String]
    var roots: [String: String]
    var inclusion: [String: [String]]
    var consistency: [String: [String]]
    var compact: [String: [String]]
  }

  @Test func tilesAndEdgeMatchTheVectors() throws {
    let proofs = try Self.ticks()
    let vector = try Vectors.decode(Ticks.self, "tiles/ticks.json", of: "Evidence")
    let tree = try proofs.store.update()
    #expect(tree.size == vector.lines)
    #expect(tree.tilesWritten == vector.tiles.count)
    var tiles = try proofs.tiles()
    let edge = tiles.removeValue(forKey: "edge")
    #expect(edge == (try Vectors.bytes("edge", in: "tiles", of: "Evidence")))
    #expect(tiles.mapValues { bytes in SHA256.hexadecimal(bytes) } == vector.tiles)
    var reader = proofs.store.tiles(size: tree.size)
    for (size, root) in vector.roots {
      #expect(Base64.text(try reader.root(size: try #require(Int(size)))) == root, "size \(size)")
    }
    for (index, path) in vector.inclusion {
      let found = try reader.inclusionProof(index: try #require(Int(index)), size: tree.size)
      #expect(found.map { hash in Base64.text(hash) } == path, "line \(index)")
    }
    for (old, proof) in vector.consistency {
      let found = try reader.consistencyProof(old: try #require(Int(old)), size: tree.size)
      #expect(found.map { hash in Base64.text(hash) } == proof, "from \(old)")
    }
    for (size, subtrees) in vector.compact {
      let found = try reader.accumulator(size: try #require(Int(size))).subtrees
      #expect(found.map { hash in Base64.text(hash) } == subtrees, "size \(size)")
    }
  }

  @Test(arguments: ["", "{}\n", #"{"lines":1,"seq":0,"segment":1,"line":1,"last":"ad00e659"}"#])
  func anInvalidEdgeIsIgnored(text: String) throws {
    #expect(EvidenceEdge(parsing: Array(text.utf8)) == nil)
    let bytes = try Vectors.bytes("edge", in: "tiles", of: "Evidence")
    #expect(EvidenceEdge(parsing: bytes)?.encoded == bytes)
    for offset in bytes.indices {
      var changed = bytes
      changed[offset] ^= 1
      #expect(EvidenceEdge(parsing: changed) == nil, "byte \(offset)")
    }
  }

  @Test func updatesReadOnlyNewLines() throws {
    var proofs = ProofStory()
    proofs.story.configuration.segmentLimitBytes = 20_000
    var sizes: [Int] = []
    var first = 1
    for count in [3, 260, 1, 250, 600, 40] {
      try proofs.story.record(count, from: first)
      first += count
      let before = sizes.last ?? 0
      let tree = try proofs.checkpoint()
      #expect(tree.linesRead == tree.size - before)
      sizes.append(tree.size)
      #expect(try proofs.checkpoint().tilesWritten == 0)
    }
    let leaves = try proofs.leaves()
    #expect(leaves.count == sizes.last)
    var tiles = try proofs.tiles()
    #expect(EvidenceEdge(parsing: tiles.removeValue(forKey: "edge") ?? [])?.lines == leaves.count)
    let expected = try ProofStory.expectedTiles(leaves[...], keeping: sizes)
    #expect(tiles.keys.sorted() == expected.keys.sorted())
    #expect(tiles == expected)
    #expect(try proofs.store.checkpointSizes() == sizes)
    #expect(try proofs.store.newestCheckpoint()?.checkpoint.size == sizes.last)

    // Without the checkpoints, the same tiles are made again; partial ones only of the last size.
    for path in proofs.story.files.filePaths where path.hasPrefix("/log/proofs/") {
      try proofs.story.files.remove(path)
    }
    _ = try proofs.store.update()
    tiles = try proofs.tiles()
    tiles["edge"] = nil
    #expect(tiles == (try ProofStory.expectedTiles(leaves[...])))
  }

  /// A writer holds the log: only the lines that `HEAD` names are covered.
  @Test func anUpdateDoesNotReadOldLines() throws {
    let proofs = ProofStory()
    try proofs.story.record(3_000)
    try proofs.checkpoint()
    try proofs.story.record(2, from: 3_001)
    let size = try proofs.story.files.read(LogStory.path + "/0000000000000001.jsonl").count
    #expect(size > 300_000)
    let before = proofs.story.files.counts.bytesRead
    #expect(try proofs.checkpoint().linesRead >= 2)
    // The beginning of the segment, the search, the end, and the tiles.
    #expect(proofs.story.files.counts.bytesRead - before < 100_000)
  }

  @Test func linesThatAWriterMayRollBackAreNotCovered() throws {
    var proofs = ProofStory()
    proofs.story.configuration.durability = .queued
    let writer = try proofs.story.open()
    try writer.appendNow([.numbered(1)])
    let durable = try proofs.store.update()
    _ = try writer.writeNow([.numbered(2), .numbered(3)])
    #expect(try proofs.leaves().count == durable.size + 2)
    #expect(try proofs.store.update().size == durable.size)
    try writer.syncNow()
    #expect(try proofs.store.update().size == durable.size + 2)
    try writer.closeNow()
    #expect(try proofs.store.update().size == durable.size + 3)
  }

  @Test func aTornTailIsNotCovered() throws {
    let proofs = ProofStory()
    try proofs.story.record(5, close: false)
    let whole = try proofs.leaves().count
    try proofs.story.change { bytes in bytes += Array(#"{"seq":6,"time":"2026"#.utf8) }
    let tree = try proofs.checkpoint()
    #expect(tree.size == whole)
    try proofs.story.record(2, from: 6)
    #expect(try proofs.checkpoint().size == (try proofs.leaves().count))
  }

  /// No writer may truncate what is being read.
  @Test func aTornTailIsReadUnderTheLock() throws {
    let proofs = ProofStory()
    try proofs.story.record(5, close: false)
    try proofs.story.change { bytes in bytes += Array(#"{"seq":6,"time":"2026"#.utf8) }
    try expectReadingUnderTheLock(proofs)
  }

  /// It ends with a complete line, and the next writer truncates it.
  @Test func aTornUnitIsReadUnderTheLock() throws {
    let proofs = ProofStory()
    let writer = try proofs.story.open()
    try writer.appendNow([.numbered(1)])
    let head = try proofs.story.files.contents(of: proofs.story.head)
    let whole = try proofs.leaves().count
    _ = try writer.writeNow([LogDraft(UnitRecord(actions: 2)), .numbered(2), .numbered(3)])
    writer.abandon()
    try proofs.story.files.setContents(head, of: proofs.story.head)
    let offsets = try proofs.story.lineOffsets()
    try proofs.story.change { bytes in bytes.removeSubrange(offsets[5]...) }
    try expectReadingUnderTheLock(proofs)
    #expect(try proofs.checkpoint().size == whole)
  }

  private func expectReadingUnderTheLock(_ proofs: ProofStory) throws {
    var proofs = proofs
    let files = proofs.story.files
    let codes = Locked<[FileSystemError.Code?]>([])
    proofs.story.door = FaultyFileSystem(files) { call in
      guard call.operation == .rename, call.newPath == "/log/proofs/edge" else { return }
      var code: FileSystemError.Code?
      do throws(FileSystemError) { try files.lock(directory: LogStory.path).unlock() } catch { code = error.code }
      codes.withLock { [code] codes in codes.append(code) }
    }
    try proofs.checkpoint()
    #expect(codes.withLock { codes in codes } == [.locked])
    try files.lock(directory: LogStory.path).unlock()
  }

  /// The system takes pages of a failed sync for written.
  @Test func linesOfAFailedSyncAreWrittenAgain() throws {
    let proofs = ProofStory(story: LogStory(durability: .written))
    try proofs.story.record(5, close: false)
    let door = FaultyFileSystem(proofs.story.files, faults: [FileFault(.sync)])
    let file = try door.open(proofs.story.segment(), for: .overwrite)
    #expect(throws: FileSystemError.self) { try file.sync(.full) }
    file.close()
    let size = try proofs.checkpoint().size
    #expect(try proofs.leaves().count == size)
    let left = ProofStory(story: LogStory(proofs.story.files.crash(.onlySyncedSurvives)))
    #expect(try left.leaves().count == size)
  }

  @Test func aDamagedLogIsRefused() throws {
    let proofs = ProofStory()
    try proofs.story.record(5)
    try proofs.checkpoint()
    try proofs.story.record(5, from: 6)
    let before = try proofs.tiles()
    try proofs.story.flipLine(11)
    let error = #expect(throws: LogError.self) { try proofs.store.update() }
    #expect(error?.code == .damaged)
    #expect(error?.line == 12)
    #expect(try proofs.tiles() == before)
  }

  /// The chain is made good, so that no line is damaged by itself.
  @Test func aChangedLineBelowACheckpointIsRefused() throws {
    let proofs = ProofStory()
    try proofs.story.files.setContents(try Self.chain(changing: nil), of: proofs.story.segment())
    let tree = try proofs.checkpoint()
    let files = try proofs.tiles()
    for index in [1, 4, 9] {
      try proofs.story.files.setContents(try Self.chain(changing: index), of: proofs.story.segment())
      // Only the proofs tell.
      let report = try LogVerifier.verify(at: LogStory.path, fileSystem: proofs.story.files)
      #expect(report.problems.allSatisfy { problem in problem.kind == .wrongCheckpoint })
      // The last line has another checksum, so the edge tells.
      let changed = #expect(throws: LogError.self) { try proofs.store.update() }
      #expect(changed?.message == "the line is not the one that the tiles in 'proofs' end with")
      // Without the edge, the checkpoint tells.
      let edge = try proofs.story.files.contents(of: "/log/proofs/edge")
      try proofs.story.files.remove("/log/proofs/edge")
      let error = #expect(throws: LogError.self) { try proofs.store.update(rebuilds: true) }
      #expect(error?.message == "the tree no longer leads to the checkpoint of \(tree.size) lines")
      try proofs.story.files.setContents(edge, of: "/log/proofs/edge")
      #expect(try proofs.tiles() == files)
    }
    try proofs.story.files.setContents(try Self.chain(changing: nil, count: 8), of: proofs.story.segment())
    let short = #expect(throws: LogError.self) { try proofs.store.update() }
    #expect(short?.message.contains("the log ends before line \(tree.size)") == true)
  }

  /// Returns a segment with ten actions, of which one is another.
  private static func chain(changing index: Int?, count: Int = 10) throws -> [UInt8] {
    var log = RawLog()
    for number in 1...count {
      log.line(revision: number, data: #"{"_0":\#(number == index ? 1_000 : number)}"#)
    }
    return log.bytes
  }

  @Test func damagedTilesAreMadeAgain() throws {
    let proofs = ProofStory()
    try proofs.story.record(300)
    try proofs.checkpoint()
    let good = try proofs.tiles()
    for name in good.keys.sorted() {
      let path = "/log/proofs/" + name
      let size = good[name]?.count ?? 0
      for offset in stride(from: 0, to: size, by: name == "tile/0/000" ? 411 : 33) {
        try proofs.story.files.flipBit(offset % 8, ofByte: offset, in: path)
        // A full tile that no new line needs is only read by a rebuild.
        _ = try proofs.store.update(rebuilds: name == "tile/0/000")
        #expect(try proofs.tiles() == good, "\(name), byte \(offset)")
      }
      try proofs.story.files.setContents((good[name] ?? []) + [0], of: path)
      _ = try proofs.store.update(rebuilds: name == "tile/0/000")
      #expect(try proofs.tiles() == good, "\(name) longer")
      try proofs.story.files.remove(path)
      _ = try proofs.store.update(rebuilds: name == "tile/0/000")
      #expect(try proofs.tiles() == good, "\(name) removed")
    }
  }

  /// Every byte of the tiles of a short log.
  @Test func everyByteOfATileIsMadeAgain() throws {
    let proofs = ProofStory()
    try proofs.story.record(13)
    try proofs.checkpoint()
    let good = try proofs.tiles().filter { name, _ in name != "edge" }
    #expect(good.count == 1)
    let signed = try #require(try proofs.store.newestCheckpoint())
    let lines = try proofs.story.lines().map { line in Array(line.utf8) }
    let right = try lines.indices.map { index in
      try proofs.store.proof(ofLine: lines[index], index: index, checkpoint: signed)
    }
    for (name, bytes) in good {
      for offset in bytes.indices {
        try proofs.story.files.flipBit((offset * 3) % 8, ofByte: offset, in: "/log/proofs/" + name)
        let index = offset % lines.count
        do {
          let found = try proofs.store.proof(ofLine: lines[index], index: index, checkpoint: signed)
          #expect(found == right[index], "byte \(offset): a wrong tile proves line \(index)")
        } catch {
          #expect(error.code == .damaged, "byte \(offset)")
        }
        #expect(try proofs.store.update().tilesWritten == 1, "byte \(offset)")
        #expect(try proofs.tiles()[name] == bytes, "byte \(offset)")
      }
    }
  }

  /// Without a checkpoint, nothing says whether the tiles or the lines are wrong.
  @Test func tilesThatNothingVouchesForAreNotReplaced() throws {
    let proofs = ProofStory()
    try proofs.story.record(40)
    _ = try proofs.store.update()
    let good = try proofs.tiles()
    try proofs.story.files.flipBit(0, ofByte: 100, in: "/log/proofs/tile/0/000.p/43")
    let bad = try proofs.tiles()
    let error = #expect(throws: LogError.self) { try proofs.store.update() }
    #expect(error?.message.contains("the tiles do not fit the first 43 lines") == true)
    #expect(try proofs.tiles() == bad)
    _ = try proofs.store.update(rebuilds: true)
    #expect(try proofs.tiles() == good)
  }

  /// Whatever byte of a tile is changed, no proof comes of it.
  @Test func wrongTilesProveNothing() throws {
    let proofs = ProofStory()
    try proofs.story.record(300)
    try proofs.checkpoint()
    let signed = try #require(try proofs.store.newestCheckpoint())
    let line = Array(try proofs.story.lines()[260].utf8)
    let proof = try proofs.store.proof(ofLine: line, index: 260, checkpoint: signed)
    #expect(try proof.verify() == [])
    #expect(try LineProof(parsing: proof.encoded) == proof)
    let leaf = try proofs.leaves()[260]
    #expect(try proofs.store.index(ofLeaf: leaf, from: 255) == 260)
    #expect(try proofs.store.index(ofLeaf: leaf, from: 261) == nil)
    for name in try proofs.tiles().keys.sorted() where name != "edge" {
      let path = "/log/proofs/" + name
      let count = try proofs.story.files.contents(of: path).count
      for offset in stride(from: 0, to: count, by: name == "tile/0/000" ? 129 : 1) {
        try proofs.story.files.flipBit(offset % 8, ofByte: offset, in: path)
        // Bytes that the proof does not need do not matter.
        if let found = try? proofs.store.proof(ofLine: line, index: 260, checkpoint: signed) { #expect(found == proof) }
        try proofs.story.files.flipBit(offset % 8, ofByte: offset, in: path)
      }
    }
    #expect(throws: LogError.self) { try proofs.store.proof(ofLine: line, index: 259, checkpoint: signed) }
    #expect(throws: LogError.self) {
      try proofs.store.proof(ofLine: line, index: signed.checkpoint.size, checkpoint: signed)
    }
  }

  @Test func checkpointsLeadToNewerOnes() throws {
    let proofs = ProofStory()
    var first = 1
    for count in [1, 5, 250, 30] {
      try proofs.story.record(count, from: first)
      first += count
      try proofs.checkpoint()
    }
    let sizes = try proofs.store.checkpointSizes()
    for old in sizes {
      for new in sizes where new >= old {
        let older = try #require(try proofs.store.checkpoint(size: old)).checkpoint
        let newer = try #require(try proofs.store.checkpoint(size: new))
        let proof = try proofs.store.consistencyProof(from: older, to: newer)
        try ConsistencyProof(parsing: proof.encoded).verify(from: older)
      }
    }
  }

  @Test func checkpointsOfOtherTreesAreNotStored() throws {
    let proofs = ProofStory()
    try proofs.story.record(3)
    let tree = try proofs.store.update()
    let other = try Checkpoint(origin: "example.com/log", size: tree.size, root: MerkleHash.emptyRoot)
    #expect(throws: LogError.self) { try proofs.store.store(SignedCheckpoint(other)) }
    let later = try Checkpoint(origin: "example.com/log", size: tree.size + 1, root: tree.root)
    #expect(throws: LogError.self) { try proofs.store.store(SignedCheckpoint(later)) }
    #expect(try proofs.store.checkpointSizes() == [])
  }

  /// A checkpoint that nobody could read any more is not stored.
  @Test func tooManySignaturesAreRefused() throws {
    let proofs = ProofStory()
    try proofs.story.record(3)
    try proofs.checkpoint()
    var newest = try #require(try proofs.store.newestCheckpoint())
    newest.add((0..<100).map { number in NoteSignature(name: "a", keyID: UInt32(number), bytes: [1]) })
    #expect(try proofs.store.store(newest).note.signatures.count == 100)
    newest.add([NoteSignature(name: "b", keyID: 7, bytes: [1])])
    let error = #expect(throws: LogError.self) { try proofs.store.store(newest) }
    #expect(error?.code == .beyondLimit)
    #expect(try proofs.store.newestCheckpoint()?.note.signatures.count == 100)
    let path = "/log/proofs/checkpoints/" + String(repeating: "0", count: 14) + "06"
    try proofs.story.files.setContents([UInt8](repeating: 0x61, count: SignedNote.limitBytes + 1), of: path)
    #expect(throws: LogError.self) { try proofs.store.newestCheckpoint() }
  }

  @Test func oneProgramAtATimeMakesTiles() throws {
    let proofs = ProofStory()
    try proofs.story.record(3)
    try proofs.checkpoint()
    let lock = try proofs.story.files.lock(directory: "/log/proofs")
    let error = #expect(throws: LogError.self) { try proofs.store.update() }
    #expect(error?.code == .locked)
    lock.unlock()
    try proofs.checkpoint()
  }
}

/// The tiles of a log when calls of the file system fail, and when power is lost at them.
@Suite("Crashes while tiles are made", .timeLimit(.minutes(60)))
struct EvidenceCrashTests {
  /// A log whose tiles and checkpoint are behind by some lines.
  private static func behind() throws -> (proofs: ProofStory, good: [String: [UInt8]]) {
    let proofs = ProofStory()
    try proofs.story.record(250)
    try proofs.checkpoint()
    try proofs.story.record(20, from: 251)
    let copy = ProofStory(story: LogStory(proofs.story.files.copy()))
    try copy.checkpoint()
    return (proofs, try copy.tiles())
  }

  /// The tree that the edge names is that of the lines.
  private static func expectRight(_ files: MemoryFileSystem, _ what: String) throws {
    let proofs = ProofStory(story: LogStory(files))
    guard let edge = try proofs.store.edge() else { return }
    let leaves = try proofs.leaves()
    #expect(edge.lines <= leaves.count, "\(what)")
    var reader = proofs.store.tiles(size: edge.lines)
    var tree = MerkleLeaves(leaves)
    #expect(try reader.root(size: edge.lines) == tree.root(size: edge.lines), "\(what)")
    for index in stride(from: 0, to: edge.lines, by: 17) {
      let path = try reader.inclusionProof(index: index, size: edge.lines)
      #expect(try path == tree.inclusionProof(index: index, size: edge.lines), "\(what), line \(index)")
    }
  }

  @Test func everyCallMayFail() throws {
    let (start, good) = try Self.behind()
    var number = 0
    var hasFailed = true
    while hasFailed {
      number += 1
      var proofs = ProofStory(story: LogStory(start.story.files.copy()))
      let disk = FaultyFileSystem(proofs.story.files, faults: [FileFault(number: number)])
      proofs.story.door = disk
      do { try proofs.checkpoint() } catch {
        #expect(error is LogError, "call \(number): \(error)")
      }
      hasFailed = disk.firedCount > 0
      try Self.expectRight(proofs.story.files, "call \(number)")
      proofs.story.door = proofs.story.files
      try proofs.checkpoint()
      #expect(try proofs.tiles() == good, "call \(number)")
    }
    #expect(number > 50)
  }

  @Test(arguments: 0..<3)
  func powerMayBeLostAtEveryCall(seed: UInt64) throws {
    let (start, good) = try Self.behind()
    var number = 0
    var hasCrashed = true
    while hasCrashed {
      number += 1
      var proofs = ProofStory(story: LogStory(start.story.files.copy()))
      let files = proofs.story.files
      let crash = Locked<(count: Int, files: MemoryFileSystem?)>((0, nil))
      let limit = number
      proofs.story.door = FaultyFileSystem(files) { _ in
        crash.withLock { crash in
          crash.count += 1
          guard crash.count == limit else { return }
          crash.files = files.crash(seed == 0 ? .onlySyncedSurvives : CrashModel(seed: seed &+ UInt64(limit) &* 31))
        }
      }
      try proofs.checkpoint()
      guard let left = crash.withLock({ crash in crash.files }) else {
        hasCrashed = false
        continue
      }
      try Self.expectRight(left, "seed \(seed), call \(number)")
      let after = ProofStory(story: LogStory(left))
      try after.checkpoint()
      #expect(try after.tiles() == good, "seed \(seed), call \(number)")
    }
    #expect(number > 50)
  }

  /// After each batch of a writer, a checkpoint; then power is lost. The log still leads to the checkpoint.
  @Test(arguments: [Durability.queued, .written, .interval(.seconds(1)), .synced, .full], 0..<3)
  func checkpointsSurvivePowerCuts(durability: Durability, seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var files = MemoryFileSystem()
    var first = 1
    for round in 0..<8 {
      var proofs = ProofStory(story: LogStory(files, durability: durability, segmentLimitBytes: 3_000))
      let writer = try proofs.story.open()
      first = writer.opening.lastRevision + 1
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let count = Int.random(in: 1...6, using: &random)
        _ = try writer.writeNow((first..<first + count).map { number in .numbered(number) })
        first += count
        if random.chance(0.3) { try writer.syncNow() }
        try proofs.checkpoint()
      }
      if random.chance(0.3) { try writer.closeNow() } else { writer.abandon() }
      if random.chance(0.3) { try proofs.checkpoint() }
      files = files.crash(CrashModel(seed: seed &* 100 &+ UInt64(round)))
      proofs = ProofStory(story: LogStory(files))
      let sizes = try proofs.store.checkpointSizes()
      try proofs.story.open().closeNow()
      let leaves = MerkleLeaves(try proofs.leaves())
      var tree = leaves
      for size in sizes {
        let checkpoint = try #require(try proofs.store.checkpoint(size: size)).checkpoint
        #expect(size <= leaves.count, "round \(round)")
        if size <= leaves.count { #expect(try tree.root(size: size) == checkpoint.root, "round \(round)") }
      }
      try proofs.checkpoint()
    }
  }
}
