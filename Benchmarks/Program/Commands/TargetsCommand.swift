import BenchmarkKit
import Foundation

/// Measures every family and prints the table of targets.
@MainActor struct TargetsCommand {
  private let arguments: Arguments
  private let sizes: Sizes
  private let rounds: Int

  init(_ arguments: Arguments) {
    self.arguments = arguments
    sizes = arguments.isSmoke ? .smoke : .canonical
    rounds = arguments.rounds ?? (arguments.isSmoke ? 1 : 5)
  }

  func run() async throws {
    try await WorkingDirectory.with(arguments.data) { directory in
      let data = try DataSet(directory: directory, sizes: sizes)
      let families = chosen(Family.all(data, Peers(directory: peersDirectory))).compactMap(remaining)
      guard !families.isEmpty else {
        throw ArgumentError("nothing is called '\(arguments.filter ?? "")'; 'benchmarks --list' says what there is")
      }
      if arguments.lists { return list(families) }
      // Files are read first, to report problems before measuring.
      var results = try Results(savedAt: arguments.results)
      let others = try measurementsOfPeers()
      results.conditions = .current(size: sizes.name, rounds: rounds)
      results.measurements = try await measure(families, data) + others
      try show(results)
      if let path = arguments.results { try results.write(to: path) }
    }
  }

  private var peersDirectory: String? {
    switch arguments.peers {
    case "none": nil
    case let directory?: directory
    case nil: FileManager.default.fileExists(atPath: "Benchmarks/peers") ? "Benchmarks/peers" : nil
    }
  }

  /// The families that have to do with the filter: by their own name, by a contender's, or by a target's number.
  private func chosen(_ families: [Family]) -> [Family] {
    guard let filter = arguments.filter else { return families }
    let criteria = Criterion.all(sizes).filter { criterion in criterion.target == filter }
    let wanted = Set(criteria.map(\.subject) + criteria.compactMap(\.baseline))
    return families.filter { family in
      family.name.contains(filter)
        || family.contenders.contains { contender in contender.name.contains(filter) || wanted.contains(contender.name)
        }
    }
  }

  /// A family without the contenders to leave out: by its name, by a contender's, or by the number of a target that it is for.
  private func remaining(_ family: Family) -> Family? {
    let skipped = arguments.skipped
    let subjects = Set(
      Criterion.all(sizes).filter { criterion in skipped.contains(criterion.target) }.map(\.subject))
    var family = family
    family.contenders.removeAll { contender in
      subjects.contains(contender.name)
        || skipped.contains { text in family.name.contains(text) || contender.name.contains(text) }
    }
    return family.contenders.isEmpty ? nil : family
  }

  private func list(_ families: [Family]) {
    for family in families {
      print(family.name)
      for contender in family.contenders {
        print("  \(contender.name)  (\(Figures.grouped(Double(contender.count))) × \(contender.unit))")
      }
    }
  }

  private func measure(_ families: [Family], _ data: DataSet) async throws -> [BenchmarkKit.Measurement] {
    var measurements: [BenchmarkKit.Measurement] = []
    let children = ChildRounds(data)
    for family in families {
      let harness = Harness(rounds: rounds, progress: { text in tell("\(family.name): \(text)") }) { name, cores in
        try children.round(name, cores: cores)
      }
      var measured = try await harness.measure(family.contenders)
      for (index, contender) in family.contenders.enumerated()
      where contender.takesMemory && measured[index].missing == nil {
        let metrics = try children.round(contender.name, cores: nil).metrics
        measured[index].peakMebibytes = metrics["peakMebibytes"]
        measured[index].preparedMebibytes = metrics["preparedMebibytes"]
      }
      measurements += measured
      try data.removeScratch()
    }
    return measurements
  }

  /// Measurements that another program took, one JSON object on each line.
  private func measurementsOfPeers() throws -> [BenchmarkKit.Measurement] {
    guard let path = arguments.peerResults else { return [] }
    let text = try PageFile.text(path, "measurements of peers")
    return try text.split(separator: "\n").enumerated().map { index, line in
      guard let measurement = try? JSONDecoder().decode(BenchmarkKit.Measurement.self, from: Data(line.utf8)) else {
        throw HarnessError("'\(path)', line \(index + 1): this is no measurement as JSON")
      }
      return measurement
    }
  }

  private func show(_ results: Results) throws {
    switch arguments.output {
    case .json:
      FileHandle.standardOutput.write(try results.json)
    case .markdown:
      print(results.targetsPage)
    case .text:
      print(results.measurements.table.plain)
      print("")
      print(results.conditions?.line ?? "")
      print(results.targets.table.plain)
      print(results.targets.summary)
    }
  }
}
