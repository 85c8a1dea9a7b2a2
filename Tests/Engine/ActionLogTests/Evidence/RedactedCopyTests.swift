import ActionLog
import ActionLogMaintenance
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
    #expect(finished == 20)
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

  // MARK: Interrupted shipping

  /// A lake, and the log with redactions that were not shipped yet: of values in shipped segments, in one that has grown since, in the
  /// shipped tail, and in new segments.
  private func unshipped(_ end: LogEnd, seed: UInt64, redactionCount: Int) throws -> (
    lake: LakeStory, texts: [String], writer: LogWriter?
  ) {
    var log = try RedactableStory(seed: seed, count: 5)
    var lake = LakeStory(log.story.files)
    lake.story = log.story
    try lake.ship()
    var writer = try lake.story.open()
    for number in 1...12 {
      try writer.appendNow([LogDraft(type: "add", data: Array(#"{"name":"secret \#(seed) of \#(number)."}"#.utf8))])
      if number == 4 || number == 6 { try lake.ship() }
    }
    if end == .opened || end == .crashed { try lake.ship() }
    try writer.closeNow()
    try log.reread()
    var texts: [String] = []
    var targets: [RedactionTarget] = []
    for line in log.lines where line.type == "add" && line.revision % 2 == 1 {
      texts.append(try #require(try JSONTape(parsing: line.bytes).root["data"]?["name"]?.string()))
      targets.append(
        RedactionTarget(index: line.index, replacements: [ValueReplacement(JSONPointer(["data", "name"]))]))
    }
    try log.redact(targets)
    if redactionCount > 1 {
      // Lines that were redacted before, and so the record of that; and another one.
      if seed % 2 == 0 { try lake.story.record(1, from: 90) }
      let other = try #require(log.lines.first { line in line.type == "add" && line.revision % 2 == 0 })
      texts.append(try #require(try JSONTape(parsing: other.bytes).root["data"]?["name"]?.string()))
      let again = targets.prefix(3).compactMap(\.index) + [other.index]
      try log.redact(
        again.map { index in RedactionTarget(index: index, replacements: [ValueReplacement(JSONPointer(["data"]))]) })
    }
    if end == .sealed { try LogShipping.seal(at: LogStory.path, fileSystem: lake.files) }
    guard end == .opened || end == .crashed else { return (lake, texts, nil) }
    writer = try lake.story.open()
    try writer.appendNow([.numbered(95)])
    if end == .crashed { writer.abandon() }
    return (lake, texts, writer)
  }

  @Test(arguments: LogEnd.allCases, [1, 2])
  func anInterruptedShippingIsRestored(end: LogEnd, redactionCount: Int) throws {
    let seed: UInt64 = end == .closed || end == .opened ? 1 : 2
    let (lake, texts, writer) = try unshipped(end, seed: seed, redactionCount: redactionCount)
    try lake.expectInterruptible(texts: texts, "seed \(seed)")
    if end == .opened { try writer?.closeNow() }
  }

  /// A reader lists the segments before, and reads some of them after.
  @Test(arguments: LogEnd.allCases) func aShippingDuringAVerificationIsNoDamage(end: LogEnd) throws {
    let (lake, _, writer) = try unshipped(end, seed: 5, redactionCount: 2)
    var (number, isLast) = (0, false)
    while !isLast {
      // Each call of a file and its neighbors have the same effect.
      number += 5
      let files = lake.files.copy()
      let (calls, stop) = (Locked(0), number)
      let door = FaultyFileSystem(files) { _ in
        guard
          calls.withLock({ calls in
            calls += 1; return calls == stop
          })
        else { return }
        do { try LakeStory(files).ship() } catch { Issue.record(error) }
      }
      let report = try LogVerifier.verify(at: LakeStory.shipped, fileSystem: door)
      #expect(report.verdict == .clean, "call \(number): \(report.problems)")
      isLast = calls.withLock { calls in calls } < number
    }
    if end == .opened { try writer?.closeNow() }
  }

  /// Another program copies the lake: new segments and those that have grown, then the redacted ones, then the manifest, or the last two in
  /// the other order.
  @Test(arguments: [false, true]) func anInterruptedCopyOfALakeIsRestored(isManifestFirst: Bool) throws {
    let (lake, texts, _) = try unshipped(.closed, seed: 3, redactionCount: 2)
    let mirror = lake.files.copy()
    try lake.ship()
    let changed = try lake.segments().filter { path in
      try mirror.status(of: path) == nil || mirror.contents(of: path) != lake.files.contents(of: path)
    }
    let replaced = try changed.filter { path in
      try mirror.status(of: path) != nil
        && mirror.contents(of: path).suffix(11) == lake.files.contents(of: path).suffix(11)
    }
    #expect(replaced.count > 2 && changed.count > replaced.count)
    func copy(_ path: String) throws { try mirror.setContents(try lake.files.contents(of: path), of: path) }
    for path in changed where !replaced.contains(path) { try copy(path) }
    if isManifestFirst { try copy(LakeStory.side + "/manifest.jsonl") }
    for path in replaced.reversed() {
      try LakeStory(mirror.copy()).expectRestorable(texts: texts, atLeast: 17, "before \(path)")
      try copy(path)
    }
    try LakeStory(mirror.copy()).expectRestorable(texts: texts, atLeast: 17, "without the manifest")
  }

  /// The end of the log with the record is damaged: the redacted lines before it are kept.
  @Test func aPartialRestoreKeepsRedactedLines() throws {
    let (lake, texts, _) = try unshipped(.closed, seed: 4, redactionCount: 1)
    try lake.ship()
    let segments = try lake.segments()
    let last = try #require(try lake.story.reader().segments.last?.first)
    try lake.files.remove(segments[segments.count - 1])
    let restoring = try LakeRestoring(from: LakeStory.shipped, fileSystem: lake.files)
    #expect(!restoring.isComplete && restoring.lastRevision == last - 1)
    try lake.restore(isPartial: true)
    let report = try lake.verify("/restored")
    #expect(report.verdict == .clean && report.warnings.isEmpty, "\(report.problems) \(report.warnings)")
    #expect(report.lastRevision == last - 1)
    for text in texts {
      #expect(try !RedactableStory.paths(having: text, in: lake.files).contains { path in path.hasPrefix("/restored") })
    }
  }
}

extension LakeStory {
  /// Ships the log, and expects that an interruption at any call loses nothing that was shipped before.
  ///
  /// - Parameter texts: Values that were redacted since.
  func expectInterruptible(
    texts: [String], _ comment: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let revision = try LogVerifier.verify(at: Self.shipped, fileSystem: files).lastRevision
    let states = Locked<[(name: String, disk: MemoryFileSystem)]>([])
    let base = files.copy()
    let door = FaultyFileSystem(base) { call in
      guard call.isChange else { return }
      states.withLock { states in
        states.append(("killed before \(call)", base.copy()))
        states.append(("power cut before \(call)", base.crash(.onlySyncedSurvives)))
      }
    }
    try LakeStory(base).ship(through: door)
    for (name, disk) in states.withLock({ states in states }) {
      try LakeStory(disk).expectRestorable(texts: texts, atLeast: revision, "\(comment), \(name)", sourceLocation)
    }
    for fault in [
      FileFault(.append, lasts: true, code: .noSpace, partialWrite: .half), FileFault(.syncDirectory),
    ] {
      var fault = fault
      var hasFailed = true
      while hasFailed {
        let disk = files.copy()
        let door = FaultyFileSystem(disk, faults: [fault])
        do { try LakeStory(disk).ship(through: door) } catch is LogError {}
        hasFailed = door.firedCount > 0
        try LakeStory(disk).expectRestorable(
          texts: texts, atLeast: revision, "\(comment), \(fault.code) of call \(fault.number)", sourceLocation)
        fault.number += 1
      }
    }
  }

  /// Expects that the lake alone has a log, which is as it was before a redaction or redacted, and that the next shipping completes it.
  func expectRestorable(
    texts: [String], atLeast revision: Int, _ comment: String, _ sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    func having(_ prefix: String, _ disk: MemoryFileSystem) throws -> [String] {
      try texts.filter { text in
        try RedactableStory.paths(having: text, in: disk).contains { path in path.hasPrefix(prefix) }
      }
    }
    func expectIntact(
      _ path: String, _ disk: MemoryFileSystem, _ expected: Set<LogProblem.Kind> = []
    ) throws -> LogReport {
      let report = try LogVerifier.verify(at: path, fileSystem: disk)
      let warnings = report.warnings.filter { warning in
        !expected.contains(warning.kind) && warning.kind != .clockWentBack
      }
      #expect(
        report.verdict == .clean && warnings.isEmpty, "\(comment): \(path): \(report.problems) \(warnings)",
        sourceLocation: sourceLocation)
      return report
    }
    let alone = files.copy()
    for path in alone.filePaths where path.hasPrefix(LogStory.path + "/") { try alone.remove(path) }
    let lake = try expectIntact(
      Self.shipped, alone, [.unfinishedRedaction, .unlistedSegment, .missingManifest, .outdatedSegment])
    #expect(lake.lastRevision >= revision, "\(comment)", sourceLocation: sourceLocation)
    let known = try having(Self.lake, alone)
    try LakeStory(alone).restore()
    let restored = try expectIntact("/restored", alone)
    #expect(restored.lastRevision == lake.lastRevision, "\(comment)", sourceLocation: sourceLocation)
    let isRedacted = try !LogReader.open(at: Self.shipped, fileSystem: alone).redactions().isEmpty
    let left = try having("/restored", alone)
    // A record of an earlier redaction is not one of a later one.
    if try LogReader.open(at: Self.shipped, fileSystem: alone).redactions().flatMap(\.record.lines).isEmpty {
      #expect(!isRedacted && Set(left).isSubset(of: known), "\(comment)", sourceLocation: sourceLocation)
    } else if lake.warnings.allSatisfy({ warning in !warning.message.hasPrefix("the lake does not have") }) {
      #expect(left.isEmpty, "\(comment): \(left)", sourceLocation: sourceLocation)
    }
    // It continues in the lake.
    try LakeStory(alone).ship("/restored")
    _ = try expectIntact(Self.shipped, alone, [.outdatedSegment])
    try LakeStory(files).ship()
    // A power cut may leave an open log without `HEAD`, and no tail with the record is shipped.
    let isClosed = try LogVerifier.verify(at: LogStory.path, fileSystem: files).isClosed
    _ = try expectIntact(Self.shipped, files, isClosed ? [.outdatedSegment] : [.outdatedSegment, .unfinishedRedaction])
    #expect(try having("/lake", files).isEmpty, "\(comment)", sourceLocation: sourceLocation)
  }
}
