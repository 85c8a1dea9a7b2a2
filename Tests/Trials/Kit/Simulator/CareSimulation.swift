package import ActionLog
import Platform
import TestSupport

/// Backups and salvages of which the world ends in the middle, and repairs of what it left.
///
/// The promise is that what lies at the target is the whole copy, or is refused; never the beginning of one that opens
/// like a log.
package struct CareSimulation: Sendable {
  /// What is done to a log.
  package enum Care: String, Sendable, CaseIterable {
    /// A log that is being written is copied.
    case backup
    /// A log with a damaged line is salvaged.
    case salvage
    /// The same, with the good lines from beyond the damage joined.
    case salvageJoining = "salvage-joining"
  }

  /// How it ends.
  package enum End: String, Sendable, CaseIterable {
    /// The power is cut.
    case powerCut = "power-cut"
    /// The process is killed.
    case kill
    /// The disk is full, and the work fails.
    case fullDisk = "full-disk"
    /// A call fails, and the work with it.
    case failure
  }

  /// Where the copy is made.
  package static let target = "/copy"

  /// Where the draws begin.
  package var seed: UInt64
  /// What is done.
  package var care: Care
  /// How it ends.
  package var end: End

  /// Makes a run.
  package init(seed: UInt64, care: Care, end: End) {
    self.seed = seed
    self.care = care
    self.end = end
  }

  /// Does the work over and over, with the end at each of its calls in turn.
  package func run() -> SimulationTally {
    var generator = SeededGenerator(seed: seed)
    let source: MemoryFileSystem
    let wanted: CareWanted
    do throws(LogError) {
      (source, wanted) = try prepare(&generator)
    } catch {
      var tally = SimulationTally()
      tally.add(flaw: "\(care.rawValue), seed \(seed): the log could not be made: \(error)")
      return tally
    }
    switch end {
    case .powerCut, .kill: return interrupt(source.copy(), wanted, generator)
    case .fullDisk, .failure: return fail(source, wanted)
    }
  }

  /// A log of some segments, for a salvage with a bad line; and what the copy must hold.
  private func prepare(_ generator: inout SeededGenerator) throws(LogError) -> (MemoryFileSystem, wanted: CareWanted) {
    let disk = MemoryFileSystem()
    let log = SimulatedLog(disk, segmentLimitBytes: 2_000)
    let writer = try log.open(schema: 1)
    let count = Int.random(in: 5...20, using: &generator)
    for number in 1...count {
      try writer.commit([.numbered(number, attempt: number, fill: Int.random(in: 0...600, using: &generator))])
    }
    if Bool.random(using: &generator) { try writer.closeNow() } else { writer.abandon() }
    do throws(FileSystemError) {
      let whole = try CareWanted.lines(on: disk)
      if care != .backup {
        let segment = whole.indices.randomElement(using: &generator) ?? 0
        let length = whole[segment].lines.reduce(0) { sum, line in sum + line.count + 1 }
        // Any bit of any segment, line feeds too.
        let byte = Int.random(in: 0..<length, using: &generator)
        try disk.flipBit(Int.random(in: 0..<8, using: &generator), ofByte: byte, in: whole[segment].path)
      }
      return (disk, try CareWanted(whole, on: disk, joins: care == .salvageJoining))
    } catch {
      throw LogError(.inputOutput, "the log cannot be prepared", underlying: error)
    }
  }

  private func work(_ door: any LogFileSystem) throws(LogError) {
    switch care {
    case .backup: _ = try LogBackup.backup(SimulatedLog.path, to: Self.target, fileSystem: door)
    case .salvage, .salvageJoining:
      _ = try LogSalvage.salvage(
        SimulatedLog.path, to: Self.target, join: care == .salvageJoining, fileSystem: door, environment: .simulated())
    }
  }

  private func interrupt(_ disk: MemoryFileSystem, _ wanted: CareWanted, _ generator: SeededGenerator)
    -> SimulationTally
  {
    let tally = Locked(SimulationTally())
    let seeds = Locked(generator)
    let door = FaultyFileSystem(disk) { call in
      guard call.operation.changesDisk else { return }
      let left =
        end == .kill
        ? disk.copy() : seeds.withLock { seeds in disk.crash(CrashModel.drawn(&seeds, stale: false)) }
      look(at: left, wanted, "before \(call)", tally)
    }
    do throws(LogError) {
      try work(door)
      // When it has returned, the copy is there to stay.
      look(at: disk.crash(.onlySyncedSurvives), wanted, "at the end", tally, mustBeThere: true)
    } catch {
      tally.withLock { tally in tally.add(flaw: "\(care.rawValue), seed \(seed): \(error)") }
    }
    return tally.withLock { tally in tally }
  }

  private func fail(_ source: MemoryFileSystem, _ wanted: CareWanted) -> SimulationTally {
    let tally = Locked(SimulationTally())
    var number = 1
    while number < Self.callLimit {
      let disk = source.copy()
      // Full from a call on, so that nothing can be written, but things can be removed.
      let fault = Fault(number: number, lasts: false, code: end == .fullDisk ? .noSpace : .inputOutput)
      let faults =
        end == .fullDisk
        ? [FileCall.Operation.append, .createDirectory].map { operation in
          Fault(operation, number: number, lasts: true, code: .noSpace, partialWrite: .half)
        } : [fault]
      let door = FaultyFileSystem(disk, faults: faults)
      do throws(LogError) { try work(door) } catch {
        look(at: disk, wanted, "after \(error)", tally)
        retry(on: disk, wanted, number, tally)
      }
      guard door.firedCount > 0 else { return tally.withLock { tally in tally } }
      number += 1
    }
    return tally.withLock { tally in tally }
  }

  /// Far more calls than a copy makes.
  private static let callLimit = 10_000

  /// What failed can be done again once the cause is gone.
  private func retry(
    on disk: MemoryFileSystem, _ wanted: CareWanted, _ number: Int, _ tally: Locked<SimulationTally>
  ) {
    do throws(LogError) {
      try work(disk)
      look(at: disk, wanted, "done again after failure \(number)", tally, mustBeThere: true)
    } catch {
      // The failure may have come after the copy was complete.
      guard error.code != .exists else { return }
      tally.withLock { tally in
        tally.add(flaw: "\(care.rawValue), seed \(seed), call \(number): it cannot be done again: \(error)")
      }
    }
  }

  /// Looks at what lies at the target.
  private func look(
    at disk: MemoryFileSystem, _ wanted: CareWanted, _ place: String, _ tally: Locked<SimulationTally>,
    mustBeThere: Bool = false
  ) {
    let flaw = Self.flaw(at: disk, wanted, mustBeThere: mustBeThere)
    tally.withLock { tally in
      tally.states += 1
      if let flaw { tally.add(flaw: "\(care.rawValue), \(end.rawValue), seed \(seed), \(place): \(flaw)") }
    }
  }
}

