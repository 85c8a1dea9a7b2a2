import ActionLog
import ActionLogTesting
import EventSourcing
import Platform
import TestSupport
import Testing

@Suite("Subscription")
struct SubscriptionTests {
  @Test func deliversEveryActionInOrder() async throws {
    let bench = try await SubscriptionBench(count: 5)
    let journal = DeliveryJournal()
    try await bench.subscription(journal).catchUp()
    #expect(journal.revisions == [1, 2, 3, 4, 5])
    #expect(journal.attempts == [1, 1, 1, 1, 1])
    let log = try bench.reader().header.log
    #expect(journal.ids == (1...5).map { revision in "\(log)/\(revision)" })
    #expect(try bench.stored() == 5)
    #expect(journal.delays.isEmpty)
  }

  @Test func continuesAtTheStoredPosition() async throws {
    let bench = try await SubscriptionBench(count: 3)
    let journal = DeliveryJournal()
    try await bench.subscription(journal).catchUp()
    try await bench.append([.name("late")])
    try await bench.subscription(journal, from: .end).catchUp()
    #expect(journal.revisions == [1, 2, 3, 4])
    try await bench.subscription(journal, named: "other").catchUp()
    #expect(journal.revisions == [1, 2, 3, 4, 1, 2, 3, 4])
  }

  @Test func resumesAfterThePositionOfTheHandler() async throws {
    let bench = try await SubscriptionBench(count: 4)
    let first = DeliveryJournal()
    try await bench.subscription(first).catchUp()
    let text = first.positions[1].description
    let position = try #require(SubscriptionPosition(text))
    #expect(position == first.positions[1])
    let second = DeliveryJournal()
    func subscription(_ position: SubscriptionPosition?) throws -> Subscription<Tally> {
      try Subscription(
        named: "sub", at: "log", from: .resuming(after: position), configuration: second.configuration(),
        fileSystem: bench.disk
      ) { delivery in try second.handle(delivery) }
    }
    try await subscription(position).catchUp()
    #expect(second.revisions == [3, 4])
    try await subscription(nil).catchUp()
    #expect(second.revisions == [3, 4, 1, 2, 3, 4])
  }

