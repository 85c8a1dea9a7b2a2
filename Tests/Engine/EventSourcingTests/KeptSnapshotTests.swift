import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import Platform
import TestSupport
import Testing

/// Snapshots that a replay leaves behind. An action has 129 bytes, so one is due after each 64 KiB, or 509 actions.
@MainActor @Suite struct KeptSnapshotTests {
  private let disk = MemoryFileSystem()

  private func write(
    _ actions: [TallyAction] = (1...3_000).map(TallyAction.add), at path: String = "log",
    snapshots: SnapshotPolicy<TallyState> = .never, retention: SnapshotRetention = .all, segmentLimitBytes: Int? = nil
  ) async throws {
    var configuration = reproducible(
      Tally.self, snapshots: snapshots, digests: .onlyAtStart, durability: .written,
      segmentLimitBytes: segmentLimitBytes)
    configuration.retention = retention
    configuration.log.environment.uptime = { .zero }
    try await record(actions, as: Tally.self, at: path, in: disk, configuration: configuration)
  }

  /// Replays without snapshots, and writes them.
  private func keep<M: Model>(
    _ model: M.Type = Tally.self, on files: (any LogFileSystem)? = nil, to revision: Int? = nil,
    unknownTypes: UnknownTypePolicy? = nil, uptime: @escaping @Sendable () -> Duration = { .zero }
  ) throws -> (replayed: Replayed<M.State>, kept: KeptSnapshots) {
    try History<M>(at: "log", fileSystem: files ?? disk, unknownTypes: unknownTypes)
      .replayKeepingSnapshots(to: revision, options: .wholeLog, uptime: uptime)
  }

  /// Takes snapshots. A recorder leaves one out that is due while it still writes the one before.
  private func takeSnapshots(every step: Int) throws {
    let history = try History<Tally>(at: "log", fileSystem: disk)
    for revision in stride(from: step, through: try history.lastRevision(), by: step) {
      _ = try history.takeSnapshot(at: revision)
    }
  }

  private func revisions(_ path: String = "log") throws -> [Int] {
    try SnapshotStore(at: path, fileSystem: disk).revisions()
  }

  private func contents(of revision: Int) throws -> [UInt8] {
    try disk.contents(of: SnapshotStore(at: "log", fileSystem: disk).path(at: revision))
  }

  @Test func theyAreThoseOfARecorder() async throws {
    try await write(segmentLimitBytes: 100_000)
    try await write(at: "recorded", snapshots: .standard, retention: .exponential(), segmentLimitBytes: 100_000)
    let (replayed, kept) = try keep()
    #expect(replayed.report.actionsFolded == 3_000 && replayed.report.snapshotsLoaded == 0)
    let (own, expected) = (try revisions(), try revisions("recorded"))
    #expect(kept.error == nil && kept.sizes.keys.sorted() == own)
    // The recorder estimates the size of a line before it is written, at 153 bytes; the replay takes the average.
    #expect(own == [509, 1_018, 1_527, 2_036, 2_545], "\(own)")
    #expect(expected.count == 7 && expected.allSatisfy { revision in revision % 430 < 60 || revision % 430 > 370 })
    // The same file as that of a snapshot that is taken there.
    let history = try await History<Tally>(at: "log", fileSystem: disk)
    let last = try #require(own.last)
    let bytes = try contents(of: last)
    #expect(kept.sizes[last] == bytes.count)
    _ = try history.takeSnapshot(at: last, time: history.reader.record(at: last).time, options: .wholeLog)
    #expect(try contents(of: last) == bytes)
  }

  @Test func theNextReplaysStartFromThem() async throws {
    try await write()
    let expected = try keep().replayed.state
    for revision in [700, 1_500, 3_000] {
      let replayed = try await History<Tally>(at: "log", fileSystem: disk).replay(to: revision)
      #expect(replayed.report.snapshotsLoaded == 1 && replayed.report.snapshotsRefused.isEmpty)
      #expect(replayed.report.actionsFolded < 509, "of \(revision)")
      #expect(replayed.state.sum == revision * (revision + 1) / 2)
      #expect(revision < 3_000 || replayed.state == expected)
    }
    // They count: another replay has none to add.
    let before = try revisions()
    #expect(try keep().kept.sizes.isEmpty)
    #expect(try revisions() == before)
  }

