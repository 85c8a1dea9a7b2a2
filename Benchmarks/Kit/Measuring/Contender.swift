/// One thing that is measured: a piece of work of a fixed size that gives a hash of its result.
package struct Contender {
  /// One round of the work, prepared.
  package typealias Work = @MainActor () async throws -> RoundResult

  /// The process in which the rounds run.
  package enum Place: Equatable, Sendable {
    /// In the process of the harness, in turn with the others.
    case here
    /// Each in a process of its own, which has only so many processors (`nil`: all).
    case ownProcess(cores: Int?)
  }

  /// The subject, for instance `replay, direct`.
  package var name: String
  /// The unit of the figure, for instance `action`.
  package var unit: String
  /// The number of units per round.
  package var count: Int
  /// The process in which the rounds run.
  package var place: Place
  /// Contenders with the same key do the same work, so their hashes must match; `nil` compares with no other.
  package var agreement: String?
  /// Whether peak memory is taken, in one more round in a process of its own.
  package var takesMemory: Bool
  /// The most rounds, for work that takes long; none of them warms up. `nil`: as many as the run has, after one that warms up.
  package var roundLimit: Int?
  /// Prepares a round outside the clock.
  ///
  /// - Throws: ``Missing`` when it cannot be measured on this machine.
  package var prepare: @MainActor () async throws -> Work

  /// Makes a contender.
  package init(
    _ name: String, unit: String, count: Int, place: Place = .here, agreement: String? = nil,
    takesMemory: Bool = false, roundLimit: Int? = nil, prepare: @escaping @MainActor () async throws -> Work
  ) {
    self.name = name
    self.unit = unit
    self.count = count
    self.place = place
    self.agreement = agreement
    self.takesMemory = takesMemory
    self.roundLimit = roundLimit
    self.prepare = prepare
  }

  /// Whether it runs in a round. Round 0 warms up.
  func takesPart(in round: Int) -> Bool {
    guard let roundLimit else { return true }
    return (1...roundLimit).contains(round)
  }
}

/// Why something cannot be measured here: a tool that is not installed, a part that is not built yet.
package struct Missing: Error, Equatable, CustomStringConvertible {
  /// The reason, which follows "not measured: ".
  package var description: String

  /// Makes a reason.
  package init(_ reason: String) {
    self.description = reason
  }
}
