import ActionLog
import EventSourcing
import JSONCoding
import Platform
import TestSupport
import Testing
import TimeTravel

/// A canceled question ends soon, however long it would have taken: counted in folded actions.
@MainActor @Suite(.serialized) struct QuestionCancellationTests {
  private nonisolated static let count = 60_000
  private static let log = Result { try LedgerLog(actions: count) }

  /// The number of states that a thread visits between two checks for cancellation.
  private static let block = 64

  /// Runs a question that is canceled after some work, and returns the number of actions that were folded after that.
  private func foldedAfterwards(
    _ cursor: HistoryCursor<CountedLedger>,
    _ question: @Sendable (isolated HistoryCursor<CountedLedger>, ReplayOptions) throws -> Void
  ) async throws -> Int {
    let start = CountedLedger.folded.withLock { count in count }
    let end = Locked<Int?>(nil)
    var options = ReplayOptions()
    options.isCancelled = {
      let folded = CountedLedger.folded.withLock { count in count }
      return end.withLock { end in
        if end == nil, folded - start > 20_000 { end = folded }
        return end != nil
      }
    }
    let asked = options
    await #expect(throws: CancellationError.self) {
      try await cursor.perform { cursor in try question(cursor, asked) }
    }
    let cancelled = try #require(end.withLock { end in end }, "it was over before")
    return CountedLedger.folded.withLock { count in count } - cancelled
  }

  @Test func canceledBlameEndsWithinABlock() async throws {
    let cursor = try Self.log.get().history(CountedLedger.self).cursor()
    let folded = try await foldedAfterwards(cursor) { cursor, options in
      _ = try cursor.blame(try JSONPointer(parsing: "/nothing"), options: options)
    }
    // Each thread ends at its next check.
    #expect(folded <= ProcessorCount.forFolds * (Self.block + 1), "\(folded)")
    #expect(await cursor.revision == Self.count)
    // The next question is answered.
    #expect(try await cursor.blame(try JSONPointer(parsing: "/last")).change?.record.revision == Self.count)
  }

  @Test(arguments: ["/nothing == 1", "/count < 0"]) func canceledSearchEndsWithinABlock(condition: String) async throws
  {
    let condition = try Condition(parsing: condition)
    let history = try Self.log.get().history(CountedLedger.self)
    for isForward in [true, false] {
      let folded = try await foldedAfterwards(try history.cursor(at: isForward ? .start : .end)) { cursor, options in
        _ =
          isForward
          ? try cursor.firstRevision(where: condition, after: 0, options: options)
          : try cursor.lastRevision(where: condition, options: options)
      }
      #expect(folded <= Self.block + 1, "\(folded)")
    }
    // Bisection folds without visiting states, and checks periodically, too.
    let halved = try await foldedAfterwards(try history.cursor(at: .start)) { cursor, options in
      _ = try cursor.bisect(condition, options: options)
    }
    #expect(halved <= 1_024, "\(halved)")
  }

  @Test func canceledFiltersEndWithinABlock() async throws {
    let history = try Self.log.get().history(CountedLedger.self)
    let cursor = try history.cursor(at: .start)
    let pointer = try JSONPointer(parsing: "/nothing")
    let changes = try await foldedAfterwards(cursor) { _, options in
      try history.changes(of: [pointer], in: 0...Self.count, options: options) { _ in true }
    }
    let filtered = try await foldedAfterwards(cursor) { _, options in
      try history.actions(where: nil, touching: [pointer], in: 1...Self.count, options: options) { _ in true }
    }
    #expect(changes <= Self.block + 1 && filtered <= Self.block + 1, "\(changes), \(filtered)")
  }
}

/// A ledger that counts folded actions, for this suite only.
private enum CountedLedger: Model {
  static let folded = Locked(0)

  static let name = "ledger"
  static let schema = 1
  static let initialState = Ledger.State()
  static let sourceFingerprint: String? = ""

  static func reduce(into state: inout Ledger.State, action: Ledger.Action) {
    folded.withLock { count in count += 1 }
    Ledger.reduce(into: &state, action: action)
  }
}
