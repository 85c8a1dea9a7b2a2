import ActionLog
import ActionLogTesting
import Dispatch
import EventSourcing
import ImmutableData
import Platform
import TestSupport
import Testing
import TimeTravel

@MainActor @Suite struct HistoryCursorTests {
  /// Made once, because writing it takes longer than the tests.
  private static let long = Result { try LedgerLog(actions: 3_000) }

  @Test func cursorBeginsAtThePoint() async throws {
    let log = try LedgerLog(actions: 50)
    #expect(try await log.history().cursor().state == log.states[50])
    #expect(try await log.history().cursor(at: .start).state == Ledger.initialState)
    #expect(try await log.history().cursor(at: .fromEnd(8)).state == log.states[42])
    #expect(try await log.history().cursor(at: .time(LedgerLog.time(of: 9))).state == log.states[9])
    #expect(try await log.history().cursor().revisions == 0...50)
  }

  @Test(arguments: 0..<8)
  func everyMoveReachesTheFoldedState(seed: UInt64) async throws {
    let log = try Self.long.get()
    var random = SeededGenerator(seed: seed)
    let cursor = try log.history().cursor(at: .revision(Int.random(in: 0...3_000, using: &random)))
    for _ in 0..<150 {
      let before = await cursor.revision
      switch Int.random(in: 0..<10, using: &random) {
      case 0: try await cursor.jump(to: Int.random(in: 0...3_000, using: &random))
      case 1: try await cursor.jump(to: min(3_000, before + Int.random(in: 0...200, using: &random)))
      case 2: try await cursor.jump(to: max(0, before - Int.random(in: 0...200, using: &random)))
      case 3...5 where before < 3_000: #expect(try await cursor.stepForward().revision == before + 1)
      default:
        guard before > 0 else { continue }
        #expect(try await cursor.stepBackward().revision == before)
      }
      let revision = await cursor.revision
      #expect(await cursor.state == log.states[revision], "seed \(seed), revision \(revision)")
      #expect(try await cursor.lastAction()?.revision == (revision == 0 ? nil : revision), "seed \(seed)")
    }
  }

  @Test func revisionsOutOfRangeNameTheRange() async throws {
    let cursor = try LedgerLog(actions: 5).history().cursor(at: .start)
    let before = await #expect(throws: TimeTravelError.self) { try await cursor.stepBackward() }
    #expect(before?.description == "revision -1 is not in the log, which holds the revisions 0…5")
    try await cursor.jump(to: .end)
    let after = await #expect(throws: TimeTravelError.self) { try await cursor.stepForward() }
    #expect(after?.availableRevisions == 0...5)
    let far = await #expect(throws: TimeTravelError.self) { try await cursor.jump(to: 99) }
    #expect(far?.code == .revisionOutOfRange)
    #expect(await cursor.revision == 5)
  }

  @Test func emptyHistoryHasOneRevision() async throws {
    let cursor = try LedgerLog(actions: 0).history().cursor()
    #expect(await cursor.revision == 0)
    #expect(await cursor.state == Ledger.initialState)
    #expect(try await cursor.lastAction() == nil)
    let error = await #expect(throws: TimeTravelError.self) { try await cursor.stepForward() }
    #expect(error?.description == "revision 1 is not in the log, which has only revision 0 and no actions")
  }

  @Test func refreshFindsNewActions() async throws {
    let log = try LedgerLog(actions: 300)
    let cursor = try log.history().cursor()
    try log.append(20)
    await #expect(throws: TimeTravelError.self) { try await cursor.stepForward() }
    try await cursor.refresh()
    #expect(await cursor.revisions == 0...320)
    #expect(await cursor.revision == 300)
    for revision in 301...320 {
      try await cursor.stepForward()
      #expect(await cursor.state == log.states[revision])
    }
  }

  @Test func failedMoveKeepsThePosition() async throws {
    let log = try LedgerLog(actions: 300)
    let cursor = try log.history(StrictLedger.self).cursor(at: .revision(150))
    let observer = await HistoryObserver(cursor)
    let stream = observer.makeStream()
    let error = await #expect(throws: EventSourcingError.self) { try await observer.jump(to: 250) }
    #expect(error?.code == .refusedInReplay && error?.revision == 200)
    #expect(await cursor.revision == 150)
    #expect(observer.revision == 150 && observer.state == log.states[150])
    #expect(stream.counts.yielded == 0)
    try await observer.jump(to: 199)
    await #expect(throws: EventSourcingError.self) { try await observer.stepForward() }
    #expect(await cursor.revision == 199)
    #expect(observer.revision == 199 && observer.state == log.states[199])
    #expect(stream.counts.yielded == 49)
  }

