extension [Double] {
  /// The middle value; of an even number, the mean of the middle two; 0 of none.
  ///
  /// - Complexity: O(*n* log *n*).
  package var median: Double {
    guard !isEmpty else { return 0 }
    let sorted = sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// A percentile by nearest rank: the smallest value that at least so many of a hundred values do not exceed.
  ///
  /// 0 gives the smallest value, 100 the largest; no value is made up between two that were measured.
  ///
  /// - Parameter percent: From 0 to 100.
  /// - Complexity: O(*n* log *n*).
  package func percentile(_ percent: Double) -> Double {
    precondition((0...100).contains(percent), "a percentile must be between 0 and 100")
    guard !isEmpty else { return 0 }
    let rank = (percent / 100 * Double(count)).rounded(.up)
    return sorted()[Swift.max(0, Swift.min(count, Int(rank)) - 1)]
  }

  /// Median and range.
  package var spread: Spread {
    Spread(median: median, low: self.min() ?? 0, high: self.max() ?? 0)
  }
}

/// A median with its range.
package struct Spread: Equatable, Sendable {
  /// The middle value.
  package var median: Double
  /// The smallest value.
  package var low: Double
  /// The largest value.
  package var high: Double

  /// Makes a spread from its parts.
  package init(median: Double, low: Double, high: Double) {
    self.median = median
    self.low = low
    self.high = high
  }

  /// The quotients of two series, round by round, so that a machine that is slow for a while is slow for both.
  ///
  /// Rounds that only one of them has do not count.
  package static func ratios(of numerators: [Double], to denominators: [Double]) -> Spread {
    zip(numerators, denominators).map { numerator, denominator in numerator / denominator }.spread
  }
}
