import ActionLog
import ActionLogTesting
import JSONCoding
import Platform
import TestSupport
import Testing

/// Copies of a log whose values are redacted: backups and shipped segments.
@Suite("Copies of redacted logs", .timeLimit(.minutes(60)))
struct RedactedCopyTests {
  /// A snapshot as another layer writes it, as far as this one reads it.
  private static func snapshot(_ redaction: Int?) -> [UInt8] {
    let member = redaction.map { index in #","redact":\#(index)"# } ?? ""
    return Array(#"{"seq":1,"time":"x","prev":"00000000"\#(member),"state":{"redact":99999},"crc":"00000000"}"#.utf8)
  }

  private static func path(_ revision: Int) -> String {
    "/snapshots/" + String(repeating: "0", count: 16 - String(revision).count) + "\(revision).json"
  }

  // MARK: Backups

  @Test func outdatedSnapshotsAreNotCopied() throws {
    var log = try RedactableStory(seed: 1)
    let files = log.story.files
    let (targets, _) = try log.targets()
    let index = try #require(try log.redact(targets).index)
    let lowest = try #require(try log.story.reader().redactions().first?.record.lowestRevision)
    try files.setContents(Self.snapshot(nil), of: LogStory.path + Self.path(lowest - 1))
    try files.setContents(Self.snapshot(nil), of: LogStory.path + Self.path(lowest))
    try files.setContents(Self.snapshot(index - 1), of: LogStory.path + Self.path(9))
    try files.setContents(Self.snapshot(index), of: LogStory.path + Self.path(10))
    let report = try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: files)
    let copied = files.filePaths.filter { path in path.hasPrefix("/copy/snapshots/") }
    #expect(copied == ["/copy" + Self.path(lowest - 1), "/copy" + Self.path(10)])
    let durable = files.crash(.onlySyncedSurvives).filePaths.filter { path in path.hasPrefix("/copy/snapshots/") }
    #expect(durable == copied)
    #expect(report.leftOut.map { file in "/" + file.path } == [Self.path(lowest), Self.path(9)])
    #expect(report.leftOut.allSatisfy { file in file.message == "it was taken before values were redacted" })
    #expect(report.files.filter { name in name.hasPrefix("snapshots/") }.map { name in "/copy/" + name } == copied)
    #expect(
      report.sizeBytes == (try report.files.map { name in try files.contents(of: "/copy/" + name).count }.reduce(0, +)))
    #expect(report.verification.verdict == .clean)
  }