  @Test func aShorterReplayKeepsTheSame() async throws {
    try await write()
    let copy = disk.copy()
    let short = try keep(to: 1_500).kept.sizes.keys.sorted()
    let all = try keep(on: copy).kept.sizes.keys.sorted()
    #expect(short == all.filter { revision in revision <= 1_500 } && short.count == 2, "\(short), \(all)")
  }

  /// A slow model gets as many as the bytes of the log pay for. A snapshot has 60 000 bytes.
  @Test func theCostOfAnActionIsMeasured() async throws {
    try await write([.name(String(repeating: "a", count: 60_000))] + (1...6_000).map(TallyAction.add))
    let copy = disk.copy()
    let fast = try keep().kept.sizes
    let readings = Locked(0)
    @Sendable func slowly() -> Duration {
      readings.withLock { readings in
        readings += 1
        return .seconds(readings)
      }
    }
    let slow = try keep(on: copy, uptime: slowly).kept.sizes
    #expect(slow.count > fast.count && fast.count > 2, "\(slow.keys.sorted()), \(fast.keys.sorted())")
    #expect(readings.withLock { readings in readings } < 150)
    // They count for replays with similar measurements, and for faster ones.
    #expect(try keep(on: copy, uptime: slowly).kept.sizes.isEmpty)
    #expect(try keep(on: copy).kept.sizes.isEmpty)
  }

  /// The log has 834 000 bytes, and a snapshot 60 000: those of every 100th action leave no room for another one.
  @Test(arguments: [(100, 13), (400, 3)])
  func theyHaveAtMostAsManyBytesAsTheLog(step: Int, count: Int) async throws {
    try await write([.name(String(repeating: "a", count: 60_000))] + (1...6_000).map(TallyAction.add))
    let history = try await History<Tally>(at: "log", fileSystem: disk)
    for number in 1...count { _ = try history.takeSnapshot(at: number * step) }
    let kept = try keep().kept
    #expect(kept.error == nil && kept.sizes.isEmpty == (count == 13), "\(kept)")
    #expect(try keep().kept.sizes.isEmpty)
    let store = SnapshotStore(at: "log", fileSystem: disk)
    let bytes = try store.revisions().reduce(0) { sum, revision in try sum + contents(of: revision).count }
    #expect(bytes <= history.reader.segments.reduce(0) { sum, segment in sum + segment.sizeBytes })
  }

  /// Without a measurement a replay must not assume that an action takes longer than the replay before has measured. A snapshot has
  /// four megabytes, so that one is due after 108 000 actions, or after 52 000 that take 4 µs each.
  @Test func aSecondReplayAddsNone() async throws {
    try await write([.name(String(repeating: "a", count: 4_000_000))] + (1...160_000).map(TallyAction.add))
    let first = try keep().kept
    #expect(first.error == nil && first.sizes.count == 2, "\(first)")
    #expect(try keep().kept.sizes.isEmpty)
    #expect(try keep { .seconds(1) }.kept.sizes.isEmpty)
  }

  /// The model is slow, as a replay measures also where the log has its snapshots: one is due after each 31 000 actions.
  @Test func aGapIsFilledAgain() async throws {
    try await write([.name(String(repeating: "a", count: 4_000_000))] + (1...160_000).map(TallyAction.add))
    let readings = Locked(0)
    @Sendable func slowly() -> Duration {
      readings.withLock { readings in
        readings += 1
        return .seconds(readings)
      }
    }
    let first = try keep(uptime: slowly).kept.sizes.keys.sorted()
    #expect(first.count > 3, "\(first)")
    let store = SnapshotStore(at: "log", fileSystem: disk)
    for revision in first.dropFirst().dropLast() { try disk.remove(store.path(at: revision)) }
    let again = try keep(uptime: slowly).kept.sizes.keys.sorted()
    #expect(!again.isEmpty && again.count <= first.count - 2, "\(again)")
    #expect(try keep(uptime: slowly).kept.sizes.isEmpty)
  }

