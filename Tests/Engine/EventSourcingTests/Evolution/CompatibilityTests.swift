import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import TestSupport
import Testing

@Suite("Compatibility of a log with a model")
struct CompatibilityTests {
  private let disk = MemoryFileSystem()

  @Test @MainActor func liftedActionsAreFine() async throws {
    try await ShopStory.record(in: disk, environment: tickingEnvironment())
    let report = try await History<ShopV3>(at: "shop", fileSystem: disk).compatibility()
    #expect(report.grade == .fine && report.skeleton.isEmpty)
    let lines = report.entries.map { entry in "\(entry.type) \(entry.schema) \(entry.count) \(entry.reason)" }
    #expect(
      lines == [
        "didReceive 1 2 becomes didReceive", "didHover 1 1 an upcaster drops it",
        "ui.onTapSell 1 1 becomes ui.onTapSellButton", "ui.onTapMove 1 1 becomes didTake, didPut",
        "didReceive 2 1 becomes didReceive", "ui.onTapSellButton 2 1 becomes ui.onTapSellButton",
        "didTake 2 1 becomes didTake", "didPut 2 1 becomes didPut",
        "didReceive 3 1 ", "ui.onTapSellButton 3 1 ",
      ])
  }

  /// The second version with upcasters for types that the log does not have.
  private enum Misspelled: Model {
    static var name: String { "shop" }
    static var schema: Int { 3 }
    static var evolution: SchemaEvolution {
      SchemaEvolution(
        SchemaStep(
          from: 1, to: 2, ShopV2.firstStep.upcasters + [.drop("didHoverr"), .rename("shelf.*", to: "desk.*")]),
        SchemaStep(from: 2, to: 3, ShopV3.secondStep.upcasters + [.drop("didLook")]))
    }
    static var initialState: ShopV3.State { ShopV3.State() }
    static func reduce(into state: inout ShopV3.State, action: ShopV3.Action) {
      ShopV3.reduce(into: &state, action: action)
    }
  }

  @Test(arguments: [(1, ["didHoverr", "shelf.*", "didLook"]), (2, ["didLook"]), (3, [])])
  @MainActor func unusedUpcastersAreNamed(oldest: Int, types: [String]) async throws {
    // Actions of the second version use every upcaster of its step; those of the third pass no step.
    try await ShopStory.record(from: oldest, through: 3, in: disk, environment: tickingEnvironment())
    let report = try await History<Misspelled>(at: "shop", fileSystem: disk).compatibility()
    #expect(report.grade == .fine)
    #expect(report.unusedUpcasters.map(\.type) == types)
    let steps = report.unusedUpcasters.map { unused in [unused.from, unused.to] }
    #expect(steps == types.map { type in type == "didLook" ? [2, 3] : [1, 2] })
  }

  /// The actions of the third version, without an evolution.
  private enum Forgetful: Model {
    static var name: String { "shop" }
    static var schema: Int { 1 }
    static var initialState: ShopV3.State { ShopV3.State() }
    static func reduce(into state: inout ShopV3.State, action: ShopV3.Action) {
      ShopV3.reduce(into: &state, action: action)
    }
  }

  @Test @MainActor func missingUpcastersAreNamedAndSketched() async throws {
    try await ShopStory.record(through: 1, in: disk, environment: tickingEnvironment())
    let report = try await History<Forgetful>(at: "shop", fileSystem: disk).compatibility()
    #expect(report.grade == .impossible && report.raisedSchema == 2)
    #expect(report.entries.map(\.grade) == [.impossible, .impossible, .impossible, .impossible])
    #expect(report.entries[0].reason == "'supplier' is missing")
    #expect(report.entries[1].reason == "there is no such action")
    #expect(
      report.skeleton == [
        "SchemaStep(from: 1, to: 2, [",
        #"  .edit("didReceive") { data in data["supplier"] = <#value#> },"#,
        #"  .rename("didHover", to: "<#new type#>"),  // or .drop("didHover")"#,
        #"  .rename("ui.onTapSell", to: "<#new type#>"),  // or .drop("ui.onTapSell")"#,
        #"  .rename("ui.onTapMove", to: "<#new type#>"),  // or .drop("ui.onTapMove")"#,
        "]),",
      ])
  }

  /// The third version with a raised schema and an evolution that begins too late.
  private enum Late: Model {
    static var name: String { "shop" }
    static var schema: Int { 3 }
    static var evolution: SchemaEvolution { SchemaEvolution(ShopV3.secondStep) }
    static var initialState: ShopV3.State { ShopV3.State() }
    static func reduce(into state: inout ShopV3.State, action: ShopV3.Action) {
      ShopV3.reduce(into: &state, action: action)
    }
  }

  @Test @MainActor func aMissingStepIsSketched() async throws {
    try await ShopStory.record(through: 2, in: disk, environment: tickingEnvironment())
    let report = try await History<Late>(at: "shop", fileSystem: disk).compatibility()
    #expect(report.grade == .impossible && report.raisedSchema == nil)
    #expect(report.entries.filter { entry in entry.grade == .fine }.map(\.schema) == [2, 2, 2, 2])
    #expect(report.entries[0].reason.hasPrefix("no step begins at schema 1, the evolution begins at 2; "))
    #expect(report.skeleton.first == "SchemaStep(from: 1, to: 2, [")
  }

  /// A type that is renamed and lacks a value has one upcaster, in the existing step.
  @Test @MainActor func anExistingUpcasterIsReplaced() async throws {
    enum Renamed: Model {
      enum Action: Codable, Equatable, Sendable { case received(name: String, count: Int, supplier: String) }
      static var name: String { "shop" }
      static var schema: Int { 2 }
      static var evolution: SchemaEvolution {
        SchemaEvolution(
          SchemaStep(
            from: 1, to: 2, [.rename("didReceive", to: "received"), .drop("ui.onTapSell")]))
      }
      static var initialState: Int { 0 }
      static func reduce(into state: inout Int, action: Action) {}
    }
    try await ShopStory.record(through: 1, in: disk, environment: tickingEnvironment())
    let report = try await History<Renamed>(at: "shop", fileSystem: disk).compatibility()
    #expect(report.skeleton.first == "// In the step from schema 1:")
    let text = report.skeleton.joined(separator: "\n")
    #expect(text.contains(#".replace("didReceive") { action in  // in place of the existing .rename"#))
    #expect(text.contains(#"data["supplier"] = <#value#>"#))
    #expect(text.contains(#"return [StoredAction(type: "received", data: data)]"#))
    #expect(!text.contains("SchemaStep") && !text.contains("]),"))
  }

  @Test @MainActor func ignoredValuesAreRisky() async throws {
    enum Short: Model {
      enum Action: Codable, Equatable, Sendable { case didReceive(name: String) }
      static var name: String { "shop" }
      static var schema: Int { 1 }
      static var initialState: Int { 0 }
      static func reduce(into state: inout Int, action: Action) {}
    }
    try await ShopStory.record(through: 1, in: disk, environment: tickingEnvironment())
    let report = try await History<Short>(at: "shop", fileSystem: disk, unknownTypes: .keep).compatibility()
    #expect(report.grade == .risky)
    #expect(report.entries[0].reason == "/count is ignored (5)")
    #expect(report.entries[1].reason == "there is no such action; it is kept as an opaque record")
  }

  @Test @MainActor func aReducerThatRefusesIsImpossible() async throws {
    try await record([.add(1), .add(-1)], as: Tally.self, at: "log", in: disk, configuration: reproducible(Tally.self))
    let report = try await History<StrictTally>(at: "log", fileSystem: disk).compatibility()
    #expect(report.entries.count == 1 && report.entries[0].count == 2)
    #expect(report.grade == .impossible && report.entries[0].revision == 2)
    #expect(report.entries[0].reason.hasPrefix("the reducer refuses it"))
    #expect(report.skeleton.isEmpty, "no upcaster mends a reducer")
  }

  /// Records that none of our programs wrote.
  @Test(arguments: [
    ("add", #"{"_0":"seven"}"#, "'_0' is of another type", #".edit("add") { data in data["_0"] ="#),
    ("add", "{}", "'_0' is missing", #".edit("add") { data in data["_0"] = <#value#> },"#),
    ("sub", #"{"_0":7}"#, "there is no such action", #".rename("sub", to:"#),
    ("add.deep", #"{"_0":7}"#, "", ""),
    ("_", #"{"odd":7}"#, "", ""),
  ])
  func handWrittenRecords(type: String, data: String, reason: String, sketch: String) throws {
    let writer = try LogWriter.open(
      at: "log", model: "tally", schema: 1, fileSystem: disk, configuration: reproducible(Tally.self).log)
    _ = try writer.writeNow([LogDraft(type: type, data: Array(data.utf8))])
    try writer.closeNow()
    let report = try History<Tally>(at: "log", fileSystem: disk).compatibility()
    #expect(report.grade == .impossible && report.entries.map(\.type) == [type])
    #expect(report.entries[0].reason.contains(reason), "\(report.entries[0].reason)")
    #expect(report.skeleton.contains { line in line.contains(sketch) } || sketch.isEmpty, "\(report.skeleton)")
    #expect(throws: EventSourcingError.self) { try History<Tally>(at: "log", fileSystem: disk).state() }
  }

  /// Every shape of an action is read back unchanged, and folds to the same state twice.
  @Test @MainActor func theZooIsFine() async throws {
    enum ZooModel: Model {
      static var name: String { "zoo" }
      static var schema: Int { 1 }
      static var initialState: [ZooCarrier] { [] }
      static func reduce(into state: inout [ZooCarrier], action: ZooCarrier) { state.append(action) }
    }
    var generator = SeededGenerator(seed: 11)
    let actions = (0..<200).map { _ in ZooCarrier(value: ZooAction(using: &generator)) }
    try await record(
      actions, as: ZooModel.self, at: "log", in: disk, configuration: reproducible(ZooModel.self, snapshots: .every(70))
    )
    let history = try await History<ZooModel>(at: "log", fileSystem: disk)
    let report = try await history.compatibility()
    #expect(report.grade == .fine, "\(report.entries)")
    #expect(report.entries.map(\.count).reduce(0, +) == actions.count)
    #expect(try await history.prove().isProven)
    #expect(try await history.replay().report.snapshotsLoaded == 1)
  }
}

/// An action of the zoo. Safe to send: zoo actions consist of values.
private struct ZooCarrier: Codable, Equatable, @unchecked Sendable {
  var value: ZooAction

  init(value: ZooAction) { self.value = value }
  init(from decoder: any Decoder) throws { value = try ZooAction(from: decoder) }
  func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}
