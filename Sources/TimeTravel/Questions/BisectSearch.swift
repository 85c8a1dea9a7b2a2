import ActionLog
import EventSourcing

/// The search for the first state that a condition holds of, by halving.
struct BisectSearch<M: Model> {
  private(set) var walker: HistoryWalker<M>
  private let condition: Condition
  private let evaluator: ConditionEvaluator<M.State>
  private var probes: [BisectAnswer.Probe] = []
  /// What the walker had done before.
  private let before: CursorWork

  /// So many states are looked at on either side of the place that was found, to see whether it is the only one.
  private static var controlCount: Int { 16 }

  /// Prepares the search.
  ///
  /// - Throws: ``TimeTravelError/Code/unanswerable`` for a condition that halving cannot find.
  init(_ condition: Condition, _ walker: HistoryWalker<M>) throws(TimeTravelError) {
    guard !condition.asksForAction, !condition.asksForChange else {
      throw TimeTravelError(
        .unanswerable,
        "halving needs a condition over the state alone, and '\(condition)' looks at "
          + (condition.asksForChange ? "what changed" : "the action")
          + ": 'until' looks at every action in turn")
    }
    self.condition = condition
    self.walker = walker
    self.evaluator = ConditionEvaluator(condition)
    self.before = walker.work
  }

  /// Halves a range, and looks at every state of it where halving does not do.
  mutating func run(_ range: ClosedRange<Int>?) throws -> BisectAnswer {
    let known = RevisionRange(last: walker.lastRevision)
    let range = try range ?? 0...known.checking(known.last)
    _ = try known.checking(range.lowerBound)
    _ = try known.checking(range.upperBound)
    if let found = try halve(range) { return try answer(found) }
    return answer(
      try walker.firstRevision(
        evaluator, after: range.lowerBound == 0 ? nil : range.lowerBound - 1, upTo: range.upperBound))
  }

  /// Finds the place; `nil` if every state must be looked at.
  private mutating func halve(_ range: ClosedRange<Int>) throws -> Int? {
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

  private func answer(_ revision: Int) throws -> BisectAnswer {
    BisectAnswer(
      revision: revision, record: revision > 0 ? try walker.history.reader.record(at: revision) : nil, probes: probes,
      isMonotonic: true, wasScanned: false, work: work)
  }

  private func answer(_ scanned: ConditionAnswer) -> BisectAnswer {
    var work = self.work
    work.statesVisited += scanned.work.statesVisited
    let first = scanned.revision ?? .max
    return BisectAnswer(
      revision: scanned.revision, record: scanned.record, probes: probes,
      isMonotonic: !probes.contains { probe in probe.revision > first && !probe.holds }, wasScanned: true, work: work)
  }

  private var work: QuestionWork {
    var work = QuestionWork()
    work.actionsFolded = walker.work.actionsFolded - before.actionsFolded
    work.statesVisited = probes.count
    work.snapshotsLoaded = walker.work.snapshotsLoaded - before.snapshotsLoaded
    work.bytesRead = walker.work.bytesRead - before.bytesRead
    work.emptyPlaces = evaluator.emptyPlaces
    work.hints = evaluator.hints
    return work
  }
}
