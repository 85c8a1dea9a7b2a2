import ActionLog
import ActionLogTesting
import EventSourcing
import Platform
import TestSupport
import Testing

@Suite("Failures of deliveries")
struct DeliveryFailureTests {
  @Test func attemptsFollowGrowingDelays() async throws {
    let bench = try await SubscriptionBench(count: 3)
    let journal = DeliveryJournal(failing: [2: 4])
    try await bench.subscription(journal) { configuration in
      configuration.retries = RetryPolicy(
        attempts: 5, firstDelay: .milliseconds(100), longestDelay: .milliseconds(300), jitter: 0)
    }.catchUp()
    #expect(journal.revisions == [1, 2, 3])
    #expect(journal.attempts == [1, 5, 1])
    #expect(journal.delays == [.milliseconds(100), .milliseconds(200), .milliseconds(300), .milliseconds(300)])
    #expect(try bench.store.summaries().first?.error == nil)
  }

  @Test func jitterShortensDelays() async throws {
    let bench = try await SubscriptionBench(count: 1)
    let journal = DeliveryJournal(failing: [1: 1])
    try await bench.subscription(journal) { configuration in
      configuration.retries = RetryPolicy(firstDelay: .milliseconds(100), jitter: 0.5)
      configuration.environment.random = { 1 }
    }.catchUp()
    #expect(journal.delays == [.milliseconds(50)])
  }

  @Test func stopKeepsTheActionForTheNextRun() async throws {
    let bench = try await SubscriptionBench(count: 3)
    let journal = DeliveryJournal(failing: [2: 3])
    let subscription = try bench.subscription(journal) { configuration in configuration.retries.attempts = 2 }
    let error = try await thrownError(as: EventSourcingError.self) { try await subscription.catchUp() }
    #expect(error.code == .deliveryFailed && error.revision == 2)
    #expect(error.underlying is DeliveryJournal.Failure)
    #expect(try bench.stored() == 1)
    let summary = try #require(try bench.store.summaries().first)
    #expect(summary.attempts == 2 && summary.error == "out of paper" && summary.lag == 2)
    try await bench.subscription(journal).catchUp()
    #expect(journal.revisions == [1, 2, 3])
    // Two attempts of the first run, one failed and one successful of this one.
    #expect(journal.attempts == [1, 4, 1])
    #expect(try bench.store.summaries().first?.attempts == 0)
  }

  @Test func poisonActionIsParked() async throws {
    let bench = try await SubscriptionBench(count: 4)
    let journal = DeliveryJournal(failing: [2: 100])
    try await bench.subscription(journal) { configuration in
      configuration.retries.attempts = 3
      configuration.onFailure = .skip
    }.catchUp()
    #expect(journal.revisions == [1, 3, 4])
    #expect(try bench.stored() == 4)
    let parked = try bench.store.parked("sub").parked
    #expect(parked.map(\.revision) == [2] && parked.map(\.attempts) == [3] && parked.map(\.error) == ["out of paper"])
    #expect(parked.map(\.line) == [try bench.reader().record(at: 2).rawLine])
  }

  @Test func parkedActionsAreDeliveredAgain() async throws {
    let bench = try await SubscriptionBench(count: 4)
    let journal = DeliveryJournal(failing: [2: 1, 3: 2])
    func run() async throws {
      try await bench.subscription(journal) { configuration in
        configuration.retries = .none
        configuration.onFailure = .skip
      }.catchUp()
    }
    try await run()
    #expect(try bench.store.parked("sub").parked.map(\.revision) == [2, 3])
    #expect(try bench.store.retryParked("sub") == 2)
    #expect(try bench.store.parked("sub").waiting.map(\.revision) == [2, 3])
    try await run()
    #expect(journal.revisions == [1, 4, 2])
    #expect(journal.attempts == [1, 1, 2])
    // The other one failed again.
    let parked = try bench.store.parked("sub")
    #expect(parked.parked.map(\.revision) == [3] && parked.parked.map(\.attempts) == [2] && parked.waiting.isEmpty)
    #expect(try bench.store.retryParked("sub") == 1)
    try await run()
    #expect(journal.revisions == [1, 4, 2, 3])
    #expect(try bench.store.retryParked("sub") == 0)
  }

