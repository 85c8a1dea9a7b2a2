import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Platform
import Testing

/// Entries of the lines next to the tiles, from which others can make the tree.
@Suite("Bundles of entries", .timeLimit(.minutes(60)))
struct EntryBundleTests {
  /// The bundles of a log, by their names.
  private static func bundles(_ proofs: ProofStory) throws -> [String: [UInt8]] {
    try proofs.tiles().filter { name, _ in name.hasPrefix("tile/entries/") }
  }

  /// The bundles of the lines, encoded here.
  private static func expected(_ proofs: ProofStory, keeping sizes: [Int]) throws -> [String: [UInt8]] {
    var entry = LineEntry()
    let paths = proofs.story.files.filePaths.filter { path in path.hasSuffix(".jsonl") }
    let lines = try paths.flatMap { path in try proofs.story.files.contents(of: path).split(separator: 0x0A) }
    let entries = try lines.map { line in try Array(line).withUnsafeBytes { line in try entry.entry(of: line) } }
    var bundles: [String: [UInt8]] = [:]
    for size in sizes + Array(stride(from: 256, through: entries.count, by: 256)) {
      let start = (size - 1) / 256 * 256
      let number = String(start / 256)
      let name = "tile/entries/" + String(repeating: "0", count: 3 - number.count) + number
      bundles[size % 256 == 0 ? name : "\(name).p/\(size % 256)"] = entries[start..<size].flatMap { entry in
        [UInt8(entry.count / 256), UInt8(entry.count % 256)] + entry
      }
    }
    return bundles
  }

  @Test func bundlesHoldTheEntriesOfAllLines() throws {
    var proofs = ProofStory()
    proofs.story.configuration.segmentLimitBytes = 20_000
    var sizes: [Int] = []
    var first = 1
    for count in [3, 247, 1, 300, 40] {
      try proofs.story.record(count, from: first)
      first += count
      let tree = try proofs.checkpoint(addsEntries: true)
      #expect(tree.linesRead == tree.size - (sizes.last ?? 0), "only new lines are read")
      sizes.append(tree.size)
      #expect(try proofs.checkpoint(addsEntries: true).bundlesWritten == 0)
    }
    let expected = try Self.expected(proofs, keeping: sizes)
    #expect(try Self.bundles(proofs).keys.sorted() == expected.keys.sorted())
    #expect(try Self.bundles(proofs) == expected)
    // The tiles are those of an update without entries.
    var tiles = try proofs.tiles().filter { name, _ in !name.hasPrefix("tile/entries/") }
    tiles["edge"] = nil
    #expect(tiles == (try ProofStory.expectedTiles(try proofs.leaves()[...], keeping: sizes)))
  }

  /// The log had checkpoints without entries, or files were lost: all lines are read again.
  @Test func missingBundlesAreMadeAgain() throws {
    let proofs = ProofStory()
    try proofs.story.record(300)
    try proofs.checkpoint()
    #expect(try Self.bundles(proofs).isEmpty)
    let tree = try proofs.checkpoint(addsEntries: true)
    #expect(tree.linesRead == tree.size)
    #expect(tree.bundlesWritten == 2)
    let good = try Self.bundles(proofs)
    #expect(good == (try Self.expected(proofs, keeping: [tree.size])))
    for name in good.keys.sorted() {
      try proofs.story.files.remove("/log/proofs/" + name)
      #expect(try proofs.checkpoint(addsEntries: true).bundlesWritten == 1, "\(name)")
      #expect(try Self.bundles(proofs) == good)
    }
    let partial = try #require(good.keys.first { name in name.contains(".p/") })
    for offset in stride(from: 0, to: good[partial]?.count ?? 0, by: 397) {
      try proofs.story.files.flipBit(offset % 8, ofByte: offset, in: "/log/proofs/" + partial)
      #expect(try proofs.checkpoint(addsEntries: true).bundlesWritten == 1, "byte \(offset)")
      #expect(try Self.bundles(proofs) == good, "byte \(offset)")
    }
    try proofs.story.files.flipBit(0, ofByte: 1_000, in: "/log/proofs/tile/entries/000")
    #expect(try proofs.store.update(rebuilds: true, addsEntries: true).bundlesWritten == 1)
    #expect(try Self.bundles(proofs) == good)
  }

