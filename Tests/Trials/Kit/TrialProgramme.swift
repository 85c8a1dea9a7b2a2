import Dispatch
import Foundation
import Platform

/// All trials, by name.
package struct TrialProgramme: Sendable {
  /// A trial, which is skipped, fails or succeeds independently of the others.
  package struct Trial: Sendable {
    /// The name in the table if the trial returns no goal.
    package var name: String
    package var run: @Sendable (TrialContext) async throws -> [Goal]

    /// Creates a trial.
    package init(_ name: String, run: @escaping @Sendable (TrialContext) async throws -> [Goal]) {
      self.name = name
      self.run = run
    }
  }

  /// A group of trials.
  package struct Part: Sendable {
    package var name: String
    package var trials: [Trial]

    /// Creates a part from its trials.
    package init(name: String, _ trials: [Trial]) {
      self.name = name
      self.trials = trials
    }

    /// Creates a part with one trial.
    init(name: String, run: @escaping @Sendable (TrialContext) async throws -> [Goal]) {
      self.init(name: name, [Trial(name, run: run)])
    }
  }

  /// The parts in the order of the table.
  package static let parts: [Part] = [
    Part(name: "simulator") { context in try simulator(context) },
    Part(name: "recording") { context in await recording(context) },
    Part(name: "controls") { context in controls(context) },
    Part(name: "rules") { context in [rules(context)] },
    Part(name: "care") { context in [care(context)] },
    Part(name: "faults") { context in [faults(context)] },
    Part(
      name: "exhaustive",
      [
        Trial("every bit flipped, verified") { context in [try exhaustive(context).flipBits()] },
        Trial("every bit flipped, opened") { context in [try exhaustive(context).openFlipped()] },
        Trial("every length") { context in [try exhaustive(context).cutEverywhere()] },
      ]),
    Part(name: "kills") { context in [KillLoop(cycles: context.part(of: 5_000), context: context).run()] },
    Part(
      name: "races",
      [
        Trial("16 writers at once") { context in [try races(context).race()] },
        Trial("a stale writer") { context in [try races(context).tryStaleWriters()] },
      ]),
    Part(name: "ext4", powerCuts(.ext4)),
    Part(name: "xfs", powerCuts(.xfs)),
    Part(
      name: "disks",
      [
        Trial("full disk, tmpfs") { context in [try FullDisks(context: context).fillMemoryDisk()] },
        Trial("full disk, ext4") { context in [try FullDisks(context: context).fillLoopDisk()] },
        Trial("read-only disk") { context in [try FullDisks(context: context).turnReadOnly()] },
      ]),
    Part(
      name: "limits",
      [
        Trial("limit on file size") { context in [try ResourceLimits(context: context).limitFileSize()] },
        Trial("limit on open files") { context in [try ResourceLimits(context: context).limitOpenFiles()] },
        Trial("no threads") { context in [try ResourceLimits(context: context).limitThreads()] },
        Trial("threads of writers") { context in [try ResourceLimits(context: context).countWaitingThreads()] },
        Trial("a blocked main thread") { context in [try ResourceLimits(context: context).blockMainThread()] },
        Trial("cost of open logs") { context in [try ResourceLimits(context: context).countCostOfLogs()] },
        Trial("a set of logs") { context in [try ResourceLimits(context: context).limitFilesOfSet()] },
        Trial("consumer of many logs") { context in [try ManyLogConsumer(context: context).run()] },
        Trial("large logs") { context in [try ResourceLimits(context: context).limitMemory()] },
      ]),
    Part(name: "calls") { context in [try SystemFaults(context: context).run()] },
    Part(name: "hostile") { context in [try HostileFiles(context: context).run()] },
  ]

  /// Runs the trials of a part independently. A trial that the machine cannot run is skipped with a reason; any other
  /// error is a missed goal.
  package static func run(_ part: Part, _ context: TrialContext) async -> [Goal] {
    var goals: [Goal] = []
    for trial in part.trials {
      do { goals += try await trial.run(context) } catch let reason as Unavailable {
        goals.append(Goal(trial.name, wanted: "–", skippedBecause: reason.description))
      } catch {
        goals.append(Goal(trial.name, wanted: "–", figure: "ended with \(error)", isMet: false))
      }
    }
    return goals
  }
}

