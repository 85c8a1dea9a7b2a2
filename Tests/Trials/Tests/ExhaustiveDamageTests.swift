import Testing
import TrialKit

@Suite("Every bit and every length", .timeLimit(.minutes(60)))
struct ExhaustiveDamageTests {
  @Test func shortLogSurvivesExhaustiveDamage() throws {
    let trial = ExhaustiveDamage(sizeBytes: 1_500, stride: 11)
    for goal in [try trial.flipBits(), try trial.openFlipped(), try trial.cutEverywhere()] {
      #expect(goal.outcome == .met, "\(goal.row) \(goal.flaws)")
    }
  }

  @Test(arguments: RecoveryMistake.allCases)
  func recoveryLosingDurableActionsIsCaught(mistake: RecoveryMistake) throws {
    let trial = ExhaustiveDamage(sizeBytes: 1_000, stride: 37, mistake: mistake)
    let flaws = try trial.openFlipped().flaws + trial.cutEverywhere().flaws
    #expect(flaws.contains { flaw in flaw.contains("although more is known") || flaw.contains("treated as the end") })
  }

  @Test func recoveryWithoutQuarantineIsCaught() throws {
    let trial = ExhaustiveDamage(sizeBytes: 1_000, stride: 37, mistake: nil)
    #expect(try trial.openFlipped().flaws.contains { flaw in flaw.contains("not in the quarantine") })
    #expect(try trial.cutEverywhere().flaws.contains { flaw in flaw.contains("not in the quarantine") })
  }
}
