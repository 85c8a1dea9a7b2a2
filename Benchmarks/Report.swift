import Foundation

/// Prints measurements as a table for people.
func printTable(_ measurements: [Measurement]) {
  let medians = Dictionary(
    measurements.map { measurement in (measurement.benchmark.name, measurement) },
    uniquingKeysWith: { first, _ in first })
  print(row("benchmark", "size", "median", "range", "per second", "ratio", "hash"))
  for measurement in measurements {
    let ratio: String
    if let name = measurement.benchmark.baseline, let baseline = medians[name] {
      let ratios = zip(baseline.rounds, measurement.rounds).map { base, own in base / own }
      ratio = String(format: "%.2f x %@", ratios.median, name)
    } else {
      ratio = ""
    }
    print(
      row(
        measurement.benchmark.name,
        "\(measurement.size)",
        time(measurement.median) + "/" + measurement.benchmark.unit,
        time(measurement.rounds.min() ?? 0) + " … " + time(measurement.rounds.max() ?? 0),
        String(format: "%.0f", 1e9 / measurement.median),
        ratio,
        String(measurement.hash, radix: 16)))
  }
}

/// Prints measurements as one JSON object on each line.
func printJSON(_ measurements: [Measurement]) throws {
  for measurement in measurements {
    let object: [String: Any] = [
      "benchmark": measurement.benchmark.name,
      "unit": measurement.benchmark.unit,
      "size": measurement.size,
      "medianNanoseconds": measurement.median,
      "roundsNanoseconds": measurement.rounds,
      "hash": String(measurement.hash, radix: 16),
    ]
    print(String(decoding: try JSONSerialization.data(withJSONObject: object, options: .sortedKeys), as: UTF8.self))
  }
}

private func row(_ columns: String...) -> String {
  let widths = [34, 9, 20, 26, 12, 38, 16]
  return zip(columns, widths).map { text, width in
    text.padding(toLength: max(width, text.count), withPad: " ", startingAt: 0)
  }.joined(separator: " ")
}

private func time(_ nanoseconds: Double) -> String {
  switch nanoseconds {
  case ..<1_000: String(format: "%.0f ns", nanoseconds)
  case ..<1_000_000: String(format: "%.2f µs", nanoseconds / 1_000)
  default: String(format: "%.2f ms", nanoseconds / 1_000_000)
  }
}
