import ActionLog
import ActionLogMaintenance
import Foundation
import TestSupport

/// Kills a writing process repeatedly, and checks the log after each kill.
package struct KillLoop: Sendable {
  /// The number of kills.
  package var cycles: Int
  /// The parameters of the trial.
  package var context: TrialContext

  /// Creates a loop.
  package init(cycles: Int, context: TrialContext) {
    self.cycles = cycles
    self.context = context
  }

  /// A log whose writers have the same role and are killed.
  private struct Victim {
    let role: ChildRole
    /// The number of output lines before the kill.
    let lines: ClosedRange<Int>
    /// The number of cycles before a new log, so that checks stay fast.
    let cyclesPerLog: Int
    /// The maximum pause after these lines.
    let microseconds: UInt32
    var path = ""
    var cycle = 0
    /// The last revision of the log.
    var last = 0
  }

  /// The results of the loop.
  private struct Tally {
    var torn = 0
    /// The number of cycles in which a decision was written in part.
    var tornUnits = 0
    /// The number of cycles in which something was acknowledged.
    var telling = 0
    var flaws: [String] = []
  }

  /// Runs the loop.
  ///
  /// The goal is also missed if something was acknowledged in less than half of the cycles, or if no tail was torn in
  /// many cycles: such a loop proves nothing.
  package func run() -> Goal {
    var generator = SeededGenerator(seed: context.seed)
    var victims = [
      Victim(role: .write, lines: 0...20, cyclesPerLog: 50, microseconds: 2_000),
      Victim(role: .writeFlush, lines: 0...20, cyclesPerLog: 50, microseconds: 2_000),
      // It spends most of its time in writing a batch, and a kill during the write tears it.
      Victim(role: .writeLarge, lines: 2...4, cyclesPerLog: 3, microseconds: 300),
      Victim(role: .writeUnits, lines: 2...4, cyclesPerLog: 3, microseconds: 300),
    ]
    var tally = Tally()
    do {
      for cycle in 0..<cycles {
        let index = Int.random(in: 0..<victims.count, using: &generator)
        try kill(&victims[index], &generator, &tally)
        if cycle % 500 == 499 { context.tell("killed \(cycle + 1) of \(cycles), \(tally.torn) torn tails") }
      }
    } catch {
      // Earlier results are kept.
      tally.flaws.append("the trial ended early: \(error)")
    }
    let isTelling = tally.telling * 2 >= cycles && (tally.torn > 0 || cycles < Self.tearingCycles)
    return Goal(
      "kill -9", wanted: "0 lost; acknowledged something in half of the cycles; torn tails seen",
      figure: "\(cycles) kills, \(tally.telling) after something was acknowledged, \(tally.torn) torn tails truncated "
        + "(\(tally.tornUnits) of decisions), "
        + "\(tally.flaws.count) losses",
      isMet: isTelling, flaws: Array(tally.flaws.prefix(20)))
  }

  /// The number of cycles after which some tail must have been torn.
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
    if wasTorn, victim.role == .writeUnits { tally.tornUnits += 1 }
    if victim.role == .writeUnits, last % ChildRole.batchSize != 0 {
      tally.flaws.append("\(place): \(last % ChildRole.batchSize) actions of a decision are left")
    }
    if let flaw { tally.flaws.append("\(place): \(flaw)") }
  }
}

/// Checks of a log on a real disk after a process or a machine has ended.
enum MachineLog {
  /// Opens a log like the next program, and checks its contents.
  ///
  /// - Parameters:
  ///   - acknowledged: The last acknowledged action.
  ///   - schema: The schema of the next program.
  /// - Returns: The last revision, whether a tail was truncated, and the flaw.
  static func look(
    _ path: String, atLeast acknowledged: Int, schema: Int = 1
  ) -> (lastRevision: Int, wasTorn: Bool, flaw: Flaw?) {
    do throws(LogError) {
      let writer = try LogWriter.open(at: path, model: SimulatedLog.model, schema: schema)
      let last = writer.opening.lastRevision
      let wasTorn = writer.opening.recovered != nil
      writer.abandon()
      if last < acknowledged { return (last, wasTorn, .lost(found: last, acknowledged: acknowledged)) }
      var records = try LogReader.open(at: path).records()
      var number = 0
      while let record = try records.next() {
        guard !record.isControl else { continue }
        number += 1
        let found = Knowledge.Found(record).number
        if found != number { return (last, wasTorn, .wrongAction(number, "it is number \(found)")) }
      }
      if number != last { return (last, wasTorn, .unverified("a reader finds \(number) of \(last) actions")) }
      let report = try LogVerifier.verify(at: path)
      return (last, wasTorn, report.verdict == .clean ? nil : .unverified("\(report.problems)"))
    } catch {
      // A log without acknowledged actions may not exist yet.
      if acknowledged == 0, error.code == .notFound || error.code == .notALog { return (0, false, nil) }
      return (0, false, .refused(error))
    }
  }
}

/// The output of a writing process, which prints numbers until it is ended.
struct WriterAccount {
  /// The revision at which it began; `nil` before it printed it.
  private(set) var first: Int?
  /// The last number that it printed; 0 before the first.
  private(set) var last = 0
  /// The flaw of its output.
  private(set) var flaw: String?

  /// Reads the output of a process.
  ///
  /// - Parameter found: The revision that the process must find; `nil` if it is unknown.
  init(_ lines: [String], mustFind found: Int? = nil) {
    for line in lines {
      guard let number = Int(line) else {
        // An error has two lines; the second one is its code.
        flaw = flaw ?? "the writer printed '\(line)'"
        continue
      }
      if first != nil, number <= last { flaw = flaw ?? "the writer printed \(number) after \(last)" }
      first = first ?? number
      last = number
    }
    if let found, let first, first != found { flaw = flaw ?? "the writer began at \(first), not at \(found)" }
  }

  /// Whether something was acknowledged since the process began.
  var hasAcknowledged: Bool { last > first ?? 0 }
}
