import ActionLog
import EventSourcing
import JSONCoding
import Platform
import Testing
import TimeTravel

/// The counted cost of questions on a long history.
@MainActor @Suite struct QuestionWorkTests {
  private static let count = 100_000

  /// Made once, because writing it takes longer than the tests.
  private static let long = Result {
    let log = try LedgerLog(actions: count, segmentLimitBytes: 1 << 20)
    for revision in stride(from: 10_000, through: count, by: 10_000) {
      _ = try log.history().takeSnapshot(at: revision)
    }
    return log
  }

  @Test func blameFoldsOnlyBackToTheChange() throws {
    let history = try Self.long.get().history()
    // The last action changed it: one range, from the last snapshot before the end.
    let near = try history.blame(try JSONPointer(parsing: "/last"))
    #expect(near.change?.record.revision == Self.count)
    #expect(near.work.actionsFolded == 10_000 && near.work.snapshotsLoaded == 1)
    #expect(near.work.statesVisited == 10_001)
    // No action changed it: every action is folded once.
    let never = try history.blame(try JSONPointer(parsing: "/nothing"))
    #expect(never.change == nil && never.value == nil)
    #expect(never.work.actionsFolded == Self.count)
  }

  /// A ledger that counts the actions that its reducer folds.
  private enum CountedLedger: Model {
    static let name = Ledger.name
    static let schema = Ledger.schema
    static let initialState = Ledger.State()
    static let sourceFingerprint: String? = ""
    static let folded = Locked(0)

    static func reduce(into state: inout Ledger.State, action: Ledger.Action) {
      folded.withLock { folded in folded += 1 }
      Ledger.reduce(into: &state, action: action)
    }
  }

  @Test func hintsFoldNoActionAgain() throws {
    let count = 2_000
    let history = try LedgerLog(actions: count).history(CountedLedger.self)
    let condition = try Condition(parsing: "/counts == 1")
    let pointer = try JSONPointer(parsing: "/counts")
    let questions: [(name: String, ask: () throws -> QuestionWork)] = [
      ("until", { try history.firstRevision(where: condition).work }),
      ("reverse-until", { try history.lastRevision(where: condition).work }),
      ("bisect", { try history.bisect(condition).work }),
      ("list", { try history.actions(where: condition, in: 1...count) { _ in true } }),
      ("touching", { try history.actions(where: nil, touching: [pointer], in: 1...count) { _ in true } }),
      ("history", { try history.changes(of: [pointer], in: 0...count) { _ in true } }),
    ]
    for (name, ask) in questions {
      CountedLedger.folded.withLock { folded in folded = 0 }
      let work = try ask()
      let hints = try work.allHints().map(\.description)
      #expect(work.actionsFolded == count && CountedLedger.folded.withLock { folded in folded } == count, "\(name)")
      #expect(
        hints == [
          #"in every checked state there is nothing at /counts: the object at the root has no member "counts". Did you mean "count"?"#
        ], "\(name)")
    }
  }

  @Test func bisectVisitsFewStates() throws {
    let log = try Self.long.get()
    let answer = try log.history().bisect(try Condition(parsing: "/count >= 73123"))
    #expect(answer.revision == 73_123 && answer.record?.revision == 73_123)
    #expect(answer.isMonotonic && !answer.wasScanned)
    // Ten snapshots are bisected; then the actions after that at 70 000 are folded.
    #expect(answer.probes.count <= 5 + 4)
    #expect(answer.work.actionsFolded == 3_123)
  }

  @Test func forwardSearchEndsAtTheAnswer() throws {
    let answer = try Self.long.get().history().firstRevision(
      where: try Condition(parsing: "/last == 25050"), after: 25_000)
    #expect(answer.revision == 25_050)
    #expect(answer.work.actionsFolded == 5_050, "from the snapshot at 20 000")
    #expect(answer.work.statesVisited == 51)
    #expect(answer.work.bytesRead < 4 << 20)
  }

  @Test func backwardSearchEndsInTheRangeOfTheAnswer() throws {
    let answer = try Self.long.get().history().lastRevision(where: try Condition(parsing: "/last == 85050"))
    #expect(answer.revision == 85_050)
    #expect(answer.work.actionsFolded == 20_000, "two ranges between snapshots")
  }

  @Test func historyBeforeTheFirstEditIsFoldedOnce() throws {
    let history = try Self.long.get().history()
    let answer = try history.whatIf([.skip(95_001...95_001)])
    #expect(answer.stem == 95_000 && answer.firstDivergence == 95_001)
    #expect(answer.state.count == Self.count - 1)
    #expect(answer.work.snapshotsLoaded == 1, "that at 90 000")
    #expect(answer.work.actionsFolded == 5_000 + 5_000 + 4_999)
    #expect(answer.work.statesVisited == 1, "only where the edit is can the states begin to differ")
  }

  @Test func ineffectiveEditsEndTheFold() throws {
    let history = try Self.long.get().history()
    // Action 12 345 replaced by itself: the same history.
    let answer = try history.whatIf([.move(12_345, after: 12_345)])
    #expect(answer.firstDivergence == nil && answer.difference.isEmpty)
    #expect(answer.counts == (history: Self.count, branch: Self.count))
    #expect(answer.work.snapshotsLoaded == 2, "that before the edit, and that at the end")
    #expect(answer.work.actionsFolded == 2_345 + 1)
  }

  @Test func branchCopiesTheCommonPartUnfolded() throws {
    let log = try Self.long.get()
    let report = try log.history().branch([.skip(95_001...95_001)], to: "branch")
    #expect(report.lastRevision == Self.count - 1)
    #expect(report.answer.work.actionsFolded == 5_000 + 5_000 + 4_999)
    let branch = try History<Ledger>(at: "branch", fileSystem: log.disk)
    #expect(try branch.state() == report.answer.state)
  }
}
