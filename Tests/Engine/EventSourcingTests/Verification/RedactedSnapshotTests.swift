import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import EventSourcing
import JSONCoding
import Platform
import TestSupport
import Testing

/// No snapshot from before a redaction is used, whenever it is published, and choosing one reads little of the log (P24).
@MainActor @Suite("Snapshots and redactions", .timeLimit(.minutes(60)))
struct RedactedSnapshotTests {
  private let disk = MemoryFileSystem()

  /// Twelve actions in several segments, with snapshots at 4, 8 and 12.
  private func write(_ count: Int = 12, every step: Int = 4, segmentLimitBytes: Int = 1_500) async throws {
    var configuration = reproducible(
      Tally.self, snapshots: .every(step), segmentLimitBytes: segmentLimitBytes)
    configuration.log.redactable = true
    let actions = (1...count).map { number in number % 3 == 0 ? TallyAction.name("Ann \(number)") : .add(number) }
    try await record(actions, as: Tally.self, at: "log", in: disk, configuration: configuration)
  }

  nonisolated private static func redact(_ disk: any LogFileSystem, _ revision: Int) throws {
    let history = try History<Tally>(at: "log", fileSystem: disk)
    let index = try #require(try history.reader.lineIndices(ofActions: [revision])[revision])
    let value = ValueReplacement(try #require(JSONPointer("/data/_0")))
    _ = try history.redact(
      [RedactionTarget(index: index, replacements: [value])], reason: "request", environment: tickingEnvironment())
  }

  /// Expects that every state is the fold of the actions as they are now.
  nonisolated private static func expectNewStates(_ disk: MemoryFileSystem, _ note: Comment) throws {
    let history = try History<Tally>(at: "log", fileSystem: disk)
    var options = ReplayOptions()
    for revision in try SnapshotStore(at: "log", fileSystem: disk).revisions() + [12] {
      options.usesSnapshots = false
      let folded = try history.replay(to: revision, options: options)
      options.usesSnapshots = true
      let replayed = try history.replay(to: revision, options: options)
      #expect(replayed.state == folded.state, note)
      #expect(!replayed.state.names.contains("Ann 6"), note)
      #expect(replayed.report.snapshotsRefused.allSatisfy { refusal in refusal.code == .redacted }, note)
    }
  }

  @Test func snapshotsPublishedAtEachStepAreNotUsed() async throws {
    try await write()
    let original = disk
    let store = SnapshotStore(at: "log", fileSystem: original)
    let old = try store.revisions().map { revision in
      (path: store.path(at: revision), bytes: try original.contents(of: store.path(at: revision)))
    }
    #expect(old.count == 3)
    var outcomes: Set<String> = []
    var number = 0
    var isLast = false
    while !isLast {
      number += 1
      let disk = original.copy()
      let stop = number
      let calls = Locked(0)
      let results = Locked<[String]>([])
      let door = FaultyFileSystem(disk) { call in
        guard
          calls.withLock({ calls in
            calls += 1; return calls == stop
          })
        else { return }
        // Reading calls leave the disk of the call before.
        if [.read, .size, .status, .names].contains(call.operation) { return }
        do {
          let history = try History<Tally>(at: "log", fileSystem: disk)
          do {
            _ = try history.takeSnapshot(at: 9, time: LogTime(microseconds: 0))
            results.withLock { results in results.append("taken") }
          } catch let error as LogError where error.code == .rejected {
            results.withLock { results in results.append("rejected") }
          }
          for (path, bytes) in old { try disk.setContents(bytes, of: path) }
        } catch {
          Issue.record(error)
        }
      }
      try Self.redact(door, 6)
      isLast = calls.withLock { calls in calls } < number
      let found = results.withLock { results in results }
      outcomes.formUnion(found)
      if !found.isEmpty { try Self.expectNewStates(disk, "call \(number)") }
    }
    #expect(outcomes == ["taken", "rejected"])
    // A snapshot of the new fold is used.
    let last = original.copy()
    try Self.redact(last, 6)
    for (path, bytes) in old { try last.setContents(bytes, of: path) }
    let history = try await History<Tally>(at: "log", fileSystem: last)
    let taken = try history.takeSnapshot(at: 11, time: LogTime(microseconds: 0))
    #expect(taken.snapshot.redaction == (try history.reader.redactions().last?.index))
    #expect(try history.replay().report.startRevision == 11)
  }

  /// The values are redacted while a snapshot of before is being taken, at each of its steps.
  @Test func aRedactionDuringASnapshotIsNoticed() async throws {
    try await write()
    let original = disk
    var outcomes: Set<Bool> = []
    var number = 0
    var isLast = false
    while !isLast {
      number += 1
      let disk = original.copy()
      let stop = number
      let calls = Locked(0)
      let door = FaultyFileSystem(disk) { _ in
        guard
          calls.withLock({ calls in
            calls += 1; return calls == stop
          })
        else { return }
        do { try Self.redact(disk, 6) } catch { Issue.record(error) }
      }
      var isTaken = true
      do {
        _ = try Self.takeSnapshot(door)
      } catch {
        // The redaction also removes a snapshot that does not have its name yet.
        let code = (error as? LogError)?.code
        #expect(code == .rejected || code == .inputOutput, "call \(number): \(error)")
        isTaken = false
      }
      outcomes.insert(isTaken)
      isLast = calls.withLock { calls in calls } < number
      if isLast { try Self.redact(disk, 6) }
      try Self.expectNewStates(disk, "call \(number)")
    }
    #expect(outcomes == [true, false])
  }

  nonisolated private static func takeSnapshot(_ disk: any LogFileSystem) throws -> Snapshot {
    try History<Tally>(at: "log", fileSystem: disk).takeSnapshot(at: 9, time: LogTime(microseconds: 0)).snapshot
  }

  /// Each state of a pruned log is folded from its base.
  @Test func snapshotsFromBeforeTheBaseWasRedactedAreRefused() async throws {
    try await write(18, segmentLimitBytes: 700)
    try await history().prune(before: 10, reason: "age", archive: nil, environment: tickingEnvironment())
    var configuration = reproducible(Tally.self)
    configuration.log.redactable = true
    try await record([.add(19)], as: Tally.self, at: "log", in: disk, configuration: configuration)
    let store = SnapshotStore(at: "log", fileSystem: disk)
    let old = disk.copy()
    let revisions = try store.revisions()
    #expect(!revisions.isEmpty)
    let target = RedactionTarget(
      index: nil, replacements: [ValueReplacement(try #require(JSONPointer("/state/names/1")))])
    let outcome = try Self.redact(disk, [target])
    #expect(outcome.removedTexts.map(\.text).contains("Ann 6"))
    #expect(try store.revisions().isEmpty)
    for revision in revisions {
      try disk.setContents(try old.contents(of: store.path(at: revision)), of: store.path(at: revision))
    }
    let replayed = try await history().replay()
    #expect(replayed.state.names[..<3] == ["Ann 3", "[redacted]", "Ann 9"])
    #expect(replayed.report.snapshotsRefused.map(\.code) == revisions.map { _ in .redacted })
    let undecodable = RedactionTarget(
      index: nil, replacements: [ValueReplacement(try #require(JSONPointer("/state/sum")), with: Array("\"x\"".utf8))])
    let before = disk.copy()
    #expect(throws: (any Error).self) { try Self.redact(disk, [undecodable]) }
    #expect(disk.filePaths == before.filePaths)
  }

  /// A projection can publish such a snapshot and be killed before it removes it again.
  @Test func snapshotsFromBeforeAPrunedRedactionAreRefused() async throws {
    try await write(12, every: 100, segmentLimitBytes: 700)
    try Self.redact(disk, 6)
    let index = try #require(try await history().reader.redactions().last?.index)
    var configuration = reproducible(Tally.self, segmentLimitBytes: 700)
    configuration.log.redactable = true
    try await record((13...24).map { .add($0) }, as: Tally.self, at: "log", in: disk, configuration: configuration)
    let store = SnapshotStore(at: "log", fileSystem: disk)
    for revision in [22, 24] { _ = try await history().takeSnapshot(at: revision, time: LogTime(microseconds: 0)) }
    // The same, without the redaction that preceded the fold.
    let path = store.path(at: 24)
    let new = try disk.contents(of: path)
    let text = String(decoding: new.dropLast(CommitMark.sizeBytes), as: UTF8.self)
    var old = Array(text.replacing(#","redact":\#(index)"#, with: "").utf8)
    CommitMark.append(to: &old)
    try #require(old.count == new.count - #","redact":\#(index)"#.utf8.count)
    for point in [18, 21] {
      try await history().prune(before: point, reason: "age", archive: nil, environment: tickingEnvironment())
      #expect(try await history().reader.redactions().isEmpty)
      try disk.setContents(old, of: path)
      let refusing = try await history().replay()
      #expect(refusing.report.snapshotsRefused.map(\.code) == [.redacted])
      #expect(refusing.report.startRevision == 22)
      let reader = try await history().reader
      let examination = try store.examine(against: reader)
      #expect(examination.refusals.map(\.code) == [.redacted] && examination.sound == [22])
      try disk.setContents(new, of: path)
      #expect(try await history().replay().report.startRevision == 24)
    }
    // A new snapshot states the same redaction.
    try disk.remove(path)
    let taken = try await history().takeSnapshot(at: 24, time: LogTime(microseconds: 0))
    #expect(taken.snapshot.redaction == index)
    #expect(try LogVerifier.verify(at: "log", fileSystem: disk).verdict == .clean)
  }

  nonisolated private static func redact(
    _ disk: MemoryFileSystem, _ targets: [RedactionTarget]
  ) throws -> LogRedaction.Outcome {
    try History<Tally>(at: "log", fileSystem: disk)
      .redact(targets, reason: "request", environment: tickingEnvironment())
  }

  private func history() async throws -> History<Tally> { try await History<Tally>(at: "log", fileSystem: disk) }

  // MARK: Work

  /// The number of the redaction before a snapshot is not counted, but read in a line that the redaction changed.
  @Test func choosingASnapshotReadsLittleOfTheLog() async throws {
    try await write(1_500, every: 10_000, segmentLimitBytes: 65_536)
    try Self.redact(disk, 6)
    try Self.redact(disk, 1_200)
    let taken = try await history().takeSnapshot(time: LogTime(microseconds: 0))
    let reader = try await history().reader
    #expect(taken.snapshot.redaction == (try reader.redactions().last?.index))
    let logBytes = try reader.segments.map { segment in try disk.contents(of: segment.path).count }.reduce(0, +)
    let sizeBytes = try disk.contents(of: SnapshotStore(at: "log", fileSystem: disk).path(at: 1_500)).count
    #expect(logBytes > 200_000 && reader.segments.count > 4)
    let history = try await history()
    disk.resetCounts()
    let replayed = try history.replay()
    #expect(replayed.report.startRevision == 1_500 && replayed.report.snapshotsRefused.isEmpty)
    // The beginnings of the segments, a search in one of them, and the snapshot.
    #expect(disk.counts.bytesRead < 20_000 * reader.segments.count + 2 * sizeBytes)
    #expect(disk.counts.bytesRead < logBytes / 2)
    // The list alone, and the number of each redaction.
    disk.resetCounts()
    let list = try reader.redactionList()
    #expect(disk.counts.bytesRead <= 4_096 * reader.segments.count + 16_384)
    disk.resetCounts()
    let indices = try list.entries.map { entry in try list.index(of: entry) }
    #expect(disk.counts.bytesRead < 2 * 32_768)
    let types = try disk.records().map(\.controlType)
    #expect(indices == types.indices.filter { index in types[index] == .redact })
  }
}
