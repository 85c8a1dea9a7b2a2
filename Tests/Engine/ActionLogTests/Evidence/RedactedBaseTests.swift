import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import JSONCoding
import Platform
import TestSupport
import Testing

/// Redactions of the state with which a pruned log begins.
@Suite("Redactions of the base", .timeLimit(.minutes(60)))
struct RedactedBaseTests {
  private static let secret = "Ann Smith"
  private static let basePath = LogStory.path + "/base.json"

  /// A redactable log that was pruned, and to which actions were recorded since.
  private func story(recording count: Int = 3) throws -> LogStory {
    var story = LogStory(segmentLimitBytes: 700)
    story.configuration.redactable = true
    try story.record(8)
    let pruning = try LogPruning(at: LogStory.path, before: 5, fileSystem: story.files)
    let state = Array(#"{"count":4,"names":["\#(Self.secret)","Bo"]}"#.utf8)
    _ = try pruning.run(reason: "test", actor: nil, archive: nil, environment: story.configuration.environment) { _ in
      LogPruning.State(
        bytes: state, digest: SHA256.hexadecimal(state), model: "counter", schema: 1, reducer: "test")
    }
    try story.files.setContents(Array("{}\n".utf8), of: LogStory.path + "/snapshots/0000000000000006.json")
    if count > 0 { try story.record(count, from: 9) }
    return story
  }

  private static let targets = [
    RedactionTarget(index: nil, replacements: [ValueReplacement(JSONPointer(["state", "names", "0"]))])
  ]

  @discardableResult
  private func redact(
    _ files: any LogFileSystem, _ targets: [RedactionTarget] = Self.targets, recordLimitBytes: Int = 1 << 20
  ) throws -> LogRedaction.Outcome {
    try LogRedaction.redact(
      at: LogStory.path, reason: "request 118", recordLimitBytes: recordLimitBytes, fileSystem: files,
      environment: .test()
    ) { _ in targets }
  }

  private func digest(_ files: MemoryFileSystem) throws -> String {
    SHA256.hexadecimal(try files.contents(of: Self.basePath))
  }

  @Test func theValueIsGoneAndTheBaseFits() throws {
    let story = try story()
    let old = try #require(try story.reader().base)
    let oldDigest = try digest(story.files)
    let outcome = try redact(story.files)
    let base = try #require(try story.reader().base)
    #expect(String(decoding: base.state, as: UTF8.self) == #"{"count":4,"names":["[redacted]","Bo"]}"#)
    var expected = old
    expected.state = base.state
    #expect(base == expected)
    #expect(outcome.record.base?.digest == (try digest(story.files)))
    // Those of the record are digests.
    #expect(outcome.removedTexts.map(\.text).filter { text in text.utf8.count != 64 } == [Self.secret])
    // The `@prune` record names the new file, and the digests of the old one are gone.
    #expect(outcome.record.lines.count == 1)
    let pruning = try #require(try story.reader().lastPruning()?.record.base)
    #expect(pruning.sha256 == (try digest(story.files)) && pruning.state == SHA256.hexadecimal(base.state))
    for text in [Self.secret, oldDigest, SHA256.hexadecimal(old.state)] {
      #expect(try RedactableStory.paths(having: text, in: story.files).isEmpty)
    }
    // Each snapshot was folded from the base.
    #expect(try story.files.names(in: LogStory.path + "/snapshots").isEmpty)
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
    #expect(report.verdict == .clean && report.warnings.isEmpty, "\(report.problems) \(report.warnings)")
    #expect(try story.read().actions == Array(old.first...11))
    let encoded = try #require(RedactRecord(data: outcome.record.data()[...]))
    #expect(encoded == outcome.record)
  }

  /// The digests in the records of the first redaction are of a base that had the second value.
  @Test func earlierRecordsKeepNoDigestOfTheBase() throws {
    let story = try story()
    try redact(story.files)
    let base = try #require(try story.reader().base)
    var records = try story.reader().records(from: 0)
    var guessable = [try digest(story.files), SHA256.hexadecimal(base.state)]
    while let record = try records.next() {
      if record.controlType == .prune { guessable.append(RedactedLine.digest(of: record.rawLine)) }
    }
    #expect(guessable.count == 3)
    try redact(
      story.files,
      [RedactionTarget(index: nil, replacements: [ValueReplacement(JSONPointer(["state", "names", "1"]))])])
    for text in guessable { #expect(try RedactableStory.paths(having: text, in: story.files).isEmpty) }
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
    #expect(report.verdict == .clean && report.warnings.isEmpty, "\(report.problems) \(report.warnings)")
  }

  /// A base of before, and a pruning that was undone: nothing is compared with their digests any more.
  @Test(arguments: [false, true])
  func recordsOfOtherBasesKeepNoDigest(isRestored: Bool) throws {
    var story = LogStory(segmentLimitBytes: 700)
    story.configuration.redactable = true
    try story.record(8)
    try story.prune(before: 5)
    let base = try #require(try story.reader().base)
    let guessable = [SHA256.hexadecimal(base.bytes), SHA256.hexadecimal(base.state)]
    try story.record(6, from: 9)
    if isRestored { try story.restore() } else { try story.prune(before: 9, archive: nil) }
    try story.record(1, from: 15)
    let index = try #require(try story.reader().lineIndices(ofActions: [14])[14])
    for text in guessable { #expect(try !RedactableStory.paths(having: text, in: story.files).isEmpty) }
    try redact(
      story.files, [RedactionTarget(index: index, replacements: [ValueReplacement(JSONPointer(["data", "_0"]))])])
    for text in guessable { #expect(try RedactableStory.paths(having: text, in: story.files).isEmpty) }
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
    #expect(report.verdict == .clean && report.warnings.isEmpty, "\(report.problems) \(report.warnings)")
  }

  /// No action follows the `@prune` record, so it is in the last segment, for which no successor can be made.
  @Test func theBaseOfAClosedLogIsRedacted() throws {
    let story = try story(recording: 0)
    try redact(story.files)
    #expect(try RedactableStory.paths(having: Self.secret, in: story.files).isEmpty)
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
    #expect(report.verdict == .clean && report.warnings.isEmpty, "\(report.problems) \(report.warnings)")
    try story.record(1, from: 9)
    #expect(try story.read().actions.last == 9)
  }

  /// The archived segments lead to the state with the erased value.
  @Test func theArchiveIsNotPutBack() throws {
    var story = LogStory(segmentLimitBytes: 700)
    story.configuration.redactable = true
    try story.record(8)
    try story.prune(before: 5)
    _ = try LogPruning.checkRestoring(at: LogStory.path, from: LogStory.archive, fileSystem: story.files)
    // The segment of the `@prune` record can be rewritten once it has an action and another one follows.
    try story.record(3, from: 9)
    try redact(
      story.files,
      [RedactionTarget(index: nil, replacements: [ValueReplacement(JSONPointer(["state", "value"]))])])
    let names = story.files.filePaths
    let error = #expect(throws: LogError.self) { try story.restore() }
    #expect(error?.code == .rejected && error?.message.contains("was redacted") == true, "\(String(describing: error))")
    #expect(story.files.filePaths == names)
    #expect(
      #expect(throws: LogError.self) {
        try LogPruning.checkRestoring(at: LogStory.path, from: LogStory.archive, fileSystem: story.files)
      }?.code == .rejected)
  }

  @Test func theFoundPlacesIncludeTheBase() throws {
    let story = try story()
    var found: [FoundText] = []
    try story.reader().find(anyOf: ["Smith"]) { text in found.append(text) }
    #expect(found.map(\.pointer.description) == ["/state/names/0"] && found[0].index == nil)
  }

  @Test func theBaseIsRedactedWithLinesInSeveralRecords() throws {
    let story = try story()
    let index = try #require(try story.reader().lineIndices(ofActions: [6])[6])
    let targets =
      Self.targets + [RedactionTarget(index: index, replacements: [ValueReplacement(JSONPointer(["data"]))])]
    let outcome = try redact(story.files, targets, recordLimitBytes: 740)
    #expect(outcome.indices.count == 2 && outcome.record.base != nil && outcome.record.lines.count == 2)
    let records = try story.reader().redactions().map(\.record)
    try #require(records.count == 2)
    #expect(records[0].base != nil && records[1].base == nil)
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
    #expect(report.verdict == .clean && report.warnings.isEmpty, "\(report.problems) \(report.warnings)")
  }

  @Test func aNewPruningNamesAnotherBase() throws {
    let story = try story()
    try redact(story.files)
    try story.record(4, from: 12)
    try story.prune(before: 12, archive: nil)
    #expect(try #require(story.reader().base).revision > 4)
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
    #expect(report.verdict == .clean && report.warnings.isEmpty, "\(report.problems) \(report.warnings)")
  }

  @Test func refusalsChangeNothing() throws {
    func refusal(_ story: LogStory, _ pointer: String...) throws -> LogError? {
      let before = story.files.copy()
      let target = RedactionTarget(index: nil, replacements: [ValueReplacement(JSONPointer(pointer))])
      let error = #expect(throws: LogError.self) { try redact(story.files, [target]) }
      #expect(before.filePaths == story.files.filePaths)
      for path in before.filePaths { #expect(try before.contents(of: path) == story.files.contents(of: path)) }
      return error
    }
    #expect(try refusal(story(), "state", "nmaes")?.message == "there is no value at /state/nmaes")
    #expect(
      try refusal(story(), "tree")?.message == "/tree is needed to read the log and cannot be redacted")
    var unpruned = LogStory(segmentLimitBytes: 700)
    unpruned.configuration.redactable = true
    try unpruned.record(8)
    #expect(try refusal(unpruned, "state")?.message == "the log was not pruned and has no base")
  }

  /// An old base, or the record of one, put back.
  @Test func anOldBaseIsFound() throws {
    let story = try story()
    let old = story.files.copy()
    let outcome = try redact(story.files)
    let disk = story.files.copy()
    try disk.setContents(try old.contents(of: Self.basePath), of: Self.basePath)
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: disk)
    #expect(Set(report.problems.map(\.kind)) == [.unusableBase, .missingRedaction])
    let line = try #require(outcome.record.lines.first)
    let segment = story.segment(line.segment)
    try disk.setContents(try old.contents(of: segment), of: segment)
    #expect(
      try LogVerifier.verify(at: LogStory.path, fileSystem: disk).problems.map(\.kind) == [
        .missingRedaction, .missingRedaction,
      ])
  }

