/// The results of simulated failures.
package struct SimulationTally: Sendable {
  /// The number of states that were checked.
  package var states = 0
  /// The number of them that the engine refused as damaged.
  package var refusals = 0
  /// The number of states with a torn tail that was truncated.
  package var torn = 0
  /// The number of states with fewer actions than were acknowledged, where the failure voids that promise and the disk
  /// has no evidence of more.
  package var expectedLosses = 0
  /// The number of such states although the disk has evidence of more: flaws.
  package var overlooked = 0
  /// The flaws, with the seed and the step that reproduce them; at most ``flawLimit``.
  package private(set) var flaws: [String] = []
  /// The number of flaws.
  package private(set) var flawCount = 0

  /// Enough to see the cause.
  private static let flawLimit = 20

  /// Creates an empty tally.
  package init() {}

  /// Adds a flaw.
  package mutating func add(flaw: String) {
    flawCount += 1
    if flaws.count < Self.flawLimit { flaws.append(flaw) }
  }

  /// Adds the results of another run.
  package mutating func add(_ other: SimulationTally) {
    states += other.states
    refusals += other.refusals
    torn += other.torn
    expectedLosses += other.expectedLosses
    overlooked += other.overlooked
    for flaw in other.flaws { add(flaw: flaw) }
    flawCount += other.flawCount - other.flaws.count
  }

  /// The share of the states that the engine refused, 0…1.
  package var refusedShare: Double { states == 0 ? 0 : Double(refusals) / Double(states) }
}
