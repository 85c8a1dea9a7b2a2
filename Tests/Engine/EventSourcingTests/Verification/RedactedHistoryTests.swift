import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import EventSourcing
import JSONCoding
import Platform
import TestSupport
import Testing

/// A redacted log folds as the redaction states, and nothing derived from the old values is used or left.
@MainActor @Suite struct RedactedHistoryTests {
  private let disk = MemoryFileSystem()

  /// Twelve actions in several segments, with a digest after each and snapshots at 4, 8 and 12.
  private func write(segmentLimitBytes: Int = 1_500) async throws {
    var configuration = reproducible(
      Tally.self, snapshots: .every(4), digests: .every(1), segmentLimitBytes: segmentLimitBytes)
    configuration.log.redactable = true
    let actions = (1...12).map { number in number % 3 == 0 ? TallyAction.name("Ann \(number)") : .add(number) }
    try await record(actions, as: Tally.self, at: "log", in: disk, configuration: configuration)
  }

  private func history<M: TallyModel>(_ model: M.Type = M.self) throws -> History<M> {
    try History<M>(at: "log", fileSystem: disk)
  }

  /// The target that replaces the value of an action.
  private func target(_ revision: Int, _ json: String? = nil, skips: Bool = false) throws -> RedactionTarget {
    let index = try #require(try history(Tally.self).reader.lineIndices(ofActions: [revision])[revision])
    let pointer = try #require(JSONPointer("/data/_0"))
    return RedactionTarget(
      index: index,
      replacements: skips && json == nil
        ? [] : [ValueReplacement(pointer, with: json.map { json in Array(json.utf8) })],
      skips: skips)
  }

  @discardableResult
  private func redact<M: TallyModel>(
    _ targets: [RedactionTarget], as model: M.Type = M.self, isDryRun: Bool = false
  ) throws -> LogRedaction.Outcome {
    try history(M.self).redact(targets, reason: "request", isDryRun: isDryRun, environment: tickingEnvironment())
  }

  private func checkedReplay() throws -> Replayed<TallyState> {
    var options = ReplayOptions()
    options.checksDigests = true
    options.usesSnapshots = false
    return try history(Tally.self).replay(options: options)
  }

  @Test func laterDigestsAreThoseOfTheNewFold() async throws {
    try await write()
    #expect(try checkedReplay().state.names == ["Ann 3", "Ann 6", "Ann 9", "Ann 12"])
    let outcome = try redact([target(6), target(7, "1000")], as: Tally.self)
    let replayed = try checkedReplay()
    #expect(replayed.state.names == ["Ann 3", "[redacted]", "Ann 9", "Ann 12"])
    #expect(replayed.state.sum == 48 - 7 + 1_000)
    #expect(replayed.report.divergences.isEmpty && replayed.report.digestsChecked == 13)
    // The digests at 6…12, and the one at the end that closing wrote or not.
    #expect(outcome.record.lines.count >= 2 + 7)
    #expect(try LogVerifier.verify(at: "log", fileSystem: disk).verdict == .clean)
    let all = try disk.filePaths.map { path in String(decoding: try disk.contents(of: path), as: UTF8.self) }
    #expect(!all.contains { text in text.contains("Ann 6") })
  }

