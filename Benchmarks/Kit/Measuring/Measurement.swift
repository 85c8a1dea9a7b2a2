/// The results of a contender's rounds.
package struct Measurement: Codable, Equatable, Sendable {
  /// The name of the contender.
  package var name: String
  /// The unit of the figures.
  package var unit: String
  /// The number of units per round.
  package var count: Int
  /// Nanoseconds for each unit, by round.
  package var rounds: [Double] = []
  /// Further quantities, by name and round.
  package var metrics: [String: [Double]] = [:]
  /// The hash of the result, in hexadecimal.
  package var hash = ""
  /// The resident peak of a process that did the work once, in mebibytes, and how much of it was there beforehand.
  package var peakMebibytes: Double?
  package var preparedMebibytes: Double?
  /// Why there are no rounds, if there are none.
  package var missing: String?

  /// Begins a measurement.
  package init(name: String, unit: String, count: Int) {
    self.name = name
    self.unit = unit
    self.count = count
  }

  /// The median of the rounds, in nanoseconds for each unit.
  package var median: Double { rounds.median }
}
