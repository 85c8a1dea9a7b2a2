/// The result of one round of a contender.
package struct RoundResult: Codable, Equatable, Sendable {
  /// A hash of the result, so that none of the work can vanish; the same in every round.
  package var hash: UInt64
  /// The duration by the contender's own clock; `nil` if the harness times the call.
  package var nanoseconds: Double?
  /// Further quantities by name, for instance `p99Nanoseconds`.
  package var metrics: [String: Double]

  /// Makes a result.
  package init(hash: UInt64, nanoseconds: Double? = nil, metrics: [String: Double] = [:]) {
    self.hash = hash
    self.nanoseconds = nanoseconds
    self.metrics = metrics
  }
  /// Makes a result of work whose own clock has stopped. The hash is computed now, so that what was made lives until now: to look
  /// at it and to let it go is no part of the work.
  package init(nanoseconds: Double, metrics: [String: Double] = [:], hash: () -> UInt64) {
    self.init(hash: hash(), nanoseconds: nanoseconds, metrics: metrics)
  }
}