extension TrialProgramme {
  /// The number of states of each failure at full share: more than 10⁶ in total.
  private static let simulatedStates: [SimulatedFailure: Int] = [
    .powerCut: 250_000, .staleBlocks: 100_000, .powerCutInRecovery: 300_000, .kill: 50_000, .faults: 200_000,
    .faultsAtRolls: 200_000, .faultsThenKill: 50_000, .lyingSync: 50_000, .bitRot: 50_000,
  ]

  private static func simulator(_ context: TrialContext) throws -> [Goal] {
    SimulatedFailure.allCases.map { failure in
      let wanted = context.part(of: simulatedStates[failure] ?? 0)
      let tally = simulate(failure, states: wanted, context)
      var figure =
        "\(tally.states) states, \(tally.torn) torn, \(tally.refusals) refused, \(tally.flawCount.counted("flaw"))"
      if !failure.mayRefuse { figure += " (0 may be refused)" }
      if failure == .staleBlocks { figure += ", \(permille(tally.refusedShare)) refused" }
      if failure.level == .nothing {
        figure += ", \(tally.expectedLosses) losses without proof on the disk"
        figure += ", \(tally.overlooked) with proof"
      }
      let isRare = failure != .staleBlocks || tally.refusedShare <= 0.05
      return Goal(
        "simulated \(failure.rawValue)", wanted: "no guaranteed action lost, nothing wrong accepted", figure: figure,
        isMet: tally.states >= wanted && isRare, flaws: tally.flaws)
    }
  }

  private static func permille(_ share: Double) -> String { "\(Int((share * 1_000).rounded())) ‰" }

  /// Runs seeds on two threads until there are enough states.
  private static func simulate(_ failure: SimulatedFailure, states: Int, _ context: TrialContext) -> SimulationTally {
    let total = Locked(SimulationTally())
    let next = Locked(context.seed)
    DispatchQueue.concurrentPerform(iterations: 2) { _ in
      while total.withLock({ total in total.states }) < states {
        let seed = next.withLock { next in
          next += 1
          return next
        }
        let tally = Simulation(seed: seed, failure: failure).run()
        total.withLock { total in total.add(tally) }
      }
    }
    context.tell("simulated \(failure.rawValue)")
    return total.withLock { total in total }
  }

  /// Runs controls: programs with a mistake, which must be caught, or the other trials prove nothing.
  private static func controls(_ context: TrialContext) -> [Goal] {
    func goal(
      _ name: String, _ failure: SimulatedFailure = .powerCut, seeds: UInt64 = 5, says text: String? = nil,
      _ change: (inout Simulation) -> Void
    ) -> Goal {
      var tally = SimulationTally()
      var isCaught = false
      for seed in context.seed..<context.seed + seeds {
        var simulation = Simulation(seed: seed, failure: failure)
        change(&simulation)
        let own = simulation.run()
        if own.flaws.contains(where: { flaw in text.map { text in flaw.contains(text) } ?? true }) { isCaught = true }
        tally.add(own)
      }
      return Goal(
        "control: \(name)", wanted: "is caught", figure: "\(tally.states) states, \(tally.flawCount.counted("flaw"))",
        isMet: isCaught)
    }
    return [
      goal("a writer that acknowledges before it syncs", says: ": lost: ") {
        $0.mistake = .acknowledgesBeforeSync
      },
      goal("a directory that is never synced") { $0.skipsDirectorySync = true },
      goal("a log that forgets its last action between two runs", .kill, says: "between two runs: lost: ") {
        $0.forgetsBetweenLives = true
      },
    ]
      + RecoveryMistake.allCases.map { mistake in
        // Few ends leave `HEAD` as the only evidence of durability.
        goal("a recovery that \(mistake.rawValue)", .bitRot, seeds: 25, says: ": overlooked: ") {
          $0.recoveryMistake = mistake
        }
      }
  }

