import Foundation
import TestSupport
import Testing
import TrialKit

/// Replaces writers by other programs, which the trials must not accept.
@Suite("Trials of processes", .timeLimit(.minutes(60)))
struct MachineTrialTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Runs a kill loop with a script.
  private func kill(_ script: String) throws -> Goal {
    let path = directory.path + "/writer"
    try write(script, to: path)
    let context = TrialContext(seed: 3, share: 0.001, directory: directory.path, executable: path)
    return KillLoop(cycles: 5, context: context).run()
  }

  /// Writes a script by another process: a program that a test starts at the same moment inherits the open files of this
  /// process, and a file that is open for writing cannot be executed.
  private func write(_ script: String, to path: String) throws {
    let writer = Process()
    writer.executableURL = URL(fileURLWithPath: "/bin/sh")
    writer.arguments = ["-c", #"printf '#!/bin/sh\n%s\n' "$0" >"$1" && chmod 755 "$1""#, script, path]
    try writer.run()
    writer.waitUntilExit()
    try #require(writer.terminationStatus == 0)
  }

  @Test func outputBeforeAnInvalidLineCounts() throws {
    let goal = try kill("i=0; while :; do echo $i; echo well; i=$((i + 1)); done")
    #expect(goal.outcome == .missed)
    #expect(goal.flaws.contains { flaw in flaw.contains("lost: the log ends at 0") })
    #expect(goal.flaws.contains { flaw in flaw.contains("the writer printed 'well'") })
  }

  @Test func unexpectedEndOfTheWriterIsAFlaw() throws {
    let goal = try kill("echo 0; exit 3")
    #expect(goal.flaws.contains { flaw in flaw.contains("ended by itself with 3") })
  }

  @Test func killsWithoutAcknowledgmentMissTheGoal() throws {
    // The script prints only where it begins; empty lines keep the loop from waiting.
    let goal = try kill("echo 0; while :; do echo; sleep 0.01; done")
    #expect(goal.flaws.allSatisfy { flaw in flaw.contains("the writer printed ''") }, "\(goal.flaws)")
    #expect(goal.figure.contains("5 kills, 0 after something was acknowledged"))
    #expect(goal.outcome == .missed)
  }

  @Test func faultWithoutAHitIsNoTrial() throws {
    let trace = directory.path + "/trace"
    try Data("7 write(3</log/1.jsonl>, ..., 9) = 9\n".utf8).write(to: URL(fileURLWithPath: trace))
    #expect(try SystemFaults.ends("done", whereInjected: trace) == nil)
    try Data("7 write(3</log/1.jsonl>, ..., 9) = -1 EINTR (Interrupted) (INJECTED)\n".utf8)
      .write(to: URL(fileURLWithPath: trace))
    #expect(try SystemFaults.ends("done", whereInjected: trace) == ["done"])
  }

  /// A directory instead of a disk, which cannot be mounted again after some cuts.
  private final class FailingDisk: CuttableDisk {
    let directory: String
    private var mountsLeft: Int

    init(directory: String, mountsLeft: Int) {
      self.directory = directory
      self.mountsLeft = mountsLeft
    }

    func shutDown() {}

    func mountAgain() throws {
      guard mountsLeft > 0 else { throw CommandFailure(command: ["mount", directory], status: 32) }
      mountsLeft -= 1
    }
  }

  @Test func failedRemountKeepsFlaws() throws {
    // The script acknowledges actions without writing them.
    let path = directory.path + "/writer"
    try write("i=0; while :; do echo $i; i=$((i + 1)); sleep 0.01; done", to: path)
    let context = TrialContext(seed: 3, share: 0.001, directory: directory.path, executable: path)
    let disk = FailingDisk(directory: directory.path, mountsLeft: 1)
    let goal = try PowerCuts(kind: .ext4, cuts: 5, context: context).run(on: disk)
    #expect(goal.outcome == .missed)
    #expect(goal.flaws.count == 2, "\(goal.flaws)")
    #expect(goal.flaws.first?.hasPrefix("cut 0: lost: ") == true)
    #expect(goal.flaws.last?.hasPrefix("cut 1: failed: the trial ended early: 'mount ") == true)
  }

  @Test func onlyMissingToolsAreSkips() throws {
    #expect(throws: Unavailable.self) { try Child.run("no-such-tool-of-any-system", []) }
    #expect(throws: CommandFailure.self) { try Child.run("false", []) }
    #expect(throws: (any Error).self) { try Child.run(directory.path + "/no-such-program", []) }
    #expect(throws: Unavailable.self) { try Child.probe("false", []) }
  }

  @Test func onlyLossesCatchTheControl() throws {
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

  @Test func failedCommandReportsItsOwnMessage() throws {
    for (script, message) in [
      ("echo 1; echo 'error: the disk is full'; echo noSpace; exit 1", "error: the disk is full"),
      ("echo 'sh: not permitted' >&2; exit 1", "sh: not permitted"),
    ] {
      let failure = #expect(throws: CommandFailure.self) { try Child.run("/bin/sh", ["-c", script]) }
      #expect(failure?.message == message)
      #expect(failure?.description.hasSuffix("' ended with 1: \(message)") == true)
    }
  }
}
