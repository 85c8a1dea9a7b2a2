import ActionLog
import EventSourcing
import JSONCoding
import Testing
import TimeTravel

/// What questions cost on a long history, counted.
@MainActor @Suite struct QuestionWorkTests {
  private static let count = 100_000

  /// Made once: writing it costs more than what the tests do with it.
  private static let long = Result {
    let log = try LedgerLog(actions: count, segmentLimitBytes: 1 << 20)
    for revision in stride(from: 10_000, through: count, by: 10_000) {
      _ = try log.history().takeSnapshot(at: revision)
    }
    return log
  }

  @Test func blameFoldsOnlyBackToTheChange() throws {
    let history = try Self.long.get().history()
    // The last action changed it: one stretch, from the last snapshot before the end.
    let near = try history.blame(try JSONPointer(parsing: "/last"))
    #expect(near.change?.record.seq == Self.count)
    #expect(near.work.actionsFolded == 10_000 && near.work.snapshotsLoaded == 1)
    #expect(near.work.statesVisited == 10_001)
    // Nothing ever changed it: every action once, never twice.
    let never = try history.blame(try JSONPointer(parsing: "/nothing"))
    #expect(never.change == nil && never.value == nil)
    #expect(never.work.actionsFolded == Self.count)
  }

  @Test func bisectLooksAtFewStatesAndFoldsLittle() throws {
    let log = try Self.long.get()
    let answer = try log.history().bisect(try Condition(parsing: "/count >= 73123"))
    #expect(answer.revision == 73_123 && answer.record?.seq == 73_123)
    #expect(answer.isMonotonic && !answer.wasScanned)
    #expect(answer.probes.count <= 2 + 17 + 34)
    // Halving folds from snapshots, less at each step; the controls fold from snapshots, too.
    #expect(answer.work.actionsFolded < 4 * Self.count)
  }

  @Test func aForwardSearchEndsWhereTheConditionHolds() throws {
    let answer = try Self.long.get().history().firstRevision(
      where: try Condition(parsing: "/last == 25050"), after: 25_000)
    #expect(answer.revision == 25_050)
    #expect(answer.work.actionsFolded == 5_050, "from the snapshot at 20 000")
    #expect(answer.work.statesVisited == 51)
    #expect(answer.work.bytesRead < 4 << 20)
  }

  @Test func aBackwardSearchEndsInTheStretchWhereTheConditionHolds() throws {
    let answer = try Self.long.get().history().lastRevision(where: try Condition(parsing: "/last == 85050"))
    #expect(answer.revision == 85_050)
    #expect(answer.work.actionsFolded == 20_000, "two stretches between snapshots")
  }
}
