import BenchmarkKit
import Testing

@Suite struct TargetTests {
  private func measurement(
    _ name: String, _ rounds: [Double], metrics: [String: [Double]] = [:], missing: String? = nil
  ) -> Measurement {
    var measurement = Measurement(name: name, unit: "line", count: 1)
    measurement.rounds = rounds
    measurement.metrics = metrics
    measurement.missing = missing
    return measurement
  }

  private func row(
    _ quantity: Criterion.Quantity, _ limit: Limit?, _ measurements: Measurement...
  ) -> TargetRow {
    TargetTable([Criterion("X1", "title", "own", quantity, limit)], measurements).rows[0]
  }

  @Test(arguments: [(Limit.atLeast(50), TargetRow.Verdict.met), (.atLeast(51), .missed)])
  func speedupIsTheBaselinesTimeOverItsOwn(_ limit: Limit, _ verdict: TargetRow.Verdict) {
    let row = row(
      .speedup(over: "base"), limit, measurement("own", [2, 4, 2]), measurement("base", [100, 100, 120]))
    #expect(row.value == 50)
    #expect(row.ratio == "50.0× [25.0…60.0]")
    #expect(row.measured == "2.00 ns/line" && row.baseline == "100 ns/line")
    #expect(row.verdict == verdict)
  }

  @Test(arguments: [(Limit.atMost(2), TargetRow.Verdict.met), (.atMost(1.9), .missed)])
  func slowdownIsItsOwnTimeOverTheBaselines(_ limit: Limit, _ verdict: TargetRow.Verdict) {
    let row = row(.slowdown(against: "base"), limit, measurement("own", [20]), measurement("base", [10]))
    #expect(row.value == 2)
    #expect(row.verdict == verdict)
  }

  @Test func ratesCountUnitsInASecond() {
    let row = row(.rate, .atLeast(3e6), measurement("own", [250, 200, 500]))
    #expect(row.value == 4e6)
    #expect(row.measured == "4.00 M/s" && row.target == "≥ 3.00 M/s")
    #expect(row.verdict == .met)
  }

  @Test func metricsAreComparedByTheirMedian() {
    let own = measurement("own", [1], metrics: ["p99": [4e6, 6e6, 5e6]])
    let row = row(.metric("p99", .nanoseconds), .atMost(5e6), own)
    #expect(row.measured == "5.00 ms" && row.verdict == .met)
  }

  @Test func metricsAreComparedWithThoseOfABaseline() {
    let row = row(
      .metricRatio("peak", .mebibytes, to: "base"), .atMost(1.25),
      measurement("own", [1], metrics: ["peak": [30]]), measurement("base", [1], metrics: ["peak": [20]]))
    #expect(row.value == 1.5 && row.verdict == .missed)
  }

  @Test func whatHasNoLimitIsNoted() {
    #expect(row(.rate, nil, measurement("own", [1])).verdict == .noted)
  }

  @Test func whatIsNotMeasuredSaysWhy() {
    #expect(
      row(.rate, nil, measurement("own", [], missing: "not built yet")).verdict
        == .notMeasured(because: "not built yet"))
    #expect(
      row(.speedup(over: "base"), nil, measurement("own", [1]), measurement("base", [], missing: "no node")).verdict
        == .notMeasured(because: "no node"))
    #expect(
      row(.metric("p99", .count), nil, measurement("own", [1])).verdict
        == .notMeasured(because: "the run has no 'p99'"))
  }

  @Test func leftOutIsNeitherMetNorMissing() {
    let limit = Limit.atLeast(0)
    #expect(row(.rate, limit).verdict == .leftOut)
    #expect(row(.speedup(over: "base"), limit, measurement("own", [1])).verdict == .leftOut)
    #expect(TargetRow.Verdict.leftOut.description == "left out")
  }

  @Test func aRunOfAnotherSizeJudgesNothing() {
    let criterion = Criterion("X1", "title", "own", .rate, .atLeast(1e12))
    #expect(TargetTable([criterion], [measurement("own", [1])], judges: false).rows[0].verdict == .noted)
  }

  @Test func theSummaryCounts() {
    let criteria = [
      Criterion("X1", "", "own", .rate, .atLeast(1)), Criterion("X1", "", "own", .rate, .atMost(1)),
      Criterion("X1", "", "own", .rate), Criterion("X1", "", "other", .rate),
      Criterion("X1", "", "missing", .rate),
    ]
    let table = TargetTable(criteria, [measurement("own", [1]), measurement("missing", [], missing: "no node")])
    #expect(table.summary == "1 met, 1 not met, 1 not measured, 1 left out")
  }

  @Test(arguments: [
    "D1", "D2", "E1", "E2", "A1", "A2", "A3", "A4", "L1", "L2", "L3", "L4", "L5", "R1", "R2", "R3", "R4", "F1", "P1",
    "T1", "T2", "T3",
    "S1", "V1", "M1", "C1", "C2", "C3", "B1", "B2", "I1",
  ])
  func everyTargetHasALimit(_ target: String) {
    #expect(Criterion.all(.canonical).contains { criterion in criterion.target == target && criterion.limit != nil })
  }

  @Test func instructionsThatGrowAreRegressions() {
    let reference = [InstructionCount(name: "decode", perUnit: 1_000, unit: "line")]
    func regressions(_ count: Double) -> [String] {
      InstructionCount.regressions(
        of: [
          InstructionCount(name: "decode", perUnit: count, unit: "line"),
          InstructionCount(name: "new", perUnit: 1, unit: "line"),
        ], against: reference, tolerance: 0.03)
    }
    #expect(regressions(1_030) == [])
    #expect(regressions(1_031) == ["decode: 1 031 instructions a line, 1 000 before"])
  }
}
