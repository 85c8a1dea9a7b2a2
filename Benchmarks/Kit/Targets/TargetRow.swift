/// A condition with what was measured, as a row of the table of targets.
package struct TargetRow: Equatable, Sendable {
  /// The outcome of a condition.
  package enum Verdict: Equatable, Sendable, CustomStringConvertible {
    case met
    case missed
    /// There is a figure, and nothing that it has to reach.
    case noted
    case notMeasured(because: String)
    /// The run was asked to leave it out.
    case leftOut

    /// The verdict in words.
    package var description: String {
      switch self {
      case .met: "met"
      case .missed: "**not met**"
      case .noted: "–"
      case .notMeasured(let reason): "not measured: \(reason)"
      case .leftOut: "left out"
      }
    }
  }

  package var criterion: Criterion
  /// The measured value and that of the baseline, and their quotient with its range.
  package var measured = "–"
  package var baseline = "–"
  package var ratio = "–"
  package var verdict: Verdict
  /// The number that was compared with the limit.
  package var value: Double?

  /// The condition's requirement.
  package var target: String {
    guard let limit = criterion.limit else { return "–" }
    switch criterion.quantity {
    case .speedup, .slowdown, .metricRatio: return limit.text(Figures.ratio)
    case .rate: return limit.text(Figures.rate)
    case .time: return limit.text(Figures.time(nanoseconds:))
    case .metric(_, let unit): return limit.text(unit.text)
    }
  }

  /// Evaluates a condition.
  ///
  /// - Parameter measurements: By name.
  package init(_ criterion: Criterion, _ measurements: [String: Measurement]) {
    self.criterion = criterion
    guard let subject = measurements[criterion.subject] else {
      verdict = .leftOut
      return
    }
    if let missing = subject.missing {
      verdict = .notMeasured(because: missing)
      return
    }
    verdict = .noted
    guard let name = criterion.baseline else {
      evaluate(subject)
      return
    }
    measured = TargetRow.figure(of: subject, criterion.quantity)
    guard let other = measurements[name] else {
      verdict = .leftOut
      return
    }
    guard other.missing == nil else {
      verdict = .notMeasured(because: other.missing ?? "")
      return
    }
    baseline = TargetRow.figure(of: other, criterion.quantity)
    compare(subject, other)
  }

  private mutating func evaluate(_ subject: Measurement) {
    switch criterion.quantity {
    case .rate:
      let spread = subject.rounds.map { nanoseconds in 1e9 / nanoseconds }.spread
      (measured, ratio) = (Figures.rate(spread.median), TargetRow.range(spread, Figures.rate))
      judge(spread.median)
    case .time:
      let spread = subject.rounds.spread
      (measured, ratio) = (
        Figures.time(nanoseconds: spread.median), TargetRow.range(spread, Figures.time(nanoseconds:))
      )
      judge(spread.median)
    case .metric(let metric, let unit):
      guard let values = subject.metrics[metric], !values.isEmpty else {
        verdict = .notMeasured(because: "the run has no '\(metric)'")
        return
      }
      (measured, ratio) = (unit.text(values.median), TargetRow.range(values.spread, unit.text))
      judge(values.median)
    case .speedup, .slowdown, .metricRatio:
      preconditionFailure("a comparison needs a baseline")
    }
  }

  private mutating func compare(_ subject: Measurement, _ other: Measurement) {
    let spread: Spread
    switch criterion.quantity {
    case .speedup: spread = .ratios(of: other.rounds, to: subject.rounds)
    case .slowdown: spread = .ratios(of: subject.rounds, to: other.rounds)
    case .metricRatio(let metric, _, _):
      guard let own = subject.metrics[metric], let theirs = other.metrics[metric] else {
        verdict = .notMeasured(because: "the run has no '\(metric)'")
        return
      }
      spread = .ratios(of: own, to: theirs)
    case .rate, .time, .metric: preconditionFailure("no comparison")
    }
    ratio = Figures.ratio(spread)
    judge(spread.median)
  }

  private mutating func judge(_ value: Double) {
    self.value = value
    guard let limit = criterion.limit else { return }
    verdict = limit.isMet(by: value) ? .met : .missed
  }

  private static func figure(of measurement: Measurement, _ quantity: Criterion.Quantity) -> String {
    if case .metricRatio(let metric, let unit, _) = quantity {
      return measurement.metrics[metric].map { values in unit.text(values.median) } ?? "–"
    }
    return Figures.time(nanoseconds: measurement.median) + "/" + measurement.unit
  }

  private static func range(_ spread: Spread, _ write: (Double) -> String) -> String {
    spread.low == spread.high ? "–" : "[\(write(spread.low))…\(write(spread.high))]"
  }
}
