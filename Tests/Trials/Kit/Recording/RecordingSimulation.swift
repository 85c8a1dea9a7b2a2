import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import EventSourcing
import ImmutableData
import Platform
import TestSupport

/// Runs a program that records a store, with snapshots, on a simulated disk, with a crash before every call that
/// changes the disk.
///
/// The seed determines everything except how a recorder divides several actions into batches.
@MainActor package struct RecordingSimulation {
  /// The seed of all random choices.
  package var seed: UInt64
  /// The connection between the program and the log.
  package var way: RecordedProgram.Way
  /// The kind of crash.
  package var end: RecordingEnd
  /// The number of steps of the program.
  package var steps: Int
  /// The program's mistake, in controls.
  package var mistake: RecordedProgram.Mistake?

  /// Creates a run.
  package init(seed: UInt64, way: RecordedProgram.Way, end: RecordingEnd, steps: Int = 25) {
    self.seed = seed
    self.way = way
    self.end = end
    self.steps = steps
  }

  /// A disk after a crash, to be checked after the program has ended: the next program runs on the same actor.
  private struct Image: Sendable {
    var disk: MemoryFileSystem
    var knowledge: Knowledge
    var place: String
  }

  /// Runs the program.
  package func run() async -> SimulationTally {
    let disk = MemoryFileSystem()
    var generator = SeededGenerator(seed: seed)
    let faults = end.faults(&generator)
    let images = Locked<[Image]>([])
    let known = Locked<Locked<Knowledge>?>(nil)
    let seeds = Locked(generator)
    let end = end
    let door = FaultyFileSystem(disk, faults: faults) { call in
      guard call.operation.changesDisk, let known = known.withLock({ known in known }) else { return }
      // The program goes on while another thread syncs. It offers an action before it writes it and knows of a write
      // after it, so disk and knowledge belong together only if it learns nothing while the disk is copied.
      let image = known.withLock { knowledge in
        let left = seeds.withLock { generator in end.leftovers(of: disk, &generator) }
        return Image(disk: left, knowledge: knowledge, place: "before \(call)")
      }
      images.withLock { images in images.append(image) }
    }
    var program = RecordedProgram(seed: seed, way: way, level: end.level, mistake: mistake, door: door)
    let knowledge = program.knowledge
    known.withLock { known in known = knowledge }
    await program.run(steps: steps)

    var tally = SimulationTally()
    for flaw in program.flaws { add(flaw, "found by the next life", to: &tally) }
    for image in images.withLock({ images in images }) { await judge(image, &tally, seeds) }
    return tally
  }

  private func judge(_ image: Image, _ tally: inout SimulationTally, _ seeds: Locked<SeededGenerator>) async {
    let judge = RecordingJudge(level: end.level, mayRefuse: end.mayRefuse)
    tally.states += 1
    guard end == .powerCutInOpening else {
      if let flaw = await judge.flaw(image.disk, image.knowledge) { add(flaw, image.place, to: &tally) }
      if image.disk.filePaths.contains(where: { path in path.hasSuffix(".torn") }) { tally.torn += 1 }
      return
    }
    let again = Locked<[Image]>([])
    let door = FaultyFileSystem(image.disk) { call in
      guard call.operation.changesDisk else { return }
      let left = seeds.withLock { generator in
        image.disk.crash(CrashModel.drawn(&generator, stale: false))
      }
      let place = "\(image.place), and again before \(call)"
      again.withLock { again in
        again.append(Image(disk: left, knowledge: image.knowledge.afterJudge(), place: place))
      }
    }
    if let flaw = await judge.flaw(image.disk, image.knowledge, through: door) { add(flaw, image.place, to: &tally) }
    for image in again.withLock({ again in again }) {
      tally.states += 1
      if let flaw = await judge.flaw(image.disk, image.knowledge) { add(flaw, image.place, to: &tally) }
    }
  }

  private func add(_ flaw: Flaw, _ place: String, to tally: inout SimulationTally) {
    if flaw.isRefusal { tally.refusals += 1 }
    guard !flaw.isRefusal || !end.mayRefuse else { return }
    tally.add(flaw: "\(way.rawValue), \(end.rawValue), seed \(seed), \(place): \(flaw)")
  }
}

/// A kind of crash of a recording program.
package enum RecordingEnd: String, Sendable, CaseIterable {
  /// The power is cut.
  case powerCut = "power-cut"
  /// The power is cut, and again while the next program opens the log.
  case powerCutInOpening = "power-cut-in-opening"
  /// The process is killed.
  case kill
  /// Some calls fail, and finally the power is cut.
  case faults
  /// The process is killed, and a bit of a snapshot flips.
  case rottenSnapshot = "rotten-snapshot"
  /// The process is killed, and a bit of any file flips.
  case bitRot = "bit-rot"

  /// The remaining guarantee of the log.
  var level: Knowledge.Level {
    switch self {
    case .powerCut, .powerCutInOpening, .faults: .synchronized
    case .kill, .rottenSnapshot: .written
    case .bitRot: .nothing
    }
  }

  /// Whether the log may be refused as damaged.
  var mayRefuse: Bool { self == .bitRot }

  /// Draws the faults of the run.
  func faults(_ generator: inout SeededGenerator) -> [FileFault] {
    guard self == .faults else { return [] }
    return (0..<Int.random(in: 1...5, using: &generator)).map { _ in
      let operations: [FileCall.Operation?] = [
        .append, .append, .sync, .truncate, .rename, .write, .remove, .syncDirectory, .read, nil,
      ]
      let codes: [FileSystemError.Code] = [.noSpace, .inputOutput, .fileTooLarge, .readOnlyFileSystem]
      return FileFault(
        operations.randomElement(using: &generator) ?? nil, number: Int.random(in: 1...40, using: &generator),
        code: codes.randomElement(using: &generator) ?? .noSpace,
        partialWrite: [.none, .half, .all].randomElement(using: &generator) ?? .none,
        losesData: Bool.random(using: &generator))
    }
  }

  /// Returns the disk that the next program finds.
  func leftovers(of disk: MemoryFileSystem, _ generator: inout SeededGenerator) -> MemoryFileSystem {
    switch self {
    case .powerCut, .powerCutInOpening, .faults: return disk.crash(CrashModel.drawn(&generator, stale: false))
    case .kill: return disk.copy()
    case .rottenSnapshot:
      let left = disk.copy()
      left.rot(&generator) { path in path.contains("/snapshots/") }
      return left
    case .bitRot:
      let left = disk.copy()
      left.rot(&generator)
      return left
    }
  }
}

