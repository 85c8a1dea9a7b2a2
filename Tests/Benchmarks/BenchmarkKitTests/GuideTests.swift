import BenchmarkKit
import Testing

@Suite struct GuideTests {
  private func curve(_ nanoseconds: [Double]) -> GuideCurve {
    GuideCurve(operation: "Insert", collection: "TreeDictionary", elements: [1, 2, 4, 8], nanoseconds: nanoseconds)
  }

  private let dictionary = GuideCurve(
    operation: "Insert", collection: "Dictionary", elements: [1, 2, 4, 8], nanoseconds: [10, 20, 40, 80])

  @Test(
    arguments: [
      ([20, 20, 20, 20], 4), ([5, 5, 5, 5], 1), ([90, 90, 90, 90], nil), ([5, 30, 30, 30], 4), ([5, 30, 30, 90], nil),
    ] as [([Double], Int?)])
  func theCrossoverIsWhereACurveStaysBelow(_ nanoseconds: [Double], _ expected: Int?) {
    #expect(curve(nanoseconds).crossover(below: dictionary) == expected)
  }

  /// Five collections, two of them with boxed elements: as many ratios, all of them aligned as numbers.
  @Test func ratiosCoverEveryCollection() throws {
    let conditions = Conditions(
      date: "", commit: "", processor: "", cores: 1, memoryGibibytes: 1, system: "", swift: "", flags: "", size: "",
      rounds: 1)
    var results = GuideResults(conditions: conditions, elements: 2)
    let collections = ["Dictionary", "TreeDictionary", "class", "Dictionary, CowBox", "TreeDictionary, CowBox"]
    results.runs = collections.enumerated().map { index, collection in
      GuideRun(
        operation: "Compare", collection: collection, cpuNanoseconds: [8 / Double(index + 1)], wallNanoseconds: [1],
        repetitions: 1, builtMebibytes: 1, peakMebibytes: [1], hash: 1)
    }
    let ratios = try #require(results.tables.first { table in table.title.contains("Ratios") }).table.markdown
    let lines = ratios.split(separator: "\n")
    #expect(lines[0].hasSuffix("| Dictionary / TreeDictionary, CowBox |"))
    #expect(lines[1] == "| --- | --: | --: | --: | --: |")
    #expect(lines[2].contains("5.00×"))
  }
}
