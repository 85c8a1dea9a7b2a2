import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import EventSourcing
import ImmutableData
import Platform
import TestSupport
import Testing

@Suite("After the reducer was changed")
struct FreezingTests {
  private let disk = MemoryFileSystem()

  /// Records ten ones. The later reducer counts double.
  @MainActor private func writeOnes(snapshots: SnapshotPolicy<TallyState> = .every(4)) async throws {
    try await record(
      Array(repeating: .add(1), count: 10), as: Tally.self, at: "log", in: disk,
      configuration: reproducible(Tally.self, snapshots: snapshots, digests: .every(2)))
  }

  private func frozenState(at revision: Int? = nil) throws -> Replayed<TallyState> {
    try History<DoublingTally>(at: "log", fileSystem: disk).replayOnFrozenBase(to: revision)
  }

  @Test @MainActor func aReplayFoldsOrBeginsWithTheRecordedState() async throws {
    try await writeOnes()
    let folded = try await History<DoublingTally>(at: "log", fileSystem: disk).replay(options: .checkingDigests())
    #expect(folded.state.sum == 20 && folded.report.divergences.first?.revision == 2)
    #expect(folded.report.snapshotsRefused.map(\.code) == [.otherReducer], "no stale snapshot is used")
    let frozen = try frozenState()
    #expect(frozen.report.frozenRevision == 8)
    #expect(frozen.state.sum == 8 + 2 * 2, "the recorded state is 8; the present code folds the later actions")
    #expect(try frozenState(at: 5).state.sum == 4 + 2)
    #expect(try frozenState(at: 1).state.sum == 2, "every digest up to it matches")
  }

  /// A fold of the log's first actions identifies the code of a snapshot. If these cannot be read at the moment, the snapshot is
  /// not trusted.
  @Test @MainActor func noDiskFailureMakesAStaleSnapshotTrusted() async throws {
    try await writeOnes()
    for lasts in [false, true] {
      var number = 0
      while true {
        number += 1
        let door = FaultyFileSystem(disk.copy(), faults: [FileFault(number: number, lasts: lasts)])
        do {
          let state = try await History<DoublingTally>(at: "log", fileSystem: door).replay()
          #expect(state.state.sum == 20, "call \(number), \(door.calls.suffix(3))")
        } catch {}
        if door.calls.count < number { break }
      }
      #expect(number > 10)
    }
  }

  /// The present code folds the last actions; only the digest that closing writes shows that they differ.
  @Test @MainActor func aChangeOfTheLastActionsIsDetected() async throws {
    try await record(
      (1...10).map { number in .add(number) }, as: Tally.self, at: "log", in: disk,
      configuration: reproducible(Tally.self, snapshots: .every(4)))
    #expect(try disk.records().filter { record in record.type == "@digest" }.map(\.revision) == [0, 4, 8, 10])
    let changed = try await History<CappingTally>(at: "log", fileSystem: disk)
    let proof = try changed.prove()
    #expect(proof.disagreements.map(\.kind) == [.digest])
    #expect(proof.disagreements.map(\.revision) == [10] && proof.disagreements.map(\.lastAgreement) == [8])
    let error = try #require(throws: EventSourcingError.self) { try changed.freezeBase(into: "frozen") }
    #expect(error.code == .divergence && error.revision == 10)
    #expect(error.advice?.description.contains("branch LOG NEW --at 8") == true)
    #expect(try changed.freezeBase(into: "frozen", at: 8).frozenRevision == nil, "up to there nothing differs")
  }

