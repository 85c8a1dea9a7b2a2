import BenchmarkKit
import Foundation
import TestSupport
import Testing

/// No figure on a page is typed: each is what the committed results give.
@Suite struct CommittedResultsTests {
  private static let root = PackageFolder.root

  private func results() throws -> Results {
    try Results(contentsOf: Self.root.appendingPathComponent(Results.committedPath).path)
  }

  @Test func pagesShowTheCommittedResults() throws {
    for filled in try results().regions {
      let page = try String(contentsOf: Self.root.appendingPathComponent(filled.path), encoding: .utf8)
      #expect(
        filled.region.content(of: page) == filled.content,
        "\(filled.path), region '\(filled.region.name)': 'benchmarks report --results \(Results.committedPath)' fills it"
      )
    }
  }

  @Test func committedResultsAreOfTheCanonicalSize() throws {
    let size = try results().conditions?.size ?? Sizes.canonical.name
    #expect(size == Sizes.canonical.name)
  }

  @Test func firstPageComparesWithOtherSoftware() {
    let shown = Results().firstRows.map(\.criterion)
    #expect(shown.map(\.target) == ["A3", "A4", "R1", "P1"])
    #expect(shown.allSatisfy { criterion in criterion.limit != nil && criterion.baseline != nil })
  }

  @Test func resultsSurviveTheirFile() throws {
    var results = Results()
    var measurement = Measurement(name: "decode", unit: "line", count: 3)
    measurement.rounds = [1.5, 2]
    measurement.metrics = ["p99Nanoseconds": [7]]
    results.measurements = [measurement]
    results.instructions = [InstructionCount(name: "decode", perUnit: 1_234.5, unit: "line")]
    #expect(try JSONDecoder().decode(Results.self, from: results.json) == results)
  }
}
