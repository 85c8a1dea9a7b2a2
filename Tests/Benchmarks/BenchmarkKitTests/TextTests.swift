import BenchmarkKit
import Testing

@Suite struct TextTests {
  @Test(
    arguments: [
      (0.123456, "0.123 ns"), (7.123, "7.12 ns"), (45.67, "45.7 ns"), (999.4, "999 ns"), (1_500, "1.50 µs"),
      (2_500_000, "2.50 ms"), (12_345_678_901, "12.3 s"),
    ] as [(Double, String)])
  func timesHaveThreeDigits(_ nanoseconds: Double, _ expected: String) {
    #expect(Figures.time(nanoseconds: nanoseconds) == expected)
  }

  @Test(
    arguments: [
      (12, "12.0/s"), (9_876, "9 876/s"), (65_432, "65.4 k/s"), (4_200_000, "4.20 M/s"),
    ] as [(Double, String)])
  func ratesHaveThreeDigits(_ perSecond: Double, _ expected: String) {
    #expect(Figures.rate(perSecond) == expected)
  }

  @Test(
    arguments: [
      (0, "0"), (1, "1"), (999, "999"), (1_000, "1 000"), (-1_234_567, "−1 234 567"), (.infinity, "–"),
    ] as [(Double, String)])
  func thousandsAreGrouped(_ value: Double, _ expected: String) {
    #expect(Figures.grouped(value) == expected)
  }

  @Test func plainTablesAreAligned() {
    var table = TextTable(["name", "n"], numeric: [1])
    table.add(["a", "10"])
    table.add(["bcdef"])
    #expect(table.plain == "name    n\na      10\nbcdef")
  }

  @Test func markdownTablesEscapeBars() {
    var table = TextTable(["name", "n"], numeric: [1])
    table.add(["a|b", "1"])
    #expect(table.markdown == "| name | n |\n| --- | --: |\n| a\\|b | 1 |")
  }

  @Test func regionsAreFilled() throws {
    let text = "before\n<!-- figures -->\nold\n<!-- /figures -->\nafter\n"
    let region = MarkedRegion("figures")
    #expect(region.content(of: text) == "old\n")
    #expect(
      region.replacing(with: "new", in: text) == "before\n<!-- figures -->\nnew\n<!-- /figures -->\nafter\n")
    #expect(MarkedRegion("other").replacing(with: "new", in: text) == nil)
  }
}
