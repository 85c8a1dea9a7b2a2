import Foundation
import TestSupport

/// Kills a writing process over and over, and looks at what it leaves each time.
package struct KillLoop: Sendable {
  /// How often.
  package var cycles: Int
  /// How much to do and where.
  package var context: TrialContext

  /// Makes a loop.
  package init(cycles: Int, context: TrialContext) {
    self.cycles = cycles
    self.context = context
  }

  /// A log that processes of one kind are killed at.
  private struct Victim {
    let role: ChildRole
    /// How many lines of its output are waited for.
    let lines: ClosedRange<Int>
    /// After so many cycles the log begins anew, so that looking at it stays quick.
    let cyclesPerLog: Int
    /// How long it is waited after that, at most.
    let microseconds: UInt32
    var path = ""
    var cycle = 0
    /// How far the log goes.
    var last = 0
  }

  /// What the loop came to.
  private struct Tally {
    var torn = 0
    /// The cycles in which something was acknowledged.
    var telling = 0
    var flaws: [String] = []
  }

  /// Runs the loop.
  ///
  /// The goal is missed, too, when in less than half of the cycles anything was acknowledged between start and kill, or, of so
  /// many cycles that some must be, no tail was torn: such a loop proves nothing.
  package func run() -> Goal {
    var generator = SeededGenerator(seed: context.seed)
    var victims = [
      Victim(role: .write, lines: 0...20, cyclesPerLog: 50, microseconds: 2_000),
      Victim(role: .writeFlush, lines: 0...20, cyclesPerLog: 50, microseconds: 2_000),
      // Most of its life is spent in writing a batch, and a kill there tears it.
      Victim(role: .writeLarge, lines: 2...4, cyclesPerLog: 3, microseconds: 300),
    ]
    var tally = Tally()
    do {
      for cycle in 0..<cycles {
        let index = Int.random(in: 0..<victims.count, using: &generator)
        try kill(&victims[index], &generator, &tally)
        if cycle % 500 == 499 { context.tell("killed \(cycle + 1) of \(cycles), \(tally.torn) torn tails") }
      }
    } catch {
      // What was found before is kept.
      tally.flaws.append("the trial ended early: \(error)")
    }
    let isTelling = tally.telling * 2 >= cycles && (tally.torn > 0 || cycles < Self.tearingCycles)
    return Goal(
      "kill -9", wanted: "0 lost; acknowledged something in half of the cycles; torn tails seen",
      figure: "\(cycles) kills, \(tally.telling) after something was acknowledged, \(tally.torn) torn tails cut, "
        + "\(tally.flaws.count) losses",
      isMet: isTelling, flaws: Array(tally.flaws.prefix(20)))
  }

  /// In so many cycles some tail is torn.
  private static let tearingCycles = 200

  private func kill(_ victim: inout Victim, _ generator: inout SeededGenerator, _ tally: inout Tally) throws {
    if victim.cycle % victim.cyclesPerLog == 0 {
      victim.path = try context.path("killed-\(victim.role.rawValue)")
      victim.last = 0
    }
    victim.cycle += 1
    let child = try Child(context.executable, ["child", victim.role.rawValue, victim.path])
    child.waitForLines(Int.random(in: victim.lines, using: &generator))
    usleep(UInt32.random(in: 0...victim.microseconds, using: &generator))
    let status = child.killNow()
    let account = WriterAccount(child.lines, mustFind: victim.last)
    let place = "cycle \(victim.cycle) of \(victim.role.rawValue)"
    if status != -SIGKILL { tally.flaws.append("\(place): the writer ended by itself with \(status)") }
    if let flaw = account.flaw { tally.flaws.append("\(place): \(flaw)") }
    if account.hasAcknowledged { tally.telling += 1 }
    let (last, wasTorn, flaw) = MachineLog.look(victim.path, atLeast: account.last)
    victim.last = last
    if wasTorn { tally.torn += 1 }
    if let flaw { tally.flaws.append("\(place): \(flaw)") }
  }
}
