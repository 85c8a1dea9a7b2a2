import Foundation

/// A scale on which equal factors are equal lengths.
package struct LogarithmicScale: Equatable, Sendable {
  /// Powers of ten that hold all values.
  package var decades: ClosedRange<Int>
  /// The coordinates of the scale's ends.
  package var start: Double
  package var end: Double

  /// Makes a scale that holds some values; those that are not above 0 have no place on it and are left out.
  package init(holding values: [Double], from start: Double, to end: Double) {
    let logarithms = values.filter { value in value > 0 && value.isFinite }.map { value in log10(value) }
    // A value that is a power of ten but for rounding shall not cost a decade.
    let low = Int(((logarithms.min() ?? 0) + 1e-9).rounded(.down))
    let high = Int(((logarithms.max() ?? 1) - 1e-9).rounded(.up))
    self.decades = low...max(high, low + 1)
    self.start = start
    self.end = end
  }

  /// Returns the coordinate of a positive value.
  package func place(of value: Double) -> Double {
    let part = (log10(value) - Double(decades.lowerBound)) / Double(decades.count - 1)
    return start + (end - start) * part
  }

  /// The powers of ten that are marked.
  package var marks: [Double] { decades.map { exponent in pow(10, Double(exponent)) } }
}