  /// The first redaction states digests of states that have the value which the second one erases.
  @Test func earlierRecordsKeepNoDigestOfErasedValues() async throws {
    try await write()
    try redact([target(3)], as: Tally.self)
    let guessable = try disk.records().filter { record in record.controlType == .digest && record.revision >= 6 }
      .flatMap { record in [try DigestRecord(record).state, RedactedLine.digest(of: record.rawLine)] }
    #expect(guessable.count >= 14)
    let outcome = try redact([target(6)], as: Tally.self)
    let all = try disk.filePaths.map { path in String(decoding: try disk.contents(of: path), as: UTF8.self) }
    for text in guessable { #expect(!all.contains { file in file.contains(text) }) }
    #expect(outcome.record.lines.contains { line in line.replacements.contains { $0.pointer.tokens.last == "digest" } })
    let replayed = try checkedReplay()
    #expect(replayed.state.names == ["[redacted]", "[redacted]", "Ann 9", "Ann 12"])
    #expect(replayed.report.divergences.isEmpty && replayed.report.digestsChecked == 13)
    let report = try LogVerifier.verify(at: "log", fileSystem: disk)
    #expect(report.verdict == .clean && report.warnings.isEmpty, "\(report.problems) \(report.warnings)")
  }

  /// Regression: the shorter last segment was compared with the `HEAD` of the longer one.
  @Test func aLongValueInTheLastSegmentIsRedacted() async throws {
    let secret = String(repeating: "Ann", count: 300)
    var configuration = reproducible(Tally.self, digests: .every(1))
    configuration.log.redactable = true
    try await record([.name(secret)], as: Tally.self, at: "log", in: disk, configuration: configuration)
    try redact([target(1)], as: Tally.self)
    #expect(try checkedReplay().state.names == ["[redacted]"])
    let all = try disk.filePaths.map { path in String(decoding: try disk.contents(of: path), as: UTF8.self) }
    #expect(!all.contains { text in text.contains(secret) })
  }

  @Test func digestsOfOtherCodeSayNothing() async throws {
    try await write()
    // The code of the recording is not at hand.
    try redact([target(5, "50")], as: RichTally.self)
    let states = try disk.records().filter { record in record.controlType == .digest }.map { record in
      try JSONTape(parsing: record.data).root["state"]?.isNull ?? false
    }
    #expect(states == Array(repeating: false, count: 5) + Array(repeating: true, count: 8))
    let replayed = try checkedReplay()
    #expect(replayed.report.divergences.isEmpty && replayed.report.digestsChecked == 5)
    #expect(try checkedReplay().state.sum == 48 + 45)
  }

  @Test func aSkippedActionHasItsRevision() async throws {
    try await write()
    try redact([target(6, skips: true), target(7, "\"no number\"", skips: true)], as: Tally.self)
    let replayed = try checkedReplay()
    #expect(replayed.revision == 12 && replayed.state.names == ["Ann 3", "Ann 9", "Ann 12"])
    #expect(replayed.state.sum == 41)
    #expect(replayed.report.skippedActions == 2 && replayed.report.actionsFolded == 12)
    #expect(replayed.report.divergences.isEmpty)
    let history = try history(Tally.self)
    #expect(try history.state(at: 6) == history.state(at: 5))
    #expect(try history.reader.record(at: 7).isSkipped)
    // Recording goes on, and its snapshots are used.
    var configuration = reproducible(Tally.self, snapshots: .every(1))
    configuration.log.redactable = true
    let store = try RecordingStore<Tally>(at: "log", configuration: configuration, fileSystem: disk)
    try store.dispatch(action: .add(100))
    try await store.close()
    let again = try history.refreshed().replay()
    #expect(again.state.sum == 141 && again.report.snapshotsLoaded == 1 && again.report.snapshotsRefused.isEmpty)
  }

  @Test func aReplacementThatCannotBeFoldedIsRefused() async throws {
    try await write()
    let before = disk.copy()
    let undecodable = #expect(throws: EventSourcingError.self) { try redact([target(5, "\"x\"")], as: Tally.self) }
    #expect(undecodable?.revision == 5 && undecodable?.intact == "Nothing was changed.")
    let refused = #expect(throws: EventSourcingError.self) { try redact([target(5, "-1")], as: StrictTally.self) }
    #expect(refused?.code == .refusedInReplay && refused?.revision == 5)
    #expect(disk.filePaths == before.filePaths)
    for path in before.filePaths { #expect(try disk.contents(of: path) == before.contents(of: path)) }
  }

  @Test func snapshotsOfBeforeAreRemovedAndRefused() async throws {
    try await write()
    let store = SnapshotStore(at: "log", fileSystem: disk)
    let old = disk.copy()
    #expect(try store.revisions() == [4, 8, 12])
    try redact([target(6)], as: Tally.self)
    #expect(try store.revisions() == [4])
    // Somebody puts an old one back.
    for revision in [8, 12] {
      let path = store.path(at: revision)
      try disk.setContents(old.contents(of: path), of: path)
    }
    let replayed = try history(Tally.self).replay()
    #expect(replayed.report.snapshotsRefused.map(\.code) == [.redacted, .redacted])
    #expect(replayed.report.startRevision == 4 && replayed.state.names[1] == "[redacted]")
    let examination = try store.examine(against: history(Tally.self).reader)
    #expect(examination.refusals.map(\.code) == [.redacted, .redacted] && examination.sound == [4])
    // A new one says that it is of after the redaction.
    let taken = try history(Tally.self).takeSnapshot(at: 12, time: LogTime(microseconds: 0))
    #expect(taken.snapshot.redaction != nil)
    #expect(try history(Tally.self).replay().report.startRevision == 12)
  }

  @Test func aRefusedActionIsRedactedWithoutTheFold() async throws {
    var configuration = reproducible(StrictTally.self, digests: .every(1), segmentLimitBytes: 800)
    configuration.log.redactable = true
    let store = try RecordingStore<StrictTally>(at: "log", configuration: configuration, fileSystem: disk)
    try store.dispatch(action: .add(1))
    #expect(throws: TallyError.self) { try store.dispatch(action: .add(-77)) }
    for number in 2...6 { try store.dispatch(action: .add(number)) }
    try await store.close()
    let records = try disk.records()
    let index = try #require(records.firstIndex { record in record.controlType == .rejected })
    let pointer = try #require(JSONPointer("/data/data"))
    let outcome = try redact(
      [RedactionTarget(index: index, replacements: [ValueReplacement(pointer)])], as: StrictTally.self)
    // No state changes, so no digest does.
    #expect(outcome.record.lines.map(\.index) == [index])
    #expect(try !disk.records().contains { record in record.rawLine.contains(text: "-77") })
  }

  /// Another process redacts a value between the replay of this one and its lock.
  @Test func twoRedactionsAtOnceAgreeOnDigests() async throws {
    try await write()
    let disk = disk
    let (one, other) = (try target(6), try target(5, "50"))
    let isFirst = Locked(true)
    let door = FaultyFileSystem(disk) { call in
      guard call.operation == .lock,
        isFirst.withLock({ first in
          defer { first = false }; return first
        })
      else { return }
      do {
        let history = try History<Tally>(at: "log", fileSystem: disk)
        _ = try history.redact([other], reason: "other", environment: tickingEnvironment())
      } catch {
        Issue.record(error)
      }
    }
    _ = try Self.redact(door, [one])
    let replayed = try checkedReplay()
    #expect(replayed.state.names[1] == "[redacted]" && replayed.state.sum == 48 + 45)
    #expect(replayed.report.divergences.isEmpty)
    #expect(try LogVerifier.verify(at: "log", fileSystem: disk).verdict == .clean)
  }

  private static func redact(_ files: any LogFileSystem, _ targets: [RedactionTarget]) throws -> LogRedaction.Outcome {
    try History<Tally>(at: "log", fileSystem: files).redact(targets, reason: "r", environment: tickingEnvironment())
  }
}