  @Test func batchesResumeAfterThePositionOfTheirLastAction() async throws {
    let bench = try await SubscriptionBench(count: 7)
    let database = Locked<(revisions: [Int], position: SubscriptionPosition?)>(([], nil))
    for isCrashing in [true, false] {
      let subscription = try Subscription<Tally>(
        named: "sub", at: "log", from: .resuming(after: database.withLock { database in database.position }),
        batchesOf: 3,
        configuration: DeliveryJournal().configuration { configuration in configuration.retries = .none },
        fileSystem: bench.disk
      ) { deliveries in
        // One transaction, which is not committed if the process ends.
        if isCrashing, deliveries.contains(where: { delivery in delivery.revision == 5 }) { throw MissingError() }
        database.withLock { database in
          database.revisions += deliveries.map(\.revision)
          database.position = deliveries.last?.position
        }
      }
      do { try await subscription.catchUp() } catch { #expect(isCrashing, "\(error)") }
      // The batch 4…6 failed, and then its actions were delivered one by one.
      if isCrashing { #expect(database.withLock { database in database.revisions } == [1, 2, 3, 4]) }
    }
    #expect(database.withLock { database in database.revisions } == Array(1...7))
    #expect(database.withLock { database in database.position?.revision } == 7)
  }

  @Test(
    "The first run begins at a point",
    arguments: [
      (SubscriptionStart.beginning, 1), (.end, 6), (.revision(3), 3), (.revision(6), 6), (.time(.earliest), 1),
      (.time(.latest), 6),
    ])
  func firstRunBeginsAtAPoint(start: SubscriptionStart, first: Int) async throws {
    let bench = try await SubscriptionBench(count: 5)
    let journal = DeliveryJournal()
    try await bench.subscription(journal, from: start).catchUp()
    #expect(try bench.stored() == 5)
    try await bench.append([.add(6)])
    try await bench.subscription(journal, from: start).catchUp()
    #expect(journal.revisions == Array(first...6))
  }

  @Test func startAtTheTimeOfAnActionIncludesIt() async throws {
    let bench = try await SubscriptionBench(count: 5)
    let time = try bench.reader().record(at: 3).time
    let journal = DeliveryJournal()
    try await bench.subscription(journal, from: .time(time)).catchUp()
    #expect(
      journal.revisions.first == (try bench.reader().lastRevision(atOrBefore: time.advanced(by: .microseconds(-1)))) + 1
    )
    #expect(journal.revisions.contains(3))
  }

  @Test(arguments: [0, -1, 7])
  func startOutsideTheLogIsRefused(revision: Int) async throws {
    let bench = try await SubscriptionBench(count: 5)
    let subscription = try bench.subscription(DeliveryJournal(), from: .revision(revision))
    let error = try await thrownError(as: LogError.self) { try await subscription.catchUp() }
    #expect(error.code == .revisionOutOfRange)
    #expect(try bench.store.names().isEmpty)
  }

  @Test func otherTypesAreSkippedWithoutDecoding() async throws {
    let bench = try await SubscriptionBench(count: 2)
    try await bench.append([.name("a"), .add(3), .name("b"), .add(4)])
    let journal = DeliveryJournal()
    try await bench.subscription(journal) { configuration in configuration.types = ["name"] }.catchUp()
    #expect(journal.revisions == [3, 5])
    #expect(try bench.stored() == 6)
    // The model of this one has none of the types, so decoding an action would fail.
    let other = try Subscription<OtherTally>(
      named: "other", at: "log",
      configuration: journal.configuration { configuration in configuration.types = ["clear"] },
      fileSystem: bench.disk
    ) { _ in }
    try await other.catchUp()
    #expect(try bench.stored("other") == 6)
  }

  @Test func undurableActionsAreNotDelivered() async throws {
    let bench = try await SubscriptionBench(count: 2)
    var configuration = LogConfiguration()
    configuration.durability = .written
    let writer = try LogWriter.open(
      at: "log", model: "tally", schema: 1, fileSystem: bench.disk, configuration: configuration)
    _ = try writer.writeNow([LogDraft(type: "add", data: Array(#"{"_0":3}"#.utf8))])
    let journal = DeliveryJournal()
    try await bench.subscription(journal).catchUp()
    #expect(journal.revisions == [1, 2])
    try await bench.subscription(journal, named: "end", from: .end).catchUp()
    #expect(try bench.stored("end") == 2)
    try writer.syncNow()
    try await bench.subscription(journal).catchUp()
    #expect(journal.revisions == [1, 2, 3])
    try writer.closeNow()
  }

  @Test func batchesHaveAtMostTheirLimit() async throws {
    let bench = try await SubscriptionBench(count: 7)
    let sizes = Locked<[Int]>([])
    let journal = DeliveryJournal()
    let subscription = try Subscription<Tally>(
      named: "sub", at: "log", batchesOf: 3, configuration: journal.configuration(), fileSystem: bench.disk
    ) { deliveries in
      sizes.withLock { sizes in sizes.append(deliveries.count) }
      for delivery in deliveries { try journal.handle(delivery) }
    }
    try await subscription.catchUp()
    #expect(sizes.withLock { sizes in sizes } == [3, 3, 1])
    #expect(journal.revisions == Array(1...7))
  }

  @Test(
    "The position is stored as often as the policy says",
    arguments: [
      (PositionStoring?.some(.everyAction), SubscriptionStart.beginning, 7), (.every(4), .beginning, 3),
      (.every(orAfter: .seconds(1)), .beginning, 2), (.every(100), .beginning, 2), (nil, .beginning, 7),
      // The handler stores positions itself.
      (nil, .resuming(after: nil), 2), (.everyAction, .resuming(after: nil), 7),
    ])
  func positionIsStoredAsThePolicySays(storing: PositionStoring?, start: SubscriptionStart, count: Int) async throws {
    let bench = try await SubscriptionBench(count: 6)
    let files = FaultyFileSystem(bench.disk)
    try await bench.subscription(DeliveryJournal(), from: start, on: files) { configuration in
      configuration.storing = storing
    }
    .catchUp()
    // One of them is the position of the new subscription.
    let writes = files.calls.count { call in call.operation == .rename && call.newPath == "log/subscriptions/sub.json" }
    #expect(writes == count)
    #expect(try bench.stored() == 6)
  }

  @Test(arguments: ["", ".a", "-a", "a/b", "a b", "ä", "..", String(repeating: "a", count: 101), "a\u{0}b"])
  func unsafeNamesAreRefused(name: String) throws {
    let error = #expect(throws: LogError.self) {
      try Subscription<Tally>(named: name, at: "log", fileSystem: MemoryFileSystem()) { _ in }
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test func logOfAnotherModelIsRefused() async throws {
    let bench = try await SubscriptionBench(count: 1)
    let subscription = try Subscription<FragileTally>(named: "sub", at: "log", fileSystem: bench.disk) { _ in }
    let error = try await thrownError(as: LogError.self) { try await subscription.catchUp() }
    #expect(error.code == .wrongModel)
    #expect(try bench.store.names().isEmpty)
  }
}

@Suite("Running subscriptions")
struct RunningSubscriptionTests {
  /// The clocks of the system, because these subscriptions wait for actions and for each other.
  private func subscription(
    _ bench: SubscriptionBench, _ journal: DeliveryJournal,
    _ change: (inout SubscriptionConfiguration) -> Void = { _ in }
  ) throws -> Subscription<Tally> {
    try bench.subscription(journal) { configuration in
      configuration.environment = .live
      configuration.polling = PollingPolicy(shortest: .milliseconds(1), longest: .milliseconds(5))
      change(&configuration)
    }
  }

  @Test func newActionsAreDelivered() async throws {
    let bench = try await SubscriptionBench(count: 2)
    let journal = DeliveryJournal()
    let subscription = try subscription(bench, journal)
    let task = Task { try await subscription.run() }
    #expect(try await eventually { journal.revisions == [1, 2] })
    try await bench.append([.add(3), .add(4)])
    subscription.wake()
    #expect(try await eventually { journal.revisions == [1, 2, 3, 4] })
    task.cancel()
    try await task.value
    #expect(try bench.stored() == 4)
  }

  @Test func cancellationWaitsForTheHandler() async throws {
    let bench = try await SubscriptionBench(count: 3)
    let (started, gate) = (Locked(false), WakeSignal())
    let handled = Locked<[Int]>([])
    let subscription = try Subscription<Tally>(
      named: "sub", at: "log", configuration: SubscriptionConfiguration(), fileSystem: bench.disk
    ) { delivery in
      started.withLock { started in started = true }
      // Throws if the handler is canceled.
      await Self.pass(gate)
      try Task.checkCancellation()
      handled.withLock { handled in handled.append(delivery.revision) }
    }
    let task = Task { try await subscription.run() }
    #expect(try await eventually { started.withLock { started in started } })
    task.cancel()
    gate.notify()
    try await task.value
    #expect(handled.withLock { handled in handled } == [1])
    #expect(try bench.stored() == 1)
  }

  @Test func secondConsumerFails() async throws {
    let bench = try await SubscriptionBench(count: 1)
    let lock = try bench.store.lock("sub")
    let journal = DeliveryJournal()
    let subscription = try bench.subscription(journal)
    let error = try await thrownError(as: LogError.self) { try await subscription.catchUp() }
    #expect(error.code == .locked)
    #expect(journal.revisions.isEmpty)
    lock.unlock()
    try await subscription.catchUp()
    #expect(journal.revisions == [1])
  }

  @Test func standbyTakesOver() async throws {
    let bench = try await SubscriptionBench(count: 2)
    let (first, second) = (DeliveryJournal(), DeliveryJournal())
    let active = try subscription(bench, first)
    let standby = try subscription(bench, second) { configuration in configuration.whenHeld = .standby }
    let activeTask = Task { try await active.run() }
    #expect(try await eventually { first.revisions == [1, 2] })
    let standbyTask = Task { try await standby.run() }
    #expect(
      try await eventually {
        second.events.contains { event in if case .isWaiting = event { true } else { false } }
      })
    #expect(try bench.store.summaries().map(\.isHeld) == [true])
    activeTask.cancel()
    try await activeTask.value
    try await bench.append([.add(3)])
    #expect(try await eventually { second.revisions == [3] })
    standbyTask.cancel()
    try await standbyTask.value
    #expect(first.revisions == [1, 2])
    #expect(try bench.store.summaries().map(\.isHeld) == [false])
  }

  @Test func consumersRaceForAName() async throws {
    let bench = try await SubscriptionBench(count: 40)
    let journal = DeliveryJournal()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        let subscription = try subscription(bench, journal) { configuration in configuration.whenHeld = .standby }
        group.addTask { try await subscription.catchUp() }
      }
      try await group.waitForAll()
    }
    #expect(journal.revisions == Array(1...40))
  }

  /// Waits for a signal even if the task is canceled.
  private static func pass(_ gate: WakeSignal) async {
    await Task { await gate.wait() }.value
  }
}
