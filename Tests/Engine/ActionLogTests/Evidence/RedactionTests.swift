import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import JSONCoding
import Platform
import TestSupport
import Testing

@Suite("Redactions", .timeLimit(.minutes(60)))
struct RedactionTests {
  private static let meta = Array(#"{"actor":"u1"}"#.utf8)

  private static func replacement(_ pointer: String, _ json: String? = nil) throws -> ValueReplacement {
    ValueReplacement(try #require(JSONPointer(pointer)), with: json.map { json in Array(json.utf8) })
  }

  /// The redaction of the vectors, without the digests, which need the model.
  private static func targets() throws -> [RedactionTarget] {
    [
      RedactionTarget(
        index: 3, replacements: [try replacement("/data/email", "\"\""), try replacement("/data/name")]),
      RedactionTarget(index: 5, replacements: [try replacement("/data/text")]),
      RedactionTarget(index: 6, replacements: [try replacement("/data/data")]),
      RedactionTarget(index: 11, replacements: [try replacement("/data")], skips: true),
    ]
  }

  /// Strings that the redaction removes.
  private static let secrets = [
    "Ann Smith", "ann.smith", "quiet", "4111 1111", "AbvA3-FqFQBQpAugJk2rwg", "xdSBLQUwl0Bksb3zxcJRPA",
  ]

  @discardableResult
  private func redact(
    _ files: any LogFileSystem, _ targets: [RedactionTarget]? = nil, isDryRun: Bool = false
  ) throws -> LogRedaction.Outcome {
    let targets = try targets ?? Self.targets()
    return try LogRedaction.redact(
      at: LogStory.path, reason: "request 2026-118", meta: Self.meta, isDryRun: isDryRun, fileSystem: files,
      environment: .test()
    ) { _ in targets }
  }

  /// The secrets that any file still has.
  private func secrets(in files: MemoryFileSystem) throws -> [String] {
    let texts = try files.filePaths.map { path in String(decoding: try files.contents(of: path), as: UTF8.self) }
    return Self.secrets.filter { secret in texts.contains { text in text.contains(secret) } }
  }

  private func verify(_ files: any LogFileSystem) throws -> LogReport {
    try LogVerifier.verify(at: LogStory.path, fileSystem: files)
  }

  /// A link can lead to snapshots that have the values.
  @Test(arguments: ["snapshots", "projections"]) func displacedSnapshotsAreRefused(name: String) throws {
    let story = try EvidenceLogs.story("redactable/before")
    let path = LogStory.path + "/" + name
    if try story.files.status(of: path) != nil { try story.files.rename(path, to: "aside") }
    try story.files.setContents([], of: path)
    let before = try story.lines(1)
    for isDryRun in [true, false] {
      let error = #expect(throws: LogError.self) { try redact(story.files, isDryRun: isDryRun) }
      #expect(error?.path == path && error?.intact == "Nothing was redacted.", "\(error as Any)")
    }
    #expect(try story.lines(1) == before && story.reader().redactions().isEmpty)
    try story.files.remove(path)
    try redact(story.files)
  }

  @Test func valuesAreGoneAndTheRestIsUnchanged() throws {
    let story = try EvidenceLogs.story("redactable/before")
    let outcome = try redact(story.files)
    #expect(outcome.index == 20)
    #expect(try secrets(in: story.files).isEmpty)
    let after = try EvidenceLogs.story("redactable/after")
    // The digests differ: the vectors restate them.
    for line in [0, 1, 2, 3, 4, 5, 6, 7, 9] { #expect(try story.lines(1)[line] == after.lines(1)[line]) }
    #expect(try story.lines(6)[1] == after.lines(6)[1])
    let report = try verify(story.files)
    #expect(report.verdict == .clean && report.warnings.isEmpty && report.isClosed && report.lastRevision == 9)
    #expect(!story.files.filePaths.contains { path in path.contains("snapshots") })
    let redactions = try story.reader().redactions()
    #expect(redactions == [LoggedRedaction(index: 20, record: outcome.record, isFinished: true)])
    #expect(redactions[0].record.reason == "request 2026-118")
    #expect(try story.lines(10)[2].contains(#"},"meta":{"actor":"u1"},"crc":"#))
    #expect(try LogRedaction.finish(at: LogStory.path, fileSystem: story.files, environment: .test()) == nil)
  }

  /// Also those of projections, and those that a program was writing when it ended.
  @Test func snapshotsOfErasedValuesAreRemoved() throws {
    let story = try EvidenceLogs.story("redactable/before")
    let lowest = try #require(try redact(story.files, isDryRun: true).record.lowestRevision)
    let names = [lowest - 1, lowest, lowest + 1].map { revision in
      String(repeating: "0", count: 16 - "\(revision)".count) + "\(revision).json"
    }
    let folders = ["/log/snapshots", "/log/projections/totals"]
    for folder in folders {
      for name in names + [names[1] + ".7.new"] { try story.files.setContents([1], of: folder + "/" + name) }
    }
    try redact(story.files)
    for folder in folders {
      #expect(try story.files.names(in: folder) == [names[0]], "\(folder)")
      // A power cut brings none of them back.
      for seed in 0..<8 as Range<UInt64> {
        let disk = story.files.crash(CrashModel(seed: seed))
        #expect(try Set(disk.names(in: folder)).isSubset(of: [names[0]]), "\(folder), seed \(seed)")
      }
    }
  }

  @Test func aDisplacedSnapshotIsRefused() throws {
    let story = try EvidenceLogs.story("redactable/before")
    let folder = LogStory.path + "/snapshots"
    if try story.files.status(of: folder) == nil { try story.files.createDirectory(folder) }
    let path = folder + "/0000000000000002.json"
    if try story.files.status(of: path) != nil { try story.files.remove(path) }
    try story.files.createDirectory(path)
    let error = #expect(throws: LogError.self) { try redact(story.files) }
    #expect(error?.path == path && error?.intact == "Nothing was redacted.", "\(error as Any)")
    #expect(try story.reader().redactions().isEmpty)
  }

  @Test func aDryRunChangesNothing() throws {
    let story = try EvidenceLogs.story("redactable/before")
    let door = FaultyFileSystem(story.files)
    let outcome = try redact(door, isDryRun: true)
    #expect(outcome.index == nil && outcome.record.lines.map(\.index) == [3, 5, 6, 11])
    let changes: [FileCall.Operation] = [.append, .write, .rename, .remove, .truncate, .createDirectory]
    #expect(!door.calls.contains { call in changes.contains(call.operation) })
  }

  @Test func anInterruptedRedactionIsFinishedByTheNextWriter() throws {
    let story = try EvidenceLogs.story("redactable/interrupted")
    let after = try EvidenceLogs.story("redactable/after")
    #expect(try verify(story.files).warnings.map(\.kind) == [.unfinishedRedaction])
    #expect(try story.reader().redactions().map(\.isFinished) == [false])
    try story.open(model: "guestbook").closeNow()
    for first in [1, 6] { #expect(try story.bytes(first) == after.bytes(first)) }
    #expect(try story.lines(10)[...1] == after.lines(10)[...1])
    #expect(try secrets(in: story.files).isEmpty)
    let report = try verify(story.files)
    #expect(report.verdict == .clean && report.warnings.isEmpty)
  }

  @Test func finishNeedsNoModel() throws {
    let story = try EvidenceLogs.story("redactable/interrupted")
    let finished = try LogRedaction.finish(at: LogStory.path, fileSystem: story.files, environment: .test())
    #expect(finished == 20)
    #expect(try secrets(in: story.files).isEmpty)
    #expect(try verify(story.files).warnings.isEmpty)
  }

  @Test func oldAndNewSegmentsMix() throws {
    let (before, after) = (
      try EvidenceLogs.story("redactable/before"), try EvidenceLogs.story("redactable/after")
    )
    for mask in 0..<4 {
      let mixed = try EvidenceLogs.story("redactable/after")
      for (bit, first) in [1, 6].enumerated() where mask >> bit & 1 == 0 {
        let source = try before.lines(first) + after.lines(first).dropFirst(before.lines(first).count)
        try mixed.files.setContents(Array((source.joined(separator: "\n") + "\n").utf8), of: mixed.segment(first))
      }
      // Every mixture can be read; that the record is not carried out is reported.
      var records = try mixed.reader().records()
      var count = 0
      while try records.next() != nil { count += 1 }
      #expect(count == 22)
      let kinds = Set(try verify(mixed.files).problems.map(\.kind))
      #expect(kinds == (mask == 3 ? [] : [.missingRedaction]))
    }
  }

  @Test(arguments: ["unrecorded-redaction", "changed-replacement"])
  func forgeriesAreFound(name: String) throws {
    let story = try EvidenceLogs.story("forged/" + name)
    let kind: LogProblem.Kind = name == "changed-replacement" ? .changedRedaction : .unrecordedRedaction
    let report = try verify(story.files)
    #expect(report.problems.map(\.kind) == [kind])
    #expect(report.problems.first?.line == 6)
  }

  /// A redacted line names the record that made it what it is.
  @Test func aRepeatedRecordIsFound() throws {
    let story = try EvidenceLogs.story("redactable/before")
    let index = try #require(try redact(story.files).index)
    var forged = try ForgedLog(story)
    #expect(try verify(forged.story().files).verdict == .clean)
    forged.replace(index, with: [forged.lines[index], forged.lines[index]])
    let kinds = try verify(forged.story().files).problems.map(\.kind)
    #expect(kinds.contains(.changedRedaction), "\(kinds)")
  }

  @Test func aSecondRedactionFollowsTheFirst() throws {
    let story = try EvidenceLogs.story("redactable/before")
    try redact(story.files)
    let index = try redact(
      story.files,
      [RedactionTarget(index: 3, replacements: [Self.replacement("/data/stay"), Self.replacement("/meta")])]
    ).index
    #expect(index == 23)
    let report = try verify(story.files)
    #expect(report.verdict == .clean && report.warnings.isEmpty)
    #expect(try story.lines(1)[3].contains(#""redacted":{"by":23,"#))
    #expect(try story.reader().redactions().map(\.index) == [20, 23])
    // The reason of a redaction can name a person, too.
    try story.open(model: "guestbook").appendNow([LogDraft(type: "desk.onNote", data: Array(#"{"id":"g2"}"#.utf8))])
    let line = try #require(try story.reader().redactions().first?.index)
    try redact(story.files, [RedactionTarget(index: line, replacements: [Self.replacement("/data/reason", "\"\"")])])
    #expect(try story.reader().redactions().map(\.record.reason) == ["", "request 2026-118", "request 2026-118"])
    // So can a replacement.
    try redact(
      story.files,
      [RedactionTarget(index: line, replacements: [Self.replacement("/data/lines/0/with/~1data~1name", "\"-\"")])])
    #expect(try story.reader().redactions().count == 4)
    #expect(try verify(story.files).verdict == .clean)
  }

  @Test func refusalsChangeNothing() throws {
    func refusal(_ target: RedactionTarget, _ name: String = "redactable/before") throws -> LogError? {
      let story = try EvidenceLogs.story(name)
      let before = story.files.copy()
      let error = #expect(throws: LogError.self) { try redact(story.files, [target]) }
      for path in before.filePaths { #expect(try before.contents(of: path) == story.files.contents(of: path)) }
      #expect(before.filePaths == story.files.filePaths)
      return error
    }
    let missing = try refusal(RedactionTarget(index: 3, replacements: [Self.replacement("/data/nmae")]))
    #expect(missing?.message == "there is no value at /data/nmae" && missing?.revision == 1 && missing?.line == 4)
    let needed = try refusal(RedactionTarget(index: 0, replacements: [Self.replacement("/data/log")]))
    #expect(needed?.message == "/data/log is needed to read the log and cannot be redacted")
    let state = try refusal(RedactionTarget(index: 2, replacements: [Self.replacement("/data")]))
    #expect(state?.message == "/data is needed to read the log and cannot be redacted")
    #expect(try refusal(RedactionTarget(index: 18, replacements: []))?.code == .invalidArgument)
    // The digest of the only record that names a line is needed.
    let digest = try refusal(
      RedactionTarget(index: 20, replacements: [Self.replacement("/data/lines/0/digest")]), "redactable/after")
    #expect(digest?.message == "/data/lines/0/digest is needed to read the log and cannot be redacted")
    let unfinished = try refusal(
      RedactionTarget(index: 3, replacements: [Self.replacement("/meta")]), "redactable/interrupted")
    #expect(unfinished?.message == "an earlier redaction is not complete")
  }

  /// The last segment has no action, so that no new one can be begun: it is replaced.
  @Test func theLastSegmentIsReplaced() throws {
    let story = try EvidenceLogs.story("redactable/before")
    try redact(story.files)
    var follower = try story.reader().follower(from: 0)
    #expect(try follower.poll().last?.type == "@close")
    for reason in [String(repeating: "long", count: 300), ""] {
      try redact(
        story.files, [RedactionTarget(index: 20, replacements: [Self.replacement("/data/reason", "\"\(reason)\"")])])
      #expect(try story.reader().redactions()[0].record.reason == reason)
      let report = try verify(story.files)
      #expect(report.verdict == .clean && report.warnings.isEmpty, "\(report.problems) \(report.warnings)")
      #expect(try follower.poll().map(\.type) == ["@open", "@redact", "@open", "@close"])
    }
    // A follower of the file as it was reads on in the new one, in which the log continues.
    try story.open(model: "guestbook").appendNow([LogDraft(type: "desk.onNote", data: Array(#"{"id":"g2"}"#.utf8))])
    #expect(try follower.poll().map(\.revision).last == 10)
    #expect(try !story.bytes(10).contains(text: "longlong"))
  }

  /// A line that is redacted again is not what the first record states. Its digest would let the first replacement be guessed.
  @Test func replacementsThatAreErasedCannotBeGuessed() throws {
    let story = try EvidenceLogs.story("redactable/before")
    let replacement = try Self.replacement("/data/name", "\"Bob\"")
    try redact(story.files, [RedactionTarget(index: 3, replacements: [replacement])])
    let digest = RedactedLine.digest(of: Array(try story.lines(1)[3].utf8))
    try redact(story.files, [RedactionTarget(index: 3, replacements: [try Self.replacement("/data/name")])])
    for text in [digest, "Bob"] {
      let paths = try story.files.filePaths.filter { path in
        try story.files.contents(of: path).contains(text: text)
      }
      #expect(paths.isEmpty, "\(text)")
    }
    #expect(try verify(story.files).verdict == .clean)
  }

  // MARK: Interruptions

  /// Expects a log to be as before the redaction, or redacted completely once the next writer has opened it.
  ///
  /// - Returns: Whether it is redacted.
  private func settle(_ disk: MemoryFileSystem, _ note: Comment) throws -> Bool {
    let interrupted = try verify(disk)
    #expect(interrupted.verdict != .damaged, note)
    var story = LogStory(disk)
    story.door = disk
    try story.open(model: "guestbook").closeNow()
    let report = try verify(disk)
    #expect(report.verdict == .clean && report.warnings.allSatisfy { warning in warning.kind == .missingHead }, note)
    let isRedacted = try !story.reader().redactions().isEmpty
    let left = try secrets(in: disk)
    #expect(isRedacted ? left.isEmpty : left.count == Self.secrets.count, note)
    #expect(!disk.filePaths.contains { path in path.hasSuffix(".new") }, note)
    #expect(report.lastRevision == 9, note)
    return isRedacted
  }

  /// Whether the call at which the machine stopped leaves the disk as the call before it.
  private func isReading(_ number: Int, _ door: FaultyFileSystem) -> Bool {
    let reading: Set<FileCall.Operation> = [.read, .size, .status, .names]
    return door.firedCount > 0 && reading.contains(door.calls[number - 1].operation)
  }

  @Test func aPowerCutAtEachCallLosesNothing() throws {
    var outcomes: Set<Bool> = []
    for number in 1..<1_000 {
      let story = try EvidenceLogs.story("redactable/before")
      let door = FaultyFileSystem(story.files)
      door.add(.stop(atCall: number))
      do { try redact(door) } catch {}
      if isReading(number, door) { continue }
      for seed in 0..<2 as Range<UInt64> {
        outcomes.insert(try settle(story.files.crash(CrashModel(seed: seed)), "call \(number), seed \(seed)"))
      }
      if door.firedCount == 0 { break }
    }
    #expect(outcomes == [true, false])
  }

  @Test func aPowerCutWhileFinishingLosesNothing() throws {
    for number in 1..<1_000 {
      let story = try EvidenceLogs.story("redactable/interrupted")
      let door = FaultyFileSystem(story.files)
      door.add(.stop(atCall: number))
      do { _ = try LogRedaction.finish(at: LogStory.path, fileSystem: door, environment: .test()) } catch {}
      if isReading(number, door) { continue }
      for seed in 0..<2 as Range<UInt64> {
        #expect(try settle(story.files.crash(CrashModel(seed: seed)), "call \(number), seed \(seed)"))
      }
      if door.firedCount == 0 { break }
    }
  }

  @Test func aFailingCallIsReportedAndTheLogUsable() throws {
    for number in 1..<1_000 {
      let story = try EvidenceLogs.story("redactable/before")
      let door = FaultyFileSystem(story.files)
      door.add(FileFault(number: number, code: number % 2 == 0 ? .noSpace : .inputOutput))
      var failure: LogError?
      do { try redact(door) } catch let error as LogError { failure = error }
      if door.firedCount == 0 { break }
      let isRecorded = try !story.reader().redactions().isEmpty
      if failure == nil { #expect(isRecorded, "call \(number)") }
      let isRedacted = try settle(story.files, "call \(number)")
      // Whether the device has a record whose sync failed is known only to the next writer.
      if failure?.code != .failed { #expect(isRedacted == isRecorded, "call \(number)") }
    }
  }

  /// The device returns other bytes than those that were written.
  @Test func changedBytesDoNotReplaceASegment() throws {
    let story = try EvidenceLogs.story("redactable/before")
    let files = story.files
    let before = try story.bytes(1)
    let door = FaultyFileSystem(files) { call in
      guard call.operation == .sync, call.path == "/log/0000000000000001.jsonl.new" else { return }
      do { try files.flipBit(0, ofByte: 100, in: call.path) } catch { Issue.record(error) }
    }
    let error = #expect(throws: LogError.self) { try redact(door) }
    #expect(error?.message.hasPrefix("a segment cannot be rewritten") == true, "\(String(describing: error))")
    #expect(try story.bytes(1) == before)
    #expect(try settle(files, "with another device"))
  }

  @Test func readersSeeAWholeLogAtEachCall() throws {
    for number in 1..<1_000 {
      let story = try EvidenceLogs.story("redactable/before")
      let reader = try story.reader()
      #expect(try reader.record(at: 2).type == "desk.onRegister")
      let door = FaultyFileSystem(story.files)
      door.add(.stop(atCall: number))
      do { try redact(door) } catch {}
      if isReading(number, door) { continue }
      // The same reader, whose positions in the segments are cached, and a new one.
      for reader in [reader, try story.reader()] {
        for revision in 1...9 { #expect(try reader.record(at: revision).revision == revision) }
        var records = try reader.records(from: 4)
        var count = 0
        while try records.next() != nil { count += 1 }
        #expect(count >= 10)
      }
      if door.firedCount == 0 { break }
    }
  }
}
