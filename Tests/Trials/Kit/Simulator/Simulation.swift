import ActionLog
import ActionLogTesting
import Platform
import TestSupport

/// Runs a program on a simulated disk, with a failure before every call that changes the disk.
///
/// The seed determines the program, the failures, and the contents of the disk after them. A flaw names the seed.
package struct Simulation: Sendable {
  /// The seed of all random choices.
  package var seed: UInt64
  /// The simulated failure.
  package var failure: SimulatedFailure
  /// The number of steps of the program.
  package var steps: Int
  /// The number of states drawn before each call.
  package var drawsPerCall: Int
  /// The program's mistake, in controls.
  package var mistake: SimulatedProgram.Mistake?
  /// Whether syncs of directories are skipped, in a control.
  package var skipsDirectorySync = false
  /// Whether the last action disappears between two runs of the program, in a control.
  package var forgetsBetweenLives = false
  /// The engine's mistake at the next opening, in controls.
  package var recoveryMistake: RecoveryMistake?

  /// Creates a run.
  package init(seed: UInt64, failure: SimulatedFailure, steps: Int = 30, drawsPerCall: Int = 1) {
    self.seed = seed
    self.failure = failure
    self.steps = steps
    self.drawsPerCall = drawsPerCall
  }

  /// Runs the program.
  package func run() -> SimulationTally {
    let tally = Locked(SimulationTally())
    let disk = MemoryFileSystem()
    var generator = SeededGenerator(seed: seed)
    let segmentLimitBytes = segmentLimitBytes(&generator)
    let judge = LogJudge(level: failure.level, segmentLimitBytes: segmentLimitBytes)
    var program = SimulatedProgram(seed: seed, mistake: mistake)
    let knowledge = program.knowledge
    let faults = faults(&generator)
    program.callsFail = failure.callsFail
    program.queuesSeveralUnits = failure == .faultsAtRolls
    let keepsCache = failure == .faultsAtRolls && Bool.random(using: &generator)
    if faults.contains(where: { fault in fault.losesData && !fault.isSilent }) {
      program.levelBetweenLives = .synchronized
    }
    if forgetsBetweenLives { program.betweenLives = { disk.forgetLastAction() } }
    let judgeEnd: @Sendable (String) -> Void = { place in
      for _ in 0..<drawsPerCall {
        let number = tally.withLock { tally in
          tally.states += 1
          return tally.states
        }
        let known = knowledge.withLock { knowledge in knowledge }
        end(disk, known, judge, state: number, place, tally)
      }
    }
    let door = FaultyFileSystem(disk, faults: faults, keepsCache: keepsCache) { call in
      if call.operation.changesDisk { judgeEnd("before \(call)") }
    }
    program.run(SimulatedLog(door, segmentLimitBytes: segmentLimitBytes), steps: steps)
    judgeEnd("at the end")
    // Flaws found by the program come first, because later flaws can follow from them.
    var result = SimulationTally()
    for flaw in program.flaws.withLock({ flaws in flaws }) {
      result.add(flaw: "\(failure.rawValue), seed \(seed), between two runs: \(flaw)")
    }
    result.add(tally.withLock { tally in tally })
    return result
  }

  /// Draws the segment length from which on the next action begins a new segment.
  private func segmentLimitBytes(_ generator: inout SeededGenerator) -> Int {
    guard failure == .faultsAtRolls else { return [2_000, 20_000, 1 << 20][Int.random(in: 0..<3, using: &generator)] }
    let random = Int.random(in: 300...12_000, using: &generator)
    return [600, 900, 9_000, random].randomElement(using: &generator) ?? random
  }

  /// Draws a failing call, probably during a roll.
  private func faultAtRoll(_ generator: inout SeededGenerator) -> FileFault {
    let operations: [FileCall.Operation?] = [
      .sync, .sync, .sync, .rename, .rename, .syncDirectory, .append, .append, .truncate,
      .write, .remove, .open, .status, .names, .size, .read, nil,
    ]
    let suffixes: [String?] = [nil, nil, ".jsonl", ".jsonl", ".new", "HEAD"]
    let codes: [FileSystemError.Code] = [.inputOutput, .inputOutput, .noSpace, .readOnlyFileSystem]
    let parts: [FileFault.PartialWrite] = [.none, .half, .all, .bytes(Int.random(in: 0...5_000, using: &generator))]
    return FileFault(
      operations.randomElement(using: &generator) ?? nil, number: Int.random(in: 1...25, using: &generator),
      lasts: Int.random(in: 0..<8, using: &generator) == 0,
      code: codes.randomElement(using: &generator) ?? .inputOutput,
      pathSuffix: suffixes.randomElement(using: &generator) ?? nil,
      partialWrite: parts.randomElement(using: &generator) ?? .none, losesData: Bool.random(using: &generator))
  }

  /// Draws the faults of the run.
  private func faults(_ generator: inout SeededGenerator) -> [FileFault] {
    var faults: [FileFault] = []
    if skipsDirectorySync { faults.append(FileFault(.syncDirectory, lasts: true, isSilent: true)) }
    switch failure {
    case .faults, .faultsThenKill:
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let codes: [FileSystemError.Code] = [.noSpace, .inputOutput, .fileTooLarge, .readOnlyFileSystem]
        let parts: [FileFault.PartialWrite] = [.none, .half, .all, .bytes(Int.random(in: 0...400, using: &generator))]
        faults.append(
          FileFault(
            [.append, .append, .sync, .truncate, .rename, .write, .syncDirectory, nil].randomElement(
              using: &generator) ?? nil,
            number: Int.random(in: 1...30, using: &generator), code: codes.randomElement(using: &generator) ?? .noSpace,
            partialWrite: parts.randomElement(using: &generator) ?? .none,
            losesData: failure == .faults && Bool.random(using: &generator)))
      }
    case .faultsAtRolls:
      for _ in 0..<Int.random(in: 1...6, using: &generator) { faults.append(faultAtRoll(&generator)) }
    case .lyingSync:
      faults.append(FileFault(.sync, number: Int.random(in: 1...8, using: &generator), lasts: true, isSilent: true))
    default: break
    }
    return faults
  }
}