/// Checks the log and the snapshots of a recorded program after a crash, and the states replayed from them.
@MainActor struct RecordingJudge {
  /// The actions that must be in the log.
  let level: Knowledge.Level
  /// Whether there may be damage, so the log may be refused and snapshots may be newer than the log.
  let mayRefuse: Bool

  /// Returns the first flaw; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - disk: The disk after the crash, which the call changes.
  ///   - knowledge: The program's knowledge.
  ///   - door: The file system of the next program.
  func flaw(
    _ disk: MemoryFileSystem, _ knowledge: Knowledge, through door: (any LogFileSystem)? = nil
  ) async -> Flaw? {
    do {
      if let flaw = try flawOfStates(disk, knowledge) { return flaw }
    } catch let error as LogError where [.notFound, .notALog, .damaged].contains(error.code) {
      // The required actions are checked below.
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

  /// The number of snapshots whose states are replayed: the newest ones and the oldest.
  private static let snapshotCount = 4

  /// Replays the last state with and without snapshots, and the states of some snapshots.
  private func flawOfStates(_ disk: MemoryFileSystem, _ knowledge: Knowledge) throws -> Flaw? {
    let history = try History<RecordedModel>(at: SimulatedLog.path, fileSystem: disk)
    let last = try history.replay()
    if let flaw = flaw(of: last.state, at: last.revision, knowledge, atLeast: mayRefuse ? .nothing : level) {
      return flaw
    }
    let folded = try history.replay(options: .withoutSnapshots)
    if let flaw = flaw(of: folded.state, at: folded.revision, knowledge, atLeast: .nothing) { return flaw }
    if !mayRefuse, folded.revision != last.revision {
      return .unverified("the log ends at \(folded.revision), its snapshots lead to \(last.revision)")
    }
    let revisions = try history.snapshots?.revisions() ?? []
    for revision in revisions.suffix(Self.snapshotCount - 1) + revisions.dropLast(Self.snapshotCount - 1).prefix(1) {
      // A state that was never durable must not be in a snapshot, either.
      if !mayRefuse, revision > folded.revision {
        return .unverified("a snapshot at \(revision), a log of \(folded.revision)")
      }
      guard revision <= last.revision else { continue }
      let replayed = try history.replay(to: revision)
      if let flaw = flaw(of: replayed.state, at: replayed.revision, knowledge, atLeast: .nothing) { return flaw }
    }
    return nil
  }

  /// Checks that a state is the fold of its attempts, and that these were recorded.
  private func flaw(
    of state: RecordedModel.State, at revision: Int, _ knowledge: Knowledge, atLeast level: Knowledge.Level
  ) -> Flaw? {
    let attempts = state.attempts
    guard revision == attempts.count, state == RecordedModel.State(folding: attempts) else {
      return .unverified("the state at \(revision) is no fold of its \(attempts.count) actions")
    }
    return knowledge.flaw(in: Knowledge.Found.sequence(attempts), atLeast: level)
  }

  /// Continues like the next program, and checks everything again.
  private func flawOfGoingOn(
    _ disk: MemoryFileSystem, _ knowledge: Knowledge, through door: any LogFileSystem
  ) async throws -> Flaw? {
    var configuration = RecordingConfiguration<RecordedModel>(
      log: LogConfiguration(environment: .simulated()), snapshots: .every(1), onNotice: { _ in })
    configuration.log.segmentLimitBytes = 3_000
    let store = try RecordingStore<RecordedModel>(
      at: SimulatedLog.path, configuration: configuration, fileSystem: door)
    if let flaw = flaw(of: store.state, at: store.restored.revision, knowledge, atLeast: level) {
      await store.abandon()
      return flaw
    }
    let attempts = store.state.attempts + [0]
    do {
      try await store.dispatch(action: .offered(attempts.count, by: 0), awaiting: .synced)
      try await store.close()
    } catch {
      await store.abandon()
      throw error
    }
    let found = try SimulatedLog(disk, segmentLimitBytes: 1).actions()
    // If a snapshot is after damage, the actions before it can no longer be read.
    guard found == Knowledge.Found.sequence(attempts) || mayRefuse else {
      return .unverified("the actions dispatched after the opening do not follow the found ones")
    }
    let last = try await History<RecordedModel>(at: SimulatedLog.path, fileSystem: disk).replay()
    guard last.state == RecordedModel.State(folding: attempts) else {
      return .unverified("after continuing, the last state differs from the live one")
    }
    let report = try LogVerifier.verify(at: SimulatedLog.path, fileSystem: disk)
    return report.verdict == .clean || mayRefuse ? nil : .unverified("\(report.problems)")
  }
}

extension ReplayOptions {
  /// Options for a replay of all actions.
  fileprivate static var withoutSnapshots: ReplayOptions {
    var options = ReplayOptions()
    options.usesSnapshots = false
    return options
  }
}
