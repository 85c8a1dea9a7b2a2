public import ActionLog
public import EventSourcing

/// The first revision at which a condition holds, found by halving.
public struct BisectAnswer: Sendable {
  /// A revision at which the condition was evaluated to halve the range.
  public struct Probe: Hashable, Sendable {
    /// The revision.
    public let revision: Int
    /// Whether the condition holds there.
    public let holds: Bool
  }

  /// The first revision at which the condition holds; `nil` if it holds nowhere.
  public let revision: Int?
  /// The action that led there; `nil` at the beginning of the range.
  public let record: LogRecord?
  /// The revisions at which the range was halved, in the order of their evaluation. None of them cost a fold.
  public let probes: [Probe]
  /// Whether no probe contradicts halving: `false` if the condition holds at one and no longer at a later one.
  public let isMonotonic: Bool
  /// Whether every state from the beginning of the range to the answer was visited, so that no earlier revision can be the answer.
  public let wasScanned: Bool
  /// What it took to find out.
  public let work: QuestionWork
}

extension History {
  /// Finds the first revision at which a condition holds, by halving.
  ///
  /// The range is halved over the snapshots in it, and what remains is scanned forward. That proves that the condition does not hold
  /// at one revision and holds at the next. It is the first such revision if the condition, once it holds, continues to hold. If a
  /// snapshot shows that the condition comes and goes, or if it holds at none, the range is scanned from its beginning. Without
  /// snapshots the search is that of ``firstRevision(where:after:upTo:options:)``. A search never folds an action twice.
  ///
  /// - Parameters:
  ///   - condition: A condition over the state alone.
  ///   - range: The revisions to look at; `nil` is all of them.
  ///   - options: Whether snapshots are used, whom to tell of the progress, and when to stop.
  /// - Throws: ``TimeTravelError/Code/unanswerable`` for a condition that looks at the action or at what changed;
  ///   ``TimeTravelError/Code/revisionOutOfRange``; what reading and folding throw, and what the state's coding throws.
  /// - Complexity: O(log *n*) snapshots of *n*, and O(distance between two of them); O(length of the range) if it is scanned.
  public func bisect(
    _ condition: Condition, in range: ClosedRange<Int>? = nil, options: ReplayOptions = ReplayOptions()
  ) throws -> BisectAnswer {
    var walker = try HistoryWalker(self, keepsStates: false)
    return try walker.bisect(condition, in: range, options: options)
  }
}

/// The search for the first state at which a condition holds, by halving.
///
/// Only states that exist already are used to halve: those that a walker keeps, and snapshots. The range that remains is scanned
/// forward, and so is a range without such states. Folding to the middle of a range takes half a scan of it, and to its end a whole
/// one, so a search never folds more actions than a scan.
struct BisectSearch<M: Model> {
  private(set) var walker: HistoryWalker<M>
  private let evaluator: ConditionEvaluator<M.State>
  private let range: ClosedRange<Int>
  private var probes: [BisectAnswer.Probe] = []
  /// Snapshots that may be loaded, ascending.
  private var snapshots: [Int]
  private var statesScanned = 0
  /// What the walker had done before.
  private let before: CursorWork

  /// So many kept states are evaluated on either side of an answer, to see whether the condition comes and goes.
  private static var controlCount: Int { 16 }
  /// So many snapshots are loaded for that on either side: loading one takes time in proportion to the state.
  private static var snapshotControlCount: Int { 2 }

  /// Prepares a search.
  ///
  /// - Throws: ``TimeTravelError/Code/unanswerable`` for a condition that halving cannot find;
  ///   ``TimeTravelError/Code/revisionOutOfRange``.
  init(_ condition: Condition, _ walker: HistoryWalker<M>, _ range: ClosedRange<Int>?) throws {
    guard !condition.asksForAction, !condition.asksForChange else {
      throw TimeTravelError(
        .unanswerable,
        "halving needs a condition over the state alone, and '\(condition)' looks at "
          + (condition.asksForChange ? "what changed" : "the action")
          + ": 'until' looks at every action in turn")
    }
    let known = RevisionRange(last: walker.lastRevision)
    let range = try range ?? 0...known.checking(known.last)
    _ = try known.checking(range.lowerBound)
    _ = try known.checking(range.upperBound)
    self.range = range
    self.evaluator = ConditionEvaluator(condition)
    self.before = walker.work
    self.walker = walker
    self.walker.options = walker.options.countingFolds(upTo: range.upperBound)
    snapshots = try walker.snapshots(in: range)
  }

