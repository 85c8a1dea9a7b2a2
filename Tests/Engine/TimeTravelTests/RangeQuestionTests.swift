import ActionLog
import ActionLogTesting
import EventSourcing
import JSONCoding
import Platform
import TestSupport
import Testing
import TimeTravel

/// Questions that are divided at snapshots have the answers of one visit, in the same order.
@Suite struct RangeQuestionTests {
  private static let count = 60
  private static let conditions: [String?] = [
    nil, "/items/a/count == 2", "/items/a/count changed", "/isOpen and type like \"*e*\"", "/items/zz exists",
    "count(/items) changed and count(/items) == 1", "data/count == 2", "data/nothing == 1 or /tags == \"A\"",
    "seq > 40",
    "type != \"open\" and /plain/zz == 3",
  ]

  private static func options(_ foldLimit: Int) -> ReplayOptions {
    var options = ReplayOptions()
    options.foldLimit = foldLimit
    options.shortestRange = 1
    return options
  }

  /// A log with snapshots at any revisions, one of which may be damaged or of other code; or a branch of it.
  private static func history(_ seed: UInt64) throws -> History<Stock> {
    var random = SeededGenerator(seed: seed)
    let log = try StockLog(seed: seed, actions: count)
    var history = try log.history()
    if seed % 4 == 3 {
      _ = try history.branch([.skip(20...20)], to: "branch")
      history = try History(at: "branch", fileSystem: log.disk)
    }
    let last = try history.lastRevision()
    let revisions = (1..<last).shuffled(using: &random).prefix(Int.random(in: 3...9, using: &random)).sorted()
    for revision in revisions { _ = try history.takeSnapshot(at: revision) }
    let snapshots = try #require(history.snapshots)
    let path = snapshots.path(at: revisions[1])
    switch seed % 4 {
    case 1: try log.disk.flipBit(2, ofByte: log.disk.contents(of: path).count / 2, in: path)
    case 2:
      // The state of another revision.
      var forged = try snapshots.read(at: revisions[1])
      forged.state = try snapshots.read(at: revisions[0]).state
      try snapshots.publish(forged)
    default: break
    }
    return history
  }

  /// Everything that a question finds, as text. Ends after `limit` findings.
  private func answers(
    _ history: History<Stock>, _ range: ClosedRange<Int>, _ foldLimit: Int, limit: Int
  ) throws -> [String] {
    let options = Self.options(foldLimit)
    var answers: [String] = []
    func ask(_ question: () throws -> QuestionWork) {
      do {
        let work = try question()
        answers.append("\(work.statesVisited)")
        // What a question has met besides when it ends early depends on the threads.
        if limit == .max { answers.append("\(work.missingPointers) \(work.hints)") }
      } catch {
        answers.append("error: \(error)")
      }
    }
    for pointers in [["/items/a/count", "/isOpen"], ["/tags"], ["/items/zz"], [""]] {
      let places = try pointers.map { text in try JSONPointer(parsing: text) }
      var count = 0
      ask {
        try history.changes(of: places, in: range, options: options) { change in
          count += 1
          answers.append(
            "\(change.record.revision) \(change.pointer) \(String(describing: change.old)) \(String(describing: change.new))"
          )
          return count < limit
        }
      }
    }
    for text in Self.conditions {
      let condition = try text.map { text in try Condition(parsing: text) }
      for pointers in [[], ["/items/b"]] {
        let places = try pointers.map { text in try JSONPointer(parsing: text) }
        var count = 0
        ask {
          try history.actions(where: condition, touching: places, in: range, options: options) { record in
            count += 1
            answers.append("\(text ?? "all"): \(record.revision) \(record.type)")
            return count < limit
          }
        }
      }
    }
    return answers
  }

  @Test(arguments: Array(0..<8 as Range<UInt64>)) func rangesFindWhatOneVisitFinds(seed: UInt64) throws {
    let history = try Self.history(seed)
    let last = try history.lastRevision()
    let snapshot = try #require(history.snapshots?.revisions().dropFirst().first)
    for range in [0...last, 1...last, snapshot...last, snapshot + 1...last, 0...snapshot, 7...7] {
      for limit in [Int.max, 1, 3] {
        #expect(
          try answers(history, range, 3, limit: limit) == answers(history, range, 1, limit: limit),
          "seed \(seed), \(range), \(limit)")
      }
    }
  }

  /// An action that a range cannot fold is an error after the findings before it.
  @Test func errorOfALaterRangeFollowsTheFindingsBeforeIt() throws {
    let log = try LedgerLog(actions: 300)
    for revision in [50, 100, 150, 180, 250] { _ = try log.history().takeSnapshot(at: revision) }
    let history = try log.history(StrictLedger.self)
    let pointer = try JSONPointer(parsing: "/last")
    var found: [[Int]] = []
    for foldLimit in [1, 3] {
      var revisions: [Int] = []
      let error = #expect(throws: EventSourcingError.self) {
        try history.changes(of: [pointer], in: 0...300, options: Self.options(foldLimit)) { change in
          revisions.append(change.record.revision)
          return true
        }
      }
      #expect(error?.code == .refusedInReplay && error?.revision == StrictLedger.refusedAmount)
      found.append(revisions)
    }
    #expect(found[0] == Array(1..<StrictLedger.refusedAmount) && found[0] == found[1])
  }

  /// Each action is folded once, in ranges that begin at snapshots; after the last finding that is wanted, no range begins.
  @Test func workIsDividedAndEndsWithTheAnswer() throws {
    let log = try LedgerLog(actions: 300)
    for revision in stride(from: 10, to: 300, by: 10) { _ = try log.history().takeSnapshot(at: revision) }
    let history = try log.history()
    let pointer = try JSONPointer(parsing: "/last")
    let options = Self.options(2)
    let whole = try history.changes(of: [pointer], in: 0...300, options: options) { _ in true }
    #expect(whole.actionsFolded == 300 && whole.statesVisited == 301 && whole.snapshotsLoaded == 7)
    let part = try history.changes(of: [pointer], in: 0...300, options: options) { change in
      change.record.revision < 60
    }
    #expect(part.actionsFolded == 60 && part.statesVisited == 61 && part.snapshotsLoaded <= 2)
  }
}
