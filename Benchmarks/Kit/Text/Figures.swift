import Foundation

/// Formats figures with three significant digits and a suitable unit.
package enum Figures {
  /// A duration.
  package static func time(nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1_000: "\(digits(nanoseconds)) ns"
    case ..<1_000_000: "\(digits(nanoseconds / 1_000)) µs"
    case ..<1_000_000_000: "\(digits(nanoseconds / 1_000_000)) ms"
    default: "\(digits(nanoseconds / 1_000_000_000)) s"
    }
  }

  /// Formats a rate per second.
  package static func rate(_ perSecond: Double) -> String {
    switch perSecond {
    case ..<10_000: "\(digits(perSecond))/s"
    case ..<1_000_000: "\(digits(perSecond / 1_000)) k/s"
    default: "\(digits(perSecond / 1_000_000)) M/s"
    }
  }

  /// A quotient, for instance `91×`.
  package static func ratio(_ value: Double) -> String { "\(digits(value))×" }

  /// A quotient with its range, for instance `91× [74…124]`.
  package static func ratio(_ spread: Spread) -> String {
    "\(digits(spread.median))× [\(digits(spread.low))…\(digits(spread.high))]"
  }

  /// A number with three digits that matter; thousands are grouped by spaces.
  package static func digits(_ value: Double) -> String {
    guard value.isFinite else { return "–" }
    switch abs(value) {
    case 0: return "0"
    case ..<0.995: return String(format: "%.3g", value)
    case ..<9.995: return String(format: "%.2f", value)
    case ..<99.95: return String(format: "%.1f", value)
    default: return grouped(value)
    }
  }

  /// A whole number, its thousands grouped by spaces.
  package static func grouped(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "–" }
    let text = String(Int(value.rounded()).magnitude)
    var groups: [Substring] = []
    var rest = text[...]
    while !rest.isEmpty {
      groups.insert(rest.suffix(3), at: 0)
      rest = rest.dropLast(3)
    }
    return (value.rounded() < 0 ? "−" : "") + groups.joined(separator: " ")
  }
}
