import BenchmarkKit
import Foundation

/// Measures how long replaying, seeking, opening, appending and questions take as the log grows, and plots it.
@MainActor struct GrowthCommand {
  private let arguments: Arguments
  private let counts: [Int]
  private let rounds: Int

  init(_ arguments: Arguments) {
    self.arguments = arguments
    counts =
      arguments.isSmoke ? [100, 1_000] : [10_000, 100_000, 1_000_000] + (arguments.isLarge ? [10_000_000] : [])
    rounds = arguments.rounds ?? (arguments.isSmoke ? 1 : 3)
  }

  func run() async throws {
    // Read first, to report an unusable file before measuring for half an hour.
    let results = try Results(savedAt: arguments.results)
    let size = arguments.isSmoke ? Sizes.smoke : Sizes.canonical
    var growth = GrowthResults(conditions: .current(size: size.name, rounds: rounds))
    var series: [String: GrowthSeries] = [:]
    var names: [String] = []
    func add(_ name: String, _ actions: Int, _ value: Double) {
      if series[name] == nil { names.append(name) }
      series[name, default: GrowthSeries(name: name, actions: [], values: [])].actions.append(actions)
      series[name]?.values.append(value)
    }
    try await WorkingDirectory.with(arguments.data) { directory in
      for count in counts {
        var sizes = size
        sizes.logActions = count
        let data = try DataSet(directory: directory, sizes: sizes)
        let children = ChildRounds(data)
        for contender in Growth.contenders(data) where isChosen(contender) {
          tell("growth: \(contender.name) at \(Figures.grouped(Double(count)))")
          let results = try (0..<rounds).map { _ in try children.growthRound(contender.name, actions: count) }
          add(contender.name, count, results.compactMap(\.nanoseconds).median / Double(contender.count))
          if contender.takesMemory {
            add("memory, \(contender.name)", count, results.compactMap { $0.metrics["peakMebibytes"] }.median)
          }
        }
        try data.removeScratch()
      }
    }
    growth.series = names.compactMap { name in series[name] }
    guard !growth.series.isEmpty else {
      throw ArgumentError(
        "nothing of 'growth' is called '\(arguments.filter ?? "")'; there are 'replay', 'verify', 'open', 'snapshot', 'find', "
          + "'append' and 'blame'")
    }
    try save(growth, in: results)
  }

  private func isChosen(_ contender: Contender) -> Bool {
    arguments.filter.map { filter in contender.name.contains(filter) } ?? true
  }

  private func save(_ growth: GrowthResults, in saved: Results) throws {
    var results = saved
    results.growth = growth
    try show(results, growth)
    if let path = arguments.results { try results.write(to: path) }
    if let directory = arguments.svg { try Plots.write(growth.plots, into: directory) }
  }

  private func show(_ results: Results, _ growth: GrowthResults) throws {
    switch arguments.output {
    case .json: FileHandle.standardOutput.write(try results.json)
    case .markdown: print("\(growth.conditions.line)\n\n\(growth.table.markdown)")
    case .text: print("\(growth.conditions.line)\n\n\(growth.table.plain)")
    }
  }
}

/// The files of plots.
enum Plots {
  /// Writes plots as SVG files.
  static func write(_ plots: [(name: String, plot: LinePlot)], into directory: String) throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    for (name, plot) in plots {
      try plot.svg.write(toFile: "\(directory)/\(name).svg", atomically: true, encoding: .utf8)
    }
  }
}
