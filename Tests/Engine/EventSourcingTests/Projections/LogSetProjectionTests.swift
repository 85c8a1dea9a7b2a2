import ActionLog
import ActionLogTesting
import EventSourcing
import Platform
import TestSupport
import Testing

/// One state of all logs of a set.
@MainActor @Suite struct LogSetProjectionTests {
  private let disk = MemoryFileSystem()
  /// The polling interval passes when a test says so.
  private let timer = HandTimer()

  private func open(
    durability: Durability = .synced, in files: (any LogFileSystem)? = nil
  ) async throws -> LogSet<Tally> {
    var recording = reproducible(Tally.self, durability: durability)
    recording.log.environment.schedule = timer.schedule
    return try await LogSet<Tally>.open(
      at: "set", configuration: LogSetConfiguration(recording: recording, openLimit: 4), fileSystem: files ?? disk)
  }

  private func sums(of projection: LogSetProjection<KeyedSums>) async -> [String: Int] { await projection.state.sums }

  private func add(_ number: Int, to key: String, in set: LogSet<Tally>) async throws {
    _ = try await set.withStore(for: key) { store in
      try await store.dispatch(action: .add(number), awaiting: .synced)
    }
  }

  @Test func actionsOfAllLogsAreFoldedOnce() async throws {
    let set = try await open()
    let projection = LogSetProjection<KeyedSums>(of: set)
    for number in 1...5 {
      for key in ["ann", "bob", "cid"] { try await add(number, to: key, in: set) }
    }
    #expect(try await projection.refresh() == 15)
    #expect(await projection.state.sums == ["ann": 15, "bob": 15, "cid": 15])
    #expect(await projection.revisions == ["ann": 5, "bob": 5, "cid": 5])
    #expect(try await projection.refresh() == 0)
    try await add(100, to: "bob", in: set)
    try await add(1_000, to: "dan", in: set)
    // Only the named log is read.
    #expect(try await projection.refresh(["bob"]) == 1)
    #expect(try await projection.refresh() == 1)
    #expect(await projection.state.sums == ["ann": 15, "bob": 115, "cid": 15, "dan": 1_000])
    #expect(try await projection.rebuild() == 17)
    #expect(await projection.state.sums == ["ann": 15, "bob": 115, "cid": 15, "dan": 1_000])
    try await set.close()
  }

  @Test func actionsAreMergedByTime() async throws {
    let set = try await open()
    // One clock for all logs, so the order of dispatching is that of the times.
    for number in 1...30 { try await add(number, to: number % 2 == 0 ? "even" : "odd", in: set) }
    let projection = LogSetProjection<KeyedSums>(of: set)
    try await projection.refresh()
    #expect(await projection.state.order == Array(1...30))
    try await set.close()
  }

  @Test func longLogsTakeSeveralWindows() async throws {
    let count = 2 * LogSetProjection<KeyedSums>.windowActions + 7
    let set = try await open(durability: .written)
    for key in ["ann", "bob"] {
      try await set.withStore(for: key) { store in
        for number in 1...count { try store.dispatch(action: .add(number)) }
        try await store.sync()
      }
    }
    let projection = LogSetProjection<KeyedSums>(of: set)
    #expect(try await projection.refresh() == 2 * count)
    #expect(await projection.revisions == ["ann": count, "bob": count])
    let sum = count * (count + 1) / 2
    #expect(await projection.state.sums == ["ann": sum, "bob": sum])
    try await set.close()
  }