  /// The number of states at full share, for each way to record and each end.
  private static let recordedStates = 5_000

  @MainActor private static func recording(_ context: TrialContext) async -> [Goal] {
    var goals: [Goal] = []
    for way in RecordedProgram.Way.allCases {
      var tally = SimulationTally()
      let wanted = context.part(of: recordedStates)
      // Flipped bits must have caused damage, or the trial shows nothing.
      var isDamageSeen = true
      for end in RecordingEnd.allCases {
        var part = SimulationTally()
        var seed = context.seed
        // Each opening of a state is interrupted in turn; shorter runs allow more seeds for the same number of states.
        let steps = end == .powerCutInOpening ? 6 : 25
        while part.states < wanted {
          part.add(await RecordingSimulation(seed: seed, way: way, end: end, steps: steps).run())
          seed += 1
        }
        if end.mayRefuse, part.refusals == 0 { isDamageSeen = false }
        tally.add(part)
      }
      context.tell("simulated \(way.rawValue)")
      goals.append(
        Goal(
          "simulated \(way.rawValue)",
          wanted: "no guaranteed action lost; every state is the fold, with and without snapshots",
          figure: "\(tally.states) states, \(tally.torn) torn, \(tally.refusals) refused for damage, "
            + "\(tally.flawCount.counted("flaw"))", isMet: isDamageSeen, flaws: tally.flaws))
    }
    var simulation = RecordingSimulation(seed: context.seed, way: .recorder, end: .powerCut)
    simulation.mistake = .acknowledgesBeforeSync
    let control = await simulation.run()
    goals.append(
      Goal(
        "control: a program that treats dispatched actions as durable", wanted: "is caught",
        figure: "\(control.states) states, \(control.flawCount.counted("flaw"))", isMet: control.flawCount > 0))
    return goals
  }

  private static func rules(_ context: TrialContext) -> Goal {
    var table = RuleTable()
    for seed in 0..<UInt64(context.part(of: 600)) { table.add(seed: context.seed + seed) }
    context.tell("\n" + table.markdown + "\n")
    let cells = table.cells
    let states = cells.values.reduce(0) { sum, cell in sum + cell.states }
    let refused = cells[.crash]?.wrong[.format] ?? 0
    let withoutAlarms = RecoveryRule.allCases.filter { rule in cells[.crash]?.wrong[rule] ?? 0 == 0 }
    let isBest = withoutAlarms.allSatisfy { rule in
      [.flippedBit, .zeroedSector, .cutOff].allSatisfy { kind in
        (cells[kind]?.share(.format) ?? 1) <= (cells[kind]?.share(rule) ?? 0)
      }
    }
    return Goal(
      "recovery rules", wanted: "no false alarm after a crash; of the rules without one, the fewest silent losses",
      figure: "\(states) ends, \(refused) false alarms of rule F", isMet: refused == 0 && isBest && states > 0)
  }

  private static func care(_ context: TrialContext) -> Goal {
    var tally = SimulationTally()
    for care in CareSimulation.Care.allCases {
      for end in CareSimulation.End.allCases {
        for seed in 0..<UInt64(context.part(of: 100)) {
          tally.add(CareSimulation(seed: context.seed + seed, care: care, end: end).run())
        }
      }
    }
    return Goal(
      "backup, salvage and ship interrupted", wanted: "the complete copy or none; a lake that is restored",
      figure: "\(tally.states) ends, \(tally.flawCount.counted("flaw"))", isMet: tally.states > 0, flaws: tally.flaws)
  }

  private static func faults(_ context: TrialContext) -> Goal {
    var tally = SimulationTally()
    for way in FaultLoop.Way.all {
      for seed in 0..<UInt64(context.part(of: 30)) {
        let loop = FaultLoop(seed: context.seed &* 100 &+ seed, way: way)
        tally.add(loop.failProgram())
        tally.add(loop.failRecovery())
      }
    }
    return Goal(
      "every call failing", wanted: "the log opens, nothing acknowledged is missing",
      figure: "\(tally.states) failures, \(tally.flawCount.counted("flaw"))", isMet: tally.states > 0,
      flaws: tally.flaws)
  }

