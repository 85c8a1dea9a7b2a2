import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import AnimalsData
import CounterData
import EventSourcing
import ImmutableData
import Platform
import TestSupport
import Testing

@MainActor @Suite("Histories of pruned logs", .timeLimit(.minutes(60)))
struct PrunedHistoryTests {
  private let disk = MemoryFileSystem()
  private let count = 300

  /// Records a log with snapshots, and returns its actions.
  private func record(_ seed: UInt64) async throws -> [AnimalsModel.Action] {
    let actions = acceptedActions(seed: seed, count: count)
    try await EventSourcingTests.record(
      actions, as: AnimalsModel.self, at: "log", in: disk,
      configuration: reproducible(AnimalsModel.self, snapshots: .every(50), segmentLimitBytes: 8_192))
    return actions
  }

  private func prune(before revision: Int) async throws -> PruneReport {
    try await History<AnimalsModel>(at: "log", fileSystem: disk)
      .prune(before: revision, reason: "test", actor: "u1", archive: "archive")
  }

  @Test(arguments: [120, 180]) func everyStateFromTheBaseOnIsWhatItWas(point: Int) async throws {
    let actions = try await record(1)
    let report = try await prune(before: point)
    let first = report.firstRevision
    #expect(first > 0 && first < point)
    let history = try await History<AnimalsModel>(at: "log", fileSystem: disk)
    for usesSnapshots in [true, false] {
      var options = ReplayOptions()
      options.usesSnapshots = usesSnapshots
      options.checksDigests = true
      for revision in first...count {
        let replayed = try history.replay(to: revision, options: options)
        #expect(replayed.state == (try folded(AnimalsModel.self, actions[..<revision])), "revision \(revision)")
        #expect(replayed.revision == revision)
        #expect(replayed.report.divergences.isEmpty)
        #expect(replayed.report.snapshotsRefused.isEmpty, "\(replayed.report.snapshotsRefused)")
      }
    }
    let decoded = try history.actions(in: first + 1...count)
    #expect(decoded.map(\.revision) == Array(first + 1...count))
  }

  @Test func statesBeforeTheBaseAreGone() async throws {
    _ = try await record(2)
    let first = try await prune(before: 150).firstRevision
    let history = try await History<AnimalsModel>(at: "log", fileSystem: disk)
    for revision in [0, 1, first - 1] {
      let error = #expect(throws: LogError.self) { try history.state(at: revision) }
      #expect(error?.code == .pruned, "\(String(describing: error))")
    }
    let range = #expect(throws: LogError.self) { try history.state(at: count + 1) }
    #expect(range?.code == .revisionOutOfRange)
    #expect(range?.advice?.description.contains("\(first)…\(count)") == true)
  }

  @Test func aHistoryThatWasOpenSeesTheBase() async throws {
    let actions = try await record(3)
    let history = try await History<AnimalsModel>(at: "log", fileSystem: disk)
    let first = try await prune(before: 150).firstRevision
    #expect(try history.state() == folded(AnimalsModel.self, actions))
    #expect(try history.state(at: first) == folded(AnimalsModel.self, actions[..<first]))
    let error = #expect(throws: LogError.self) { try history.state(at: first - 1) }
    #expect(error?.code == .pruned)
  }

  /// A second fold that begins after the log was pruned, as in another process.
  private struct LateWitness: ReplayWitness {
    let disk: MemoryFileSystem
    /// The number of folds before which the log is pruned, and put back before every second one.
    let pruningCount: Int
    let calls = Locked(0)

    var place: String { "later" }

    private func history() throws -> History<AnimalsModel> {
      let call = calls.withLock { calls in
        calls += 1
        return calls
      }
      let history = try History<AnimalsModel>(at: "log", fileSystem: disk)
      guard call <= pruningCount else { return history }
      if call.isMultiple(of: 2) {
        _ = try LogPruning.restore(
          at: "log", from: "archive", reason: "test", actor: nil, environment: .live, fileSystem: disk)
      } else {
        try history.prune(before: 150, reason: "test", archive: "archive")
      }
      return try history.refreshed()
    }

    func digests(at revisions: [Int]) throws -> [StateDigest] { try history().digests(at: revisions) }
    func canonicalState(at revision: Int) throws -> [UInt8] { try history().canonicalState(at: revision) }
  }

  @Test(arguments: [1, 2, 3]) func aPruningBetweenTwoFoldsIsNoDifference(pruningCount: Int) async throws {
    _ = try await record(8)
    let history = try await History<AnimalsModel>(at: "log", fileSystem: disk)
    let witness = LateWitness(disk: disk, pruningCount: pruningCount)
    let proof = try history.prove(against: witness)
    #expect(proof.isProven, "\(proof.disagreements)")
    #expect(proof.revision == count)
    #expect(witness.calls.withLock { calls in calls } > 1)
  }

  @Test func digestsBeforeTheBaseAreAnError() async throws {
    _ = try await record(9)
    let first = try await prune(before: 150).firstRevision
    let history = try await History<AnimalsModel>(at: "log", fileSystem: disk)
    let error = #expect(throws: LogError.self) { try history.digests(at: [0, first, count]) }
    #expect(error?.code == .pruned, "\(String(describing: error))")
    #expect(try history.digests(at: [first, count]).count == 2)
  }

  @Test func aRecorderContinuesAPrunedLog() async throws {
    let actions = try await record(4)
    _ = try await prune(before: 250)
    let configuration = reproducible(AnimalsModel.self, snapshots: .every(10), segmentLimitBytes: 8_192)
    let recorder = try await Recorder<AnimalsModel>.open(at: "log", configuration: configuration, fileSystem: disk)
    #expect(recorder.restored.revision == count)
    #expect(try recorder.makeStore().state == (try folded(AnimalsModel.self, actions)))
    try await recorder.close()
    let history = try await History<AnimalsModel>(at: "log", fileSystem: disk)
    let snapshot = try history.takeSnapshot()
    #expect(snapshot.snapshot.revision == count)
    #expect(try history.replay().report.snapshotsLoaded == 1)
  }

  @Test func aBaseThatIsPutBackChangesNoState() async throws {
    let actions = try await record(5)
    _ = try await prune(before: 150)
    _ = try LogPruning.restore(
      at: "log", from: "archive", reason: "test", actor: nil, environment: .live, fileSystem: disk)
    let history = try await History<AnimalsModel>(at: "log", fileSystem: disk)
    for revision in stride(from: 0, through: count, by: 17) {
      #expect(try history.state(at: revision) == folded(AnimalsModel.self, actions[..<revision]))
    }
    #expect(try LogVerifier.verify(at: "log", fileSystem: disk).verdict == .clean)
  }

  @Test func aStateThatADigestDeniesIsNoBase() async throws {
    _ = try await record(6)
    // The log of another model decodes as none of this one's actions.
    let error = await #expect(throws: (any Error).self) {
      try await History<CounterModel>(at: "log", fileSystem: disk, checksModelName: false)
        .prune(before: 150, reason: "test", archive: "archive")
    }
    #expect(error != nil)
    #expect(try disk.names(in: "log").contains("0000000000000001.jsonl"))
    #expect(!(try disk.names(in: "log").contains("base.json")))
  }
}
