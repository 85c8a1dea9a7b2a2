import ActionLog
import ActionLogTesting
import ActionLogTool
import EventSourcing
import TerminalUI
import TestSupport
import Testing

@Suite("replay --verify, compat, branch")
struct EvolutionCommandTests {
  /// The third version of the shop, without upcasters for older actions.
  private enum Forgetful: Model {
    static var name: String { "shop" }
    static var schema: Int { 1 }
    static var initialState: ShopV3.State { ShopV3.State() }
    static func reduce(into state: inout ShopV3.State, action: ShopV3.Action) {
      ShopV3.reduce(into: &state, action: action)
    }
  }

  /// The counter without its decrement action.
  private enum Rising: Model {
    struct State: Codable, Equatable, Sendable { var value = 0 }
    enum Action: Codable, Equatable, Sendable { case didTapIncrementButton }
    static var name: String { "counter" }
    static var schema: Int { 1 }
    static var initialState: State { State() }
    static func reduce(into state: inout State, action: Action) { state.value += 1 }
  }

  /// A tool with one version of the shop, and a log written by the versions up to it.
  @MainActor private func bench(_ model: RegisteredModel, through schema: Int) async throws -> Bench {
    let bench = Bench(tool: ActionLogTool(version: "1.2.3", models: [model]))
    try await ShopStory.record(through: schema, at: "my-log", in: bench.disk, environment: bench.logEnvironment)
    return bench
  }

  @Test(arguments: [[], ["--verify"]])
  func replayFitsEightyColumns(options: [String]) async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let run = await bench.run(["replay", "my-log"] + options)
    #expect(run.status == 0 && run.output.contains("  sha-256  "))
    for line in run.output.split(separator: "\n") { #expect(TextWidth.of(String(line)) <= 80, "\(line)") }
  }

  @Test("the output for an intact log")
  func sound() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let text = await bench.transcript([
      ["replay", "my-log", "--verify"], ["replay", "my-log", "--verify", "--json"],
      ["replay", "my-log", "--digests-at", "0,3", "--states"], ["replay", "my-log", "--digests-at", "0,3"],
      ["compat", "my-log"], ["compat", "my-log", "--json"],
      ["branch", "my-log", "next"], ["branch", "my-log", "next-of-3", "--at", "3", "--json"],
      ["state", "next"], ["state", "next-of-3", "-q"], ["branch", "my-log", "next-of-3"],
    ])
    try Golden.expect(text, is: "proof.txt")
  }

  @Test("the output for a log of three schemas, and one that is unreadable for a new version")
  func evolved() async throws {
    let present = try await bench(.model(ShopV3.self), through: 3)
    var text = await present.transcript([
      ["compat", "my-log"], ["replay", "my-log", "--verify"], ["show", "my-log", "5"], ["show", "my-log", "2"],
    ])
    let forgetful = try await bench(.model(Forgetful.self), through: 1)
    text += await forgetful.transcript([
      ["compat", "my-log"], ["compat", "my-log", "--unknown-types", "keep", "--json"],
      ["state", "my-log", "--at", "2", "--unknown-types", "keep"],
    ])
    try Golden.expect(text, is: "evolution.txt")
  }

  /// The third version with an upcaster that applies to no action.
  private enum Misspelled: Model {
    static var name: String { "shop" }
    static var schema: Int { 3 }
    static var evolution: SchemaEvolution {
      SchemaEvolution(
        SchemaStep(from: 1, to: 2, ShopV2.firstStep.upcasters + [.drop("didHoverr")]), ShopV3.secondStep)
    }
    static var initialState: ShopV3.State { ShopV3.State() }
    static func reduce(into state: inout ShopV3.State, action: ShopV3.Action) {
      ShopV3.reduce(into: &state, action: action)
    }
  }

  @Test func compatNamesUnusedUpcasters() async throws {
    let bench = try await bench(.model(Misspelled.self), through: 3)
    let page = await bench.run("compat", "my-log")
    #expect(page.status == 0)
    #expect(
      page.output.hasSuffix(
        """

        These upcasters apply to no action of the log. Check the spelling of their types:

            didHoverr  schema 1 to 2

        """), "\(page.output)")
    let json = await bench.run("compat", "my-log", "--json")
    #expect(json.output.contains(#""unused":[{"type":"didHoverr","from":1,"to":2}]"#), "\(json.output)")
  }

  /// A model whose action holds a value that contains itself.
  private enum Rules: Model {
    enum Action: Codable, Equatable, Sendable { case rule(Rule) }
    indirect enum Rule: Codable, Equatable, Sendable { case always, not(Rule) }
    static var name: String { "rules" }
    static var schema: Int { 1 }
    static var initialState: Int { 0 }
    static func reduce(into state: inout Int, action: Action) { state += 1 }
  }

  @Test func compatNamesRecursiveTypes() async throws {
    let bench = Bench(tool: ActionLogTool(version: "1.2.3", models: [.model(Rules.self)]))
    let line = #"{"type":"rule.not.not.always","data":{}}"#
    let recorded = await bench.run(["record", "rules", "my-log"], input: [line])
    try #require(recorded.status == 0, "\(recorded.messages)")
    let page = await bench.run("compat", "my-log")
    #expect(page.status == 0)
    #expect(page.output.contains("1 type with a case twice, such as 'rule.not.not.always'"), "\(page.output)")
    #expect(page.output.contains("ActionPayload"))
  }

  @Test("freeze reports what it omits: actions after damage, and actions of unknown types")
  func freezesAllOrNothing() async throws {
    let bench = Bench()
    let recorded = await bench.run("record", "counter", "my-log", "--workload", "100", "--segment-size", "4K")
    try #require(recorded.status == 0, "\(recorded.messages)")
    try bench.disk.flipBit(0, ofByte: 2_000, in: Bench.segment)
    for point in [[], ["--at", "end"]] {
      let run = await bench.run(["branch", "my-log", "next"] + point)
      #expect(run.status == 1 && run.output.isEmpty)
      #expect(run.messages.contains("checksum mismatch") && run.messages.contains("--at 9."), "\(run.messages)")
    }
    #expect(await bench.run("branch", "my-log", "next", "--at", "9").status == 0)
    let whole = Bench()
    try await whole.recordCounter()
    let poorer = Bench(disk: whole.disk, tool: ActionLogTool(version: "1.2.3", models: [.model(Rising.self)]))
    let run = await poorer.run("branch", "my-log", "next", "--unknown-types", "keep")
    #expect(run.status != 0 && run.messages.contains("lacks actions of unknown types"), "\(run.messages)")
  }

  @Test(
    "options without effect are refused",
    arguments: [
      "replay my-log --verify --snapshots", "replay my-log --verify --digests-at 1",
      "replay my-log --digests-at 1 --snapshots", "replay my-log --digests-at 1 --to 2",
      "replay my-log --states", "replay my-log --digests-at 3,1", "replay my-log --digests-at 1,,2",
      "replay my-log --digests-at -1", "record counter my-log --on-divergence never",
      "list my-log --unknown-types keep",
      "state my-log --unknown-types drop", "compat my-log other-log", "branch my-log",
    ])
  func refused(commandLine: String) async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let run = await bench.run(commandLine.split(separator: " ").map(String.init))
    #expect(run.status == 2 && run.output.isEmpty, "\(run.output)")
    #expect(run.messages.hasPrefix("error: "))
  }
}
