import BenchmarkKit
import Testing

@Suite struct ArgumentsTests {
  @Test func withoutArgumentsTheTargetsAreMeasured() throws {
    let arguments = try Arguments([])
    #expect(arguments.command == .targets && !arguments.isSmoke && arguments.rounds == nil && arguments.output == .text)
  }

  @Test func optionsAreRead() throws {
    let arguments = try Arguments(["--smoke", "--rounds", "7", "--filter", "decode", "--json", "--results", "r.json"])
    #expect(arguments.isSmoke && arguments.rounds == 7 && arguments.filter == "decode" && arguments.output == .json)
    #expect(arguments.results == "r.json")
  }

  @Test func skippedPartsAddUp() throws {
    #expect(try Arguments(["--skip", "Spark", "--skip", "I1"]).skipped == ["Spark", "I1"])
    #expect(throws: ArgumentError("--skip belongs to 'targets'")) { try Arguments(["guide", "--skip", "Read"]) }
  }

  @Test func commandsComeFirst() throws {
    let arguments = try Arguments(["growth", "--large", "--svg", "plots"])
    #expect(arguments.command == .growth && arguments.isLarge && arguments.svg == "plots")
  }

  @Test func whatACheckLetsPassIsSaidInPercent() throws {
    #expect(try Arguments(["instructions", "--check"]).tolerancePercent == nil)
    #expect(try Arguments(["instructions", "--check", "--tolerance", "15"]).tolerancePercent == 15)
  }

  @Test(arguments: [
    (["fly"], "there is no command 'fly'; there are targets, guide, growth, instructions, report"),
    (["--fast"], "there is no option '--fast'; 'benchmarks --help' lists them"),
    (["--rounds"], "--rounds needs a value"),
    (["--rounds", "--json"], "--rounds needs a value"),
    (["--rounds", "0"], "--rounds takes a whole number from 1, not '0'"),
    (["--rounds", "many"], "--rounds takes a whole number from 1, not 'many'"),
    (["--json", "--markdown"], "--json and --markdown exclude each other"),
    (["guide", "--svg", "d"], "--svg belongs to 'growth' and 'report'"),
    (["--check"], "--check belongs to 'instructions'"),
    (["instructions", "--tolerance", "9"], "--tolerance says what --check lets pass"),
    (["instructions", "--check", "--tolerance", "0"], "--tolerance takes a whole number from 1, not '0'"),
    (["report"], "'report' needs --results FILE"),
    (
      ["report", "--results", "r", "--filter", "D1"],
      "--filter is for what measures; 'report' writes what was measured"
    ),
    (["instructions", "--smoke"], "--smoke: 'instructions' has one size"),
    (["growth", "--smoke", "--large"], "--smoke and --large exclude each other"),
    (
      ["instructions", "--update", "--filter", "map"],
      "--update replaces the reference as a whole; it goes without --filter"
    ),
    (["targets", "decode"], "'decode' belongs to no option; 'benchmarks --help' lists them"),
  ])
  func whatIsWrongIsSaid(_ arguments: [String], _ message: String) {
    #expect(throws: ArgumentError(message)) { try Arguments(arguments) }
  }
}
