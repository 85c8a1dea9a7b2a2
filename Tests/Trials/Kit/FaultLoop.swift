package import ActionLog
package import ActionLogTesting
import Platform
import TestSupport

/// Fails every call to the file system in turn, once or permanently, with every kind of error: while a program is
/// running, and during the recovery after a crash.
package struct FaultLoop: Sendable {
  /// The kind of a failure.
  package struct Way: Sendable, CustomStringConvertible {
    package var code: FileSystemError.Code
    package var lasts: Bool
    package var partial: FileFault.PartialWrite

    /// For instance `noSpace, once, writing half`.
    package var description: String { "\(code), \(lasts ? "for ever" : "once"), writing \(partial)" }

    /// All kinds: each error, once and permanently, after nothing, half or all of a write.
    package static let all: [Way] = [FileSystemError.Code.inputOutput, .noSpace, .fileTooLarge, .readOnlyFileSystem]
      .flatMap { code in
        [FileFault.PartialWrite.none, .half, .all].flatMap { partial in
          [false, true].map { lasts in Way(code: code, lasts: lasts, partial: partial) }
        }
      }
  }

  /// The seed of all random choices.
  package var seed: UInt64
  /// The kind of the failures.
  package var way: Way
  /// The number of steps of the program.
  package var steps: Int

  /// Creates a loop.
  package init(seed: UInt64, way: Way, steps: Int = 12) {
    self.seed = seed
    self.way = way
    self.steps = steps
  }

  private static let segmentLimitBytes = 2_000
  /// The maximum number of calls, far more than a run makes.
  private static let callLimit = 100_000

  /// Fails every call of a program in turn. The tally counts the failures as states.
  package func failProgram() -> SimulationTally {
    var tally = SimulationTally()
    for number in 1..<Self.callLimit {
      let disk = MemoryFileSystem()
      let door = FaultyFileSystem(disk, faults: [fault(number)])
      var program = SimulatedProgram(seed: seed)
      program.callsFail = true
      program.levelBetweenLives = level
      program.run(SimulatedLog(door, segmentLimitBytes: Self.segmentLimitBytes), steps: steps)
      guard door.firedCount > 0 else { return tally }
      let known = program.knowledge.withLock { knowledge in knowledge }
      for flaw in program.flaws.withLock({ flaws in flaws }) {
        tally.add(flaw: "seed \(seed), \(way), call \(number) (\(door.calls[number - 1])), between two runs: \(flaw)")
      }
      look(at: disk, known, level, number, door, &tally)
    }
    return tally
  }

  /// Fails every call of the recovery of a log with a torn tail after a power cut.
  package func failRecovery() -> SimulationTally {
    var tally = SimulationTally()
    guard let (torn, known) = tornLog() else { return tally }
    for number in 1..<Self.callLimit {
      let disk = torn.copy()
      let door = FaultyFileSystem(disk, faults: [fault(number)])
      do throws(LogError) {
        let log = SimulatedLog(door, segmentLimitBytes: Self.segmentLimitBytes)
        let writer = try log.open(schema: 1_000)
        defer { writer.abandon() }
        // The fault is over, and the writer has done what it could.
        _ = try writer.syncNow()
      } catch {
        // The error may be any, but the files must be intact.
      }
      guard door.firedCount > 0 else { return tally }
      look(at: disk, known, .synchronized, number, door, &tally)
    }
    return tally
  }

  /// Whether a failed sync discards all writes since the last sync, as on Linux: in two thirds of the kinds.
  private var losesData: Bool { way.partial != .none }

  /// The actions that must survive without a power cut: all written ones, unless a failed sync can have discarded them.
  private var level: Knowledge.Level { losesData ? .synchronized : .written }

  private func fault(_ number: Int) -> FileFault {
    FileFault(
      nil, number: number, lasts: way.lasts, code: way.code, partialWrite: way.partial, losesData: losesData)
  }

  /// Opens the log after the fault is over, and also after a power cut during the fault.
  private func look(
    at disk: MemoryFileSystem, _ known: Knowledge, _ level: Knowledge.Level, _ number: Int, _ door: FaultyFileSystem,
    _ tally: inout SimulationTally
  ) {
    tally.states += 1
    var seeds = SeededGenerator(seed: seed &* 7_919 &+ UInt64(number))
    let ends: [(MemoryFileSystem, Knowledge.Level, String)] = [
      (disk.copy(), level, ""), (disk.crash(.drawn(&seeds, stale: false)), .synchronized, ", then a power cut"),
      (disk.crash(.onlySyncedSurvives), .synchronized, ", then the worst power cut"),
    ]
    for (left, level, name) in ends {
      let judge = LogJudge(level: level, segmentLimitBytes: Self.segmentLimitBytes)
      guard let flaw = judge.prefixFlaw(left, known) ?? judge.flaw(left, known) else { continue }
      tally.add(flaw: "seed \(seed), \(way), call \(number) (\(door.calls[number - 1]))\(name): \(flaw)")
    }
  }

  /// Creates a log with a torn tail, and returns the program's knowledge.
  private func tornLog() -> (MemoryFileSystem, Knowledge)? {
    for attempt in 0..<UInt64(Self.callLimit) {
      let found = Locked<(MemoryFileSystem, Knowledge)?>(nil)
      let disk = MemoryFileSystem()
      var program = SimulatedProgram(seed: seed &+ attempt)
      let knowledge = program.knowledge
      let door = FaultyFileSystem(disk) { call in
        guard call.operation == .sync, found.withLock({ found in found == nil }) else { return }
        var seeds = SeededGenerator(seed: seed &+ attempt)
        let left = disk.crash(.drawn(&seeds, stale: false))
        guard Self.isTorn(left) else { return }
        let known = knowledge.withLock { knowledge in knowledge }
        found.withLock { found in found = (left, known) }
      }
      program.run(SimulatedLog(door, segmentLimitBytes: Self.segmentLimitBytes), steps: steps)
      if let found = found.withLock({ found in found }) { return found }
    }
    return nil
  }

  private static func isTorn(_ disk: MemoryFileSystem) -> Bool {
    do throws(LogError) {
      let extent = try LogReader.open(at: SimulatedLog.path, fileSystem: disk).extent()
      if case .torn = extent.ending { return extent.lastRevision > 0 }
      return false
    } catch {
      return false
    }
  }
}