  @Test func statesBeforeAndAfterAStepDiffer() async throws {
    let cursor = try LedgerLog(actions: 3).history().cursor(at: .fromEnd(1))
    let before = try StateTree(encoding: await cursor.state)
    try await cursor.stepForward()
    #expect(
      StateDiff(from: before, to: try StateTree(encoding: await cursor.state)).description == """
        ~ /count: 2 → 3
        ~ /last: 2 → 3
        ~ /mixed: 29 → 896
        """)
  }

  @Test func cursorWritesNothing() async throws {
    let log = try LedgerLog(actions: 2_500)
    let before = try log.contents
    let cursor = try log.history().cursor()
    let observer = await HistoryObserver(cursor)
    let stream = observer.makeStream()
    for target in [0, 2_500, 1_000, 999, 1_001, 7] { try await observer.jump(to: target) }
    try await observer.stepBackward()
    try await observer.refresh()
    #expect(stream.counts.yielded == 0)
    #expect(try log.contents == before)
  }

  @Test func canceledMoveKeepsThePosition() async throws {
    let log = try Self.long.get()
    let cursor = try log.history().cursor(at: .revision(10))
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      try await cursor.stepForward()
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await cursor.revision == 10)
    #expect(await cursor.state == log.states[10])
    #expect(try await cursor.stepForward().revision == 11)
  }

  @Test func cancelingTheTaskEndsAMove() async throws {
    let cursor = try LedgerLog(actions: 60_000).history(HeldLedger.self).cursor(at: .start)
    let task = Task { try await cursor.jump(to: 60_000) }
    await BlockingWork.run { HeldLedger.arrived.wait() }
    task.cancel()
    HeldLedger.opened.signal()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await cursor.revision == 0)
    #expect(await cursor.state == Ledger.initialState)
    #expect(HeldLedger.folded.withLock { count in count } <= HeldLedger.heldAt + 1_024)
  }

  @Test func performMakesMovesWithoutOthersInBetween() async throws {
    let log = try Self.long.get()
    let cursor = try log.history().cursor(at: .start)
    try await withThrowingTaskGroup(of: [Int].self) { group in
      for _ in 0..<20 {
        group.addTask {
          try await cursor.perform { cursor in
            try (0..<50).map { _ in try cursor.stepForward().revision }
          }
        }
      }
      for try await revisions in group {
        let first = try #require(revisions.first)
        #expect(revisions == Array(first..<first + 50))
      }
    }
    #expect(await cursor.revision == 1_000)
    #expect(await cursor.state == log.states[1_000])
  }

  /// More cursors than the cooperative pool has threads wait for the file system at once.
  @Test(.timeLimit(.minutes(60))) func cursorsBlockNoPoolThread() async throws {
    let count = 100
    let log = try LedgerLog(actions: 40)
    let (arrived, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isHeld = Locked(false)
    let files = FaultyFileSystem(log.disk) { call in
      guard call.operation == .read, isHeld.withLock({ isHeld in isHeld }) else { return }
      arrived.signal()
      gate.wait()
    }
    let cursors = try (0..<count).map { _ in
      try History<Ledger>(at: LedgerLog.path, fileSystem: files).cursor(at: .start)
    }
    isHeld.withLock { isHeld in isHeld = true }
    let moves = cursors.map { cursor in Task { try await cursor.jump(to: 40) } }
    await BlockingWork.run { for _ in 0..<count { arrived.wait() } }
    isHeld.withLock { isHeld in isHeld = false }
    for _ in 0..<count { gate.signal() }
    for move in moves { try await move.value }
    for cursor in cursors { #expect(await cursor.state == log.states[40]) }
  }
}

/// A ledger whose fold waits at an action, for one test only.
private enum HeldLedger: Model {
  static let heldAt = 5_000
  static let folded = Locked(0)
  static let arrived = DispatchSemaphore(value: 0)
  static let opened = DispatchSemaphore(value: 0)

  static let name = "ledger"
  static let schema = 1
  static let initialState = Ledger.State()
  static let sourceFingerprint: String? = ""

  static func reduce(into state: inout Ledger.State, action: Ledger.Action) {
    let count = folded.withLock { count in
      count += 1
      return count
    }
    if count == heldAt {
      arrived.signal()
      opened.wait()
    }
    Ledger.reduce(into: &state, action: action)
  }
}
