import ActionLog
import ActionLogTesting
import AnimalsData
import EventSourcing
import Platform
import TestSupport
import Testing

/// The past of a projection, and its snapshots.
@MainActor @Suite struct ProjectionHistoryTests {
  private let disk = MemoryFileSystem()

  /// Records numbers by two actors, with snapshots of the model.
  private func record(_ numbers: ClosedRange<Int>, startingAt base: TallyState? = nil) async throws {
    var configuration = reproducible(Tally.self, snapshots: .every(7), segmentLimitBytes: 2_000)
    configuration.metaOfAction = { action in
      guard case .add(let number) = action, number % 3 != 0 else { return nil }
      return RecordMeta(actor: number % 2 == 0 ? "ann" : "bob")
    }
    let store = try RecordingStore<Tally>(
      at: "log", startingAt: base, configuration: configuration, fileSystem: disk)
    for number in numbers { try store.dispatch(action: number % 5 == 0 ? .name("n\(number)") : .add(number)) }
    try await store.close()
  }

  private func history<P: Projection>(_ projection: P.Type) throws -> ProjectionHistory<P> {
    try ProjectionHistory<P>(at: "log", fileSystem: disk)
  }

  @Test func aStateIsTheFoldWithAnySnapshots() async throws {
    try await record(1...40)
    let records = try disk.records()
    for revision in [13, 27, 40] { _ = try history(Totals.self).takeSnapshot(at: revision) }
    let history = try history(Totals.self)
    #expect(try history.snapshots?.revisions() == [13, 27, 40])
    for revision in 0...40 {
      #expect(try history.state(at: revision) == totals(records, through: revision), "\(revision)")
    }
    #expect(try history.replay(to: 30).report.startRevision == 27)
    try disk.remove("log/projections/totals/0000000000000027.json")
    #expect(try history.replay(to: 30).report.startRevision == 13)
    #expect(try history.state(at: 30) == totals(records, through: 30))
  }

  @Test func generatedCodeDecodesTheSameActions() async throws {
    let actions = acceptedActions(seed: 3, count: 3_000)
    try await EventSourcingTests.record(
      actions, as: AnimalsModel.self, at: "log", in: disk, configuration: reproducible(AnimalsModel.self))
    let history = try await ProjectionHistory<SeenAnimals>(at: "log", fileSystem: disk)
    var options = ReplayOptions()
    for decodesAhead in [true, false] {
      options.decodesAhead = decodesAhead
      let seen = try history.state(options: options)
      #expect(seen.revisions == Array(1...3_000))
      #expect(seen.actions == actions)
    }
    let recorded = try history.actions(in: 1...3_000).flatMap(\.actions)
    #expect(recorded.map(\.action) == actions)
    #expect(recorded.map(\.revision) == Array(1...3_000))
  }

  @Test func eachPartOfASplitActionIsApplied() async throws {
    try await EventSourcingTests.record(
      ShopStory.first, as: ShopV1.self, at: "log", in: disk, configuration: reproducible(ShopV1.self))
    // The hover was dropped, the move is two actions now.
    let seen = try await ProjectionHistory<SeenShop>(at: "log", fileSystem: disk).state()
    #expect(seen == [1, 3, 4, 5, 5])
  }

  @Test func aBaseLeadsToTheFirstState() async throws {
    try await record(1...6, startingAt: TallyState(sum: 50))
    let base = TallyTotals(base: 50)
    #expect(try history(Totals.self).state(at: 0) == base)
    #expect(try history(Totals.self).state() == totals(disk.records(), from: base))
  }

  @Test func digestsOfTheModelAreNotCompared() async throws {
    try await record(1...20)
    let report = try history(Totals.self).replay(options: .checkingDigests()).report
    #expect(report.digestsChecked == 0)
    #expect(report.divergences.isEmpty)
  }
}

// MARK: - Snapshots

extension ProjectionHistoryTests {
  @Test func snapshotsHaveAFolderOfTheirOwn() async throws {
    try await record(1...20)
    let own = try disk.names(in: "log/snapshots")
    _ = try history(Totals.self).takeSnapshot()
    #expect(try disk.names(in: "log/snapshots") == own)
    #expect(try disk.names(in: "log/projections/totals") == ["0000000000000020.json"])
    let text = String(
      decoding: try disk.contents(of: "log/projections/totals/0000000000000020.json"), as: UTF8.self)
    #expect(text.contains(#""model":"tally","schema":1,"projection":"totals","projectionVersion":1,"reducer":"#))
    // The model's replay does not see it.
    #expect(try await History<Tally>(at: "log", fileSystem: disk).replay().report.startRevision == 14)
  }

  @Test func aSnapshotOfAnotherVersionIsNotUsed() async throws {
    try await record(1...20)
    _ = try history(Totals.self).takeSnapshot()
    let replayed = try history(NewTotals.self).replay()
    #expect(replayed.report.snapshotsRefused.map(\.code) == [.otherProjection])
    #expect(replayed.report.startRevision == 0)
    #expect(replayed.state == (try totals(disk.records())))
  }

  @Test func aSnapshotOfOtherSourcesIsNotUsed() async throws {
    try await record(1...20)
    _ = try history(SealedTotals.self).takeSnapshot()
    #expect(try history(SealedTotals.self).replay().report.startRevision == 20)
    SealedTotals.fingerprint.withLock { text in text = "second" }
    defer { SealedTotals.fingerprint.withLock { text in text = "first" } }
    let report = try history(SealedTotals.self).replay().report
    #expect(report.snapshotsRefused.map(\.code) == [.otherReducer])
    #expect(report.startRevision == 0)
  }

