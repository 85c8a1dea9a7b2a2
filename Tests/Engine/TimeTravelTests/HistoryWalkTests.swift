import EventSourcing
import JSONCoding
import TestSupport
import Testing
import TimeTravel

@MainActor @Suite struct HistoryWalkTests {
  /// Made once, because writing it takes longer than the tests.
  private static let long = Result { try LedgerLog(actions: 3_000) }

  @Test(arguments: 0..<4)
  func everyMoveReturnsTheFoldedState(seed: UInt64) throws {
    let log = try Self.long.get()
    var random = SeededGenerator(seed: seed)
    var walk = try HistoryWalk(log.history(), to: .start)
    var tree = try StateTree(encoding: walk.state)
    for _ in 0..<60 {
      let isFar = Int.random(in: 0..<4, using: &random) == 0
      let target = isFar ? Int.random(in: 0...3_000, using: &random) : max(0, min(3_000, walk.revision + 1))
      let base = Bool.random(using: &random) ? walk.revision : Int.random(in: 0...3_000, using: &random)
      let seen = try walk.move(to: target, comparedWith: base, patching: isFar ? nil : tree)
      let (old, new) = (try StateTree(encoding: log.states[base]), try StateTree(encoding: log.states[target]))
      #expect(walk.revision == target && walk.state == log.states[target], "seed \(seed)")
      #expect(seen.tree == new, "seed \(seed)")
      #expect(try seen.changes.jsonPatch().apply(to: old.root) == new.root, "seed \(seed)")
      tree = seen.tree
    }
  }

  /// Keeping a state makes the fold copy what it writes.
  @Test func frugalJumpKeepsFewStates() throws {
    let history = try LedgerLog(actions: 10_000).history()
    var walk = try HistoryWalk(history, to: .start, isFrugal: true)
    _ = try walk.move(to: 10_000, comparedWith: 9_999, patching: nil)
    #expect(walk.work.actionsFolded == 10_000)
    // One in 1 024, two for each doubling of the distance from there, one in 16 of the last 1 024, and the last 16 of each state.
    #expect(walk.work.keyframesMade <= 9 + 2 * 3 + 64 + 2 * 16, "\(walk.work.keyframesMade)")
    // A search back to the beginning folds little twice.
    let blame = try walk.blame(JSONPointer(parsing: "/nothing"), at: 10_000, options: ReplayOptions())
    #expect((10_000...10_000 + 1_024).contains(blame.work.actionsFolded), "\(blame.work.actionsFolded)")
  }

  /// A container of many changes is copied once for a move, and not once for each of them.
  @Test func aMoveCopiesEachChangedContainerOnce() throws {
    var walk = try HistoryWalk(DepotLog.history(snapshots: []), to: .revision(1_000))
    let tree = try StateTree(encoding: walk.state)
    let seen = try walk.move(to: 1_400, comparedWith: 1_399, patching: tree)
    #expect(try seen.tree == StateTree(encoding: walk.state))
    // The state, its rows and orders, the list of recent numbers, and at most each row and order.
    #expect(walk.containersRebuilt <= 4 + 400 + 40, "\(walk.containersRebuilt)")
    let before = walk.containersRebuilt
    _ = try walk.move(to: 1_401, comparedWith: 1_400, patching: seen.tree)
    #expect(walk.containersRebuilt - before <= 4)
  }

  @Test func canceledMoveContinuesFromItsLastState() throws {
    let history = try Self.long.get().history()
    var walk = try HistoryWalk(history, to: .revision(5))
    #expect(walk.isNear(5) && !walk.isNear(2_500))
    var other = walk
    // The first check for cancellation is after 1 024 actions.
    other.options.isCancelled = { true }
    #expect(throws: CancellationError.self) { try other.move(to: 3_000, comparedWith: 5, patching: nil) }
    #expect(other.revision == 5 && other.isNear(2_000))
    #expect(!walk.isNear(2_000), "a copy goes its own ways")
    walk.adoptStates(of: other)
    #expect(walk.revision == 5 && walk.isNear(2_000) && !walk.isNear(2_500))

    _ = try walk.move(to: 3_000, comparedWith: 2_999, patching: nil)
    #expect(try walk.state == Self.long.get().states[3_000])
    #expect(walk.isNear(2_500) && walk.isNear(3_000))
  }

  @Test func adoptedStatesReplaceNothing() throws {
    let log = try LedgerLog(actions: 2_000)
    var walk = try HistoryWalk(log.history(), to: .start)
    var other = walk
    _ = try other.firstRevision(where: try Condition(parsing: "/count >= 1500"), after: 0, options: ReplayOptions())
    #expect(other.revision == 0 && other.isNear(1_500))
    // The log grows, and another walk goes to its end.
    try log.append(2_000)
    try walk.refresh()
    _ = try walk.move(to: 4_000, comparedWith: 3_999, patching: nil)
    walk.adoptStates(of: other)
    #expect(walk.revision == 4_000 && walk.revisions == 0...4_000)
    #expect(walk.isNear(4_000) && walk.isNear(1_500))
    // Every state is unchanged.
    for revision in stride(from: 4_000, through: 0, by: -250) {
      _ = try walk.move(to: revision, comparedWith: max(0, revision - 1), patching: nil)
      #expect(walk.state == log.states[revision])
    }
  }

  @Test func failedMoveKeepsTheWalk() throws {
    let log = try LedgerLog(actions: 300)
    var walk = try HistoryWalk(log.history(StrictLedger.self), to: .revision(150))
    let refused = #expect(throws: EventSourcingError.self) {
      try walk.move(to: 250, comparedWith: 249, patching: nil)
    }
    #expect(refused?.revision == 200)
    let missing = #expect(throws: TimeTravelError.self) { try walk.move(to: 301, comparedWith: 0, patching: nil) }
    #expect(missing?.availableRevisions == 0...300)
    #expect(walk.revision == 150)
    try log.append(1)
    try walk.refresh()
    #expect(walk.revisions == 0...301)
  }
}
