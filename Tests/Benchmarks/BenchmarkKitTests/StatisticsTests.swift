import BenchmarkKit
import Testing

@Suite struct StatisticsTests {
  @Test(
    arguments: [
      ([], 0), ([3], 3), ([5, 1, 3], 3), ([4, 1, 3, 2], 2.5), ([1, 1, 1, 9], 1),
    ] as [([Double], Double)])
  func medianIsTheMiddleOfSortedValues(_ values: [Double], _ expected: Double) {
    #expect(values.median == expected)
  }

  /// The example of the definition: five values, and the ranks that percentages of them round up to.
  @Test(
    arguments: [
      (0, 15), (5, 15), (20, 15), (20.1, 20), (30, 20), (40, 20), (50, 35), (100, 50),
    ] as [(Double, Double)])
  func percentileIsTheNearestRank(_ percent: Double, _ expected: Double) {
    #expect([50, 15, 35, 20, 40].percentile(percent) == expected)
  }

  @Test func percentilesOfAHundredSamplesAreSamples() {
    let samples = (1...100).map(Double.init).reversed()
    #expect(
      [0, 25, 50, 75, 90, 99, 100].map { percent in Array(samples).percentile(percent) }
        == [1, 25, 50, 75, 90, 99, 100])
  }

  @Test func ratiosAreTakenRoundByRound() {
    // The quotient of the medians would be 2: the second round was slow for both.
    let ratios = Spread.ratios(of: [10, 90, 20], to: [5, 30, 10])
    #expect(ratios == Spread(median: 2, low: 2, high: 3))
  }

  @Test func ratiosLeaveOutRoundsThatOneSideLacks() {
    #expect(Spread.ratios(of: [6, 8], to: [2]) == Spread(median: 3, low: 3, high: 3))
  }
}
