import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import EventSourcing
import JSONCoding
import Platform
import TestSupport
import Testing

/// Parked actions, while another process requests to deliver them again or lists them.
@Suite("Parked actions")
struct ParkedActionTests {
  /// Runs a subscription that attempts each action once and parks it after a failure.
  private func run(
    _ bench: SubscriptionBench, _ journal: DeliveryJournal, on files: (any LogFileSystem)? = nil
  ) async throws {
    try await bench.subscription(journal, on: files) { configuration in
      configuration.retries = .none
      configuration.onFailure = .skip
    }.catchUp()
  }

  /// A disk with a subscription whose actions are all parked.
  private func parkedBench(count: Int) async throws -> SubscriptionBench {
    let bench = try await SubscriptionBench(count: count)
    let failures = Dictionary(uniqueKeysWithValues: (1...count).map { revision in (revision, 1) })
    try await run(bench, DeliveryJournal(failing: failures))
    try #require(try bench.store.parked("sub").parked.count == count)
    return bench
  }

  /// A redaction leaves the parked actions of a running consumer, and those of an interrupted one may be left.
  @Test func aStartingConsumerRedactsItsActions() async throws {
    let bench = SubscriptionBench(MemoryFileSystem())
    var configuration = reproducible(Tally.self)
    configuration.log.redactable = true
    try await record(
      [.name("Ann Smith"), .add(1), .name("Bo Jones")], as: Tally.self, at: "log", in: bench.disk,
      configuration: configuration)
    try await run(bench, DeliveryJournal(failing: [1: 1, 2: 1, 3: 1]))
    let path = "log/subscriptions/sub.parked.jsonl"
    func text() throws -> String { String(decoding: try bench.disk.contents(of: path), as: UTF8.self) }
    try redactName(1, of: bench.disk)
    #expect(try text().contains("Ann Smith"))
    try await run(bench, DeliveryJournal())
    #expect(try !text().contains("Ann Smith") && text().contains("Bo Jones"))
    let reader = try LogReader.open(at: "log", fileSystem: bench.disk)
    let lines = try (1...3).map { revision in try reader.record(at: revision).rawLine }
    #expect(try bench.store.parked("sub").parked.map(\.line) == lines)
  }

