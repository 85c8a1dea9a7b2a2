import ActionLog
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Trials with processes that open the same log at once, and with a suspended writer that continues too late.
package struct Races: Sendable {
  package var rounds: Int
  package var context: TrialContext

  /// Creates the trials.
  package init(rounds: Int, context: TrialContext) {
    self.rounds = rounds
    self.context = context
  }

  private static let writers = 16

  /// Starts sixteen processes that open the same log, and counts the winners.
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
          flaws.append("round \(round): \(won) won, \(locked) were refused; others printed '\(others)'")
        }
        if let flaw = MachineLog.look(path, atLeast: 1).flaw { flaws.append("round \(round): \(flaw)") }
      }
    }
    return Goal(
      "16 writers at once", wanted: "exactly one wins", figure: "\(rounds) rounds, \(flaws.count) with another outcome",
      isMet: rounds > 0, flaws: flaws)
  }

  /// The roles of another writer while the first one sleeps: writing to the same segment, to a new one per batch, or to
  /// a new one because of another schema.
  private static let intruders = [ChildRole.intrude, .intrudeRolling, .intrudeNewSchema]

  /// Stops a writer, starts another one that ignores its lock, and resumes the first.
  package func tryStaleWriters() throws -> Goal {
    var flaws: [String] = []
    let rounds = max(rounds, 2 * Self.intruders.count)
    try flaws.collect { flaws in
      for round in 0..<rounds {
        let intruder = Self.intruders[round % Self.intruders.count]
        let path = try context.path("stale")
        // Every second sleeper has to begin a new segment when it resumes.
        let sleeper = round / Self.intruders.count % 2 == 0 ? ChildRole.sleepy : .sleepyRolling
        let name = "round \(round), \(sleeper.rawValue), \(intruder.rawValue)"
        // The argument limits its number of batches if nothing stops it.
        let first = try Child(context.executable, ["child", sleeper.rawValue, path, "9"])
        first.waitUntilStopped()
        // Both assume that they have the lock, like on a network file system that lost one of their locks.
        let second = try Child(context.executable, ["child", intruder.rawValue, path, "5"])
        let status = second.wait()
        let before = try Self.contents(of: path)
        first.signal(SIGCONT)
        let end = first.wait()
        if status != 0 {
          flaws.append("round \(round): the second writer ended with \(status): \(second.lines.suffix(2))")
        }
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
      "a stale writer", wanted: "it notices, also after a roll and under another schema, and writes nothing",
      figure: "\(rounds) rounds, \(flaws.count) unnoticed", isMet: rounds > 0, flaws: flaws)
  }
}

extension Races {
  /// Returns the contents of the segments by name.
  private static func contents(of path: String) throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { name in name.contains(".jsonl") }
    return try names.reduce(into: [:]) { contents, name in
      contents[name] = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
    }
  }
}
