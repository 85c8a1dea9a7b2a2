/// What a run of simulated failures came to.
package struct SimulationTally: Sendable {
  /// How many states a failure left were looked at.
  package var states = 0
  /// How many of them the engine refused as damaged.
  package var refusals = 0
  /// How many had a torn tail that was cut.
  package var torn = 0
  /// How many held fewer actions than were acknowledged, where the failure takes that promise away and nothing on the disk
  /// shows that there were more.
  package var expectedLosses = 0
  /// How many did so although something on the disk shows that there were more: flaws.
  package var overlooked = 0
  /// What must not be, with the seed and the place that lead there; at most ``flawLimit``.
  package private(set) var flaws: [String] = []
  /// How many flaws there were.
  package private(set) var flawCount = 0

  /// Enough to see what happened.
  private static let flawLimit = 20

  /// Nothing was looked at yet.
  package init() {}

  /// Notes what must not be.
  package mutating func add(flaw: String) {
    flawCount += 1
    if flaws.count < Self.flawLimit { flaws.append(flaw) }
  }

  /// Adds what another run came to.
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