extension Simulation {
  /// Simulates the failure and checks the result.
  private func end(
    _ disk: MemoryFileSystem, _ knowledge: Knowledge, _ judge: LogJudge, state: Int, _ place: String,
    _ tally: Locked<SimulationTally>
  ) {
    var generator = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(state))
    let left = leftovers(of: disk, &generator)
    let before = left.copy()
    var flaw: Flaw?
    if failure == .powerCutInRecovery {
      flaw = flawWithCrashInRecovery(left, knowledge, judge, &generator, tally)
    } else {
      flaw = makeMistake(on: left) ?? judge.prefixFlaw(left, knowledge) ?? judge.flaw(left, knowledge)
    }
    let wasTorn = left.filePaths.contains { path in path.hasSuffix(".torn") }
    let isLoss = flaw == nil && judge.level == .nothing && actionCount(left) - 1 < knowledge.syncedRevision
    if isLoss { flaw = overlooked(before, found: actionCount(left) - 1, knowledge) }
    tally.withLock { tally in
      if wasTorn { tally.torn += 1 }
      if isLoss, flaw == nil { tally.expectedLosses += 1 }
      if isLoss, flaw != nil { tally.overlooked += 1 }
      guard let flaw else { return }
      if flaw.isRefusal { tally.refusals += 1 }
      if !flaw.isRefusal || !failure.mayRefuse {
        tally.add(flaw: "\(failure.rawValue), seed \(seed), state \(state), \(place): \(flaw)")
      }
    }
  }

  /// Applies the engine's mistake.
  private func makeMistake(on disk: MemoryFileSystem) -> Flaw? {
    do throws(FileSystemError) { try recoveryMistake?.make(on: disk) } catch { return .failed("\(error)") }
    return nil
  }

  /// Returns a flaw if a log opened with fewer actions than were acknowledged, although the disk proves that there were
  /// more.
  ///
  /// - Parameter disk: The disk before the log was opened.
  private func overlooked(_ disk: MemoryFileSystem, found: Int, _ knowledge: Knowledge) -> Flaw? {
    do throws(FileSystemError) {
      return try DurableEvidence(of: disk).proof(ofMoreThan: found).map { proof in
        .overlooked(found: found, acknowledged: knowledge.syncedRevision, proof: proof)
      }
    } catch {
      return .failed("\(error)")
    }
  }

  private func actionCount(_ disk: MemoryFileSystem) -> Int {
    do throws(LogError) { return try SimulatedLog(disk, segmentLimitBytes: 1).actions().count } catch { return 0 }
  }

  /// Returns the disk that the next program finds.
  private func leftovers(of disk: MemoryFileSystem, _ generator: inout SeededGenerator) -> MemoryFileSystem {
    if failure == .kill || failure == .faultsThenKill { return disk.copy() }
    // A failed sync also discards the writes of a killed process, so only durable actions count.
    if failure == .faults || failure == .faultsAtRolls, Int.random(in: 0..<4, using: &generator) == 0 {
      return disk.copy()
    }
    let left = disk.crash(CrashModel.drawn(&generator, stale: failure == .staleBlocks))
    if failure == .bitRot { left.rot(&generator) }
    return left
  }

  /// Recovers the log, cuts the power at every call of the recovery, and checks each state and the end.
  private func flawWithCrashInRecovery(
    _ disk: MemoryFileSystem, _ knowledge: Knowledge, _ judge: LogJudge, _ generator: inout SeededGenerator,
    _ tally: Locked<SimulationTally>
  ) -> Flaw? {
    let seeds = Locked(generator)
    let second = Locked<Flaw?>(nil)
    let door = FaultyFileSystem(disk) { call in
      guard call.operation.changesDisk else { return }
      let again = seeds.withLock { seeds in disk.crash(CrashModel.drawn(&seeds, stale: false)) }
      tally.withLock { tally in tally.states += 1 }
      if let flaw = judge.flaw(again, knowledge.afterJudge()) { second.withLock { second in second = flaw } }
    }
    let flaw = judge.flaw(disk, knowledge, through: door)
    return flaw ?? second.withLock { second in second }
  }
}

