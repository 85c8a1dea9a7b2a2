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

  /// After so many cycles the log begins anew, so that looking at it stays quick.
  private static let cyclesPerLog = 50

  /// Runs the loop.
  package func run() throws -> Goal {
    var generator = SeededGenerator(seed: context.seed)
    var torn = 0
    var acknowledged = 0
    var flaws: [String] = []
    var path = ""
    for cycle in 0..<cycles {
      if cycle % Self.cyclesPerLog == 0 { path = try context.path("killed-\(cycle / Self.cyclesPerLog % 2)") }
      let role = Bool.random(using: &generator) ? ChildRole.write : .writeFlush
      let child = try Child(context.executable, ["child", role.rawValue, path])
      child.waitForLines(Int.random(in: 0...20, using: &generator))
      usleep(UInt32.random(in: 0...2_000, using: &generator))
      child.killNow()
      let (last, wasTorn, flaw) = MachineLog.look(path, atLeast: child.lastNumber)
      acknowledged = max(acknowledged, last)
      if wasTorn { torn += 1 }
      if let flaw { flaws.append("cycle \(cycle), \(role.rawValue): \(flaw)") }
      if cycle % 500 == 499 { context.tell("killed \(cycle + 1) of \(cycles)") }
    }
    return Goal(
      "kill -9", wanted: "0 lost", figure: "\(cycles) kills, \(torn) torn tails cut, \(flaws.count) losses",
      isMet: acknowledged > 0, flaws: flaws)
  }
}
