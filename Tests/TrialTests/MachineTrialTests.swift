import Foundation
import TestSupport
import Testing
import TrialKit

/// Programs that are no writers take their place: the trials of processes must not be content with them.
@Suite("Trials of processes", .timeLimit(.minutes(60)))
struct MachineTrialTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// A loop of kills at a program that is a script.
  private func kill(_ script: String) throws -> Goal {
    let path = directory.path + "/writer"
    try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    let context = TrialContext(seed: 3, share: 0.001, directory: directory.path, executable: path)
    return try KillLoop(cycles: 5, context: context).run()
  }

  @Test func whatWasSaidBeforeALineThatIsNoNumberCounts() throws {
    let goal = try kill("i=0; while :; do echo $i; echo well; i=$((i + 1)); done")
    #expect(goal.outcome == .missed)
    #expect(goal.flaws.contains { flaw in flaw.contains("lost: the log ends at 0") })
    #expect(goal.flaws.contains { flaw in flaw.contains("the writer said 'well'") })
  }

  @Test func aWriterThatEndsByItselfIsAFlaw() throws {
    let goal = try kill("echo 0; exit 3")
    #expect(goal.flaws.contains { flaw in flaw.contains("ended by itself with 3") })
  }

  @Test func killsBeforeAnythingIsAcknowledgedProveNothing() throws {
    // It says where it begins, and no more; lines that say nothing keep the loop from waiting.
    let goal = try kill("echo 0; while :; do echo; sleep 0.01; done")
    #expect(goal.flaws.allSatisfy { flaw in flaw.contains("the writer said ''") }, "\(goal.flaws)")
    #expect(goal.figure.contains("5 kills, 0 after something was acknowledged"))
    #expect(goal.outcome == .missed)
  }

  @Test func aFaultThatHitsNothingIsNoTrial() throws {
    let trace = directory.path + "/trace"
    try Data("7 write(3</log/1.jsonl>, ..., 9) = 9\n".utf8).write(to: URL(fileURLWithPath: trace))
    #expect(try SystemFaults.ends("done", whereInjected: trace) == nil)
    try Data("7 write(3</log/1.jsonl>, ..., 9) = -1 EINTR (Interrupted) (INJECTED)\n".utf8)
      .write(to: URL(fileURLWithPath: trace))
    #expect(try SystemFaults.ends("done", whereInjected: trace) == ["done"])
  }

  @Test func theControlIsCaughtByLossesAlone() throws {
    let context = TrialContext(seed: 1, share: 1, directory: directory.path, executable: "/bin/false")
    let control = PowerCuts(kind: .ext4, cuts: 2, context: context, isControl: true)
    let loss = Flaw.lost(found: 1, acknowledged: 2)
    #expect(control.goal([(0, loss)], torn: 0, telling: 2).outcome == .met)
    #expect(control.goal([], torn: 0, telling: 2).outcome == .missed)
    #expect(control.goal([(0, .failed("the writer ended by itself"))], torn: 0, telling: 2).outcome == .missed)
    #expect(control.goal([(0, loss)], torn: 0, telling: 0).outcome == .missed, "nothing was acknowledged")
    let trial = PowerCuts(kind: .ext4, cuts: 2, context: context)
    #expect(trial.goal([(0, loss)], torn: 0, telling: 2).outcome == .missed)
    #expect(trial.goal([], torn: 0, telling: 1).outcome == .met)
    #expect(trial.goal([], torn: 0, telling: 0).outcome == .missed)
  }
}
