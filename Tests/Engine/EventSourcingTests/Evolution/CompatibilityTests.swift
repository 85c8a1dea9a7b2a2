import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import Platform
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
        "didReceive 1 2 an upcaster edits it", "didHover 1 1 an upcaster drops it",
        "ui.onTapSell 1 1 becomes ui.onTapSellButton", "ui.onTapMove 1 1 becomes didTake, didPut",
        "didReceive 2 1 an upcaster edits it", "ui.onTapSellButton 2 1 an upcaster edits it",
        "didTake 2 1 an upcaster edits it", "didPut 2 1 an upcaster edits it",
        "didReceive 3 1 ", "ui.onTapSellButton 3 1 ",
      ])
  }

  @Test @MainActor func descriptionsAreTables() async throws {
    try await ShopStory.record(through: 3, in: disk, environment: tickingEnvironment())
    let report = try await History<Misspelled>(at: "shop", fileSystem: disk).compatibility()
    #expect(
      "\(report)".hasPrefix(
        """
        'shop', schema 3: fine
          fine  didReceive          schema 1  2 actions  an upcaster edits it
          fine  didHover            schema 1  1 action   an upcaster drops it
        """), "\(report)")
    #expect(
      "\(report)".hasSuffix(
        """
          fine  ui.onTapSellButton  schema 3  1 action

        These upcasters apply to no action of the log. Check the spelling of their types:

            didHoverr  schema 1 to 2
            shelf.*    schema 1 to 2
            didLook    schema 2 to 3
        """), "\(report)")
    let forgetful = try await History<Forgetful>(at: "shop", fileSystem: disk).compatibility()
    #expect("\(forgetful)".contains("\nAdd to the evolution of 'shop', and raise its schema to 2:\n\n    SchemaStep("))
    let proof = try await History<ShopV3>(at: "shop", fileSystem: disk).prove()
    #expect(
      "\(proof)".hasPrefix(
        """
        revision 11: proved
          folded     twice, the second time in this process; compared at 12 states
          digests    1 of 1 match, 5 of other schemas ignored
          snapshots  none to compare
          sha-256    
        """), "\(proof)")
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
      static var sourceFingerprint: String? { "" }
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
    let report = try history.compatibility()
    #expect(report.grade == .fine, "\(report.entries)")
    #expect(report.entries.map(\.count).reduce(0, +) == actions.count)
    #expect(try history.prove().isProven)
    #expect(try history.replay().report.snapshotsLoaded == 1)
  }
}

@Suite("Compatibility of ranges examined side by side")
struct RangeCompatibilityTests {
  private let disk = MemoryFileSystem()

  /// A log of actions that are read, ignored in part, refused, unknown and undecodable, in short segments.
  private func write(_ generator: inout SeededGenerator) throws {
    let limit = Int.random(in: 1_000...20_000, using: &generator)
    let writer = try LogWriter.open(
      at: "log", model: "tally", schema: 1, fileSystem: disk,
      configuration: reproducible(Tally.self, durability: .written, segmentLimitBytes: limit).log)
    let rarity = Int.random(in: 0...200, using: &generator)
    for number in 1...Int.random(in: 1...300, using: &generator) {
      let (type, data) =
        switch Int.random(in: 0...(10 + rarity), using: &generator) {
        case 0: ("add", "{\"_0\":\"\(number)\"}")
        case 1: ("sub", "{\"_0\":\(number)}")
        case 2: ("add", "{\"_0\":-\(number)}")
        case 3: ("add", "{\"_0\":\(number),\"more\":\(number)}")
        case 4: ("name", "{}")
        case 5...8: ("name", "{\"_0\":\"\(number)\"}")
        default: ("add", "{\"_0\":\(number)}")
        }
      _ = try writer.writeNow([LogDraft(type: type, data: Array(data.utf8))])
    }
    try writer.closeNow()
  }