extension Knowledge {
  /// The knowledge after a judge has begun to append to the log.
  func afterJudge() -> Knowledge {
    var knowledge = self
    knowledge.allowJudge()
    return knowledge
  }
}

extension FileCall.Operation {
  /// Whether the call changes the contents of the disk, or which part of them is durable.
  var changesDisk: Bool {
    switch self {
    case .createDirectory, .rename, .remove, .syncDirectory, .append, .write, .truncate, .sync: true
    case .status, .names, .open, .lock, .size, .read: false
    }
  }
}

extension CrashModel {
  /// Draws a crash model with probabilities from the corners as well as the middle.
  static func drawn(_ generator: inout SeededGenerator, stale: Bool) -> CrashModel {
    func chance(_ values: [Double], _ generator: inout SeededGenerator) -> Double {
      values[Int.random(in: 0..<values.count, using: &generator)]
    }
    return CrashModel(
      seed: generator.next(),
      pageSurvival: chance([0, 0.1, 0.5, 0.5, 0.9, 1], &generator),
      tornPageShare: chance([0, 0.1, 0.5], &generator),
      earlierPageShare: chance([0, 0.2, 0.5], &generator),
      entrySurvival: chance([0, 0.5, 0.5, 1], &generator),
      sizeSurvival: chance([0, 0.5, 0.8, 1], &generator),
      lostData: stale ? .staleBlocks : .zeros)
  }
}

extension MemoryFileSystem {
  /// Removes the last action and every trace of it.
  func forgetLastAction() {
    do throws(FileSystemError) {
      let evidence = try DurableEvidence(of: self)
      // Control records repeat the number of the preceding action; the first ones have no preceding action.
      guard let path = evidence.activePath,
        let last = evidence.lines.first(where: { line in line.revision == evidence.lines.last?.revision }),
        last.range.lowerBound > 0
      else { return }
      try setContents(Array(try contents(of: path).prefix(last.range.lowerBound)), of: path)
      if try status(of: SimulatedLog.path + "/HEAD") != nil { try remove(SimulatedLog.path + "/HEAD") }
    } catch {
      preconditionFailure("the files were listed: \(error)")
    }
  }