  @Test func closureDecides() async throws {
    let bench = try await SubscriptionBench(count: 3)
    let journal = DeliveryJournal(failing: [1: 2, 2: 100])
    try await bench.subscription(journal) { configuration in
      configuration.onFailure = .custom { failure in
        failure.revision == 2 ? .skip : .retry(after: .seconds(failure.attempts))
      }
    }.catchUp()
    #expect(journal.revisions == [1, 3])
    #expect(journal.delays == [.seconds(1), .seconds(2)])
  }

  @Test func undecodableActionIsAttemptedOnce() async throws {
    let bench = try await SubscriptionBench(count: 2)
    let journal = DeliveryJournal()
    let strict = try Subscription<OtherTally>(
      named: "sub", at: "log", configuration: journal.configuration(), fileSystem: bench.disk
    ) { _ in }
    let error = try await thrownError(as: EventSourcingError.self) { try await strict.catchUp() }
    #expect(error.code == .deliveryFailed && (error.underlying as? EventSourcingError)?.code == .unknownType)
    #expect(journal.delays.isEmpty)
    let lenient = try Subscription<OtherTally>(
      named: "sub", at: "log",
      configuration: journal.configuration { configuration in configuration.onFailure = .skip },
      fileSystem: bench.disk
    ) { _ in }
    try await lenient.catchUp()
    #expect(try bench.store.parked("sub").parked.map(\.revision) == [1, 2])
  }

  @Test func failedBatchIsDeliveredOneByOne() async throws {
    let bench = try await SubscriptionBench(count: 6)
    let journal = DeliveryJournal()
    let calls = Locked<[[Int]]>([])
    let subscription = try Subscription<Tally>(
      named: "sub", at: "log", batchesOf: 3,
      configuration: journal.configuration { configuration in
        configuration.retries = .none
        configuration.onFailure = .skip
      }, fileSystem: bench.disk
    ) { deliveries in
      calls.withLock { calls in calls.append(deliveries.map(\.revision)) }
      if deliveries.contains(where: { delivery in delivery.revision == 2 }) { throw DeliveryJournal.Failure() }
    }
    try await subscription.catchUp()
    #expect(calls.withLock { calls in calls } == [[1, 2, 3], [1], [2], [3], [4, 5, 6]])
    #expect(try bench.store.parked("sub").parked.map(\.revision) == [2])
    #expect(try bench.stored() == 6)
  }

}

@Suite("Delivery by key")
struct KeyedDeliveryTests {
  /// The key of an action: its number modulo 3.
  private func keyed(
    _ bench: SubscriptionBench, width: Int, _ configuration: SubscriptionConfiguration,
    _ handler: @escaping Subscription<Tally>.Handler
  ) throws -> Subscription<Tally> {
    try Subscription(
      named: "sub", at: "log", order: .ordered(by: { delivery in delivery.revision % 3 }, width: width),
      configuration: configuration, fileSystem: bench.disk, handler: handler)
  }

  @Test(arguments: [2, 3, 8])
  func orderHoldsWithinAKey(width: Int) async throws {
    let bench = try await SubscriptionBench(count: 200)
    let journal = DeliveryJournal()
    let running = Locked((now: 0, most: 0, keys: Set<Int>()))
    let subscription = try keyed(bench, width: width, journal.configuration()) { delivery in
      let key = delivery.revision % 3
      running.withLock { running in
        running.now += 1
        running.most = max(running.most, running.now)
        #expect(running.keys.insert(key).inserted, "two handlers of key \(key)")
      }
      for _ in 0..<delivery.revision % 5 { await Task.yield() }
      running.withLock { running in
        running.now -= 1
        running.keys.remove(key)
      }
      try journal.handle(delivery)
    }
    try await subscription.catchUp()
    #expect(journal.revisions.sorted() == Array(1...200))
    for key in 0..<3 {
      let revisions = journal.revisions.filter { revision in revision % 3 == key }
      #expect(revisions == revisions.sorted())
    }
    #expect(running.withLock { running in running.most } <= min(width, 3))
    #expect(try bench.stored() == 200)
  }