  @Test @MainActor func closingWritesADigestOnlyOfItsOwnActions() async throws {
    func digests() throws -> [Int] {
      try disk.records().filter { record in record.type == "@digest" }.map(\.revision)
    }
    func open(_ policy: DigestPolicy) throws -> Recorder<Tally> {
      try Recorder(at: "log", configuration: reproducible(Tally.self, digests: policy), fileSystem: disk)
    }
    let killed = try open(.withSnapshots)
    let store = try killed.makeStore()
    try store.dispatch(action: .add(1))
    try await killed.sync()
    await killed.abandon()
    try await open(.withSnapshots).close()
    #expect(try digests() == [0], "the states of the killed program are not known")

    let silent = try open(.onlyAtStart)
    try silent.makeStore().dispatch(action: .add(2))
    try await silent.close()
    #expect(try digests() == [0])
    for _ in 1...2 {
      let recorder = try open(.every(2))
      let store = try recorder.makeStore()
      try store.dispatch(action: .add(3))
      try await recorder.close()
    }
    #expect(try digests() == [0, 3, 4], "one at each revision")
    let synchronous = try RecordingStore<Tally>(
      at: "log", configuration: reproducible(Tally.self), fileSystem: disk)
    try synchronous.dispatch(action: .add(5))
    let full = disk.usedBytes
    disk.capacityBytes = full
    await #expect(throws: LogError.self) { try await synchronous.close() }
    disk.capacityBytes = nil
    try await synchronous.close()
    try await synchronous.close()
    #expect(try digests() == [0, 3, 4, 5])
    #expect(try await History<Tally>(at: "log", fileSystem: disk).prove().isProven)
  }

  @Test @MainActor func freezingNeedsASnapshotOfTheOldCode() async throws {
    try await writeOnes(snapshots: .never)
    let error = try #require(throws: EventSourcingError.self) { try frozenState() }
    #expect(error.code == .divergence)
    #expect(error.advice?.description.contains("No snapshot") == true)
  }

