import Testing
import TrialKit

/// The quick share of the simulated recording; `trials --long` runs the rest. A flaw names its seed.
@MainActor @Suite("Simulated ends of a recorded program", .timeLimit(.minutes(60)))
struct RecordingSimulationTests {
  @Test(arguments: RecordedProgram.Way.allCases, RecordingEnd.allCases)
  func everyRecoveredStateIsTheFold(way: RecordedProgram.Way, end: RecordingEnd) async {
    var tally = SimulationTally()
    for seed in 1...2 {
      let steps = end == .powerCutInOpening ? 4 : 10
      tally.add(await RecordingSimulation(seed: UInt64(seed), way: way, end: end, steps: steps).run())
    }
    #expect(tally.states > 30, "\(tally.states)")
    #expect(tally.flawCount == 0, "\(tally.flaws)")
  }

  @Test(arguments: RecordedProgram.Way.allCases)
  func prematureAcknowledgmentIsCaught(way: RecordedProgram.Way) async {
    var simulation = RecordingSimulation(seed: 1, way: way, end: .powerCut, steps: 8)
    simulation.mistake = .acknowledgesBeforeSync
    #expect(await simulation.run().flawCount > 0)
  }
}
