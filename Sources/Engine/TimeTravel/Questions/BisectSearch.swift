public import ActionLog
public import EventSourcing

/// The first revision at which a condition holds, found by bisection.
public struct BisectAnswer: Sendable {
  /// A revision at which the condition was evaluated to bisect the range.
  package struct Probe: Hashable, Sendable {
    package let revision: Int
    package let holds: Bool
  }

  /// The first revision at which the condition holds; `nil` if there is none.
  public let revision: Int?
  /// The action that led to the revision; `nil` at the beginning of the range.
  public let record: LogRecord?
  /// The revisions at which the condition was evaluated, in this order. None of them cost a fold.
  package let probes: [Probe]
  /// Whether all probes fit a single change from false to true: `false` if the condition holds at one and not at a later one.
  public let isMonotonic: Bool
  /// Whether every state up to the answer was visited, so that no earlier revision can be the answer.
  public let wasScanned: Bool
  /// The work of the search.
  public let work: QuestionWork
}

extension History {
  /// Finds the first revision at which a condition holds, by bisection.
  ///
  /// The range is bisected over the snapshots in it, and the rest is scanned forward, from the state of the last snapshot at which
  /// the condition does not hold. That proves that the condition does not hold at one revision and holds at the next. It is the
  /// first such revision if the condition, once it holds, continues to hold. If a snapshot shows that the condition comes and goes,
  /// or if it holds at no snapshot, the range is scanned from its beginning. Without snapshots the search is that of
  /// `firstRevision(where:after:upTo:options:)`.
  ///
  /// A search folds no action twice. Without an index of changes it folds no more actions than a scan up to the answer. It loads no snapshot twice. The snapshots that it
  /// loads have at most a quarter of the length of the range's lines, so with snapshots that are large compared with the log the
  /// range is scanned. A scan omits the blocks in which the condition cannot change, if there is an index of changes.
  ///
  /// - Parameters:
  ///   - condition: A condition over the state alone.
  ///   - range: The revisions to search; `nil` is all of them.
  /// - Throws: ``TimeTravelError/Code/unanswerable`` for a condition that reads the action or a change;
  ///   ``TimeTravelError/Code/revisionOutOfRange``; the errors of reading and folding, and of the state's coding.
  /// - Complexity: O(log *n*) snapshots of *n*, and O(distance between two of them); O(length of the range) if it is scanned.
  public func bisect(
    _ condition: Condition, in range: ClosedRange<Int>? = nil, options: ReplayOptions = ReplayOptions()
  ) throws -> BisectAnswer {
    var walker = try HistoryWalker(self, keepsStates: false)
    return try walker.bisect(condition, in: range, options: options)
  }
}

extension HistoryCursor {
  /// Finds the first revision at which a condition holds, by bisection: `History.bisect(_:in:options:)` over the states that the
  /// cursor keeps, too.
  ///
  /// The cursor does not move. Its other calls wait; canceling the task, or the callback of `options`, ends the search.
  ///
  /// - Parameters:
  ///   - condition: A condition over the state alone.
  ///   - range: The revisions to search; `nil` is all of them.
  ///   - options: Whether snapshots are used, and the callbacks for progress and cancellation.
  /// - Throws: As `History.bisect(_:in:options:)`.
  /// - Complexity: O(log *n*) kept states, and O(distance between two of them), at most 127 actions where the history was folded
  ///   before; O(length of the range) if it is scanned. Benchmark `bisect: since when a condition holds`.
  public func bisect(
    _ condition: Condition, in range: ClosedRange<Int>? = nil, options: ReplayOptions = ReplayOptions()
  ) throws -> BisectAnswer {
    defer { walker.settle(at: revision) }
    return try walker.bisect(condition, in: range, options: options)
  }
}

extension HistoryWalk {
  package mutating func bisect(_ condition: Condition, options: ReplayOptions) throws -> BisectAnswer {
    try settling { walker in try walker.bisect(condition, in: nil, options: options) }
  }
}

// MARK: - The search

extension HistoryWalker {
  mutating func bisect(
    _ condition: Condition, in range: ClosedRange<Int>?, options: ReplayOptions
  ) throws -> BisectAnswer {
    try asking(options) { walker in
      var search = try BisectSearch<M>(condition, walker, range)
      // The states that were folded are kept even if the search fails.
      defer { walker = search.walker }
      return try search.run()
    }
  }
}

/// The search for the first state at which a condition holds, by bisection.
///
/// Only existing states are used to bisect: those that a walker keeps, and snapshots. The remaining range is scanned forward.
/// Folding to the middle of a range costs half as much as scanning it, and to its end as much as scanning it, so a search
/// never folds more actions than a scan.
struct BisectSearch<M: Model> {
  private(set) var walker: HistoryWalker<M>
  private let evaluator: ConditionEvaluator<M.State>
  private let range: ClosedRange<Int>
  private var probes: [BisectAnswer.Probe] = []
  private var snapshots: [Int: Int]
  private var room: Int
  /// The last existing state at which the condition does not hold.
  private var start: ExistingState<M.State>?
  private var statesScanned = 0
  /// A state that lacks a value of the condition.
  private var visited: VisitedState?
  private var end: VisitedState?
  private let before: CursorWork

  /// The number of kept states that are evaluated on each side of an answer, to find a condition that comes and goes.
  private static var controlCount: Int { 16 }
  /// The number of snapshots that are loaded for this on each side: loading takes time in proportion to the state.
  private static var snapshotControlCount: Int { 2 }
  /// Loading a byte of a snapshot takes about as long as folding a byte of the log, and the standard policy takes a snapshot when
  /// the log has grown by four times its size.
  private static var lineBytesPerSnapshotByte: Int { 4 }

