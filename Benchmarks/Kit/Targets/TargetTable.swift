/// The table of targets: what the project promises itself, and what a run has measured of it.
package struct TargetTable: Equatable, Sendable {
  /// The rows, in the order of the conditions.
  package var rows: [TargetRow]

  /// Evaluates conditions.
  ///
  /// - Parameter judges: `false` compares nothing with its limit: targets are about the canonical size.
  package init(_ criteria: [Criterion], _ measurements: [Measurement], judges: Bool = true) {
    let byName = Dictionary(
      measurements.map { measurement in (measurement.name, measurement) }, uniquingKeysWith: { first, _ in first })
    rows = criteria.map { criterion in
      var row = TargetRow(criterion, byName)
      if !judges, row.value != nil { row.verdict = .noted }
      return row
    }
  }

  /// The table for people.
  package var table: TextTable {
    var table = TextTable(
      ["#", "what", "measured", "baseline", "ratio [range]", "target", "verdict"], numeric: [2, 3, 4, 5])
    for row in rows {
      table.add([
        row.criterion.target, row.criterion.title, row.measured, row.baseline, row.ratio, row.target,
        row.verdict.description,
      ])
    }
    return table
  }

  /// The number of conditions by outcome.
  package var summary: String {
    let met = rows.count { row in row.verdict == .met }
    let missed = rows.count { row in row.verdict == .missed }
    let open = rows.count { row in
      if case .notMeasured = row.verdict { true } else { false }
    }
    let leftOut = rows.count { row in row.verdict == .leftOut }
    return "\(met) met, \(missed) not met, \(open) not measured, \(leftOut) left out"
  }
}

extension [Measurement] {
  /// Every measurement, with range, memory and hash.
  package var table: TextTable {
    var table = TextTable(
      ["measurement", "units", "median", "range", "per second", "peak (before) MiB", "hash"], numeric: [1, 2, 3, 4, 5])
    for measurement in self {
      guard measurement.missing == nil else {
        table.add([measurement.name, "", "not measured: \(measurement.missing ?? "")"])
        continue
      }
      let spread = measurement.rounds.spread
      table.add([
        measurement.name,
        Figures.grouped(Double(measurement.count)),
        Figures.time(nanoseconds: spread.median) + "/" + measurement.unit,
        "\(Figures.time(nanoseconds: spread.low)) … \(Figures.time(nanoseconds: spread.high))",
        Figures.rate(1e9 / spread.median),
        Self.memory(of: measurement),
        measurement.hash,
      ])
    }
    return table
  }

  private static func memory(of measurement: Measurement) -> String {
    guard let peak = measurement.peakMebibytes else {
      return measurement.metrics["peakMebibytes"].map { values in Figures.digits(values.median) } ?? ""
    }
    guard let prepared = measurement.preparedMebibytes else { return Figures.digits(peak) }
    return "\(Figures.digits(peak)) (\(Figures.digits(prepared)))"
  }
}
