import Testing
import TrialKit

/// The quick share of the simulator; `trials --long` runs the rest. A flaw names its seed.
@Suite("Simulated failures", .timeLimit(.minutes(60)))
struct SimulationTests {
  private func run(
    _ failure: SimulatedFailure, _ seeds: ClosedRange<UInt64>, steps: Int = 30, draws: Int = 1
  ) -> SimulationTally {
    seeds.reduce(into: SimulationTally()) { tally, seed in
      tally.add(Simulation(seed: seed, failure: failure, steps: steps, drawsPerCall: draws).run())
    }
  }

  @Test(arguments: SimulatedFailure.allCases)
  func simulatedFailuresLoseNothingAcknowledged(failure: SimulatedFailure) {
    let inRecovery = failure == .powerCutInRecovery
    let tally = run(failure, inRecovery ? 1...2 : 1...3, steps: inRecovery ? 15 : 30)
    #expect(tally.states > 200, "\(tally.states)")
    #expect(tally.flawCount == 0, "\(tally.flaws)")
  }

  @Test func equalSeedsGiveEqualRuns() {
    let first = run(.faults, 5...5)
    let second = run(.faults, 5...5)
    #expect(first.states == second.states)
    #expect(first.torn == second.torn)
    #expect(first.states > 0)
  }

  @Test func crashesTearLogsAndFewAreRefused() {
    let tally = run(.staleBlocks, 20...28)
    #expect(tally.torn > 0, "a simulation that never tears a log proves nothing")
    #expect(tally.refusedShare <= 0.05)
  }

  @Test func acknowledgmentBeforeSyncIsCaught() {
    var simulation = Simulation(seed: 1, failure: .powerCut)
    simulation.mistake = .acknowledgesBeforeSync
    #expect(simulation.run().flawCount > 0)
  }

  @Test func missingDirectorySyncIsCaught() {
    var simulation = Simulation(seed: 1, failure: .powerCut)
    simulation.skipsDirectorySync = true
    #expect(simulation.run().flawCount > 0)
  }

  @Test func missingActionAfterRestartIsCaught() {
    let isCaught = (1...5 as ClosedRange<UInt64>).contains { seed in
      var simulation = Simulation(seed: seed, failure: .kill)
      simulation.forgetsBetweenLives = true
      return simulation.run().flaws.contains { flaw in flaw.contains("between two runs: lost") }
    }
    #expect(isCaught)
  }

  @Test(arguments: RecoveryMistake.allCases)
  func recoveryIgnoringEvidenceIsCaught(mistake: RecoveryMistake) {
    var tally = SimulationTally()
    for seed in 1...25 where tally.overlooked == 0 {
      var simulation = Simulation(seed: UInt64(seed), failure: .bitRot)
      simulation.recoveryMistake = mistake
      tally.add(simulation.run())
    }
    #expect(tally.overlooked > 0)
    #expect(tally.flaws.contains { flaw in flaw.contains("overlooked") && flaw.contains("were durable") })
  }

  @Test func lyingDeviceInventsNoActions() {
    let tally = run(.lyingSync, 1...6)
    #expect(tally.expectedLosses + tally.refusals > 0, "the simulated device reported no false sync")
    #expect(tally.flawCount == 0, "\(tally.flaws)")
  }

  @Test(arguments: CareSimulation.Care.allCases, CareSimulation.End.allCases)
  func interruptedCopyIsCompleteOrMissing(care: CareSimulation.Care, end: CareSimulation.End) {
    for seed in 1...3 {
      let tally = CareSimulation(seed: UInt64(seed), care: care, end: end).run()
      #expect(tally.states > 5)
      #expect(tally.flawCount == 0, "\(tally.flaws.prefix(3))")
    }
  }
}
