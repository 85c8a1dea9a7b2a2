import ActionLog
public import EventSourcing

extension History {
  /// Finds the first revision behind a point at which a condition holds.
  ///
  /// - Parameters:
  ///   - condition: The condition.
  ///   - revision: The revision behind which is looked: the next one is the first that can be the answer; `nil` looks at revision
  ///     0, too, where no action is and nothing has changed.
  ///   - last: The last revision that is looked at; `nil` is the end. Nothing is looked at when it does not lie behind `revision`.
  ///   - options: Whether snapshots are used, and whom to tell of the progress.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; what reading and folding throw, and what the state's coding throws.
  /// - Complexity: O(distance from the snapshot before the revision to the answer).
  public func firstRevision(
    where condition: Condition, after revision: Int? = nil, upTo last: Int? = nil,
    options: ReplayOptions = ReplayOptions()
  ) throws -> ConditionAnswer {
    let (first, last) = try bounds(revision ?? 0, last)
    guard let range = ConditionAnswer.range(after: revision, upTo: last) else { return .nothingToLookAt }
    var search = ConditionSearch<M>(ConditionEvaluator(condition), isCancelled: options.isCancelled)
    let found = try search.stretch(visitingFrom: first, to: last, asksFirst: revision == nil, endsAtFirst: true) {
      try walk(fromSnapshotAtOrBefore: first, to: last, options: options, visitor: $0).report
    }
    return search.answer(found, in: range)
  }

  /// Finds the last revision before a point at which a condition holds.
  ///
  /// - Parameters:
  ///   - condition: The condition.
  ///   - revision: The revision before which is looked: the one before it is the first that can be the answer; `nil` looks at the
  ///     last revision, too.
  ///   - first: The first revision that can be the answer. Nothing is looked at when it does not lie before `revision`.
  ///   - options: Whether snapshots are used, and whom to tell of the progress.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; what reading and folding throw, and what the state's coding throws.
  /// - Complexity: O(distance from the revision to the last snapshot before the answer).
  public func lastRevision(
    where condition: Condition, before revision: Int? = nil, downTo first: Int = 0,
    options: ReplayOptions = ReplayOptions()
  ) throws -> ConditionAnswer {
    let known = RevisionRange(last: try lastRevision())
    var last =
      try revision.map { revision throws(TimeTravelError) in try known.checking(revision) - 1 } ?? known.last
    guard try known.checking(first) <= last else { return .nothingToLookAt }
    let range = first...last
    let options = options.countingFolds(upTo: last)
    var search = ConditionSearch<M>(ConditionEvaluator(condition), isCancelled: options.isCancelled)
    while true {
      var found = try search.stretch(visitingFrom: nil, to: last, asksFirst: nil, endsAtFirst: false) {
        try walk(fromSnapshotAtOrBefore: max(0, last - 1), to: last, options: options, visitor: $0).report
      }
      if let revision = found.revision, revision < first { (found.revision, found.record) = (nil, nil) }
      if found.revision != nil || found.first < first || found.first == 0 { return search.answer(found, in: range) }
      last = found.first
    }
  }

  private func bounds(_ first: Int, _ last: Int?) throws -> (Int, Int) {
    let known = RevisionRange(last: try lastRevision())
    let first = try known.checking(first)
    return (first, max(first, try known.checking(last ?? known.last)))
  }
}
