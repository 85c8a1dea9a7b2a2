import ActionLog
import EventSourcing
import ImmutableData
import TestSupport
import Testing
import TimeTravel

@MainActor @Suite struct HistoryCursorTests {
  /// Made once, because writing it takes longer than the tests.
  private static let long = Result { try LedgerLog(actions: 3_000) }

  @Test func cursorBeginsAtThePoint() throws {
    let log = try LedgerLog(actions: 50)
    #expect(try log.history().cursor().state == log.states[50])
    #expect(try log.history().cursor(at: .start).state == Ledger.initialState)
    #expect(try log.history().cursor(at: .fromEnd(8)).state == log.states[42])
    #expect(try log.history().cursor(at: .time(LedgerLog.time(of: 9))).state == log.states[9])
    #expect(try log.history().cursor().revisions == 0...50)
  }

  @Test(arguments: 0..<8)
  func everyMoveReachesTheFoldedState(seed: UInt64) throws {
    let log = try Self.long.get()
    var random = SeededGenerator(seed: seed)
    let cursor = try log.history().cursor(at: .revision(Int.random(in: 0...3_000, using: &random)))
    for _ in 0..<150 {
      let before = cursor.revision
      switch Int.random(in: 0..<10, using: &random) {
      case 0: try cursor.jump(to: Int.random(in: 0...3_000, using: &random))
      case 1: try cursor.jump(to: min(3_000, before + Int.random(in: 0...200, using: &random)))
      case 2: try cursor.jump(to: max(0, before - Int.random(in: 0...200, using: &random)))
      case 3...5 where before < 3_000: #expect(try cursor.stepForward().revision == before + 1)
      default:
        guard before > 0 else { continue }
        #expect(try cursor.stepBackward().revision == before)
      }
      #expect(cursor.state == log.states[cursor.revision], "seed \(seed), revision \(cursor.revision)")
      #expect(try cursor.lastAction()?.revision == (cursor.revision == 0 ? nil : cursor.revision), "seed \(seed)")
    }
  }

  @Test func revisionsOutOfRangeNameTheRange() throws {
    let cursor = try LedgerLog(actions: 5).history().cursor(at: .start)
    let before = #expect(throws: TimeTravelError.self) { try cursor.stepBackward() }
    #expect(before?.description == "revision -1 is not in the log, which holds the revisions 0…5")
    try cursor.jump(to: .end)
    let after = #expect(throws: TimeTravelError.self) { try cursor.stepForward() }
    #expect(after?.availableRevisions == 0...5)
    let far = #expect(throws: TimeTravelError.self) { try cursor.jump(to: 99) }
    #expect(far?.code == .revisionOutOfRange)
    #expect(cursor.revision == 5)
  }

  @Test func emptyHistoryHasOneRevision() throws {
    let cursor = try LedgerLog(actions: 0).history().cursor()
    #expect(cursor.revision == 0 && cursor.state == Ledger.initialState)
    #expect(try cursor.lastAction() == nil)
    let error = #expect(throws: TimeTravelError.self) { try cursor.stepForward() }
    #expect(error?.description == "revision 1 is not in the log, which has only revision 0 and no actions")
  }

  @Test func refreshFindsNewActions() throws {
    let log = try LedgerLog(actions: 300)
    let cursor = try log.history().cursor()
    try log.append(20)
    #expect(throws: TimeTravelError.self) { try cursor.stepForward() }
    try cursor.refresh()
    #expect(cursor.revisions == 0...320 && cursor.revision == 300)
    for revision in 301...320 {
      try cursor.stepForward()
      #expect(cursor.state == log.states[revision])
    }
  }

  @Test func failedMoveKeepsThePosition() async throws {
    let log = try LedgerLog(actions: 300)
    let cursor = try log.history(StrictLedger.self).cursor(at: .revision(150))
    let stream = cursor.makeStream()
    let error = #expect(throws: EventSourcingError.self) { try cursor.jump(to: 250) }
    #expect(error?.code == .refusedInReplay && error?.revision == 200)
    #expect(cursor.revision == 150 && cursor.state == log.states[150])
    #expect(stream.counts.yielded == 0)
    try cursor.jump(to: 199)
    #expect(throws: EventSourcingError.self) { try cursor.stepForward() }
    #expect(cursor.revision == 199 && cursor.state == log.states[199])
    #expect(stream.counts.yielded == 49)
  }

  @Test func statesBeforeAndAfterAStepDiffer() throws {
    let cursor = try LedgerLog(actions: 3).history().cursor(at: .fromEnd(1))
    let before = try StateTree(encoding: cursor.state)
    try cursor.stepForward()
    #expect(
      StateDiff(from: before, to: try StateTree(encoding: cursor.state)).description == """
        ~ /count: 2 → 3
        ~ /last: 2 → 3
        ~ /mixed: 29 → 896
        """)
  }

  @Test func cursorWritesNothing() throws {
    let log = try LedgerLog(actions: 2_500)
    let before = try log.contents
    let cursor = try log.history().cursor()
    let stream = cursor.makeStream()
    for target in [0, 2_500, 1_000, 999, 1_001, 7] { try cursor.jump(to: target) }
    try cursor.stepBackward()
    try cursor.refresh()
    #expect(stream.counts.yielded == 0)
    #expect(try log.contents == before)
  }
}