  @Test func rebuildingAmongRefreshesLosesNothing() async throws {
    let set = try await open()
    for number in 1...3 { try await add(number, to: "ann", in: set) }
    let projection = LogSetProjection<KeyedSums>(of: set)
    for round in 1...20 {
      // Each waits for those before it; none may continue in a state that another one has reset.
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 1...4 { group.addTask { try await projection.refresh() } }
        group.addTask { try await projection.rebuild() }
        for _ in 1...4 { group.addTask { try await projection.refresh() } }
        try await group.waitForAll()
      }
      #expect(await projection.state.sums == ["ann": 6], "round \(round)")
      #expect(await projection.revisions == ["ann": 3], "round \(round)")
    }
    try await set.close()
  }

  @Test func concurrentRefreshesFoldOnce() async throws {
    let set = try await open()
    for number in 1...20 { try await add(number, to: "key\(number % 3)", in: set) }
    let projection = LogSetProjection<KeyedSums>(of: set)
    async let first = projection.refresh()
    async let second = projection.refresh()
    #expect(try await first + second == 20)
    #expect(await projection.state.order.count == 20)
    try await set.close()
  }

  @Test func aDamagedLogCostsOnlyItself() async throws {
    let set = try await open()
    for key in ["ann", "bob"] { for number in 1...3 { try await add(number, to: key, in: set) } }
    let path = try await set.history(for: "bob").path
    try await set.close()
    let segment = path + "/0000000000000001.jsonl"
    try disk.flipBit(0, ofByte: 30, in: segment)
    let reopened = try await open()
    let projection = LogSetProjection<KeyedSums>(of: reopened)
    try await projection.refresh()
    #expect(await projection.state.sums == ["ann": 6])
    #expect(await Array(projection.failures.keys) == ["bob"])
    try await reopened.close()
  }
}

// MARK: - Following

