/// What one round of a contender gave.
package struct RoundResult: Codable, Equatable, Sendable {
  /// A hash of the result, so that none of the work can vanish; the same in every round.
  package var hash: UInt64
  /// How long the work took by its own clock; `nil` leaves it to the harness, which times the call.
  package var nanoseconds: Double?
  /// Further quantities by name, for instance `p99Nanoseconds`.
  package var metrics: [String: Double]

  /// Makes a result.
  package init(hash: UInt64, nanoseconds: Double? = nil, metrics: [String: Double] = [:]) {
    self.hash = hash
    self.nanoseconds = nanoseconds
    self.metrics = metrics
  }
}
