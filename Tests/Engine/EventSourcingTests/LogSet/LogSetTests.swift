import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import Platform
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct LogSetTests: TallySets {
  let disk = MemoryFileSystem()
  private let path = "set"

  // MARK: - Opening

  @Test func logsAreOpenedOnDemandAndKept() async throws {
    let set = try await open()
    for number in 1...3 {
      for key in ["a", "b"] { try await add(number, to: key, of: set) }
    }
    #expect(set.openCount == 2)
    #expect(try await sum("a", of: set) == 6)
    try await set.close()
    #expect(set.openCount == 0)
    for summary in try await open().summaries() { #expect(summary.lastRevision == 3) }
  }

  @Test func concurrentCallersGetTheSameStore() async throws {
    let gate = Gate()
    let held = FaultyFileSystem(disk) { call in if call.operation == .lock { gate.pass() } }
    let set = try await open(in: held)
    gate.close()
    let tasks = (0..<8).map { _ in Task { try await set.store(for: "a") } }
    #expect(await settle { gate.waitingCount == 1 })
    gate.open()
    var leases: [LogLease<Tally>] = []
    for task in tasks { leases.append(try await task.value) }
    #expect(leases.allSatisfy { lease in lease.log === leases[0].log })
    #expect(held.count(of: .lock) == 1)
    for lease in leases { lease.release() }
    try await set.close()
  }

  @Test func aFailedOpeningFailsForAllItsCallers() async throws {
    let gate = Gate()
    let faulty = FaultyFileSystem(disk) { call in if call.operation == .lock { gate.pass() } }
    let set = try await open(in: faulty)
    faulty.add(FileFault(.lock))
    gate.close()
    let tasks = (0..<3).map { _ in Task { try await set.store(for: "a") } }
    #expect(await settle { gate.waitingCount == 1 })
    for _ in 0..<100 { await Task.yield() }
    gate.open()
    var failures = 0
    for task in tasks { if case .failure = await task.result { failures += 1 } }
    #expect(failures >= 1)
    try await add(1, to: "a", of: set)
    #expect(try await sum("a", of: set) == 1)
    try await set.close()
  }

  @Test func aFailedLogIsReopened() async throws {
    let faulty = FaultyFileSystem(disk)
    let set = try await open(in: faulty)
    try await add(1, to: "a", of: set)
    faulty.add(FileFault(.sync))
    let error = await #expect(throws: LogError.self) { try await add(2, to: "a", of: set) }
    #expect(error?.code == .failed)
    try await add(4, to: "a", of: set)
    try await add(8, to: "b", of: set)
    #expect([5, 7].contains(try await sum("a", of: set)), "the outcome of the second action is unknown")
    try await set.close()
  }

  // MARK: - The limit

  @Test func theLeastRecentlyUsedLogIsClosed() async throws {
    let set = try await open(limit: 2)
    for key in ["a", "b", "a", "c"] { try await add(1, to: key, of: set) }
    #expect(set.openCount == 2)
    var isClosed: [String: Bool] = [:]
    for key in ["a", "b", "c"] {
      if case .closed = try await set.history(for: key).reader.extent().ending { isClosed[key] = true }
    }
    #expect(isClosed == ["b": true])
    try await set.close()
  }

  @Test func manyLogsShareFewPlaces() async throws {
    let set = try await open(limit: 3)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<60 { group.addTask { try await add(1, to: "log \(number % 20)", of: set) } }
      try await group.waitForAll()
    }
    #expect(set.openCount <= 3)
    #expect(try await set.keys().count == 20)
    for key in try await set.keys() { #expect(try await sum(key, of: set) == 3) }
    try await set.close()
  }

  @Test func callersWaitWhileAllLogsAreInUse() async throws {
    let set = try await open(limit: 1)
    let journal = TaskJournal()
    let lease = try await set.store(for: "a")
    let waiting = (1...3).map { number in
      Task {
        try await set.withStore(for: "b\(number)") { store in
          journal.note("b")
          try store.dispatch(action: .add(number))
        }
      }
    }
    for _ in 0..<100 { await Task.yield() }
    journal.note("a")
    lease.release()
    for task in waiting { try await task.value }
    #expect(journal.all == ["a", "b", "b", "b"])
    try await set.close()
  }

  /// Requests a log, and expects an error that names the leases of the task.
  private func expectDeadlock(_ cause: String, _ body: () async throws -> Void) async {
    let error = await #expect(throws: LogError.self) { try await body() }
    #expect(error?.code == .invalidArgument && error?.message.contains(cause) == true, "\(String(describing: error))")
  }

  @Test func nestedLeasesAtTheLimitAreRefused() async throws {
    let set = try await open(limit: 2)
    try await set.withStore(for: "a") { store in
      // The second one fits, and the first one again.
      try await add(1, to: "b", of: set)
      try await add(1, to: "a", of: set)
      try await set.withStore(for: "b") { _ in
        for key in ["c", "d"] {
          await expectDeadlock("have leased all 2 logs") { try await add(1, to: key, of: set) }
        }
        await expectDeadlock("have leased all 2 logs") { _ = try await set.store(for: "c") }
        let child = Task { try await add(1, to: "c", of: set) }
        await expectDeadlock("have leased all 2 logs") { try await child.value }
      }
      try store.dispatch(action: .add(2))
    }
    try await add(1, to: "c", of: set)
    #expect(try await sum("a", of: set) == 3)
    try await set.close()
  }

  @Test func closingInALeaseIsRefused() async throws {
    let set = try await open()
    try await set.withStore(for: "a") { _ in
      await expectDeadlock("closing the set") { try await set.close() }
    }
    try await add(1, to: "a", of: set)
    try await set.close()
  }

  @Test func tasksThatWaitForEachOtherAreRefused() async throws {
    let set = try await open(limit: 2)
    let keys = ["a", "b"]
    let (inside, refused) = (TaskJournal(), TaskJournal())
    let tasks = keys.map { key in
      Task {
        try await set.withStore(for: key) { _ in
          inside.note(key)
          #expect(await settle { inside.all.count == 2 })
          // One waits, and the other one would wait for it.
          do { try await add(1, to: "c", of: set) } catch let error as LogError {
            #expect(error.code == .invalidArgument)
            refused.note(key)
          }
        }
      }
    }
    for task in tasks { try await task.value }
    #expect(refused.all.count == 1)
    #expect(try await sum("c", of: set) == 1)
    try await set.close()
  }

  @Test func nestedLeasesWaitForOtherTasks() async throws {
    let set = try await open(limit: 2)
    let lease = try await set.store(for: "b")
    let journal = TaskJournal()
    let nested = Task {
      try await set.withStore(for: "a") { _ in
        journal.note("inside")
        try await add(1, to: "c", of: set)
      }
    }
    #expect(await settle { journal.all == ["inside"] })
    for _ in 0..<100 { await Task.yield() }
    lease.release()
    try await nested.value
    // A task that runs on after the closure that started it.
    let gate = Gate()
    gate.close()
    let later = try await set.withStore(for: "a") { _ in
      Task {
        await BlockingWork.run { gate.pass() }
        try await add(1, to: "b", of: set)
        try await add(1, to: "c", of: set)
        try await set.close()
      }
    }
    gate.open()
    try await later.value
    #expect(try await sum("c", of: set) == 2)
  }

  @Test func aShortageOfDescriptorsInALeaseIsAnError() async throws {
    let faulty = FaultyFileSystem(disk)
    let set = try await open(in: faulty)
    try await set.withStore(for: "a") { _ in
      faulty.add(FileFault(.lock, lasts: true, errorNumber: 24))
      let error = await #expect(throws: LogError.self) { try await add(1, to: "b", of: set) }
      #expect(error?.advice?.description.contains("ulimit -n") == true)
    }
    try await set.close()
  }

  @Test func aCanceledCallerStopsWaiting() async throws {
    let set = try await open(limit: 1)
    let lease = try await set.store(for: "a")
    let canceled = Task { try await set.store(for: "b") }
    let other = Task { try await add(1, to: "c", of: set) }
    canceled.cancel()
    await #expect(throws: CancellationError.self) { try await canceled.value }
    lease.release()
    try await other.value
    #expect(try await sum("c", of: set) == 1)
    try await set.close()
  }

  @Test func aForgottenLeaseIsReleased() async throws {
    let set = try await open(limit: 1)
    do {
      let lease = try await set.store(for: "a")
      try await lease.log.dispatch(action: .add(1))
      lease.release()
      lease.release()
      _ = try await set.store(for: "a")
    }
    try await add(1, to: "b", of: set)
    #expect(set.openCount == 1)
    try await set.close()
  }

  @Test func aShortageOfDescriptorsClosesIdleLogs() async throws {
    let faulty = FaultyFileSystem(disk)
    let set = try await open(in: faulty)
    for key in ["a", "b"] { try await add(1, to: key, of: set) }
    // EMFILE: the process has no descriptor left.
    faulty.add(FileFault(.lock, errorNumber: 24))
    try await add(1, to: "c", of: set)
    #expect(set.openCount == 1, "the others were closed")
    #expect(try await sum("a", of: set) == 1)
    let lease = try await set.store(for: "c")
    faulty.add(FileFault(.lock, errorNumber: 24))
    let waiting = Task { try await add(1, to: "d", of: set) }
    for _ in 0..<100 { await Task.yield() }
    lease.release()
    try await waiting.value
    faulty.add(FileFault(.lock, lasts: true, errorNumber: 24))
    let error = await #expect(throws: LogError.self) { try await set.store(for: "e") }
    #expect(error?.code == .inputOutput)
    #expect(error?.advice?.description.contains("ulimit -n") == true)
    #expect(set.openCount == 0, "nothing is left to close")
    try await set.close()
  }

  /// The cancellation of the task that opens a log is not that of the tasks that wait for it.
  @Test func aCanceledOpeningIsContinuedByAnotherCaller() async throws {
    let faulty = FaultyFileSystem(disk)
    let set = try await open(in: faulty)
    let lease = try await set.store(for: "a")
    faulty.add(FileFault(.lock, lasts: true, errorNumber: 24))
    let canceled = Task { try await set.store(for: "b") }
    #expect(await settle { set.waiterCount == 1 })
    let other = Task { try await add(1, to: "b", of: set) }
    #expect(await settle { set.waiterCount == 2 })
    canceled.cancel()
    await #expect(throws: CancellationError.self) { try await canceled.value }
    // The other one has tried, and waits for a descriptor itself.
    #expect(await settle { set.waiterCount == 1 })
    faulty.heal()
    lease.release()
    try await other.value
    #expect(try await sum("b", of: set) == 1)
    try await set.close()
  }

  // MARK: - Closing

  @Test func closingWaitsForLeases() async throws {
    let set = try await open()
    let lease = try await set.store(for: "a")
    let journal = TaskJournal()
    let closing = Task {
      try await set.close()
      journal.note("closed")
    }
    // Requests are refused as soon as closing has begun.
    #expect(await settle { journal.all.isEmpty && set.isClosing })
    let error = await #expect(throws: LogError.self) { try await set.store(for: "b") }
    #expect(error?.code == .closed)
    try await lease.log.dispatch(action: .add(1))
    journal.note("released")
    lease.release()
    try await closing.value
    #expect(journal.all == ["released", "closed"])
    #expect(try await sum("a", of: set) == 1)
  }

  @Test func aLogThatCannotBeClosedStaysOpen() async throws {
    let set = try await open()
    for key in ["a", "b"] { try await add(1, to: key, of: set) }
    disk.capacityBytes = disk.usedBytes
    await #expect(throws: LogError.self) { try await set.close() }
    disk.capacityBytes = nil
    try await set.close()
    #expect(set.openCount == 0)
  }

  // MARK: - Failures of one log

  @Test func aDamagedOrLockedLogFailsAlone() async throws {
    let set = try await open()
    for key in ["a", "b", "c"] { try await add(1, to: key, of: set) }
    try await set.close()
    let reopened = try await open()
    let paths = Dictionary(uniqueKeysWithValues: try await reopened.summaries().map { ($0.key, $0.path) })
    try disk.flipBit(0, ofByte: 40, in: try #require(paths["a"]) + "/0000000000000001.jsonl")
    let lock = try disk.lock(directory: try #require(paths["b"]))
    for (key, code) in [("a", LogError.Code.damaged), ("b", .locked)] {
      let error = await #expect(throws: LogError.self) { try await reopened.store(for: key) }
      #expect(error?.code == code)
    }
    try await add(1, to: "c", of: reopened)
    lock.unlock()
    try await add(1, to: "b", of: reopened)
    let failures = try await reopened.summaries().map { summary in "\(summary.key) \(summary.failure != nil)" }
    #expect(failures.sorted() == ["a true", "b false", "c false"])
    try await reopened.close()
  }

  // MARK: - Questions

  @Test func summariesHaveRevisionSizeAndTime() async throws {
    let set = try await open()
    for number in 0..<12 {
      for _ in 0...number { try await add(1, to: "log \(number)", of: set) }
    }
    let found = try await set.summaries()
    #expect(found.count == 12)
    for summary in found {
      #expect(summary.failure == nil)
      #expect(summary.key == "log \(summary.lastRevision - 1)")
      #expect(summary.sizeBytes == (try disk.contents(of: summary.path + "/0000000000000001.jsonl").count))
      #expect(summary.lastActionTime != nil)
    }
    try await set.close()
  }

  @Test func aKeyWithoutALogHasNoHistory() async throws {
    let set = try await open()
    let error = await #expect(throws: LogError.self) { try await set.history(for: "nobody") }
    #expect(error?.code == .notFound)
    #expect(try await set.keys().isEmpty)
    try await set.close()
  }
}