  private func outcome<M: Model>(
    of model: M.Type, at path: String = "log", width: Int, shortestRange: Int, unknownTypes: UnknownTypePolicy? = nil
  ) -> String {
    var options = ReplayOptions()
    (options.foldLimit, options.shortestRange) = (width, shortestRange)
    do {
      let history = try History<M>(at: path, fileSystem: disk, unknownTypes: unknownTypes)
      return "\(try history.compatibility(options: options))"
    } catch {
      return "error: \(error)"
    }
  }

  @Test(arguments: 1...60) func theReportIsThatOfTheOrder(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    try write(&generator)
    if seed.isMultiple(of: 3) {
      // One damaged byte, or two.
      for _ in 0...Int.random(in: 0...1, using: &generator) {
        let segments = try disk.names(in: "log").filter { name in name.hasSuffix(".jsonl") }.sorted()
        let path = "log/" + segments[Int.random(in: 0..<segments.count, using: &generator)]
        let offset = Int.random(in: 0..<(try disk.contents(of: path).count), using: &generator)
        try disk.flipBit(Int.random(in: 0...7, using: &generator), ofByte: offset, in: path)
      }
    }
    let shortestRange = Int.random(in: 1...30, using: &generator)
    for unknownTypes in [UnknownTypePolicy.refuse, .keep] {
      let inOrder = outcome(of: StrictTally.self, width: 1, shortestRange: shortestRange, unknownTypes: unknownTypes)
      for width in [2, 3] {
        let outcome = outcome(
          of: StrictTally.self, width: width, shortestRange: shortestRange, unknownTypes: unknownTypes)
        #expect(outcome == inOrder, "seed \(seed), width \(width), shortest range \(shortestRange)")
      }
    }
  }

  /// Upcasters and types that only some ranges use, in segments of three schemas.
  @Test @MainActor func upcastersOfAllRangesCount() async throws {
    try await ShopStory.record(through: 3, in: disk, environment: tickingEnvironment())
    let inOrder = outcome(of: ShopV3.self, at: "shop", width: 1, shortestRange: 1)
    #expect(inOrder.contains("becomes didTake, didPut"))
    for width in [2, 3] {
      #expect(outcome(of: ShopV3.self, at: "shop", width: width, shortestRange: 1) == inOrder)
    }
  }

  /// Each range opens its segment, so the number of opened files shows that there are ranges.
  @Test @MainActor func aLongLogIsDividedIntoRanges() async throws {
    try await record(
      (1...400).map(TallyAction.add), as: Tally.self, at: "log", in: disk, configuration: reproducible(Tally.self))
    func opens(width: Int, shortestRange: Int) -> Int {
      disk.resetCounts()
      _ = outcome(of: Tally.self, width: width, shortestRange: shortestRange)
      return disk.counts.opens
    }
    let inOrder = opens(width: 1, shortestRange: 10)
    #expect(opens(width: 2, shortestRange: 10) >= inOrder + 7)
    #expect(opens(width: 2, shortestRange: 201) <= inOrder, "a short log is examined in order")
  }

