import ActionLog
public import EventSourcing

extension History {
  /// Finds the first revision at which a condition holds, by halving.
  ///
  /// Halving proves that the condition does not hold at one revision and holds at the next. That this is the first such place
  /// follows only if the condition, once it holds, goes on to hold. So states at even distances are looked at as well; when they
  /// contradict it, or when the condition does not hold at the end, every state is looked at instead, and the answer says so.
  ///
  /// - Parameters:
  ///   - condition: A condition over the state alone.
  ///   - range: The revisions to look at; `nil` is all of them.
  ///   - options: Whether snapshots are used, and whom to tell of the progress.
  /// - Throws: ``TimeTravelError/Code/unanswerable`` for a condition that looks at the action or at what changed;
  ///   ``TimeTravelError/Code/revisionOutOfRange``; what reading and folding throw, and what the state's coding throws.
  /// - Complexity: O(log *n*) states, each at the distance to the nearest snapshot or state that was folded before; O(*n*) when
  ///   every state is looked at.
  public func bisect(
    _ condition: Condition, in range: ClosedRange<Int>? = nil, options: ReplayOptions = ReplayOptions()
  ) throws -> BisectAnswer {
    guard !condition.asksForAction, !condition.asksForChange else {
      throw TimeTravelError(
        .unanswerable,
        "halving needs a condition over the state alone, and '\(condition)' looks at "
          + (condition.asksForChange ? "what changed" : "the action")
          + ": 'until' looks at every action in turn")
    }
    let known = RevisionRange(last: try lastRevision())
    let range = try range ?? 0...known.checking(known.last)
    _ = try known.checking(range.lowerBound)
    _ = try known.checking(range.upperBound)
    var search = BisectSearch<M>(condition, try HistoryWalker(self))
    if let found = try search.halve(range) { return try search.answer(found, in: self) }
    let scanned = try firstRevision(
      where: condition, after: range.lowerBound == 0 ? nil : range.lowerBound - 1, upTo: range.upperBound,
      options: options)
    return search.answer(scanned)
  }
}

/// The halving.
private struct BisectSearch<M: Model> {
  private var walker: HistoryWalker<M>
  private let evaluator: ConditionEvaluator<M.State>
  private var probes: [BisectAnswer.Probe] = []

  /// So many states are looked at on either side of the place that was found, to see whether it is the only one.
  private static var controlCount: Int { 16 }

  init(_ condition: Condition, _ walker: HistoryWalker<M>) {
    self.walker = walker
    self.evaluator = ConditionEvaluator(condition)
  }

  /// Finds the place; `nil` if every state must be looked at.
  mutating func halve(_ range: ClosedRange<Int>) throws -> Int? {
    // The end first: on the way there states are kept from which the others are near.
    guard try holds(at: range.upperBound) else { return nil }
    if try holds(at: range.lowerBound) { return range.lowerBound }
    var (without, with) = (range.lowerBound, range.upperBound)
    while with - without > 1 {
      let middle = without + (with - without) / 2
      if try holds(at: middle) { with = middle } else { without = middle }
    }
    for revision in controls(in: range.lowerBound...without) where try holds(at: revision) { return nil }
    for revision in controls(in: with...range.upperBound) where try !holds(at: revision) { return nil }
    return with
  }

  private func controls(in range: ClosedRange<Int>) -> [Int] {
    let step = max(1, range.count / (Self.controlCount + 1))
    let seen = Set(probes.map(\.revision))
    return stride(from: range.lowerBound, through: range.upperBound, by: step).filter { !seen.contains($0) }
  }

  private mutating func holds(at revision: Int) throws -> Bool {
    let holds = try evaluator.holds(at: walker.state(at: revision))
    probes.append(BisectAnswer.Probe(revision: revision, holds: holds))
    return holds
  }

  func answer(_ revision: Int, in history: History<M>) throws -> BisectAnswer {
    BisectAnswer(
      revision: revision, record: revision > 0 ? try history.reader.record(at: revision) : nil, probes: probes,
      isMonotonic: true, wasScanned: false, work: work)
  }

  func answer(_ scanned: ConditionAnswer) -> BisectAnswer {
    var work = self.work
    work.actionsFolded += scanned.work.actionsFolded
    work.statesVisited += scanned.work.statesVisited
    work.snapshotsLoaded += scanned.work.snapshotsLoaded
    work.bytesRead += scanned.work.bytesRead
    let first = scanned.revision ?? .max
    return BisectAnswer(
      revision: scanned.revision, record: scanned.record, probes: probes,
      isMonotonic: !probes.contains { probe in probe.revision > first && !probe.holds }, wasScanned: true, work: work)
  }

  private var work: QuestionWork {
    var work = QuestionWork()
    work.actionsFolded = walker.work.actionsFolded
    work.statesVisited = probes.count
    work.snapshotsLoaded = walker.work.snapshotsLoaded
    work.bytesRead = walker.work.bytesRead
    return work
  }
}