  /// Wherever a redaction of the base is interrupted, the log can be read, and is redacted completely or not at all once the next writer
  /// has opened it.
  @Test(arguments: [0, 3])
  func aPowerCutAtEachCallKeepsABase(actionsSincePruning: Int) throws {
    let original = try story(recording: actionsSincePruning).files
    var outcomes: Set<Bool> = []
    var warnings: Set<LogProblem.Kind> = []
    var number = 0
    var isLast = false
    while !isLast {
      number += 1
      let files = original.copy()
      let door = FaultyFileSystem(files)
      door.add(.stop(atCall: number))
      do { try redact(door) } catch {}
      isLast = door.firedCount == 0
      let reading: Set<FileCall.Operation> = [.read, .size, .status, .names]
      if !isLast, reading.contains(door.calls[number - 1].operation) { continue }
      for seed in 0..<2 as Range<UInt64> {
        let disk = files.crash(CrashModel(seed: seed))
        let interrupted = try LogVerifier.verify(at: LogStory.path, fileSystem: disk)
        #expect(interrupted.verdict != .damaged, "call \(number): \(interrupted.problems)")
        warnings.formUnion(interrupted.warnings.map(\.kind))
        var story = LogStory(disk)
        story.configuration.redactable = true
        #expect(try story.read().actions.last == 8 + actionsSincePruning, "call \(number)")
        try story.open().closeNow()
        let report = try LogVerifier.verify(at: LogStory.path, fileSystem: disk)
        #expect(
          report.verdict == .clean && report.warnings.allSatisfy { $0.kind == .missingHead },
          "call \(number): \(report.problems) \(report.warnings)")
        let isRedacted = try !story.reader().redactions().isEmpty
        outcomes.insert(isRedacted)
        #expect(try RedactableStory.paths(having: Self.secret, in: disk).isEmpty == isRedacted, "call \(number)")
      }
    }
    #expect(outcomes == [true, false] && warnings.contains(.unfinishedRedaction))
  }

  /// The lake begins with the base that is redacted, or with an older one.
  @Test(arguments: [false, true]) func anInterruptedShippingOfTheBaseIsRestored(hasOlderBase: Bool) throws {
    let story = try story()
    var lake = LakeStory(story.files)
    lake.story = story
    try lake.ship()
    if hasOlderBase {
      try lake.story.record(4, from: 12)
      let pruning = try LogPruning(at: LogStory.path, before: 9, fileSystem: lake.files)
      let state = Array(#"{"count":8,"names":["\#(Self.secret)","Bo"]}"#.utf8)
      _ = try pruning.run(reason: "test", actor: nil, archive: nil, environment: .test()) { _ in
        LogPruning.State(
          bytes: state, digest: SHA256.hexadecimal(state), model: "counter", schema: 1, reducer: "test")
      }
    }
    try redact(lake.files)
    try lake.expectInterruptible(texts: hasOlderBase ? [] : [Self.secret], "older base: \(hasOlderBase)")
  }
}
