extension GrowthResults {
  /// The plots, by the names of their files.
  package var plots: [(name: String, plot: LinePlot)] {
    [
      ("growth-time", plot("Time as the log grows", series.filter { series in !series.isMemory }, Self.time)),
      ("growth-memory", plot("Memory as the log grows", series.filter(\.isMemory), Self.memory)),
    ].filter { _, plot in !plot.lines.isEmpty }
  }

  /// All series as a table.
  package var table: TextTable {
    let counts = Set(series.flatMap(\.actions)).sorted()
    var table = TextTable(
      ["actions"] + counts.map { count in Figures.grouped(Double(count)) }, numeric: Set(1...max(1, counts.count)))
    for series in series {
      table.add(
        [series.name]
          + counts.map { count in
            guard let place = series.actions.firstIndex(of: count) else { return "–" }
            return series.isMemory
              ? Self.memory(series.values[place]) : Figures.time(nanoseconds: series.values[place])
          })
    }
    return table
  }

  private func plot(
    _ title: String, _ series: [GrowthSeries], _ write: @escaping @Sendable (Double) -> String
  ) -> LinePlot {
    LinePlot(
      title: title, horizontal: "actions in the log",
      lines: series.map { series in
        LinePlot.Line(
          name: series.name,
          points: zip(series.actions, series.values).map { actions, value in
            LinePlot.Point(x: Double(actions), y: value)
          })
      },
      writeX: { value in Figures.grouped(value) }, writeY: write)
  }

  private static let time: @Sendable (Double) -> String = { value in
    switch value {
    case ..<1_000: "\(Figures.grouped(value)) ns"
    case ..<1e6: "\(Figures.grouped(value / 1e3)) µs"
    case ..<1e9: "\(Figures.grouped(value / 1e6)) ms"
    default: "\(Figures.grouped(value / 1e9)) s"
    }
  }

  private static let memory: @Sendable (Double) -> String = { value in "\(Figures.digits(value)) MiB" }
}

extension GuideResults {
  /// The plots of the curves, by the names of their files.
  package var plots: [(name: String, plot: LinePlot)] {
    var operations: [String] = []
    for curve in curves where !operations.contains(curve.operation) { operations.append(curve.operation) }
    return operations.map { operation in
      (
        "guide-\(operation.lowercased())",
        LinePlot(
          title: "\(operation) by the number of elements", horizontal: "elements of 80 bytes",
          lines: curves.filter { curve in curve.operation == operation }.map { curve in
            LinePlot.Line(
              name: curve.collection,
              points: zip(curve.elements, curve.nanoseconds).map { count, time in
                LinePlot.Point(x: Double(count), y: time)
              })
          },
          writeX: { value in Figures.grouped(value) },
          writeY: { value in
            value < 1_000
              ? "\(Figures.grouped(value)) ns"
              : value < 1e6
                ? "\(Figures.grouped(value / 1e3)) µs"
                : "\(Figures.grouped(value / 1e6)) ms"
          })
      )
    }
  }
}

extension GrowthSeries {
  /// Whether the values are mebibytes.
  package var isMemory: Bool { name.hasPrefix("memory") }
}
