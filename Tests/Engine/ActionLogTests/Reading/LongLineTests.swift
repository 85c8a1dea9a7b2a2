import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Foundation
import TestSupport
import Testing

/// Bytes without a line feed, longer than the longest line.
@Suite("Lines beyond the limit", .timeLimit(.minutes(60)))
struct LongLineTests {
  private static let size = LogFormat.lineLimitBytes + 100_000

  /// Five actions, with a line that is too long after the second one.
  private func story() throws -> (story: LogStory, byteOffset: Int) {
    let story = LogStory()
    try story.record(5)
    let offset = try story.lineOffsets()[4]
    try story.change { bytes in
      bytes.insert(contentsOf: [UInt8](repeating: 0x78, count: Self.size - 1) + [0x0A], at: offset)
    }
    return (story, offset)
  }

  @Test func tooLongLineIsOneProblemAndTheRestIsChecked() throws {
    let (story, offset) = try story()
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
    #expect(report.problems.map(\.kind) == [.lineTooLong])
    #expect(report.problems.first?.byteOffset == offset)
    #expect(report.lastRevision == 2)
    #expect(report.actionCount == 5)
    #expect(report.largestBufferBytes <= 2 * LogFormat.lineLimitBytes)
  }

  @Test func readerStopsAndWriterRefusesTooLongLine() throws {
    let (story, offset) = try story()
    let read = try story.read()
    #expect(read.actions == [1, 2])
    #expect(read.ending?.damage?.byteOffset == offset)
    let error = #expect(throws: LogError.self) { try story.open() }
    #expect(error?.code == .damaged)
    #expect(error?.byteOffset == offset)
  }

  @Test func salvageSkipsTooLongLine() throws {
    let (story, offset) = try story()
    let report = try LogSalvage.salvage(
      at: LogStory.path, to: "/saved", fileSystem: story.files, environment: .test())
    #expect(report.gaps.map(\.byteOffset) == [offset])
    #expect(report.gaps.map(\.sizeBytes) == [Self.size])
    #expect(report.lastRevision == 2 && report.afterGapCount >= 3)
  }

  @Test func tooLongLineAtTheEndIsATornTail() throws {
    let story = LogStory(durability: .written)
    try story.record(2, close: false)
    let whole = try story.bytes().count
    try story.change { bytes in bytes += [UInt8](repeating: 0x78, count: Self.size) }
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).tornBytes == Self.size)
    let writer = try story.open()
    #expect(writer.opening.recovered?.bytes == Self.size)
    writer.abandon()
    #expect(try story.bytes().count > whole)
    #expect(try story.read().actions == [1, 2])
  }
}

/// A segment that is followed by a hole of 1 TiB: none of it is read for long, and the log is damaged.
@Suite("Segments that end in a hole", .timeLimit(.minutes(60)))
struct HoleTests {
  private static let sizeBytes = 1 << 40

  /// A log on a disk, in segments of a few actions, with a hole at the end of one of them.
  private struct Holed {
    let directory: TemporaryDirectory
    let log: String
    let door = FaultyFileSystem(POSIXFileSystem())
    let reader: LogReader
    /// The segment with the hole, the end of its last line, and the last action before it.
    var segment: LogSegment
    var wholeBytes: Int
    var lastRevision: Int

    init(inLast: Bool, hasHead: Bool) throws {
      directory = try TemporaryDirectory()
      log = directory.path("log")
      var configuration = LogConfiguration(segmentLimitBytes: 600, environment: .test())
      configuration.durability = .synced
      let writer = try LogWriter.open(
        at: log, model: "counter", schema: 1, fileSystem: POSIXFileSystem(), configuration: configuration)
      for number in 1...10 { try writer.appendNow([.numbered(number)]) }
      try writer.closeNow()
      let segments = try LogReader.open(at: log).segments
      let index = inLast ? segments.count - 1 : 0
      segment = segments[index]
      lastRevision = inLast ? 10 : segments[1].first - 1
      let file = try POSIXFileSystem().open(segment.path, for: .overwrite)
      defer { file.close() }
      wholeBytes = try file.size()
      try file.truncate(toBytes: HoleTests.sizeBytes)
      if !hasHead { try POSIXFileSystem().remove(log + "/HEAD") }
      reader = try LogReader.open(at: log, fileSystem: door)
    }

