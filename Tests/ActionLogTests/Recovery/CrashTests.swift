import ActionLog
import Locking
import TestSupport
import Testing

/// Power cuts at every call to the file system, in logs that a seeded program writes.
@Suite("Crashes", .timeLimit(.minutes(60)))
struct CrashTests {
  /// What a run of many crashes came to.
  private struct Tally: Sendable {
    var states = 0
    var refusals = 0
    var torn = 0
    var flaws: [String] = []
  }

  /// Runs a program and cuts the power before every call that changes anything.
  private func cutPower(
    seed: UInt64, steps: Int, lostData: CrashModel.LostData, twice: Bool = false
  ) -> Tally {
    let tally = Locked(Tally())
    let disk = MemoryFileSystem()
    var workload = Workload(seed: seed)
    let knowledge = workload.knowledge
    let configuration = LogStory(durability: .flush, segmentLimitBytes: 20_000).configuration
    let door = FaultyFileSystem(disk) { call in
      let changes: [FileCall.Operation] = [
        .createDirectory, .synchronizeDirectory, .append, .synchronize, .write, .truncate, .rename, .remove,
      ]
      guard changes.contains(call.operation) else { return }
      let states = tally.withLock { tally in tally.states }
      let model = CrashModel(seed: seed &* 100_003 &+ UInt64(states), lostData: lostData)
      let crashed = disk.crash(model)
      let known = knowledge.withLock { knowledge in knowledge }
      let flaw = Self.flaw(crashed, configuration, known, twice ? model : nil)
      let wasTorn = crashed.filePaths.contains { path in path.hasSuffix(".torn") }
      tally.withLock { tally in
        tally.states += 1
        if wasTorn { tally.torn += 1 }
        guard let flaw else { return }
        if flaw.isRefusal { tally.refusals += 1 }
        if !flaw.isRefusal || lostData == .zeros {
          tally.flaws.append("seed \(seed), state \(states), before \(call): \(flaw)")
        }
      }
    }
    var story = LogStory(disk, durability: .flush, segmentLimitBytes: 20_000)
    story.door = door
    workload.run(story, steps: steps)
    return tally.withLock { tally in tally }
  }

  /// Opens what a crash left, if asked for with another crash in the middle of the recovery.
  private static func flaw(
    _ disk: MemoryFileSystem, _ configuration: LogConfiguration, _ knowledge: Workload.Knowledge,
    _ again: CrashModel?
  ) -> CrashFlaw? {
    var story = LogStory(disk, durability: .flush, segmentLimitBytes: 20_000)
    guard let model = again else { return story.flaw(knowledge) }
    let second = Locked<CrashFlaw?>(nil)
    let calls = Locked(UInt64(0))
    story.door = FaultyFileSystem(disk) { call in
      guard [.append, .synchronize, .truncate, .rename, .synchronizeDirectory].contains(call.operation) else { return }
      let number = calls.withLock { calls in
        calls += 1
        return calls
      }
      var later = model
      later.seed = model.seed &+ number &* 7_919
      // Whatever the recovery itself appends was offered too.
      let known = Workload.Knowledge(acknowledged: knowledge.acknowledged, offered: knowledge.offered + 1)
      let flaw = LogStory(disk.crash(later), durability: .flush, segmentLimitBytes: 20_000).flaw(known)
      second.withLock { second in second = second ?? flaw }
    }
    let first = story.flaw(knowledge)
    return first ?? second.withLock { second in second }
  }

  @Test(arguments: 1...24)
  func noAcknowledgedActionIsLostAndNothingIsRefused(seed: UInt64) {
    let tally = cutPower(seed: seed, steps: 30, lostData: .zeros)
    #expect(tally.states > 40, "seed \(seed)")
    #expect(tally.flaws.isEmpty, "\(tally.flaws.prefix(3))")
  }

  @Test func crashesDoTearLogs() {
    let torn = (1...4).reduce(0) { sum, seed in
      sum + cutPower(seed: UInt64(seed), steps: 30, lostData: .zeros).torn
    }
    #expect(torn > 0, "a simulation that never tears a log proves nothing")
  }

  @Test(arguments: 100...106)
  func aCrashDuringRecoveryLosesNothingEither(seed: UInt64) {
    let tally = cutPower(seed: seed, steps: 12, lostData: .zeros, twice: true)
    #expect(tally.flaws.isEmpty, "\(tally.flaws.prefix(3))")
  }

  @Test func staleBlocksAreAtWorstRefusedAndSeldom() {
    var all = Tally()
    for seed in 200...207 {
      let tally = cutPower(seed: UInt64(seed), steps: 30, lostData: .staleBlocks)
      all.states += tally.states
      all.refusals += tally.refusals
      all.flaws += tally.flaws
    }
    #expect(all.flaws.isEmpty, "\(all.flaws.prefix(3))")
    #expect(all.refusals * 20 <= all.states, "\(all.refusals) of \(all.states) states were refused")
  }

  @Test func withoutSynchronisationActionsAreLost() throws {
    // The control: the simulated device does lose what nobody waited for.
    let disk = MemoryFileSystem()
    let story = LogStory(disk, durability: .flush)
    let writer = try story.open()
    for number in 1...50 { _ = try writer.write([.numbered(number)]) }
    let crashed = LogStory(disk.crash(.onlySynchronizedSurvives))
    #expect(try crashed.open().opening.lastSeq == 0)
  }

  @Test(arguments: 1...6)
  func aProcessThatIsKilledLosesNothingThatWasWritten(seed: UInt64) {
    let disk = MemoryFileSystem()
    var workload = Workload(seed: seed)
    let flaws = Locked<[String]>([])
    let knowledge = workload.knowledge
    let door = FaultyFileSystem(disk) { call in
      var known = knowledge.withLock { knowledge in knowledge }
      known.acknowledged = known.written
      let flaw = LogStory(disk.copy(), durability: .flush, segmentLimitBytes: 20_000).flaw(known)
      if let flaw { flaws.withLock { flaws in flaws.append("before \(call): \(flaw)") } }
    }
    var story = LogStory(disk, durability: .flush, segmentLimitBytes: 20_000)
    story.door = door
    workload.run(story, steps: 15)
    #expect(flaws.withLock { flaws in flaws.isEmpty }, "seed \(seed): \(flaws.withLock { flaws in flaws.prefix(3) })")
  }
}
