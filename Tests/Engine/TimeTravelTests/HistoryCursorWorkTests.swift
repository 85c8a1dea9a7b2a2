import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import TestSupport
import Testing
import TimeTravel

/// The cost of moves in folded actions, as the documentation promises.
@MainActor @Suite struct HistoryCursorWorkTests {
  /// Near the cursor every sixteenth state is kept.
  private nonisolated static let spacing = 16

  /// Made once, because writing it takes longer than the tests.
  private static let long = Result { try LedgerLog(actions: 10_000) }

  @Test(arguments: [10_000, 9_999, 5_120, 5_121, 4_097, 1_500])
  func hundredStepsBackFoldAHundredActions(start: Int) async throws {
    let log = try Self.long.get()
    let states = log.states
    let cursor = try log.history().cursor(at: .revision(start))
    try await cursor.perform { cursor in
      let before = cursor.work
      #expect(before.actionsFolded == start)
      for revision in (start - 100..<start).reversed() {
        try cursor.stepBackward()
        #expect(cursor.state == states[revision])
      }
      #expect(cursor.work.actionsFolded - before.actionsFolded <= 100 + Self.spacing)
      #expect(cursor.work.replays == before.replays)
    }
  }

  @Test func stepBackNearAJumpFoldsFewActions() async throws {
    try await Self.long.get().history().cursor().perform { cursor in
      for _ in 0..<900 {
        let before = cursor.work.actionsFolded
        try cursor.stepBackward()
        #expect(cursor.work.actionsFolded - before < Self.spacing)
      }
    }
  }

  @Test func walkBackReplaysTheHistoryAFewTimes() async throws {
    try await Self.long.get().history().cursor().perform { cursor in
      while cursor.revision > 0 { try cursor.stepBackward() }
      #expect(cursor.state == Ledger.initialState)
      #expect(cursor.work.replays == 1)
      #expect(cursor.work.actionsFolded <= 3 * 10_000, "once to get there, once for each gap, once within each gap")
      #expect(cursor.work.keyframesHeld <= 512)
    }
  }

  @Test func turningBackFoldsNothing() async throws {
    try await LedgerLog(actions: 2_000).history().cursor(at: .revision(1_000)).perform { cursor in
      for _ in 0..<60 { try cursor.stepBackward() }
      let before = cursor.work.actionsFolded
      for _ in 0..<60 { try cursor.stepForward() }
      for _ in 0..<60 { try cursor.stepBackward() }
      #expect(cursor.work.actionsFolded == before)
    }
  }

  @Test func stepForwardFoldsOneAction() async throws {
    try await LedgerLog(actions: 2_000).history().cursor(at: .start).perform { cursor in
      for revision in 1...2_000 {
        try cursor.stepForward()
        #expect(cursor.work.actionsFolded == revision)
      }
      #expect(cursor.work.actionsRead == 2_000)
      #expect(cursor.work.keyframesHeld <= 512)
    }
  }

  @Test func listeningFoldsNoMoreActions() async throws {
    let log = try Self.long.get()
    let cursor = try log.history().cursor()
    let observer = await HistoryObserver(cursor)
    let stream = observer.makeStream()
    let before = await cursor.work.actionsFolded
    for _ in 0..<100 { try await observer.stepBackward() }
    #expect(await cursor.work.actionsFolded - before <= 100 + Self.spacing)
    #expect(stream.counts.yielded == 100)
  }

  @Test func observerWithoutStreamsFoldsNothingMore() async throws {
    let log = try Self.long.get()
    let cursor = try log.history().cursor()
    let observed = try log.history().cursor()
    let observer = await HistoryObserver(observed)
    // The actions of a move are read only for streams.
    for target in [9_000, 9_900, 100, 1_000] {
      try await cursor.jump(to: target)
      try await observer.jump(to: target)
    }
    #expect(await observed.work == cursor.work)
    #expect(observer.state == log.states[1_000])
  }

  /// All promises together, on a history that is too long to be folded twice unnoticed.
  @Test func foldedHistoryIsNearEverywhere() async throws {
    let length = 100_000
    let log = try LedgerLog(actions: length, segmentLimitBytes: 4_000_000)
    let states = log.states
    try await log.history().cursor().perform { cursor in
      #expect(cursor.work.actionsFolded == length)
      #expect(cursor.work.replays == 1)
      // One in 128, one in 16 of the last 1 024, and the last 16.
      #expect(cursor.work.keyframesHeld == 782 + 56 + 15)
      var random = SeededGenerator(seed: 11)
      for _ in 0..<50 {
        let before = cursor.work
        let target = Int.random(in: 0...length, using: &random)
        try cursor.jump(to: target)
        #expect(cursor.state == states[target])
        #expect(cursor.work.actionsFolded - before.actionsFolded < 128)
        #expect(cursor.work.bytesRead - before.bytesRead < 128 * 200 + 1 << 17, "of 15 MB")
        #expect(cursor.work.snapshotsLoaded == 0)
      }
      #expect(cursor.work.replays == 1)
      #expect(cursor.work.keyframesHeld <= 782 + 2 * 64 + 193)
    }
  }

  @Test func jumpStartsAtTheNearestSnapshot() async throws {
    let disk = MemoryFileSystem()
    let configuration = RecordingConfiguration<Ledger>(
      log: LogConfiguration(durability: .written), snapshots: .every(1_000), retention: .all)
    let store = try RecordingStore<Ledger>(at: "ledger", configuration: configuration, fileSystem: disk)
    for amount in 1...9_500 { try store.dispatch(action: .enter(amount)) }
    try await store.close()

    let history = try await History<Ledger>(at: "ledger", fileSystem: disk)
    let cursor = try history.cursor(at: .start)
    for target in [9_400, 5_000, 9_000, 3_333] {
      let before = await cursor.work.actionsFolded
      try await cursor.jump(to: target)
      #expect(await cursor.state == (try history.state(at: target)))
      // The distance to a snapshot, and the states that are folded for steps back.
      #expect(await cursor.work.actionsFolded - before <= 1_000 + 1_024 + Self.spacing)
    }
  }
}
