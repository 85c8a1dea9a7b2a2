/// A limit for a figure.
package enum Limit: Equatable, Sendable {
  /// The figure must not be smaller.
  case atLeast(Double)
  /// The figure must not be larger.
  case atMost(Double)

  /// Whether a figure reaches the limit.
  package func isMet(by value: Double) -> Bool {
    switch self {
    case .atLeast(let limit): value >= limit
    case .atMost(let limit): value <= limit
    }
  }

  /// The limit in words, with the figure written as the caller writes figures.
  package func text(_ write: (Double) -> String) -> String {
    switch self {
    case .atLeast(let limit): "≥ " + write(limit)
    case .atMost(let limit): "≤ " + write(limit)
    }
  }
}
