/// What the rounds of one contender gave.
package struct Measurement: Codable, Equatable, Sendable {
  /// What was measured.
  package var name: String
  /// What the figures count.
  package var unit: String
  /// How many units one round was.
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
