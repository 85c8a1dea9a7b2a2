import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Platform
import Testing

/// `verify` compares the lines with the stored checkpoints.
@Suite("Verification of stored checkpoints", .timeLimit(.minutes(60)))
struct CheckpointCheckTests {
  private static func report(_ proofs: ProofStory) throws -> LogReport {
    try LogVerifier.verify(at: LogStory.path, fileSystem: proofs.story.door)
  }

  private static func path(_ size: Int) -> String {
    "/log/proofs/checkpoints/" + String(repeating: "0", count: 16 - String(size).count) + "\(size)"
  }

  /// A log of several segments with a checkpoint after each part.
  private static func log(_ counts: Int...) throws -> ProofStory {
    var proofs = ProofStory()
    proofs.story.configuration.segmentLimitBytes = 20_000
    var first = 1
    for count in counts {
      try proofs.story.record(count, from: first)
      first += count
      try proofs.checkpoint()
    }
    return proofs
  }

  @Test func aLogThatLeadsToItsCheckpointsIsClean() throws {
    let proofs = try Self.log(3, 40, 250, 7)
    let report = try Self.report(proofs)
    #expect(report.verdict == .clean)
    #expect(report.checkpointCount == 4)
    // Lines that no checkpoint covers, and a torn tail.
    try proofs.story.record(5, from: 301, close: false)
    let last = try #require(proofs.story.files.filePaths.last { path in path.hasSuffix(".jsonl") })
    try proofs.story.files.setContents(try proofs.story.files.contents(of: last) + Array(#"{"seq":"#.utf8), of: last)
    let torn = try Self.report(proofs)
    #expect(torn.verdict == .torn)
    #expect(torn.checkpointCount == 4)
  }

  /// Each line changed, with the chain made good. The checkpoints that still agree name the range.
  @Test func aChangedLineIsLocatedBetweenCheckpoints() throws {
    let proofs = ProofStory()
    func setNumbers(_ numbers: [Int]) throws {
      var log = RawLog()
      for (index, number) in numbers.enumerated() { log.line(revision: index + 1, data: #"{"_0":\#(number)}"#) }
      try proofs.story.files.setContents(log.bytes, of: proofs.story.segment())
    }
    for count in [4, 9, 20] {
      try setNumbers(Array(1...count))
      try proofs.checkpoint()
    }
    try proofs.story.files.remove("/log/proofs/edge")
    #expect(try Self.report(proofs).checkpointCount == 3)
    for changed in 1...20 {
      var numbers = Array(1...20)
      numbers[changed - 1] = 99
      try setNumbers(numbers)
      let report = try Self.report(proofs)
      #expect(report.verdict == .damaged, "action \(changed)")
      #expect(report.lastRevision == 20)
      let sizes = [0, 5, 10, 21]
      let right = try #require(sizes.lastIndex { size in size <= changed })
      let others = ["", "; 1 larger checkpoint differs, too", "; 2 larger checkpoints differ, too"][2 - right]
      let message =
        "the log no longer leads to the checkpoint of \(sizes[right + 1]) lines: a line with an index from "
        + "\(sizes[right]) to \(sizes[right + 1] - 1) differs\(others)"
      #expect(report.problems.map(\.message) == [message], "action \(changed)")
      #expect(report.problems.map(\.path) == [Self.path(sizes[right + 1])])
      #expect(report.problems.map(\.kind) == [.wrongCheckpoint])
      #expect(report.checkpointCount == right)
    }
    // Cut before each line.
    for count in 1..<20 {
      try setNumbers(Array(1...count))
      let report = try Self.report(proofs)
      #expect(
        report.problems.map(\.message) == ["the log has \(count + 1) lines, fewer than the checkpoint of 21 lines"])
    }
  }

  @Test func aCheckpointThatDoesNotFitIsNamed() throws {
    let proofs = try Self.log(3, 4, 5)
    let sizes = try proofs.store.checkpointSizes()
    let good = try proofs.story.files.contents(of: Self.path(sizes[1]))
    let other = try Checkpoint(origin: "example.com/log", size: sizes[1], root: MerkleHash.emptyRoot)
    try proofs.story.files.setContents(Array(other.text.utf8), of: Self.path(sizes[1]))
    let report = try Self.report(proofs)
    #expect(
      report.problems.map(\.message) == [
        "the checkpoint of \(sizes[1]) lines is not one of this log, which leads to that of \(sizes[2]) lines"
      ])
    #expect(report.problems.map(\.path) == [Self.path(sizes[1])])
    #expect(report.checkpointCount == 2)
    try proofs.story.files.setContents(good, of: Self.path(sizes[1]))
    // The copy that is published.
    try proofs.story.files.setContents(Array(other.text.utf8), of: "/log/proofs/checkpoint")
    #expect(try Self.report(proofs).problems.map(\.path) == ["/log/proofs/checkpoint"])
    try proofs.story.files.setContents(good, of: "/log/proofs/checkpoint")
    // An older one is what a crash leaves.
    #expect(try Self.report(proofs).verdict == .clean)
  }

  /// The file that mirrors get, with the size of a checkpoint that the log leads to.
  @Test func aForgedCopyOfTheNewestCheckpointIsFound() throws {
    let proofs = try Self.log(3, 4)
    let path = "/log/proofs/checkpoint"
    let lines = String(decoding: try proofs.story.files.contents(of: path), as: UTF8.self).split(separator: "\n")
    let root = Base64.text(MerkleHash.emptyRoot)
    for text in ["\(lines[0])\n\(lines[1])\n\(root)\n", "example.org/log\n\(lines[1])\n\(lines[2])\n"] {
      try proofs.story.files.setContents(Array(text.utf8), of: path)
      let report = try Self.report(proofs)
      #expect(report.problems.map(\.kind) == [.wrongCheckpoint] && report.problems.map(\.path) == [path], "\(text)")
      #expect(report.checkpointCount == 2)
    }
  }

  @Test(arguments: [
    ([], "the file is not a checkpoint: the note is empty"),
    (Array("a\n1\n".utf8), "the file is not a checkpoint: a checkpoint has three lines: origin, size, root"),
    (
      Array("a\n9\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n".utf8),
      "the file is a checkpoint of 9 lines, which its name does not match"
    ),
  ])
  func aMalformedCheckpointIsAProblem(bytes: [UInt8], message: String) throws {
    let proofs = try Self.log(3, 4)
    let size = try #require(try proofs.store.checkpointSizes().first)
    try proofs.story.files.setContents(bytes, of: Self.path(size))
    let report = try Self.report(proofs)
    #expect(report.problems.map(\.kind) == [.unusableCheckpoint])
    #expect(report.problems.map(\.message) == [message])
    #expect(report.problems.map(\.path) == [Self.path(size)])
    #expect(report.checkpointCount == 1)
  }

  @Test func aCheckpointThatCannotBeReadIsAProblem() throws {
    var proofs = try Self.log(3, 4)
    let path = Self.path(try #require(try proofs.store.checkpointSizes().last))
    proofs.story.door = FaultyFileSystem(
      proofs.story.files, faults: [FileFault(.open, pathSuffix: path)])
    let report = try Self.report(proofs)
    #expect(report.problems.map(\.kind) == [.unusableCheckpoint])
    #expect(report.problems.map(\.path) == [path])
  }

  /// Without a checkpoint, the end of the tiles is compared.
  @Test func theEndOfTheTilesIsCompared() throws {
    let proofs = ProofStory()
    var log = RawLog()
    for number in 1...6 { log.line(revision: number, data: #"{"_0":\#(number)}"#) }
    try proofs.story.files.setContents(log.bytes, of: proofs.story.segment())
    _ = try proofs.store.update()
    #expect(try Self.report(proofs).verdict == .clean)
    var changed = RawLog()
    for number in 1...6 { changed.line(revision: number, data: #"{"_0":\#(number == 3 ? 99 : number)}"#) }
    try proofs.story.files.setContents(changed.bytes, of: proofs.story.segment())
    let report = try Self.report(proofs)
    #expect(report.problems.map(\.message) == ["the line is not the one that the tiles in 'proofs' end with"])
    #expect(report.problems.map(\.line) == [7])
    var cut = RawLog()
    for number in 1...4 { cut.line(revision: number, data: #"{"_0":\#(number)}"#) }
    try proofs.story.files.setContents(cut.bytes, of: proofs.story.segment())
    #expect(
      try Self.report(proofs).problems.map(\.message) == ["the log has 5 lines, and the tiles in 'proofs' cover 7"])
  }

  /// After damage the number of a line is unknown.
  @Test func damageHidesOnlyLaterCheckpoints() throws {
    let proofs = try Self.log(3, 4, 5)
    let sizes = try proofs.store.checkpointSizes()
    try proofs.story.flipLine(sizes[1] + 2)
    let report = try Self.report(proofs)
    #expect(report.problems.map(\.kind) == [.checksumMismatch])
    #expect(report.checkpointCount == 2)
  }

  @Test func checkpointsBeforeABaseAreComparedWithTiles() throws {
    var proofs = ProofStory(story: LogStory(segmentLimitBytes: 600))
    proofs.story.configuration.segmentLimitBytes = 600
    try proofs.story.record(6)
    try proofs.checkpoint()
    try proofs.story.record(8, from: 7)
    try proofs.checkpoint()
    try proofs.story.prune(before: 11)
    let report = try Self.report(proofs)
    #expect(report.verdict == .clean, "\(report.problems)")
    #expect(report.checkpointCount == 2)
    for path in proofs.story.files.filePaths where path.contains("/proofs/tile/0/") {
      try proofs.story.files.remove(path)
    }
    let without = try Self.report(proofs)
    #expect(without.problems.map(\.kind) == [.unusableCheckpoint, .missingTiles])
    #expect(without.checkpointCount == 1)
  }

  /// One pass over the lines, however many checkpoints there are.
  @Test func segmentsAreReadOnce() throws {
    var proofs = try Self.log(3, 40, 250, 7)
    let disk = FaultyFileSystem(proofs.story.files)
    proofs.story.door = disk
    func segmentCalls() throws -> [FileCall.Operation] {
      disk.forgetCalls()
      _ = try Self.report(proofs)
      return disk.calls.filter { call in call.path.hasSuffix(".jsonl") }.map(\.operation)
    }
    let with = try segmentCalls()
    for path in proofs.story.files.filePaths where path.contains("/proofs/") { try proofs.story.files.remove(path) }
    #expect(try segmentCalls() == with)
  }
}
