import ActionLog
import ActionLogTesting
import Dispatch
import EventSourcing
import ImmutableData
import Platform
import TestSupport
import Testing
import TimeTravel

@MainActor @Suite(.timeLimit(.minutes(60))) struct HistoryObserverTests {
  private typealias Crossed = (oldState: Ledger.State, action: Ledger.Action)

  @Test(arguments: [(10, 11), (10, 14), (14, 10), (11, 10), (0, 1_000), (1_000, 0), (1_200, 300), (7, 7)])
  func moveYieldsCrossedActionsInOrder(from start: Int, to target: Int) async throws {
    let log = try LedgerLog(actions: 1_500)
    let observer = await HistoryObserver(try log.history().cursor(at: .revision(start)))
    #expect(observer.revision == start && observer.revisions == 0...1_500 && observer.state == log.states[start])
    let stream = observer.makeStream()
    try await observer.jump(to: target)
    observer.finish()
    let crossed = await Self.all(stream)
    let revisions = min(start, target)..<max(start, target)
    #expect(crossed.map(\.action) == revisions.map { revision in .enter(revision + 1) })
    #expect(crossed.map(\.oldState) == revisions.map { revision in log.states[revision] })
    #expect(observer.revision == target && observer.state == log.states[target])
  }

  @Test(arguments: 0..<6)
  func everyStepYieldsOneAction(seed: UInt64) async throws {
    let log = try LedgerLog(actions: 400)
    var random = SeededGenerator(seed: seed)
    let observer = await HistoryObserver(try log.history().cursor(at: .revision(200)))
    let stream = observer.makeStream()
    var expected: [Int] = []
    for _ in 0..<150 {
      if Bool.random(using: &random) {
        expected.append(try await observer.stepForward().revision)
      } else {
        expected.append(try await observer.stepBackward().revision)
      }
    }
    observer.finish()
    let crossed = await Self.all(stream)
    #expect(crossed.map(\.action) == expected.map { revision in .enter(revision) }, "seed \(seed)")
    #expect(crossed.map(\.oldState) == expected.map { revision in log.states[revision - 1] }, "seed \(seed)")
  }

  @Test func longMoveFinishesTheStreams() async throws {
    let log = try LedgerLog(actions: 1_500)
    let observer = await HistoryObserver(try log.history().cursor(at: .start))
    let stream = observer.makeStream()
    try await observer.jump(to: 2)
    try await observer.jump(to: 1_003)
    #expect(await Self.all(stream).map(\.action) == [.enter(1), .enter(2)])

    let next = observer.makeStream()
    try await observer.stepForward()
    observer.finish()
    #expect(await Self.all(next).map(\.action) == [.enter(1_004)])
  }

  @Test func listenerOfAStoreSeesThePast() async throws {
    let log = try LedgerLog(actions: 40)
    let observer = await HistoryObserver(try log.history().cursor(at: .revision(20)))
    let seen = try await Self.amounts(of: observer, after: { try await observer.jump(to: 25) }, count: 5)
    #expect(seen == [21, 22, 23, 24, 25])
  }

  @Test func movesOfSeveralTasksAreYieldedInOrder() async throws {
    let log = try LedgerLog(actions: 1_000)
    let observer = await HistoryObserver(try log.history().cursor(at: .start))
    let stream = observer.makeStream()
    await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask { for _ in 0..<25 { try await observer.stepForward() } }
        group.addTask { for _ in 0..<25 { try await observer.cursor.stepForward() } }
      }
    }
    #expect(await settle { observer.revision == 1_000 })
    observer.finish()
    let crossed = await Self.all(stream)
    #expect(crossed.map(\.action) == (1...1_000).map { revision in .enter(revision) })
    #expect(crossed.map(\.oldState) == Array(log.states[..<1_000]))
    #expect(observer.state == log.states[1_000])
  }

  @Test func movesOfTheCursorArePublished() async throws {
    let log = try LedgerLog(actions: 40)
    let cursor = try log.history().cursor(at: .start)
    let observers = [await HistoryObserver(cursor), await HistoryObserver(cursor)]
    let streams = observers.map { observer in observer.makeStream() }
    try await cursor.jump(to: 5)
    try log.append(10)
    try await cursor.refresh()
    for (observer, stream) in zip(observers, streams) {
      #expect(await settle { observer.revisions == 0...50 })
      #expect(observer.revision == 5 && observer.state == log.states[5])
      observer.finish()
      #expect(await Self.all(stream).map(\.action) == (1...5).map { revision in .enter(revision) })
    }
  }

  @Test func cursorDoesNotRetainItsObserver() async throws {
    let cursor = try LedgerLog(actions: 40).history().cursor(at: .start)
    weak var observer: HistoryObserver<Ledger>?
    do {
      let retained = await HistoryObserver(cursor)
      try await retained.stepForward()
      observer = retained
    }
    #expect(await settle { observer == nil })
    #expect(try await cursor.stepForward().revision == 2)
  }

  @Test func streamMadeDuringAMoveEnds() async throws {
    let log = try LedgerLog(actions: 400)
    let files = HeldReads(log.disk)
    let observer = await HistoryObserver(try files.history().cursor(at: .start))
    files.hold()
    let move = Task { try await observer.jump(to: 300) }
    await files.arrive()
    // The main actor is free, and the state is still the old one. The move does not collect actions.
    #expect(observer.revision == 0)
    let stream = observer.makeStream()
    files.release()
    try await move.value
    #expect(await Self.all(stream).isEmpty)
    #expect(observer.revision == 300 && observer.state == log.states[300])
  }

  @Test func newerMoveReplacesACanceledOne() async throws {
    let log = try LedgerLog(actions: 400)
    let files = HeldReads(log.disk)
    let observer = await HistoryObserver(try files.history().cursor(at: .start))
    let stream = observer.makeStream()
    files.hold()
    let older = Task { try await observer.jump(to: 300) }
    await files.arrive()
    older.cancel()
    let newer = Task { try await observer.jump(to: 3) }
    files.release()
    await #expect(throws: CancellationError.self) { try await older.value }
    try await newer.value
    #expect(observer.revision == 3 && observer.state == log.states[3])
    observer.finish()
    #expect(await Self.all(stream).map(\.action) == [.enter(1), .enter(2), .enter(3)])
  }

  @Test func movesDuringABusyMainActorAreLimited() async throws {
    let log = try LedgerLog(actions: 1_000)
    let cursor = try log.history().cursor(at: .start)
    let observer = await HistoryObserver(cursor)
    let stream = observer.makeStream()
    Self.blockMainActor {
      try await cursor.perform { cursor in
        for _ in 0..<10 {
          try cursor.jump(to: 1_000)
          try cursor.jump(to: 0)
        }
        try cursor.jump(to: 7)
      }
    }
    #expect(await settle { observer.revision == 7 })
    // 20 007 actions were crossed, more than are kept for a stream, so the stream has ended.
    #expect(await Self.all(stream).isEmpty)
    #expect(observer.state == log.states[7])
  }

  /// Occupies the main actor until `work` has ended.
  private static func blockMainActor(while work: @escaping @Sendable () async throws -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      try? await work()
      done.signal()
    }
    done.wait()
  }

  /// The actions that a listener to the protocols of a store receives.
  private static func amounts<Source: Selector<Ledger.State> & Streamer<Ledger.State, Ledger.Action>>(
    of source: Source, after move: () async throws -> Void, count: Int
  ) async throws -> [Int] {
    let stream = source.makeStream()
    try await move()
    var amounts: [Int] = []
    for try await (oldState, action) in stream {
      var state = oldState
      Ledger.reduce(into: &state, action: action)
      amounts.append(state.last)
      if amounts.count == count { break }
    }
    return amounts
  }

  private static func all(_ stream: ActionStream<Crossed>) async -> [Crossed] {
    var elements: [Crossed] = []
    for await element in stream { elements.append(element) }
    return elements
  }
}

/// A file system whose first read waits, when it is held.
private struct HeldReads {
  private let files: FaultyFileSystem
  private let isHeld: Locked<Bool>
  private let arrived = DispatchSemaphore(value: 0)
  private let released = DispatchSemaphore(value: 0)

  init(_ disk: MemoryFileSystem) {
    let isHeld = Locked(false)
    self.isHeld = isHeld
    files = FaultyFileSystem(disk) { [arrived, released] call in
      let waits = isHeld.withLock { isHeld in
        defer { if call.operation == .read { isHeld = false } }
        return isHeld && call.operation == .read
      }
      guard waits else { return }
      arrived.signal()
      released.wait()
    }
  }

  func history() throws -> History<Ledger> { try History<Ledger>(at: LedgerLog.path, fileSystem: files) }

  /// Lets the next read wait.
  func hold() { isHeld.withLock { isHeld in isHeld = true } }

  /// Returns when the read waits.
  func arrive() async { await BlockingWork.run { [arrived] in arrived.wait() } }

  func release() { released.signal() }
}
