import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import EventSourcing
import JSONCoding
import Platform
import TestSupport
import Testing

/// What folds or delivers the actions of a log either has those before a pruning, or says that they are gone. Nothing is skipped.
@Suite("Consumers of pruned logs", .timeLimit(.minutes(60)))
struct PrunedLogConsumerTests {
  private let disk = MemoryFileSystem()

  private func record(_ numbers: ClosedRange<Int>) async throws {
    try await EventSourcingTests.record(
      numbers.map { number in .add(number) }, as: Tally.self, at: "log", in: disk,
      configuration: reproducible(Tally.self, segmentLimitBytes: 1_000))
  }

  /// Prunes the log, and returns the revision that it begins with.
  private func prune(before revision: Int, at path: String = "log") async throws -> Int {
    let first = try await History<Tally>(at: path, fileSystem: disk)
      .prune(before: revision, reason: "test", archive: nil).firstRevision
    try #require(first > 0 && first < revision)
    return first
  }

  // MARK: Schema

  @Test func aBaseOfAnOlderSchemaIsLifted() async throws {
    try await record(1...40)
    let first = try await prune(before: 30)
    let states = try await History<Tally>(at: "log", fileSystem: disk)
    let newer = try await History<RenamedTally>(at: "log", fileSystem: disk)
    for revision in first...40 {
      let state = try newer.state(at: revision)
      #expect(state.total == (try states.state(at: revision).sum), "revision \(revision)")
      #expect(state.schemas == ["lifted"])
    }
    // A recorder of the newer schema continues, and its log is pruned again with a base of that schema.
    try await EventSourcingTests.record(
      (41...80).map { number in .add(number) }, as: RenamedTally.self, at: "log", in: disk,
      configuration: reproducible(RenamedTally.self, segmentLimitBytes: 1_000))
    let again = try await History<RenamedTally>(at: "log", fileSystem: disk)
      .prune(before: 75, reason: "test", archive: nil).firstRevision
    #expect(again > 40)
    let base = try #require(try LogReader.open(at: "log", fileSystem: disk).base)
    #expect(base.schema == 2)
    let pruned = try await History<RenamedTally>(at: "log", fileSystem: disk)
    #expect(try pruned.state().total == (1...80).reduce(0, +))
    #expect(try pruned.state(at: again).schemas == ["lifted"], "a base of the present schema is not lifted")
    let error = await #expect(throws: LogError.self) { try await History<Tally>(at: "log", fileSystem: disk).state() }
    #expect(error?.code == .schemaTooNew)
  }

