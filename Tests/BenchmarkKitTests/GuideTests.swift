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
}
