extension GuideResults {
  private static let percents: [Double] = [0, 25, 50, 75, 90, 99, 100]

  /// A table with its title.
  package struct TitledTable: Equatable, Sendable {
    package var title: String
    package var table: TextTable
  }

  /// The guide's tables, as far as they were measured.
  package var tables: [TitledTable] {
    var tables = [
      TitledTable(title: "Processor time of an operation, N = \(Figures.grouped(Double(elements)))", table: cpuTable),
      TitledTable(title: "Resident peak in MiB, N = \(Figures.grouped(Double(elements)))", table: memoryTable),
      TitledTable(title: "Ratios of the medians, to the first collection", table: ratioTable),
    ]
    if !curves.isEmpty {
      tables.append(TitledTable(title: "Time by the number of elements", table: curveTable))
    }
    if !folds.isEmpty {
      tables.append(TitledTable(title: "Inserts folded through a reducer", table: foldTable))
    }
    return tables
  }

  /// The tables as Markdown.
  package var page: String {
    ([conditions.line] + tables.map { table in "**\(table.title)**\n\n\(table.table.markdown)" } + [crossovers])
      .filter { part in !part.isEmpty }
      .joined(separator: "\n\n")
  }

  private var cpuTable: TextTable {
    var table = TextTable(
      ["operation", "collection"] + Self.percents.map { percent in "p\(Int(percent))" } + ["wall p50", "in a sample"],
      numeric: Set(2...10))
    for run in runs {
      table.add(
        [run.operation, run.collection]
          + Self.percents.map { percent in Figures.time(nanoseconds: run.cpuNanoseconds.percentile(percent)) }
          + [
            Figures.time(nanoseconds: run.wallNanoseconds.percentile(50)),
            "\(run.repetitions) × \(run.cpuNanoseconds.count)",
          ])
    }
    return table
  }

  private var memoryTable: TextTable {
    var table = TextTable(
      ["operation", "collection", "built"] + Self.percents.map { percent in "p\(Int(percent))" }, numeric: Set(2...9))
    for run in runs {
      table.add(
        [run.operation, run.collection, Figures.digits(run.builtMebibytes)]
          + Self.percents.map { percent in Figures.digits(run.peakMebibytes.percentile(percent)) })
    }
    return table
  }

  private var collections: [String] {
    var names: [String] = []
    for run in runs where !names.contains(run.collection) { names.append(run.collection) }
    return names
  }

  private var ratioTable: TextTable {
    let others = collections.dropFirst()
    var table = TextTable(
      ["operation"] + others.map { other in "\(collections.first ?? "") / \(other)" },
      numeric: Set(1...max(1, others.count)))
    for run in runs where run.collection == collections.first {
      let median = run.cpuNanoseconds.percentile(50)
      table.add(
        [run.operation]
          + others.map { other in
            runs.first { other == $0.collection && run.operation == $0.operation }
              .map { other in Figures.ratio(median / other.cpuNanoseconds.percentile(50)) } ?? "–"
          })
    }
    return table
  }

  private var curveTable: TextTable {
    var table = TextTable(
      ["N"] + curves.map { curve in "\(curve.operation), \(curve.collection)" }, numeric: Set(0...curves.count))
    for (index, count) in (curves.first?.elements ?? []).enumerated() {
      table.add(
        [Figures.grouped(Double(count))] + curves.map { curve in Figures.time(nanoseconds: curve.nanoseconds[index]) })
    }
    return table
  }

  private var foldTable: TextTable {
    let counts = Set(folds.map(\.inserts)).sorted()
    var table = TextTable(
      ["collection"] + counts.map { count in Figures.grouped(Double(count)) }, numeric: Set(1...counts.count))
    var names: [String] = []
    for fold in folds where !names.contains(fold.collection) { names.append(fold.collection) }
    for name in names {
      table.add(
        [name]
          + counts.map { count in
            folds.first { fold in fold.collection == name && fold.inserts == count }
              .map { fold in Figures.time(nanoseconds: fold.nanoseconds) } ?? "–"
          })
    }
    return table
  }

  /// From how many elements on the persistent map is faster than the dictionary.
  package var crossovers: String {
    curves.filter { curve in curve.collection == "TreeDictionary" }.compactMap { curve in
      guard
        let dictionary = curves.first(where: { other in
          other.operation == curve.operation && other.collection == "Dictionary"
        })
      else { return nil }
      let place = curve.crossover(below: dictionary).map { count in
        count == 1 ? "at every size" : "from \(Figures.grouped(Double(count))) elements on"
      }
      return "\(curve.operation): `TreeDictionary` is faster than `Dictionary` \(place ?? "at none of the sizes")."
    }.joined(separator: "\n")
  }
}