  @Test func aBaseThatCannotBeLiftedIsReported() async throws {
    try await record(1...40)
    let first = try await prune(before: 30)
    let error = await #expect(throws: EventSourcingError.self) {
      try await History<UnliftedTally>(at: "log", fileSystem: disk).state()
    }
    #expect(error?.code == .undecodableState)
    #expect(error?.revision == first)
    #expect(error?.path?.hasSuffix("base.json") == true, "\(String(describing: error?.path))")
  }

  // MARK: Subscriptions

  @Test func aPositionAtTheBaseContinues() async throws {
    try await record(1...40)
    let bench = SubscriptionBench(disk)
    let first = try await prune(before: 30)
    let journal = DeliveryJournal()
    try await bench.subscription(journal, from: .revision(first + 1)).catchUp()
    #expect(journal.revisions == Array(first + 1...40))
    try bench.store.reset("sub", to: first, time: .now())
    try await bench.subscription(journal).catchUp()
    #expect(journal.revisions == Array(first + 1...40) + Array(first + 1...40))
  }

  @Test func aPositionFromBeforeIsKeptThroughAPruning() async throws {
    try await record(1...40)
    let bench = SubscriptionBench(disk)
    let journal = DeliveryJournal()
    try await bench.subscription(journal).catchUp()
    _ = try await prune(before: 30)
    try await record(41...42)
    try await bench.subscription(journal).catchUp()
    #expect(journal.revisions == Array(1...42))
  }

  @Test(arguments: [0, 1, 10]) func aPositionBeforeTheBaseIsAnError(position: Int) async throws {
    try await record(1...40)
    let bench = SubscriptionBench(disk)
    if position > 0 {
      let failing = DeliveryJournal(failing: [position + 1: 1])
      await #expect(throws: EventSourcingError.self) {
        try await bench.subscription(failing, from: .revision(position + 1)) { configuration in
          configuration.retries.attempts = 1
        }.catchUp()
      }
      try #require(try bench.stored() == position)
    }
    let first = try await prune(before: 30)
    let journal = DeliveryJournal()
    let error = try await thrownError(as: LogError.self) { try await bench.subscription(journal).catchUp() }
    #expect(error.code == .pruned)
    #expect(error.message.contains("its actions \(position + 1)…\(first) are gone"), "\(error)")
    #expect(error.advice?.description.contains("--reset sub \(first)") == true, "\(error)")
    #expect(error.advice?.description.contains("Its segments were deleted") == true, "\(error)")
    #expect(journal.revisions.isEmpty)
    #expect(try bench.stored() == (position > 0 ? position : nil), "the position is not changed")
    let summaries = try bench.store.summaries()
    #expect(summaries.map(\.error).allSatisfy { text in text?.contains("are gone") == true })
    // The advice helps.
    if position > 0 { try bench.store.reset("sub", to: first, time: .now()) }
    try await bench.subscription(journal, from: .revision(first + 1)).catchUp()
    #expect(journal.revisions == Array(first + 1...40))
  }

  @Test func aPruningUnderneathIsReported() async throws {
    try await record(1...40)
    let journal = DeliveryJournal()
    let (pruned, disk) = (Locked(false), disk)
    // The log is pruned after the first delivery, and the actions that were read ahead are delivered.
    let subscription = try Subscription<Tally>(
      named: "sub", at: "log", from: .beginning, configuration: journal.configuration(), fileSystem: disk
    ) { delivery in
      try journal.handle(delivery)
      let isFirst = pruned.withLock { pruned in
        defer { pruned = true }
        return !pruned
      }
      if isFirst {
        _ = try await History<Tally>(at: "log", fileSystem: disk).prune(before: 30, reason: "test", archive: nil)
      }
    }
    do { try await subscription.catchUp() } catch let error as LogError { #expect(error.code == .pruned) }
    #expect(journal.revisions == Array(1...journal.revisions.count), "nothing is skipped")
  }

  // MARK: Projections

  @Test func aProjectionBeginsWithTheBaseThatItUnderstands() async throws {
    try await record(1...40)
    let first = try await prune(before: 30)
    let history = try await ProjectionHistory<Totals>(at: "log", fileSystem: disk)
    #expect(try history.state(at: first) == TallyTotals(base: (1...first).reduce(0, +)))
    let end = try history.state()
    #expect(end.sum + end.base == (1...40).reduce(0, +))
    #expect(end.actions == 40 - first)
    let runner = try await ProjectionGroup<Tally>.open(
      at: "log", options: ProjectionOptions(schedule: HandTimer().schedule), fileSystem: disk
    ).run(Totals.self)
    try await runner.caughtUp()
    #expect(await runner.current().state == end)
    await runner.close()
  }

  @Test func aProjectionWithoutTheFirstActionsIsRefused() async throws {
    try await record(1...40)
    let first = try await prune(before: 30)
    for body: () async throws -> Void in [
      { _ = try await ProjectionHistory<AddedNumbers>(at: "log", fileSystem: disk).state() },
      {
        _ = try await ProjectionGroup<Tally>.open(
          at: "log", options: ProjectionOptions(schedule: HandTimer().schedule), fileSystem: disk
        ).run(AddedNumbers.self)
      },
      { _ = try await ProjectionHistory<AddedNumbers>(at: "log", fileSystem: disk).rebuildProjection() },
    ] {
      let error = try await thrownError(as: LogError.self, body)
      #expect(error.code == .pruned)
      #expect(error.message.contains("the actions up to \(first) are gone"), "\(error)")
      #expect(
        error.advice?.description.contains("--restore") == true
          && error.advice?.description.contains("startingFrom") == true)
    }
  }

  /// The snapshots of a projection are the only source of what it made of the pruned actions.
  @Test func aSnapshotFromTheBaseOnCoversTheRest() async throws {
    try await record(1...40)
    let snapshot = try await ProjectionHistory<AddedNumbers>(at: "log", fileSystem: disk).takeSnapshot(at: 35)
    #expect(snapshot.snapshot.revision == 35)
    let first = try await prune(before: 30)
    let history = try await ProjectionHistory<AddedNumbers>(at: "log", fileSystem: disk)
    #expect(try history.state().numbers == Array(1...40))
    let error = try await thrownError(as: LogError.self) { _ = try history.state(at: first) }
    #expect(error.code == .pruned)
    // A rebuilding would lose it.
    let rebuilding = try await thrownError(as: LogError.self) { _ = try history.rebuildProjection() }
    #expect(rebuilding.code == .pruned)
    #expect(try history.snapshots?.revisions() == [35])
    #expect(try history.state().numbers == Array(1...40))
  }

  @Test func aLogThatContinuesAnotherNeedsNoBaseState() async throws {
    try await record(1...40)
    try await History<Tally>(at: "log", fileSystem: disk).freezeBase(into: "next")
    #expect(try await ProjectionHistory<AddedNumbers>(at: "next", fileSystem: disk).state().numbers == [])
    #expect(try await ProjectionHistory<Totals>(at: "next", fileSystem: disk).state().base == (1...40).reduce(0, +))
  }
}

/// A tally whose state has other names in schema 2.
private enum RenamedTally: Model {
  struct State: Codable, Equatable, Sendable {
    var total = 0
    var names: [String] = []
    var schemas: [String] = []
  }

  static var name: String { "tally" }
  static var schema: Int { 2 }
  static var initialState: State { State() }
  static var evolution: SchemaEvolution {
    SchemaEvolution(
      SchemaStep(from: 1, to: 2) { state in
        guard case .object(let old) = state else { return state }
        return ["total": old["sum"] ?? 0, "names": old["names"] ?? [], "schemas": ["lifted"]]
      })
  }

  static func reduce(into state: inout State, action: TallyAction) throws {
    var tally = TallyState(sum: state.total, names: state.names)
    try Tally.reduce(into: &tally, action: action)
    (state.total, state.names) = (tally.sum, tally.names)
  }
}

/// The same model, which forgot to lift the state.
private enum UnliftedTally: Model {
  static var name: String { RenamedTally.name }
  static var schema: Int { 2 }
  static var initialState: RenamedTally.State { RenamedTally.initialState }
  static var evolution: SchemaEvolution { SchemaEvolution(.unchanged(from: 1, to: 2)) }

  static func reduce(into state: inout RenamedTally.State, action: TallyAction) throws {
    try RenamedTally.reduce(into: &state, action: action)
  }
}

/// All numbers that were added: the state of the tally does not tell them.
private enum AddedNumbers: Projection {
  typealias Source = Tally
  struct State: Codable, Equatable, Sendable { var numbers: [Int] = [] }

  static var name: String { "added" }
  static var version: Int { 1 }
  static var initialState: State { State() }

  static func apply(_ recorded: ProjectedAction<TallyAction>, to state: inout State) {
    if case .add(let number) = recorded.action { state.numbers.append(number) }
  }
}
