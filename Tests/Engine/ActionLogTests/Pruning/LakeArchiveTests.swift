import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Foundation
import JSONCoding
import Platform
import TestSupport
import Testing

/// A lake as the archive of a pruned log.
@Suite("A lake as the archive of a pruned log", .timeLimit(.minutes(60)))
struct LakeArchiveTests {
  private static let first = "/0000000000000001.jsonl"

  /// A log of twelve actions, shipped to a lake.
  private func shipped() throws -> LakeStory {
    let lake = LakeStory(segmentLimitBytes: 600)
    try lake.story.record(12)
    try lake.ship()
    return lake
  }

  @Test(arguments: [LakeStory.lake, LakeStory.lake + "/", LakeStory.shipped, LakeStory.shipped + "/."])
  func shippedSegmentsAreRemovedAndPutBack(archive: String) throws {
    let lake = try shipped()
    let before = lake.files.filePaths
    try LogPruning(at: LogStory.path, before: 7, fileSystem: lake.files).check(archive: archive)
    #expect(lake.files.filePaths == before)
    let inLake = before.filter { path in path.hasPrefix(LakeStory.lake) }
    let record = try lake.story.prune(before: 7, archive: archive)
    let recorded = try #require(record.archive)
    #expect(record.segments.count > 1 && archive.hasPrefix(recorded))
    #expect(lake.files.filePaths.filter { path in path.hasPrefix(LakeStory.lake) } == inLake)
    #expect(try lake.story.reader().base != nil)
    // The lake has all revisions, also when the pruned log is shipped again.
    for _ in 1...2 {
      #expect(try LakeStory.actions(lake.files) == Array(1...12))
      let report = try lake.verify()
      #expect(report.verdict == .clean && report.warnings.isEmpty, "\(report.problems) \(report.warnings)")
      try lake.ship()
    }
    try lake.story.restore(from: archive)
    #expect(try lake.story.read().actions == Array(1...12))
    let report = try lake.verify(LogStory.path)
    #expect(report.verdict == .clean && report.warnings.isEmpty, "\(report.problems) \(report.warnings)")
  }

  // MARK: What the lake does not have

  enum Flaw: CaseIterable, Sendable {
    case noManifest, noEntry, otherManifest, leadingPath, noSegment, changedSegment, otherLog

    var code: LogError.Code {
      switch self {
      case .noManifest, .noEntry, .noSegment: .notFound
      case .otherManifest, .leadingPath, .changedSegment: .damaged
      case .otherLog: .invalidArgument
      }
    }
  }