  @Test(arguments: [65_535, 65_536])
  func longLinesAreRefused(size: Int) throws {
    let proofs = ProofStory()
    try proofs.story.record(3)
    let writer = try proofs.story.open()
    let index = try proofs.leaves().count
    try writer.appendNow([LogDraft(type: "text", data: Array(#"{"_0":""}"#.utf8))])
    let line = try #require(try proofs.story.lines().last).utf8.count - 18
    let text = String(repeating: "x", count: size - line)
    try writer.appendNow([LogDraft(type: "text", data: Array(#"{"_0":"\#(text)"}"#.utf8))])
    try writer.closeNow()
    guard size > 65_535 else {
      try proofs.checkpoint(addsEntries: true)
      #expect(try Self.bundles(proofs) == (try Self.expected(proofs, keeping: [try proofs.leaves().count])))
      return
    }
    let error = #expect(throws: LogError.self) { try proofs.checkpoint(addsEntries: true) }
    #expect(error?.code == .beyondLimit)
    #expect(
      error?.message
        == "line \(index + 1) has 65536 bytes in the tree, and a bundle of entries takes lines of at most 65535")
    #expect(try proofs.tiles().isEmpty, "nothing was written")
    try proofs.checkpoint()
  }

  /// A mirror gets commitments in place of values.
  @Test func saltedLinesGiveNoValueAway() throws {
    var proofs = ProofStory()
    proofs.story.configuration.redactable = true
    let writer = try proofs.story.open()
    let secret = String(repeating: "Ann Smith ", count: 10_000)
    try writer.appendNow([LogDraft(type: "name", data: Array(#"{"_0":"\#(secret)"}"#.utf8))])
    try writer.closeNow()
    let tree = try proofs.checkpoint(addsEntries: true)
    let bundles = try Self.bundles(proofs)
    #expect(bundles == (try Self.expected(proofs, keeping: [tree.size])))
    for bytes in bundles.values {
      #expect(!String(decoding: bytes, as: UTF8.self).contains("Ann Smith"))
      #expect(bytes.count < 4_096)
    }
  }

  /// The entries of lines that were removed cannot be made again.
  @Test func prunedLogsContinueCompleteBundles() throws {
    let proofs = ProofStory(story: LogStory(segmentLimitBytes: 600))
    try proofs.story.record(20)
    let without = ProofStory(story: LogStory(proofs.story.files.copy(), segmentLimitBytes: 600))
    let before = try proofs.checkpoint(addsEntries: true).size
    let old = try #require(try Self.bundles(proofs)["tile/entries/000.p/\(before)"])
    try proofs.story.prune(before: 11)
    let tree = try proofs.checkpoint(addsEntries: true)
    #expect(tree.linesRead == tree.size - before)
    #expect(try Self.bundles(proofs)["tile/entries/000.p/\(tree.size)"]?.starts(with: old) == true)

    try without.checkpoint()
    try without.story.prune(before: 11)
    let error = #expect(throws: LogError.self) { try without.checkpoint(addsEntries: true) }
    #expect(error?.code == .pruned)
    #expect(error?.message.hasSuffix("and the entries of the lines before it are not complete in 'proofs'") == true)
    #expect(try Self.bundles(without).isEmpty)
  }

  /// The entries of plain lines are the lines: a thinned log does not keep those that were removed.
  @Test func thinningRemovesTheEntries() throws {
    let proofs = ProofStory(story: LogStory(segmentLimitBytes: 6_000))
    try proofs.story.record(300)
    try proofs.checkpoint(addsEntries: true)
    try proofs.story.record(300, from: 301)
    try proofs.checkpoint(addsEntries: true)
    try proofs.story.prune(before: 590)
    let lineCount = try #require(try proofs.story.reader().base).lineCount
    try #require((512..<768).contains(lineCount))
    let before = try Self.bundles(proofs)
    #expect(before.keys.contains { name in name.hasPrefix("tile/entries/001.p/") })
    let count = try LogPruning.removeLeafTiles(
      at: LogStory.path, before: lineCount, fileSystem: proofs.story.files)
    let after = try Self.bundles(proofs)
    #expect(after.keys.allSatisfy { name in name.hasPrefix("tile/entries/002") } && !after.isEmpty)
    #expect(before.count - after.count == 3 && count >= 3)
    // Later entries follow.
    try proofs.story.record(5, from: 601)
    let tree = try proofs.checkpoint(addsEntries: true)
    #expect(try Self.bundles(proofs)["tile/entries/002.p/\(tree.size - 512)"] != nil)
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: proofs.story.files).verdict == .clean)
  }

  /// A failure leaves bundles behind the log, or as they were.
  @Test func failedCallsLeaveNoWrongBundle() throws {
    let start = ProofStory()
    try start.story.record(250)
    try start.checkpoint(addsEntries: true)
    try start.story.record(20, from: 251)
    let copy = ProofStory(story: LogStory(start.story.files.copy()))
    try copy.checkpoint(addsEntries: true)
    let good = try copy.tiles()
    var number = 0
    var hasFailed = true
    while hasFailed {
      number += 2
      var proofs = ProofStory(story: LogStory(start.story.files.copy()))
      let disk = FaultyFileSystem(proofs.story.files, faults: [FileFault(number: number)])
      proofs.story.door = disk
      do { try proofs.checkpoint(addsEntries: true) } catch {
        #expect(error is LogError, "call \(number): \(error)")
      }
      hasFailed = disk.firedCount > 0
      proofs.story.door = proofs.story.files
      try proofs.checkpoint(addsEntries: true)
      #expect(try proofs.tiles() == good, "call \(number)")
    }
    #expect(number > 50)
  }
}
