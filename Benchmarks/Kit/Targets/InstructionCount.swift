/// Machine instructions for one unit of work, as callgrind counts them: repeatable, whatever else the machine does.
package struct InstructionCount: Codable, Equatable, Sendable {
  /// The subject, for instance `decode`.
  package var name: String
  /// Instructions for one unit.
  package var perUnit: Double
  /// The unit.
  package var unit: String

  /// Makes a count.
  package init(name: String, perUnit: Double, unit: String) {
    self.name = name
    self.perUnit = perUnit
    self.unit = unit
  }

  /// The name of a count among the measurements.
  package static func measurementName(_ name: String) -> String { "instructions, \(name)" }

  /// The count as a measurement, for the table of targets.
  package var measurement: Measurement {
    var measurement = Measurement(name: Self.measurementName(name), unit: unit, count: 1)
    measurement.metrics["instructions"] = [perUnit]
    return measurement
  }

  /// The regressions against a reference.
  ///
  /// - Parameters:
  ///   - reference: The counts to compare with. What only one side has is not compared.
  ///   - tolerance: The growth that is let pass, for instance 0.03.
  /// - Returns: A line for each count that grew by more.
  package static func regressions(
    of counts: [InstructionCount], against reference: [InstructionCount], tolerance: Double
  ) -> [String] {
    counts.compactMap { count in
      guard let old = reference.first(where: { old in old.name == count.name }),
        count.perUnit > old.perUnit * (1 + tolerance)
      else { return nil }
      return "\(count.name): \(Figures.grouped(count.perUnit)) instructions a \(count.unit), "
        + "\(Figures.grouped(old.perUnit)) before"
    }
  }
}