  @Test(arguments: Flaw.allCases) func nothingIsRemovedThatTheLakeLacks(flaw: Flaw) throws {
    let lake = try shipped()
    let manifest = LakeStory.side + "/manifest.jsonl"
    let lines = String(decoding: try lake.files.contents(of: manifest), as: UTF8.self).split(separator: "\n")
    let segment = try #require(try lake.segments().first)
    var archive = LakeStory.lake
    func write(_ lines: some Sequence<some StringProtocol>) throws {
      try lake.files.setContents(Array(lines.map { line in line + "\n" }.joined().utf8), of: manifest)
    }
    switch flaw {
    case .noManifest: try lake.files.remove(manifest)
    case .noEntry: try write(lines.dropFirst())
    case .otherManifest:
      // Of a log with other actions, with the same number of them in each segment.
      let other = LakeStory(segmentLimitBytes: 600)
      try other.story.record(12, from: 21)
      try other.ship()
      try lake.files.setContents(try other.files.contents(of: manifest), of: manifest)
    case .leadingPath:
      // The same segment, where no shipping puts it.
      try lake.files.setContents(try lake.files.contents(of: segment), of: "/elsewhere/date=2026-11-21" + Self.first)
      try write(lines.map { line in line.replacing("/date=", with: "/../../../elsewhere/date=") })
    case .noSegment: try lake.files.remove(segment)
    case .changedSegment: try lake.files.flipBit(0, ofByte: 300, in: segment)
    case .otherLog:
      archive = "/lake/model=counter/log=00000000-7d1e-4c55-9d0a-0b9f6f0f5a11"
      try lake.files.setContents(try lake.files.contents(of: segment), of: archive + "/date=2026-11-21" + Self.first)
    }
    let before = lake.files.filePaths
    let pruning = try LogPruning(at: LogStory.path, before: 7, fileSystem: lake.files)
    let refused = #expect(throws: LogError.self) { try pruning.check(archive: archive) }
    #expect(refused?.code == flaw.code && refused?.intact == "Nothing was removed.", "\(String(describing: refused))")
    #expect(lake.files.filePaths == before)
    let error = #expect(throws: LogError.self) { try lake.story.prune(before: 7, archive: archive) }
    #expect(error?.description == refused?.description && error?.advice == refused?.advice)
    if flaw == .noSegment || flaw == .changedSegment { #expect(error?.path == segment) }
    #expect(try lake.story.reader().base == nil && lake.story.read().actions == Array(1...12))
    if flaw != .otherLog, flaw != .leadingPath, flaw != .otherManifest, flaw != .changedSegment {
      try lake.ship()
      try lake.story.prune(before: 7, archive: archive)
    }
  }

  @Test func theSegmentItselfIsNoCopyInALake() throws {
    let directory = try TemporaryDirectory()
    let files = POSIXFileSystem()
    let (log, lake) = (directory.path("log"), directory.path("lake"))
    let configuration = LogConfiguration(durability: .written, segmentLimitBytes: 600, environment: .test())
    let writer = try LogWriter.open(
      at: log, model: "counter", schema: 1, fileSystem: files, configuration: configuration)
    for number in 1...8 { try writer.appendNow([.numbered(number)]) }
    try writer.closeNow()
    let shipping = try LogShipping(at: log, to: lake, fileSystem: files)
    var pass = try ShippingPass(shipping, now: { LogEnvironment.testStart })
    for segment in shipping.segments { _ = try pass.ship(segment) }
    _ = try pass.finish()
    let pruning = try LogPruning(at: log, before: 5, fileSystem: files)
    try pruning.check(archive: lake)
    try FileManager.default.removeItem(atPath: shipping.segments[0].target)
    try FileManager.default.linkItem(atPath: log + Self.first, toPath: shipping.segments[0].target)
    let error = #expect(throws: LogError.self) { try pruning.check(archive: lake) }
    #expect(error?.code == .invalidArgument && error?.path == shipping.segments[0].target)
  }

  /// Another program may have copied the segments to the lake without syncing them.
  @Test func segmentsInALakeAreSynced() throws {
    var lake = try shipped()
    let removed = try #require(try lake.story.reader().segments.first).path
    let target = try #require(try lake.segments().first)
    let door = FaultyFileSystem(lake.files)
    lake.story.door = door
    try lake.story.prune(before: 7, archive: LakeStory.lake)
    let removal = try #require(door.calls.firstIndex { call in call.operation == .remove && call.path == removed })
    let syncs = door.calls[..<removal]
    for path in [target, LakeStory.side + "/manifest.jsonl"] {
      #expect(syncs.contains { call in call.operation == .sync && call.path == path }, "\(path)")
    }
    for path in ["/lake", "/lake/_logs", LakeStory.side, "/lake/model=counter", LakeStory.shipped] {
      #expect(syncs.contains { call in call.operation == .syncDirectory && call.path == path }, "\(path)")
    }
  }

  @Test func aShippingFromBeforeARedactionIsNoArchive() throws {
    var lake = LakeStory(segmentLimitBytes: 700)
    lake.story.configuration.redactable = true
    try lake.story.record(12)
    try lake.ship()
    let index = try #require(try lake.story.reader().lineIndices(ofActions: [1])[1])
    _ = try LogRedaction.redact(
      at: LogStory.path, reason: "r", fileSystem: lake.files, environment: .test()
    ) { _ in [RedactionTarget(index: index, replacements: [ValueReplacement(JSONPointer(["data"]))])] }
    let error = #expect(throws: LogError.self) { try lake.story.prune(before: 7, archive: LakeStory.lake) }
    #expect(error?.code == .damaged && error?.advice?.description.contains("ship the log again") == true)
    #expect(try lake.story.reader().base == nil)
    try lake.ship()
    try lake.story.prune(before: 7, archive: LakeStory.lake)
    try lake.story.restore(from: LakeStory.lake)
    #expect(try lake.verify(LogStory.path).verdict == .clean)
  }

  // MARK: Logs of the lake

  @Test func aRestoredLogHasThePrunedRevisions() throws {
    let lake = try shipped()
    try lake.story.prune(before: 7, archive: LakeStory.lake)
    try lake.story.record(8, from: 13)
    try lake.ship()
    try lake.restore()
    #expect(try LakeStory.actions(lake.files, at: "/restored") == Array(1...20))
    let report = try lake.verify("/restored")
    let warnings = report.warnings.filter { warning in warning.kind != .clockWentBack }
    #expect(report.verdict == .clean && warnings.isEmpty, "\(report.problems) \(warnings)")
    #expect(try LogReader.open(at: "/restored", fileSystem: lake.files).lastPruning()?.record.base == nil)
    // It can be pruned again, with the same lake.
    try lake.ship("/restored")
    let pruning = try LogPruning(at: "/restored", before: 7, fileSystem: lake.files)
    try pruning.check(archive: LakeStory.lake)
  }

  /// The lake begins where the log began when it was first shipped.
  @Test func aLakeKeepsTheBaseOfItsFirstSegment() throws {
    let lake = LakeStory(segmentLimitBytes: 600)
    try lake.story.record(12)
    try lake.story.prune(before: 7)
    let first = try #require(try lake.story.reader().base).first
    try lake.ship()
    try lake.story.record(12, from: 13)
    try lake.ship()
    try lake.story.prune(before: 20, archive: LakeStory.lake)
    try lake.ship()
    #expect(try LakeStory.actions(lake.files) == Array(first...24))
    let report = try lake.verify()
    let kinds = Set(report.warnings.map(\.kind))
    #expect(report.verdict == .clean && kinds.isSubset(of: [.clockWentBack]), "\(report.problems) \(report.warnings)")
    try lake.restore()
    #expect(try LakeStory.actions(lake.files, at: "/restored") == Array(first...24))
    let restored = try lake.verify("/restored")
    #expect(restored.verdict == .clean)
    #expect(Set(restored.warnings.map(\.kind)).isSubset(of: [.clockWentBack]), "\(restored.warnings)")
    // The segments before it are in another archive.
    let error = #expect(throws: LogError.self) { try lake.story.restore(from: LakeStory.lake) }
    #expect(error?.code == .notFound && error?.message.contains("does not have the first segment") == true)
  }

  /// How the log is left when it is shipped.
  enum LogEnd: CaseIterable, Sendable { case closed, sealed, opened }

  /// The lake has the `@prune` record together with the base, also before the next action.
  @Test(arguments: LogEnd.allCases) func aPrunedLogIsIntactInALake(end: LogEnd) throws {
    let lake = LakeStory(segmentLimitBytes: 600)
    try lake.story.record(12)
    try lake.story.prune(before: 7)
    if end == .sealed { #expect(try !LogShipping.seal(at: LogStory.path, fileSystem: lake.files)) }
    let writer = end == .opened ? try lake.story.open() : nil
    #expect(try (lake.ship().tail != nil) == (end == .opened))
    let first = try #require(try lake.story.reader().base).first
    let report = try lake.verify()
    #expect(report.verdict == .clean && report.warnings.isEmpty, "\(report.problems) \(report.warnings)")
    #expect(try LakeStory.actions(lake.files) == Array(first...12))
    try lake.restore()
    let restored = try lake.verify("/restored")
    #expect(restored.verdict == .clean && restored.warnings.isEmpty, "\(restored.problems) \(restored.warnings)")
    #expect(try LakeStory.actions(lake.files, at: "/restored") == Array(first...12))
    try writer?.closeNow()
    try lake.story.record(3, from: 13)
    try lake.ship()
    #expect(try LakeStory.actions(lake.files) == Array(first...15))
  }
}