  /// A redaction begins, ends, or both, between any two calls of a backup.
  @Test func aRedactionDuringABackupIsInTheCopy() throws {
    var outcomes: Set<Int> = []
    var log = try RedactableStory(seed: 2, count: 6, segmentLimitBytes: 1_400)
    let (targets, removed) = try log.targets()
    try log.story.files.setContents(Self.snapshot(nil), of: LogStory.path + Self.path(6))
    let started = log
    var number = 0
    var isLast = false
    while !isLast {
      number += 1
      let files = log.story.files.copy()
      let calls = Locked(0)
      let stop = number
      let door = FaultyFileSystem(files) { _ in
        guard
          calls.withLock({ calls in
            calls += 1; return calls == stop
          })
        else { return }
        do { try started.redact(targets, on: files) } catch { Issue.record(error) }
      }
      let report = try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: door)
      isLast = calls.withLock { calls in calls } < number
      #expect(report.verification.verdict == .clean, "call \(number): \(report.verification.problems)")
      #expect(report.verification.warnings.isEmpty, "call \(number): \(report.verification.warnings)")
      let copy = try LogReader.open(at: "/copy", fileSystem: files)
      let count = try copy.redactions().count
      outcomes.insert(count)
      #expect(report.verification.lastRevision == 6)
      guard count > 0 else { continue }
      for path in files.filePaths where path.hasPrefix("/copy/") {
        let text = String(decoding: try files.contents(of: path), as: UTF8.self)
        #expect(!removed.texts.contains { secret in text.contains(secret) }, "call \(number): \(path)")
      }
      #expect(try files.status(of: "/copy" + Self.path(6)) == nil)
    }
    #expect(outcomes == [0, 1])
  }

  /// A writer appends and rolls before a redaction, between any two calls of a backup: the segment that was the last one in the first
  /// pass is copied again, too.
  @Test func actionsBeforeARedactionDuringABackupAreInTheCopy() throws {
    var log = try RedactableStory(seed: 3, count: 6, segmentLimitBytes: 1_400)
    let (targets, _) = try log.targets()
    let started = log
    var revisions: Set<Int> = []
    var number = 0
    var isLast = false
    while !isLast {
      number += 1
      let (calls, stop) = (Locked(0), number)
      var story = LogStory(log.story.files.copy(), segmentLimitBytes: 1_400)
      story.configuration.redactable = true
      let other = story
      let door = FaultyFileSystem(story.files) { _ in
        guard
          calls.withLock({ calls in
            calls += 1; return calls == stop
          })
        else { return }
        do {
          try other.record(8, from: 7)
          _ = try started.redact(targets, on: other.files)
        } catch { Issue.record(error) }
      }
      let report = try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: door)
      isLast = calls.withLock { calls in calls } < number
      #expect(report.verification.verdict == .clean, "call \(number): \(report.verification.problems)")
      revisions.insert(report.verification.lastRevision)
    }
    #expect(revisions == [6, 14])
  }

  /// A redaction that is interrupted is in the copy, whose next writer completes it.
  @Test func aCopyOfAnInterruptedRedactionIsCompleted() throws {
    let story = try EvidenceLogs.story("redactable/interrupted")
    let report = try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: story.files)
    #expect(report.verification.warnings.map(\.kind) == [.unfinishedRedaction])
    let finished = try LogRedaction.finish(at: "/copy", fileSystem: story.files, environment: .test())
    #expect(finished?.index == 20)
    #expect(try LogVerifier.verify(at: "/copy", fileSystem: story.files).warnings.isEmpty)
  }

  // MARK: Shipping

  /// Ships what is missing, and returns what was there of each segment.
  private func ship(_ story: LogStory) throws -> [Int: ShippedCopy] {
    let shipping = try LogShipping(at: LogStory.path, to: "/lake", fileSystem: story.files)
    var found: [Int: ShippedCopy] = [:]
    for segment in shipping.segments {
      let copy = try shipping.copy(of: segment)
      found[segment.first] = copy
      if case .current = copy { continue }
      try shipping.ship(segment)
      #expect(try shipping.isShipped(segment))
    }
    return found
  }

  @Test func onlyRedactedSegmentsAreShippedAgain() throws {
    var log = try RedactableStory(seed: 3)
    let story = log.story
    #expect(try ship(story).values.allSatisfy { copy in copy == .missing })
    #expect(try ship(story).values.allSatisfy { copy in copy == .current(sha256: nil) })
    let (targets, removed) = try log.targets(3)
    let named = Set(try log.redact(targets).record.lines.map(\.segment))
    story.files.resetCounts()
    let again = try ship(story)
    // The last segment of before ends with a `@close` record as before; the new one has no action, but the `@redact` record.
    #expect(Set(again.filter { _, copy in copy == .unredacted }.keys) == named && !named.isEmpty)
    let new = again.filter { _, copy in copy == .missing }.map(\.key)
    #expect(try new == [#require(story.reader().segments.last).first])
    for (first, copy) in again where !named.contains(first) && copy != .missing {
      #expect(copy == .current(sha256: nil))
    }
    #expect(story.files.counts.renames == named.count + 1)
    for segment in try LogShipping(at: LogStory.path, to: "/lake", fileSystem: story.files).segments {
      let bytes = try story.files.contents(of: segment.target)
      #expect(try bytes == story.files.contents(of: segment.source))
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(!removed.texts.contains { secret in text.contains(secret) })
    }
    story.files.resetCounts()
    for (first, copy) in try ship(story) {
      let digest = SHA256.hexadecimal(try story.bytes(first))
      #expect(copy == .current(sha256: named.contains(first) ? digest : nil))
    }
    #expect(story.files.counts.bytesWritten == 0)
  }

  /// How the log is left when it is shipped.
  enum LogEnd: CaseIterable, Sendable { case closed, sealed, opened, crashed }

  /// The lake has the `@redact` record together with the redacted lines.
  @Test(arguments: LogEnd.allCases) func aRedactedLogIsIntactInALake(end: LogEnd) throws {
    var log = try RedactableStory(seed: 11)
    var lake = LakeStory(log.story.files)
    lake.story = log.story
    try lake.ship()
    let (targets, removed) = try log.targets(3)
    try log.redact(targets)
    if end == .sealed { #expect(try !LogShipping.seal(at: LogStory.path, fileSystem: lake.files)) }
    let writer = end == .opened || end == .crashed ? try lake.story.open() : nil
    if end == .crashed { writer?.abandon() }
    let tail = try lake.ship().tail
    #expect((tail != nil) == (writer != nil))
    let report = try lake.verify()
    #expect(report.verdict == .clean && report.warnings.isEmpty, "\(report.problems) \(report.warnings)")
    try lake.restore()
    let restored = try lake.verify("/restored")
    #expect(restored.verdict == .clean && restored.warnings.isEmpty, "\(restored.problems) \(restored.warnings)")
    for path in lake.files.filePaths where path.hasPrefix("/lake/") || path.hasPrefix("/restored/") {
      let text = String(decoding: try lake.files.contents(of: path), as: UTF8.self)
      #expect(!removed.texts.contains { secret in text.contains(secret) }, "\(path)")
    }
    if end == .opened { try writer?.closeNow() }
    // Both continue the segment; the lake accepts the one that is shipped first.
    let other = try LogWriter.open(
      at: "/restored", model: "counter", schema: 1, fileSystem: lake.files, configuration: lake.story.configuration)
    for number in 1...10 { try other.appendNow([.numbered(number)]) }
    try other.closeNow()
    try lake.ship("/restored")
    #expect(try lake.verify().verdict == .clean)
    #expect(try LakeStory.actions(lake.files).suffix(10) == Array(1...10))
    try lake.story.record(10, from: 100)
    #expect(#expect(throws: LogError.self) { try lake.ship() }?.code == .exists)
    #expect(try lake.verify().verdict == .clean)
  }
}