  @Test func positionStaysBeforeASlowAction() async throws {
    let bench = try await SubscriptionBench(count: 9)
    let (journal, gate) = (DeliveryJournal(), WakeSignal())
    let subscription = try keyed(
      bench, width: 3, journal.configuration { configuration in configuration.environment = .live }
    ) {
      delivery in
      if delivery.revision == 2 { await gate.wait() }
      try journal.handle(delivery)
    }
    let task = Task { try await subscription.catchUp() }
    // The actions of the other two keys.
    #expect(try await eventually { journal.revisions.count == 6 })
    #expect(!journal.revisions.contains { revision in revision % 3 == 2 })
    #expect(try await eventually { try bench.stored() == 1 })
    gate.notify()
    try await task.value
    #expect(journal.revisions.sorted() == Array(1...9))
    #expect(try bench.stored() == 9)
  }

  /// The attempts of one action do not count for another one, and those of earlier runs are not forgotten.
  @Test func attemptsAreCountedForEachAction() async throws {
    let bench = try await SubscriptionBench(count: 2)
    let journal = DeliveryJournal(failing: [1: 3, 2: 2])
    let (first, gate) = (Locked<[Int: Int]>([:]), WakeSignal())
    let subscription = try keyed(bench, width: 2, journal.configuration()) { delivery in
      do { try journal.handle(delivery) } catch {
        first.withLock { first in first[delivery.revision] = delivery.attempt }
        throw error
      }
      await Task { await gate.wait() }.value
    }
    let running = Task { try await subscription.catchUp() }
    #expect(try await eventually { journal.revisions.count == 2 })
    #expect(first.withLock { first in first } == [1: 3, 2: 2])
    // The next run after a crash at this point.
    let crashed = SubscriptionBench(bench.disk.copy())
    let stored = try #require(try crashed.store.read("sub"))
    #expect(stored.failing == 1 && stored.attempts == 3 && stored.otherAttempts == [2: 2])
    let next = DeliveryJournal()
    try await keyed(crashed, width: 2, next.configuration()) { delivery in try next.handle(delivery) }.catchUp()
    #expect(Dictionary(uniqueKeysWithValues: zip(next.revisions, next.attempts)) == [1: 4, 2: 3])
    #expect(try crashed.store.read("sub")?.otherAttempts == [:])
    running.cancel()
    for _ in 1...2 {
      gate.notify()
      await Task.yield()
    }
    #expect(try await eventually { try bench.stored() != nil })
    gate.notify()
  }

  @Test func failureStopsAtItsAction() async throws {
    let bench = try await SubscriptionBench(count: 30)
    let journal = DeliveryJournal(failing: [4: 100])
    let subscription = try keyed(bench, width: 3, journal.configuration()) { delivery in try journal.handle(delivery) }
    let error = try await thrownError(as: EventSourcingError.self) { try await subscription.catchUp() }
    #expect(error.code == .deliveryFailed && error.revision == 4)
    #expect(try bench.stored() == 3)
    let again = try keyed(bench, width: 3, journal.configuration { configuration in configuration.onFailure = .skip }) {
      delivery in try journal.handle(delivery)
    }
    try await again.catchUp()
    #expect(Set(journal.revisions) == Set(1...30).subtracting([4]))
    #expect(try bench.store.parked("sub").parked.map(\.revision) == [4])
    #expect(try bench.stored() == 30)
  }
}