  init(_ condition: Condition, _ walker: HistoryWalker<M>, _ range: ClosedRange<Int>?) throws {
    guard !condition.readsAction, !condition.readsChange else {
      throw TimeTravelError(
        .unanswerable,
        "a bisection needs a condition on the state alone, and '\(condition)' reads "
          + (condition.readsChange ? "a change" : "the action")
          + ": search for the first revision instead, which evaluates it after every action")
    }
    let known = walker.revisionRange
    let range = range ?? known.revisions
    _ = try known.checking(range.lowerBound)
    _ = try known.checking(range.upperBound)
    self.range = range
    self.evaluator = ConditionEvaluator(condition)
    self.before = walker.work
    self.walker = walker
    self.walker.options = walker.options.countingFolds(upTo: range.upperBound)
    snapshots = walker.history.snapshotSizes(in: range, walker.options)
    room = walker.lineBytes(ofActions: range.count) / Self.lineBytesPerSnapshotByte
  }

  /// Bisects the range while there are states to evaluate, and scans the rest.
  mutating func run() throws -> BisectAnswer {
    // Unless the condition comes and goes, no revision before `lower` is the answer.
    var (lower, upper) = (range.lowerBound, range.upperBound + 1)
    while let probed = try probe(in: lower..<upper) {
      // If the condition does not hold at the newest state, only later ones can be the answer.
      if probed.holds {
        upper = probed.state.revision
      } else {
        (lower, start) = (probed.state.revision + 1, probed.state)
      }
    }
    if !probes.isEmpty, try isContradicted(below: lower, above: upper) { return try scanAll() }
    if let found = try scan(lower, to: min(upper, range.upperBound), from: start) {
      return answer(found.revision, found.record, wasScanned: lower == range.lowerBound)
    }
    guard lower > range.lowerBound else { return answer(nil, nil, wasScanned: true) }
    // The snapshot at which the condition holds does not have the state to which the actions lead.
    guard upper > range.upperBound else { return try scanAll() }
    // The condition holds neither at the newest existing state nor later. The actions before that state were not folded yet.
    let earlier = try scan(range.lowerBound, to: lower - 1)
    return answer(earlier?.revision, earlier?.record, wasScanned: true)
  }

  private mutating func scanAll() throws -> BisectAnswer {
    let found = try scan(range.lowerBound, to: range.upperBound)
    return answer(found?.revision, found?.record, wasScanned: true)
  }

  /// Evaluates the condition at an existing state: first the newest one, then one near the middle.
  private mutating func probe(in open: Range<Int>) throws -> (state: ExistingState<M.State>, holds: Bool)? {
    let middle = probes.isEmpty ? open.upperBound - 1 : open.lowerBound + open.count / 2
    guard let found = walker.existingState(in: open, near: middle, snapshots: &snapshots, room: &room) else {
      return nil
    }
    return (found, try evaluate(found.state, at: found.revision))
  }

  private mutating func evaluate(_ state: M.State, at revision: Int) throws -> Bool {
    let holds = try evaluator.holds(at: state)
    probes.append(BisectAnswer.Probe(revision: revision, holds: holds))
    if !evaluator.missingPointers.isEmpty { visited = VisitedState(state) }
    if revision == range.upperBound { end = VisitedState(state) }
    return holds
  }

  /// Whether another existing state shows that the condition comes and goes.
  private mutating func isContradicted(below lower: Int, above upper: Int) throws -> Bool {
    for (side, expected) in [(range.lowerBound..<lower, false), (upper..<range.upperBound + 1, true)] {
      let step = max(1, side.count / (Self.controlCount + 1))
      var loads = 0
      for place in stride(from: side.lowerBound, to: side.upperBound, by: step) {
        let part = place..<min(place + step, side.upperBound)
        if probes.contains(where: { probe in part.contains(probe.revision) }) { continue }
        guard let found = control(in: part, &loads) else { continue }
        if try evaluate(found.state, at: found.revision) != expected { return true }
      }
    }
    return false
  }

  private mutating func control(in part: Range<Int>, _ loads: inout Int) -> ExistingState<M.State>? {
    var none: [Int: Int] = [:]
    if let kept = walker.existingState(in: part, near: part.lowerBound, snapshots: &none, room: &room) { return kept }
    guard loads < Self.snapshotControlCount else { return nil }
    let loaded = walker.existingState(in: part, near: part.lowerBound, snapshots: &snapshots, room: &room)
    if loaded != nil { loads += 1 }
    return loaded
  }

  private mutating func scan(
    _ first: Int, to last: Int, from start: ExistingState<M.State>? = nil
  ) throws -> (revision: Int, record: LogRecord?)? {
    guard first <= last else { return nil }
    let found = try walker.firstRevision(
      evaluator, after: first == walker.revisionRange.first ? nil : first - 1, start?.state, upTo: last)
    statesScanned += found.work.statesVisited
    visited = found.work.visited ?? visited
    if last == range.upperBound { end = found.work.end }
    return found.revision.map { revision in (revision, found.record) }
  }

  private func answer(_ revision: Int?, _ record: LogRecord?, wasScanned: Bool) -> BisectAnswer {
    var work = QuestionWork()
    work.add(walker.report(since: before))
    work.statesVisited = probes.count + statesScanned
    work.bytesEncoded = evaluator.bytesEncoded
    work.note(missing: evaluator.missingPointers, in: visited)
    work.end = revision == nil ? end : nil
    work.hints = evaluator.hints
    let isMonotonic = !probes.contains { probe in probe.revision > revision ?? .max && !probe.holds }
    return BisectAnswer(
      revision: revision, record: record, probes: probes, isMonotonic: isMonotonic, wasScanned: wasScanned, work: work)
  }
}