  /// Flips a random bit of the log, in any file or in those that match.
  func rot(_ generator: inout SeededGenerator, where isMeant: (String) -> Bool = { _ in true }) {
    let files = filePaths.filter(isMeant).map { path in (path: path, size: size(of: path)) }
    let total = files.reduce(0) { sum, file in sum + file.size }
    guard total > 0 else { return }
    var place = Int.random(in: 0..<total, using: &generator)
    for file in files {
      if place < file.size {
        do throws(FileSystemError) {
          try flipBit(Int.random(in: 0..<8, using: &generator), ofByte: place, in: file.path)
        } catch {
          preconditionFailure("the file was listed: \(error)")
        }
        return
      }
      place -= file.size
    }
  }

  private func size(of path: String) -> Int {
    do throws(FileSystemError) { return try status(of: path)?.sizeBytes ?? 0 } catch { return 0 }
  }
}

/// The result of a run of simulated failures.
package struct SimulationTally: Sendable {
  /// The number of checked states.
  package var states = 0
  /// The number of states that the engine refused as damaged.
  package var refusals = 0
  /// The number of states with a truncated torn tail.
  package var torn = 0
  /// The number of states with fewer actions than were acknowledged, where the failure excludes this guarantee and the
  /// disk has no proof that there were more.
  package var expectedLosses = 0
  /// The number of states with fewer actions although the disk proves that there were more. These are flaws.
  package var overlooked = 0
  /// The flaws, with seed and place; at most ``flawLimit``.
  package private(set) var flaws: [String] = []
  /// The total number of flaws.
  package private(set) var flawCount = 0

  /// The maximum number of recorded flaws.
  private static let flawLimit = 20

  /// Creates an empty tally.
  package init() {}

  /// Adds a flaw.
  package mutating func add(flaw: String) {
    flawCount += 1
    if flaws.count < Self.flawLimit { flaws.append(flaw) }
  }

  /// Adds the results of another run.
  package mutating func add(_ other: SimulationTally) {
    states += other.states
    refusals += other.refusals
    torn += other.torn
    expectedLosses += other.expectedLosses
    overlooked += other.overlooked
    for flaw in other.flaws { add(flaw: flaw) }
    flawCount += other.flawCount - other.flaws.count
  }

  /// The share of refused states, 0…1.
  package var refusedShare: Double { states == 0 ? 0 : Double(refusals) / Double(states) }
}

/// A simulated failure.
package enum SimulatedFailure: String, Sendable, CaseIterable {
  /// The power is cut; lost data reads as zeros.
  case powerCut = "power-cut"
  /// The power is cut; lost data reads as the previous contents of its blocks.
  case staleBlocks = "stale-blocks"
  /// The power is cut, and again during the recovery.
  case powerCutInRecovery = "power-cut-in-recovery"
  /// The process is killed.
  case kill
  /// Some calls fail, for instance because of full disks or failing devices; then the power is cut.
  case faults
  /// Calls fail in small segments, most of them around a roll, and the system may keep pages in its cache that it could
  /// not write; then the power is cut.
  case faultsAtRolls = "faults-at-rolls"
  /// Like `faults`, but then the process is killed.
  case faultsThenKill = "faults-then-kill"
  /// The device reports data as durable when it is not; then the power is cut.
  case lyingSync = "lying-sync"
  /// A bit of the device flips after a power cut.
  case bitRot = "bit-rot"

  /// The remaining guarantee.
  package var level: Knowledge.Level {
    switch self {
    case .powerCut, .staleBlocks, .powerCutInRecovery, .faults, .faultsAtRolls: .synchronized
    case .kill, .faultsThenKill: .written
    case .lyingSync, .bitRot: .nothing
    }
  }

  /// Whether calls of the program fail.
  package var callsFail: Bool { self == .faults || self == .faultsAtRolls || self == .faultsThenKill }

  /// Whether a log may be refused as damaged, which is correct where there is damage.
  package var mayRefuse: Bool { self == .staleBlocks || self == .lyingSync || self == .bitRot }
}