    /// Expects damage at the hole after few reads, and that the segment stays as it is.
    func expectDamage(_ name: String, _ body: () throws -> LogError?) throws {
      door.forgetCalls()
      let error: LogError?
      do { error = try body() } catch let failure as LogError { error = failure }
      #expect(error?.code == .damaged, "\(name): \(String(describing: error))")
      #expect(error?.path == segment.path, "\(name)")
      #expect(error?.byteOffset == wholeBytes, "\(name)")
      try expectFewReads(name)
    }

    /// A read is of 1 MiB, or a few more.
    func expectFewReads(_ name: String) throws {
      let reads = door.calls.count { call in call.operation == .read }
      #expect(reads < 8 * LogFormat.tornLimitBytes >> 20, "\(name)")
      #expect(try POSIXFileSystem().status(of: segment.path)?.sizeBytes == HoleTests.sizeBytes, "\(name)")
      door.forgetCalls()
    }
  }

  @Test(arguments: [true, false], [true, false]) func theLogIsDamaged(inLast: Bool, hasHead: Bool) throws {
    let holed = try Holed(inLast: inLast, hasHead: hasHead)
    let (log, door) = (holed.log, holed.door)
    let report = try LogVerifier.verify(at: log, fileSystem: door)
    let problem = try #require(report.problems.first)
    #expect(problem.path == holed.segment.path && problem.byteOffset == holed.wholeBytes, "\(problem)")
    #expect(report.verdict == .damaged && report.lastRevision == holed.lastRevision)
    if inLast {
      #expect(
        problem.message.contains("the \(Self.sizeBytes - holed.wholeBytes) bytes from there on are more than a crash"),
        "\(problem.message)")
    } else {
      #expect(report.actionCount == 10, "the other segments are read")
    }
    try holed.expectFewReads("verify")
    try holed.expectDamage("extent") { try holed.reader.extent().ending.damage }
    try holed.expectDamage("records") {
      var records = try holed.reader.records()
      var count = 0
      while let record = try records.next() { if !record.isControl { count += 1 } }
      Issue.record("\(count) actions and no damage")
      return nil
    }
    try holed.expectDamage("writer") {
      _ = try LogWriter.open(at: log, model: "counter", schema: 1, fileSystem: door)
      return nil
    }
    for isDry in [true, false] {
      try holed.expectDamage("repair") {
        _ = try LogRepair.repair(at: log, fileSystem: door, dryRun: isDry)
        return nil
      }
    }
    try holed.expectDamage("checkpoint") {
      _ = try EvidenceStore(log: log, fileSystem: door).update()
      return nil
    }
    try holed.expectDamage("follower") {
      var follower = try holed.reader.follower(from: 1)
      while try !follower.poll().isEmpty {}
      return nil
    }
    #expect(throws: LogError.self) { try LogShipping(at: log, to: holed.directory.path("lake"), fileSystem: door) }
    try holed.expectFewReads("ship")
    #expect(try holed.reader.record(at: holed.lastRevision).number == holed.lastRevision)
    try holed.expectFewReads("show")
    _ = try holed.reader.lastRecords(3) { _ in true }
    try holed.expectFewReads("last")
  }

  /// Regression: the error did not state the reason, and an empty folder was left.
  @Test func aCheckpointOfAHoleNamesTheReason() throws {
    let holed = try Holed(inLast: true, hasHead: true)
    let error = #expect(throws: LogError.self) { try EvidenceStore(log: holed.log, fileSystem: holed.door).update() }
    #expect(error?.message.contains("are more than a crash can tear") == true, "\(String(describing: error))")
    #expect(try POSIXFileSystem().status(of: holed.log + "/proofs") == nil)
  }

  /// Regression: a link to the folder was removed, and with it the only evidence that the log had been changed.
  @Test func aFailedCheckpointRemovesNoLink() throws {
    let holed = try Holed(inLast: true, hasHead: true)
    let files = POSIXFileSystem()
    try files.createDirectory(holed.log + "-proofs")
    try FileManager.default.createSymbolicLink(
      atPath: holed.log + "/proofs", withDestinationPath: holed.log + "-proofs")
    #expect(throws: LogError.self) { try EvidenceStore(log: holed.log, fileSystem: holed.door).update() }
    #expect(try files.status(of: holed.log + "/proofs")?.isSymbolicLink == true)
    #expect(try files.status(of: holed.log + "-proofs")?.kind == .directory)
  }

  /// Regression: files of 1 TiB were copied, although no reader accepts them.
  @Test func sideFilesThatNoReaderAcceptsAreLeftOut() throws {
    let directory = try TemporaryDirectory()
    let log = directory.path("log")
    let (files, door) = (POSIXFileSystem(), FaultyFileSystem(POSIXFileSystem()))
    let writer = try LogWriter.open(
      at: log, model: "counter", schema: 1, fileSystem: files, configuration: LogConfiguration(environment: .test()))
    for number in 1...10 { try writer.appendNow([.numbered(number)]) }
    try writer.closeNow()
    try files.createDirectory(log + "/snapshots")
    let snapshot = "snapshots/0000000000000001.json"
    func makeLong(_ path: String) throws {
      let file = try files.open(path, for: .create)
      defer { file.close() }
      try file.truncate(toBytes: Self.sizeBytes)
    }
    for name in [snapshot, "marks.jsonl"] { try makeLong(log + "/" + name) }
    let message = "it has \(Self.sizeBytes) bytes, more than the \(1 << 30) that are read of such a file"

    let backup = try LogBackup.backup(at: log, to: directory.path("copy"), fileSystem: door)
    #expect(backup.leftOut.map(\.path) == [snapshot, "marks.jsonl"])
    #expect(backup.leftOut.first?.message == message)

    let shipping = try LogShipping(at: log, to: directory.path("lake"), fileSystem: door)
    var pass = try ShippingPass(shipping, now: { LogEnvironment.testStart })
    for segment in shipping.segments { _ = try pass.ship(segment) }
    _ = try pass.finish()
    #expect(pass.leftOut.map(\.message) == [message])

    let side = directory.path("lake/_logs/3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11")
    try files.makeDirectories(side + "/snapshots")
    try makeLong(side + "/" + snapshot)
    let leftOut = try LakeRestoring(
      from: directory.path("lake/model=counter/log=3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11"), fileSystem: door
    ).run(to: directory.path("restored"), isPartial: false, environment: .test())
    #expect(leftOut.map(\.message) == [message])
    #expect(door.calls.count { call in call.operation == .read } < 500)
  }

  @Test(arguments: [true, false]) func theLogIsCopiedWithoutTheHole(inLast: Bool) throws {
    let holed = try Holed(inLast: inLast, hasHead: true)
    let backup = try LogBackup.backup(at: holed.log, to: holed.directory.path("copy"), fileSystem: holed.door)
    #expect(backup.verification.verdict == .damaged)
    #expect(backup.unfinishedBytes == (inLast ? Self.sizeBytes - holed.wholeBytes : 0))
    try holed.expectFewReads("backup")
    let salvage = try LogSalvage.salvage(
      at: holed.log, to: holed.directory.path("saved"), fileSystem: holed.door, environment: .test())
    #expect(inLast ? salvage.lastRevision == 10 : salvage.lastRevision < 10 && salvage.afterGapCount > 0)
    #expect(salvage.gaps.map(\.byteOffset) == [holed.wholeBytes])
    #expect(salvage.gaps.map(\.sizeBytes) == [Self.sizeBytes - holed.wholeBytes])
    try holed.expectFewReads("salvage")
  }
}
