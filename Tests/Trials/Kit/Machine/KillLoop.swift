import Foundation
import TestSupport

/// Kills a writing process repeatedly, and checks the log each time.
package struct KillLoop: Sendable {
  /// The number of cycles.
  package var cycles: Int
  /// The share of work and the directory.
  package var context: TrialContext

  /// Creates a loop.
  package init(cycles: Int, context: TrialContext) {
    self.cycles = cycles
    self.context = context
  }

  /// A log and the kind of process that writes it.
  private struct Victim {
    let role: ChildRole
    /// The number of output lines to wait for.
    let lines: ClosedRange<Int>
    /// After this many cycles a new log is started, so that checking it stays fast.
    let cyclesPerLog: Int
    /// The longest time to wait after that.
    let microseconds: UInt32
    var path = ""
    var cycle = 0
    /// The last revision of the log.
    var last = 0
  }

  /// The results of the loop.
  private struct Tally {
    var torn = 0
    /// The number of cycles with an acknowledgement.
    var telling = 0
    var flaws: [String] = []
  }

  /// Runs the loop.
  ///
  /// The goal is also missed if fewer than half of the cycles acknowledged an action between start and kill, or if none
  /// of 200 cycles tore a tail: such a loop proves nothing.
  package func run() -> Goal {
    var generator = SeededGenerator(seed: context.seed)
    var victims = [
      Victim(role: .write, lines: 0...20, cyclesPerLog: 50, microseconds: 2_000),
      Victim(role: .writeFlush, lines: 0...20, cyclesPerLog: 50, microseconds: 2_000),
      // This role spends most of its time writing a batch; a kill there tears it.
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
      // Flaws found so far are kept.
      tally.flaws.append("the trial ended early: \(error)")
    }
    let isTelling = tally.telling * 2 >= cycles && (tally.torn > 0 || cycles < Self.tearingCycles)
    return Goal(
      "kill -9", wanted: "0 lost; acknowledged something in half of the cycles; torn tails seen",
      figure: "\(cycles) kills, \(tally.telling) after something was acknowledged, \(tally.torn) torn tails cut, "
        + "\(tally.flaws.count) losses",
      isMet: isTelling, flaws: Array(tally.flaws.prefix(20)))
  }

  /// At least one tail is torn in this many cycles.
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
