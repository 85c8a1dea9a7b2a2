import ActionLog
import Platform
import TestSupport

/// One run of a program on a simulated disk, with a failure before every call that changes anything.
///
/// Everything follows from the seed: the program, the failures, what is left of the disk. A flaw names it.
package struct Simulation: Sendable {
  /// Where the draws begin.
  package var seed: UInt64
  /// What happens.
  package var failure: SimulatedFailure
  /// How many steps the program does.
  package var steps: Int
  /// How many states are drawn for each moment.
  package var drawsPerCall: Int
  /// What the program does wrong, in the runs that must be caught.
  package var mistake: SimulatedProgram.Mistake?
  /// A directory's synchronisation is skipped, in another run that must be caught.
  package var skipsDirectorySync = false
  /// The last action disappears between two lives of the program, in another run that must be caught.
  package var forgetsBetweenLives = false
  /// What the engine does wrong when the next program opens what is left, in other runs that must be caught.
  package var recoveryMistake: RecoveryMistake?

  /// Makes a run.
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
    // What the program itself found comes first: what follows from it would hide it.
    var result = SimulationTally()
    for flaw in program.flaws.withLock({ flaws in flaws }) {
      result.add(flaw: "\(failure.rawValue), seed \(seed), between two lives: \(flaw)")
    }
    result.add(tally.withLock { tally in tally })
    return result
  }

  /// The length from which the program's next action begins a new segment.
  private func segmentLimitBytes(_ generator: inout SeededGenerator) -> Int {
    guard failure == .faultsAtRolls else { return [2_000, 20_000, 1 << 20][Int.random(in: 0..<3, using: &generator)] }
    let random = Int.random(in: 300...12_000, using: &generator)
    return [600, 900, 9_000, random].randomElement(using: &generator) ?? random
  }

  /// One failing call, most likely one that a roll makes.
  private func faultAtRoll(_ generator: inout SeededGenerator) -> Fault {
    let operations: [FileCall.Operation?] = [
      .sync, .sync, .sync, .rename, .rename, .syncDirectory, .append, .append, .truncate,
      .write, .remove, .open, .status, .names, .size, .read, nil,
    ]
    let suffixes: [String?] = [nil, nil, ".jsonl", ".jsonl", ".new", "HEAD"]
    let codes: [FileSystemError.Code] = [.inputOutput, .inputOutput, .noSpace, .readOnlyFileSystem]
    let parts: [Fault.PartialWrite] = [.none, .half, .all, .bytes(Int.random(in: 0...5_000, using: &generator))]
    return Fault(
      operations.randomElement(using: &generator) ?? nil, number: Int.random(in: 1...25, using: &generator),
      lasts: Int.random(in: 0..<8, using: &generator) == 0,
      code: codes.randomElement(using: &generator) ?? .inputOutput,
      pathSuffix: suffixes.randomElement(using: &generator) ?? nil,
      partialWrite: parts.randomElement(using: &generator) ?? .none, losesData: Bool.random(using: &generator))
  }

  /// What fails on the way.
  private func faults(_ generator: inout SeededGenerator) -> [Fault] {
    var faults: [Fault] = []
    if skipsDirectorySync { faults.append(Fault(.syncDirectory, lasts: true, isSilent: true)) }
    switch failure {
    case .faults, .faultsThenKill:
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let codes: [FileSystemError.Code] = [.noSpace, .inputOutput, .fileTooLarge, .readOnlyFileSystem]
        let parts: [Fault.PartialWrite] = [.none, .half, .all, .bytes(Int.random(in: 0...400, using: &generator))]
        faults.append(
          Fault(
            [.append, .append, .sync, .truncate, .rename, .write, .syncDirectory, nil].randomElement(
              using: &generator) ?? nil,
            number: Int.random(in: 1...30, using: &generator), code: codes.randomElement(using: &generator) ?? .noSpace,
            partialWrite: parts.randomElement(using: &generator) ?? .none,
            losesData: failure == .faults && Bool.random(using: &generator)))
      }
    case .faultsAtRolls:
      for _ in 0..<Int.random(in: 1...6, using: &generator) { faults.append(faultAtRoll(&generator)) }
    case .lyingSync:
      faults.append(Fault(.sync, number: Int.random(in: 1...8, using: &generator), lasts: true, isSilent: true))
    default: break
    }
    return faults
  }
}

extension Simulation {
  /// Lets the world end, and looks at what is left.
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
    let isLoss = flaw == nil && judge.level == .nothing && actionCount(left) - 1 < knowledge.syncedSeq
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

  /// Does what the engine under test is to do wrong.
  private func makeMistake(on disk: MemoryFileSystem) -> Flaw? {
    do throws(FileSystemError) { try recoveryMistake?.make(on: disk) } catch { return .failed("\(error)") }
    return nil
  }

  /// Whether a log that opened with fewer actions than were acknowledged did so against what the disk shows.
  ///
  /// - Parameter disk: The disk before the log was opened.
  private func overlooked(_ disk: MemoryFileSystem, found: Int, _ knowledge: Knowledge) -> Flaw? {
    do throws(FileSystemError) {
      return try DurableEvidence(of: disk).proof(ofMoreThan: found).map { proof in
        .overlooked(found: found, acknowledged: knowledge.syncedSeq, proof: proof)
      }
    } catch {
      return .failed("\(error)")
    }
  }

  private func actionCount(_ disk: MemoryFileSystem) -> Int {
    do throws(LogError) { return try SimulatedLog(disk, segmentLimitBytes: 1).actions().count } catch { return 0 }
  }

  /// The disk as the next program finds it.
  private func leftovers(of disk: MemoryFileSystem, _ generator: inout SeededGenerator) -> MemoryFileSystem {
    if failure == .kill || failure == .faultsThenKill { return disk.copy() }
    // A synchronisation that failed takes what a killed process had written, too, and so only what was durable counts.
    if failure == .faults || failure == .faultsAtRolls, Int.random(in: 0..<4, using: &generator) == 0 {
      return disk.copy()
    }
    let left = disk.crash(CrashModel.drawn(&generator, stale: failure == .staleBlocks))
    if failure == .bitRot { left.rot(&generator) }
    return left
  }

  /// Recovers the disk, cuts the power at every call of the recovery, and looks at each state and at the end.
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
  /// What may be in the log once a judge has begun to append to it.
  func afterJudge() -> Knowledge {
    var knowledge = self
    knowledge.allowJudge()
    return knowledge
  }
}

extension FileCall.Operation {
  /// Whether the call changes what is on the disk, or what of it is durable.
  var changesDisk: Bool {
    switch self {
    case .createDirectory, .rename, .remove, .syncDirectory, .append, .write, .truncate, .sync: true
    case .status, .names, .open, .lock, .size, .read: false
    }
  }
}

extension CrashModel {
  /// A model with chances drawn from the corners as well as the middle.
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
  /// Takes the last action away, and what would tell of it.
  func forgetLastAction() {
    do throws(FileSystemError) {
      let evidence = try DurableEvidence(of: self)
      // Control records repeat the number of the action before them; those at the beginning have none before.
      guard let path = evidence.activePath,
        let last = evidence.lines.first(where: { line in line.seq == evidence.lines.last?.seq }),
        last.range.lowerBound > 0
      else { return }
      try setContents(Array(try contents(of: path).prefix(last.range.lowerBound)), of: path)
      if try status(of: SimulatedLog.path + "/HEAD") != nil { try remove(SimulatedLog.path + "/HEAD") }
    } catch {
      preconditionFailure("the files were listed: \(error)")
    }
  }

  /// Turns over a bit of the log, any of all, or any of the files that are meant.
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