extension LogSetProjectionTests {
  /// Waits until the files of all logs were checked and the next check is scheduled.
  private func settle() async throws { #expect(try await eventually { timer.waitingCount == 1 }) }

  @Test func syncedActionsAreFoldedAtOnce() async throws {
    let set = try await open()
    try await add(1, to: "ann", in: set)
    let projection = try await LogSetProjection<KeyedSums>.open(on: set)
    try await settle()
    #expect(await sums(of: projection) == ["ann": 1])
    for number in 2...20 { try await add(number, to: number % 2 == 0 ? "bob" : "ann", in: set) }
    // The timer does not fire.
    #expect(try await eventually { await sums(of: projection) == ["ann": 100, "bob": 110] })
    #expect(await projection.revisions == ["ann": 10, "bob": 10])
    #expect(await projection.followingError == nil)
    await projection.close()
    try await set.close()
  }

  @Test func aFollowedLogIsNotOpenedAgain() async throws {
    let files = FaultyFileSystem(disk)
    let set = try await open(in: files)
    let projection = try await LogSetProjection<KeyedSums>.open(on: set)
    try await settle()
    let lease = try await set.store(for: "ann")
    for number in 1...2 {
      let receipt = try await lease.log.dispatch(action: .add(number), awaiting: .synced)
      try await projection.caughtUp(to: receipt.revision, of: "ann")
    }
    files.forgetCalls()
    for number in 3...20 {
      let receipt = try await lease.log.dispatch(action: .add(number), awaiting: .synced)
      try await projection.caughtUp(to: receipt.revision, of: "ann")
    }
    #expect(await sums(of: projection) == ["ann": 210])
    #expect(files.calls.filter { call in call.operation == .open && call.path.hasSuffix(".jsonl") }.isEmpty)
    lease.release()
    await projection.close()
    try await set.close()
  }

  @Test func caughtUpWaitsForTheSync() async throws {
    let set = try await open(durability: .written)
    let projection = try await LogSetProjection<KeyedSums>.open(on: set)
    let lease = try await set.store(for: "ann")
    let receipt = try await lease.log.dispatch(action: .add(7), awaiting: .written)
    let isFolded = Locked(false)
    let waiting = Task {
      try await projection.caughtUp(to: receipt.revision, of: "ann")
      isFolded.withLock { isFolded in isFolded = true }
    }
    try await projection.refresh()
    #expect(await projection.revisions["ann"] ?? 0 == 0)
    #expect(!isFolded.withLock { isFolded in isFolded })
    try await lease.log.sync()
    try await waiting.value
    #expect(await sums(of: projection) == ["ann": 7])
    let canceled = Task { try await projection.caughtUp(to: 2, of: "ann") }
    canceled.cancel()
    await #expect(throws: CancellationError.self) { try await canceled.value }
    lease.release()
    await projection.close()
    let error = await #expect(throws: LogError.self) { try await projection.caughtUp(to: 2, of: "ann") }
    #expect(error?.code == .closed)
    try await set.close()
  }

  @Test(arguments: [true, false])
  func caughtUpReadsAllLogs(follows: Bool) async throws {
    let set = try await open()
    let projection =
      follows ? try await LogSetProjection<KeyedSums>.open(on: set) : LogSetProjection<KeyedSums>(of: set)
    for number in 1...20 {
      try await add(number, to: number % 2 == 0 ? "bob" : "ann", in: set)
      try await projection.caughtUp()
      #expect(await projection.revisions.values.reduce(0, +) == number)
    }
    #expect(await sums(of: projection) == ["ann": 100, "bob": 110])
    let path = try await set.history(for: "bob").path
    await projection.close()
    let closed = await #expect(throws: LogError.self) { try await projection.caughtUp() }
    #expect(closed?.code == .closed)
    try await set.close()
    try disk.flipBit(0, ofByte: 30, in: path + "/0000000000000001.jsonl")
    let other = LogSetProjection<KeyedSums>(of: try await open())
    let error = await #expect(throws: LogError.self) { try await other.caughtUp() }
    #expect(error?.code == .damaged)
    #expect(await sums(of: other) == ["ann": 100])
  }

  @Test func statesEndWithTheProjection() async throws {
    let set = try await open()
    for number in 1...3 { try await add(number, to: "ann", in: set) }
    let projection = try await LogSetProjection<KeyedSums>.open(on: set)
    let seen = Locked<[Int]>([])
    let reading = Task {
      for await state in projection.states {
        seen.withLock { seen in seen.append(state.sums["ann"] ?? 0) }
      }
    }
    #expect(try await eventually { seen.withLock { seen in seen.last == 6 } })
    try await add(4, to: "ann", in: set)
    #expect(try await eventually { seen.withLock { seen in seen.last == 10 } })
    await projection.close()
    await reading.value
    // No state twice, and none that is older.
    #expect(seen.withLock { seen in zip(seen, seen.dropFirst()).allSatisfy(<) })
    try await set.close()
  }

  @Test func pulledStatesAreDelivered() async throws {
    let set = try await open()
    try await add(1, to: "ann", in: set)
    let projection = LogSetProjection<KeyedSums>(of: set)
    var states = projection.states.makeAsyncIterator()
    try await projection.refresh()
    #expect(await states.next()?.sums == ["ann": 1])
    try await add(2, to: "ann", in: set)
    try await projection.caughtUp(to: 2, of: "ann")
    #expect(await states.next()?.sums == ["ann": 3])
    await projection.close()
    #expect(await states.next() == nil)
    try await set.close()
  }

  @Test func anotherSetIsFollowedByItsFiles() async throws {
    let files = FaultyFileSystem(disk)
    let other = try await open()
    try await add(1, to: "ann", in: other)
    try await add(2, to: "bob", in: other)
    let set = try await open(in: files)
    let projection = try await LogSetProjection<KeyedSums>.open(on: set)
    try await settle()
    #expect(await sums(of: projection) == ["ann": 1, "bob": 2])
    try await add(10, to: "bob", in: other)
    try await add(
      20, to: "a key whose name is longer than a directory's: \(String(repeating: "x", count: 160))", in: other)
    try await settle()
    #expect(await sums(of: projection) == ["ann": 1, "bob": 2])
    files.forgetCalls()
    timer.fire()
    try await settle()
    #expect(await projection.revisions.count == 3)
    #expect(await sums(of: projection)["bob"] == 12)
    let annPath = try await other.history(for: "ann").path
    #expect(!files.calls.contains { call in call.operation == .open && call.path.hasPrefix(annPath + "/0") })
    // Nothing has changed, so no log is read.
    files.forgetCalls()
    timer.fire()
    try await settle()
    #expect(!files.calls.contains { call in call.operation == .open && call.path.hasSuffix(".jsonl") })
    await projection.close()
    #expect(timer.waitingCount == 0)
    try await other.close()
    try await set.close()
  }

  @Test func faultsOfFollowedLogsAreReported() async throws {
    let set = try await open()
    for key in ["ann", "bob", "cid"] { for number in 1...3 { try await add(number, to: key, in: set) } }
    let (bob, cid) = (try await set.history(for: "bob").path, try await set.history(for: "cid").path)
    try await set.close()
    let segment = bob + "/0000000000000001.jsonl"
    let intact = try disk.contents(of: segment)
    try disk.flipBit(0, ofByte: 30, in: segment)
    let reopened = try await open()
    let projection = try await LogSetProjection<KeyedSums>.open(on: reopened)
    try await settle()
    #expect(await sums(of: projection) == ["ann": 6, "cid": 6])
    #expect(await Array(projection.failures.keys) == ["bob"])
    let error = await #expect(throws: LogError.self) { try await projection.caughtUp(to: 3, of: "bob") }
    #expect(error?.code == .damaged)
    // The log is restored, with an action that it did not have, and another one is removed.
    try disk.setContents(intact, of: segment)
    try await add(4, to: "bob", in: reopened)
    try await projection.caughtUp(to: 4, of: "bob")
    for name in try disk.names(in: cid) { try disk.remove(cid + "/" + name) }
    try disk.remove(cid)
    timer.fire()
    try await settle()
    #expect(await sums(of: projection) == ["ann": 6, "bob": 10, "cid": 6])
    #expect((await projection.failures["cid"] as? LogError)?.code == .notFound)
    #expect(await projection.failures.count == 1)
    await projection.close()
    try await reopened.close()
  }

  @Test func failedListingIsReportedAndTriedAgain() async throws {
    let files = FaultyFileSystem(disk)
    let set = try await open(in: files)
    let projection = try await LogSetProjection<KeyedSums>.open(on: set)
    try await settle()
    try await add(1, to: "ann", in: try await open())
    files.add(FileFault(.names, number: 1))
    timer.fire()
    try await settle()
    #expect((await projection.followingError as? LogError)?.code == .inputOutput)
    timer.fire()
    try await settle()
    #expect(await projection.followingError == nil)
    #expect(await sums(of: projection) == ["ann": 1])
    await projection.close()
    try await set.close()
  }

  @Test func unencodableStateCostsTheSnapshotOnly() async throws {
    let set = try await open()
    let projection = try await LogSetProjection<FragileTotals>.open(
      on: set, configuration: ProjectionConfiguration(snapshots: SnapshotPolicy { _ in true }))
    try await add(1, to: "ann", in: set)
    try await projection.caughtUp(to: 1, of: "ann")
    #expect(await projection.state.count == 1)
    // The snapshot is taken after those who wait for the state have it.
    #expect(try await eventually { await projection.snapshotError != nil })
    #expect(await projection.failures.isEmpty)
    await projection.close()
    try await set.close()
  }

  @Test func severalLogsAreReadAtTheSameTime() async throws {
    let gate = Gate()
    let files = FaultyFileSystem(disk) { call in
      if call.operation == .open, call.path.hasSuffix(".jsonl") { gate.pass() }
    }
    let other = try await open()
    for number in 1...12 { try await add(number, to: "key\(number)", in: other) }
    try await other.close()
    let set = try await open(in: files)
    let projection = LogSetProjection<KeyedSums>(of: set)
    gate.close()
    let refreshing = Task { try await projection.refresh() }
    #expect(try await eventually { gate.waitingCount > 1 })
    #expect(gate.waitingCount <= 4)
    gate.open()
    #expect(try await refreshing.value == 12)
    #expect(await projection.state.order == Array(1...12))
    try await set.close()
  }

  @Test func unusedProjectionsAreReleased() async throws {
    let set = try await open()
    weak var released: LogSetProjection<KeyedSums>?
    do {
      let projection = try await LogSetProjection<KeyedSums>.open(on: set)
      released = projection
      try await settle()
    }
    #expect(try await eventually { released == nil && timer.waitingCount == 0 })
    try await set.close()
  }
}

/// The sum of each log, and the numbers in the order in which they were folded.
enum KeyedSums: Projection {
  typealias Source = Tally
  struct State: Codable, Equatable, Sendable {
    var sums: [String: Int] = [:]
    var order: [Int] = []
  }

  static var name: String { "keyed" }
  static var version: Int { 1 }
  static var initialState: State { State() }

  static func apply(_ recorded: ProjectedAction<TallyAction>, to state: inout State) {
    guard case .add(let number) = recorded.action else { return }
    state.sums[recorded.key ?? "", default: 0] += number
    state.order.append(number)
  }
}