  @Test @MainActor func aSnapshotThatNoDigestProvesIsNotFrozen() async throws {
    try await writeOnes()
    let snapshots = SnapshotStore(at: "log", fileSystem: disk)
    var forged = try snapshots.read(at: 8)
    forged.state = Array(#"{"names":[],"sum":9}"#.utf8)
    try snapshots.publish(forged)
    #expect(try frozenState().report.frozenRevision == 4)
  }

  @Test @MainActor func anUnchangedReducerFreezesNothing() async throws {
    try await writeOnes()
    let replayed = try await History<Tally>(at: "log", fileSystem: disk).replayOnFrozenBase(to: nil)
    #expect(replayed.state.sum == 10 && replayed.report.frozenRevision == nil)
  }

  @Test @MainActor func aNewLogContinuesFromTheFrozenState() async throws {
    try await writeOnes(snapshots: .every(5))
    let before = try disk.contents(of: "log/0000000000000001.jsonl", limitBytes: 1 << 20)
    let history = try await History<DoublingTally>(at: "log", fileSystem: disk)
    for _ in 1...2 {
      let report = try history.freezeBase(into: "next", configuration: reproducible(DoublingTally.self).log)
      #expect(report.frozenRevision == 10, "it can be repeated")
    }
    let next = try await History<DoublingTally>(at: "next", fileSystem: disk)
    var parent = LogHeader.Parent(log: history.reader.header.log, revision: 10, crc: try last())
    parent.tree = try tree(through: 10)
    #expect(next.reader.header.parent == parent)
    #expect(try next.state().sum == 10)
    #expect(try next.prove().isProven)
    #expect(try disk.contents(of: "log/0000000000000001.jsonl", limitBytes: 1 << 20) == before)
    try await record([.add(1)], as: Tally.self, at: "other", in: disk, configuration: reproducible(Tally.self))
    let error = try #require(throws: LogError.self) { try history.freezeBase(into: "other") }
    #expect(error.code == .exists)
  }

  /// Wherever the program is killed or the power fails, the new log is absent or begins with the frozen state, and the call can be
  /// repeated.
  @Test @MainActor func theNewLogIsCompleteOrAbsent() async throws {
    try await writeOnes(snapshots: .every(5))
    let states = Locked<[(String, MemoryFileSystem)]>([])
    let whole = disk.copy()
    let door = FaultyFileSystem(whole) { call in
      let kinds: [(String, MemoryFileSystem)] = [
        ("killed", whole.copy()), ("cut off", whole.crash(.onlySyncedSurvives)),
        ("cut off, names kept", whole.crash(CrashModel(seed: 0, pageSurvival: 0, entrySurvival: 1, sizeSurvival: 0))),
      ]
      states.withLock { states in states += kinds.map { kind, disk in ("\(kind) before \(call)", disk) } }
    }
    func freeze(_ disk: any LogFileSystem) throws {
      _ = try History<DoublingTally>(at: "log", fileSystem: disk)
        .freezeBase(into: "next", configuration: reproducible(DoublingTally.self).log)
    }
    try freeze(door)
    let all = states.withLock { states in states }
    #expect(all.count > 100)
    var (absent, present) = (0, 0)
    for (point, disk) in all {
      if try disk.status(of: "next") == nil {
        absent += 1
      } else {
        present += 1
        let next = try await History<DoublingTally>(at: "next", fileSystem: disk)
        #expect(try next.state().sum == 10, "\(point)")
      }
      try freeze(disk)
      #expect(try await History<DoublingTally>(at: "next", fileSystem: disk).state().sum == 10, "\(point)")
    }
    #expect(absent > 20 && present > 0)
  }

  /// As an interrupted call once left it: it names its parent and has no initial records.
  @Test @MainActor func aLogWithAnotherStartIsNotTheNewLog() async throws {
    try await writeOnes(snapshots: .every(5))
    let history = try await History<DoublingTally>(at: "log", fileSystem: disk)
    let parent = LogHeader.Parent(log: history.reader.header.log, revision: 10, crc: try last())
    let writer = try LogWriter.open(
      at: "next", model: DoublingTally.name, schema: DoublingTally.schema, parent: parent, fileSystem: disk)
    try writer.closeNow()
    let error = #expect(throws: LogError.self) { try history.freezeBase(into: "next") }
    #expect(error?.code == .exists && error?.path == "next")
  }

  /// The header of a new log proves which lines of the old one it continues, also if the old one was pruned.
  @Test(arguments: [nil, 6, 9]) @MainActor func aNewLogNamesTheTreeOfTheOldOne(prunedBefore: Int?) async throws {
    let configuration = reproducible(Tally.self).log
    for start in [1, 5, 8] {
      let writer = try LogWriter.open(
        at: "log", model: Tally.name, schema: Tally.schema, fileSystem: disk,
        configuration: LogConfiguration(segmentLimitBytes: 600, environment: configuration.environment))
      for _ in start...(start == 8 ? 10 : start == 1 ? 4 : 7) {
        try writer.appendNow([LogDraft(type: "add", data: Array(#"{"_0":1}"#.utf8))])
      }
      try writer.closeNow()
    }
    _ = try EvidenceStore(log: "log", fileSystem: disk).update()
    if let prunedBefore {
      let pruning = try LogPruning(at: "log", before: prunedBefore, fileSystem: disk)
      _ = try pruning.run(reason: "test", actor: nil, archive: nil, environment: configuration.environment) { _ in
        let state = Array(#"{"names":[],"sum":\#(pruning.firstRevision - 1)}"#.utf8)
        return LogPruning.State(
          bytes: state, digest: SHA256.hexadecimal(state), model: Tally.name, schema: Tally.schema, reducer: "test")
      }
    }
    let history = try await History<Tally>(at: "log", fileSystem: disk)
    let base = history.reader.base
    #expect((base != nil) == (prunedBefore != nil))
    for revision in (base?.revision ?? 0)...10 {
      try history.freezeBase(into: "next-\(revision)", at: revision)
      let header = try LogReader.open(at: "next-\(revision)", fileSystem: disk).header
      let expected = try revision == base?.revision ? nil : tree(through: revision)
      if let expected {
        #expect(header.parent?.tree == expected, "revision \(revision)")
      } else {
        #expect(header.parent?.tree?.lines == base?.lineCount)
      }
    }
  }

  /// A log that an older program froze has no tree in its header.
  @Test @MainActor func aNewLogWithoutATreeIsTheSame() async throws {
    try await writeOnes(snapshots: .every(5))
    let history = try await History<DoublingTally>(at: "log", fileSystem: disk)
    try history.freezeBase(into: "next")
    let path = "next/0000000000000001.jsonl"
    var (bytes, last) = ([UInt8](), UInt32(0))
    for line in try disk.contents(of: path, limitBytes: 1 << 20).split(separator: UInt8(ascii: "\n")) {
      var text = String(decoding: line.dropLast(#","crc":"01234567"}"#.utf8.count), as: UTF8.self)
      if bytes.isEmpty {
        text = text.replacing(/,"lines":\d+,"root":"[^"]+"/, with: "")
      } else {
        text = text.replacing(
          /"prev":"[0-9a-f]{8}"/, with: "\"prev\":\"\(ChecksumDigits.text(last))\"", maxReplacements: 1)
      }
      last = CRC32C.checksum(of: Array(text.utf8))
      var rewritten = Array(text.utf8)
      CommitMark.append(to: &rewritten)
      bytes += rewritten
    }
    try disk.setContents(bytes, of: path)
    try disk.remove("next/HEAD")
    let header = try LogReader.open(at: "next", fileSystem: disk).header
    #expect(header.parent?.revision == 10 && header.parent?.tree == nil)
    #expect(try history.freezeBase(into: "next").frozenRevision == 10)
    #expect(try await History<DoublingTally>(at: "next", fileSystem: disk).state().sum == 10)
  }

  /// The tree of the lines up to an action, from the tiles.
  private func tree(through revision: Int) throws -> LineTree {
    let store = EvidenceStore(log: "log", fileSystem: disk)
    var tiles = store.tiles(size: try store.update().size)
    var index = 0
    if revision > 0 {
      let line = try LogReader.open(at: "log", fileSystem: disk).record(at: revision).rawLine
      index = try #require(try store.index(ofLine: line, from: revision))
    }
    return LineTree(lines: index + 1, root: try tiles.root(size: index + 1))
  }

  private func last() throws -> UInt32 {
    try LogReader.open(at: "log", fileSystem: disk).record(at: 10).crc
  }

  @Test @MainActor func aRecorderFollowsItsDivergencePolicy() async throws {
    try await writeOnes(snapshots: .every(5))
    func open(_ policy: RecordingDivergencePolicy) throws -> RecordingStore<DoublingTally> {
      var configuration = reproducible(DoublingTally.self)
      configuration.onDivergence = policy
      return try RecordingStore(at: "log", configuration: configuration, fileSystem: disk)
    }
    let error = #expect(throws: EventSourcingError.self) { try open(.fail) }
    #expect(error?.code == .divergence && error?.revision == 2)
    let frozen = try open(.freezeBase(into: "next"))
    #expect(frozen.path == "next" && frozen.state.sum == 10)
    try frozen.dispatch(action: .add(5))
    try await frozen.close()
    let again = try open(.freezeBase(into: "next"))
    #expect(again.path == "next" && again.state.sum == 20 && again.restored.revision == 1)
    try await again.close()
    let folded = try open(.useFold)
    #expect(folded.path == "log" && folded.state.sum == 20, "nobody is locked out of the old log")
    try await folded.close()
    let other = #expect(throws: LogError.self) { try open(.freezeBase(into: "log")) }
    #expect(other?.code == .exists, "a log is not its own successor")
  }

  @Test @MainActor func withoutADivergenceTheLogContinues() async throws {
    try await writeOnes()
    var configuration = reproducible(Tally.self)
    configuration.onDivergence = .freezeBase(into: "next")
    let store = try RecordingStore<Tally>(at: "log", configuration: configuration, fileSystem: disk)
    #expect(store.path == "log" && store.state.sum == 10)
    try await store.close()
    #expect(try disk.status(of: "next") == nil)
  }
}
