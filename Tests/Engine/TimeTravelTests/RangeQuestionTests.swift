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
  private static let count = 130
  private static let conditions: [String?] = [
    nil, "/items/a/count == 2", "/items/a/count changed", "/isOpen and type like \"*e*\"", "/items/zz exists",
    "count(/items) changed and count(/items) == 1", "data/count == 2", "data/nothing == 1 or /tags == \"A\"",
    "seq > 40", "type != \"open\" and /plain/zz == 3", "/items/d/cuont != 1", "count(/isOpen) > 1 or seq > 44",
    "count(/log/0) > 1 or count(/items) > 2", "/itms/a exists or /items/b/count == 1", "not /tags/0 == \"a\"",
  ]

  /// One visit, or one that is divided after `alone` actions.
  private static func options(_ foldLimit: Int, alone: Int = 4) -> ReplayOptions {
    var options = ReplayOptions()
    (options.foldLimit, options.shortestVisit) = (foldLimit, foldLimit > 1 ? alone : 1 << 16)
    options.actionsPerFinding = 1
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
    let revisions = (1..<last).shuffled(using: &random).prefix(Int.random(in: 5...9, using: &random)).sorted()
    for revision in revisions { _ = try history.takeSnapshot(at: revision) }
    let snapshots = try #require(history.snapshots)
    // The states after the first 64 actions identify the code.
    let victim = try #require(revisions.dropFirst().first { revision in revision > 64 })
    let path = snapshots.path(at: victim)
    switch seed % 4 {
    case 1: try log.disk.flipBit(2, ofByte: log.disk.contents(of: path).count / 2, in: path)
    case 2:
      // The state of another revision.
      var forged = try snapshots.read(at: victim)
      forged.state = try snapshots.read(at: revisions[0]).state
      try snapshots.publish(forged)
    default: break
    }
    return history
  }

  /// Everything that the questions find, as text, and the number of snapshots that they loaded. A question ends after `limit` findings.
  private func answers(
    _ history: History<Stock>, _ range: ClosedRange<Int>, limit: Int, _ options: ReplayOptions
  ) throws -> (texts: [String], snapshotsLoaded: Int) {
    var texts: [String] = []
    var snapshotsLoaded = 0
    func ask(_ question: () throws -> QuestionWork) {
      do {
        let work = try question()
        snapshotsLoaded += work.snapshotsLoaded
        texts.append("\(work.statesVisited) \(work.missingPointers) \(try work.allHints())")
      } catch {
        texts.append("error: \(error)")
      }
    }
    // One action changes several of the first values.
    for pointers in [["/items", "/items/a", "/items/a/count", "/isOpen"], ["/tags"], ["/items/zz", "/plain/a"], [""]] {
      let places = try pointers.map { text in try JSONPointer(parsing: text) }
      var count = 0
      ask {
        try history.changes(of: places, in: range, options: options) { change in
          count += 1
          let values = [change.old, change.new].map { value in value.map { value in "\(value)" } ?? "-" }
          texts.append("\(change.record.revision) \(change.pointer) \(values)")
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
            texts.append("\(text ?? "all"): \(record.revision) \(record.type)")
            return count < limit
          }
        }
      }
      guard let condition, limit == .max else { continue }
      for after in [nil, range.lowerBound, range.upperBound] {
        ask {
          let found = try history.firstRevision(
            where: condition, after: after, upTo: range.upperBound, options: options)
          let end = try found.work.endValues(at: condition.pointers).map { value in "\(value)" }
          texts.append("\(condition.text): \(String(describing: found.revision)) \(found.record?.type ?? "-") \(end)")
          #expect(found.record?.revision == found.revision || found.revision == 0)
          return found.work
        }
      }
    }
    return (texts, snapshotsLoaded)
  }

  @Test(arguments: Array(0..<8 as Range<UInt64>)) func rangesFindWhatOneVisitFinds(seed: UInt64) throws {
    let history = try Self.history(seed)
    let last = try history.lastRevision()
    let snapshot = try #require(history.snapshots?.revisions().dropFirst().first)
    var (loaded, loadedInRanges) = (0, 0)
    for range in [0...last, snapshot...last, 1...snapshot + 20] {
      for limit in [Int.max, 1, 9] {
        let expected = try answers(history, range, limit: limit, Self.options(1))
        var options = Self.options(2 + Int(seed % 3), alone: 1 + Int(seed % 5))
        options.actionsPerFinding = 1 + Int(seed / 2 % 2)
        let found = try answers(history, range, limit: limit, options)
        #expect(found.texts == expected.texts, "seed \(seed), \(range), \(limit)")
        loaded += expected.snapshotsLoaded
        loadedInRanges += found.snapshotsLoaded
      }
    }
    #expect(loadedInRanges > loaded)
  }

  /// Hints are made from the first thousand texts.
  @Test func textsOfRangesAreThoseOfOneVisit() throws {
    let log = try StockLog((1...1_800).map { number in .tag("text \(number)") })
    for revision in stride(from: 300, to: 1_800, by: 300) { _ = try log.history().takeSnapshot(at: revision) }
    let history = try log.history()
    for number in [7, 999, 1_000, 1_001, 1_700] {
      let condition = try Condition(parsing: "data/_0 == \"TEXT \(number)\"")
      let hints = try [1, 2, 4].map { foldLimit in
        try history.actions(where: condition, in: 0...1_800, options: Self.options(foldLimit)) { _ in true }.allHints()
      }
      #expect(hints[0].contains { hint in hint.message.contains("case matters") } == (number <= 1_000), "\(hints[0])")
      #expect(hints[1] == hints[0] && hints[2] == hints[0], "\(number)")
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

  /// The first of two ranges is shorter if its end must be compared, which takes twice as long as loading the beginning of the other.
  @Test func rangesTakeTheSameTime() throws {
    let log = try LedgerLog(actions: 300)
    let revisions = Array(stride(from: 10, to: 300, by: 10))
    for revision in revisions { _ = try log.history().takeSnapshot(at: revision) }
    let history = try log.history()
    let snapshots = try #require(history.snapshots)
    let bytesPerAction = max(1, try #require(snapshots.sizeBytes(at: 150)) / 40)
    var options = Self.options(2)
    options.shortestRange = 1
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

  /// The error names all actions that the question has read, wherever the last range began.
  @Test(arguments: [1, 3]) func damageIsReportedAsByOneVisit(foldLimit: Int) throws {
    let log = try LedgerLog(actions: 240)
    // Another segment, so that the actions after the damage are in the log.
    try log.append(60, segmentLimitBytes: 10_000)
    #expect(try log.history().reader.segments.count == 2)
    for revision in [50, 100, 150, 180, 250] { _ = try log.history().takeSnapshot(at: revision) }
    let place = try log.history().reader.record(at: 220).place
    try log.disk.flipBit(0, ofByte: place.byteOffset + 40, in: place.path)
    var options = Self.options(foldLimit)
    options.shortestVisit = 4
    for (first, intact) in [
      (0, "Actions 1…219 are intact."), (20, "Actions 1…219 are intact."),
      (60, "Actions 51…219 are intact; those before were not read."),
    ] {
      let error = #expect(throws: LogError.self) {
        try log.history().changes(of: [JSONPointer(parsing: "/last")], in: first...300, options: options) { _ in true }
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

  /// Each action is folded once, a range loads one snapshot, and an early answer needs none.
  @Test func workIsDividedAndEndsWithTheAnswer() throws {
    let log = try LedgerLog(actions: 300)
    for revision in stride(from: 10, to: 300, by: 10) { _ = try log.history().takeSnapshot(at: revision) }
    let history = try log.history()
    let pointer = try JSONPointer(parsing: "/last")
    var options = Self.options(3, alone: 30)
    let steps = Locked([ReplayProgress]())
    options.progress = { step in steps.withLock { steps in steps.append(step) } }
    let work = try history.changes(of: [pointer], in: 0...300, options: options) { _ in true }
    #expect(work.actionsFolded == 300 && work.statesVisited == 301 && work.snapshotsLoaded == 2)
    let folded = steps.withLock { steps in steps.map(\.actionsFolded) }
    #expect(folded == folded.sorted() && folded.last == 30)
    for (end, snapshots) in [(29, 0), (60, 0), (200, 1)] {
      let work = try history.changes(of: [pointer], in: 0...300, options: Self.options(3, alone: 30)) { change in
        change.record.revision < end
      }
      #expect(work.actionsFolded == end && work.statesVisited == end + 1 && work.snapshotsLoaded == snapshots)
    }
    // A thread ahead would wait with its findings, so a question that finds many at once is visited alone.
    for (actionsPerFinding, snapshots) in [(1, 2), (2, 0)] {
      var options = Self.options(3, alone: 30)
      options.actionsPerFinding = actionsPerFinding
      let work = try history.changes(of: [pointer], in: 0...300, options: options) { _ in true }
      #expect(work.actionsFolded == 300 && work.statesVisited == 301 && work.snapshotsLoaded == snapshots)
    }
    // Findings that become many in the second of three ranges end that range: its rest is visited alone.
    let many = try Condition(parsing: "seq > 150 and /last exists")
    for (actionsPerFinding, snapshots) in [(1, 2), (2, 1)] {
      var options = Self.options(3, alone: 30)
      options.actionsPerFinding = actionsPerFinding
      let steps = Locked([Int]())
      options.progress = { step in steps.withLock { steps in steps.append(step.actionsFolded) } }
      var found: [Int] = []
      let work = try history.actions(where: many, in: 0...300, options: options) { record in
        found.append(record.revision)
        return true
      }
      #expect(found == Array(151...300))
      #expect(work.actionsFolded == 300 && work.statesVisited == 301 && work.snapshotsLoaded == snapshots)
      // The last report is that of the beginning of a fold: of the ranges, or of the rest.
      #expect(steps.withLock { steps in steps.last } == (snapshots == 2 ? 30 : 166))
    }
    let opens = try [1, 3].map { foldLimit in
      let before = log.disk.counts.opens
      _ = try history.changes(of: [pointer], in: 0...300, options: Self.options(foldLimit, alone: 30)) { _ in false }
      return log.disk.counts.opens - before
    }
    #expect(opens[0] == opens[1])
    options.decodesAhead = false
    let alone = try history.changes(of: [pointer], in: 0...300, options: options) { _ in true }
    #expect(alone.actionsFolded == 300 && alone.snapshotsLoaded == 0)
  }

  /// A ledger that refuses an action that is not the next one.
  private enum Ordered: Model {
    struct Refusal: Error {}

    static let name = Ledger.name
    static let schema = Ledger.schema
    static let initialState = Ledger.State()

    static func reduce(into state: inout Ledger.State, action: Ledger.Action) throws {
      guard case .enter(state.count + 1) = action else { throw Refusal() }
      Ledger.reduce(into: &state, action: action)
    }
  }

  /// A bisection that begins at a snapshot with the state of another revision finds out, also where nothing is found from there on,
  /// and where the reducer refuses what follows.
  @Test func aBisectionExaminesTheSnapshotThatItContinuesFrom() throws {
    func bisected<M: Model>(_ model: M.Type) throws -> (revision: Int?, refusals: [SnapshotRefusal]) {
      let log = try LedgerLog(actions: 2_000)
      let history = try log.history(model)
      for revision in [100, 1_500] { _ = try history.takeSnapshot(at: revision) }
      let snapshots = try #require(history.snapshots)
      var forged = try snapshots.read(at: 1_500)
      forged.state = try snapshots.read(at: 100).state
      try snapshots.publish(forged)
      let refusals = Locked<[SnapshotRefusal]>([])
      var options = ReplayOptions()
      options.refused = { refusal in refusals.withLock { refusals in refusals.append(refusal) } }
      let answer = try log.history(model).bisect(Condition(parsing: "/count >= 1700"), options: options)
      return (answer.revision, refusals.withLock { refusals in refusals })
    }
    for found in [try bisected(Ledger.self), try bisected(Ordered.self)] {
      #expect(found.revision == 1_700)
      #expect(found.refusals.map(\.revision) == [1_500], "\(found.refusals)")
    }
  }
}