  @Test(arguments: ["log/snapshots/0000000000000014.json", "log/projections/other/0000000000000014.json"])
  func aSnapshotOfAnotherFolderIsNotUsed(path: String) async throws {
    try await record(1...20)
    _ = try history(OtherTotals.self).takeSnapshot(at: 14)
    _ = try history(Totals.self).takeSnapshot(at: 3)
    try disk.setContents(try disk.contents(of: path), of: "log/projections/totals/0000000000000014.json")
    let replayed = try history(Totals.self).replay()
    #expect(replayed.report.snapshotsRefused.map(\.code) == [.otherProjection])
    #expect(replayed.report.startRevision == 3)
    #expect(replayed.state == (try totals(disk.records())))
    let examined = try SnapshotStore(at: "log", projection: "totals", fileSystem: disk)
      .examine(against: LogReader.open(at: "log", fileSystem: disk))
    #expect(examined.sound == [3])
    #expect(examined.refusals.map(\.code) == [.otherProjection])
  }

  @Test func aProjectionsSnapshotIsNoneOfTheModel() async throws {
    try await record(1...20)
    _ = try history(Totals.self).takeSnapshot(at: 20)
    try disk.setContents(
      try disk.contents(of: "log/projections/totals/0000000000000020.json"), of: "log/snapshots/0000000000000020.json")
    let model = try await History<Tally>(at: "log", fileSystem: disk)
    #expect(try model.replay().report.snapshotsRefused.map(\.code) == [.otherProjection])
    let examined = try SnapshotStore(at: "log", fileSystem: disk).examine(against: model.reader)
    #expect(examined.refusals.map(\.code) == [.otherProjection])
  }

  @Test func aModelPutsNoSnapshotIntoAnothersLog() async throws {
    try await record(1...20)
    let own = try disk.names(in: "log/snapshots")
    let other = try await History<TallyCopy>(at: "log", fileSystem: disk, checksModelName: false)
    let error = #expect(throws: LogError.self) { _ = try other.takeSnapshot() }
    #expect(error?.code == .wrongModel)
    #expect(error?.advice?.description.contains("projection") == true)
    #expect(try disk.names(in: "log/snapshots") == own)
  }

  @Test func examiningFindsASnapshotOfAnotherModel() async throws {
    try await record(1...20)
    let store = SnapshotStore(at: "log", fileSystem: disk)
    var snapshot = try store.read(at: 14)
    snapshot.model = "copy"
    try store.publish(snapshot)
    let examined = try store.examine(against: LogReader.open(at: "log", fileSystem: disk))
    #expect(examined.refusals.map(\.code) == [.otherModel])
    #expect(examined.sound == [7])
  }

  @Test func aNameThatLeavesTheFolderIsRefused() async throws {
    try await record(1...3)
    let error = #expect(throws: LogError.self) { _ = try history(EscapingTotals.self) }
    #expect(error?.code == .invalidArgument)
  }
}

// MARK: - What needs the model

extension ProjectionHistoryTests {
  @Test func aProjectionIsNotRecorded() async throws {
    let error = #expect(throws: LogError.self) {
      _ = try Recorder<Projected<Totals>>(at: "new", fileSystem: disk)
    }
    #expect(error?.code == .wrongModel)
    #expect(try disk.status(of: "new") == nil)
  }

  @Test func aProjectionIsNotFrozen() async throws {
    try await record(1...3)
    let history = try history(Totals.self)
    let error = #expect(throws: LogError.self) { try history.freezeBase(into: "new") }
    #expect(error?.code == .wrongModel)
    #expect(try disk.status(of: "new") == nil)
  }

  @Test func aPureProjectionIsProved() async throws {
    try await record(1...20)
    _ = try history(Totals.self).takeSnapshot(at: 9)
    let proof = try history(Totals.self).prove()
    #expect(proof.isProven)
    #expect(proof.snapshotsChecked == 1)
    #expect(proof.digestsChecked == 0)
  }

  @Test func anImpureProjectionIsNotProved() async throws {
    try await record(1...20)
    let proof = try history(RandomTotals.self).prove()
    #expect(proof.disagreements.map(\.kind) == [.secondFold])
    #expect(proof.disagreements.first?.revision == 1)
  }
}

/// The revisions and actions in the order in which they were applied.
enum SeenAnimals: Projection {
  typealias Source = AnimalsModel
  struct State: Codable, Equatable, Sendable {
    var revisions: [Int] = []
    var actions: [AnimalsAction] = []
  }

  static var name: String { "seen" }
  static var version: Int { 1 }
  static var initialState: State { State() }

  static func apply(_ recorded: ProjectedAction<AnimalsAction>, to state: inout State) {
    state.revisions.append(recorded.revision)
    state.actions.append(recorded.action)
  }
}

/// The revisions of the applied actions.
enum SeenShop: Projection {
  typealias Source = ShopV2
  static var name: String { "seen" }
  static var version: Int { 1 }
  static var initialState: [Int] { [] }
  static func apply(_ recorded: ProjectedAction<ShopV2.Action>, to state: inout [Int]) {
    state.append(recorded.revision)
  }
}

/// A model with the actions and the state of a tally, and another name.
enum TallyCopy: TallyModel {
  static var name: String { "copy" }
}