  /// Halves the range as far as states are at hand, and scans what remains.
  mutating func run() throws -> BisectAnswer {
    // No revision before `lower` is the answer, unless the condition comes and goes.
    var (lower, upper) = (range.lowerBound, range.upperBound + 1)
    while let holds = try probe(in: lower..<upper) {
      let revision = probes[probes.count - 1].revision
      // Where the newest state does not satisfy the condition, only what follows it can.
      if holds { upper = revision } else { lower = revision + 1 }
    }
    if !probes.isEmpty, try isContradicted(below: lower, above: upper) {
      (lower, upper) = (range.lowerBound, range.upperBound + 1)
    }
    if let found = try scan(lower, to: min(upper, range.upperBound)) {
      return answer(found.revision, found.record, wasScanned: lower == range.lowerBound)
    }
    // It holds neither at the newest state at hand nor later. The actions before that state were not folded yet.
    guard upper > range.upperBound, lower > range.lowerBound else { return answer(nil, nil, wasScanned: true) }
    let found = try scan(range.lowerBound, to: lower - 1)
    return answer(found?.revision, found?.record, wasScanned: true)
  }

  /// Evaluates the condition at a state at hand: first at the newest one, then at one near the middle.
  ///
  /// - Returns: Whether it holds there; `nil` if no state in the range is at hand.
  private mutating func probe(in open: Range<Int>) throws -> Bool? {
    let middle = probes.isEmpty ? open.upperBound - 1 : open.lowerBound + open.count / 2
    guard let found = try walker.atHand(in: open, near: middle, snapshots: &snapshots) else { return nil }
    return try evaluate(found.state, at: found.revision)
  }

  private mutating func evaluate(_ state: M.State, at revision: Int) throws -> Bool {
    let holds = try evaluator.holds(at: state)
    probes.append(BisectAnswer.Probe(revision: revision, holds: holds))
    return holds
  }

  /// Whether another state at hand shows that the condition comes and goes.
  private mutating func isContradicted(below lower: Int, above upper: Int) throws -> Bool {
    for (side, expected) in [(range.lowerBound..<lower, false), (upper..<range.upperBound + 1, true)] {
      let step = max(1, side.count / (Self.controlCount + 1))
      var loads = 0
      for place in stride(from: side.lowerBound, to: side.upperBound, by: step) {
        let part = place..<min(place + step, side.upperBound)
        if probes.contains(where: { probe in part.contains(probe.revision) }) { continue }
        guard let found = try control(in: part, &loads) else { continue }
        if try evaluate(found.state, at: found.revision) != expected { return true }
      }
    }
    return false
  }

  private mutating func control(in part: Range<Int>, _ loads: inout Int) throws -> (revision: Int, state: M.State)? {
    var none: [Int] = []
    if let kept = try walker.atHand(in: part, near: part.lowerBound, snapshots: &none) { return kept }
    guard loads < Self.snapshotControlCount else { return nil }
    let loaded = try walker.atHand(in: part, near: part.lowerBound, snapshots: &snapshots)
    if loaded != nil { loads += 1 }
    return loaded
  }

  /// Finds the first revision of a range at which the condition holds, one state after the other.
  private mutating func scan(_ first: Int, to last: Int) throws -> (revision: Int, record: LogRecord?)? {
    guard first <= last else { return nil }
    let found = try walker.firstRevision(evaluator, after: first == 0 ? nil : first - 1, upTo: last)
    statesScanned += found.work.statesVisited
    return found.revision.map { revision in (revision, found.record) }
  }

  private func answer(_ revision: Int?, _ record: LogRecord?, wasScanned: Bool) -> BisectAnswer {
    var work = QuestionWork()
    work.actionsFolded = walker.work.actionsFolded - before.actionsFolded
    work.statesVisited = probes.count + statesScanned
    work.snapshotsLoaded = walker.work.snapshotsLoaded - before.snapshotsLoaded
    work.bytesRead = walker.work.bytesRead - before.bytesRead
    work.bytesEncoded = evaluator.bytesEncoded
    work.emptyPlaces = evaluator.emptyPlaces
    work.hints = evaluator.hints
    let isMonotonic = !probes.contains { probe in probe.revision > revision ?? .max && !probe.holds }
    return BisectAnswer(
      revision: revision, record: record, probes: probes, isMonotonic: isMonotonic, wasScanned: wasScanned, work: work)
  }
}
