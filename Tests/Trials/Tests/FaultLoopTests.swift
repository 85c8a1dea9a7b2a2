import Testing
import TrialKit

@Suite("Faults in a loop", .timeLimit(.minutes(60)))
struct FaultLoopTests {
  @Test(arguments: FaultLoop.Way.all)
  func programSurvivesFailureOfEachCall(way: FaultLoop.Way) {
    let tally = FaultLoop(seed: 11, way: way, steps: 5).failProgram()
    #expect(tally.states > 20)
    #expect(tally.flawCount == 0, "\(tally.flaws.prefix(3))")
  }

  @Test(arguments: FaultLoop.Way.all)
  func recoverySurvivesFailureOfEachCall(way: FaultLoop.Way) {
    let tally = FaultLoop(seed: 12, way: way).failRecovery()
    #expect(tally.states > 20)
    #expect(tally.flawCount == 0, "\(tally.flaws.prefix(3))")
  }
}
