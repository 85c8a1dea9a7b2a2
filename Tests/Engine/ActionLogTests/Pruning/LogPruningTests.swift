import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Platform
import TestSupport
import Testing

@Suite("Pruning", .timeLimit(.minutes(60)))
struct LogPruningTests {
  private func story(_ count: Int = 12) throws -> LogStory {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(count)
    return story
  }

  private func verify(_ story: LogStory) throws -> LogReport {
    try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
  }

  @Test func theSegmentsBeforeThePointAreArchived() throws {
    let story = try story()
    let before = try story.reader().segments
    let contents = try before.map { segment in try story.files.contents(of: segment.path) }
    let record = try story.prune(before: 7)
    let reader = try story.reader()
    let base = try #require(reader.base)
    #expect(base.first <= 7)
    #expect(reader.segments.first?.first == base.first)
    #expect(record.segments.map(\.first) == before.map(\.first).filter { first in first < base.first })
    #expect(record.archive == LogStory.archive)
    for (segment, bytes) in zip(before, contents) where segment.first < base.first {
      let name = try #require(segment.path.split(separator: "/").last)
      #expect(try story.files.durableContents(of: LogStory.archive + "/" + name) == bytes)
      #expect(try story.files.status(of: segment.path) == nil)
      #expect(record.segments.contains { removed in removed.sha256 == SHA256.hexadecimal(bytes) })
    }
    let report = try verify(story)
    #expect(report.verdict == .clean, "\(report.problems)")
    #expect(report.warnings.isEmpty, "\(report.warnings)")
    #expect(report.isClosed)
    #expect(try story.read().actions == Array(base.first...12))
  }

