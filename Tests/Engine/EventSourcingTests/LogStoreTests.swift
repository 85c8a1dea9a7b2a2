import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import Platform
import TestSupport
import Testing

@Suite("The store of a log", .timeLimit(.minutes(60))) struct LogStoreTests {
  private let disk = MemoryFileSystem()

  private func open<M: TallyModel>(
    _ model: M.Type = Tally.self, window: Int = 10_000, digests: DigestPolicy = .withSnapshots,
    snapshots: SnapshotPolicy<TallyState> = .never, on files: (any LogFileSystem)? = nil
  ) async throws -> LogStore<M> {
    var configuration = reproducible(M.self, snapshots: snapshots, digests: digests)
    configuration.commandWindow = window
    return try await LogStore<M>.open(at: "log", configuration: configuration, fileSystem: files ?? disk)
  }

  private func types() throws -> [String] {
    var records = try LogReader.open(at: "log", fileSystem: disk).records(from: 0)
    var types: [String] = []
    while let record = try records.next() { types.append(record.type) }
    return types
  }

  @Test func anActionIsWrittenAndThenPublished() async throws {
    let store = try await open()
    let stream = await store.makeStream()
    try await store.dispatch(action: .add(3), meta: RecordMeta(actor: "ann"))
    #expect(try types().last == "add")
    let receipt = try await store.dispatch(action: .add(4), awaiting: .synced)
    #expect(receipt == LogReceipt(revision: 2, durability: .synced))
    #expect(await store.state.sum == 7)
    #expect(await store.select { state in state.sum } == 7)
    #expect(await store.revision == 2)
    try await store.close()
    #expect(!store.isRecorded)
    var elements = stream.makeAsyncIterator()
    #expect(await elements.next()?.oldState.sum == 0)
    #expect(await elements.next()?.oldState.sum == 3)
    let error = await #expect(throws: LogError.self) { try await store.dispatch(action: .add(1)) }
    #expect(error?.code == .closed)
  }

  private static func addUpToTen(_ store: isolated LogStore<Tally>) throws {
    if store.state.sum < 10 { try store.dispatch(action: .add(1)) }
  }

  @Test func anIsolatedFunctionDecidesWithoutOtherActionsInBetween() async throws {
    let store = try await open()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<100 { group.addTask { try await Self.addUpToTen(store) } }
      try await group.waitForAll()
    }
    #expect(await store.state.sum == 10)
    #expect(await store.revision == 10)
    try await store.close()
  }

  // MARK: - Decisions

  @Test func aDecisionIsOneUnit() async throws {
    let store = try await open(digests: .every(2))
    let stream = await store.makeStream()
    let receipt = try await store.dispatch([.add(1), .name("a"), .add(2)], awaiting: .synced)
    #expect(receipt == LogReceipt(revision: 3, durability: .synced))
    #expect(try types() == ["@segment", "@open", "@digest", "@unit", "add", "name", "add", "@digest"])
    #expect(try await store.dispatch([.add(5)]) == LogReceipt(revision: 4, durability: .written))
    #expect(try types().suffix(2) == ["add", "@digest"])
    #expect(try await store.dispatch([]) == LogReceipt(revision: 4, durability: .written))
    try await store.close()
    var elements = stream.makeAsyncIterator()
    for sum in [0, 1, 1, 3] { #expect(await elements.next()?.oldState.sum == sum) }
    let history = try await History<Tally>(at: "log", fileSystem: disk)
    let replayed = try history.replay(options: .checkingDigests(usesSnapshots: false))
    #expect(replayed.state == TallyState(sum: 8, names: ["a"]))
    #expect(replayed.report.divergences.isEmpty)
  }

  @Test func aRefusedActionRefusesTheDecision() async throws {
    let store = try await open(StrictTally.self)
    let stream = await store.makeStream()
    try await store.dispatch(action: .add(1))
    await #expect(throws: TallyError.self) { try await store.dispatch([.add(1), .add(-5), .add(1)]) }
    #expect(await store.state.sum == 1)
    #expect(await store.revision == 1)
    #expect(try types().suffix(2) == ["add", "@rejected"])
    disk.capacityBytes = disk.usedBytes
    await #expect(throws: LogError.self) { try await store.dispatch([.add(1), .add(1)]) }
    #expect(await store.state.sum == 1)
    disk.capacityBytes = nil
    try await store.dispatch([.add(1), .add(1)])
    try await store.close()
    var elements = stream.makeAsyncIterator()
    for sum in [0, 1, 2] { #expect(await elements.next()?.oldState.sum == sum) }
    #expect(try await History<StrictTally>(at: "log", fileSystem: disk).state().sum == 3)
  }

  @Test func tooManyActionsAreRefused() async throws {
    let store = try await open()
    let limit = LogStore<Tally>.decisionLimit
    let error = await #expect(throws: LogError.self) {
      try await store.dispatch(Array(repeating: .add(1), count: limit + 1))
    }
    #expect(error?.code == .beyondLimit)
    #expect(await store.revision == 0)
    try await store.dispatch(Array(repeating: .add(1), count: limit))
    try await store.close()
    #expect(try await History<Tally>(at: "log", fileSystem: disk).state().sum == limit)
  }

  @Test func aDecisionExpectsARevision() async throws {
    let store = try await open()
    try await store.dispatch([.add(1)], expecting: 0)
    let error = await #expect(throws: EventSourcingError.self) { try await store.dispatch([.add(2)], expecting: 0) }
    #expect(error?.code == .conflict)
    #expect(error?.revision == 1, "the present revision")
    #expect(await store.revision == 1)
    try await store.dispatch([.add(2), .add(3)], expecting: 1)
    #expect(await store.state.sum == 6)
    try await store.close()
  }

  @Test func oneOfManyDecisionsAtARevisionIsRecorded() async throws {
    let store = try await open()
    let won = Locked(0)
    await withTaskGroup(of: Void.self) { group in
      for number in 1...50 {
        group.addTask {
          do {
            try await store.dispatch([.add(number), .add(0)], expecting: 0)
            won.withLock { won in won += 1 }
          } catch {}
        }
      }
    }
    #expect(won.withLock { won in won } == 1)
    #expect(await store.revision == 2)
    try await store.close()
  }

  // MARK: - Commands

  @Test func aRepeatedCommandHasItsFirstReceipt() async throws {
    let store = try await open()
    let first = try await store.dispatch([.add(1), .add(2)], expecting: 0, command: "a", awaiting: .synced)
    #expect(first == LogReceipt(revision: 2, durability: .synced))
    try await store.dispatch([.add(3)], command: "b", meta: RecordMeta(actor: "ann"))
    #expect(try await store.dispatch([.add(9)], expecting: 0, command: "a", awaiting: .synced) == first)
    #expect(try await store.dispatch([.add(9)], command: "b", awaiting: .synced).revision == 3)
    #expect(await store.state.sum == 6)
    try await store.close()

    let again = try await open()
    #expect(try await again.dispatch([.add(9)], expecting: 0, command: "a", awaiting: .synced) == first)
    #expect(await again.state.sum == 6)
    let error = await #expect(throws: LogError.self) { try await again.dispatch([.add(1)], command: "") }
    #expect(error?.code == .invalidArgument)
    try await again.close()
    let action = try LogReader.open(at: "log", fileSystem: disk).record(at: 3)
    #expect(try RecordMeta(of: action) == RecordMeta(actor: "ann", command: "b"))
  }

  @Test func aCommandInTheMetadataIsOneToo() async throws {
    let store = try await open()
    #expect(try await store.dispatch([.add(1)], command: "a").revision == 1)
    try await store.dispatch(action: .add(2), meta: RecordMeta(command: "b"))
    #expect(try await store.dispatch([.add(9)], command: "b").revision == 2)
    try await RecordMeta.$current.withValue(RecordMeta(command: "c")) { try await store.dispatch(action: .add(3)) }
    #expect(try await store.dispatch([.add(9)], command: "c").revision == 3)
    #expect(await store.state.sum == 6)
    try await store.close()
  }

  @Test func aCommandOfTheConfigurationIsOneToo() async throws {
    var configuration = reproducible(Tally.self)
    configuration.metaOfAction = { action in
      if case .add(let number) = action, number > 1 { RecordMeta(command: "more") } else { nil }
    }
    let store = try await LogStore<Tally>.open(at: "log", configuration: configuration, fileSystem: disk)
    #expect(try await store.dispatch([.add(1)], command: "a").revision == 1)
    try await store.dispatch(action: .add(2))
    #expect(try await store.dispatch([.add(1)], command: "more").revision == 2)
    try await store.close()
  }

  /// A command that failed is not recorded, so that it can be repeated.
  @Test func aRefusedCommandIsNew() async throws {
    let store = try await open(StrictTally.self)
    await #expect(throws: TallyError.self) { try await store.dispatch([.add(1), .add(-5)], command: "a") }
    #expect(try await store.dispatch([.add(1)], command: "a").revision == 1)
    try await store.close()
  }

  @Test func commandsAreForgottenAfterTheWindow() async throws {
    let store = try await open(window: 3)
    try await store.dispatch([.add(1)], command: "a")
    for number in 2...3 { try await store.dispatch([.add(1)], command: "c\(number)") }
    #expect(try await store.dispatch([.add(1)], command: "a").revision == 1)
    try await store.dispatch(action: .add(1))
    #expect(try await store.dispatch([.add(1)], command: "a").revision == 5, "three actions followed")
    try await store.close()
    let again = try await open(window: 3)
    #expect(try await again.dispatch([.add(1)], command: "a").revision == 5)
    #expect(try await again.dispatch([.add(1)], command: "c2").revision == 6)
    try await again.close()
  }

  // MARK: - Crashes

  /// Stops the machine at each call, and restarts with what several kinds of crashes leave: the log has whole decisions, all
  /// acknowledged ones, and at most one more.
  @Test func aCrashLeavesWholeDecisions() async throws {
    let decisions: [[TallyAction]] = [
      [.add(1), .add(2), .add(3)], [.add(4)], (0..<40).map { number in .name("name \(number)") }, [.add(5), .add(6)],
    ]
    let boundaries = decisions.reduce(into: [0]) { ends, decision in ends.append(ends[ends.count - 1] + decision.count)
    }
    var (call, isComplete, kept) = (0, false, Set<Int>())
    while !isComplete {
      call += 1
      let disk = MemoryFileSystem()
      let files = FaultyFileSystem(disk, faults: [.stop(atCall: call)])
      var acknowledged = 0
      do {
        let store = try await open(snapshots: .every(3), on: files)
        for decision in decisions {
          try await store.dispatch(decision, expecting: boundaries[acknowledged], awaiting: .synced)
          acknowledged += 1
        }
        try await store.close()
      } catch {}
      isComplete = files.firedCount == 0
      for seed in 0..<UInt64(12) {
        let store = try await open(on: disk.crash(CrashModel(seed: seed)))
        let revision = await store.revision
        let count = try #require(
          boundaries.firstIndex(of: revision), "stopped at call \(call), seed \(seed): \(revision)")
        kept.insert(count)
        #expect(count >= acknowledged && count <= acknowledged + 1, "stopped at call \(call), seed \(seed)")
        let expected = try folded(Tally.self, decisions.prefix(count).joined())
        #expect(await store.state == expected)
        try await store.dispatch([.add(1), .add(1)], expecting: revision, awaiting: .synced)
        try await store.close()
      }
    }
    #expect(kept == [0, 1, 2, 3, 4])
  }
}