  private func redactName(_ revision: Int, of disk: MemoryFileSystem) throws {
    _ = try LogRedaction.redact(
      at: "log", reason: "request", fileSystem: disk, environment: tickingEnvironment()
    ) { reader in
      let index = try #require(try reader.lineIndices(ofActions: [revision])[revision])
      return [
        RedactionTarget(index: index, replacements: [ValueReplacement(try #require(JSONPointer("/data/_0")))])
      ]
    }
  }

  @Test func retryBeforeAnyCallEndsNoConsumer() async throws {
    let original = try await SubscriptionBench(count: 4).disk
    var number = 0
    var isReached = true
    while isReached {
      number += 1
      let bench = SubscriptionBench(original.copy())
      let calls = Locked(0)
      let files = FaultyFileSystem(bench.disk) { [number] _ in
        let call = calls.withLock { calls in
          calls += 1
          return calls
        }
        guard call == number else { return }
        do { _ = try bench.store.retryParked("sub") } catch {
          // The position does not exist yet.
          #expect((error as? EventSourcingError)?.code == .unknownSubscription, "call \(number): \(error)")
        }
      }
      try await run(bench, DeliveryJournal(failing: [2: 100, 3: 100]), on: files)
      #expect(try bench.stored() == 4, "call \(number)")
      let (parked, waiting) = try bench.store.parked("sub")
      #expect(Set((parked + waiting).map(\.revision)) == [2, 3], "call \(number)")
      isReached = calls.withLock { calls in calls } >= number
    }
    #expect(number > 30)
  }

  @Test func powerCutWhileRetryingLosesNothing() async throws {
    let original = try await parkedBench(count: 4)
    #expect(try original.store.retryParked("sub") == 4)
    var number = 0
    while true {
      number += 1
      let disk = original.disk.copy()
      let left = Locked<(disk: MemoryFileSystem, delivered: [Int])?>(nil)
      let calls = Locked(0)
      let journal = DeliveryJournal()
      let files = FaultyFileSystem(disk) { [number] _ in
        let call = calls.withLock { calls in
          calls += 1
          return calls
        }
        guard call == number else { return }
        let crashed = disk.crash(CrashModel(seed: UInt64(number)))
        left.withLock { left in left = (crashed, journal.revisions) }
      }
      try await run(SubscriptionBench(disk), journal, on: files)
      guard let (crashed, delivered) = left.withLock({ left in left }) else { break }
      let bench = SubscriptionBench(crashed)
      let next = DeliveryJournal()
      try await run(bench, next)
      // At most the action whose delivery was not noted is delivered twice.
      #expect(Set(delivered + next.revisions) == [1, 2, 3, 4], "call \(number)")
      #expect(delivered.count + next.revisions.count <= 5, "call \(number)")
      let (parked, waiting) = try bench.store.parked("sub")
      #expect(parked.isEmpty && waiting.isEmpty, "call \(number)")
      #expect(!crashed.filePaths.contains { path in path.contains("retry") }, "call \(number)")
    }
    #expect(number > 10)
  }

  @Test func retryingWritesLinearly() async throws {
    let count = 100
    let bench = try await parkedBench(count: count)
    let size = try bench.disk.contents(of: "log/subscriptions/sub.parked.jsonl").count
    #expect(try bench.store.retryParked("sub") == count)
    bench.disk.resetCounts()
    let journal = DeliveryJournal()
    try await run(bench, journal)
    #expect(journal.revisions == Array(1...count))
    #expect(bench.disk.counts.bytesWritten < size)
    #expect(!bench.disk.filePaths.contains { path in path.contains("retry") || path.contains("parked") })
  }

  @Test func secondRetryReportsBothCounts() async throws {
    let bench = try await parkedBench(count: 2)
    #expect(try bench.store.retryParked("sub") == 2)
    #expect(try bench.store.retryParked("sub") == 0)
    let refusal = Locked<LogError?>(nil)
    let journal = DeliveryJournal()
    let subscription = try Subscription<Tally>(
      named: "sub", at: "log",
      configuration: journal.configuration { configuration in
        configuration.retries = .none
        configuration.onFailure = .skip
      }, fileSystem: bench.disk
    ) { delivery in
      // The first one is parked again, so that something is parked when the request is repeated.
      guard delivery.revision == 2 else { throw DeliveryJournal.Failure() }
      let error = #expect(throws: LogError.self) { try bench.store.retryParked("sub") }
      refusal.withLock { refusal in refusal = error }
    }
    try await subscription.catchUp()
    let error = try #require(refusal.withLock { refusal in refusal })
    #expect(error.code == .exists)
    #expect(
      error.message
        == "1 parked action of 'sub' will be delivered again by an earlier request, and 1 more stays parked")
    #expect(try bench.store.parked("sub").parked.map(\.revision) == [1])
  }

  /// A list acquires the lock of each subscription for a moment.
  ///
  /// - Returns: A store whose second attempt to acquire the lock succeeds, and the number of its attempts.
  private func storeWhileListed(_ bench: SubscriptionBench) throws -> (SubscriptionStore, Locked<Int>) {
    let lock = try bench.store.lock("sub")
    let attempts = Locked(0)
    let files = FaultyFileSystem(bench.disk) { call in
      guard call.operation == .lock else { return }
      let attempt = attempts.withLock { attempts in
        attempts += 1
        return attempts
      }
      if attempt == 2 { lock.unlock() }
    }
    return (SubscriptionStore(at: "log", fileSystem: files), attempts)
  }

  @Test(arguments: [false, true])
  func changeWaitsForAList(removes: Bool) async throws {
    let bench = try await SubscriptionBench(count: 3)
    try await run(bench, DeliveryJournal())
    let (store, attempts) = try storeWhileListed(bench)
    try await BlockingWork.run {
      if removes { try store.remove("sub") } else { try store.reset("sub", to: 1) }
    }
    #expect(attempts.withLock { attempts in attempts } == 2)
    #expect(try bench.stored() == (removes ? nil : 1))
  }

  @Test func anotherListIsNoConsumer() async throws {
    let bench = try await SubscriptionBench(count: 3)
    try await run(bench, DeliveryJournal())
    let (store, attempts) = try storeWhileListed(bench)
    let summaries = try await BlockingWork.run { try store.summaries() }
    #expect(summaries.map(\.isHeld) == [false] && attempts.withLock { attempts in attempts } == 2)
    let consumer = try bench.store.lock("sub")
    #expect(try await BlockingWork.run { try store.summaries() }.map(\.isHeld) == [true])
    consumer.unlock()
  }

  @Test(arguments: [
    (FileSystemError.Code.noSpace, "Free some space"), (.permissionDenied, "readable and writable"),
    (.readOnlyFileSystem, "readable and writable"), (.inputOutput, "readable and writable"),
  ])
  func failedWriteHasAdvice(code: FileSystemError.Code, advice: String) async throws {
    let bench = try await SubscriptionBench(count: 2)
    let files = FaultyFileSystem(bench.disk)
    files.add(FileFault(.append, code: code, pathSuffix: ".json.new"))
    let error = try await thrownError(as: LogError.self) { try await run(bench, DeliveryJournal(), on: files) }
    #expect(error.advice?.description.contains(advice) == true, "\(error)")
    #expect(error.intact?.contains("delivered again") == true, "\(error)")
  }
}
