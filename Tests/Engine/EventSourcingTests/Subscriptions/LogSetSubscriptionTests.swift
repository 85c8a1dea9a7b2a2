import ActionLog
import ActionLogTesting
import EventSourcing
import Platform
import TestSupport
import Testing

/// One consumer of all logs of a set.
@Suite(.timeLimit(.minutes(60))) struct LogSetSubscriptionTests {
  private let disk = MemoryFileSystem()
  /// The polling interval passes when a test says so.
  private let timer = HandTimer()

  /// The deliveries and reports of a test.
  private final class Journal: Sendable {
    struct Entry: Equatable, Sendable {
      var key: String
      var revision: Int
      var id: String
      var position: SubscriptionPosition
    }

    private struct Contents: Sendable {
      var entries: [Entry] = []
      var failing: Set<String> = []
      var failures: [(key: String, error: any Error)] = []
      var listingFailures = 0
      var current = 0
      var most = 0
    }

    private let contents = Locked(Contents())

    var entries: [Entry] { contents.withLock { contents in contents.entries } }
    var keys: [String] { entries.map(\.key) }
    var failures: [(key: String, error: any Error)] { contents.withLock { contents in contents.failures } }
    var listingFailures: Int { contents.withLock { contents in contents.listingFailures } }
    /// The largest number of handlers at the same time.
    var most: Int { contents.withLock { contents in contents.most } }

    func revisions(of key: String) -> [Int] { entries.filter { entry in entry.key == key }.map(\.revision) }

    /// Lets the deliveries of a key fail from revision 2 on.
    func setFailing(_ key: String, _ isFailing: Bool = true) {
      contents.withLock { contents in
        if isFailing { contents.failing.insert(key) } else { contents.failing.remove(key) }
      }
    }

    func handle(_ key: String, _ delivery: Delivery<TallyAction>) throws {
      try contents.withLock { contents in
        if delivery.revision > 1, contents.failing.contains(key) { throw DeliveryJournal.Failure() }
        contents.entries.append(
          Entry(key: key, revision: delivery.revision, id: delivery.id, position: delivery.position))
      }
    }

    func begin() {
      contents.withLock { contents in
        contents.current += 1
        contents.most = max(contents.most, contents.current)
      }
    }

    func end() { contents.withLock { contents in contents.current -= 1 } }

    func note(_ failure: LogSetSubscriptionFailure) {
      contents.withLock { contents in
        switch failure {
        case .didFail(let key, let error, _): contents.failures.append((key, error))
        case .cannotList: contents.listingFailures += 1
        }
      }
    }
  }

  private func open(in files: (any LogFileSystem)? = nil, limit: Int = 8) async throws -> LogSet<Tally> {
    var recording = reproducible(Tally.self)
    recording.log.environment.schedule = timer.schedule
    return try await LogSet<Tally>.open(
      at: "set", configuration: LogSetConfiguration(recording: recording, openLimit: limit), fileSystem: files ?? disk)
  }

  private func add(_ count: Int, to key: String, of set: LogSet<Tally>) async throws {
    try await set.withStore(for: key) { store in
      for number in 0..<count { _ = try await store.dispatch(action: .add(number), awaiting: .written) }
      _ = try await store.sync()
    }
  }

  private func subscription(
    _ journal: Journal, of set: LogSet<Tally>, from start: SubscriptionStart = .beginning, width: Int = 4,
    _ change: (inout SubscriptionConfiguration) -> Void = { _ in }
  ) throws -> LogSetSubscription<Tally> {
    let configuration = DeliveryJournal().configuration { configuration in
      configuration.retries = .none
      change(&configuration)
    }
    return try LogSetSubscription(
      named: "sub", of: set, from: start, width: width, configuration: configuration,
      onFailure: { failure in journal.note(failure) }
    ) { key, delivery in try journal.handle(key, delivery) }
  }

  /// Runs a subscription while `body` runs.
  private func running(_ subscription: LogSetSubscription<Tally>, _ body: () async throws -> Void) async throws {
    let task = Task { try await subscription.run() }
    defer { task.cancel() }
    try await body()
    task.cancel()
    try await task.value
  }

  /// Lets polling intervals pass until a condition holds.
  @MainActor private func poll(until condition: @MainActor () -> Bool) async -> Bool {
    await settle {
      timer.fire()
      return condition()
    }
  }

  // MARK: - Order and positions

  @Test func eachActionIsDeliveredOnceAndInOrder() async throws {
    let set = try await open()
    for key in ["a", "b", "c"] { try await add(5, to: key, of: set) }
    let journal = Journal()
    let subscription = try subscription(journal, of: set)
    try await subscription.catchUp()
    for key in ["a", "b", "c"] { #expect(journal.revisions(of: key) == Array(1...5)) }
    try await subscription.catchUp()
    #expect(journal.entries.count == 15)
    try await add(2, to: "b", of: set)
    try await add(1, to: "d", of: set)
    try await self.subscription(journal, of: set).catchUp()
    #expect(journal.revisions(of: "b") == Array(1...7))
    #expect(journal.revisions(of: "d") == [1])
    #expect(journal.entries.count == 18)
    // The position is that of a subscription to one log.
    let path = try set.path(for: "b")
    #expect(try SubscriptionStore(at: path, fileSystem: disk).read("sub")?.position.revision == 7)
    try await set.close()
  }

  @Test func aCrashRepeatsADeliveryWithTheSameIdentifier() async throws {
    let set = try await open()
    for key in ["a", "b"] { try await add(3, to: key, of: set) }
    let journal = Journal()
    let image = Locked<MemoryFileSystem?>(nil)
    let subscription = try LogSetSubscription(named: "sub", of: set, width: 1) { key, delivery in
      try journal.handle(key, delivery)
      guard key == "a", delivery.revision == 2 else { return }
      image.withLock { [disk] image in image = disk.crash(.onlySyncedSurvives) }
    }
    try await subscription.catchUp()
    try await set.close()
    let before = journal.entries.prefix(2)
    let left = try #require(image.withLock { image in image })
    let after = try await open(in: left)
    // `HEAD` was not synced. The next writers find out what is durable.
    for key in ["a", "b"] { try await after.withStore(for: key) { _ in } }
    let repeated = Journal()
    try await self.subscription(repeated, of: after).catchUp()
    #expect(before.map(\.revision) == [1, 2] && before.allSatisfy { entry in entry.key == "a" })
    #expect(repeated.revisions(of: "a") == [2, 3])
    #expect(repeated.revisions(of: "b") == [1, 2, 3])
    #expect(repeated.entries.first { entry in entry.key == "a" }?.id == before.last?.id)
    try await after.close()
  }

  @Test func theHandlerCanStoreThePositions() async throws {
    let set = try await open()
    for key in ["a", "b"] { try await add(4, to: key, of: set) }
    let journal = Journal()
    try await subscription(journal, of: set).catchUp()
    // The database lost what it had of one log after revision 2, and has nothing of the other one.
    let kept = try #require(journal.entries.first { entry in entry.key == "a" && entry.revision == 2 }).position
    let database = Locked<[String: SubscriptionPosition]>(["a": kept])
    let resumed = Journal()
    let subscription = try LogSetSubscription(
      named: "sub", of: set, resumingAfter: { key in database.withLock { database in database[key] } }
    ) { key, delivery in
      try resumed.handle(key, delivery)
      database.withLock { database in database[key] = delivery.position }
    }
    try await subscription.catchUp()
    #expect(resumed.revisions(of: "a") == [3, 4])
    #expect(resumed.revisions(of: "b") == [1, 2, 3, 4])
    try await subscription.catchUp()
    #expect(resumed.entries.count == 6)
    try await set.close()
  }

  @Test func itBeginsAtATime() async throws {
    let set = try await open()
    try await add(3, to: "a", of: set)
    let last = try #require(try await set.history(for: "a").actions(in: 3...3).first).record.time
    try await add(2, to: "b", of: set)
    let journal = Journal()
    try await subscription(journal, of: set, from: .time(last)).catchUp()
    #expect(journal.revisions(of: "a") == [3])
    #expect(journal.revisions(of: "b") == [1, 2])
    try await set.close()
  }

  @Test func pointsOfOneLogAreRefused() async throws {
    let set = try await open()
    for start in [.end, .revision(2), .resuming(after: nil)] as [SubscriptionStart] {
      let error = try await thrownError(as: LogError.self) { _ = try subscription(Journal(), of: set, from: start) }
      #expect(error.code == .invalidArgument)
    }
    try await set.close()
  }

  // MARK: - Following

  @Test func newActionsAndLogsAreDeliveredAtOnce() async throws {
    let set = try await open()
    try await add(1, to: "a", of: set)
    let journal = Journal()
    try await running(try subscription(journal, of: set)) {
      #expect(await settle { journal.keys == ["a"] })
      // No interval passes.
      try await add(2, to: "a", of: set)
      try await add(1, to: "b", of: set)
      #expect(await settle { journal.entries.count == 4 })
    }
    #expect(journal.revisions(of: "a") == [1, 2, 3])
    #expect(journal.revisions(of: "b") == [1])
    #expect(journal.failures.isEmpty)
    try await set.close()
  }

  @Test func actionsOfAnotherSetAreFoundByTheFiles() async throws {
    let set = try await open()
    let other = try await open()
    try await add(1, to: "a", of: other)
    let journal = Journal()
    try await running(try subscription(journal, of: set)) {
      #expect(await settle { journal.keys == ["a"] })
      try await add(2, to: "a", of: other)
      try await add(1, to: "new", of: other)
      #expect(await poll { journal.entries.count == 4 })
    }
    #expect(journal.revisions(of: "a") == [1, 2, 3])
    #expect(set.openCount == 0)
    try await set.close()
    try await other.close()
  }

  @Test func aBusyLogWaitsForTheOthers() async throws {
    let set = try await open()
    let limit = LogSetSubscription<Tally>.turnLimit
    try await add(2 * limit + 50, to: "a", of: set)
    try await add(1, to: "b", of: set)
    let journal = Journal()
    try await subscription(journal, of: set, width: 1).catchUp()
    #expect(journal.keys.firstIndex(of: "b") == limit)
    #expect(journal.revisions(of: "a") == Array(1...(2 * limit + 50)))
    try await set.close()
  }

  @Test func itRunsOnlyOnce() async throws {
    let set = try await open()
    let subscription = try subscription(Journal(), of: set)
    try await running(subscription) {
      #expect(await settle { timer.waitingCount > 0 })
      let error = try await thrownError(as: LogError.self) { try await subscription.catchUp() }
      #expect(error.code == .locked)
    }
    try await subscription.catchUp()
    try await set.close()
  }

  // MARK: - Many logs

  @Test func manyLogsAreDeliveredAFewAtATime() async throws {
    let set = try await open()
    let keys = (0..<1_000).map { number in "log-\(number)" }
    for key in keys { try await add(1, to: key, of: set) }
    let journal = Journal()
    let faulty = FaultyFileSystem(disk)
    let reader = try await open(in: faulty)
    let subscription = try LogSetSubscription(named: "sub", of: reader, width: 4) { key, delivery in
      journal.begin()
      for _ in 0..<10 { await Task.yield() }
      try journal.handle(key, delivery)
      journal.end()
    }
    try await subscription.catchUp()
    #expect(Set(journal.keys) == Set(keys) && journal.entries.count == keys.count)
    #expect(journal.most <= 4)
    // Of the logs without news, only `HEAD`, the last segment and the position are inspected.
    try await add(1, to: "log-7", of: set)
    faulty.forgetCalls()
    try await subscription.catchUp()
    let path = try set.path(for: "log-7")
    #expect(journal.revisions(of: "log-7") == [1, 2])
    #expect(faulty.count(of: .lock) == 1)
    let listed = faulty.calls.filter { call in call.operation == .names && call.path.split(separator: "/").count > 2 }
    #expect(!listed.isEmpty && listed.allSatisfy { call in call.path.hasPrefix(path) })
    try await set.close()
    try await reader.close()
  }

  // MARK: - Failures

  @Test func aFailedDeliveryDoesNotStopTheOtherLogs() async throws {
    let set = try await open()
    for key in ["a", "b", "c"] { try await add(3, to: key, of: set) }
    let journal = Journal()
    journal.setFailing("b")
    let subscription = try subscription(journal, of: set, width: 1)
    let error = try await thrownError(as: EventSourcingError.self) { try await subscription.catchUp() }
    #expect(error.code == .deliveryFailed && error.revision == 2)
    #expect(error.path == (try set.path(for: "b")))
    #expect(["a", "b", "c"].map { key in journal.revisions(of: key) } == [[1, 2, 3], [1], [1, 2, 3]])
    #expect(journal.failures.map(\.key) == ["b"])
    journal.setFailing("b", false)
    try await subscription.catchUp()
    #expect(journal.revisions(of: "b") == [1, 2, 3])
    try await set.close()
  }

  @Test func aFailedLogIsTriedAgainAtAnInterval() async throws {
    let set = try await open()
    for key in ["a", "b"] { try await add(2, to: key, of: set) }
    let journal = Journal()
    journal.setFailing("a")
    try await running(try subscription(journal, of: set)) {
      #expect(await settle { journal.entries.count == 3 && journal.failures.count == 1 })
      // A new action of the log is not attempted at once: the handler has just failed.
      try await add(1, to: "a", of: set)
      try await add(1, to: "b", of: set)
      #expect(await settle { journal.revisions(of: "b") == [1, 2, 3] })
      #expect(journal.failures.count == 1)
      journal.setFailing("a", false)
      #expect(await poll { journal.revisions(of: "a") == [1, 2, 3] })
    }
    try await set.close()
  }

  @Test func aDamagedLogIsReportedAfterTheOthers() async throws {
    let set = try await open()
    for key in ["a", "b"] { try await add(20, to: key, of: set) }
    let segment = try #require(try await set.history(for: "a").reader.segments.last).path
    try await set.close()
    try disk.flipBit(0, ofByte: disk.contents(of: segment).count / 2, in: segment)
    let reopened = try await open()
    let journal = Journal()
    let subscription = try subscription(journal, of: reopened)
    let error = try await thrownError(as: LogError.self) { try await subscription.catchUp() }
    #expect(error.code == .damaged)
    #expect(journal.revisions(of: "b") == Array(1...20))
    try await reopened.close()
  }

  @Test(arguments: [HeldPolicy.fail, .standby])
  func aLogOfAnotherConsumerIsTriedAgain(policy: HeldPolicy) async throws {
    let set = try await open()
    for key in ["a", "b"] { try await add(1, to: key, of: set) }
    let lock = try SubscriptionStore(at: try set.path(for: "a"), fileSystem: disk).lock("sub")
    let journal = Journal()
    let subscription = try subscription(journal, of: set) { configuration in configuration.whenHeld = policy }
    let error = try await thrownError(as: LogError.self) { try await subscription.catchUp() }
    #expect(error.code == .locked)
    #expect(journal.keys == ["b"])
    let reported = journal.failures.count
    try await running(subscription) {
      #expect(await settle { timer.waitingCount > 0 })
      if policy == .fail { #expect(await settle { journal.failures.count > reported }) }
      lock.unlock()
      #expect(await poll { journal.keys == ["b", "a"] })
    }
    if policy == .standby { #expect(journal.failures.count == reported) }
    try await set.close()
  }

  @Test func aDirectoryThatCannotBeListedHoldsUpItsLogsOnly() async throws {
    let faulty = FaultyFileSystem(disk)
    let set = try await open(in: faulty)
    for key in ["a", "b"] { try await add(1, to: key, of: set) }
    let journal = Journal()
    let subscription = try subscription(journal, of: set)
    // The second listing is that of the first directory of logs.
    faulty.add(FileFault(.names, number: 2))
    let error = try await thrownError(as: LogError.self) { try await subscription.catchUp() }
    #expect(error.code == .inputOutput)
    #expect(journal.entries.count == 1 && journal.listingFailures == 1)
    faulty.add(FileFault(.names))
    try await running(subscription) {
      #expect(await poll { journal.entries.count == 2 })
    }
    #expect(journal.listingFailures == 2)
    try await set.close()
  }

  @Test func aRemovedLogIsForgotten() async throws {
    let set = try await open()
    for key in ["a", "b"] { try await add(2, to: key, of: set) }
    let journal = Journal()
    try await running(try subscription(journal, of: set)) {
      #expect(await settle { journal.entries.count == 4 })
      try await set.remove("a")
      try await add(1, to: "b", of: set)
      #expect(await poll { journal.revisions(of: "b") == [1, 2, 3] })
      // Another log of the key is delivered from its beginning.
      try await add(1, to: "a", of: set)
      #expect(await poll { journal.revisions(of: "a") == [1, 2, 1] })
    }
    #expect(journal.failures.isEmpty)
    try await set.close()
  }

  /// A handler takes long, and the log is removed and created again meanwhile: what it leads to is not stored in the new log.
  @Test(arguments: [false, true], [false, true])
  func aConsumerOfARemovedLogStoresNothing(isParked: Bool, hasOther: Bool) async throws {
    let set = try await open()
    try await set.withStore(for: "a") { store in
      _ = try await store.dispatch(action: .name("secret"), awaiting: .synced)
    }
    let path = try set.path(for: "a")
    let gate = Gate()
    let journal = Journal()
    let configuration = DeliveryJournal().configuration { configuration in
      configuration.retries = .none
      if isParked { configuration.onFailure = .skip }
    }
    let subscription = try LogSetSubscription(
      named: "sub", of: set, configuration: configuration, onFailure: { failure in journal.note(failure) }
    ) { key, delivery in
      try journal.handle(key, delivery)
      guard journal.entries.count == 1 else { return }
      await BlockingWork.run { gate.pass() }
      if isParked { throw DeliveryJournal.Failure() }
    }
    gate.close()
    let consumer = Task { try await subscription.catchUp() }
    #expect(await settle { gate.waitingCount == 1 })
    try await set.remove("a")
    try await add(1, to: "a", of: set)
    let other = Journal()
    if hasOther {
      try await LogSetSubscription(named: "other", of: set) { key, delivery in try other.handle(key, delivery) }
        .catchUp()
    }
    let before = try Set(disk.names(in: path))
    gate.open()
    try await consumer.value
    // It has begun again with the new log.
    #expect(journal.revisions(of: "a") == [1, 1] && journal.failures.isEmpty)
    let log = try await set.history(for: "a").reader.header.log
    let store = SubscriptionStore(at: path, fileSystem: disk)
    let position = try #require(try store.read("sub")?.position)
    #expect(position.revision == 1 && position.log == log)
    #expect(try store.parked("sub").parked.isEmpty)
    #expect(before.contains("subscriptions") == hasOther)
    for file in disk.filePaths {
      #expect(try !disk.contents(of: file).contains(text: "secret"), "\(file)")
    }
    try await set.close()
  }

  /// A consumer must not prevent that another process creates a log.
  @Test func aSubscriptionIsLockedInALogOnly() throws {
    try disk.createDirectory("/new")
    let error = #expect(throws: LogError.self) { try SubscriptionStore(at: "/new", fileSystem: disk).lock("sub") }
    #expect((error?.underlying as? FileSystemError)?.code == .notFound)
    #expect(try disk.names(in: "/new").isEmpty)
  }
}