  @Test func theRecordPrecedesTheFirstActionOfItsSegment() throws {
    let story = try story()
    try story.prune(before: 7)
    var records = try story.reader().records()
    var types: [String] = []
    while let record = try records.next() { types.append(record.type) }
    #expect(types.suffix(4) == ["@open", "@segment", "@prune", "@close"])
    let pruning = try #require(try story.reader().lastPruning())
    #expect(pruning.record.reason == "test")
    #expect(!pruning.isLastRecord)
    try story.record(3, from: 13)
    #expect(try story.reader().lastPruning()?.record == pruning.record)
    #expect(
      #expect(throws: LogError.self) { try story.reader().record(at: 1) }?.advice?.description
        == "Its segments were archived to '/archive'; 'prune LOG --restore DIR' puts them back.")
  }

  @Test func theVectorsBaseIsComputed() throws {
    let files = try PrunedVectors.files()
    let expected = try LogBase(parsing: try PrunedVectors.bytes("base.json"))
    try files.remove(LogStory.path + "/base.json")
    try files.setContents(
      try PrunedVectors.bytes("archive/" + PrunedVectors.firstSegment),
      of: LogStory.path + "/" + PrunedVectors.firstSegment)
    let pruning = try LogPruning(at: LogStory.path, before: 6, fileSystem: files)
    let record = try pruning.run(
      reason: "again", actor: nil, archive: nil, environment: .test()
    ) { _ in
      LogPruning.State(
        bytes: expected.state, digest: SHA256.hexadecimal(expected.state), model: expected.model, schema: 1,
        reducer: expected.reducer)
    }
    var base = try #require(try LogReader.open(at: LogStory.path, fileSystem: files).base)
    // The vector names the time at which it was made.
    base.time = expected.time
    #expect(base == expected)
    let recorded = try #require(
      try LogReader.open(at: LogStory.path, fileSystem: try PrunedVectors.files()).lastPruning()?.record)
    #expect(record.segments == recorded.segments)
    #expect(record.lineCount == recorded.lineCount)
  }

  @Test func aLogIsPrunedTwice() throws {
    let story = try story(20)
    try story.prune(before: 7)
    let tree = try #require(try story.reader().base?.tree)
    try story.prune(before: 15)
    let base = try #require(try story.reader().base)
    #expect(base.first > 7 && base.first <= 15)
    #expect(base.tree != tree)
    #expect(try verify(story).verdict == .clean)
    #expect(try verify(story).warnings.isEmpty)
    #expect(try story.read().actions == Array(base.first...20))
  }

  @Test func nothingToPruneIsRefused() throws {
    let story = try story(12)
    let second = try story.reader().segments[1].first
    for point in [0, 1, second - 1] {
      #expect(try LogPruning(at: LogStory.path, before: point, fileSystem: story.files).segments.isEmpty)
      #expect(#expect(throws: LogError.self) { try story.prune(before: point) }?.code == .invalidArgument)
    }
    #expect(try LogPruning(at: LogStory.path, before: second, fileSystem: story.files).segments.count == 1)
    #expect(try story.reader().base == nil)
  }

  @Test func damagedSegmentsAreNotPruned() throws {
    let story = try story()
    try story.flipLine(1)
    let names = story.files.filePaths
    #expect(#expect(throws: LogError.self) { try story.prune(before: 7) }?.code == .damaged)
    #expect(story.files.filePaths == names)
  }

  /// Nobody knows whether an earlier attempt synced the files that it left.
  @Test func keptFilesOfTheArchiveAreSynced() throws {
    var story = try story()
    let segment = try #require(try story.reader().segments.first)
    let target = LogStory.archive + "/0000000000000001.jsonl"
    try story.files.createDirectory(LogStory.archive)
    let copy = try story.files.open(target, for: .create)
    try copy.append(try story.files.contents(of: segment.path))
    copy.close()
    #expect(try story.files.durableContents(of: target).isEmpty)
    let door = FaultyFileSystem(story.files)
    story.door = door
    try story.prune(before: 7)
    #expect(door.calls.count { call in call.operation == .sync && call.path == target } == 1)
    let sync = door.calls.firstIndex { call in call.operation == .sync && call.path == target }
    let removal = door.calls.firstIndex { call in call.operation == .remove && call.path == segment.path }
    #expect(try #require(sync) < (try #require(removal)))
    #expect(try !story.files.durableContents(of: target).isEmpty)
  }

  /// Without `HEAD` the pruning, which holds the lock, covers the lines itself.
  @Test func aLogWithoutHeadIsPruned() throws {
    let story = try story()
    try story.files.remove(LogStory.path + "/HEAD")
    try story.prune(before: 7)
    #expect(try story.reader().base != nil)
    #expect(try verify(story).verdict == .clean)
  }

  @Test func anArchiveWithAnotherFileIsRefused() throws {
    let story = try story()
    try story.files.setContents([1], of: LogStory.archive + "/0000000000000001.jsonl")
    #expect(#expect(throws: LogError.self) { try story.prune(before: 7) }?.code == .exists)
    #expect(try story.read().actions == Array(1...12))
    #expect(#expect(throws: LogError.self) { try story.prune(before: 7, archive: "/log/in") }?.code == .invalidArgument)
  }

  @Test func aWriterKeepsTheLogFromBeingPruned() throws {
    let story = try story()
    let writer = try story.open()
    #expect(#expect(throws: LogError.self) { try story.prune(before: 7) }?.code == .locked)
    try writer.closeNow()
  }

  @Test func outdatedSnapshotsAreRemoved() throws {
    let story = try story()
    for revision in 0...12 {
      let number = String(repeating: "0", count: 16 - String(revision).count) + "\(revision)"
      try story.files.setContents([1], of: "/log/snapshots/\(number).json")
    }
    let kept = ["other.json", "0000000000000009.json.7.new"]
    let outdated = ["0000000000000002.json.7.new"]
    for name in kept + outdated { try story.files.setContents([1], of: "/log/snapshots/" + name) }
    for name in ["0000000000000001.json", "0000000000000012.json"] {
      try story.files.setContents([1], of: "/log/projections/totals/" + name)
    }
    try story.prune(before: 7)
    let first = try #require(try story.reader().base?.revision)
    let names = try story.files.names(in: "/log/snapshots")
    #expect(names.count == 12 - first + 1 + kept.count)
    #expect(Set(names).isSuperset(of: kept) && Set(names).isDisjoint(with: outdated))
    #expect(try story.files.names(in: "/log/projections/totals") == ["0000000000000012.json"])
  }

  @Test func theTilesLeadToTheLogAsItWas() throws {
    var story = try story(300)
    let names = Locked<[String]>([])
    story.door = FaultyFileSystem(story.files) { call in
      if call.operation == .rename { names.withLock { names in names.append(call.newPath ?? "") } }
    }
    try story.prune(before: 290)
    let renamed = names.withLock { names in names }
    let edge = try #require(renamed.firstIndex(of: "/log/proofs/edge"))
    #expect(edge < (try #require(renamed.firstIndex(of: "/log/base.json"))))
    let base = try #require(try story.reader().base)
    let store = EvidenceStore(log: LogStory.path, fileSystem: story.files)
    var tiles = store.tiles(size: base.lineCount)
    #expect(try tiles.accumulator(size: base.lineCount).subtrees == base.tree)
    // The tree goes on from the base as if the lines before were there.
    let tree = try store.update()
    try story.restore()
    let whole = LogStory(story.files)
    try whole.files.remove("/log/proofs/edge")
    #expect(tree.size < (try store.update().size))
    var again = store.tiles(size: tree.size)
    #expect(try again.root(size: tree.size) == tree.root)
  }

  // MARK: Putting back

  @Test func anArchiveIsPutBack() throws {
    let story = try story()
    try story.prune(before: 7)
    try story.record(3, from: 13)
    let record = try story.restore()
    #expect((record.first, record.base) == (1, nil))
    #expect(try story.reader().base == nil)
    #expect(try story.read().actions == Array(1...15))
    let report = try verify(story)
    #expect(report.verdict == .clean)
    #expect(report.warnings.isEmpty, "\(report.warnings)")
    // And again.
    try story.prune(before: 7)
    #expect(try verify(story).warnings.isEmpty)
  }

  @Test func twoArchivesAreOneBeginning() throws {
    let story = try story(20)
    try story.prune(before: 7)
    try story.prune(before: 15)
    try story.restore()
    #expect(try story.read().actions == Array(1...20))
    #expect(try verify(story).verdict == .clean)
  }

  /// The archive cures a base that is missing or damaged: the segments lead to the log's first line.
  @Test(arguments: [true, false]) func aLostBaseIsPutBack(isMissing: Bool) throws {
    let story = try story()
    try story.prune(before: 7)
    if isMissing {
      try story.files.remove("/log/base.json")
    } else {
      try story.files.flipBit(0, ofByte: 20, in: "/log/base.json")
    }
    #expect(try verify(story).verdict == .damaged)
    #expect(
      try LogPruning.checkRestoring(at: LogStory.path, from: LogStory.archive, fileSystem: story.files)
        == story.files.names(in: "/log").compactMap(SegmentName.first).min())
    try story.restore()
    #expect(try story.read().actions == Array(1...12))
    let report = try verify(story)
    #expect(report.verdict == .clean, "\(report.problems)")
    #expect(report.warnings.isEmpty, "\(report.warnings)")
  }

  @Test func aTamperedArchiveDoesNotCureALostBase() throws {
    let story = try story()
    try story.prune(before: 7)
    try story.files.remove("/log/base.json")
    let last = try #require(try story.files.names(in: LogStory.archive).max())
    let contents = try story.files.contents(of: LogStory.archive + "/" + last)
    try story.files.remove(LogStory.archive + "/" + last)
    let names = story.files.filePaths
    let error = #expect(throws: LogError.self) { try story.restore() }
    #expect(error?.code == .damaged || error?.code == .notFound, "\(String(describing: error))")
    try story.files.setContents(contents, of: LogStory.archive + "/" + last)
    try story.files.flipBit(0, ofByte: contents.count / 2, in: LogStory.archive + "/" + last)
    for body: () throws -> Void in [
      { try story.restore() },
      { _ = try LogPruning.checkRestoring(at: LogStory.path, from: LogStory.archive, fileSystem: story.files) },
    ] {
      #expect(#expect(throws: LogError.self) { try body() }?.code == .damaged)
    }
    #expect(
      story.files.filePaths.filter { path in path.hasPrefix("/log/") }
        == names.filter { path in path.hasPrefix("/log/") })
  }

  @Test func theErrorNamesTheMissingArchive() throws {
    let story = try story()
    try story.prune(before: 7)
    func failure(_ directory: String) -> LogError? {
      #expect(throws: LogError.self) { try story.restore(from: directory) }
    }
    let first = try #require(try story.reader().base).first
    let missing = failure("/elsewhere")
    #expect(missing?.path == "/elsewhere")
    #expect(missing?.advice?.description == "Name the directory to which 'prune --archive' copied the segments.")
    // A directory without the first segment.
    try story.files.remove(LogStory.archive + "/0000000000000001.jsonl")
    let incomplete = failure(LogStory.archive)
    #expect(incomplete?.code == .notFound && incomplete?.intact == "The log was not changed.")
    #expect(incomplete?.message == "the archive does not have the first segment, 0000000000000001.jsonl")
    #expect(incomplete?.advice == "Name the directory that has all segments before revision \(first).")
    #expect(try story.reader().base != nil)
  }

  @Test func severalArchivesAreNamed() throws {
    let story = try story(20)
    try story.prune(before: 7, archive: "/one")
    try story.prune(before: 15, archive: "/two")
    let advice = #expect(throws: LogError.self) { try story.reader().record(at: 1) }?.advice
    #expect(advice?.description.contains("'/one' and '/two'") == true, "\(advice ?? "")")
    let error = #expect(throws: LogError.self) { try story.restore(from: "/two") }
    #expect(
      error?.code == .notFound && error?.advice?.description.contains("'/one' and '/two'") == true,
      "\(String(describing: error))")
    for name in try story.files.names(in: "/one") {
      try story.files.setContents(try story.files.contents(of: "/one/" + name), of: "/two/" + name)
    }
    try story.restore(from: "/two")
    #expect(try story.read().actions == Array(1...20))
  }

  /// The tree continues that of the base, so a base that nobody recorded gets no checkpoint.
  @Test func aForgedBaseGetsNoCheckpoint() throws {
    let story = try story()
    try story.prune(before: 7)
    let store = EvidenceStore(log: LogStory.path, fileSystem: story.files)
    #expect(try store.update().size > 0)
    var base = try #require(try story.reader().base)
    base.state = Array(#"{"value":1000}"#.utf8)
    try story.files.setContents(base.bytes, of: "/log/base.json")
    #expect(try verify(story).verdict == .damaged)
    let error = #expect(throws: LogError.self) { try store.update() }
    #expect(error?.code == .damaged && error?.message == "no @prune record names this base.json")
    try story.restore()
    #expect(try store.update().size > 0)
  }

  @Test func theVectorsArchiveIsPutBack() throws {
    var story = LogStory(try PrunedVectors.files())
    story.configuration.durability = .synced
    try story.restore()
    #expect(try story.reader().base == nil)
    #expect(try story.reader().segments.map(\.first) == [1, 6, 10])
    #expect(try verify(story).verdict == .clean)
  }

  @Test func anotherArchiveIsRefused() throws {
    let story = try story()
    #expect(#expect(throws: LogError.self) { try story.restore() }?.code == .invalidArgument)
    try story.prune(before: 7)
    #expect(#expect(throws: LogError.self) { try story.restore(from: "/none") }?.code == .notFound)
    let first = LogStory.archive + "/0000000000000001.jsonl"
    let bytes = try story.files.contents(of: first)
    try story.files.flipBit(0, ofByte: bytes.count / 2, in: first)
    #expect(#expect(throws: LogError.self) { try story.restore() }?.code == .damaged)
    try story.files.remove(first)
    #expect(#expect(throws: LogError.self) { try story.restore() }?.code == .notFound)
    let other = LogStory(segmentLimitBytes: 600)
    try other.record(12, from: 100)
    for segment in try other.reader().segments {
      try story.files.setContents(
        try other.files.contents(of: segment.path), of: LogStory.archive + segment.path.dropFirst(4))
    }
    #expect(#expect(throws: LogError.self) { try story.restore() }?.code == .damaged)
    #expect(try story.reader().base != nil)
    #expect(try verify(story).verdict == .clean)
  }
}
