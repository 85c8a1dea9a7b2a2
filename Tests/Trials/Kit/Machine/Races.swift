import ActionLog
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Processes that want the same log at once, and one that wakes up after it was thought dead.
package struct Races: Sendable {
  package var rounds: Int
  package var context: TrialContext

  /// Makes the races.
  package init(rounds: Int, context: TrialContext) {
    self.rounds = rounds
    self.context = context
  }

  private static let writers = 16

  /// Lets sixteen processes open the same log, and counts who won.
  package func race() throws -> Goal {
    var flaws: [String] = []
    try flaws.collect { flaws in
      for round in 0..<rounds {
        let path = try context.path("raced")
        let children = try (0..<Self.writers).map { _ in try Child(context.executable, ["child", "race", path]) }
        for child in children { child.waitForLines(1) }
        let answers = children.map { child in child.lines.first ?? "nothing" }
        for child in children { child.killNow() }
        let (won, locked) = (answers.count { $0 == "won" }, answers.count { $0 == "locked" })
        if won != 1 || locked != Self.writers - 1 {
          let others = Set(answers).subtracting(["won", "locked"]).sorted().joined(separator: ", ")
          flaws.append("round \(round): \(won) won, \(locked) were refused; others said '\(others)'")
        }
        if let flaw = MachineLog.look(path, atLeast: 1).flaw { flaws.append("round \(round): \(flaw)") }
      }
    }
    return Goal(
      "16 writers at once", wanted: "exactly one wins", figure: "\(rounds) rounds, \(flaws.count) with another end",
      isMet: rounds > 0, flaws: flaws)
  }

  /// The ways in which another writer goes on while one sleeps: in the same segment, in one for each of its batches, and
  /// in a new one alone, because its schema is another.
  private static let intruders = [ChildRole.intrude, .intrudeRolling, .intrudeNewSchema]

  /// Stops a writer, lets another one write past its lock, and wakes it up.
  package func wakeZombies() throws -> Goal {
    var flaws: [String] = []
    let rounds = max(rounds, 2 * Self.intruders.count)
    try flaws.collect { flaws in
      for round in 0..<rounds {
        let intruder = Self.intruders[round % Self.intruders.count]
        let path = try context.path("zombie")
        // Every other one has to begin a segment when it wakes up.
        let sleeper = round / Self.intruders.count % 2 == 0 ? ChildRole.sleepy : .sleepyRolling
        let name = "round \(round), \(sleeper.rawValue), \(intruder.rawValue)"
        // It ends by itself where nothing stops it.
        let first = try Child(context.executable, ["child", sleeper.rawValue, path, "9"])
        first.waitUntilStopped()
        // Both believe that they have the lock, as on a network file system that forgot about one of them.
        let second = try Child(context.executable, ["child", intruder.rawValue, path, "5"])
        let status = second.wait()
        let before = try Self.contents(of: path)
        first.signal(SIGCONT)
        let end = first.wait()
        if status != 0 { flaws.append("round \(round): the second writer ended with \(status)") }
        if end != 1 || first.lines.last != "failed" {
          flaws.append(
            "\(name): the woken writer did not notice: \(end), "
              + (first.lines.last ?? ""))
        }
        if try Self.contents(of: path) != before {
          flaws.append("\(name): the woken writer has written to a segment")
        }
        if let flaw = MachineLog.look(path, atLeast: second.lastNumber, schema: 2).flaw {
          flaws.append("\(name): \(flaw)")
        }
      }
    }
    return Goal(
      "a woken zombie", wanted: "it notices, beyond a roll and under another schema too, and writes nothing",
      figure: "\(rounds) rounds, \(flaws.count) unnoticed", isMet: rounds > 0, flaws: flaws)
  }
}

extension Races {
  /// What the segments hold, by their names.
  private static func contents(of path: String) throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { name in name.contains(".jsonl") }
    return try names.reduce(into: [:]) { contents, name in
      contents[name] = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
    }
  }
}
