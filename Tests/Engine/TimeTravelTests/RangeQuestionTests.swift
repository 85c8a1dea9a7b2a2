import ActionLog
import ActionLogTesting
import EventSourcing
import JSONCoding
import Platform
import TestSupport
import Testing
import TimeTravel

/// Questions that visit the states of a range.
@Suite struct RangeQuestionTests {
  @Test func errorFollowsTheFindingsBeforeIt() throws {
    let log = try LedgerLog(actions: 300)
    let history = try log.history(StrictLedger.self)
    var revisions: [Int] = []
    let error = #expect(throws: EventSourcingError.self) {
      try history.changes(of: [JSONPointer(parsing: "/last")], in: 0...300) { change in
        revisions.append(change.record.revision)
        return true
      }
    }
    #expect(error?.code == .refusedInReplay && error?.revision == StrictLedger.refusedAmount)
    #expect(revisions == Array(1..<StrictLedger.refusedAmount))
  }

  /// The first of two ranges is shorter if its end must be compared, which takes twice as long as loading the beginning of the other.
  @Test func rangesTakeTheSameTime() throws {
    let log = try LedgerLog(actions: 300)
    let revisions = Array(stride(from: 10, to: 300, by: 10))
    for revision in revisions { _ = try log.history().takeSnapshot(at: revision) }
    let history = try log.history()
    let snapshots = try #require(history.snapshots)
    let bytesPerAction = max(1, try #require(snapshots.sizeBytes(at: 150)) / 40)
    var options = ReplayOptions()
    (options.foldLimit, options.shortestRange) = (2, 1)
    #expect(history.rangeBounds(from: 0, to: 300, options: options, rangesPerThread: 1) == [0, 150, 300])
    let bounds = history.rangeBounds(
      from: 0, to: 300, options: options, rangesPerThread: 1, bytesPerAction: bytesPerAction)
    let differences = try revisions.map { revision in
      let loading = try #require(snapshots.sizeBytes(at: revision)) / bytesPerAction
      return (difference: abs((revision + 2 * loading) - (300 - revision + loading)), revision: revision)
    }
    let best = try #require(differences.min { one, other in one.difference < other.difference })
    #expect(bounds == [0, best.revision, 300] && best.revision < 140)
  }

  /// The error names all actions that the question has read.
  @Test func damageIsReportedWithTheActionsRead() throws {
    let log = try LedgerLog(actions: 240)
    // Another segment, so that the actions after the damage are in the log.
    try log.append(60, segmentLimitBytes: 10_000)
    #expect(try log.history().reader.segments.count == 2)
    for revision in [50, 100, 150, 180, 250] { _ = try log.history().takeSnapshot(at: revision) }
    let place = try log.history().reader.record(at: 220).place
    try log.disk.flipBit(0, ofByte: place.byteOffset + 40, in: place.path)
    for (first, intact) in [
      (0, "Actions 1…219 are intact."), (20, "Actions 1…219 are intact."),
      (60, "Actions 51…219 are intact; those before were not read."),
    ] {
      let error = #expect(throws: LogError.self) {
        try log.history().changes(of: [JSONPointer(parsing: "/last")], in: first...300) { _ in true }
      }
      #expect(error?.intact == intact && error?.revision == 220, "\(String(describing: error))")
    }
  }

  /// A location without a value is explained from the names around it as from the complete state.
  @Test(arguments: Array(0..<4 as Range<UInt64>)) func absenceIsExplainedAsByTheCompleteState(seed: UInt64) throws {
    let history = try StockLog(seed: seed, actions: 60).history()
    let tree = try StateTree(encoding: history.state())
    var count = 0
    for text in [
      "/", "/itms", "/items/zz", "/items/a/cuont", "/items/a/count/x", "/tags/9", "/tags/-", "/tags/01", "/isOpen/x",
      "/log/0/1", "/plain/zz", "/log/zz/1", "/TAGS", "/items/A", "/items/",
    ] {
      let pointer = try JSONPointer(parsing: text)
      let error: TimeTravelError
      do throws(TimeTravelError) {
        _ = try tree.value(at: pointer)
        continue
      } catch let absence { error = absence }
      // No state has it, so the answer says what is there instead.
      let condition = try Condition(parsing: "\(text) == 77777")
      let work = try history.firstRevision(where: condition).work
      guard work.missingPointers == [pointer] else { continue }
      let hint = try #require(try work.allHints().first)
      #expect(hint.message == "in every checked state there is \(error.message)")
      #expect(hint.suggestions == error.suggestions)
      count += 1
    }
    #expect(count > 8)
  }

  @Test func workEndsWithTheAnswer() throws {
    let log = try LedgerLog(actions: 300)
    let history = try log.history()
    let pointer = try JSONPointer(parsing: "/last")
    for end in [29, 60, 200, 300] {
      let work = try history.changes(of: [pointer], in: 0...300) { change in change.record.revision < end }
      #expect(work.actionsFolded == end && work.statesVisited == end + 1 && work.snapshotsLoaded == 0)
    }
  }
}
