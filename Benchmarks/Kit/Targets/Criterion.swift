/// One condition of a target: a quantity of a measurement, and what it has to reach.
package struct Criterion: Equatable, Sendable {
  /// The quantities that a condition can be about.
  package enum Quantity: Equatable, Sendable {
    /// The speedup over a baseline: the baseline's time divided by the contender's.
    case speedup(over: String)
    /// The slowdown against a baseline: the contender's time divided by the baseline's.
    case slowdown(against: String)
    /// Units in a second.
    case rate
    /// Nanoseconds for a unit.
    case time
    /// A metric of the measurement.
    case metric(String, MetricUnit)
    /// A metric, over the same metric of a baseline.
    case metricRatio(String, MetricUnit, to: String)
  }

  /// The target that it belongs to, for instance `D1`.
  package var target: String
  /// A description of the condition.
  package var title: String
  /// The name of the measurement.
  package var subject: String
  /// The statistic that counts.
  package var quantity: Quantity
  /// The target; `nil` for a figure without one.
  package var limit: Limit?

  /// Makes a condition.
  package init(
    _ target: String, _ title: String, _ subject: String, _ quantity: Quantity, _ limit: Limit? = nil
  ) {
    self.target = target
    self.title = title
    self.subject = subject
    self.quantity = quantity
    self.limit = limit
  }

  /// The measurement that the subject is compared with.
  package var baseline: String? {
    switch quantity {
    case .speedup(let name), .slowdown(let name), .metricRatio(_, _, let name): name
    case .rate, .time, .metric: nil
    }
  }
}

/// The unit of a metric.
package enum MetricUnit: Equatable, Sendable {
  case nanoseconds, mebibytes, bytes, count, megabytesPerSecond, perSecond, ratio

  /// A figure with its unit.
  package func text(_ value: Double) -> String {
    switch self {
    case .nanoseconds: Figures.time(nanoseconds: value)
    case .mebibytes: "\(Figures.digits(value)) MiB"
    case .bytes: "\(Figures.digits(value)) B"
    case .count: Figures.digits(value)
    case .megabytesPerSecond: "\(Figures.digits(value)) MB/s"
    case .perSecond: Figures.rate(value)
    case .ratio: Figures.ratio(value)
    }
  }
}
