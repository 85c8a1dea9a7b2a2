import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import JSONCoding
import TestSupport
import Testing

@Suite("Logs of older schemas")
struct EvolutionTests {
  private let disk = MemoryFileSystem()

  @Test @MainActor func everyRevisionMatchesThePresentModel() async throws {
    try await ShopStory.record(in: disk, environment: tickingEnvironment())
    let history = try await History<ShopV3>(at: "shop", fileSystem: disk)
    for (revision, items) in ShopStory.states.enumerated() {
      #expect(try history.state(at: revision).items == items, "revision \(revision)")
    }
    let last = try history.state(options: .wholeLog)
    #expect(last.suppliers == ["unknown", "ann"])
  }

  /// Regression: the new actions were read as those of the older schema, so that the supplier was "unknown" without a snapshot.
  @Test @MainActor func newSaltsKeepTheNewerSchema() async throws {
    try await ShopStory.record(through: 2, in: disk, environment: tickingEnvironment())
    var configuration = reproducible(ShopV3.self, snapshots: .every(1))
    configuration.log.redactable = true
    let store = try RecordingStore<ShopV3>(at: "shop", configuration: configuration, fileSystem: disk)
    for action in ShopStory.third { try store.dispatch(action: action) }
    let live = store.state
    try await store.close()
    let history = try await History<ShopV3>(at: "shop", fileSystem: disk)
    #expect(live.suppliers == ["unknown", "ann"])
    #expect(try history.state() == live)
    #expect(try history.state(options: .wholeLog) == live)
    let error = #expect(throws: LogError.self) {
      try RecordingStore<ShopV2>(at: "shop", configuration: reproducible(ShopV2.self), fileSystem: disk)
    }
    #expect(error?.code == .schemaTooNew)
  }

  @Test @MainActor func recordsBecomeNoneOneOrSeveralActions() async throws {
    try await ShopStory.record(in: disk, environment: tickingEnvironment())
    let actions = try await History<ShopV3>(at: "shop", fileSystem: disk).actions(in: 1...11)
    #expect(actions.map(\.actions.count) == [1, 0, 1, 1, 2, 1, 1, 1, 1, 1, 1])
    #expect(actions.map(\.revision) == Array(1...11), "nothing is renumbered")
    #expect(actions[1].action == nil && !actions[1].isOpaque)
    #expect(actions[4].actions == [.didTake(id: 0, name: "jam"), .didPut(id: 0, name: "tea")])
    #expect(actions[0].action == .didReceive(name: "tea", count: 5, supplier: "unknown"))
    #expect(actions[4].record.type == "ui.onTapMove", "the record stays as it was written")
  }

  @Test @MainActor func snapshotsOfOlderSchemasAreIgnored() async throws {
    try await ShopStory.record(through: 2, in: disk, environment: tickingEnvironment())
    let snapshots = SnapshotStore(at: "shop", fileSystem: disk)
    #expect(try snapshots.revisions() == [3, 6, 9])
    let replayed = try await History<ShopV3>(at: "shop", fileSystem: disk).replay()
    #expect(replayed.report.snapshotsLoaded == 0)
    #expect(replayed.report.snapshotsRefused.map(\.code) == [.otherSchema, .otherSchema, .otherSchema])
    #expect(replayed.state.items == ShopStory.states[9])
  }

  @Test @MainActor func anUnchangedTypeIsReadUnchanged() async throws {
    try await ShopStory.record(through: 1, in: disk, environment: tickingEnvironment())
    let decoder = try RecordDecoder<ShopV2>()
    #expect(decoder.chain.readsUnchanged("didReceive", of: 1))
    #expect(!decoder.chain.readsUnchanged("didHover", of: 1))
    let replayed = try await History<ShopV2>(at: "shop", fileSystem: disk).replay()
    #expect(replayed.state.items == ShopStory.states[5])
  }

  @Test @MainActor func theInitialStateIsLifted() async throws {
    let base = ShopV1.State(items: ["tea": 7], visits: 3)
    let store = try RecordingStore<ShopV1>(
      at: "shop", startingAt: base, configuration: reproducible(ShopV1.self), fileSystem: disk)
    try store.dispatch(action: .ui(.onTapSell(name: "tea")))
    try await store.close()
    let replayed = try await History<ShopV3>(at: "shop", fileSystem: disk).replay()
    #expect(replayed.state == ShopV3.State(items: ["tea": 6], suppliers: []))
  }

  @Test @MainActor func anUncoveredSchemaIsRefused() async throws {
    enum Orphan: TallyModel {
      static var schema: Int { 2 }
    }
    try await record([.add(1)], as: Tally.self, at: "log", in: disk, configuration: reproducible(Tally.self))
    let history = try await History<Orphan>(at: "log", fileSystem: disk)
    let error = try #require(throws: EventSourcingError.self) { try history.state() }
    #expect(error.code == .schemaTooOld)
    #expect(error.revision == 1)
    #expect(error.description.contains(".unchanged(from: 1, to: 2)"))
  }

  /// A state that still decodes may have another meaning, so it is refused before anything is folded or recorded after it.
  @Test func anInitialStateOfAnUncoveredSchemaIsRefused() async throws {
    enum Orphan: TallyModel {
      static var schema: Int { 2 }
    }
    let recorder = try Recorder<Tally>(
      at: "log", startingAt: TallyState(sum: 9), configuration: reproducible(Tally.self), fileSystem: disk)
    try await recorder.close()
    let history = try await History<Orphan>(at: "log", fileSystem: disk)
    let error = try #require(throws: EventSourcingError.self) { try history.state() }
    #expect(error.code == .schemaTooOld)
    #expect(error.revision == 0)
    #expect(error.description.contains("the state that the log begins with was recorded by schema 1"))
    let refusal = #expect(throws: EventSourcingError.self) {
      try Recorder<Orphan>(at: "log", configuration: reproducible(Orphan.self), fileSystem: disk)
    }
    #expect(refusal?.code == .schemaTooOld)

    enum Reaching: TallyModel {
      static var schema: Int { 2 }
      static var evolution: SchemaEvolution { SchemaEvolution(.unchanged(from: 1, to: 2)) }
    }
    #expect(try await History<Reaching>(at: "log", fileSystem: disk).state().sum == 9)
  }

  @Test @MainActor func aBrokenEvolutionPreventsANewLog() async throws {
    enum Broken: TallyModel {
      static var schema: Int { 3 }
      static var evolution: SchemaEvolution { SchemaEvolution(.unchanged(from: 1, to: 2)) }
    }
    let error = #expect(throws: EventSourcingError.self) {
      try Recorder<Broken>(at: "log", configuration: reproducible(Broken.self), fileSystem: disk)
    }
    #expect(error?.code == .brokenEvolution)
    #expect(try disk.status(of: "log") == nil, "nothing was made")
    try await record([.add(1)], as: Tally.self, at: "log", in: disk, configuration: reproducible(Tally.self))
    #expect(throws: EventSourcingError.self) { try History<Broken>(at: "log", fileSystem: disk) }
  }

  /// A model whose evolution fails at the type `name`.
  private enum Failing: TallyModel {
    struct Reason: Error {}
    static var schema: Int { 2 }
    static var evolution: SchemaEvolution {
      SchemaEvolution(SchemaStep(from: 1, to: 2, [.edit("name") { _ in throw Reason() }]))
    }
  }

  @Test @MainActor func anUpcasterThatFailsNamesTheRecord() async throws {
    try await record(
      [.add(1), .name("a"), .add(2)], as: Tally.self, at: "log", in: disk, configuration: reproducible(Tally.self))
    let history = try await History<Failing>(at: "log", fileSystem: disk)
    #expect(try history.state(at: 1).sum == 1)
    let error = try #require(throws: EventSourcingError.self) { try history.state() }
    #expect(error.code == .upcastFailed && error.revision == 2)
    #expect(error.message == "the upcaster of 'name' from schema 1 to 2 failed")
    #expect(error.underlying is Failing.Reason)
  }

  /// A segment of the new schema would lock the older program out of a log that the newer one cannot read.
  @Test @MainActor func aFailedEvolutionLeavesTheLogUnchanged() async throws {
    try await record(
      [.add(1), .name("a"), .add(2)], as: Tally.self, at: "log", in: disk, configuration: reproducible(Tally.self))
    let actions = try disk.records().filter { record in !record.isControl }
    for policy in [RecordingDivergencePolicy.useFold, .fail, .freezeBase(into: "next")] {
      var configuration = reproducible(Failing.self)
      configuration.onDivergence = policy
      let error = #expect(throws: EventSourcingError.self) {
        try Recorder<Failing>(at: "log", configuration: configuration, fileSystem: disk)
      }
      #expect(error?.code == .upcastFailed && error?.revision == 2)
      #expect(try LogReader.open(at: "log", fileSystem: disk).segments.count == 1)
      #expect(try disk.records().filter { record in !record.isControl } == actions)
      #expect(try disk.status(of: "next") == nil)
    }
    try await record([.add(3)], as: Tally.self, at: "log", in: disk, configuration: reproducible(Tally.self))
    #expect(try await History<Tally>(at: "log", fileSystem: disk).state().sum == 6)
  }

  @Test @MainActor func anUnusedNewVersionCanBeRolledBack() async throws {
    for number in 1...3 {
      try await record([.add(number)], as: Tally.self, at: "log", in: disk, configuration: reproducible(Tally.self))
      let newer = try Recorder<NewTally>(at: "log", configuration: reproducible(NewTally.self), fileSystem: disk)
      let store = try newer.makeStore()
      #expect(store.state.sum == (1...number).reduce(0, +))
      try await newer.close()
    }
    try await record([.add(4)], as: NewTally.self, at: "log", in: disk, configuration: reproducible(NewTally.self))
    #expect(try await History<NewTally>(at: "log", fileSystem: disk).state().sum == 10)
    let error = #expect(throws: LogError.self) {
      try Recorder<Tally>(at: "log", configuration: reproducible(Tally.self), fileSystem: disk)
    }
    #expect(error?.code == .schemaTooNew)
  }

  @Test @MainActor func recordingAfterARaiseUsesTheNewSchema() async throws {
    try await ShopStory.record(in: disk, environment: tickingEnvironment())
    var iterator = try LogReader.open(at: "shop", fileSystem: disk).records(from: 1)
    var schemas: [Int] = []
    while let record = try iterator.next() { if !record.isControl { schemas.append(record.schema) } }
    #expect(schemas == [1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3])
  }
}