  /// 39 are due. Far from the end of the log the rule keeps one for each 4 096 actions, and the present one is that of the first ones.
  @Test func theRetentionRuleLimitsThem() async throws {
    try await write((1...20_000).map(TallyAction.add))
    let copy = disk.copy()
    _ = try await History<Tally>(at: "log", fileSystem: disk).takeSnapshot(at: 3_000)
    for (files, first) in [(disk, 3_000...3_000), (copy, 500...520)] {
      let kept = try keep(on: files).kept
      let all = try SnapshotStore(at: "log", fileSystem: files).revisions()
      #expect(kept.error == nil && all.first.map(first.contains) == true && (10...20).contains(all.count), "\(all)")
      #expect(SnapshotRetention.exponential(dense: 1).removed(from: all + [20_000]).isEmpty, "\(all)")
      #expect(try keep(on: files).kept.sizes.isEmpty)
    }
  }

  @Test func presentSnapshotsCount() async throws {
    try await write()
    try takeSnapshots(every: 1_200)
    let kept = try keep().kept.sizes.keys.sorted()
    // 65 536 bytes after each, unless there is one within twice as many; how long a line is depends a little on the progress of
    // the disk.
    #expect(kept.map { revision in revision / 100 } == [5, 17, 29], "\(kept)")
    #expect(try revisions() == (kept + [1_200, 2_400]).sorted())
  }

  /// The retention rule would remove most of them.
  @Test func presentSnapshotsStay() async throws {
    try await write((1...1_500).map(TallyAction.add))
    try takeSnapshots(every: 10)
    try await write((1_501...3_000).map(TallyAction.add))
    let present = try revisions()
    let kept = try keep().kept
    #expect(kept.error == nil && kept.sizes.count == 2 && present.count == 150, "\(kept)")
    #expect(try revisions() == (present + kept.sizes.keys).sorted())
  }

  /// They are the only record of what users saw. They do not count, and stay.
  @Test func snapshotsOfAnotherReducerStay() async throws {
    try await write()
    try takeSnapshots(every: 10)
    let others = try revisions()
    let bytes = try others.map { revision in try contents(of: revision) }
    enum Other: TallyModel {
      static var sourceFingerprint: String? { "doubling" }
      static func reduce(into state: inout TallyState, action: TallyAction) throws {
        try DoublingTally.reduce(into: &state, action: action)
      }
    }
    let kept = try keep(Other.self).kept
    #expect(kept.error == nil && kept.sizes.count == 5 && others.count == 300, "\(kept)")
    #expect(try revisions() == (others + kept.sizes.keys).sorted())
    #expect(try others.map { revision in try contents(of: revision) } == bytes)
  }

  @Test func onlyCompleteStatesAreKept() async throws {
    try await write((1...1_500).map { number in number == 700 ? .name("a") : .add(number) })
    enum Nameless: Model {
      enum Action: Codable, Equatable, Sendable { case add(Int) }
      static var name: String { "tally" }
      static var schema: Int { 1 }
      static var initialState: TallyState { TallyState() }
      static var sourceFingerprint: String? { "" }
      static func reduce(into state: inout TallyState, action: Action) {
        if case .add(let number) = action { state.sum += number }
      }
    }
    let (replayed, kept) = try keep(Nameless.self, unknownTypes: .keep)
    #expect(replayed.report.opaqueRecords == 1 && replayed.revision == 1_500)
    #expect(kept.sizes.count == 1 && kept.sizes.keys.allSatisfy { revision in revision < 700 })
    #expect((kept.error as? EventSourcingError)?.code == .unknownType)
  }

