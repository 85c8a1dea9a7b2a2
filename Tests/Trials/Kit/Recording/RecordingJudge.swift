import ActionLog
import EventSourcing
import ImmutableData
import Platform

/// Looks at what the end of a world left of a recorded program: the log, its snapshots, and the states rebuilt of them.
@MainActor struct RecordingJudge {
  /// What must be in the log.
  let level: Knowledge.Level
  /// Whether there may be damage, so that the log may be refused and snapshots may reach further than it.
  let mayRefuse: Bool

  /// What is wrong; `nil` when nothing is.
  ///
  /// - Parameters:
  ///   - disk: What was left. It is changed.
  ///   - knowledge: What the program had been told.
  ///   - door: The way that the next program takes to the disk.
  func flaw(
    _ disk: MemoryFileSystem, _ knowledge: Knowledge, through door: (any LogFileSystem)? = nil
  ) async -> Flaw? {
    do {
      if let flaw = try flawOfStates(disk, knowledge) { return flaw }
    } catch let error as LogError where [.notFound, .notALog, .damaged].contains(error.code) {
      // What must be there is asked for below.
    } catch {
      if !mayRefuse { return .failed("a reader: \(error)") }
    }
    do {
      return try await flawOfGoingOn(disk, knowledge, through: door ?? disk)
    } catch let error as LogError {
      return .refused(error)
    } catch {
      return mayRefuse ? nil : .failed("\(error)")
    }
  }

  /// Of so many snapshots the states are rebuilt, the newest ones and the oldest.
  private static let snapshotCount = 4

  /// Rebuilds the last state with snapshots and without, and states that there is a snapshot of.
  private func flawOfStates(_ disk: MemoryFileSystem, _ knowledge: Knowledge) throws -> Flaw? {
    let history = try History(SimulatedLog.path, model: RecordedModel.self, fileSystem: disk)
    let last = try history.state()
    if let flaw = flaw(of: last, knowledge, atLeast: mayRefuse ? .nothing : level) { return flaw }
    let folded = try history.state(options: .withoutSnapshots)
    if let flaw = flaw(of: folded, knowledge, atLeast: .nothing) { return flaw }
    if !mayRefuse, folded.revision != last.revision {
      return .unverified("the log ends at \(folded.revision), its snapshots lead to \(last.revision)")
    }
    let revisions = try history.snapshots?.revisions() ?? []
    for revision in revisions.suffix(Self.snapshotCount - 1) + revisions.dropLast(Self.snapshotCount - 1).prefix(1) {
      // A state that was never durable is not to be found in a snapshot, either.
      if !mayRefuse, revision > folded.revision {
        return .unverified("a snapshot at \(revision), a log of \(folded.revision)")
      }
      guard revision <= last.revision else { continue }
      if let flaw = flaw(of: try history.state(at: revision), knowledge, atLeast: .nothing) { return flaw }
    }
    return nil
  }

  /// Whether a state is the fold of what it says that it is, and that is what was recorded.
  private func flaw(
    of replayed: Replayed<RecordedModel.State>, _ knowledge: Knowledge, atLeast level: Knowledge.Level
  ) -> Flaw? {
    let attempts = replayed.state.attempts
    guard replayed.revision == attempts.count, replayed.state == RecordedModel.State(folding: attempts) else {
      return .unverified("the state at \(replayed.revision) is no fold of its \(attempts.count) actions")
    }
    return knowledge.flaw(in: Knowledge.Found.sequence(attempts), atLeast: level)
  }

  /// Goes on as the next program does, and looks at all of it again.
  private func flawOfGoingOn(
    _ disk: MemoryFileSystem, _ knowledge: Knowledge, through door: any LogFileSystem
  ) async throws -> Flaw? {
    var configuration = RecordingConfiguration<RecordedModel>(
      log: LogConfiguration(environment: .simulated()), snapshots: .every(1))
    configuration.log.segmentLimitBytes = 3_000
    let store = try RecordingStore<RecordedModel>(
      opening: SimulatedLog.path, configuration: configuration, fileSystem: door)
    if let flaw = flaw(of: store.restored, knowledge, atLeast: level) {
      await store.abandon()
      return flaw
    }
    let attempts = store.state.attempts + [0]
    do {
      try await store.dispatch(durably: .offered(attempts.count, by: 0))
      try await store.close()
    } catch {
      await store.abandon()
      throw error
    }
    let found = try SimulatedLog(disk, segmentLimitBytes: 1).actions()
    // Where a snapshot stood behind damage, what lies before it can be read no more.
    guard found == Knowledge.Found.sequence(attempts) || mayRefuse else {
      return .unverified("what was dispatched after the opening does not stand behind what was found")
    }
    let last = try History(SimulatedLog.path, model: RecordedModel.self, fileSystem: disk).state()
    guard last.state == RecordedModel.State(folding: attempts) else {
      return .unverified("after going on, the last state is not the live one")
    }
    let report = try LogVerifier.verify(SimulatedLog.path, fileSystem: disk)
    return report.verdict == .clean || mayRefuse ? nil : .unverified("\(report.problems)")
  }
}

extension ReplayOptions {
  /// Every action is folded.
  fileprivate static var withoutSnapshots: ReplayOptions {
    var options = ReplayOptions()
    options.usesSnapshots = false
    return options
  }
}