  /// The seams of two ranges are compared, so an action that was replaced while the log was read leads to an examination in order.
  @Test @MainActor func aReplacedSeamIsNoticed() async throws {
    let first = (1...400).map(TallyAction.add)
    try await record(first, as: Tally.self, at: "log", in: disk, configuration: reproducible(Tally.self))
    try await record(
      first.prefix(10) + (1...390).map { number in .name("\(number)") }, as: Tally.self, at: "other", in: disk,
      configuration: reproducible(Tally.self))
    let disk = disk
    let opens = Locked(0)
    let files = FaultyFileSystem(disk) { call in
      guard call.operation == .open, call.path == "log/0000000000000001.jsonl" else { return }
      let isNow = opens.withLock { opens in
        opens += 1
        return opens == 9
      }
      guard isNow else { return }
      #expect(throws: Never.self) {
        try disk.rename("log", to: "old")
        try disk.rename("other", to: "log")
      }
    }
    var options = ReplayOptions()
    (options.foldLimit, options.shortestRange) = (2, 50)
    let report = try await History<Tally>(at: "log", fileSystem: files).compatibility(options: options)
    #expect(opens.withLock { opens in opens > 9 })
    #expect(report.entries.map(\.count) == [10, 390])
  }

  /// The actions are read, and then folded.
  @Test(arguments: [1, 2]) @MainActor func theProgressIsThatOfBothPasses(width: Int) async throws {
    try await record(
      (1...9_000).map(TallyAction.add), as: Tally.self, at: "log", in: disk,
      configuration: reproducible(Tally.self, durability: .written))
    let steps = Locked<[ReplayProgress]>([])
    var options = ReplayOptions()
    (options.foldLimit, options.shortestRange) = (width, 1_100)
    options.progress = { step in steps.withLock { steps in steps.append(step) } }
    _ = try await History<Tally>(at: "log", fileSystem: disk).compatibility(options: options)
    let reported = steps.withLock { steps in steps }
    #expect(Set(reported.map(\.actionsLimit)) == [18_000])
    #expect(reported.contains { step in step.actionsFolded < 9_000 })
    #expect(reported.contains { step in step.actionsFolded > 9_000 })
  }

  /// Damage ends the examination. Its error comes from reading the log again, not from examining it again.
  @Test @MainActor func damageIsExaminedOnce() async throws {
    try await record(
      (1...9_000).map(TallyAction.add), as: Tally.self, at: "log", in: disk,
      configuration: reproducible(Tally.self, durability: .written, segmentLimitBytes: 200_000))
    let segments = try disk.names(in: "log").filter { name in name.hasSuffix(".jsonl") }.sorted()
    let segment = "log/" + segments[segments.count / 2]
    try #require(segments.count > 3)
    try disk.flipBit(0, ofByte: try disk.contents(of: segment).count / 2, in: segment)
    let folded = Locked<[Int]>([])
    var options = ReplayOptions()
    (options.foldLimit, options.shortestRange) = (2, 1_100)
    options.progress = { step in folded.withLock { folded in folded.append(step.actionsFolded) } }
    let history = try await History<Tally>(at: "log", fileSystem: disk)
    let error = #expect(throws: LogError.self) { try history.compatibility(options: options) }
    #expect(error?.code == .damaged && error?.intact?.hasPrefix("Actions 1…") == true, "\(String(describing: error))")
    let counts = folded.withLock { folded in folded }
    #expect(!counts.isEmpty && counts == counts.sorted() && Set(counts).count == counts.count, "\(counts)")
  }

  /// Both passes end when it is requested: 9 000 actions are nine calls to read and at least eight to fold.
  @Test(arguments: [(1, 3), (1, 12), (2, 3), (2, 12)]) @MainActor
  func examiningAndFoldingCanBeCanceled(width: Int, calls: Int) async throws {
    try await record(
      (1...9_000).map(TallyAction.add), as: Tally.self, at: "log", in: disk,
      configuration: reproducible(Tally.self, durability: .written))
    let count = Locked(0)
    var options = ReplayOptions()
    (options.foldLimit, options.shortestRange) = (width, 1_100)
    options.isCancelled = {
      count.withLock { count in
        count += 1
        return count >= calls
      }
    }
    let history = try await History<Tally>(at: "log", fileSystem: disk)
    #expect(throws: CancellationError.self) { try history.compatibility(options: options) }
    #expect(count.withLock { count in count } == calls)
  }
}

/// An action of the zoo. Safe to send: zoo actions consist of values.
private struct ZooCarrier: Codable, Equatable, @unchecked Sendable {
  var value: ZooAction

  init(value: ZooAction) { self.value = value }
  init(from decoder: any Decoder) throws { value = try ZooAction(from: decoder) }
  func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}