  @Test func nothingAfterDamageIsKept() async throws {
    try await write(segmentLimitBytes: 100_000)
    let segments = try await History<Tally>(at: "log", fileSystem: disk).reader.segments
    try disk.flipBit(0, ofByte: 5_000, in: try #require(segments.dropFirst(2).first).path)
    let (replayed, kept) = try keep()
    let damage = try #require(replayed.report.damage)
    #expect(kept.error == nil && kept.sizes.count > 1)
    #expect(kept.sizes.keys.allSatisfy { revision in revision <= damage.lastIntactRevision })
    #expect(try revisions() == kept.sizes.keys.sorted())
  }

  @Test(arguments: [FileCall.Operation.open, .append, .sync, .rename, .syncDirectory])
  func aFailedSnapshotEndsOnlyTheWriting(operation: FileCall.Operation) async throws {
    try await write()
    let suffix = operation == .syncDirectory ? "snapshots" : ".new"
    let files = FaultyFileSystem(
      disk, faults: [FileFault(operation, number: 2, lasts: true, code: .noSpace, pathSuffix: suffix)])
    let (replayed, kept) = try keep(on: files)
    #expect(files.firedCount > 0 && replayed.revision == 3_000)
    #expect((kept.error as? LogError)?.code == .noSpace)
    #expect(kept.sizes.count == 1)
    #expect(try disk.names(in: "log/snapshots").allSatisfy { name in name.hasSuffix(".json") })
    #expect(try await History<Tally>(at: "log", fileSystem: disk).replay().state == replayed.state)
  }

  /// A log that cannot be synced, a single segment, and a model without a fingerprint.
  @Test func aLogThatTakesNoneIsReplayedAllTheSame() async throws {
    try await write()
    let files = FaultyFileSystem(disk, faults: [FileFault(.sync, lasts: true, pathSuffix: ".jsonl")])
    let unsynced = try keep(on: files)
    #expect(unsynced.replayed.revision == 3_000 && (unsynced.kept.error as? LogError)?.code == .inputOutput)
    let single = try await History<Tally>(at: "log/0000000000000001.jsonl", fileSystem: disk)
      .replayKeepingSnapshots { .zero }
    #expect(single.replayed.revision == 3_000 && (single.kept.error as? LogError)?.code == .invalidArgument)
    let unidentified = try keep(DoublingTally.self)
    #expect(unidentified.replayed.revision == 3_000)
    #expect((unidentified.kept.error as? LogError)?.code == .invalidArgument)
    #expect(try revisions().isEmpty)
  }

  /// A writer records while the first snapshot is written. Snapshots are taken up to the end of the log at the beginning.
  @Test func aWriterMayBeRecording() async throws {
    try await write()
    let store = try RecordingStore<Tally>(
      at: "log", configuration: reproducible(Tally.self, durability: .written), fileSystem: disk)
    let files = FaultyFileSystem(disk) { call in
      guard call.operation == .rename, call.path.hasSuffix(".new") else { return }
      // The replay runs on the main actor.
      MainActor.assumeIsolated {
        guard store.logStatus.lastRevision == 3_000 else { return }
        for number in 1...500 { #expect(throws: Never.self) { try store.dispatch(action: .add(number)) } }
      }
    }
    let (_, kept) = try keep(on: files)
    #expect(store.logStatus.lastRevision == 3_500 && kept.error == nil && kept.sizes.count > 3)
    #expect(kept.sizes.keys.allSatisfy { revision in revision <= 3_000 })
    try await store.close()
    let replayed = try await History<Tally>(at: "log", fileSystem: disk).replay()
    #expect(replayed.revision == 3_500 && replayed.report.snapshotsRefused.isEmpty)
  }

  /// The actions that were folded are not those of the log any more: another log has replaced it at its path.
  @Test func aReplacedLogReceivesNoSnapshot() async throws {
    try await write()
    try await write((1...3_000).map { number in .add(-number) }, at: "other")
    let disk = disk
    // The log is replaced after the first snapshot was renamed, when a segment is opened next.
    let isArmed = Locked(false)
    let files = FaultyFileSystem(disk) { call in
      if call.operation == .rename { isArmed.withLock { isArmed in isArmed = true } }
      guard call.operation == .open, call.path.hasSuffix(".jsonl") else { return }
      guard isArmed.withLock({ isArmed in (isArmed, isArmed = false).0 }) else { return }
      #expect(throws: Never.self) {
        try disk.rename("log", to: "old")
        try disk.rename("other", to: "log")
      }
    }
    let (_, kept) = try keep(on: files)
    #expect((kept.error as? LogError)?.code == .rejected)
    #expect(try revisions().isEmpty && revisions("old").count == 1)
  }
}