  /// The share determines both the length of the log and the number of bits.
  private static func exhaustive(_ context: TrialContext) -> ExhaustiveDamage {
    ExhaustiveDamage(sizeBytes: Int(65_536 * max(context.share, 0.05)), stride: context.share < 1 ? 23 : 1)
  }

  private static func races(_ context: TrialContext) -> Races {
    Races(rounds: context.part(of: 50), context: context)
  }

  private static func powerCuts(_ kind: PowerCuts.Kind) -> [Trial] {
    [
      Trial("power cuts, \(kind.rawValue)") { context in
        [try PowerCuts(kind: kind, cuts: context.part(of: 1_000), context: context).run()]
      },
      Trial("power cuts, \(kind.rawValue), control") { context in
        let cuts = max(5, context.part(of: 20))
        return [try PowerCuts(kind: kind, cuts: cuts, context: context, isControl: true).run()]
      },
    ]
  }
}

/// One row of the table: the goal of a trial, its result, and whether the goal is met.
package struct Goal: Sendable {
  /// The outcome of a trial.
  package enum Outcome: Sendable, Equatable {
    /// The goal is met.
    case met
    /// The goal is missed: something was lost or wrongly accepted, or too little was tried.
    case missed
    /// The trial cannot run on this machine.
    case skipped(String)
  }

  /// The name of the trial.
  package var name: String
  /// The goal.
  package var wanted: String
  /// The result.
  package var figure: String
  package var outcome: Outcome
  /// The flaws that were found.
  package var flaws: [String] = []

  /// Creates a goal that is met or missed.
  package init(_ name: String, wanted: String, figure: String, isMet: Bool, flaws: [String] = []) {
    self.name = name
    self.wanted = wanted
    self.figure = figure
    outcome = isMet && flaws.isEmpty ? .met : .missed
    self.flaws = flaws
  }

  /// Creates a goal that was skipped.
  package init(_ name: String, wanted: String, skippedBecause reason: String) {
    self.name = name
    self.wanted = wanted
    figure = "–"
    outcome = .skipped(reason)
  }

  /// The row in a Markdown table.
  package var row: String {
    let end =
      switch outcome {
      case .met: "met"
      case .missed: "**NOT MET**"
      case .skipped(let reason): "skipped: \(reason)"
      }
    return "| \(name) | \(wanted) | \(figure) | \(end) |"
  }
}

/// The reason why a machine cannot run a trial: it lacks a tool, a permission or a file system.
///
/// A failing program of this package is never a reason, and neither is a failure after a flaw was found.
package struct Unavailable: Error, CustomStringConvertible {
  package var description: String

  package init(_ reason: String) { description = reason }
}

extension [String] {
  /// Runs a part of a trial and collects its flaws. An error that ends it is added as another flaw, so earlier flaws
  /// are kept.
  ///
  /// - Throws: ``Unavailable`` if no flaw was found before.
  mutating func collect(_ body: (inout [String]) throws -> Void) throws {
    do { try body(&self) } catch let reason as Unavailable where isEmpty { throw reason } catch {
      append("the trial ended early: \(error)")
    }
  }
}

/// The parameters of all trials.
package struct TrialContext: Sendable {
  /// The seed of all random choices.
  package var seed: UInt64
  /// The share of the full size, 0…1.
  package var share: Double
  /// A directory for files.
  package var directory: String
  /// The program that the trials start as child processes.
  package var executable: String
  /// A function that is called with progress messages.
  package var tell: @Sendable (String) -> Void

  /// Creates a context.
  package init(
    seed: UInt64, share: Double, directory: String, executable: String,
    tell: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.seed = seed
    self.share = share
    self.directory = directory
    self.executable = executable
    self.tell = tell
  }

  /// Returns the share of a number, at least 1.
  package func part(of count: Int) -> Int { max(1, Int(Double(count) * share)) }

  /// Returns an unused path in the directory.
  package func path(_ name: String) throws -> String {
    let path = directory + "/" + name
    if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    return path
  }
}

extension Int {
  /// The number with a noun in the singular or plural.
  func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
