import ActionLog
import ActionLogTesting
import EventSourcing
import Platform
import TestSupport
import Testing

/// Closing and removing single logs of a set.
@Suite(.timeLimit(.minutes(60))) struct LogSetMaintenanceTests: TallySets {
  let disk = MemoryFileSystem()

  // MARK: - Closing

  @Test func aLogHasAPathBeforeItExists() async throws {
    let set = try await open()
    let path = try set.path(for: "a")
    #expect(disk.filePaths.allSatisfy { file in !file.hasPrefix("/" + path) })
    try await add(1, to: "a", of: set)
    #expect(try await set.history(for: "a").path == path)
    #expect(try await set.withStore(for: "a") { store in store.path } == path)
    #expect(throws: LogError.self) { try set.path(for: "") }
    try await set.close()
  }

  @Test func aClosedLogIsOpenedAgain() async throws {
    let set = try await open()
    try await set.close("a")
    try await add(1, to: "a", of: set)
    try await add(1, to: "b", of: set)
    try await set.close("a")
    #expect(set.openCount == 1)
    guard case .closed = try await set.history(for: "a").reader.extent().ending else {
      Issue.record("the log was not closed")
      return
    }
    try await add(2, to: "a", of: set)
    #expect(try await sum("a", of: set) == 3)
    try await set.close()
  }

  @Test func closingWaitsForLeasesAndPrecedesLaterOnes() async throws {
    let set = try await open()
    let journal = TaskJournal()
    let lease = try await set.store(for: "a")
    let closer = Task { try await set.withClosedLog(for: "a") { _ in journal.note("closed") } }
    #expect(await settle { set.waiterCount == 1 })
    let later = Task {
      try await set.withStore(for: "a") { _ in journal.note("later") }
    }
    #expect(await settle { set.waiterCount == 2 })
    #expect(journal.all.isEmpty)
    lease.release()
    try await closer.value
    try await later.value
    #expect(journal.all == ["closed", "later"])
    // A task with a lease can have another one while a caller waits for it.
    let inner = TaskJournal()
    let nested = Task {
      try await set.withStore(for: "a") { _ in
        let waiting = Task.detached { try await set.close("a") }
        #expect(await settle { set.waiterCount == 1 })
        try await set.withStore(for: "a") { _ in inner.note("nested") }
        return waiting
      }
    }
    try await nested.value.value
    #expect(inner.all == ["nested"])
    #expect(set.openCount == 0)
    try await set.close()
  }

  @Test func aLogStaysClosedForMaintenance() async throws {
    let set = try await open(limit: 1)
    try await add(1, to: "a", of: set)
    let journal = TaskJournal()
    let waiting = try await set.withClosedLog(for: "a") { path in
      #expect(path == (try set.path(for: "a")))
      // Nothing else has the lock.
      let lock = try disk.lock(directory: path)
      let waiting = Task.detached {
        try await set.withStore(for: "a") { _ in journal.note("opened") }
      }
      #expect(await settle { set.waiterCount == 1 })
      lock.unlock()
      journal.note("maintained")
      return waiting
    }
    try await waiting.value
    #expect(journal.all == ["maintained", "opened"])
    let error = await #expect(throws: TallyError.self) {
      try await set.withClosedLog(for: "new") { _ in throw TallyError(code: .negative) }
    }
    #expect(error?.code == .negative)
    try await add(1, to: "new", of: set)
    try await set.close()
  }

  private func expectDeadlock(_ body: () async throws -> Void) async {
    let error = await #expect(throws: LogError.self) { try await body() }
    #expect(error?.code == .invalidArgument, "\(String(describing: error))")
  }

  @Test func waitingForItselfIsRefused() async throws {
    let set = try await open()
    try await set.withStore(for: "a") { _ in
      await expectDeadlock { try await set.close("a") }
      await expectDeadlock { try await set.withClosedLog(for: "a") { _ in } }
      await expectDeadlock { try await set.remove("a") }
      try await add(1, to: "b", of: set)
      try await set.close("b")
    }
    try await set.withClosedLog(for: "a") { _ in
      await expectDeadlock { try await add(1, to: "a", of: set) }
      await expectDeadlock { try await set.close("a") }
      await expectDeadlock { try await set.close() }
      try await add(1, to: "b", of: set)
    }
    try await add(1, to: "a", of: set)
    #expect(try await sum("a", of: set) == 1)
    try await set.close()
  }

  @Test func tasksThatKeepLogsClosedForEachOtherAreRefused() async throws {
    let set = try await open()
    let (inside, refused) = (TaskJournal(), TaskJournal())
    let tasks = [("a", "b"), ("b", "a")].map { own, other in
      Task {
        try await set.withClosedLog(for: own) { _ in
          inside.note(own)
          #expect(await settle { inside.all.count == 2 })
          do { try await add(1, to: other, of: set) } catch let error as LogError {
            #expect(error.code == .invalidArgument)
            refused.note(own)
          }
        }
      }
    }
    for task in tasks { try await task.value }
    #expect(refused.all.count == 1)
    try await set.close()
  }

  @Test func aCanceledCallerLetsOthersPass() async throws {
    let set = try await open()
    let lease = try await set.store(for: "a")
    let canceled = Task { try await set.close("a") }
    #expect(await settle { set.waiterCount == 1 })
    let other = Task { try await add(1, to: "a", of: set) }
    #expect(await settle { set.waiterCount == 2 })
    canceled.cancel()
    await #expect(throws: CancellationError.self) { try await canceled.value }
    try await other.value
    lease.release()
    try await set.close()
  }

  /// A log that cannot be opened is closed: the call that mends or removes it succeeds, and so do requests that wait for that.
  @Test func aFailedOpeningDoesNotFailMaintenance() async throws {
    let gate = Gate()
    let faulty = FaultyFileSystem(disk) { call in if call.operation == .lock { gate.pass() } }
    let set = try await open(in: faulty)
    try await add(1, to: "a", of: set)
    try await set.close("a")
    faulty.add(FileFault(.lock))
    gate.close()
    let opening = Task { try await set.store(for: "a") }
    #expect(await settle { gate.waitingCount == 1 })
    let removal = Task { try await set.remove("a") }
    #expect(await settle { set.waiterCount == 1 })
    let later = Task { try await add(2, to: "a", of: set) }
    #expect(await settle { set.waiterCount == 2 })
    gate.open()
    let error = await #expect(throws: LogError.self) { try await opening.value }
    #expect(error?.code == .inputOutput)
    try await removal.value
    try await later.value
    #expect(try await sum("a", of: set) == 2)
    try await set.close()
  }

  // MARK: - Removing

  /// Whether any file contains a text.
  private func hasText(_ text: String, on disk: MemoryFileSystem) throws -> Bool {
    try disk.filePaths.contains { path in
      try disk.contents(of: path).contains(text: text)
    }
  }

  /// Records a secret, with a snapshot and a position.
  private func record(_ key: String, in set: LogSet<Tally>) async throws {
    try await set.withStore(for: key) { store in
      _ = try await store.dispatch(action: .name("secret of \(key)"), awaiting: .synced)
      _ = try await store.dispatch(action: .add(3), awaiting: .synced)
    }
    _ = try await set.history(for: key).takeSnapshot()
    let subscription = try LogSetSubscription(named: "sub", of: set) { _, _ in }
    try await subscription.catchUp()
  }

  @Test func aRemovedLogLeavesNothing() async throws {
    let set = try await open()
    for key in ["a", "b"] { try await record(key, in: set) }
    let path = try set.path(for: "a")
    #expect(try hasText("secret of a", on: disk))
    try await set.remove("a")
    #expect(try !hasText("secret of a", on: disk))
    #expect(disk.filePaths.allSatisfy { file in !file.hasPrefix("/" + path) })
    #expect(try await set.keys() == ["b"])
    let error = try await thrownError(as: LogError.self) { try await set.remove("a") }
    #expect(error.code == .notFound)
    // Durably.
    #expect(try !hasText("secret of a", on: disk.crash(.onlySyncedSurvives)))
    try await add(1, to: "a", of: set)
    #expect(try await sum("a", of: set) == 1)
    #expect(try await sum("b", of: set) == 3)
    try await set.close()
  }

  @Test func aLogOfAnotherProcessIsNotRemoved() async throws {
    let set = try await open()
    let other = try await open()
    try await record("a", in: other)
    let error = try await thrownError(as: LogError.self) { try await set.remove("a") }
    #expect(error.code == .locked)
    try await other.close()
    #expect(try await sum("a", of: set) == 3)
    try await set.remove("a")
    #expect(try await set.keys().isEmpty)
    try await set.close()
  }

  @Test func theLogOfAnotherKeyIsNotRemoved() async throws {
    let set = try await open()
    for key in ["a", "b"] { try await add(1, to: key, of: set) }
    let (one, other) = (try set.path(for: "a"), try set.path(for: "b"))
    for key in ["a", "b"] { try await set.close(key) }
    try disk.rename(one, to: "aside")
    try disk.rename(other, to: one)
    let error = try await thrownError(as: LogError.self) { try await set.remove("a") }
    #expect(error.code == .damaged)
    #expect(try LogReader.open(at: one, fileSystem: disk).header.key == "b")
    try await set.close()
  }

  /// After a power cut at any call, the log is complete or gone, and the next opening removes what is left.
  @Test func aRemovalIsCutAtEveryCall() async throws {
    let set = try await open()
    for key in ["a", "b"] { try await record(key, in: set) }
    try await set.close()
    let path = "/" + (try set.path(for: "a"))
    var (number, kept, isDone) = (0, 0, false)
    while !isDone {
      number += 1
      let copy = disk.copy()
      let image = Locked<MemoryFileSystem?>(nil)
      let calls = Locked<Int?>(nil)
      let files = FaultyFileSystem(copy) { [number] _ in
        let isDue = calls.withLock { calls in
          calls = calls.map { calls in calls + 1 }
          return calls == number
        }
        if isDue { image.withLock { image in image = copy.crash(CrashModel(seed: UInt64(number))) } }
      }
      let removing = try await open(in: files)
      calls.withLock { calls in calls = 0 }
      try await removing.remove("a")
      calls.withLock { calls in calls = nil }
      try await removing.close()
      guard let left = image.withLock({ image in image }) else {
        isDone = true
        continue
      }
      let reopened = try await open(in: left)
      let keys = try await reopened.keys()
      if keys == ["a", "b"] {
        kept += 1
        #expect(try await sum("a", of: reopened) == 3, "call \(number)")
        try await add(1, to: "a", of: reopened)
      } else {
        #expect(keys == ["b"], "call \(number)")
        #expect(try !hasText("secret of a", on: left), "call \(number)")
        #expect(left.filePaths.allSatisfy { file in !file.hasPrefix(path) }, "call \(number)")
      }
      #expect(left.filePaths.allSatisfy { file in !file.contains(".removed-") }, "call \(number)")
      #expect(try await sum("b", of: reopened) == 3, "call \(number)")
      try await reopened.close()
    }
    #expect(kept > 0 && number > kept + 5)
  }

  @Test func aRemovalThatFailsIsContinued() async throws {
    let original = try await open()
    for key in ["a", "b"] { try await record(key, in: original) }
    try await original.close()
    var (number, hasFailed) = (0, true)
    while hasFailed {
      number += 1
      let copy = disk.copy()
      let faulty = FaultyFileSystem(copy)
      let set = try await open(in: faulty)
      faulty.add(FileFault(number: number))
      do { try await set.remove("a") } catch { #expect(error is LogError, "call \(number): \(error)") }
      hasFailed = faulty.firedCount > 0
      faulty.heal()
      // The next removal finishes it, or finds nothing.
      do { try await set.remove("a") } catch let error as LogError {
        #expect(error.code == .notFound, "call \(number)")
      }
      #expect(try !hasText("secret of a", on: copy), "call \(number)")
      #expect(try await set.keys() == ["b"], "call \(number)")
      try await set.close()
    }
    #expect(number > 5)
  }

  @Test func anOpeningThatCannotFinishARemovalSaysSo() async throws {
    let set = try await open()
    try await record("a", in: set)
    let path = try set.path(for: "a")
    try await set.close()
    let folder = path.split(separator: "/").dropLast().joined(separator: "/")
    try disk.rename(path, to: folder + "/.removed-1")
    let notices = Locked<[RecordingNotice]>([])
    var recording = reproducible(Tally.self)
    recording.onNotice = { notice in notices.withLock { notices in notices.append(notice) } }
    let faulty = FaultyFileSystem(disk, faults: [FileFault(.remove)])
    let reopened = try await LogSet<Tally>.open(
      at: "set", configuration: LogSetConfiguration(recording: recording), fileSystem: faulty)
    let found = notices.withLock { notices in notices }
    guard found.count == 1, case .removalUnfinished(_, let left)? = found.first else {
      Issue.record("\(found)")
      return
    }
    #expect(left.hasPrefix(folder + "/.removed-1"))
    #expect(try await reopened.keys().isEmpty)
    try await reopened.close()
    try await open().close()
    #expect(try !hasText("secret of a", on: disk))
  }
}