extension CareSimulation {
  /// What is wrong with what lies at the target: it is a log that opens with just what is wanted and verifies as whole, with all that
  /// was to be set aside, or there is none. One that is refused as damaged is neither.
  ///
  /// - Parameters:
  ///   - wanted: What the copy must hold.
  ///   - mustBeThere: Whether there must be one.
  package static func flaw(at disk: MemoryFileSystem, _ wanted: CareWanted, mustBeThere: Bool) -> String? {
    do throws(LogError) {
      let found = try SimulatedLog(disk, segmentLimitBytes: 1).contents(from: target)
      if found != wanted.actions {
        return "the copy opens with \(found.count) of \(wanted.actions.count) actions, or with others"
      }
      let report = try LogVerifier.verify(target, fileSystem: disk)
      if report.verdict != .clean { return "the copy opens and is \(report.verdict.rawValue): \(report.problems)" }
    } catch {
      let isAbsent = error.code == .notFound || error.code == .notALog
      return isAbsent && !mustBeThere ? nil : "\(error)"
    }
    guard !wanted.setAside.isEmpty else { return nil }
    do throws(FileSystemError) {
      let kept = Set(try disk.contents(of: target + "/after-gap.jsonl").split(separator: 10).map(Array.init))
      let missing = wanted.setAside.count { line in !kept.contains(line) }
      return missing == 0 ? nil : "\(missing) of \(wanted.setAside.count) lines were not set aside"
    } catch {
      return "\(wanted.setAside.count) lines were not set aside: \(error)"
    }
  }
}
